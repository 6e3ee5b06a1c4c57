//! `manet-mutex torture`.

use crate::failure::Failure;
use crate::output::{Format, Outcome, bar};
use clap::Args as ClapArgs;
use manet_mutex::check::Monitor;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::Erratum;
use manet_mutex::scenario::Terms;
use manet_mutex::world::workload::Demands;
use manet_mutex::world::{Report, Setup, World, torture};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Options of `torture`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// The protocol.
    #[arg(long, default_value = "rl")]
    protocol: String,
    /// Seeds to run, as one number or FIRST..LAST (LAST not included).
    #[arg(long, default_value = "0..1000")]
    seeds: String,
    /// Stop after this many events in all.
    #[arg(long)]
    events: Option<u64>,
    /// Put a corrected rule back as the paper prints it, to see it fail.
    #[arg(long, value_name = "ERRATUM")]
    as_printed: Option<Erratum>,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Debug, Default, Serialize)]
struct Summary {
    protocol: String,
    seeds: String,
    worlds: u64,
    events: u64,
    requests: u64,
    entries: u64,
    link_changes: u64,
    doubts: u64,
    violations: u64,
    unserved: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let (first, last) = parse_seeds(&args.seeds)?;
    let summary = Mutex::new(Summary {
        protocol: args.protocol.clone(),
        seeds: args.seeds.clone(),
        ..Summary::default()
    });
    let failed: Mutex<Option<u64>> = Mutex::new(None);
    registry::visit(&args.protocol, &torture::options(first), Nothing)?;
    let next = AtomicU64::new(first);
    let enough = AtomicBool::new(false);
    let progress = bar(last - first, "worlds");
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last || enough.load(Ordering::Relaxed) {
                return;
            }
            let report = args.one(seed, false);
            progress.inc(1);
            let mut sum = lock(&summary);
            sum.worlds += 1;
            sum.events += report.events;
            sum.requests += report.meter.requests;
            sum.entries += report.meter.entries();
            sum.link_changes += report.meter.link_changes;
            sum.doubts += report.meter.doubts;
            sum.violations += report.violation_count;
            sum.unserved += report.unserved;
            let done = args.events.is_some_and(|most| sum.events >= most);
            if !report.is_clean() {
                lock(&failed).get_or_insert(seed);
            }
            if done || !report.is_clean() {
                enough.store(true, Ordering::Relaxed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    progress.finish_and_clear();
    print(&lock(&summary), args.format)?;
    let first_failed = *lock(&failed);
    match first_failed {
        None => Ok(ExitCode::SUCCESS),
        Some(seed) => {
            args.explain(seed)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

impl Args {
    fn one(&self, seed: u64, record: bool) -> Report {
        let setup = Setup {
            record,
            ..torture::setup(seed, Demands::Exclusive)
        };
        registry::visit(&self.protocol, &self.options(seed), Run(setup))
            .expect("the name was looked up before")
    }

    fn options(&self, seed: u64) -> Options {
        Options {
            as_printed: self.as_printed,
            ..torture::options(seed)
        }
    }

    /// Runs a seed once more with all steps recorded, and shows the shortest trace that fails.
    fn explain(&self, seed: u64) -> Result<(), Box<dyn std::error::Error>> {
        let report = self.one(seed, true);
        let what = match report.violations.first() {
            Some(violation) => violation.to_string(),
            None => format!("{} requests were not served", report.unserved),
        };
        let failure = Failure {
            protocol: &self.protocol,
            seed,
            graph: torture::setup(seed, Demands::Exclusive).graph,
            options: self.options(seed),
            steps: report.steps,
            what,
        };
        failure.explain()
    }
}

struct Run(Setup);

impl Visitor for Run {
    type Output = Report;

    fn visit<P: Population + Monitor + Terms>(self, config: P::Config) -> Report {
        let world = World::<P>::new(self.0, &config);
        world.expect("torture starts connected").run()
    }
}

/// Only looks the name up.
struct Nothing;

impl Visitor for Nothing {
    type Output = ();

    fn visit<P: Population + Monitor + Terms>(self, _: P::Config) {}
}

fn parse_seeds(text: &str) -> Result<(u64, u64), String> {
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

fn print(summary: &Summary, format: Format) -> Result<(), serde_json::Error> {
    if format == Format::Json {
        println!("{}", serde_json::to_string(summary)?);
        return Ok(());
    }
    println!(
        "{}: {} worlds (seeds {}), {} events, {} entries for {} requests, {} link changes, \
         {} doubts: {} violations, {} unserved",
        summary.protocol,
        summary.worlds,
        summary.seeds,
        summary.events,
        summary.entries,
        summary.requests,
        summary.link_changes,
        summary.doubts,
        summary.violations,
        summary.unserved
    );
    Ok(())
}

/// A poisoned lock still holds good counts.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
