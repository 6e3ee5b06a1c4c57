//! Nodes far apart that talk over routing which loses, doubles and delays datagrams and is away for
//! seconds: a transport and a protocol over routing together, as they run on a real network.
//!
//! The same two phases as in [`super::World`]: until `duration` applications request and faults
//! happen; then every route is there and everything pending has to be served. Besides what
//! protocols promise, every run checks what the transport promises ([`crate::check::Once`]).
//!
//! ```
//! use manet_mutex::graph::Graph;
//! use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
//! use manet_mutex_sim::world::routed::{RoutedFaults, RoutedSetup, RoutedWorld};
//!
//! let setup = RoutedSetup {
//!     faults: RoutedFaults { loss: 0.2, doubles: 0.1, ..RoutedFaults::default() },
//!     ..RoutedSetup::new(Graph::ring(5), 1)
//! };
//! let report = RoutedWorld::<NaimiTrehel>::new(setup, &())?.run(|_, _| {});
//! assert!(report.is_clean());
//! assert!(report.meter.entries() > 0 && report.counters.again > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod routes;
mod run;
pub mod torture;
mod watch;

pub use run::RoutedWorld;

use super::delay::Delay;
use super::meter::Meter;
use super::workload::{Span, Workload};
use crate::check::Violation;
use manet_mutex::graph::Graph;
use manet_mutex::node::NodeError;
use manet_mutex::protocol::PopulationError;
use manet_mutex::time::Time;
use manet_mutex::transport::{self, Counters};

/// Everything that makes up a run.
#[derive(Clone, Debug)]
pub struct RoutedSetup {
    /// The network, which is connected: a datagram takes as many hops as the shortest path has.
    pub graph: Graph,
    /// How long a datagram takes for a hop. If that varies, datagrams overtake each other.
    pub delay: Delay,
    /// The transport of all nodes.
    pub transport: transport::Config,
    /// What the applications do.
    pub workload: Workload,
    /// What goes wrong.
    pub faults: RoutedFaults,
    /// How long applications request and faults happen.
    pub duration: Time,
    /// How long after that everything pending may take to be served.
    pub grace: Time,
    /// Random seed.
    pub seed: u64,
}

impl RoutedSetup {
    /// Routing that does no wrong, at 5 to 15 ms for a hop.
    pub fn new(graph: Graph, seed: u64) -> Self {
        Self {
            graph,
            delay: Delay::Uniform {
                low: 0.005,
                high: 0.015,
            },
            transport: transport::Config {
                seed,
                ..transport::Config::default()
            },
            workload: Workload {
                think: Span::Exponential(1.0),
                stay: Span::Fixed(0.1),
                ..Workload::default()
            },
            faults: RoutedFaults::default(),
            duration: Time::from_secs(100.0),
            grace: Time::from_secs(600.0),
            seed,
        }
    }
}

/// What goes wrong, all from the run's seed. Nothing does by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoutedFaults {
    /// Chance that a datagram is lost.
    pub loss: f64,
    /// Chance that it comes twice.
    pub doubles: f64,
    /// Mean time, in seconds, by which the second one is late: an old route may hold it for long.
    pub late: f64,
    /// Routes between two nodes that break, in the whole network per second.
    pub breaks: f64,
    /// Mean length of such a break, in seconds.
    pub break_time: f64,
    /// Chance that nodes are told when a route is there again.
    pub hints: f64,
    /// Partitions of the network into two random parts, per second.
    pub partitions: f64,
    /// Mean length of a partition, in seconds.
    pub partition_time: f64,
}

/// Why a run cannot be.
#[derive(Debug, thiserror::Error)]
pub enum RoutedError {
    /// The protocol.
    #[error(transparent)]
    Population(#[from] PopulationError),
    /// The transport, or a protocol that does not talk over routing.
    #[error(transparent)]
    Node(#[from] NodeError),
}

/// What came of a run.
#[derive(Debug)]
pub struct RoutedReport {
    /// What was measured about requests and messages; a message counts as many as it has hops.
    pub meter: Meter,
    /// What the transports did.
    pub counters: Counters,
    /// How often a node was reported as unreachable.
    pub unreachable: u64,
    /// The first promise broken, if any.
    pub violations: Vec<Violation>,
    /// How often a promise was broken.
    pub violation_count: u64,
    /// Requests that were still waiting at the end.
    pub unserved: u64,
    /// Inputs of nodes.
    pub events: u64,
    /// When the run ended.
    pub end: Time,
    /// What became of the trace, if there was one.
    pub trace: std::io::Result<()>,
}

impl RoutedReport {
    /// Whether every promise was kept and everything was served.
    pub const fn is_clean(&self) -> bool {
        self.violation_count == 0 && self.unserved == 0
    }
}
