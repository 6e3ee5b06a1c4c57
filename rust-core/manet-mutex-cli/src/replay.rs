//! `manet-mutex replay`.

use crate::output::{self, Format, Outcome};
use manet_mutex_sim::scenario::{Failure, Played, Report, Scenario};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `replay`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A trace or scenario file.
    file: PathBuf,
    /// How to print.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Print only what was wrong.
    #[arg(long)]
    quiet: bool,
}

/// The whole replay, for programs.
#[derive(Serialize)]
struct Replay<'a> {
    protocol: &'a str,
    nodes: usize,
    /// Without `--quiet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<Vec<Played>>,
    failures: &'a [Failure],
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file)
        .map_err(|error| format!("cannot read {name}: {error}"))?;
    let wrong = |error| format!("{name}: {error}");
    let scenario = Scenario::parse(&text).map_err(wrong)?;
    let shown = match args.format {
        Format::Table => as_text(&scenario, args.quiet),
        Format::Json => as_json(&scenario, args.quiet),
    };
    output::print(format_args!("{}", shown.text));
    let report = shown.report.map_err(wrong)?;
    Ok(ExitCode::from(u8::from(!report.failures.is_empty())))
}

/// What to print, also of a run that could not be ended.
struct Shown {
    text: String,
    report: Result<Report, manet_mutex_sim::scenario::ScenarioError>,
}

fn as_text(scenario: &Scenario, quiet: bool) -> Shown {
    let mut text = String::new();
    let mut commands = 0;
    let report = scenario.play(|played| {
        commands += usize::from(played.line > 0);
        if !quiet {
            show(&mut text, played);
        }
    });
    if let Ok(report) = &report {
        for failure in &report.failures {
            let _ = writeln!(text, "{failure}"); // a String takes everything
        }
        let _ = match report.failures.len() {
            0 => writeln!(text, "{commands} commands, expectations met"),
            wrong => writeln!(text, "{commands} commands, {wrong} wrong"),
        };
    }
    Shown { text, report }
}

/// A command, what it did, and the states it led to, further in.
fn show(text: &mut String, played: &Played) {
    let _ = match played.line {
        0 => writeln!(text, "{}", played.command),
        line => writeln!(text, "{line}: {}", played.command),
    };
    for line in &played.trace {
        let _ = writeln!(text, "  {line}");
    }
    for line in &played.state {
        let _ = writeln!(text, "      {line}");
    }
}

fn as_json(scenario: &Scenario, quiet: bool) -> Shown {
    let mut commands = Vec::new();
    let report = scenario.play(|played| {
        if !quiet {
            commands.push(played.clone());
        }
    });
    let mut text = String::new();
    if let Ok(report) = &report {
        let replay = Replay {
            protocol: &scenario.setup().protocol,
            nodes: scenario.setup().graph.len(),
            commands: (!quiet).then_some(commands),
            failures: &report.failures,
        };
        text = serde_json::to_string_pretty(&replay).expect("strings and numbers have JSON");
        text.push('\n');
    }
    Shown { text, report }
}
