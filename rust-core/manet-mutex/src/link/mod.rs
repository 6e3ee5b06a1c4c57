//! The link layer: links that protocols can rely on, made of a radio that nobody can.
//!
//! What protocols need (the contract of [`crate::machine`]) and what a radio gives differ: frames
//! are lost, doubled, delayed and reordered; a frame that the radio gave up may have arrived; who
//! hears need not be heard. The link layer of each node bridges that:
//!
//! * **Neighbours.** Every node says hello now and then and lists whom it hears. A link comes up
//!   only between nodes that hear each other, and the received power warns before it is lost
//!   ([`Config::margin`]).
//! * **Incarnations.** Each time a link comes up it is a new incarnation, named by the two ends'
//!   [`Epoch`]s. Nothing of one gets into another, and none begins before both ends have left
//!   the last.
//! * **Delivery.** Within an incarnation messages arrive once and in order: numbered, acknowledged
//!   by what goes the other way anyway, sent again until then. What somebody waits for is
//!   acknowledged at once.
//! * **Sharing.** Messages ride on hellos, which then come earlier: one frame for all peers, which
//!   tells whom the node hears and what it has received besides. Frames for one peer, which the radio
//!   confirms and repeats, are for peers that are not heard well and for what got lost
//!   ([`Config::sharing`]).
//! * **Closing.** Whoever leaves tells the peer how many messages it got, while the radio still
//!   works if the warning came in time. So both know what became of everything.
//! * **Doubt.** If the radio fails first, the sender of a token cannot know whether it arrived, and
//!   nothing that it could do would tell at once. It is *in doubt* until anything gets through
//!   between the two: a hello of the pair itself, or a question that other nodes pass on. A new
//!   link between them comes up only then.
//!
//! # What is promised
//! Whatever is lost, doubled, delayed or reordered: a message is delivered at most once, in order,
//! between link up and link down at the receiver; what is reported as returned has not been
//! delivered and never will be; what is reported as delivered has been; a message of
//! [`Class::Ownership`](crate::machine::Class) is one or the other, at the latest when its two
//! nodes can exchange anything after the break. Of the two ends of an incarnation one is told that
//! it is moving and the other that it is static.
//!
//! # What is not
//! That both ends see a link up or down at the same time (impossible), or that a node that lost
//! its memory is recognised: a node that restarts needs a larger [`Config::life`], and messages in
//! doubt with its former life stay so. Nothing is authenticated. Frames that cannot be true are
//! dropped and counted ([`Drop`]), but one that is forged with care can close a link, shut a peer out
//! (by a number or an epoch beyond all others) or lie about what was received: the promises hold
//! among nodes that keep the rules.
//!
//! # Where
//! `pair`: the rules of one end of one pair, without clock or radio; that is what the model checker
//! explores. `layer`: all pairs of a node, with clock and frames: what it hears, what it says.
//! `table`, `peer`: what it keeps of each. `hearing`: received power. `window`: sequence numbers.
//! `share`: what a hello carries. `flood`: questions through others. Frames as bytes are in
//! [`crate::wire::frame`].

mod config;
mod flaw;
mod flood;
mod hearing;
mod layer;
mod outbox;
mod pair;
mod peer;
mod power;
mod share;
mod table;
mod window;

pub use crate::wire::frame::{Entry, Epoch, Final, Standing, State};
pub use config::{Config, ConfigError, Surroundings, margin_for};
pub use flaw::Flaw;
pub use layer::Link;
pub use outbox::{Cause, Counters, Drop, FrameId, Note, Outbox, Transmit, Way};
pub use pair::{Farewell, Pair, Unfit};
pub use power::Power;
