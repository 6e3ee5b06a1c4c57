//! `manet-mutex link`: the link layer by itself.

mod figures;

use crate::output::Outcome;

/// What to do with the link layer.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Measure doubts, frames, airtime and skew over the radio, in scenarios of an earlier study.
    Figures(figures::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Figures(args) => figures::run(args),
    }
}
