//! Mutual exclusion for mobile ad hoc networks: protocols from the literature as state machines
//! without input or output, a simulator and a model checker that drive them, and checkers that
//! watch.
//!
//! # Layers
//!
//! A folder is a layer. A machine keeps to the contract and knows nothing of who drives it; drivers
//! know machines by the contract alone.
//!
//! ```text
//!   world       by time and chance      \
//!   explore     by trying them all       > choose what happens     check   watches every
//!   scenario    by script               /                            :     event and action
//!   --------------------------------------+------------------------- : ---
//!   network     ideal links, one step     |  world::radio            :
//!               at a time                 |    motion, channel, MAC
//!                                         |  node
//!                                         |    link    links out of a lossy radio, or
//!                                         |    transport  exactly once over routing
//!                                         |    wire    frames and messages as bytes
//!   --------------------------------------+-------------------------------
//!   protocol    rl, gme, hk on reversal; lme1a, lme1b, lme2 on forks;
//!               routed: raymond, naimi-trehel, dgme
//!   ----------------------------------------------------------------------
//!   machine     the contract: Event in, Actions out
//! ```
//!
//! * [`machine`]: what a protocol may expect of its driver and owes it. Start here.
//! * [`protocol`]: one paper, one module, with its rules, their places in the paper, and where it
//!   had to be corrected. Pure: an event goes in, actions come out.
//! * [`network`]: the machines of all nodes, the messages under way and the links, without time.
//!   It changes by [`network::Step`]s only, which also are the lines of traces and scenarios.
//! * [`link`]: what a real radio needs below a protocol: neighbours, incarnations of links, delivery
//!   once and in order, and what became of a token when the radio failed. Frames in, frames out.
//! * [`transport`]: what routing needs above it and below a protocol: messages between any two
//!   nodes, exactly once. Datagrams in, datagrams out.
//! * [`node`]: a protocol on a link layer or a transport as one machine. A host moves only bytes,
//!   one timer, received power, outcomes of the radio and motion.
//! * [`world`], [`explore`], [`scenario`]: three ways to choose what happens. The simulator asks
//!   a clock and a seed, the model checker takes each in turn, a scenario reads it from a file. The
//!   simulator has ideal links, nodes on a radio channel ([`world::radio`]), or nodes over routing
//!   that does wrong ([`world::routed`]).
//! * [`check`]: observers that know no protocol. They see what enters and leaves the machines and
//!   hold it to what the protocol promises.
//! * [`shrink`]: counterexamples made shorter.
//! * [`wire`]: messages, frames and datagrams as bytes.
//! * [`ids`], [`time`], [`demand`], [`graph`]: the nouns that all of them share.
//!
//! # One request, end to end
//!
//! 1. The application at a node wants to enter. Its driver hands the node's machine an
//!    [`Event::Request`](machine::Event::Request) with a [`Demand`]. A demand that means nothing
//!    to the protocol is refused at once.
//! 2. The machine runs to completion and leaves actions, such as a
//!    [`Send`](machine::Action::Send) to the neighbour that leads to the token.
//! 3. The driver carries the message over the link, in order and once, and hands it to the peer's
//!    machine as an [`Event::Message`](machine::Event::Message). If the link fails first, both
//!    ends are told, and the sender of a token learns what became of it
//!    ([`machine::Fate`]).
//! 4. So the request travels to the token and the token back. The requester's machine leaves an
//!    [`Enter`](machine::Action::Enter), and the driver tells the application.
//! 5. When the application is done, an [`Event::Release`](machine::Event::Release) lets the token
//!    go on.
//!
//! Meanwhile every event and action passes the [`network::Observer`]s. No machine knows that they
//! exist, and no driver looks into a message.
//!
//! # Who owns what
//!
//! | what | who |
//! |---|---|
//! | time | the driver. A machine asks for timers by [`SetTimer`](machine::Action::SetTimer) and never sees a clock |
//! | randomness | the driver, from one seed. Variation that a protocol needs is a fixed function of a seed in its configuration |
//! | links, and what is under way on them | [`network`] if they are ideal, [`link`] over a radio |
//! | what is under way between nodes far apart | [`network`] if routing is ideal, [`transport`] if not |
//! | who is waiting or inside | the protocol; checkers keep their own books |
//! | defaults | the `Default` of the configuration they belong to, and nowhere else |
//!
//! Protocol state is kept in ordered collections, so a run depends on its inputs alone: the same
//! seed gives the same run on every machine. Nothing that a peer sends makes a machine panic; what
//! a correct peer cannot have sent is an error ([`machine::ProtocolError`], [`wire::WireError`]) or
//! a dropped frame ([`link::Drop`]).

pub mod app;
pub mod check;
pub mod demand;
pub mod describe;
#[cfg(feature = "explore")]
pub mod explore;
mod fixed;
pub mod graph;
mod hash;
pub mod ids;
pub mod invariants;
pub mod link;
pub mod machine;
mod names;
pub mod network;
pub mod node;
pub mod observer;
mod peers;
pub mod promise;
pub mod protocol;
pub mod scenario;
mod scratch;
pub mod shrink;
pub mod time;
pub mod transport;
pub mod wire;
pub mod world;

pub use demand::Demand;
pub use ids::NodeId;
pub use time::Time;

// The example in the README has to work.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
