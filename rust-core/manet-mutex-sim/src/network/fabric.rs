//! What is between the machines: links, timers, applications.

use super::pair::{Pair, Spare};
use super::{App, Lane, Observer, StepError};
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Message, Protocol, Reach};
use manet_mutex::peers::{AboutPeer, Octet, Peers};

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
    /// For each node its first pairs with larger ones.
    blocks: Vec<Block>,
    /// For each node its later pairs with larger ones.
    later: Vec<Peers<Way>>,
    pub spare: Spare<M>,
}

/// The nodes at the ends of a pair, smaller id first.
pub type Ends = [NodeId; 2];

/// The pairs that a node had from the start with larger ones. They follow one another, sorted by
/// peer: who looks for one looks at the pair itself and at no list besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Block {
    marks: Octet,
    first: u32,
    count: u32,
}

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
            blocks: vec![Block::default(); nodes],
            later: vec![Peers::new(); nodes],
            spare: Spare::default(),
        }
    }

    /// Adds the links of a graph, up at both ends, to nodes without any.
    pub fn join(&mut self, graph: &Graph) {
        self.pairs.reserve_exact(graph.links());
        for (node, block) in graph.nodes().zip(&mut self.blocks) {
            let neighbours = graph.neighbours(node).iter().copied();
            let larger = neighbours.filter(|&peer| node < peer);
            block.marks = Octet::of(&mut larger.clone());
            block.first = number(self.pairs.len());
            self.pairs
                .extend(larger.map(|peer| ([node, peer], Pair::up_pair())));
            block.count = number(self.pairs.len()) - block.first;
        }
    }

    /// The way from one node to another, if they ever had a link.
    #[inline(always)]
    pub fn lane(&self, from: NodeId, to: NodeId) -> Option<Lane> {
        let ends = [from.min(to), from.max(to)];
        let block = self.blocks.get(ends[0].index())?;
        let guess = block.first + block.marks.guess(ends[1]) as u32;
        let pair = match self.pairs.get(guess as usize) {
            Some((known, _)) if *known == ends => guess,
            _ => self.search(ends, *block)?,
        };
        let end = u8::from(from > to);
        Some(Lane { pair, end })
    }

    /// Finds a pair that is not where it was expected.
    #[inline(never)]
    fn search(&self, ends: Ends, block: Block) -> Option<u32> {
        if let Some(way) = self.later[ends[0].index()].get(ends[1]) {
            return Some(way.pair);
        }
        let first = block.first as usize;
        let pairs = &self.pairs[first..first + block.count as usize];
        let at = pairs.binary_search_by_key(&ends, |(known, _)| *known);
        at.ok().map(|at| block.first + number(at))
    }

    /// Adds a pair between two nodes that never had a link, `a` being the smaller.
    pub fn add_pair(&mut self, a: NodeId, peer: NodeId, what: Pair<M>) -> u32 {
        let pair = number(self.pairs.len());
        self.pairs.push(([a, peer], what));
        self.later[a.index()].insert(Way { peer, pair });
        pair
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
        let (from, to) = (node, *to);
        let mut lane = self.lane(from, to);
        if P::REACH == Reach::Anyone && lane.is_none() {
            self.add_pair(from.min(to), from.max(to), Pair::up_pair());
            lane = self.lane(from, to);
        }
        let Some(lane) = lane else {
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

fn number(pairs: usize) -> u32 {
    u32::try_from(pairs).expect("fewer than 2^32 links")
}
