//! The simulations of Walter, Welch, Vaidya, section 6: Reverse Link (RL) against Raymond's
//! algorithm with ideal routing (RR) on 30 nodes.

use crate::runs::mean_and_interval;
use manet_mutex::Time;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::rl::{Config, Rl};
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex_cli::output::{Format, Outcome, bar, estimate, json_lines, say, table};
use manet_mutex_sim::check::Promise;
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::mobility::{LinkChanges, Mobility};
use manet_mutex_sim::world::topology::{TopologyError, random_connected};
use manet_mutex_sim::world::workload::{Demands, Span, Workload};
use manet_mutex_sim::world::{Report, Setup, World};
use serde::Serialize;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const NODES: usize = 30;
/// Measured and printed values agree if they differ by no more than this share of the printed one,
/// or by no more than rounding explains.
const TOLERANCE: f64 = 0.1;

/// Options of `paper-rl`. The defaults are the literal reading of the paper.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Repetitions of each cell.
    #[arg(long, default_value_t = 6)]
    repetitions: u64,
    /// Seed of the first repetition.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Length of a run in time units, from a cold start; by default long enough for about 2000
    /// entries, since the paper gives none.
    #[arg(long)]
    length: Option<f64>,
    /// The link formed at a change is drawn among all pairs, so that it may exist already.
    #[arg(long)]
    may_exist: bool,
    /// A link may fail while it carries messages; those are then given back to their senders.
    #[arg(long)]
    may_carry: bool,
    /// The change rate is one of each node, not of the network.
    #[arg(long)]
    rate_per_node: bool,
    /// Also run the sweeps of figures 5 to 8 and write them to this folder, as CSV.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// How to print the cells.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// One point of the paper's experiments.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cell {
    algorithm: Algorithm,
    /// Requests per time unit of an idle node.
    load: f64,
    /// Links in percent of all pairs.
    connectivity: u32,
    mobility: Speed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Algorithm {
    Rl,
    Rr,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Zero,
    Low,
    High,
}

/// What came of a cell.
#[derive(Debug, Serialize)]
struct Row {
    algorithm: Algorithm,
    load: f64,
    connectivity: u32,
    mobility: Speed,
    time: f64,
    time_ci: f64,
    messages: f64,
    messages_ci: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    paper_messages: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_agrees: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages_agree: Option<bool>,
}

/// Tables 1 and 2 of the paper: for each mobility the values at 20 % and 80 % connectivity.
const TABLES: [(Algorithm, f64, [f64; 6], [f64; 6]); 4] = [
    (
        Algorithm::Rr,
        1.0,
        [185., 107., 185., 140., 294., 290.],
        [13., 6., 11., 7., 30., 20.],
    ),
    (
        Algorithm::Rl,
        1.0,
        [75., 75., 63., 63., 49., 49.],
        [10., 27., 24., 25., 109., 109.],
    ),
    (
        Algorithm::Rr,
        0.001,
        [17., 8., 39., 25., 60., 35.],
        [27., 13., 35., 20., 60., 50.],
    ),
    (
        Algorithm::Rl,
        0.001,
        [7., 4., 5., 5., 6., 7.],
        [13., 17., 189., 180., 1900., 1825.],
    ),
];

const SPEEDS: [Speed; 3] = [Speed::Zero, Speed::Low, Speed::High];

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if args.repetitions == 0 {
        return Err("--repetitions 0: use at least 1 (the paper has 6)".into());
    }
    if args
        .length
        .is_some_and(|length| !(length.is_finite() && length > 0.0))
    {
        return Err("--length: use a number of time units above 0".into());
    }
    let cells: Vec<Cell> = table_cells().collect();
    let rows = args.measure(&cells)?;
    match args.format {
        Format::Json => json_lines(&rows)?,
        Format::Table => print_tables(&rows),
    }
    if let Some(folder) = &args.figures {
        args.write_figures(folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table_cells() -> impl Iterator<Item = Cell> {
    TABLES.iter().flat_map(|&(algorithm, load, _, _)| {
        SPEEDS.iter().flat_map(move |&mobility| {
            [20, 80].map(|connectivity| Cell {
                algorithm,
                load,
                connectivity,
                mobility,
            })
        })
    })
}

impl Args {
    /// Runs all repetitions of all cells on all cores; any broken promise is an error.
    fn measure(&self, cells: &[Cell]) -> Result<Vec<Row>, Box<dyn Error>> {
        let repetitions = self.repetitions as usize;
        let jobs = cells.len() * repetitions;
        let next = AtomicUsize::new(0);
        let results = Mutex::new(vec![None; jobs]);
        let progress = bar(jobs as u64, "runs");
        let work = || {
            loop {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= jobs {
                    return;
                }
                let seed = self.seed + (job % repetitions) as u64;
                let result = self.one(cells[job / repetitions], seed);
                progress.inc(1);
                let mut all = results
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                all[job] = Some(result);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        progress.finish_and_clear();
        let results = results
            .into_inner()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let results: Vec<(f64, f64)> = results
            .into_iter()
            .map(|result| result.unwrap_or_else(|| Err("a run did not finish".into())))
            .collect::<Result<_, String>>()?;
        let rows = cells.iter().zip(results.chunks_exact(repetitions));
        Ok(rows.map(|(&cell, runs)| Row::new(cell, runs)).collect())
    }

    /// Mean wait and messages per entry of one run.
    fn one(&self, cell: Cell, seed: u64) -> Result<(f64, f64), String> {
        let report = self
            .simulate(cell, seed)
            .map_err(|error| error.to_string())?;
        if let Some(violation) = report.violations.first() {
            return Err(format!("{cell:?}, seed {seed}: {violation}"));
        }
        if report.meter.entries() == 0 {
            return Err(format!("{cell:?}: nobody entered; use a larger --length"));
        }
        Ok((report.meter.wait().mean, report.meter.messages_per_entry()))
    }

    fn simulate(&self, cell: Cell, seed: u64) -> Result<Report, Box<dyn Error>> {
        let random = &mut Random::stream(seed, "graph");
        let graph = cell.graph(random)?;
        let setup = |graph| self.setup(cell, graph, seed);
        Ok(match cell.algorithm {
            Algorithm::Rl => World::<Rl>::new(setup(graph), &Config::paper())?.run(),
            Algorithm::Rr => {
                // The tree is of one graph, the routes are those of another [RL 6].
                let nodes: Result<Vec<Raymond>, PopulationError> = Raymond::settled(&graph, &());
                let promise: Promise = Raymond::promise(&());
                World::of(nodes?, promise, setup(cell.graph(random)?)).run()
            }
        })
    }

    fn setup(&self, cell: Cell, graph: Graph, seed: u64) -> Setup {
        let per = if self.rate_per_node {
            NODES as f64
        } else {
            1.0
        };
        let changes = |rate| {
            let (may_exist, may_carry) = (self.may_exist, self.may_carry);
            Mobility::LinkChanges(LinkChanges {
                rate: rate * per,
                may_exist,
                may_carry,
            })
        };
        let length = self.length.unwrap_or_else(|| cell.length());
        Setup {
            mobility: match cell.mobility {
                Speed::Zero => Mobility::Still,
                Speed::Low => changes(0.01),
                Speed::High => changes(0.1),
            },
            workload: Workload {
                think: Span::Exponential(1.0 / cell.load),
                stay: Span::Fixed(1.0),
                demands: Demands::Exclusive,
                script: Vec::new(),
            },
            duration: Time::from_secs(length),
            grace: Time::ZERO, // what is pending at the end is not measured
            ..Setup::new(graph, seed)
        }
    }

    /// Figures 5 and 7 sweep the load, 6 and 8 the connectivity.
    fn write_figures(&self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let both = [Algorithm::Rl, Algorithm::Rr];
        let each = |loads: &[f64], connectivities: &[u32]| {
            let mut cells = Vec::new();
            for mobility in SPEEDS {
                for algorithm in both {
                    for &load in loads {
                        for &connectivity in connectivities {
                            cells.push(Cell {
                                algorithm,
                                load,
                                connectivity,
                                mobility,
                            });
                        }
                    }
                }
            }
            cells
        };
        let by_load = self.measure(&each(&[1e-4, 1e-3, 1e-2, 1e-1, 1.0], &[20, 80]))?;
        let tens: Vec<u32> = (1..=10).map(|ten| 10 * ten).collect();
        let by_connectivity = self.measure(&each(&[1e-3, 1.0], &tens))?;
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        for (figure, rows, time) in [
            (5, &by_load, true),
            (6, &by_connectivity, true),
            (7, &by_load, false),
            (8, &by_connectivity, false),
        ] {
            let file = folder.join(format!("rl-figure{figure}.csv"));
            std::fs::write(&file, csv(rows, time))
                .map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        }
        Ok(())
    }
}

impl Cell {
    fn graph(&self, random: &mut Random) -> Result<Graph, TopologyError> {
        let pairs = NODES * (NODES - 1) / 2;
        let links = pairs * self.connectivity as usize / 100;
        random_connected(NODES, links, random)
    }

    /// Time for about 2000 entries: the 30 nodes cannot enter more often than every other unit.
    fn length(&self) -> f64 {
        const ENTRIES: f64 = 2000.0;
        ENTRIES * (1.0 / (NODES as f64 * self.load)).max(2.5)
    }

    /// What the paper's tables say about it.
    fn printed(&self) -> Option<(f64, f64)> {
        let (_, _, time, messages) = TABLES
            .iter()
            .find(|row| row.0 == self.algorithm && row.1.total_cmp(&self.load).is_eq())?;
        let speed = SPEEDS.iter().position(|&speed| speed == self.mobility)?;
        let side = [20, 80]
            .iter()
            .position(|&percent| percent == self.connectivity)?;
        let column = 2 * speed + side;
        Some((time[column], messages[column]))
    }
}

impl Row {
    fn new(cell: Cell, runs: &[(f64, f64)]) -> Self {
        let [time, time_ci] = mean_and_interval(runs.iter().map(|run| run.0));
        let [messages, messages_ci] = mean_and_interval(runs.iter().map(|run| run.1));
        let printed = cell.printed();
        let agrees = |measured: f64, printed: f64| {
            (measured - printed).abs() <= (TOLERANCE * printed).max(0.5)
        };
        Self {
            algorithm: cell.algorithm,
            load: cell.load,
            connectivity: cell.connectivity,
            mobility: cell.mobility,
            time,
            time_ci,
            messages,
            messages_ci,
            paper_time: printed.map(|p| p.0),
            paper_messages: printed.map(|p| p.1),
            time_agrees: printed.map(|p| agrees(time, p.0)),
            messages_agree: printed.map(|p| agrees(messages, p.1)),
        }
    }
}

fn csv(rows: &[Row], time: bool) -> String {
    let what = if time { "time" } else { "messages" };
    let mut text = format!("mobility,algorithm,load,connectivity,{what},{what}_ci\n");
    for row in rows {
        let (value, ci) = if time {
            (row.time, row.time_ci)
        } else {
            (row.messages, row.messages_ci)
        };
        let (mobility, algorithm) = (row.mobility.name(), row.algorithm.name());
        let (load, connectivity) = (row.load, row.connectivity);
        let _ = writeln!(
            text,
            "{mobility},{algorithm},{load},{connectivity},{value:.4},{ci:.4}"
        );
    }
    text
}

impl Speed {
    const fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Low => "low",
            Self::High => "high",
        }
    }
}

impl Algorithm {
    const fn name(self) -> &'static str {
        match self {
            Self::Rl => "rl",
            Self::Rr => "rr",
        }
    }
}

fn print_tables(rows: &[Row]) {
    let line = |row: &Row| {
        let verdict = |agrees: Option<bool>| match agrees {
            Some(true) => "agrees",
            Some(false) => "differs",
            None => "",
        };
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        vec![
            row.algorithm.name().to_owned(),
            if row.load < 0.1 { "low" } else { "high" }.to_owned(),
            row.mobility.name().to_owned(),
            format!("{} %", row.connectivity),
            estimate(row.time, row.time_ci, 1),
            number(row.paper_time),
            verdict(row.time_agrees).to_owned(),
            estimate(row.messages, row.messages_ci, 1),
            number(row.paper_messages),
            verdict(row.messages_agree).to_owned(),
        ]
    };
    let heading = [
        "",
        "load",
        "mobility",
        "links",
        "time per entry",
        "paper",
        "",
        "messages per entry",
        "paper",
        "",
    ];
    say!("{}", table(&heading, rows.iter().map(line)));
    let count = |agrees: fn(&Row) -> Option<bool>| {
        rows.iter().filter(|row| agrees(row) == Some(true)).count()
    };
    say!(
        "Within {:.0} % of the printed value: {} of {} times, {} of {} message counts.",
        TOLERANCE * 100.0,
        count(|row| row.time_agrees),
        rows.len(),
        count(|row| row.messages_agree),
        rows.len()
    );
}
