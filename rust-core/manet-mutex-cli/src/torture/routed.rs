//! Torture over routing that does its worst, with the transport in between.

use super::{Args, One, campaign, lock};
use crate::output::{Format, Outcome, say, tell};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::transport::Counters;
use manet_mutex::wire::WireMessage;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world;
use manet_mutex_sim::world::routed::{
    RoutedError, RoutedReport, RoutedSetup, RoutedWorld, torture,
};
use manet_mutex_sim::world::workload::Demands;
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
    #[serde(flatten)]
    counters: Counters,
    unreachable: u64,
    violations: u64,
    unserved: u64,
}

/// Runs random worlds.
pub fn run(args: &Args) -> Outcome {
    args.one_routed(0, true)?;
    let summary = Mutex::new(Summary {
        protocol: args.protocol.clone(),
        seeds: args.seeds.clone(),
        ..Summary::default()
    });
    let failed = campaign(args, |seed| {
        let report = args.one_routed(seed, false).expect("it was tried before");
        lock(&summary).add(&report);
        One {
            events: report.events,
            clean: report.is_clean(),
        }
    })?;
    print(&lock(&summary), args.format)?;
    let Some(seed) = failed else {
        return Ok(ExitCode::SUCCESS);
    };
    let report = args.one_routed(seed, false)?;
    let what = match report.violations.first() {
        Some(violation) => violation.to_string(),
        None => format!("{} requests not served", report.unserved),
    };
    tell!("FAILED, seed {seed}: {what}");
    let name = &args.protocol;
    tell!("repeat with: manet-mutex torture --world routed --protocol {name} --seeds {seed}");
    Ok(ExitCode::FAILURE)
}

impl Args {
    /// One seed; if `dry`, only as far as to see that there is such a world.
    fn one_routed(&self, seed: u64, dry: bool) -> Result<RoutedReport, Box<dyn std::error::Error>> {
        let setup = torture::setup(seed, Demands::Exclusive);
        let options = Options {
            as_printed: self.as_printed,
            ..world::torture::options(seed)
        };
        let report = registry::visit(&self.protocol, &options, Run { setup, dry })?;
        Ok(report?)
    }
}

struct Run {
    setup: RoutedSetup,
    dry: bool,
}

impl Visitor for Run {
    type Output = Result<RoutedReport, RoutedError>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage,
    {
        self.setup.workload.demands = P::demands(&config);
        if self.dry {
            self.setup.duration = manet_mutex::Time(0);
        }
        Ok(RoutedWorld::<P>::new(self.setup, &config)?.run(|_, _| {}))
    }
}

impl Summary {
    fn add(&mut self, report: &RoutedReport) {
        self.worlds += 1;
        self.events += report.events;
        self.requests += report.meter.requests;
        self.entries += report.meter.entries();
        self.counters.add(&report.counters);
        self.unreachable += report.unreachable;
        self.violations += report.violation_count;
        self.unserved += report.unserved;
    }
}

fn print(summary: &Summary, format: Format) -> Result<(), serde_json::Error> {
    if format == Format::Json {
        say!("{}", serde_json::to_string(summary)?);
        return Ok(());
    }
    let Counters {
        sent,
        data,
        again,
        most,
        ..
    } = summary.counters;
    say!(
        "{}: {} worlds (seeds {}), {} events, {} entries for {} requests, {sent} messages in {data} \
         datagrams ({again} sent again), at most {most} waiting for a peer, {} times unreachable: \
         {} violations, {} unserved",
        summary.protocol,
        summary.worlds,
        summary.seeds,
        summary.events,
        summary.entries,
        summary.requests,
        summary.unreachable,
        summary.violations,
        summary.unserved
    );
    Ok(())
}
