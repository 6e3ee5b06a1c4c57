//! The world of links: networks and faults.

use super::summary::{self, Summary};
use super::{Args, not_negative, positive, refuse, refuse_standstill, timed};
use crate::failure::Failure;
use crate::output::{Outcome, bar};
use crate::protocol::DemandArgs;
use manet_mutex::Time;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::time::span;
use manet_mutex_sim::check::{Invariants, Violation};
use manet_mutex_sim::random::Random;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::delay::Delay;
use manet_mutex_sim::world::faults::FaultPlan;
use manet_mutex_sim::world::mobility::{LinkChanges, Mobility, Waypoint};
use manet_mutex_sim::world::topology::{connected_disk, random_connected, side_for_degree};
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::{Report, Setup, World};
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Runs the world of links.
pub fn run(args: &Args) -> Outcome {
    args.radio.refuse_in_graph()?;
    let setup = setup(args)?;
    let graph = setup.graph.clone();
    let tracer = args.tracer()?;
    let progress = bar(setup.duration.as_secs().ceil() as u64, "time units");
    let job = Run {
        setup,
        demands: args.load.demands,
        tracer,
        progress: progress.clone(),
    };
    let options = args.options(Limiter::UNITS)?;
    let (report, wall_s) = timed(|| registry::visit(&args.protocol, &options, job));
    progress.finish_and_clear();
    let report = report??;
    if let Err(error) = &report.trace {
        return Err(format!("cannot write the trace: {error}").into());
    }
    refuse_standstill(report.violations.first())?;
    let run = summary::Run {
        protocol: &args.protocol,
        world: "graph",
        nodes: graph.len(),
        links: Some(graph.links()),
        seed: args.seed,
        duration: args.duration.unwrap_or(DURATION),
        violations: report.violation_count,
        unserved: report.unserved,
        events: report.events,
        wall_s,
        end: report.end,
        below: None,
    };
    Summary::new(run, &report.meter).print(args.format)?;
    if report.is_clean() {
        return Ok(ExitCode::SUCCESS);
    }
    explain(args, report.violations.first(), report.unserved, graph)?;
    Ok(ExitCode::FAILURE)
}

const NODES: usize = 30;
const DURATION: f64 = 1000.0;

fn setup(args: &Args) -> Result<Setup, Box<dyn Error>> {
    let duration = args.duration.unwrap_or(DURATION);
    positive("--duration", duration)?;
    let nodes = args.nodes.unwrap_or(NODES);
    let (graph, mobility) = args.network.build(nodes, args.seed)?;
    Ok(Setup {
        mobility,
        delay: parse_delay(args.network.delay.as_deref().unwrap_or("1"))?,
        workload: args.load.workload(1.0)?,
        faults: args.faults.plan()?,
        duration: Time::from_secs(duration),
        ..Setup::new(graph, args.seed)
    })
}

struct Run {
    setup: Setup,
    demands: DemandArgs,
    tracer: Option<Tracer>,
    progress: indicatif::ProgressBar,
}

impl Visitor for Run {
    type Output = Result<Report, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output {
        self.setup.workload.demands = self.demands.choose(P::demands(&config))?;
        let mut world = World::<P>::new(self.setup, &config)?;
        if let Some(tracer) = self.tracer {
            world = world.traced(tracer);
        }
        Ok(world.run_watched(|now, _| self.progress.set_position(now.as_secs() as u64)))
    }
}

/// Runs once more with all steps recorded, and shows the shortest trace that fails.
fn explain(
    args: &Args,
    violation: Option<&Violation>,
    unserved: u64,
    graph: Graph,
) -> Result<(), Box<dyn Error>> {
    let setup = Setup {
        record: true,
        ..setup(args)?
    };
    let progress = indicatif::ProgressBar::hidden();
    let job = Run {
        setup,
        demands: args.load.demands,
        tracer: None,
        progress,
    };
    let options = args.options(Limiter::UNITS)?;
    let report = registry::visit(&args.protocol, &options, job)??;
    let what = match violation {
        Some(violation) => violation.to_string(),
        None => format!("{unserved} requests were not served"),
    };
    let (protocol, seed) = (&*args.protocol, args.seed);
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

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "World of links: network")]
pub struct NetworkArgs {
    /// Start links: path:N, ring:N, complete:N, star:N or 0-1,1-2,...; sets the number of nodes.
    #[arg(long)]
    topology: Option<String>,
    /// Mean number of neighbours of the random start graph; 8 if not given.
    #[arg(long)]
    degree: Option<f64>,
    /// Number of links of the random start graph, instead of the degree.
    #[arg(long)]
    links: Option<usize>,
    /// How links come and go; they stay if not given.
    #[arg(long, value_enum)]
    mobility: Option<MobilityKind>,
    /// Link changes per time unit, with `--mobility links`.
    #[arg(long, default_value_t = 0.01)]
    rate: f64,
    /// Speed in radio ranges per time unit, with `--mobility waypoint`.
    #[arg(long, default_value_t = 0.02)]
    speed: f64,
    /// Pause at each waypoint.
    #[arg(long, default_value_t = 0.0)]
    pause: f64,
    /// Delay of a message over a link: a number, uniform:LOW,HIGH or exp:MEAN; 1 if not given.
    #[arg(long)]
    pub delay: Option<String>,
    /// Take links and requests from this recorded run: JSON lines as --trace writes them.
    #[arg(long)]
    pub script: Option<PathBuf>,
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
#[command(next_help_heading = "World of links: faults")]
pub struct FaultArgs {
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

impl NetworkArgs {
    pub fn build(&self, nodes: usize, seed: u64) -> Result<(Graph, Mobility), Box<dyn Error>> {
        let random = &mut Random::stream(seed, "topology");
        if let Some(shape) = &self.topology {
            let graph: Graph = shape.parse()?;
            return Ok((graph, self.on_graph()?));
        }
        if nodes == 0 {
            return Err("--nodes 0: a network needs at least one node".into());
        }
        let degree = self.degree.unwrap_or(8.0);
        positive("--degree", degree)?;
        let mobility = self.mobility();
        if matches!(mobility, MobilityKind::Disk | MobilityKind::Waypoint) {
            not_too_dense(nodes as f64 * degree.min(nodes as f64) / 2.0)?;
            let (points, graph) = connected_disk(nodes, degree, random)?;
            if mobility == MobilityKind::Disk {
                return Ok((graph, Mobility::Still));
            }
            positive("--speed", self.speed)?;
            not_negative("--pause", self.pause)?;
            let side = side_for_degree(nodes, degree);
            let walk = Waypoint::new(&points, side, self.speed, self.pause, 0.5);
            return Ok((graph, Mobility::Waypoint(walk)));
        }
        let most = nodes * (nodes - 1) / 2;
        let wanted = (nodes as f64 * degree / 2.0).round() as usize;
        let links = self.links.unwrap_or_else(|| wanted.clamp(nodes - 1, most));
        not_too_dense(links as f64)?;
        Ok((random_connected(nodes, links, random)?, self.on_graph()?))
    }

    fn mobility(&self) -> MobilityKind {
        self.mobility.unwrap_or(MobilityKind::Still)
    }

    /// Says which of these options a world without given links has no use for.
    pub fn refuse_in_radio(&self) -> Result<(), String> {
        let given = [
            ("--topology", self.topology.is_some()),
            ("--links", self.links.is_some()),
            ("--mobility", self.mobility.is_some()),
            ("--delay", self.delay.is_some()),
            ("--script", self.script.is_some()),
        ];
        refuse(
            &given,
            "the world of links; leave it out with --world radio",
        )
    }

    /// Says which of these options a world of routes has no use for.
    pub fn refuse_in_routed(&self) -> Result<(), String> {
        let given = [
            ("--mobility", self.mobility.is_some()),
            ("--script", self.script.is_some()),
        ];
        refuse(
            &given,
            "the world of links; leave it out with --world routed",
        )
    }

    /// Those of these options for which a script has links of its own, and whether they are given.
    pub const fn instead_of_script(&self) -> [(&'static str, bool); 4] {
        [
            ("--topology", self.topology.is_some()),
            ("--mobility", self.mobility.is_some()),
            ("--degree", self.degree.is_some()),
            ("--links", self.links.is_some()),
        ]
    }

    fn on_graph(&self) -> Result<Mobility, String> {
        match self.mobility() {
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

impl FaultArgs {
    /// All of these options, and whether they are given.
    pub const fn given(&self) -> [(&'static str, bool); 9] {
        [
            ("--all-faults", self.all_faults),
            ("--loss", self.loss.is_some()),
            ("--doubt", self.doubt.is_some()),
            ("--resolve", self.resolve.is_some()),
            ("--skew", self.skew.is_some()),
            ("--flaps", self.flaps.is_some()),
            ("--partitions", self.partitions.is_some()),
            ("--partition-time", self.partition_time.is_some()),
            ("--crashes", self.crashes > 0),
        ]
    }

    /// Says which of these options a world with a radio has no use for.
    pub fn refuse_in_radio(&self) -> Result<(), String> {
        refuse(
            &self.given(),
            "the world of links; a radio has --walls and --blackouts",
        )
    }

    /// Those of the faults that routing can have.
    pub fn routed(&self) -> Result<FaultPlan, String> {
        let given = self.given().into_iter();
        let shared = ["--loss", "--partitions", "--partition-time"];
        let others: Vec<_> = given.filter(|(name, _)| !shared.contains(name)).collect();
        refuse(
            &others,
            "the world of links; routing has --loss, --doubles, --breaks and --partitions",
        )?;
        self.plan()
    }

    pub fn plan(&self) -> Result<FaultPlan, String> {
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

/// Refuses more links than fit into the memory of most machines.
fn not_too_dense(links: f64) -> Result<(), String> {
    let most = Graph::MOST_LINKS;
    if links <= most as f64 {
        return Ok(());
    }
    Err(format!(
        "about {links:.0} links are too many: use fewer nodes or a smaller degree, \
         for at most {most}"
    ))
}

pub fn parse_delay(text: &str) -> Result<Delay, String> {
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
