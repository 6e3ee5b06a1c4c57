//! Torture over the radio.

use super::{Args, One, campaign, lock};
use crate::output::{Format, Outcome, json_lines, number, say, table, tell};
use manet_mutex::link::Way;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::wire::WireMessage;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world;
use manet_mutex_sim::world::radio::torture::{self, SCENARIOS};
use manet_mutex_sim::world::radio::{LinkMeter, RadioError, RadioReport, RadioSetup, RadioWorld};
use manet_mutex_sim::world::workload::Demands;
use serde::Serialize;
use std::process::ExitCode;
use std::sync::Mutex;

/// What the runs of one scenario came to.
#[derive(Debug, Default)]
struct Sum {
    worlds: u64,
    events: u64,
    requests: u64,
    entries: u64,
    /// Ownership messages that were sent; those can be in doubt.
    owned: u64,
    messages: u64,
    frames: u64,
    doubts: u64,
    violations: u64,
    unserved: u64,
    open_doubts: u64,
    links: LinkMeter,
}

/// One row of the result.
#[derive(Debug, Serialize)]
struct Row {
    scenario: &'static str,
    worlds: u64,
    events: u64,
    requests: u64,
    entries: u64,
    links_closed: u64,
    owned: u64,
    doubts: u64,
    by_close: u64,
    by_hello: u64,
    by_flood: u64,
    doubt_p50: f64,
    doubt_p99: f64,
    doubt_max: f64,
    frames_per_message: f64,
    half_up_share: f64,
    violations: u64,
    unserved: u64,
    open_doubts: u64,
}

/// Runs random worlds.
pub fn run(args: &Args) -> Outcome {
    let (_, setup) = torture::setup(0, Demands::Exclusive);
    registry::visit(
        &args.protocol,
        &args.options_over_radio(0),
        Run { setup, dry: true },
    )??;
    let sums: Vec<Mutex<Sum>> = SCENARIOS.iter().map(|_| Mutex::default()).collect();
    let failed = campaign(args, |seed| {
        let (scenario, report) = args.one_over_radio(seed);
        lock(&sums[scenario]).add(&report);
        One {
            events: report.events,
            clean: report.is_clean(),
        }
    })?;
    let rows: Vec<Row> = SCENARIOS
        .iter()
        .zip(&sums)
        .map(|(name, sum)| lock(sum).row(name))
        .filter(|row| row.worlds > 0)
        .collect();
    print(&rows, args.format)?;
    let Some(seed) = failed else {
        return Ok(ExitCode::SUCCESS);
    };
    let (_, report) = args.one_over_radio(seed);
    let what = match report.violations.first() {
        Some(violation) => violation.to_string(),
        None => format!(
            "{} requests not served, {} doubts not resolved",
            report.unserved, report.open_doubts
        ),
    };
    tell!("FAILED, seed {seed}: {what}");
    let name = &args.protocol;
    tell!("repeat with: manet-mutex torture --world radio --protocol {name} --seeds {seed}");
    Ok(ExitCode::FAILURE)
}

impl Args {
    fn one_over_radio(&self, seed: u64) -> (usize, RadioReport) {
        let (scenario, setup) = torture::setup(seed, Demands::Exclusive);
        let options = self.options_over_radio(seed);
        let report = registry::visit(&self.protocol, &options, Run { setup, dry: false });
        let report = report.expect("the name was looked up before");
        (scenario, report.expect("the setup was tried before"))
    }

    /// Random groups and units; the rest as users have it.
    fn options_over_radio(&self, seed: u64) -> Options {
        let default = Options::default();
        Options {
            limiter: Limiter {
                seed,
                ..default.limiter
            },
            residual: default.residual,
            as_printed: self.as_printed,
            ..world::torture::options(seed)
        }
    }
}

struct Run {
    setup: RadioSetup,
    /// Only make the world.
    dry: bool,
}

impl Visitor for Run {
    type Output = Result<RadioReport, RadioError>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage,
    {
        self.setup.workload.demands = P::demands(&config);
        let duration = if self.dry {
            manet_mutex::Time(0)
        } else {
            self.setup.duration
        };
        let setup = RadioSetup {
            duration,
            ..self.setup
        };
        Ok(RadioWorld::<P>::new(setup, &config)?.run(|_, _| {}))
    }
}

impl Sum {
    fn add(&mut self, report: &RadioReport) {
        self.worlds += 1;
        self.events += report.events;
        self.requests += report.meter.requests;
        self.entries += report.meter.entries();
        self.owned += report.counters.owned;
        self.messages += report.counters.delivered;
        self.frames += report.counters.data;
        self.doubts += report.meter.doubts;
        self.violations += report.violation_count;
        self.unserved += report.unserved;
        self.open_doubts += report.open_doubts;
        self.links.add(&report.links);
    }

    fn row(&self, scenario: &'static str) -> Row {
        let way = |way| self.links.resolved.get(&way).copied().unwrap_or(0);
        let doubt = LinkMeter::summary(&self.links.doubt_time);
        Row {
            scenario,
            worlds: self.worlds,
            events: self.events,
            requests: self.requests,
            entries: self.entries,
            links_closed: self.links.closes.values().sum(),
            owned: self.owned,
            doubts: self.doubts,
            by_close: way(Way::Close),
            by_hello: way(Way::Hello),
            by_flood: way(Way::Flood),
            doubt_p50: doubt.p50,
            doubt_p99: doubt.p99,
            doubt_max: doubt.max,
            frames_per_message: self.frames as f64 / self.messages as f64,
            half_up_share: self.links.half_up_share(),
            violations: self.violations,
            unserved: self.unserved,
            open_doubts: self.open_doubts,
        }
    }
}

fn print(rows: &[Row], format: Format) -> Result<(), serde_json::Error> {
    if format == Format::Json {
        return json_lines(rows);
    }
    let heading = [
        "scenario",
        "worlds",
        "events",
        "entries / requests",
        "links closed",
        "tokens sent",
        "in doubt",
        "close / hello / flood",
        "p50 p99 max, s",
        "alone/msg",
        "half up",
        "violations",
        "unserved",
    ];
    let cells = |row: &Row| {
        vec![
            row.scenario.to_owned(),
            row.worlds.to_string(),
            row.events.to_string(),
            format!("{} / {}", row.entries, row.requests),
            row.links_closed.to_string(),
            row.owned.to_string(),
            match row.owned {
                0 => "-".to_owned(), // local protocols have nothing to lose
                owned => format!(
                    "{} ({:.2} %)",
                    row.doubts,
                    100.0 * row.doubts as f64 / owned as f64
                ),
            },
            format!("{} / {} / {}", row.by_close, row.by_hello, row.by_flood),
            match row.doubts {
                0 => "-".to_owned(),
                _ => format!(
                    "{:.3} {:.3} {:.1}",
                    row.doubt_p50, row.doubt_p99, row.doubt_max
                ),
            },
            number(row.frames_per_message, 3),
            number(100.0 * row.half_up_share, 2) + " %",
            row.violations.to_string(),
            (row.unserved + row.open_doubts).to_string(),
        ]
    };
    say!("{}", table(&heading, rows.iter().map(cells)));
    Ok(())
}
