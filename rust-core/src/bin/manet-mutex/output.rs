//! What the commands share: formats, exit codes, bars.

use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use std::process::ExitCode;

/// What a command comes to: an exit code, or a one-line error (exit code 2).
pub type Outcome = Result<ExitCode, Box<dyn Error>>;

/// How to print results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    Table,
    /// For programs.
    Json,
}

/// A progress bar on standard error; invisible where that is not a terminal.
pub fn bar(length: u64, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} [{bar:40}] {pos}/{len} ({eta} left)")
        .expect("the template is well formed")
        .progress_chars("=> ");
    ProgressBar::new(length)
        .with_style(style)
        .with_message(what)
}

/// A spinner for work of unknown length.
pub fn spinner(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {msg}: {pos} ({elapsed})")
        .expect("the template is well formed");
    ProgressBar::new_spinner()
        .with_style(style)
        .with_message(what)
}
