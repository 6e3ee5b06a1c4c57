//! `manet-mutex link`: the link layer by itself.

mod check;
mod schedules;

pub use check::print_violations;

use crate::moved;
use crate::output::Outcome;

/// What to do with the link layer.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Try everything that can happen to one pair of nodes and a relay.
    Check(check::Args),
    /// Play random schedules of whole link layers in which everything goes wrong.
    Schedules(schedules::Args),
    #[command(hide = true, disable_help_flag = true)]
    Figures(moved::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Check(args) => check::run(args),
        Command::Schedules(args) => schedules::run(args),
        Command::Figures(_) => moved::moved("link figures", "link-figures"),
    }
}
