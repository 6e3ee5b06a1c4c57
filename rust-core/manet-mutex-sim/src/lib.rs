//! Simulators, checkers, scenarios and a model checker for the protocols of [`manet_mutex`].
//!
//! # Layers
//!
//! ```text
//!   world        by time and chance     \
//!   explore      by trying them all      > choose what happens
//!   scenario     by script              /
//!   ---------------------------------------------------------------------
//!   check        observers: exclusion, conservation, delivery, progress
//!   ---------------------------------------------------------------------
//!   network      all nodes and ideal links, without time
//!   ---------------------------------------------------------------------
//!   manet_mutex  protocols, link layer, transport, nodes
//! ```
//!
//! * [`network`]: the machines of all nodes, the messages under way and the links, without time.
//!   It changes by [`network::Step`]s only, which also are the lines of traces and scenarios.
//! * [`check`]: observers that know no protocol. They see what enters and leaves the machines and
//!   hold it to what the protocol promises.
//! * [`world`], [`explore`], [`scenario`]: three ways to choose what happens. The simulator asks a
//!   clock and a seed, the model checker tries every step, a scenario reads the steps from a file.
//!   The simulator has ideal links, nodes on a radio channel ([`world::radio`]), or nodes over
//!   unreliable routing ([`world::routed`]).
//! * [`shrink`]: counterexamples made shorter.
//! * [`random`]: the one source of randomness, from a seed.
//!
//! # Features
//! `explore` (default): the model checker, which needs stateright.

pub mod check;
#[cfg(feature = "explore")]
pub mod explore;
pub mod network;
pub mod random;
pub mod scenario;
mod scratch;
pub mod shrink;
pub mod world;
