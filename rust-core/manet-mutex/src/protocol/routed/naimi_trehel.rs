//! `naimi-trehel`: global mutual exclusion with one token, found by path reversal.
//!
//! Source: Mohamed Naimi, Michel Trehel, André Arnold, *A log(N) Distributed Mutual Exclusion
//! Algorithm Based on Path Reversal*, Journal of Parallel and Distributed Computing 34(1), 1996,
//! cited as `[NTA section]`.
//!
//! # System model
//! Every node can send to every other; messages are delivered exactly once, in any order. Nodes do
//! not fail.
//!
//! # Messages
//! `Request` asks for the token in the name of the node that wants it; `Token` is the token.
//!
//! # Rules
//! Two structures hang together. `last` leads from every node to the one that asked last as far as
//! it knows, and so makes a tree; each request makes its requester the root as it passes. `next` is
//! a queue in pieces: whoever waits or is inside knows who comes after it.
//!
//! # Cost
//! A `Request` for every hop in the tree and one `Token`, each charged the length of its route:
//! O(log n) messages for an entry on average, n in the worst case.
//!
//! # Deviations from the paper
//! None. Its section on failures is left out.

use super::self_sent;
use crate::demand::Demand;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Cargo, Event, Message, Protocol, ProtocolError, Reach};
use crate::promise::{Custody, Promise, Scope};
use crate::protocol::{FOUNDER, Population, PopulationError, check_member};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};

/// What `naimi-trehel` says to another node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NaimiTrehelMessage {
    /// A node wants the token.
    Request(NodeId),
    /// The token.
    Token,
}

impl Message for NaimiTrehelMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::Request(_) => "Request",
            Self::Token => "Token",
        }
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Request(_) => Cargo::Nothing,
            Self::Token => Cargo::Token { units: 0 },
        }
    }
}

/// Messages of `naimi-trehel` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` node | `Request` |
/// | `01` | `Token` |
///
/// A node is a number of at most 5 bytes.
impl WireMessage for NaimiTrehelMessage {
    const TAG: Tag = Tag::new(5, NaimiTrehel::NAME);
}

/// One node running the algorithm of Naimi and Trehel.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NaimiTrehel {
    me: NodeId,
    nodes: u32,
    /// Who asked last, as far as known; none at a root: this node did, or it has the token.
    last: Option<NodeId>,
    /// Who gets the token after this node.
    next: Option<NodeId>,
    /// Waits or is inside.
    requesting: bool,
    token: bool,
}

impl NaimiTrehel {
    /// A node of so many; node 0 is the root.
    pub fn new(me: NodeId, nodes: u32) -> Self {
        let root = FOUNDER;
        Self {
            me,
            nodes,
            last: (me != root).then_some(root),
            next: None,
            requesting: false,
            token: me == root,
        }
    }

    /// Whether this node has the token.
    pub const fn has_token(&self) -> bool {
        self.token
    }

    /// Whether this node waits or is inside.
    pub const fn is_requesting(&self) -> bool {
        self.requesting
    }

    /// Who asked last, as far as known.
    pub const fn last(&self) -> Option<NodeId> {
        self.last
    }

    /// Who gets the token after this node.
    pub const fn next(&self) -> Option<NodeId> {
        self.next
    }

    /// [NTA 3, Request_CS].
    fn request(&mut self, out: &mut Actions<NaimiTrehelMessage>) -> Result<(), ProtocolError> {
        if self.requesting {
            return Err(self.misuse("requested while waiting or inside: release first"));
        }
        self.requesting = true;
        match self.last.take() {
            Some(last) => out.send(last, NaimiTrehelMessage::Request(self.me)),
            // A root that wants nothing has the token.
            None => out.push(Action::Enter(Demand::Exclusive)),
        }
        Ok(())
    }

    /// [NTA 3, Release_CS].
    fn release(&mut self, out: &mut Actions<NaimiTrehelMessage>) -> Result<(), ProtocolError> {
        if !self.requesting || !self.token {
            return Err(self.misuse("released while not inside: wait for Enter"));
        }
        self.requesting = false;
        if let Some(next) = self.next.take() {
            self.token = false;
            out.send(next, NaimiTrehelMessage::Token);
        }
        Ok(())
    }

    /// [NTA 3, Receive_Request_CS].
    fn asked(
        &mut self,
        who: NodeId,
        out: &mut Actions<NaimiTrehelMessage>,
    ) -> Result<(), ProtocolError> {
        if who == self.me || who.0 >= self.nodes {
            return Err(self.broken("was asked by itself, or by a node that does not exist"));
        }
        match self.last {
            Some(last) => out.send(last, NaimiTrehelMessage::Request(who)),
            None if self.requesting => {
                if self.next.is_some() {
                    return Err(self.broken("was asked as a root that has a successor"));
                }
                self.next = Some(who);
            }
            None if self.token => {
                self.token = false;
                out.send(who, NaimiTrehelMessage::Token);
            }
            None => return Err(self.broken("was asked as a root without token or request")),
        }
        self.last = Some(who);
        Ok(())
    }

    /// [NTA 3, Receive_Token].
    fn receive(&mut self, out: &mut Actions<NaimiTrehelMessage>) -> Result<(), ProtocolError> {
        if self.token || !self.requesting {
            return Err(self.broken("received a second token, or one it did not ask for"));
        }
        self.token = true;
        out.push(Action::Enter(Demand::Exclusive));
        Ok(())
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        let node = self.me;
        ProtocolError::Misuse { node, what }
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        let node = self.me;
        ProtocolError::Broken { node, what }
    }
}

impl Protocol for NaimiTrehel {
    const NAME: &'static str = "naimi-trehel";
    const REACH: Reach = Reach::Anyone;
    type Message = NaimiTrehelMessage;

    fn id(&self) -> NodeId {
        self.me
    }

    fn towards(&self) -> Option<NodeId> {
        Some(self.last.unwrap_or(self.me))
    }

    fn handle(
        &mut self,
        event: Event<NaimiTrehelMessage>,
        out: &mut Actions<NaimiTrehelMessage>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Request(Demand::Exclusive) => self.request(out),
            Event::Request(demand) => Err(ProtocolError::Refused {
                protocol: Self::NAME,
                demand,
                hint: "ask for exclusive access",
            }),
            Event::Release => self.release(out),
            Event::Message { from, .. } if from == self.me => Err(self_sent(self.me)),
            Event::Message { msg, .. } => match msg {
                NaimiTrehelMessage::Request(who) => self.asked(who, out),
                NaimiTrehelMessage::Token => self.receive(out),
            },
            // Routing hides the links.
            Event::Start
            | Event::LinkUp { .. }
            | Event::LinkDown { .. }
            | Event::Resolved { .. }
            | Event::Timer(_) => Ok(()),
        }
    }
}

impl Population for NaimiTrehel {
    type Config = ();

    fn promise((): &()) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::Token,
        }
    }

    fn settled(graph: &Graph, config: &()) -> Result<Vec<Self>, PopulationError> {
        graph.distances_from_zero()?;
        Self::apart(graph.len(), config)
    }

    fn founding(id: NodeId, nodes: usize, (): &()) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, NodeId::from_index(nodes).0))
    }

    /// Refused. Others may take it for the root, and whoever was to follow it is forgotten; at node
    /// 0 the initial state would be a second token.
    fn rejoining(id: NodeId, nodes: usize, (): &()) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Err(PopulationError::NoRestart {
            protocol: Self::NAME,
            lost: "its place in the tree and its successor",
        })
    }
}

#[cfg(feature = "forge")]
forgeable!(NaimiTrehel {
    forge_last => last: Option<NodeId>,
    forge_next => next: Option<NodeId>,
    forge_token => token: bool,
});
