//! `manet-mutex sim`.

use crate::failure::Failure;
use crate::output::{Format, Outcome, bar, resident_bytes, table};
use manet_mutex::Time;
use manet_mutex::check::{Monitor, Violation};
use manet_mutex::graph::Graph;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::rl::Residual;
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex::scenario::Terms;
use manet_mutex::time::span;
use manet_mutex::world::delay::Delay;
use manet_mutex::world::faults::FaultPlan;
use manet_mutex::world::mobility::{LinkChanges, Mobility, Waypoint};
use manet_mutex::world::random::Random;
use manet_mutex::world::topology::{connected_disk, random_connected, side_for_degree};
use manet_mutex::world::trace::Tracer;
use manet_mutex::world::workload::{Demands, Span, Workload};
use manet_mutex::world::{Report, Setup, World};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

/// Options of `sim`. Times are in time units (a message takes one by default).
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// The protocol.
    #[arg(long, default_value = "rl")]
    protocol: String,
    /// Number of nodes.
    #[arg(long, default_value_t = 30)]
    nodes: usize,
    /// How long applications request (and faults happen); then all pending must be served.
    #[arg(long, default_value_t = 1000.0)]
    duration: f64,
    /// Where all randomness comes from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write every event to this file, as JSON lines.
    #[arg(long)]
    trace: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    faults: FaultArgs,
    #[command(flatten)]
    rl: RlArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Network")]
struct NetworkArgs {
    /// Start links: path:N, ring:N, complete:N, star:N or 0-1,1-2,...; sets the number of nodes.
    #[arg(long)]
    topology: Option<String>,
    /// Mean number of neighbours of the random start graph.
    #[arg(long, default_value_t = 8.0)]
    degree: f64,
    /// Number of links of the random start graph, instead of the degree.
    #[arg(long)]
    links: Option<usize>,
    /// How links come and go.
    #[arg(long, value_enum, default_value = "still")]
    mobility: MobilityKind,
    /// Link changes per time unit, with `--mobility links`.
    #[arg(long, default_value_t = 0.01)]
    rate: f64,
    /// Speed in radio ranges per time unit, with `--mobility waypoint`.
    #[arg(long, default_value_t = 0.02)]
    speed: f64,
    /// Pause at each waypoint.
    #[arg(long, default_value_t = 0.0)]
    pause: f64,
    /// Delay of a message over a link: a number, uniform:LOW,HIGH or exp:MEAN.
    #[arg(long, default_value = "1")]
    delay: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum MobilityKind {
    /// They stay (random graph).
    Still,
    /// They stay (random points on a plane, unit disk).
    Disk,
    /// Random links are replaced (random graph).
    Links,
    /// Nodes walk about (unit disk).
    Waypoint,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Load")]
struct LoadArgs {
    /// Mean think time of the Poisson requests.
    #[arg(long, default_value_t = 10.0)]
    think: f64,
    /// Request again after exactly the think time (closed loop).
    #[arg(long)]
    closed_loop: bool,
    /// Time inside.
    #[arg(long, default_value_t = 1.0)]
    stay: f64,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Faults")]
struct FaultArgs {
    /// Switch every fault on that is not given (crashes aside).
    #[arg(long)]
    all_faults: bool,
    /// Chance that messages under way in one direction are lost when a link fails.
    #[arg(long)]
    loss: Option<f64>,
    /// Chance that an end does not know what became of its token when a link closes.
    #[arg(long)]
    doubt: Option<f64>,
    /// Mean time to resolve a doubt.
    #[arg(long)]
    resolve: Option<f64>,
    /// Mean time after which an end learns of its link's failure or formation.
    #[arg(long)]
    skew: Option<f64>,
    /// Links that fail for a moment, per time unit.
    #[arg(long)]
    flaps: Option<f64>,
    /// Partitions per time unit.
    #[arg(long)]
    partitions: Option<f64>,
    /// Mean length of a partition.
    #[arg(long)]
    partition_time: Option<f64>,
    /// Nodes that crash (never the owner of the token).
    #[arg(long, default_value_t = 0)]
    crashes: u32,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reverse Link")]
struct RlArgs {
    /// Raises in a row before a node without lower neighbours waits.
    #[arg(long, default_value_t = Limiter::UNITS.burst.unwrap_or(0))]
    burst: u16,
    /// Time between raises after that.
    #[arg(long, default_value_t = Limiter::UNITS.retry.as_secs_f64())]
    retry: f64,
    /// Ask for the token back in a message of its own, as the paper does.
    #[arg(long)]
    paper_messages: bool,
}

#[derive(Debug, Serialize)]
struct Summary {
    protocol: String,
    nodes: usize,
    links: usize,
    seed: u64,
    duration: f64,
    requests: u64,
    entries: u64,
    wait_mean: f64,
    wait_ci: f64,
    wait_p50: f64,
    wait_p95: f64,
    wait_p99: f64,
    messages: u64,
    messages_per_entry: f64,
    messages_by_kind: BTreeMap<&'static str, u64>,
    fairness: f64,
    link_changes: u64,
    doubts: u64,
    violations: u64,
    unserved: u64,
    events: u64,
    wall_s: f64,
    events_per_s: f64,
    rss_bytes: u64,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let setup = args.setup()?;
    let graph = setup.graph.clone();
    let tracer = args.tracer()?;
    let progress = bar(args.duration.ceil() as u64, "time units");
    let job = Run {
        setup,
        tracer,
        progress: progress.clone(),
    };
    let (report, wall_s) = timed(|| registry::visit(&args.protocol, &args.options(), job));
    progress.finish_and_clear();
    let report = report??;
    if let Err(error) = &report.trace {
        return Err(format!("cannot write the trace: {error}").into());
    }
    let summary = args.summary(&report, &graph, wall_s);
    match args.format {
        Format::Json => println!("{}", serde_json::to_string(&summary)?),
        Format::Table => print_table(&summary),
    }
    if report.is_clean() {
        return Ok(ExitCode::SUCCESS);
    }
    args.explain(report.violations.first(), report.unserved, graph)?;
    Ok(ExitCode::FAILURE)
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long a command takes is measured outside"
)]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

struct Run {
    setup: Setup,
    tracer: Option<Tracer>,
    progress: indicatif::ProgressBar,
}

impl Visitor for Run {
    type Output = Result<Report, PopulationError>;

    fn visit<P: Population + Monitor + Terms>(self, config: P::Config) -> Self::Output {
        let mut world = World::<P>::new(self.setup, &config)?;
        if let Some(tracer) = self.tracer {
            world = world.traced(tracer);
        }
        Ok(world.run_watched(|now, _| self.progress.set_position(now.as_secs() as u64)))
    }
}

impl Args {
    fn setup(&self) -> Result<Setup, Box<dyn Error>> {
        positive("--duration", self.duration)?;
        let (graph, mobility) = self.network.build(self.nodes, self.seed)?;
        Ok(Setup {
            mobility,
            delay: parse_delay(&self.network.delay)?,
            workload: self.load.workload()?,
            faults: self.faults.plan()?,
            duration: Time::from_secs(self.duration),
            ..Setup::new(graph, self.seed)
        })
    }

    fn options(&self) -> Options {
        let residual = if self.rl.paper_messages {
            Residual::OwnMessage
        } else {
            Residual::InToken
        };
        let limiter = Limiter {
            burst: Some(self.rl.burst),
            retry: span(self.rl.retry),
            seed: self.seed,
            ..Limiter::UNITS
        };
        Options {
            limiter,
            residual,
            as_printed: None,
        }
    }

    fn tracer(&self) -> Result<Option<Tracer>, String> {
        let Some(path) = &self.trace else {
            return Ok(None);
        };
        let file = File::create(path)
            .map_err(|error| format!("cannot write the trace to {}: {error}", path.display()))?;
        Ok(Some(Tracer::new(Box::new(BufWriter::new(file)))))
    }

    fn summary(&self, report: &Report, graph: &Graph, wall_s: f64) -> Summary {
        let meter = &report.meter;
        let wait = meter.wait();
        Summary {
            protocol: self.protocol.clone(),
            nodes: graph.len(),
            links: graph.links(),
            seed: self.seed,
            duration: self.duration,
            requests: meter.requests,
            entries: meter.entries(),
            wait_mean: wait.mean,
            wait_ci: wait.ci,
            wait_p50: wait.p50,
            wait_p95: wait.p95,
            wait_p99: wait.p99,
            messages: meter.messages(),
            messages_per_entry: meter.messages_per_entry(),
            messages_by_kind: meter.messages_by_kind(),
            fairness: meter.fairness(),
            link_changes: meter.link_changes,
            doubts: meter.doubts,
            violations: report.violation_count,
            unserved: report.unserved,
            events: report.events,
            wall_s,
            events_per_s: report.events as f64 / wall_s,
            rss_bytes: resident_bytes(),
        }
    }

    /// Runs once more with all steps recorded, and shows the shortest trace that fails.
    fn explain(
        &self,
        violation: Option<&Violation>,
        unserved: u64,
        graph: Graph,
    ) -> Result<(), Box<dyn Error>> {
        let setup = Setup {
            record: true,
            ..self.setup()?
        };
        let progress = indicatif::ProgressBar::hidden();
        let job = Run {
            setup,
            tracer: None,
            progress,
        };
        let report = registry::visit(&self.protocol, &self.options(), job)??;
        let what = match violation {
            Some(violation) => violation.to_string(),
            None => format!("{unserved} requests were not served"),
        };
        let (protocol, seed, options) = (&*self.protocol, self.seed, self.options());
        Failure {
            protocol,
            seed,
            graph,
            options,
            steps: report.steps,
            what,
        }
        .explain()
    }
}

impl NetworkArgs {
    fn build(&self, nodes: usize, seed: u64) -> Result<(Graph, Mobility), Box<dyn Error>> {
        let random = &mut Random::stream(seed, "topology");
        if let Some(shape) = &self.topology {
            let graph: Graph = shape.parse()?;
            return Ok((graph, self.on_graph()?));
        }
        if nodes == 0 {
            return Err("--nodes 0: a network needs at least one node".into());
        }
        positive("--degree", self.degree)?;
        if matches!(self.mobility, MobilityKind::Disk | MobilityKind::Waypoint) {
            let (points, graph) = connected_disk(nodes, self.degree, random)?;
            if self.mobility == MobilityKind::Disk {
                return Ok((graph, Mobility::Still));
            }
            positive("--speed", self.speed)?;
            not_negative("--pause", self.pause)?;
            let side = side_for_degree(nodes, self.degree);
            let walk = Waypoint::new(&points, side, self.speed, self.pause, 0.5);
            return Ok((graph, Mobility::Waypoint(walk)));
        }
        let most = nodes * (nodes - 1) / 2;
        let wanted = (nodes as f64 * self.degree / 2.0).round() as usize;
        let links = self.links.unwrap_or_else(|| wanted.clamp(nodes - 1, most));
        Ok((random_connected(nodes, links, random)?, self.on_graph()?))
    }

    fn on_graph(&self) -> Result<Mobility, String> {
        match self.mobility {
            MobilityKind::Still => Ok(Mobility::Still),
            MobilityKind::Links => {
                positive("--rate", self.rate)?;
                let (rate, may_exist, may_carry) = (self.rate, false, true);
                Ok(Mobility::LinkChanges(LinkChanges {
                    rate,
                    may_exist,
                    may_carry,
                }))
            }
            MobilityKind::Disk | MobilityKind::Waypoint => {
                Err("--topology gives links, not places: leave it out for disk and waypoint".into())
            }
        }
    }
}

impl LoadArgs {
    fn workload(&self) -> Result<Workload, String> {
        not_negative("--think", self.think)?;
        not_negative("--stay", self.stay)?;
        let think = if self.closed_loop {
            Span::Fixed(self.think)
        } else {
            Span::Exponential(self.think)
        };
        let stay = Span::Fixed(self.stay);
        Ok(Workload {
            think,
            stay,
            demands: Demands::Exclusive,
            script: Vec::new(),
        })
    }
}

impl FaultArgs {
    fn plan(&self) -> Result<FaultPlan, String> {
        let full = FaultPlan::all();
        let base = if self.all_faults {
            full
        } else {
            FaultPlan::default()
        };
        let chance = |name, given: Option<f64>, base| match given {
            Some(p) if !(0.0..=1.0).contains(&p) => Err(format!("{name} is a chance: use 0 to 1")),
            _ => Ok(given.unwrap_or(base)),
        };
        let amount = |name, given: Option<f64>, base| {
            let value = given.unwrap_or(base);
            not_negative(name, value).map(|()| value)
        };
        Ok(FaultPlan {
            loss: chance("--loss", self.loss, base.loss)?,
            doubt: chance("--doubt", self.doubt, base.doubt)?,
            resolve: amount("--resolve", self.resolve, full.resolve)?,
            skew: amount("--skew", self.skew, base.skew)?,
            flaps: amount("--flaps", self.flaps, base.flaps)?,
            flap_time: full.flap_time,
            partitions: amount("--partitions", self.partitions, base.partitions)?,
            partition_time: amount("--partition-time", self.partition_time, full.partition_time)?,
            crashes: self.crashes,
        })
    }
}

fn parse_delay(text: &str) -> Result<Delay, String> {
    let wrong = || format!("`{text}` is no delay: use a number, uniform:LOW,HIGH or exp:MEAN");
    let number = |part: &str| {
        part.parse::<f64>()
            .ok()
            .filter(|x| x.is_finite() && *x >= 0.0)
            .ok_or_else(wrong)
    };
    match text.split_once(':') {
        None => Ok(Delay::Fixed(span(number(text)?))),
        Some(("exp", mean)) => Ok(Delay::Exponential {
            mean: number(mean)?,
        }),
        Some(("uniform", bounds)) => {
            let (low, high) = bounds.split_once(',').ok_or_else(wrong)?;
            let (low, high) = (number(low)?, number(high)?);
            if low <= high {
                Ok(Delay::Uniform { low, high })
            } else {
                Err(wrong())
            }
        }
        Some(_) => Err(wrong()),
    }
}

fn positive(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(format!("{name} {value}: use a number above 0"))
}

fn not_negative(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(format!("{name} {value}: use a number from 0 on"))
}

fn print_table(summary: &Summary) {
    let kinds = summary.messages_by_kind.iter().map(|(kind, count)| {
        (
            format!("  {kind}"),
            format!("{:.2}", *count as f64 / summary.entries as f64),
        )
    });
    let mut rows = vec![
        ("protocol".to_owned(), summary.protocol.clone()),
        (
            "nodes, links".into(),
            format!("{}, {}", summary.nodes, summary.links),
        ),
        (
            "seed, duration".into(),
            format!("{}, {}", summary.seed, summary.duration),
        ),
        (
            "requests, entries".into(),
            format!("{}, {}", summary.requests, summary.entries),
        ),
        (
            "wait, mean".into(),
            format!("{:.3} ± {:.3}", summary.wait_mean, summary.wait_ci),
        ),
        (
            "wait, p50 p95 p99".into(),
            format!(
                "{:.3} {:.3} {:.3}",
                summary.wait_p50, summary.wait_p95, summary.wait_p99
            ),
        ),
        (
            "messages per entry".into(),
            format!("{:.2}", summary.messages_per_entry),
        ),
    ];
    rows.extend(kinds);
    rows.extend([
        (
            "fairness (Jain)".to_owned(),
            format!("{:.4}", summary.fairness),
        ),
        (
            "link changes, doubts".into(),
            format!("{}, {}", summary.link_changes, summary.doubts),
        ),
        (
            "violations, unserved".into(),
            format!("{}, {}", summary.violations, summary.unserved),
        ),
        (
            "events".into(),
            format!("{} ({:.0}/s)", summary.events, summary.events_per_s),
        ),
        (
            "memory".into(),
            format!("{:.1} MiB", summary.rss_bytes as f64 / (1 << 20) as f64),
        ),
    ]);
    println!(
        "{}",
        table(
            &["", "value"],
            rows.into_iter().map(|(name, value)| vec![name, value])
        )
    );
}
