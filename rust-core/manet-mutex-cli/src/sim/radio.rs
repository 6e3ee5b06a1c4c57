//! The world of a radio channel.

use super::summary::{self, Summary};
use super::{Args, not_negative, positive, refuse, refuse_standstill, timed};
use crate::output::{Outcome, bar, number, tell};
use crate::protocol::DemandArgs;
use manet_mutex::Time;
use manet_mutex::link::{Cause, Drop, Way};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::time::span;
use manet_mutex::wire::WireMessage;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::radio::channel::{Fading, PathLoss};
use manet_mutex_sim::world::radio::motion::Model;
use manet_mutex_sim::world::radio::{LinkMeter, Preset, RadioReport, RadioSetup, RadioWorld};
use manet_mutex_sim::world::trace::Tracer;
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "World of a radio")]
pub struct RadioArgs {
    /// What the other options change: default, fast, no-warning, sparse, uneven or large.
    #[arg(long)]
    preset: Option<Preset>,
    /// Side of the square field, in metres.
    #[arg(long)]
    side: Option<f64>,
    /// How nodes walk.
    #[arg(long, value_enum)]
    walk: Option<Walk>,
    /// How fast, in metres per second.
    #[arg(long)]
    velocity: Option<f64>,
    /// How long they rest at each turn.
    #[arg(long)]
    rest: Option<f64>,
    /// Nakagami fading with this shape (1.5: strong; 0: none).
    #[arg(long)]
    fading: Option<f64>,
    /// No power gradient: frames arrive up to this distance in metres.
    #[arg(long)]
    range: Option<f64>,
    /// How much transmit powers differ between nodes, in dB (standard deviation).
    #[arg(long)]
    deviation: Option<f64>,
    /// Time between hellos.
    #[arg(long)]
    hello: Option<f64>,
    /// Power above the sensitivity below which links close, in dB.
    #[arg(long)]
    margin: Option<f64>,
    /// Power above that at which links form, in dB.
    #[arg(long)]
    hysteresis: Option<f64>,
    /// Weight of the newest hello in the average power.
    #[arg(long)]
    smoothing: Option<f64>,
    /// Whether messages ride on hellos; if not, each is a frame for one peer.
    #[arg(long)]
    sharing: Option<bool>,
    /// Walls that cut the network in two, per second.
    #[arg(long)]
    walls: Option<f64>,
    /// Mean time for which a wall stands.
    #[arg(long)]
    wall_time: Option<f64>,
    /// Pairs of nodes that fall deaf, per second.
    #[arg(long)]
    blackouts: Option<f64>,
    /// Mean time for which they do.
    #[arg(long)]
    blackout_time: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Walk {
    /// Not at all.
    Still,
    /// To random points.
    Waypoint,
    /// In random directions, up to the wall.
    Direction,
}

/// What there is to say about links.
#[derive(Debug, Serialize)]
pub struct RadioSummary {
    preset: String,
    /// Time-averaged number of links of a node.
    mean_degree: f64,
    data_frames: u64,
    frames_per_message: f64,
    acks: u64,
    closes: u64,
    floods: u64,
    /// Of a node's time, the share in which it hears hellos.
    hello_airtime: f64,
    hello_bytes: f64,
    half_up_share: f64,
    up_skew_p50: f64,
    up_skew_p99: f64,
    down_skew_p50: f64,
    down_skew_p99: f64,
    closes_by_cause: BTreeMap<Cause, u64>,
    doubts_by_way: BTreeMap<Way, u64>,
    doubt_p50: f64,
    doubt_p99: f64,
    doubt_max: f64,
    open_doubts: u64,
    dropped: BTreeMap<Drop, u64>,
}

impl RadioSummary {
    fn new(preset: Preset, report: &RadioReport) -> Self {
        let RadioReport {
            links, counters, ..
        } = report;
        let up = LinkMeter::summary(&links.up_skew);
        let down = LinkMeter::summary(&links.down_skew);
        let doubt = LinkMeter::summary(&links.doubt_time);
        let dropped = Drop::ALL
            .into_iter()
            .map(|why| (why, counters.dropped(why)));
        Self {
            preset: preset.to_string(),
            mean_degree: report.mean_degree(),
            data_frames: counters.data,
            frames_per_message: counters.data as f64 / counters.delivered as f64,
            acks: counters.acks,
            closes: counters.closes,
            floods: counters.floods,
            hello_airtime: report.hello_airtime(),
            hello_bytes: counters.hello_bytes as f64 / counters.hellos as f64,
            half_up_share: links.half_up_share(),
            up_skew_p50: up.p50,
            up_skew_p99: up.p99,
            down_skew_p50: down.p50,
            down_skew_p99: down.p99,
            closes_by_cause: links.closes.clone(),
            doubts_by_way: links.resolved.clone(),
            doubt_p50: doubt.p50,
            doubt_p99: doubt.p99,
            doubt_max: doubt.max,
            open_doubts: report.open_doubts,
            dropped: dropped.filter(|&(_, count)| count > 0).collect(),
        }
    }

    /// Lines of a table.
    pub fn rows(&self) -> Vec<(String, String)> {
        let milli = |seconds: f64| number(seconds * 1e3, 1);
        let share = |part: f64| number(part * 100.0, 2) + " %";
        let row = |name: &str, value: String| (name.to_owned(), value);
        vec![
            row("preset", self.preset.clone()),
            row("links of a node, mean", number(self.mean_degree, 1)),
            row("frames per message", number(self.frames_per_message, 3)),
            row("hello airtime", share(self.hello_airtime)),
            row("hello size", number(self.hello_bytes, 0) + " bytes"),
            row("only one end up", share(self.half_up_share)),
            row(
                "up skew p50 p99, ms",
                format!("{} {}", milli(self.up_skew_p50), milli(self.up_skew_p99)),
            ),
            row(
                "down skew p50 p99, ms",
                format!(
                    "{} {}",
                    milli(self.down_skew_p50),
                    milli(self.down_skew_p99)
                ),
            ),
            row("closes by cause", listed(&self.closes_by_cause)),
            row("doubts by way", listed(&self.doubts_by_way)),
            row(
                "doubt p50 p99 max, ms",
                [self.doubt_p50, self.doubt_p99, self.doubt_max]
                    .map(milli)
                    .join(" "),
            ),
        ]
    }
}

fn listed<K: std::fmt::Debug>(counts: &BTreeMap<K, u64>) -> String {
    let parts: Vec<String> = counts
        .iter()
        .map(|(what, count)| format!("{what:?} {count}").to_lowercase())
        .collect();
    parts.join(", ")
}

/// Runs the world of a radio.
pub fn run(args: &Args) -> Outcome {
    args.network.refuse_in_radio()?;
    args.faults.refuse_in_radio()?;
    let preset = args.radio.preset.unwrap_or_default();
    let setup = args.radio.setup(args, preset)?;
    let (nodes, duration) = (setup.nodes, setup.duration.as_secs());
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
        world: "radio",
        nodes,
        links: None,
        seed: args.seed,
        duration,
        violations: report.violation_count,
        unserved: report.unserved,
        events: report.events,
        wall_s,
        end: report.end,
        below: Some(summary::Below::Radio(RadioSummary::new(preset, &report))),
    };
    Summary::new(run, &report.meter).print(args.format)?;
    if report.is_clean() {
        return Ok(ExitCode::SUCCESS);
    }
    match report.violations.first() {
        Some(violation) => tell!("FAILED, seed {}: {violation}", args.seed),
        None => tell!(
            "FAILED, seed {}: {} requests not served, {} doubts not resolved",
            args.seed,
            report.unserved,
            report.open_doubts
        ),
    }
    tell!("the same command repeats it; add --trace FILE to see every event");
    Ok(ExitCode::FAILURE)
}

struct Run {
    setup: RadioSetup,
    demands: DemandArgs,
    tracer: Option<Tracer>,
    progress: indicatif::ProgressBar,
}

impl Visitor for Run {
    type Output = Result<RadioReport, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage,
    {
        self.setup.workload.demands = self.demands.choose(P::demands(&config))?;
        let mut world = RadioWorld::<P>::new(self.setup, &config)?;
        if let Some(tracer) = self.tracer {
            world = world.traced(tracer);
        }
        Ok(world.run(|now, _| self.progress.set_position(now.as_secs() as u64)))
    }
}

impl RadioArgs {
    /// Says which of these options a world of given links has no use for.
    pub fn refuse_in_graph(&self) -> Result<(), String> {
        let given = [
            ("--preset", self.preset.is_some()),
            ("--side", self.side.is_some()),
            ("--walk", self.walk.is_some()),
            ("--velocity", self.velocity.is_some()),
            ("--rest", self.rest.is_some()),
            ("--fading", self.fading.is_some()),
            ("--range", self.range.is_some()),
            ("--deviation", self.deviation.is_some()),
            ("--hello", self.hello.is_some()),
            ("--margin", self.margin.is_some()),
            ("--hysteresis", self.hysteresis.is_some()),
            ("--smoothing", self.smoothing.is_some()),
            ("--sharing", self.sharing.is_some()),
            ("--walls", self.walls.is_some()),
            ("--wall-time", self.wall_time.is_some()),
            ("--blackouts", self.blackouts.is_some()),
            ("--blackout-time", self.blackout_time.is_some()),
        ];
        refuse(&given, "the world of a radio: add --world radio")
    }

    fn setup(&self, args: &Args, preset: Preset) -> Result<RadioSetup, String> {
        let mut setup = RadioSetup::preset(preset, args.seed);
        setup.workload = args.load.workload(0.1)?;
        if let Some(nodes) = args.nodes {
            setup.nodes = nodes;
        }
        if let Some(duration) = args.duration {
            positive("--duration", duration)?;
            setup.duration = Time::from_secs(duration);
        }
        set(&mut setup.side, self.side);
        setup.motion = self.motion(setup.motion)?;
        set(&mut setup.channel.deviation, self.deviation);
        if let Some(shape) = self.fading {
            not_negative("--fading", shape)?;
            setup.channel.fading = if shape > 0.0 {
                Fading::nakagami(shape)
            } else {
                Fading::None
            };
        }
        if let Some(metres) = self.range {
            setup.channel.path_loss = PathLoss::Range { metres };
        }
        if let Some(hello) = self.hello {
            positive("--hello", hello)?;
            setup.link.hello_interval = span(hello);
        }
        set(&mut setup.link.margin, self.margin);
        set(&mut setup.link.hysteresis, self.hysteresis);
        set(&mut setup.link.smoothing, self.smoothing);
        setup.link.sharing = self.sharing.unwrap_or(setup.link.sharing);
        let faults = &mut setup.faults;
        (faults.wall_time, faults.blackout_time) = (10.0, 3.0);
        let rates = [
            ("--walls", self.walls, &mut faults.walls),
            ("--wall-time", self.wall_time, &mut faults.wall_time),
            ("--blackouts", self.blackouts, &mut faults.blackouts),
            (
                "--blackout-time",
                self.blackout_time,
                &mut faults.blackout_time,
            ),
        ];
        for (name, given, value) in rates {
            if let Some(given) = given {
                not_negative(name, given)?;
                *value = given;
            }
        }
        Ok(setup)
    }

    fn motion(&self, preset: Model) -> Result<Model, String> {
        let (walk, speed, pause) = match preset {
            Model::Still => (Walk::Still, 5.0, 0.0),
            Model::RandomWaypoint { speed, pause } => (Walk::Waypoint, speed, pause),
            Model::RandomDirection { speed, pause } => (Walk::Direction, speed, pause),
        };
        let speed = self.velocity.unwrap_or(speed);
        let pause = self.rest.unwrap_or(pause);
        positive("--velocity", speed)?;
        not_negative("--rest", pause)?;
        Ok(match self.walk.unwrap_or(walk) {
            Walk::Still => Model::Still,
            Walk::Waypoint => Model::RandomWaypoint { speed, pause },
            Walk::Direction => Model::RandomDirection { speed, pause },
        })
    }
}

fn set(value: &mut f64, given: Option<f64>) {
    if let Some(given) = given {
        *value = given;
    }
}
