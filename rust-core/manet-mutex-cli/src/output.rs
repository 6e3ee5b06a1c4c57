//! What the commands share: formats, exit codes, bars.

use comfy_table::{Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

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

/// Prints a line to standard output; [`finish`] tells whether that failed.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => {
        $crate::output::print(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Prints a line to standard error. There is nowhere to report a failure to do so.
#[macro_export]
macro_rules! tell {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

pub use crate::{say, tell};

/// Why standard output cannot be written to, once it cannot.
static UNWRITABLE: OnceLock<io::Error> = OnceLock::new();

/// Prints to standard output. The first failure ends all output and is kept for [`finish`].
pub fn print(text: fmt::Arguments<'_>) {
    if UNWRITABLE.get().is_none()
        && let Err(error) = io::stdout().lock().write_fmt(text)
    {
        UNWRITABLE.get_or_init(|| error);
    }
}

/// Writes what is still buffered. A reader that has closed the pipe (`| head`) is no error.
///
/// # Errors
/// If standard output could not be written to, such as on a full disk.
pub fn finish() -> Result<(), String> {
    if let Err(error) = io::stdout().flush() {
        UNWRITABLE.get_or_init(|| error);
    }
    match UNWRITABLE.get() {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(()),
    }
}

/// The exit code of a command: 0 all is well, 1 a promise was broken, 2 the command was wrong or
/// its result could not be written.
pub fn exit_code(result: Outcome) -> ExitCode {
    match result.and_then(|code| finish().map(|()| code).map_err(Into::into)) {
        Ok(code) => code,
        Err(error) => {
            tell!("error: {error}");
            ExitCode::from(2)
        }
    }
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

/// A number for a table; a dash if there is none, such as a mean of nothing.
pub fn number(value: f64, digits: usize) -> String {
    if value.is_finite() {
        format!("{value:.digits$}")
    } else {
        "-".to_owned()
    }
}

/// A mean with half of its confidence interval, which one run alone does not have.
pub fn estimate(mean: f64, half: f64, digits: usize) -> String {
    let mean = number(mean, digits);
    if half.is_finite() {
        format!("{mean} ± {half:.digits$}")
    } else {
        mean
    }
}

/// Prints each row as a JSON object on a line of its own.
///
/// # Errors
/// If a row has no JSON.
pub fn json_lines<T: Serialize>(rows: &[T]) -> Result<(), serde_json::Error> {
    for row in rows {
        say!("{}", serde_json::to_string(row)?);
    }
    Ok(())
}

/// Rows under a heading.
pub fn table(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::UTF8_BORDERS_ONLY)
        .set_header(heading);
    table.add_rows(rows);
    table
}

/// The same as Markdown.
pub fn markdown(heading: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let heading: Vec<String> = heading.iter().map(ToString::to_string).collect();
    let rule = "|---".repeat(heading.len()) + "|\n";
    let rows = rows.into_iter().map(|row| line(&row));
    line(&heading) + &rule + &rows.collect::<String>()
}

/// Refuses more nodes than fit into the memory of most machines.
pub fn not_too_many(nodes: usize, most: usize) -> Result<(), String> {
    if nodes <= most {
        return Ok(());
    }
    Err(format!("--nodes {nodes}: use at most {most}"))
}

/// The most memory this process has used so far; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.unwrap_or(0) * 1024
}

/// The first of some seeds and the one after the last.
pub fn seeds(text: &str) -> Result<(u64, u64), String> {
    let number = |part: &str| {
        part.parse::<u64>()
            .map_err(|_| format!("`{text}` is no range of seeds: use 7 or 0..1000"))
    };
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last)?),
        None => (number(text)?, number(text)?.saturating_add(1)),
    };
    if first < last {
        Ok((first, last))
    } else {
        Err(format!(
            "`{text}` holds no seed: the first must be below the last"
        ))
    }
}
