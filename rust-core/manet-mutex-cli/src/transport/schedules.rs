//! `manet-mutex transport schedules`.

use crate::output::{Format, Outcome, bar, say, seeds, table, tell};
use manet_mutex::transport::Flaw;
use manet_mutex_sim::explore::transport::schedules::{Stats, run_all};
use std::process::ExitCode;

/// Options of `transport schedules`.
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
    let Some((seed, violation)) = summary.failures.first() else {
        return Ok(ExitCode::SUCCESS);
    };
    tell!("FAILED, seed {seed}: {violation}");
    tell!("repeat with: manet-mutex transport schedules --seeds {seed}");
    Ok(ExitCode::FAILURE)
}

fn print(stats: &Stats) {
    let rows = [
        ("schedules", stats.schedules),
        ("steps", stats.steps),
        ("messages sent", stats.messages),
        ("messages delivered", stats.delivered),
        ("messages refused", stats.refused),
        ("messages sent again", stats.again),
        ("restarts", stats.restarts),
        ("  then in doubt", stats.in_doubt),
        ("  then unsent", stats.unsent),
        ("told of as unreachable", stats.unreachable),
    ];
    let cells = rows.map(|(name, count)| vec![name.to_owned(), count.to_string()]);
    say!("{}", table(&["", "in clean schedules"], cells));
}
