//! `manet-mutex paper`.

use crate::output::Outcome;

/// Which paper.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Walter, Welch, Vaidya: section 6.
    Rl {},
}

/// Runs the command.
pub fn run(_: &Command) -> Outcome {
    todo!()
}
