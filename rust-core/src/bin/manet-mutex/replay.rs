//! `manet-mutex replay`.

use crate::output::Outcome;

/// Options of `replay`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Args) -> Outcome {
    todo!()
}
