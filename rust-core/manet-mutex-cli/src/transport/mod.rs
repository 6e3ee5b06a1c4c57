//! `manet-mutex transport`: the transport by itself.

mod check;
mod schedules;

use crate::output::Outcome;

/// What to do with the transport.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Try everything that can happen between one pair of nodes.
    Check(check::Args),
    /// Play random schedules of whole transports in which everything goes wrong.
    Schedules(schedules::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Check(args) => check::run(args),
        Command::Schedules(args) => schedules::run(args),
    }
}
