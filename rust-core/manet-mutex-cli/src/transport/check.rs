//! `manet-mutex transport check`.

use crate::link::print_violations;
use crate::output::{Format, Outcome, say, spinner};
use manet_mutex::transport::Flaw;
use manet_mutex_sim::explore::Limits;
use manet_mutex_sim::explore::transport::{Report, Settings, explore_transport};
use std::process::ExitCode;

/// Options of `transport check`. Datagrams may be lost, doubled and reordered as often as they can.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many messages are sent, in all.
    #[arg(long, default_value_t = 3)]
    messages: u8,
    /// How often a node restarts, in all.
    #[arg(long, default_value_t = 1)]
    restarts: u8,
    /// How many messages may be under way from one end.
    #[arg(long, default_value_t = 2)]
    window: usize,
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
        messages: args.messages,
        restarts: args.restarts,
        window: args.window,
        flaw: args.flaw,
    };
    let limits = Limits {
        max_states: args.max_states.unwrap_or(Limits::default().max_states),
        first_violation: args.flaw.is_some(),
    };
    let progress = spinner("states");
    let report = explore_transport(settings, limits, &mut |states| {
        progress.set_position(states as u64);
    });
    progress.finish_and_clear();
    match args.format {
        Format::Json => say!("{}", serde_json::to_string(&report)?),
        Format::Table => print(&report),
    }
    Ok(ExitCode::from(u8::from(!report.violations.is_empty())))
}

fn print(report: &Report) {
    let complete = if report.complete {
        "complete"
    } else {
        "NOT complete"
    };
    say!(
        "{} states, depth {}, {complete}",
        report.states,
        report.depth
    );
    let seen: Vec<&str> = report.seen.names().collect();
    say!("seen: {}", seen.join("; "));
    print_violations(&report.violations);
}
