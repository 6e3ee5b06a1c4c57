//! Torture in the world of links.

use super::{Args, One, campaign, lock};
use crate::failure::Failure;
use crate::output::{Format, Outcome, say};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::workload::Demands;
use manet_mutex_sim::world::{Report, torture};
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Mutex;

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

/// Runs random worlds.
pub fn run(args: &Args) -> Outcome {
    registry::visit(&args.protocol, &args.options(0), Nothing)?;
    let summary = Mutex::new(Summary {
        protocol: args.protocol.clone(),
        seeds: args.seeds.clone(),
        ..Summary::default()
    });
    let failed = campaign(args, |seed| {
        let report = args.one(seed, false);
        lock(&summary).add(&report);
        One {
            events: report.events,
            clean: report.is_clean(),
        }
    })?;
    print(&lock(&summary), args.format)?;
    match failed {
        None => Ok(ExitCode::SUCCESS),
        Some(seed) => {
            args.explain(seed)?;
            Ok(ExitCode::FAILURE)
        }
    }
}

impl Summary {
    fn add(&mut self, report: &Report) {
        self.worlds += 1;
        self.events += report.events;
        self.requests += report.meter.requests;
        self.entries += report.meter.entries();
        self.link_changes += report.meter.link_changes;
        self.doubts += report.meter.doubts;
        self.violations += report.violation_count;
        self.unserved += report.unserved;
    }
}

impl Args {
    fn one(&self, seed: u64, record: bool) -> Report {
        registry::visit(&self.protocol, &self.options(seed), Run { seed, record })
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

struct Run {
    seed: u64,
    record: bool,
}

impl Visitor for Run {
    type Output = Report;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Report {
        let world = torture::world::<P>(self.seed, &config, self.record);
        world.expect("torture starts connected").run()
    }
}

/// Only looks the name up.
struct Nothing;

impl Visitor for Nothing {
    type Output = ();

    fn visit<P: Population + Invariants + Describe>(self, _: P::Config) {}
}

fn print(summary: &Summary, format: Format) -> Result<(), serde_json::Error> {
    if format == Format::Json {
        say!("{}", serde_json::to_string(summary)?);
        return Ok(());
    }
    say!(
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
