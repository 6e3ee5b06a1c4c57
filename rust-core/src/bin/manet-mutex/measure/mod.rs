//! `manet-mutex measure`: what it brings to let several inside, and whose turn it is.

mod concurrency;
mod priorities;
mod sessions;

use crate::output::Outcome;

/// What to measure.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// How many are inside together, and entries per time unit: rl, gme and hk on the same worlds.
    Concurrency(concurrency::Args),
    /// Whether hk lets nodes in in turn, and by how many later requests one is overtaken.
    Priorities(priorities::Args),
    /// What the protocols over routing cost: messages, requests for the token, handovers.
    Sessions(sessions::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Concurrency(args) => concurrency::run(args),
        Command::Priorities(args) => priorities::run(args),
        Command::Sessions(args) => sessions::run(args),
    }
}
