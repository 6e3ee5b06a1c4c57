//! `manet-mutex-experiments locality`: Attiya, Kogan, Welch, Table 1, failure locality.

use crate::local::{self, PROTOCOLS, degree, shuffled};
use manet_mutex::graph::Graph;
use manet_mutex::{NodeId, Time};
use manet_mutex_cli::output::{Format, Outcome, bar, json_lines, markdown, say};
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Doom, Setup};
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;

/// Options of `locality`. Times are in units of one message.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which protocols.
    #[arg(long, value_delimiter = ',', default_values_t = PROTOCOLS.map(String::from))]
    protocols: Vec<String>,
    /// Crashes in each case, one to a run; the seeds are 1, 2, ...
    #[arg(long, default_value_t = 200)]
    crashes: u64,
    /// Nodes of the line.
    #[arg(long, default_value_t = 32)]
    line: usize,
    /// Nodes along a side of the grid.
    #[arg(long, default_value_t = 8)]
    grid: usize,
    /// How long everybody goes on requesting after the crash.
    #[arg(long, default_value_t = 300.0)]
    window: f64,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// When a node crashes. Everybody is hungry from the start, and again as soon as it has left.
#[derive(Clone, Copy)]
enum Moment {
    /// With all its forks.
    Inside,
    /// Before it has been inside: with `lme1a` and `lme1b`, while it chooses its first colour.
    First,
}

#[derive(Debug, Serialize)]
struct Row {
    protocol: String,
    network: String,
    crash: &'static str,
    crashes: u64,
    /// For each distance how many nodes waited for ever, in all runs.
    blocked: Vec<u64>,
    farthest: usize,
    claimed: String,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    local::check(&args.protocols)?;
    let networks = [
        (format!("line of {}", args.line), Graph::path(args.line)),
        (
            format!("grid, {0} x {0}", args.grid),
            Graph::grid(args.grid, args.grid),
        ),
    ];
    let cells = args.protocols.len() * networks.len() * 2;
    let progress = bar(cells as u64 * args.crashes, "crashes");
    let mut rows = Vec::new();
    for protocol in &args.protocols {
        for (name, graph) in &networks {
            for moment in [Moment::Inside, Moment::First] {
                let mut row = Row::new(protocol, name, graph.len(), moment);
                for seed in 1..=args.crashes {
                    row.add(&args.one(protocol, graph, moment, seed)?);
                    progress.inc(1);
                }
                rows.push(row);
            }
        }
    }
    progress.finish_and_clear();
    match args.format {
        Format::Json => json_lines(&rows)?,
        Format::Table => print(&rows),
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// Crashes one node; says how far from it the nodes are that wait for ever.
    fn one(
        &self,
        protocol: &str,
        graph: &Graph,
        moment: Moment,
        seed: u64,
    ) -> Result<Vec<usize>, Box<dyn Error>> {
        let random = &mut Random::stream(seed, "locality");
        let graph = shuffled(graph, random);
        let node = NodeId::from_index(random.below(graph.len()));
        let (from, to) = match moment {
            Moment::Inside => (50.0, 100.0),
            Moment::First => (0.0, 10.0),
        };
        let doom = Doom {
            at: Time::from_secs(random.within(from, to)),
            node,
            inside: matches!(moment, Moment::Inside),
        };
        let distances = graph.distances(node);
        let setup = Setup {
            workload: Workload {
                think: Span::Fixed(0.0),
                ..Workload::default()
            },
            doomed: vec![doom],
            duration: Time::from_secs(to + self.window),
            ..Setup::new(graph.clone(), seed)
        };
        let report = local::run(protocol, setup, degree(&graph))?;
        let far = |node: &NodeId| distances[node.index()].map(|hops| hops as usize);
        Ok(report.waiting.iter().filter_map(far).collect())
    }
}

impl Row {
    fn new(protocol: &str, network: &str, nodes: usize, moment: Moment) -> Self {
        Self {
            protocol: protocol.to_owned(),
            network: network.to_owned(),
            crash: match moment {
                Moment::Inside => "inside",
                Moment::First => "before its first entry",
            },
            crashes: 0,
            blocked: Vec::new(),
            farthest: 0,
            claimed: claim(protocol, nodes),
        }
    }

    fn add(&mut self, distances: &[usize]) {
        self.crashes += 1;
        for &distance in distances {
            if self.blocked.len() <= distance {
                self.blocked.resize(distance + 1, 0);
            }
            self.blocked[distance] += 1;
            self.farthest = self.farthest.max(distance);
        }
    }
}

/// [LME, Table 1].
fn claim(protocol: &str, nodes: usize) -> String {
    match protocol {
        "lme1a" => format!("n = {nodes}"),
        "lme1b" => "max(log* n, 4) + 2 = 6".to_owned(),
        _ => "2".to_owned(),
    }
}

fn print(rows: &[Row]) {
    let heading = [
        "protocol",
        "network",
        "crash",
        "crashes",
        "blocked for each crash at distance 1, 2, ...",
        "farthest",
        "claimed",
    ];
    let cells = |row: &Row| {
        let each = |&count: &u64| format!("{:.2}", count as f64 / row.crashes as f64);
        let blocked: Vec<String> = row.blocked.iter().skip(1).map(each).collect();
        vec![
            row.protocol.clone(),
            row.network.clone(),
            row.crash.to_owned(),
            row.crashes.to_string(),
            blocked.join(", "),
            row.farthest.to_string(),
            row.claimed.clone(),
        ]
    };
    say!("{}", markdown(&heading, rows.iter().map(cells)).trim_end());
}
