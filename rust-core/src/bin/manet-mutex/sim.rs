//! `manet-mutex sim`.

use crate::output::Outcome;

/// Options of `sim`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Outcome {
    todo!()
}
