//! `manet-mutex-experiments response`: Attiya, Kogan, Welch, Table 1, response time.

use crate::local::{self, PROTOCOLS};
use manet_mutex::graph::Graph;
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_cli::output::{
    Format, Outcome, bar, json_lines, markdown, not_too_many, number, say,
};
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::mobility::{Mobility, Waypoint};
use manet_mutex_sim::world::topology::{Point, disk, side_for_degree};
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Report, Setup};
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;

/// Options of `response`. Times are in units of one message, which is also how long nodes
/// are inside.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which protocols.
    #[arg(long, value_delimiter = ',', default_values_t = PROTOCOLS.map(String::from))]
    protocols: Vec<String>,
    /// Runs of each case; the seeds are 1, 2, ...
    #[arg(long, default_value_t = 5)]
    runs: u64,
    /// Numbers of nodes, at four neighbours each.
    #[arg(long, value_delimiter = ',', default_values_t = [8, 16, 32, 64, 128, 256, 512, 1024])]
    nodes: Vec<usize>,
    /// Numbers of neighbours, on 64 nodes; even.
    #[arg(long, value_delimiter = ',', default_values_t = [2, 4, 6, 8, 12, 16])]
    degrees: Vec<usize>,
    /// Ranges per time unit that walking nodes make.
    #[arg(long, default_value_t = 0.02)]
    speed: f64,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// The nodes of the table by neighbours.
const NODES: usize = 64;
/// The neighbours of the table by nodes.
const DEGREE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Landscape {
    /// A ring on which everybody is joined to the nearest ones, numbered in order: the longest chains
    /// of ids there are.
    Ordered,
    /// The same numbered at random.
    Shuffled,
    /// A unit disk graph of which half the nodes walk about; the others are measured.
    Mobile,
}

impl Landscape {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Ordered, "static, ids in order"),
        (Self::Shuffled, "static, ids shuffled"),
        (Self::Mobile, "half of the nodes walk"),
    ];
}

/// What a case came to over all its runs.
#[derive(Debug, Serialize)]
struct Row {
    protocol: String,
    landscape: Landscape,
    nodes: usize,
    degree: usize,
    /// Everybody becomes hungry at the start, once: longest and mean wait.
    first: [f64; 2],
    /// Everybody is hungry again as soon as it has left: longest and mean wait of the second half.
    steady: [f64; 2],
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    for &nodes in &args.nodes {
        not_too_many(nodes, Graph::MOST_NODES)?;
    }
    local::check(&args.protocols)?;
    if let Some(odd) = args.degrees.iter().find(|&&d| d % 2 == 1 || d >= NODES) {
        return Err(format!("--degrees {odd}: use even numbers below {NODES}").into());
    }
    let by_nodes = args.nodes.iter().map(|&nodes| (nodes, DEGREE));
    let by_degree = args.degrees.iter().map(|&degree| (NODES, degree));
    let tables = [
        ("nodes", by_nodes.collect::<Vec<_>>()),
        ("neighbours", by_degree.collect()),
    ];
    let cells: usize = tables.iter().map(|(_, cases)| cases.len()).sum();
    let progress = bar((cells * args.protocols.len() * 3) as u64, "cases");
    for (by, cases) in &tables {
        let mut rows = Vec::new();
        for protocol in &args.protocols {
            for (landscape, _) in Landscape::ALL {
                for &(nodes, degree) in cases {
                    rows.push(args.row(protocol, landscape, nodes, degree)?);
                    progress.inc(1);
                }
            }
        }
        match args.format {
            Format::Json => json_lines(&rows)?,
            Format::Table => print(by, cases, &rows),
        }
    }
    progress.finish_and_clear();
    Ok(ExitCode::SUCCESS)
}

impl Args {
    fn row(
        &self,
        protocol: &str,
        landscape: Landscape,
        nodes: usize,
        degree: usize,
    ) -> Result<Row, Box<dyn Error>> {
        let (mut first, mut steady) = (Vec::new(), Vec::new());
        for seed in 1..=self.runs {
            let run = |once| -> Result<Vec<f64>, Box<dyn Error>> {
                let setup = self.setup(landscape, nodes, degree, once, seed);
                let most = local::degree(&setup.graph);
                let report = local::run(protocol, setup, most)?;
                Ok(waits(&report, landscape, once))
            };
            first.extend(run(true)?);
            steady.extend(run(false)?);
        }
        Ok(Row {
            protocol: protocol.to_owned(),
            landscape,
            nodes,
            degree,
            first: longest_and_mean(&first),
            steady: longest_and_mean(&steady),
        })
    }

    fn setup(
        &self,
        landscape: Landscape,
        nodes: usize,
        degree: usize,
        once: bool,
        seed: u64,
    ) -> Setup {
        let random = &mut Random::stream(seed, "response");
        let (graph, mobility) = match landscape {
            Landscape::Ordered => (ring(nodes, degree), Mobility::Still),
            Landscape::Shuffled => (
                local::shuffled(&ring(nodes, degree), random),
                Mobility::Still,
            ),
            Landscape::Mobile => self.field(nodes, degree, random),
        };
        let everybody = graph
            .nodes()
            .map(|node| (Time::ZERO, node, Demand::Exclusive));
        let script = if once {
            everybody.collect()
        } else {
            Vec::new()
        };
        let workload = Workload {
            think: if once { Span::Never } else { Span::Fixed(0.0) },
            script,
            ..Workload::default()
        };
        Setup {
            mobility,
            workload,
            duration: Time::from_secs(200.0 + 4.0 * nodes as f64),
            ..Setup::new(graph, seed)
        }
    }

    fn field(&self, nodes: usize, degree: usize, random: &mut Random) -> (Graph, Mobility) {
        let side = side_for_degree(nodes, degree as f64);
        let mut point = || Point {
            x: random.within(0.0, side),
            y: random.within(0.0, side),
        };
        let points: Vec<Point> = (0..nodes).map(|_| point()).collect();
        let still = (0..nodes)
            .map(NodeId::from_index)
            .filter(|&node| stays(node));
        let walk = Waypoint::new(&points, side, self.speed, 0.0, 0.5).but(still);
        (disk(&points, 1.0), Mobility::Waypoint(walk))
    }
}

/// Whether a node of a mobile network stays where it is.
const fn stays(node: NodeId) -> bool {
    node.0.is_multiple_of(2)
}

/// A ring on which everybody is joined to so many nearest nodes.
fn ring(nodes: usize, degree: usize) -> Graph {
    let mut graph = Graph::empty(nodes);
    for i in 0..nodes {
        for step in 1..=(degree / 2).min(nodes.saturating_sub(1)) {
            let peer = (i + step) % nodes;
            graph.add(NodeId::from_index(i), NodeId::from_index(peer));
        }
    }
    graph
}

/// The waits that count, in time units.
fn waits(report: &Report, landscape: Landscape, once: bool) -> Vec<f64> {
    let meter = &report.meter;
    let skip = if once { 0 } else { meter.waits.len() / 2 };
    let counts = |node: NodeId| landscape != Landscape::Mobile || stays(node);
    let waits = meter.waiters.iter().zip(&meter.waits).skip(skip);
    let counted = waits.filter(|&(&node, _)| counts(node));
    counted.map(|(_, &nanos)| nanos as f64 / 1e9).collect()
}

fn longest_and_mean(waits: &[f64]) -> [f64; 2] {
    let longest = waits.iter().copied().fold(0.0, f64::max);
    [longest, manet_mutex_sim::world::meter::mean(waits)]
}

/// [LME, Table 1].
fn claim(protocol: &str, landscape: Landscape) -> &'static str {
    match (protocol, landscape) {
        ("lme1a", Landscape::Mobile) => "O((n + δ³) δ)",
        ("lme1a", _) => "O((n + δ²) δ)",
        ("lme1b", Landscape::Mobile) => "O((log* n + δ⁴) δ)",
        ("lme1b", _) => "O((log* n + δ³) δ)",
        (_, Landscape::Mobile) => "O(n²)",
        _ => "O(n)",
    }
}

/// The exponent e of the power law c * x^e that fits best: least squares of the logarithms.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .filter(|&&(x, y)| x > 0.0 && y > 0.0)
        .map(|&(x, y)| (x.ln(), y.ln()))
        .collect();
    let count = logs.len() as f64;
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>();
    let (x, y) = (sum(&|p| p.0), sum(&|p| p.1));
    let (xx, xy) = (sum(&|p| p.0 * p.0), sum(&|p| p.0 * p.1));
    (count * xy - x * y) / (count * xx - x * x)
}

fn print(by: &str, cases: &[(usize, usize)], rows: &[Row]) {
    let size = |&(nodes, degree): &(usize, usize)| if by == "nodes" { nodes } else { degree };
    let mut heading = vec!["protocol".to_owned(), "network".into(), "wait".into()];
    heading.extend(cases.iter().map(|case| format!("{} {by}", size(case))));
    heading.extend(["exponent".to_owned(), "claimed".into()]);
    let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
    type Value = fn(&Row) -> f64;
    let kinds: [(&str, Value); 4] = [
        ("first, longest", |row| row.first[0]),
        ("first, mean", |row| row.first[1]),
        ("steady, longest", |row| row.steady[0]),
        ("steady, mean", |row| row.steady[1]),
    ];
    let mut lines = Vec::new();
    for series in rows.chunks(cases.len()) {
        let Row {
            protocol,
            landscape,
            ..
        } = &series[0];
        let named = Landscape::ALL.iter().find(|(known, _)| known == landscape);
        for (kind, value) in kinds {
            let network = named.map_or("", |(_, name)| name);
            let mut line = vec![protocol.clone(), network.to_owned(), kind.to_owned()];
            line.extend(series.iter().map(|row| number(value(row), 1)));
            let points: Vec<(f64, f64)> = cases
                .iter()
                .zip(series)
                .map(|(case, row)| (size(case) as f64, value(row)))
                .collect();
            line.push(number(exponent(&points), 2));
            line.push(claim(protocol, *landscape).to_owned());
            lines.push(line);
        }
    }
    say!("{}", markdown(&heading, lines));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponents_of_power_laws() {
        let law = |e: f64| [8.0, 16.0, 64.0, 1024.0].map(|x: f64| (x, 3.0 * x.powf(e)));
        for e in [0.0, 1.0, 2.0] {
            assert!((exponent(&law(e)) - e).abs() < 1e-9);
        }
    }

    #[test]
    fn everybody_on_a_ring_has_as_many_neighbours() {
        for degree in [2, 4, 16] {
            let graph = ring(64, degree);
            let all = graph
                .nodes()
                .all(|node| graph.neighbours(node).len() == degree);
            assert!(all && graph.is_connected());
        }
    }
}
