//! `manet-mutex check`.

use crate::output::Outcome;

/// Options of `check`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Outcome {
    todo!()
}
