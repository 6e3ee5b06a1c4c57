//! Mutual exclusion for mobile ad hoc networks: protocols from the literature as state machines
//! without input or output, and the layers below them that a node needs over a real radio.
//!
//! This crate has what a node needs, and nothing else. Simulators, checkers, scenarios and the model
//! checker are in `manet-mutex-sim`, the command line is in `manet-mutex-cli`.
//!
//! # Layers
//!
//! A folder is a layer. Each depends only on layers below it; a test holds that.
//!
//! ```text
//!   node         one machine: application <-> protocol <-> link layer or transport
//!   -----------------------------------------------------------------------------------
//!   protocol     rl, gme, hk on reversal;       link        links out of a lossy radio
//!                lme1a, lme1b, lme2 on forks;   transport   exactly once over routing
//!                raymond, naimi-trehel, dgme
//!   -----------------------------------------------------------------------------------
//!   wire         messages, frames and datagrams as bytes
//!   invariants   what holds in all states       describe    states and messages as text
//!   observer     for checkers, meters, traces   promise     what a protocol promises
//!   -----------------------------------------------------------------------------------
//!   machine      the contract: Event in, Actions out
//!   ids, time, demand, app, graph
//! ```
//!
//! * [`machine`]: what a protocol may expect of its driver, and what it owes the driver. Start here.
//! * [`protocol`]: one paper, one module, with its rules, their places in the paper, its messages,
//!   its invariants, and the deviations from the paper.
//! * [`link`]: what a real radio needs below a protocol: neighbours, incarnations of links, delivery
//!   once and in order, and the fate of a token when the radio fails. Frames in, frames out.
//! * [`transport`]: messages between any two nodes, exactly once, over unreliable routing. Datagrams
//!   in, datagrams out.
//! * [`node`]: a protocol on a link layer or a transport as one machine. A host moves only bytes, one
//!   timer, received power, outcomes of the radio and motion.
//! * [`wire`]: messages, frames and datagrams as bytes.
//! * [`observer`], [`invariants`], [`promise`], [`describe`]: what checkers and traces outside need.
//!
//! # One request, end to end
//!
//! 1. The application at a node wants to enter. Its driver hands the node's machine an
//!    [`Event::Request`](machine::Event::Request) with a [`Demand`]. A protocol refuses a demand that
//!    it does not support.
//! 2. The machine runs to completion and leaves actions, such as a
//!    [`Send`](machine::Action::Send) to the neighbour that leads to the token.
//! 3. The driver carries the message over the link, in order and once, and hands it to the peer's
//!    machine as an [`Event::Message`](machine::Event::Message). If the link fails first, both
//!    ends are told, and the sender of a token learns its fate ([`machine::Fate`]).
//! 4. The request travels to the token, and the token travels back. The requester's machine leaves
//!    an [`Enter`](machine::Action::Enter), and the driver tells the application.
//! 5. When the application is done, an [`Event::Release`](machine::Event::Release) lets the token
//!    go on.
//!
//! [`observer::Observer`]s see every event and action. No machine knows that they exist, and no
//! driver looks into a message.
//!
//! # Who owns what
//!
//! | what | owner |
//! |---|---|
//! | time | the driver. A machine asks for timers by [`SetTimer`](machine::Action::SetTimer) and never sees a clock |
//! | randomness | the driver, from one seed. Variation that a protocol needs is a fixed function of a seed in its configuration |
//! | links, and messages under way on them | the driver if they are ideal, [`link`] over a radio |
//! | messages under way between distant nodes | the driver if routing is ideal, [`transport`] if not |
//! | who is waiting or inside | the protocol; checkers keep their own records |
//! | defaults | the `Default` of the configuration they belong to, and nowhere else |
//!
//! Protocol state is kept in ordered collections, so a run depends on its inputs alone: the same
//! seed gives the same run on every machine. Nothing that a peer sends makes a machine panic. What
//! a correct peer cannot have sent is an error ([`machine::ProtocolError`], [`wire::WireError`]) or
//! a dropped frame ([`link::Drop`]).
//!
//! # Features
//! `forge` adds setters that put a machine into states that no event leads to. Tests of checkers need
//! them; a node does not.

pub mod app;
pub mod demand;
pub mod describe;
mod fixed;
pub mod graph;
mod hash;
pub mod ids;
pub mod invariants;
pub mod link;
pub mod machine;
mod names;
pub mod node;
pub mod observer;
pub mod peers;
pub mod promise;
pub mod protocol;
pub mod time;
pub mod transport;
pub mod wire;

pub use demand::Demand;
pub use ids::NodeId;
pub use time::Time;

// The example in the README has to work.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
