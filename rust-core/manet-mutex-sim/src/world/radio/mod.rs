//! Nodes that move about a field and share one radio channel, much like 802.11 in ad hoc mode:
//! frames fade, collide and get lost, and who sends learns only what its MAC can know.
//!
//! The same two phases as in [`super::World`]: until `duration` applications request and faults
//! happen; then all nodes gather, and everything pending has to be served and every doubt
//! resolved. Besides what protocols promise, every run checks what the link layer promises
//! ([`crate::check::Delivery`]).
//!
//! ```
//! use manet_mutex::protocol::rl::Rl;
//! use manet_mutex_sim::world::radio::{Preset, RadioSetup, RadioWorld};
//!
//! let setup = RadioSetup::preset(Preset::Default, 1);
//! let report = RadioWorld::<Rl>::new(setup, &Default::default())?.run(|_, _| {});
//! assert!(report.is_clean());
//! assert!(report.meter.entries() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod air;
pub mod channel;
mod fading;
pub mod medium;
mod meter;
pub mod motion;
mod pool;
mod run;
mod setup;
mod station;
#[cfg(test)]
mod tests;
pub mod torture;
mod watch;

pub use meter::LinkMeter;
pub use run::RadioWorld;
pub use setup::{Preset, RadioFaults, RadioSetup};

use super::meter::Meter;
use crate::check::Violation;
use manet_mutex::link::Counters;
use manet_mutex::node::NodeError;
use manet_mutex::protocol::PopulationError;
use manet_mutex::time::Time;

/// Why a run cannot be.
#[derive(Debug, thiserror::Error)]
pub enum RadioError {
    /// The protocol.
    #[error(transparent)]
    Population(#[from] PopulationError),
    /// The link layer.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// The channel.
    #[error(transparent)]
    Channel(#[from] channel::ChannelError),
    /// How nodes move.
    #[error(transparent)]
    Motion(#[from] motion::MotionError),
}

/// What came of a run.
#[derive(Debug)]
pub struct RadioReport {
    /// What was measured about requests and messages.
    pub meter: Meter,
    /// What was measured about links.
    pub links: LinkMeter,
    /// What the link layers did.
    pub counters: Counters,
    /// What the radio did.
    pub medium: medium::Counters,
    /// The first promise broken, if any.
    pub violations: Vec<Violation>,
    /// How often a promise was broken.
    pub violation_count: u64,
    /// Requests that were still waiting at the end.
    pub unserved: u64,
    /// Messages whose fate was still unknown at the end.
    pub open_doubts: u64,
    /// Inputs of nodes.
    pub events: u64,
    /// When the run ended.
    pub end: Time,
    /// How many nodes there were.
    pub nodes: usize,
    /// What became of the trace, if there was one.
    pub trace: std::io::Result<()>,
}

impl RadioReport {
    /// Whether every promise was kept, everything was served and nothing is in doubt.
    pub const fn is_clean(&self) -> bool {
        self.violation_count == 0 && self.unserved == 0 && self.open_doubts == 0
    }
}
