//! `manet-mutex link schedules`.

use crate::output::{Format, Outcome, bar, say, seeds, table, tell};
use manet_mutex::link::Flaw;
use manet_mutex_sim::explore::schedules::{Stats, run as play, run_all};
use std::process::ExitCode;

/// Options of `link schedules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seeds to play, as one number or FIRST..LAST (LAST not included).
    #[arg(long, default_value = "0..100000")]
    seeds: String,
    /// Leave a rule out, to see it noticed.
    #[arg(long)]
    flaw: Option<Flaw>,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let (first, last) = seeds(&args.seeds)?;
    let progress = bar(last - first, "schedules");
    let summary = run_all(first..last, args.flaw, true, &|done| progress.inc(done));
    progress.finish_and_clear();
    match args.format {
        Format::Json => say!("{}", serde_json::to_string(&summary)?),
        Format::Table => print(&summary.stats),
    }
    let Some((seed, _)) = summary.failures.first() else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Err(failure) = play(*seed, args.flaw) {
        eprint!("FAILED, {failure}");
    }
    tell!("repeat with: manet-mutex link schedules --seeds {seed}");
    Ok(ExitCode::FAILURE)
}

fn print(stats: &Stats) {
    let rows = [
        ("schedules", stats.schedules),
        ("steps", stats.steps),
        ("links up, each end", stats.ups),
        ("messages sent", stats.messages),
        ("messages delivered", stats.delivered),
        ("known as delivered at close", stats.known_delivered),
        ("known as returned at close", stats.known_returned),
        ("in doubt at close", stats.doubts),
        ("  then delivered", stats.resolved_delivered),
        ("  then returned", stats.resolved_returned),
        ("  by a close", stats.by_close),
        ("  by a hello", stats.by_hello),
        ("  through others", stats.by_flood),
    ];
    let cells = rows.map(|(name, count)| vec![name.to_owned(), count.to_string()]);
    say!("{}", table(&["", "in clean schedules"], cells));
}
