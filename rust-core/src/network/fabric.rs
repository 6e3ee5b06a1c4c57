//! What is between the machines: links, timers, applications.

use super::pair::{Pair, Spare};
use super::{App, Lane, Observer, StepError};
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Message, Protocol, Reach};
use crate::protocol::peers::{AboutPeer, Peers};

/// Everything in a network but its machines.
///
/// What a message touches on its way is kept together and apart from the rest, because a large
/// network does not fit into the processor's caches.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fabric<M> {
    pub sites: Vec<Site>,
    /// The nodes that have fallen silent; asked for each message, hence not in `sites`.
    pub crashed: Vec<bool>,
    pub pairs: Vec<(Ends, Pair<M>)>,
    /// For each node its pairs.
    index: Vec<Peers<Way>>,
    pub spare: Spare<M>,
}

/// The nodes at the ends of a pair, smaller id first.
pub type Ends = [NodeId; 2];

/// The pair that leads to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Way {
    peer: NodeId,
    pair: u32,
}

impl AboutPeer for Way {
    fn peer(&self) -> NodeId {
        self.peer
    }
}

/// What the driver knows about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    pub app: App,
    /// Bit i: timer i is armed.
    pub timers: u64,
}

impl<M: Message> Fabric<M> {
    /// So many nodes without links.
    pub fn new(nodes: usize) -> Self {
        let site = Site {
            app: App::Idle,
            timers: 0,
        };
        Self {
            sites: vec![site; nodes],
            crashed: vec![false; nodes],
            pairs: Vec::new(),
            index: vec![Peers::new(); nodes],
            spare: Spare::default(),
        }
    }

    /// Adds the links of a graph, up at both ends.
    pub fn join(&mut self, graph: &Graph) {
        self.pairs.reserve_exact(graph.links());
        for (node, index) in graph.nodes().zip(&mut self.index) {
            index.reserve_exact(graph.neighbours(node).len());
        }
        for (a, b) in graph.pairs() {
            self.add_pair(a, b, Pair::up_pair());
        }
    }

    /// The way from one node to another, if they ever had a link.
    #[inline(always)]
    pub fn lane(&self, from: NodeId, to: NodeId) -> Option<Lane> {
        let way = self.index.get(from.index())?.get(to)?;
        Some(Lane {
            pair: way.pair,
            end: u8::from(from > to),
        })
    }

    /// Adds a pair between two nodes that never had a link, `a` being the smaller.
    pub fn add_pair(&mut self, a: NodeId, b: NodeId, pair: Pair<M>) -> u32 {
        let number = u32::try_from(self.pairs.len()).expect("fewer than 2^32 links");
        self.pairs.push(([a, b], pair));
        for (node, peer) in [(a, b), (b, a)] {
            let pair = number;
            self.index[node.index()].insert(Way { peer, pair });
        }
        number
    }

    /// Carries out what a machine wants.
    #[inline(always)]
    pub fn carry_out<P: Protocol<Message = M>>(
        &mut self,
        node: NodeId,
        action: &Action<M>,
        watch: &mut impl Observer<M>,
    ) -> Result<(), StepError> {
        let Action::Send { to, msg } = action else {
            self.note(node, action, watch);
            return Ok(());
        };
        if P::REACH == Reach::Anyone && self.lane(node, *to).is_none() {
            self.add_pair(node.min(*to), node.max(*to), Pair::up_pair());
        }
        let (from, to) = (node, *to);
        let Some(lane) = self.lane(from, to) else {
            watch.action(node, action, None);
            return Err(StepError::NoLink { from, to });
        };
        watch.action(node, action, Some(lane));
        let (_, pair) = &mut self.pairs[lane.pair as usize];
        if pair.send(lane.end.into(), msg, &mut self.spare) {
            Ok(())
        } else {
            Err(StepError::NoLink { from, to })
        }
    }

    /// Notes what an action that sends nothing changes at its node.
    #[inline(never)]
    fn note(&mut self, node: NodeId, action: &Action<M>, watch: &mut impl Observer<M>) {
        watch.action(node, action, None);
        let site = &mut self.sites[node.index()];
        match action {
            Action::Enter(demand) => site.app = App::Inside(*demand),
            Action::Demoted => {
                if let App::Inside(demand) = site.app {
                    site.app = App::Waiting(demand);
                }
            }
            Action::SetTimer { id, .. } => site.timers |= 1 << id.0,
            Action::CancelTimer(id) => site.timers &= !(1 << id.0),
            Action::Send { .. } | Action::Note(_) => {}
        }
    }
}
