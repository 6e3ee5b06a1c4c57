//! `manet-mutex-experiments concurrency`.

use crate::runs::mean_and_interval;
use manet_mutex::Time;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Groups;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex_cli::output::{Format, Outcome, bar, estimate, json_lines, say, table, tell};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::random::Random;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::mobility::{Mobility, Waypoint};
use manet_mutex_sim::world::topology::{connected_disk, side_for_degree};
use manet_mutex_sim::world::workload::{Demands, Span, Workload};
use manet_mutex_sim::world::{Report, Setup, World};
use serde::Serialize;
use std::error::Error;
use std::num::NonZeroU32;
use std::process::ExitCode;

/// Options of `concurrency`. Times are in units of about one message.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Nodes of the tables by groups and units.
    #[arg(long, default_value_t = 30)]
    nodes: usize,
    /// Runs of each case; the seeds are 1, 2, ...
    #[arg(long, default_value_t = 10)]
    runs: u64,
    /// How long applications request.
    #[arg(long, default_value_t = 2000.0)]
    duration: f64,
    /// Mean time between leaving and the next request.
    #[arg(long, default_value_t = 10.0)]
    think: f64,
    /// Time inside.
    #[arg(long, default_value_t = 10.0)]
    stay: f64,
    /// Nodes walk about, at this many radio ranges per time unit.
    #[arg(long)]
    speed: Option<f64>,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// A protocol with its options and what is asked of it.
struct Case {
    name: String,
    protocol: &'static str,
    options: Options,
    demands: Demands,
    nodes: usize,
}

/// Means over the runs of a case, each with half of its 95 % confidence interval.
#[derive(Debug, Serialize)]
struct Row {
    case: String,
    nodes: usize,
    inside: [f64; 2],
    inside_most: u32,
    entries_per_time: [f64; 2],
    wait: [f64; 2],
    messages_per_entry: [f64; 2],
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let cases = cases(args);
    let progress = bar(cases.len() as u64 * args.runs, "runs");
    let mut rows = Vec::new();
    for case in cases {
        let mut reports = Vec::new();
        for seed in 1..=args.runs {
            let report = args.one(&case, seed)?;
            progress.inc(1);
            if !report.is_clean() {
                let what = report.violations.first().map(ToString::to_string);
                let what = what.unwrap_or(format!("{} unserved", report.unserved));
                tell!("FAILED, {}, seed {seed}: {what}", case.name);
                return Ok(ExitCode::FAILURE);
            }
            reports.push(report);
        }
        rows.push(Row::new(case, &reports));
    }
    progress.finish_and_clear();
    match args.format {
        Format::Json => json_lines(&rows)?,
        Format::Table => print(&rows),
    }
    Ok(ExitCode::SUCCESS)
}

fn cases(args: &Args) -> Vec<Case> {
    let case = |name: String, protocol, nodes, demands, options| Case {
        name,
        protocol,
        options,
        demands,
        nodes,
    };
    let gme = |groups: u32, nodes| {
        let options = Options {
            groups: Groups::new(groups).unwrap_or_default(),
            ..Options::default()
        };
        let name = format!("gme, {groups} groups");
        case(name, "gme", nodes, Demands::Groups(groups), options)
    };
    let hk = |k: u32, most: u32, nodes| {
        let options = Options {
            k: NonZeroU32::new(k).unwrap_or(NonZeroU32::MIN),
            ..Options::default()
        };
        let name = format!("hk, k = {k}, h = 1 to {most}");
        let priorities = 4;
        case(
            name,
            "hk",
            nodes,
            Demands::Units { most, priorities },
            options,
        )
    };
    let rl = |nodes| {
        let name = "rl".to_owned();
        case(name, "rl", nodes, Demands::Exclusive, Options::default())
    };
    let n = args.nodes;
    let mut cases = vec![rl(n)];
    cases.extend([1, 2, 4, 8].map(|groups| gme(groups, n)));
    cases.extend([1, 2, 4, 8].map(|k| hk(k, 1, n)));
    cases.extend([2, 4, 8].map(|k| hk(k, k, n)));
    for nodes in [5, 10, 20, 40, 80] {
        cases.extend([rl(nodes), gme(1, nodes)]);
    }
    cases
}

impl Args {
    fn one(&self, case: &Case, seed: u64) -> Result<Report, Box<dyn Error>> {
        let degree = 8.0_f64.min(case.nodes as f64 - 1.0);
        let random = &mut Random::stream(seed, "topology");
        let (points, graph) = connected_disk(case.nodes, degree, random)?;
        let mobility = match self.speed {
            Some(speed) => {
                let side = side_for_degree(case.nodes, degree);
                Mobility::Waypoint(Waypoint::new(&points, side, speed, 0.0, 0.5))
            }
            None => Mobility::Still,
        };
        let workload = Workload {
            think: Span::Exponential(self.think),
            stay: Span::Fixed(self.stay),
            demands: case.demands,
            script: Vec::new(),
        };
        let setup = Setup {
            mobility,
            workload,
            duration: Time::from_secs(self.duration),
            ..Setup::new(graph, seed)
        };
        let options = Options {
            limiter: Limiter {
                seed,
                ..Limiter::UNITS
            },
            ..case.options.clone()
        };
        registry::visit(case.protocol, &options, Run(setup))?
    }
}

struct Run(Setup);

impl Visitor for Run {
    type Output = Result<Report, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output {
        Ok(World::<P>::new(self.0, &config)?.run())
    }
}

impl Row {
    fn new(case: Case, reports: &[Report]) -> Self {
        let over = |value: &dyn Fn(&Report) -> f64| mean_and_interval(reports.iter().map(value));
        let most = reports.iter().map(|report| report.meter.inside_most);
        Self {
            case: case.name,
            nodes: case.nodes,
            inside: over(&|report| report.meter.mean_inside(report.end)),
            inside_most: most.max().unwrap_or(0),
            entries_per_time: over(&|r| r.meter.entries() as f64 / r.end.as_secs()),
            wait: over(&|report| report.meter.wait().mean),
            messages_per_entry: over(&|report| report.meter.messages_per_entry()),
        }
    }
}

fn print(rows: &[Row]) {
    let heading = [
        "protocol",
        "nodes",
        "inside, mean",
        "most",
        "entries / time unit",
        "wait",
        "messages / entry",
    ];
    let cells = |row: &Row| {
        let with = |[value, half]: [f64; 2], digits| estimate(value, half, digits);
        vec![
            row.case.clone(),
            row.nodes.to_string(),
            with(row.inside, 3),
            row.inside_most.to_string(),
            with(row.entries_per_time, 4),
            with(row.wait, 1),
            with(row.messages_per_entry, 2),
        ]
    };
    say!("{}", table(&heading, rows.iter().map(cells)));
}
