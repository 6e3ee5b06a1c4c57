//! The world of unreliable routing.

use super::graph::parse_delay;
use super::summary::{self, Summary};
use super::{Args, not_negative, positive, refuse, refuse_standstill, timed};
use crate::output::{Outcome, bar, number, tell};
use crate::protocol::DemandArgs;
use manet_mutex::Time;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::transport::Counters;
use manet_mutex::wire::WireMessage;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::routed::{RoutedFaults, RoutedReport, RoutedSetup, RoutedWorld};
use manet_mutex_sim::world::trace::Tracer;
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;

/// Besides `--loss`, `--partitions` and `--partition-time`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "World of routing")]
pub struct RoutedArgs {
    /// Chance that a datagram comes twice.
    #[arg(long)]
    doubles: Option<f64>,
    /// Mean time by which the second one is late; 1 if not given.
    #[arg(long)]
    late: Option<f64>,
    /// Routes that break, in the whole network per second.
    #[arg(long)]
    breaks: Option<f64>,
    /// Mean length of such a break; 5 if not given.
    #[arg(long)]
    break_time: Option<f64>,
    /// Chance that nodes are told when a route is there again; 0 if not given.
    #[arg(long)]
    hints: Option<f64>,
}

/// What there is to say about datagrams.
#[derive(Debug, Serialize)]
pub struct RoutedSummary {
    #[serde(flatten)]
    counters: Counters,
    datagrams_per_message: f64,
    unreachable: u64,
}

impl RoutedSummary {
    fn new(report: &RoutedReport) -> Self {
        let Counters {
            data,
            acks,
            probes,
            sent,
            ..
        } = report.counters;
        Self {
            counters: report.counters,
            datagrams_per_message: (data + acks + probes) as f64 / sent as f64,
            unreachable: report.unreachable,
        }
    }

    /// Lines of a table.
    pub fn rows(&self) -> Vec<(String, String)> {
        let Counters {
            sent,
            data,
            again,
            acks,
            probes,
            most,
            ..
        } = self.counters;
        let row = |name: &str, value: String| (name.to_owned(), value);
        vec![
            row("messages of the transport", sent.to_string()),
            row(
                "datagrams per message",
                number(self.datagrams_per_message, 2),
            ),
            row("data, sent again", format!("{data}, {again}")),
            row("acknowledgements, probes", format!("{acks}, {probes}")),
            row("most waiting for one peer", most.to_string()),
            row("peers reported unreachable", self.unreachable.to_string()),
        ]
    }
}

/// Runs the world of routing.
pub fn run(args: &Args) -> Outcome {
    args.radio.refuse_in_graph()?;
    args.network.refuse_in_routed()?;
    let setup = args.routed.setup(args)?;
    let (nodes, links) = (setup.graph.len(), setup.graph.links());
    let duration = setup.duration.as_secs();
    let progress = bar(duration.ceil() as u64, "simulated seconds");
    let job = Run {
        setup,
        demands: args.load.demands,
        tracer: args.tracer()?,
        progress: progress.clone(),
    };
    let options = args.options(Limiter::default())?;
    let (report, wall_s) = timed(|| registry::visit(&args.protocol, &options, job));
    progress.finish_and_clear();
    let report = report??;
    if let Err(error) = &report.trace {
        return Err(format!("cannot write the trace: {error}").into());
    }
    refuse_standstill(report.violations.first())?;
    let run = summary::Run {
        protocol: &args.protocol,
        world: "routed",
        nodes,
        links: Some(links),
        seed: args.seed,
        duration,
        violations: report.violation_count,
        unserved: report.unserved,
        events: report.events,
        wall_s,
        end: report.end,
        below: Some(summary::Below::Routed(RoutedSummary::new(&report))),
    };
    Summary::new(run, &report.meter).print(args.format)?;
    if report.is_clean() {
        return Ok(ExitCode::SUCCESS);
    }
    let what = match report.violations.first() {
        Some(violation) => violation.to_string(),
        None => format!("{} requests were not served", report.unserved),
    };
    tell!("FAILED, seed {}: {what}", args.seed);
    tell!("the same command repeats it; add --trace FILE to see every event");
    Ok(ExitCode::FAILURE)
}

struct Run {
    setup: RoutedSetup,
    demands: DemandArgs,
    tracer: Option<Tracer>,
    progress: indicatif::ProgressBar,
}

impl Visitor for Run {
    type Output = Result<RoutedReport, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage,
    {
        self.setup.workload.demands = self.demands.choose(P::demands(&config))?;
        let mut world = RoutedWorld::<P>::new(self.setup, &config)?;
        if let Some(tracer) = self.tracer {
            world = world.traced(tracer);
        }
        Ok(world.run(|now, _| self.progress.set_position(now.as_secs() as u64)))
    }
}

impl RoutedArgs {
    /// Says which of these options other worlds have no use for.
    pub fn refuse_elsewhere(&self) -> Result<(), String> {
        let given = [
            ("--doubles", self.doubles.is_some()),
            ("--late", self.late.is_some()),
            ("--breaks", self.breaks.is_some()),
            ("--break-time", self.break_time.is_some()),
            ("--hints", self.hints.is_some()),
        ];
        refuse(&given, "the world of routing: add --world routed")
    }

    fn setup(&self, args: &Args) -> Result<RoutedSetup, Box<dyn Error>> {
        let (graph, _) = args.network.build(args.nodes.unwrap_or(NODES), args.seed)?;
        let plain = RoutedSetup::new(graph, args.seed);
        let duration = args.duration.unwrap_or(plain.duration.as_secs());
        positive("--duration", duration)?;
        let delay = match &args.network.delay {
            Some(text) => parse_delay(text)?,
            None => plain.delay,
        };
        Ok(RoutedSetup {
            delay,
            workload: args.load.workload(0.1)?,
            faults: self.faults(args)?,
            duration: Time::from_secs(duration),
            ..plain
        })
    }

    fn faults(&self, args: &Args) -> Result<RoutedFaults, String> {
        let chance = |name, given: Option<f64>| match given {
            Some(p) if !(0.0..=1.0).contains(&p) => Err(format!("{name} is a chance: use 0 to 1")),
            _ => Ok(given.unwrap_or(0.0)),
        };
        let amount = |name, given: Option<f64>, base| {
            let value = given.unwrap_or(base);
            not_negative(name, value).map(|()| value)
        };
        let plan = args.faults.routed()?;
        Ok(RoutedFaults {
            loss: plan.loss,
            doubles: chance("--doubles", self.doubles)?,
            late: amount("--late", self.late, 1.0)?,
            breaks: amount("--breaks", self.breaks, 0.0)?,
            break_time: amount("--break-time", self.break_time, 5.0)?,
            hints: chance("--hints", self.hints)?,
            partitions: plan.partitions,
            partition_time: plan.partition_time,
        })
    }
}

const NODES: usize = 30;
