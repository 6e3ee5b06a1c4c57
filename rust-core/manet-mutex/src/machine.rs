//! The contract between a protocol and whoever drives it.
//!
//! A protocol is a state machine without clock, randomness or input/output of its own. A *driver*
//! (the simulator, the model checker, the ns-3 module) hands it one [`Event`] at a time and
//! carries out the [`Action`]s it leaves behind. What each event promises and what each action
//! obliges the driver to do is written on the variants.
//!
//! # The drive loop
//!
//! Two nodes, one token, messages carried by hand:
//!
//! ```
//! use manet_mutex::machine::{Action, Actions, Event, Protocol};
//! use manet_mutex::protocol::{Population, rl::Rl};
//! use manet_mutex::graph::Graph;
//! use manet_mutex::{Demand, NodeId};
//! use std::collections::VecDeque;
//!
//! let mut nodes = Rl::settled(&Graph::path(2), &Default::default())?;
//! let mut air = VecDeque::from([(NodeId(1), Event::Request(Demand::Exclusive))]);
//! let mut entered = Vec::new();
//! let mut out = Actions::new();
//!
//! while let Some((node, event)) = air.pop_front() {
//!     nodes[node.index()].handle(event, &mut out)?; // one event, run to completion
//!     for action in out.drain() {                   // drained before the next event
//!         match action {
//!             Action::Send { to, msg } => air.push_back((to, Event::Message { from: node, msg })),
//!             Action::Enter(_) => {
//!                 entered.push(node);
//!                 air.push_back((node, Event::Release));
//!             }
//!             _ => {} // timers and notes: nothing to do in two steps
//!         }
//!     }
//! }
//! assert_eq!(entered, [NodeId(1)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::demand::Demand;
use crate::ids::NodeId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

/// A mutual exclusion protocol at one node.
///
/// The driver owes every machine:
/// * one event at a time, each after the actions of the one before have been carried out in order;
/// * [`Event::Start`] first, once;
/// * between two nodes, while a link is up at both ends, every message exactly once and in order;
/// * nothing from a peer before that link's [`Event::LinkUp`] or after its [`Event::LinkDown`]
///   at the receiver. The two ends may see these at different times.
///
/// A machine owes its driver: no panic whatever a peer sent, the same actions for the same
/// events, and state that can be cloned, compared and hashed (the model checker needs that).
pub trait Protocol: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The name users type.
    const NAME: &'static str;
    /// Whom it talks to.
    const REACH: Reach;
    /// What it says to its peers.
    type Message: Message;

    /// The node this machine runs on.
    fn id(&self) -> NodeId;

    /// Which way this node would ask for the critical section; itself if it need not ask. Nobody
    /// if the protocol points nowhere, or not now. For observers only.
    fn towards(&self) -> Option<NodeId> {
        None
    }

    /// Whether nobody waits for anything here, as far as this node knows. What it then has to say
    /// may take its time, [awaited](Message::is_awaited) messages apart.
    fn is_calm(&self) -> bool {
        false
    }

    /// Takes one event in and leaves actions in `out`.
    ///
    /// # Errors
    /// [`ProtocolError::Refused`] and [`ProtocolError::Misuse`] leave the state as it was and
    /// put nothing into `out`. [`ProtocolError::Broken`] means that a promise of the system
    /// failed (such as a second token): the event has been ignored as far as possible and the
    /// driver should report it loudly.
    fn handle(
        &mut self,
        event: Event<Self::Message>,
        out: &mut Actions<Self::Message>,
    ) -> Result<(), ProtocolError>;
}

/// Whom a protocol's messages may be addressed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Nodes to which a link is up at this end. The protocol gets link events.
    Neighbours,
    /// Any node, over routing and an exactly-once transport. The protocol gets no link events.
    Anyone,
}

/// What a protocol says to a peer.
pub trait Message:
    Clone + Eq + Hash + Debug + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Its name in the paper, for traces and counts.
    fn kind(&self) -> &'static str;

    /// How the link layer has to treat it.
    fn class(&self) -> Class {
        match self.cargo() {
            Cargo::Nothing | Cargo::Fork => Class::Plain,
            Cargo::Token { .. } | Cargo::Units(_) | Cargo::Weight(_) => Class::Ownership,
        }
    }

    /// Whether somebody may be waiting for it. A link layer gets it there, or knows that it did
    /// not, sooner than what only keeps a neighbour informed.
    fn is_awaited(&self) -> bool {
        true
    }

    /// What it moves from the sender to the receiver; what conservation checks count.
    fn cargo(&self) -> Cargo {
        Cargo::Nothing
    }
}

/// How a message is treated when its link closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Forgotten when the link closes.
    Plain,
    /// Exists in exactly one place at any time: when the link closes its sender learns what
    /// became of it, at once or later.
    Ownership,
}

/// What changes hands with a message. Nothing of this is copied or lost on the way, save a
/// fork, which lives and dies with its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cargo {
    /// Words only.
    Nothing,
    /// The token, with free units on board (h-out-of-k; 0 elsewhere).
    Token {
        /// Units that travel with the token.
        units: u64,
    },
    /// Units on their way back to the token.
    Units(u64),
    /// A share of a group session's weight, on its way out or back.
    Weight(u64),
    /// The fork of the link it travels on.
    Fork,
}

/// What happens to a machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Event<M> {
    /// The run begins. First event, once.
    Start,
    /// The application wants the critical section. The driver must not raise it while an earlier
    /// request waits or the node is inside.
    Request(Demand),
    /// The application leaves the critical section. Legal only after [`Action::Enter`] and not
    /// after [`Action::Demoted`].
    Release,
    /// A peer's message.
    Message {
        /// Who sent it.
        from: NodeId,
        /// What it says.
        msg: M,
    },
    /// A link came up at this end. The other end may learn it earlier, later or (if the link
    /// fails meanwhile) never. From now on this node may send on it.
    LinkUp {
        /// The node at the other end.
        peer: NodeId,
        /// This end's part in the meeting. Of the two ends exactly one is told `Moving`.
        role: Role,
    },
    /// A link closed at this end; nothing more comes from it. No new link to this peer comes up
    /// before both ends have closed this one and no message of it is in doubt.
    LinkDown {
        /// The node at the other end.
        peer: NodeId,
        /// This end's [`Class::Ownership`] messages without acknowledgement, in sending order,
        /// each with what became of it. `Plain` ones are not listed.
        unacked: Vec<(M, Fate)>,
    },
    /// The driver found out about a message that a `LinkDown` reported as in doubt.
    Resolved {
        /// The node at the other end of the link it was sent on.
        peer: NodeId,
        /// The message.
        msg: M,
        /// What became of it.
        outcome: Outcome,
    },
    /// A timer set by [`Action::SetTimer`] ran out.
    Timer(TimerId),
}

/// Which end of a new link moved into the other's neighbourhood (Attiya, Kogan, Welch, section 3).
/// Protocols for one token do not care.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Stayed: keeps what it has on the new link.
    Static,
    /// Came: is the one to step back.
    Moving,
}

/// What became of an unacknowledged ownership message, as far as known when its link closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The peer has it.
    Delivered,
    /// The peer never got it and never will: it belongs to the sender again.
    Returned,
    /// Unknown. [`Event::Resolved`] follows when the two nodes can exchange anything again. Until
    /// then it must be taken as delivered: a machine that took it back could double it.
    InDoubt,
}

/// What became of a message that was in doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The peer got it before it closed the link.
    Delivered,
    /// The peer closed the link without it: it belongs to the sender again.
    Returned,
}

/// One of a machine's timers; ids are below [`TimerId::LIMIT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(pub u8);

impl TimerId {
    /// Drivers keep the set of armed timers in one machine word.
    pub const LIMIT: u8 = 64;
}

/// What a machine wants done, in the order it was emitted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action<M> {
    /// Carry `msg` to `to`. For [`Reach::Neighbours`] the link to `to` is up at this end.
    Send {
        /// The receiver.
        to: NodeId,
        /// What to carry.
        msg: M,
    },
    /// The node is inside. Tell the application, which later releases.
    Enter(Demand),
    /// The node is no longer inside although it did not release; its request waits again. The
    /// application must stop acting as if inside before the next event.
    Demoted,
    /// Hand in [`Event::Timer`] after this time. Setting a timer that runs starts it anew.
    SetTimer {
        /// Which timer.
        id: TimerId,
        /// From now.
        after: Duration,
    },
    /// Forget a timer; its event must not come any more.
    CancelTimer(TimerId),
    /// Something worth counting. A driver may ignore it.
    Note(Note),
}

/// What a machine says about itself, for observers only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// Raised its height because it had no neighbour below (link reversal).
    Raised,
    /// Has no neighbour below and waits before it raises again: perhaps the token is in another
    /// part of the network.
    Held,
    /// Took back a token that its peer never got.
    TookBack,
    /// Chose a colour that a neighbour may have too: more of them than promised chose one at the same
    /// time (local mutual exclusion).
    Crowded,
}

/// The buffer a machine leaves its actions in.
#[derive(Clone, Debug)]
pub struct Actions<M> {
    list: Vec<Action<M>>,
}

impl<M> Actions<M> {
    /// An empty buffer; reuse it, it keeps its memory.
    pub const fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Leaves an action.
    pub fn push(&mut self, action: Action<M>) {
        self.list.push(action);
    }

    /// Leaves a [`Action::Send`].
    pub fn send(&mut self, to: NodeId, msg: M) {
        self.push(Action::Send { to, msg });
    }

    /// Leaves a [`Action::Note`].
    pub fn note(&mut self, note: Note) {
        self.push(Action::Note(note));
    }

    /// Takes all actions out, oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = Action<M>> + '_ {
        self.list.drain(..)
    }

    /// Forgets all actions.
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The actions left so far.
    pub fn as_slice(&self) -> &[Action<M>] {
        &self.list
    }
}

impl<M> Default for Actions<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Why a machine did not do what an event asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ProtocolError {
    /// The demand has no meaning for this protocol.
    #[error("{protocol} cannot serve a demand for {demand}: {hint}")]
    Refused {
        /// The protocol's name.
        protocol: &'static str,
        /// What was asked for.
        demand: Demand,
        /// What to ask for instead.
        hint: &'static str,
    },
    /// The driver broke the contract.
    #[error("{node:?}: {what}")]
    Misuse {
        /// Where.
        node: NodeId,
        /// What the driver did, and what it has to do instead.
        what: &'static str,
    },
    /// Something happened that the algorithm's proof excludes.
    #[error("{node:?}: {what}")]
    Broken {
        /// Where.
        node: NodeId,
        /// What should not be possible.
        what: &'static str,
    },
}
