//! `manet-mutex-experiments sessions`.

use crate::runs::mean_and_interval;
use indicatif::ProgressBar;
use manet_mutex::demand::Demands;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Groups;
use manet_mutex::protocol::routed::dgme::{self, Dgme};
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_cli::output::{
    Format, Outcome, bar, estimate, json_lines, not_too_many, say, table,
};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Report, Setup, World};
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;

/// Options of `sessions`. A message between any two nodes takes one time unit.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Runs of each case; the seeds are 1, 2, ...
    #[arg(long, default_value_t = 10)]
    runs: u64,
    /// How long applications request.
    #[arg(long, default_value_t = 5000.0)]
    duration: f64,
    /// Processes of the table by sessions.
    #[arg(long, default_value_t = 64)]
    nodes: usize,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Means over the runs of a case, each with half of its 95 % confidence interval.
#[derive(Debug, Serialize)]
struct Row {
    protocol: &'static str,
    nodes: usize,
    sessions: Option<u32>,
    /// Mean time between leaving and the next request.
    think: f64,
    messages_per_entry: [f64; 2],
    /// Requests for the token for each time that it moves.
    requests_per_token: [f64; 2],
    inside: f64,
}

/// From the last exit to the next entry, in message times.
#[derive(Debug, Serialize)]
struct Handover {
    protocol: &'static str,
    delay: f64,
}

/// Everybody is joined to everybody.
const MOST_NODES: usize = 4096;

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    not_too_many(args.nodes, MOST_NODES)?;
    let handovers = handovers()?;
    let progress = bar(
        args.runs * 2 * (MOST_SESSIONS.len() + 2 * NODES.len()) as u64,
        "runs",
    );
    let mut rows = Vec::new();
    for think in THINK {
        for sessions in MOST_SESSIONS {
            let config = dgme::Config {
                groups: Groups::new(sessions)?,
                ..dgme::Config::default()
            };
            let row = args.row::<Dgme>(args.nodes, think, &config, &progress)?;
            rows.push(Row {
                sessions: Some(sessions),
                ..row
            });
        }
        for nodes in NODES {
            rows.push(args.row::<NaimiTrehel>(nodes, think, &(), &progress)?);
        }
        for nodes in NODES {
            rows.push(args.row::<Raymond>(nodes, think, &(), &progress)?);
        }
    }
    progress.finish_and_clear();
    match args.format {
        Format::Json => {
            json_lines(&handovers)?;
            json_lines(&rows)?;
        }
        Format::Table => print(&handovers, &rows),
    }
    Ok(ExitCode::SUCCESS)
}

const MOST_SESSIONS: [u32; 5] = [2, 4, 8, 16, 32];
const NODES: [usize; 6] = [2, 4, 8, 16, 32, 64];
/// Everybody asks again at once, or the token mostly rests.
const THINK: [f64; 2] = [0.0, 1000.0];

impl Args {
    fn row<P: Population + Invariants>(
        &self,
        nodes: usize,
        think: f64,
        config: &P::Config,
        progress: &ProgressBar,
    ) -> Result<Row, Box<dyn Error>> {
        let mut reports = Vec::new();
        for seed in 1..=self.runs {
            let workload = Workload {
                think: Span::Exponential(think),
                stay: Span::Fixed(1.0),
                demands: P::demands(config),
                script: Vec::new(),
            };
            let duration = Time::from_secs(self.duration * if think > 0.0 { 10.0 } else { 1.0 });
            let setup = Setup {
                workload,
                duration,
                ..Setup::new(Graph::complete(nodes), seed)
            };
            reports.push(one::<P>(setup, config)?);
            progress.inc(1);
        }
        let over = |value: &dyn Fn(&Report) -> f64| mean_and_interval(reports.iter().map(value));
        let asked = |report: &Report| {
            let kinds = report.meter.messages_by_kind();
            let count =
                |names: [&str; 2]| names.iter().filter_map(|name| kinds.get(name)).sum::<u64>();
            let tokens = count(["TOKEN", "Token"]) + kinds.get("Privilege").unwrap_or(&0);
            count(["REQ", "Request"]) as f64 / tokens as f64
        };
        Ok(Row {
            protocol: P::NAME,
            nodes,
            sessions: None,
            think,
            messages_per_entry: over(&|report| report.meter.messages_per_entry()),
            requests_per_token: over(&asked),
            inside: over(&|report| report.meter.mean_inside(report.end))[0],
        })
    }
}

/// Machines that were made without a network: any two are one hop apart.
fn one<P: Population + Invariants>(
    setup: Setup,
    config: &P::Config,
) -> Result<Report, Box<dyn Error>> {
    let machines = P::apart(setup.graph.len(), config)?;
    let seed = setup.seed;
    let report = World::of(machines, P::promise(config), setup).run();
    if report.is_clean() {
        return Ok(report);
    }
    Err(format!("{}, seed {seed}: {:?}", P::NAME, report.violations).into())
}

fn handovers() -> Result<Vec<Handover>, Box<dyn Error>> {
    let config = dgme::Config {
        groups: Groups::new(2)?,
        ..dgme::Config::default()
    };
    Ok(vec![
        handover::<Dgme>(&config)?,
        handover::<NaimiTrehel>(&())?,
        handover::<Raymond>(&())?,
    ])
}

/// Node 2 is inside when node 3 asks for something else; neither is home to a session.
fn handover<P: Population + Invariants>(config: &P::Config) -> Result<Handover, Box<dyn Error>> {
    let demand = |group| match P::demands(config) {
        Demands::Groups(_) => Demand::Group(group),
        _ => Demand::Exclusive,
    };
    let (asks, stays) = (10.0, 100.0);
    let script = vec![
        (Time::ZERO, NodeId(2), demand(0)),
        (Time::from_secs(asks), NodeId(3), demand(1)),
    ];
    let workload = Workload {
        think: Span::Never,
        stay: Span::Fixed(stays),
        demands: P::demands(config),
        script,
    };
    let setup = Setup {
        workload,
        ..Setup::new(Graph::complete(4), 1)
    };
    let report = one::<P>(setup, config)?;
    let seconds = |nanos: Option<&u64>| Time(nanos.copied().unwrap_or_default()).as_secs();
    let left = seconds(report.meter.waits.first()) + stays;
    let entered = asks + seconds(report.meter.waits.get(1));
    Ok(Handover {
        protocol: P::NAME,
        delay: entered - left,
    })
}

fn print(handovers: &[Handover], rows: &[Row]) {
    let cells = |handover: &Handover| {
        let delay = format!("{:.1}", handover.delay);
        vec![handover.protocol.to_owned(), delay]
    };
    let heading = ["protocol", "exit to next entry, message times"];
    say!("{}", table(&heading, handovers.iter().map(cells)));
    let heading = [
        "protocol",
        "nodes",
        "sessions",
        "think",
        "messages / entry",
        "requests / token",
        "inside, mean",
    ];
    let cells = |row: &Row| {
        let with = |[value, half]: [f64; 2]| estimate(value, half, 2);
        vec![
            row.protocol.to_owned(),
            row.nodes.to_string(),
            row.sessions
                .map_or("-".to_owned(), |count| count.to_string()),
            row.think.to_string(),
            with(row.messages_per_entry),
            with(row.requests_per_token),
            format!("{:.2}", row.inside),
        ]
    };
    say!("{}", table(&heading, rows.iter().map(cells)));
}
