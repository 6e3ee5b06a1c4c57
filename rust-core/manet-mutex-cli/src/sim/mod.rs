//! `manet-mutex sim`.

mod graph;
mod radio;
mod routed;
mod script;
mod summary;

use crate::output::{Format, Outcome, not_too_many};
use crate::protocol::{DemandArgs, ProtocolArgs};
use graph::{FaultArgs, NetworkArgs};
use manet_mutex::graph::Graph;
use manet_mutex::protocol::registry::Options;
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::rl::Residual;
use manet_mutex::time::span;
use manet_mutex_sim::check::Violation;
use manet_mutex_sim::world::STANDSTILL;
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::workload::{Demands, Span, Workload};
use radio::RadioArgs;
use routed::RoutedArgs;
use std::fs::File;
use std::io::BufWriter;
use std::path::PathBuf;
use std::time::Instant;

/// Options of `sim`. Times are in seconds; in the world of links a message takes one by default.
#[derive(Debug, clap::Args)]
#[command(allow_negative_numbers = true)]
pub struct Args {
    /// The protocol.
    #[arg(long, default_value = "rl")]
    protocol: String,
    /// What carries the messages.
    #[arg(long, value_enum, default_value = "graph")]
    world: WorldKind,
    /// Number of nodes; 30, the preset's, or those of the script. At most 4194304, or 131072 with
    /// a radio or routing.
    #[arg(long)]
    nodes: Option<usize>,
    /// How long applications request (and faults happen); then all pending must be served. 1000
    /// time units, 60 seconds, or up to a script's last line.
    #[arg(long)]
    duration: Option<f64>,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write every event to this file, as JSON lines.
    #[arg(long)]
    trace: Option<PathBuf>,
    #[command(flatten)]
    load: LoadArgs,
    #[command(flatten)]
    network: NetworkArgs,
    #[command(flatten)]
    faults: FaultArgs,
    #[command(flatten)]
    radio: RadioArgs,
    #[command(flatten)]
    routed: RoutedArgs,
    #[command(flatten)]
    rl: RlArgs,
    #[command(flatten)]
    choice: ProtocolArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WorldKind {
    /// Links that are given and ideal, apart from faults.
    Graph,
    /// Nodes that move and share a radio channel, with the link layer on top.
    Radio,
    /// Routing that loses, doubles and delays datagrams, with the transport on top.
    Routed,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Load")]
struct LoadArgs {
    /// Mean think time of the Poisson requests; 10 if not given.
    #[arg(long)]
    think: Option<f64>,
    /// Request again after exactly the think time (closed loop).
    #[arg(long)]
    closed_loop: bool,
    /// Time inside; 1, or 0.1 with a radio.
    #[arg(long)]
    stay: Option<f64>,
    #[command(flatten)]
    demands: DemandArgs,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Link reversal")]
struct RlArgs {
    /// Raises in a row before a node without lower neighbours waits.
    #[arg(long)]
    burst: Option<u16>,
    /// Time between raises after that.
    #[arg(long)]
    retry: Option<f64>,
    /// Ask for the token back in a message of its own, as the paper does (rl).
    #[arg(long)]
    paper_messages: bool,
}

/// Nodes with a radio or a transport need far more memory than bare protocols.
const MOST_STATIONS: usize = 1 << 17;

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if args.world != WorldKind::Routed {
        args.routed.refuse_elsewhere()?;
    }
    let most = match args.world {
        WorldKind::Graph => Graph::MOST_NODES,
        WorldKind::Radio | WorldKind::Routed => MOST_STATIONS,
    };
    not_too_many(args.nodes.unwrap_or(0), most)?;
    match args.world {
        WorldKind::Graph => match &args.network.script {
            Some(file) => script::run(args, file),
            None => graph::run(args),
        },
        WorldKind::Radio => radio::run(args),
        WorldKind::Routed => routed::run(args),
    }
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

impl Args {
    /// `limiter` has the defaults.
    fn options(&self, limiter: Limiter) -> Result<Options, String> {
        let residual = if self.rl.paper_messages {
            Residual::OwnMessage
        } else {
            Residual::InToken
        };
        let limiter = Limiter {
            burst: self.rl.burst.or(limiter.burst),
            retry: self.rl.retry.map_or(limiter.retry, span),
            seed: self.seed,
            ..limiter
        };
        let options = Options {
            limiter,
            residual,
            ..Options::default()
        };
        self.choice.choose(&self.protocol, &options)
    }

    fn tracer(&self) -> Result<Option<Tracer>, String> {
        let Some(path) = &self.trace else {
            return Ok(None);
        };
        let file = File::create(path)
            .map_err(|error| format!("cannot write the trace to {}: {error}", path.display()))?;
        Ok(Some(Tracer::new(Box::new(BufWriter::new(file)))))
    }
}

impl LoadArgs {
    /// `stay` is for those who do not say how long.
    fn workload(&self, stay: f64) -> Result<Workload, String> {
        let (think, stay) = (self.think.unwrap_or(10.0), self.stay.unwrap_or(stay));
        not_negative("--think", think)?;
        not_negative("--stay", stay)?;
        if span(think).is_zero() && span(stay).is_zero() {
            return Err(format!(
                "--think {think} --stay {stay}: such a run never ends; \
                 use a number above 0 for one of them"
            ));
        }
        let think = if self.closed_loop {
            Span::Fixed(think)
        } else {
            Span::Exponential(think)
        };
        let stay = Span::Fixed(stay);
        Ok(Workload {
            think,
            stay,
            demands: Demands::Exclusive, // until the protocol is known
            script: Vec::new(),
        })
    }
}

/// A run in which time stood still says nothing about the protocol.
fn refuse_standstill(violation: Option<&Violation>) -> Result<(), String> {
    match violation {
        Some(violation) if violation.property == STANDSTILL => Err(violation.to_string()),
        _ => Ok(()),
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

/// The first of these options that was given is an error.
fn refuse(options: &[(&str, bool)], only: &str) -> Result<(), String> {
    match options.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(format!("{name} is for {only}")),
        None => Ok(()),
    }
}
