//! `raymond`: global mutual exclusion with one token on a static tree.
//!
//! Source: Kerry Raymond, *A Tree-Based Algorithm for Distributed Mutual Exclusion*, ACM
//! Transactions on Computer Systems 7(1), 1989, cited as `[Raymond section]`; the baseline of
//! Walter, Welch, Vaidya, section 6, where every tree edge is a route through the network.
//!
//! # System model
//! Every node can send to its neighbours in a tree that never changes; messages are delivered
//! exactly once. Nodes do not fail.
//!
//! # Messages
//! `Request` asks the tree neighbour towards the token; `Privilege` is the token.
//!
//! # Cost
//! A request and a privilege for each tree edge between the requester and the token, each charged
//! the length of its route; about four messages for an entry at high load.
//!
//! # Deviations from the paper
//! None. Restart after a crash (its section 5) is left out.

use super::self_sent;
use crate::demand::Demand;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Cargo, Event, Message, Protocol, ProtocolError, Reach};
use crate::promise::{Custody, Promise, Scope};
use crate::protocol::{Population, PopulationError, check_member};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};

/// What `raymond` says to a tree neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RaymondMessage {
    /// Somebody at or behind me waits for the token.
    Request,
    /// The token.
    Privilege,
}

impl Message for RaymondMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::Request => "Request",
            Self::Privilege => "Privilege",
        }
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Request => Cargo::Nothing,
            Self::Privilege => Cargo::Token { units: 0 },
        }
    }
}

/// Messages of `raymond` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` | `Request` |
/// | `01` | `Privilege` |
impl WireMessage for RaymondMessage {
    const TAG: Tag = Tag::new(2, Raymond::NAME);
}

/// One node running Raymond's algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Raymond {
    me: NodeId,
    /// `HOLDER`: the tree neighbour towards the token, or this node.
    holder: NodeId,
    /// `USING`.
    using: bool,
    /// `ASKED`.
    asked: bool,
    /// `REQUEST_Q`.
    queue: Vec<NodeId>,
}

impl Raymond {
    /// A node whose tree neighbour towards the token is `holder` (itself at the root).
    pub const fn new(me: NodeId, holder: NodeId) -> Self {
        Self {
            me,
            holder,
            using: false,
            asked: false,
            queue: Vec::new(),
        }
    }

    /// Whether this node has the token.
    pub fn is_holder(&self) -> bool {
        self.holder == self.me
    }

    /// Who waits here, in this order.
    pub fn queue(&self) -> &[NodeId] {
        &self.queue
    }

    /// [Raymond 3, ASSIGN_PRIVILEGE].
    fn assign_privilege(&mut self, out: &mut Actions<RaymondMessage>) {
        if !self.is_holder() || self.using || self.queue.is_empty() {
            return;
        }
        self.holder = self.queue.remove(0);
        self.asked = false;
        if self.is_holder() {
            self.using = true;
            out.push(Action::Enter(Demand::Exclusive));
        } else {
            out.send(self.holder, RaymondMessage::Privilege);
        }
    }

    /// [Raymond 3, MAKE_REQUEST].
    fn make_request(&mut self, out: &mut Actions<RaymondMessage>) {
        if !self.is_holder() && !self.queue.is_empty() && !self.asked {
            out.send(self.holder, RaymondMessage::Request);
            self.asked = true;
        }
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Misuse {
            node: self.me,
            what,
        }
    }
}

impl Protocol for Raymond {
    const NAME: &'static str = "raymond";
    const REACH: Reach = Reach::Anyone;
    type Message = RaymondMessage;

    fn id(&self) -> NodeId {
        self.me
    }

    fn towards(&self) -> Option<NodeId> {
        Some(self.holder)
    }

    fn handle(
        &mut self,
        event: Event<RaymondMessage>,
        out: &mut Actions<RaymondMessage>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Request(Demand::Exclusive) => {
                if self.using || self.queue.contains(&self.me) {
                    return Err(self.misuse("requested while waiting or inside: release first"));
                }
                self.queue.push(self.me);
            }
            Event::Request(demand) => {
                let hint = "ask for exclusive access";
                return Err(ProtocolError::Refused {
                    protocol: Self::NAME,
                    demand,
                    hint,
                });
            }
            Event::Release => {
                if !self.using {
                    return Err(self.misuse("released while not inside: wait for Enter"));
                }
                self.using = false;
            }
            Event::Message { from, .. } if from == self.me => return Err(self_sent(self.me)),
            Event::Message {
                from,
                msg: RaymondMessage::Request,
            } => {
                if !self.queue.contains(&from) {
                    self.queue.push(from);
                }
            }
            Event::Message {
                msg: RaymondMessage::Privilege,
                ..
            } => {
                if self.is_holder() {
                    let what = "received the privilege while having it";
                    return Err(ProtocolError::Broken {
                        node: self.me,
                        what,
                    });
                }
                self.holder = self.me;
            }
            // Routing hides the links.
            Event::Start
            | Event::LinkUp { .. }
            | Event::LinkDown { .. }
            | Event::Resolved { .. }
            | Event::Timer(_) => return Ok(()),
        }
        self.assign_privilege(out);
        self.make_request(out);
        Ok(())
    }
}

impl Population for Raymond {
    type Config = ();

    fn promise((): &()) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::Token,
        }
    }

    /// On the breadth-first spanning tree from node 0.
    fn settled(graph: &Graph, (): &()) -> Result<Vec<Self>, PopulationError> {
        let distance = graph.distances_from_zero()?;
        let parent = |me: NodeId| {
            let closer = |peer: &&NodeId| distance[peer.index()] < distance[me.index()];
            graph
                .neighbours(me)
                .iter()
                .find(closer)
                .copied()
                .unwrap_or(me)
        };
        Ok(graph.nodes().map(|me| Self::new(me, parent(me))).collect())
    }

    /// On the tree in which the parent of node i is (i - 1) / 2, every edge of which is a route.
    fn founding(id: NodeId, nodes: usize, (): &()) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        let parent = NodeId::from_index(id.index().saturating_sub(1) / 2);
        Ok(Self::new(id, parent))
    }

    /// Refused. The token may have moved since the start, and then the first `HOLDER` leads away
    /// from it; at the root it would be a second token.
    fn rejoining(id: NodeId, nodes: usize, (): &()) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Err(PopulationError::NoRestart {
            protocol: Self::NAME,
            lost: "its queue and its pointer to the token",
        })
    }
}

#[cfg(feature = "forge")]
forgeable!(Raymond {
    forge_holder => holder: NodeId,
    forge_queue => queue: Vec<NodeId>,
});
