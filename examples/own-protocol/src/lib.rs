//! `coordinator`: node 0 lets one node at a time into the critical section. A protocol in a crate of
//! its own: nothing in manet-mutex knows it.

use manet_mutex::demand::Demand;
use manet_mutex::describe::Describe;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::invariants::{GlobalState, Invariants, Violation};
use manet_mutex::machine::{Action, Actions, Event, Message, Protocol, ProtocolError, Reach};
use manet_mutex::promise::{Custody, Promise, Scope};
use manet_mutex::protocol::{FOUNDER, Population, PopulationError};
use manet_mutex::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What nodes and the coordinator say to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CoordinatorMessage {
    /// A node wants to enter.
    Request,
    /// The coordinator lets a node in.
    Grant,
    /// A node has left.
    Release,
}

impl Message for CoordinatorMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::Request => "Request",
            Self::Grant => "Grant",
            Self::Release => "Release",
        }
    }
}

/// Tags from 128 on are for protocols outside manet-mutex.
impl WireMessage for CoordinatorMessage {
    const TAG: Tag = Tag::new(128, Coordinator::NAME);
}

/// One node; node 0 is the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinator {
    me: NodeId,
    /// At the coordinator: the nodes that were granted and have not released.
    granted: Vec<NodeId>,
    /// At the coordinator: the nodes that wait.
    queue: VecDeque<NodeId>,
    /// How many nodes the coordinator lets in at once: 1, or 2 to see what the checkers say.
    at_once: usize,
}

impl Coordinator {
    fn grant(&mut self, out: &mut Actions<CoordinatorMessage>) {
        while self.granted.len() < self.at_once
            && let Some(node) = self.queue.pop_front()
        {
            self.granted.push(node);
            if node == self.me {
                out.push(Action::Enter(Demand::Exclusive));
            } else {
                out.send(node, CoordinatorMessage::Grant);
            }
        }
    }

    fn release(&mut self, node: NodeId, out: &mut Actions<CoordinatorMessage>) {
        self.granted.retain(|&granted| granted != node);
        self.grant(out);
    }
}

impl Protocol for Coordinator {
    const NAME: &'static str = "coordinator";
    const REACH: Reach = Reach::Anyone;
    type Message = CoordinatorMessage;

    fn id(&self) -> NodeId {
        self.me
    }

    fn handle(
        &mut self,
        event: Event<CoordinatorMessage>,
        out: &mut Actions<CoordinatorMessage>,
    ) -> Result<(), ProtocolError> {
        let central = self.me == FOUNDER;
        match event {
            Event::Request(Demand::Exclusive) if central => {
                self.queue.push_back(self.me);
                self.grant(out);
            }
            Event::Request(Demand::Exclusive) => out.send(FOUNDER, CoordinatorMessage::Request),
            Event::Request(demand) => {
                return Err(ProtocolError::Refused {
                    protocol: Self::NAME,
                    demand,
                    hint: "ask for exclusive access",
                });
            }
            Event::Release if central => self.release(self.me, out),
            Event::Release => out.send(FOUNDER, CoordinatorMessage::Release),
            Event::Message { from, msg } => match msg {
                CoordinatorMessage::Request if central => {
                    self.queue.push_back(from);
                    self.grant(out);
                }
                CoordinatorMessage::Release if central => self.release(from, out),
                CoordinatorMessage::Grant if from == FOUNDER => {
                    out.push(Action::Enter(Demand::Exclusive));
                }
                _ => {
                    let what = "only the coordinator grants, and only it is asked";
                    return Err(ProtocolError::Broken {
                        node: self.me,
                        what,
                    });
                }
            },
            _ => {} // over routing there are no links
        }
        Ok(())
    }
}

impl Population for Coordinator {
    /// How many nodes are let in at once. Only 1 is correct.
    type Config = AtOnce;

    fn settled(graph: &Graph, config: &AtOnce) -> Result<Vec<Self>, PopulationError> {
        Self::apart(graph.len(), config)
    }

    fn founding(me: NodeId, _: usize, config: &AtOnce) -> Result<Self, PopulationError> {
        let (granted, queue) = (Vec::new(), VecDeque::new());
        Ok(Self {
            me,
            granted,
            queue,
            at_once: config.0,
        })
    }

    fn promise(_: &AtOnce) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::Nothing,
        }
    }
}

/// How many nodes the coordinator lets in at once.
#[derive(Clone, Copy, Debug)]
pub struct AtOnce(pub usize);

impl Default for AtOnce {
    fn default() -> Self {
        Self(1)
    }
}

impl Invariants for Coordinator {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        let queued = network
            .nodes()
            .iter()
            .any(|node| node.me != FOUNDER && !node.queue.is_empty());
        let detail = "a node other than the coordinator has a queue";
        if queued {
            Err(Violation::named("one queue", detail))
        } else {
            Ok(())
        }
    }

    fn when_quiet(_: &impl GlobalState<Self>) -> Result<(), Violation> {
        Ok(())
    }
}

impl Describe for Coordinator {}
