//! `manet-mutex paper`: the papers' own experiments.

mod rl;

use crate::output::Outcome;

/// Which paper.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Walter, Welch, Vaidya: tables 1 and 2, figures 5 to 8.
    Rl(rl::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Rl(args) => rl::run(args),
    }
}
