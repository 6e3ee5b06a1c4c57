//! `manet-mutex link check`.

use crate::output::{Format, Outcome, say, spinner};
use manet_mutex::link::Flaw;
use manet_mutex_sim::explore::Limits;
use manet_mutex_sim::explore::link::{Counterexample, Report, Settings, explore_link};
use std::process::ExitCode;

/// Options of `link check`. Frames may be lost, doubled and reordered as often as they can.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How often an end closes for no reason, in all.
    #[arg(long, default_value_t = 2)]
    closes: u8,
    /// How many messages are sent, in all.
    #[arg(long, default_value_t = 2)]
    messages: u8,
    /// Messages may also be plain.
    #[arg(long)]
    plain: bool,
    /// How often a node begins or stops to move, enters or leaves its critical section, in all.
    #[arg(long, default_value_t = 0)]
    turns: u8,
    /// As often as it likes.
    #[arg(long)]
    any_turns: bool,
    /// Stop after this many states.
    #[arg(long)]
    max_states: Option<usize>,
    /// Leave a rule out, to see it noticed.
    #[arg(long)]
    flaw: Option<Flaw>,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let settings = Settings {
        closes: args.closes,
        messages: args.messages,
        plain: args.plain,
        turns: (!args.any_turns).then_some(args.turns),
        weak: true,
        relay: true,
        flaw: args.flaw,
        ..Settings::default()
    };
    let limits = Limits {
        max_states: args.max_states.unwrap_or(Limits::default().max_states),
        first_violation: args.flaw.is_some(),
    };
    let progress = spinner("states");
    let report = explore_link(settings, limits, &mut |states| {
        progress.set_position(states as u64);
    });
    progress.finish_and_clear();
    match args.format {
        Format::Json => say!("{}", serde_json::to_string(&report)?),
        Format::Table => print(&report),
    }
    if report.violations.is_empty() {
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::FAILURE)
    }
}

fn print(report: &Report) {
    say!(
        "{} states ({} of the two ends alone), depth {}, {}",
        report.states,
        report.ends,
        report.depth,
        if report.complete {
            "complete"
        } else {
            "NOT complete"
        }
    );
    let seen: Vec<&str> = report.seen.names().collect();
    say!("seen: {}", seen.join("; "));
    print_violations(&report.violations);
}

/// Prints each broken promise with the way there.
pub fn print_violations(violations: &[Counterexample]) {
    for violation in violations {
        say!("VIOLATED {}: {}", violation.property, violation.detail);
        for step in &violation.trace {
            say!("  {step}");
        }
    }
    if violations.is_empty() {
        say!("no violation");
    }
}
