//! The transport: messages between any two nodes, exactly once, over routing that promises nothing.
//!
//! Protocols that talk to anyone ([`Reach::Anyone`](crate::machine::Reach)) break if a message is
//! lost or doubled: a token is gone, or there are two. Routing in an ad hoc network does both, and
//! reorders, and is away for seconds while a route is repaired. So each node runs an end of this
//! protocol for every node that it talks to:
//!
//! * **Lives.** Every datagram says in which [`Life`] its sender is and, apart from the first ones,
//!   for which life of the receiver it is meant. Lives only grow, so what is late is told from what
//!   is new across restarts as well; a random number could not do that.
//! * **Asking first.** Nothing is sent to a node whose life is unknown: what such a node got and
//!   forgot it would take again. A probe asks; that costs one round trip for each pair of nodes,
//!   once.
//! * **Numbers.** The messages from one life to another are numbered. The receiver tells below
//!   which number it has all, and which of the next 64 ([`Receipt`]), and so never takes one twice,
//!   over whatever route it comes.
//! * **Again.** The oldest message without an acknowledgement goes out again, after a time that
//!   follows the round trips and doubles up to [`Config::longest`]: one datagram for each pair and
//!   time-out, however much waits. The first that is heard of the peer lets everything flow again,
//!   and so does a host that knows of a new route ([`Transport::route_up`]).
//!
//! # What is promised
//! Whatever is lost, doubled, delayed or reordered:
//! * **At most once** (X1): between a life of the sender and a life of the receiver a message is
//!   delivered at most once.
//! * **Exactly once** (X2): it is delivered if both lives last and datagrams get through each way
//!   now and then.
//! * **Nothing vanishes** (X3): when the receiver restarts, its peers are told of every message
//!   that is not known to be delivered ([`Note::PeerRestarted`]). What had gone out may or may not
//!   have been delivered to the old life; what had not was delivered to nobody. Neither reaches the
//!   new life unless the application sends it again.
//!
//! # What is not
//! Order. `raymond`, `naimi-trehel` and `dgme` need none, which the model checker tries, and would
//! pay for it: behind one lost request a token would wait. Memory that outlasts a crash: a node
//! that restarts needs a larger [`Config::life`] and has forgotten what it had to send. Peers that
//! are who they say: among nodes that do not keep the rules nothing holds, though nothing panics.
//!
//! A node that is silent is reported ([`Note::Unreachable`]), and no more than that: a lost peer
//! cannot be told from a lost route, so nothing is given up.
//!
//! Memory is bounded: at most [`Config::window`] and [`Config::backlog`] messages for each of at
//! most [`Config::peers`] peers, and two numbers for what was received. With more to send, sending
//! is refused.
//!
//! # Where
//! `pair`: the rules of one end of one pair, without clock; that is what the model checker
//! explores.
//! `pace`: when to send again. `layer`: all pairs of a node, with clock and datagrams. Datagrams as
//! bytes are in [`crate::wire::datagram`].

mod config;
mod flaw;
mod layer;
mod outbox;
mod pace;
mod pair;

pub use crate::wire::datagram::{Life, Receipt};
pub use config::{Config, ConfigError};
pub use flaw::Flaw;
pub use layer::Transport;
pub use outbox::{Counters, Drop, Note, Outbox};
pub use pair::{Met, Pair, Unfit};
