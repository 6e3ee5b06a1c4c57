//! `manet-mutex measure`: the benefit of concurrent entry, whose turn it is, how far a crash
//! reaches, and how long nodes wait.

mod concurrency;
mod local;
mod locality;
mod priorities;
mod response;
mod sessions;

use crate::output::Outcome;

/// What to measure.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// How many are inside together, and entries per time unit: rl, gme and hk on the same worlds.
    Concurrency(concurrency::Args),
    /// How far a crash reaches: lme1a, lme1b and lme2 on lines and grids.
    Locality(locality::Args),
    /// How long lme1a, lme1b and lme2 take to let a node in, by nodes and by neighbours.
    Response(response::Args),
    /// Whether hk lets nodes in in turn, and by how many later requests one is overtaken.
    Priorities(priorities::Args),
    /// What the protocols over routing cost: messages, requests for the token, handovers.
    Sessions(sessions::Args),
}

/// Runs the command.
pub fn run(command: &Command) -> Outcome {
    match command {
        Command::Concurrency(args) => concurrency::run(args),
        Command::Locality(args) => locality::run(args),
        Command::Response(args) => response::run(args),
        Command::Priorities(args) => priorities::run(args),
        Command::Sessions(args) => sessions::run(args),
    }
}
