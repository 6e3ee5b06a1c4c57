//! Greedy recolouring: learn the graph of all who recolour, and colour it.
//!
//! A node tells its neighbours that it is there; once it has heard of each of them that it is there
//! too or takes no part, it knows whom it is joined to and tells them. Everybody passes on what it
//! has not heard before, so that each learns who is joined to whom, link by link. A node that knows
//! this of everybody it can reach colours them all in the order of their ids, each with the
//! smallest colour that no neighbour has. All know the same graph and find the same colours. [LME
//! 4.4]
//!
//! It takes as many rounds as the graph is wide, and colours from 0 to the largest degree. A node
//! that crashes keeps all who recolour together with it waiting.
//!
//! # Reconstruction
//! The paper says that neighbours exchange messages to obtain a view of the subgraph, and nothing
//! about them. A node that loses a participant tells everybody so in a new version of its links, or
//! the others would wait for what that one had to say (erratum L7).
//!
//! # What a peer can do
//! A node that tells of links that do not exist keeps the others waiting, as it could by saying
//! nothing. Who hears of more than [`MOST_NODES`] nodes colours those it knows, and of more than
//! [`MOST_LINKS`] links of a node none are told: that costs different neighbours perhaps equal
//! colours, which the ids then tell apart, but no memory.

use super::{Circle, Colouring, Talk};
use crate::ids::NodeId;
use crate::machine::Message;
use crate::machine::Protocol;
use crate::protocol::lme::algorithm1::Lme1a;
use crate::protocol::lme::message::Lme1Message;
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The procedure of `lme1a`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Greedy {
    me: NodeId,
    /// `G`: who is joined to whom, as far as known.
    graph: BTreeMap<NodeId, Joined>,
    /// Whom this node can reach, by the graph.
    reached: BTreeSet<NodeId>,
    /// Those of them whose links are not known.
    unknown: BTreeSet<NodeId>,
    colour: Option<u64>,
}

/// A node's links to others that recolour.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Joined {
    /// The node's attempt, and how often it lost somebody since: later ones count.
    pub version: (u32, u32),
    /// The others.
    pub to: Vec<NodeId>,
}

/// What the procedure says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GreedyWord {
    /// I recolour.
    Hello,
    /// A part of the graph.
    Links {
        /// Whose links.
        of: NodeId,
        /// What they are.
        joined: Joined,
    },
}

/// More nodes than this are not told apart.
pub const MOST_NODES: usize = 4096;
/// More links of a node than this do not fit into a message ([`crate::wire::MAX_MESSAGE`]).
pub const MOST_LINKS: usize = 192;

impl Message for GreedyWord {
    fn kind(&self) -> &'static str {
        match self {
            Self::Hello => "Hello",
            Self::Links { .. } => "Links",
        }
    }
}

impl WireMessage for Lme1Message<GreedyWord> {
    const TAG: Tag = Tag::new(16, Lme1a::NAME);
}

impl Greedy {
    /// Tells the others what this node is joined to, if it knows, and chooses a colour, if it can.
    fn step(&mut self, circle: &Circle, talk: &mut Talk<'_, GreedyWord>) {
        if !self.graph.contains_key(&self.me) && circle.all_heard() {
            self.announce((talk.attempt(), 0), circle, talk);
        }
        if self.colour.is_none() && self.knows_enough() {
            self.colour = Some(self.greedy());
        }
    }

    /// What this node is joined to.
    fn announce(&mut self, version: (u32, u32), circle: &Circle, talk: &mut Talk<'_, GreedyWord>) {
        let to = circle.members().take(MOST_LINKS).collect();
        let joined = Joined { version, to };
        self.learn(self.me, joined.clone());
        let of = self.me;
        talk.say(circle.members(), &GreedyWord::Links { of, joined });
    }

    /// Adds to the graph. What comes in addition is followed from where it begins, so that learning a
    /// graph costs as much as the graph is large; after a change all is followed again.
    fn learn(&mut self, of: NodeId, joined: Joined) {
        if self.graph.insert(of, joined).is_some() {
            self.reached = BTreeSet::from([self.me]);
            self.unknown = BTreeSet::new();
            self.follow(self.me);
        } else if self.unknown.remove(&of) {
            self.follow(of);
        }
    }

    /// Reaches whoever can be reached from here.
    fn follow(&mut self, from: NodeId) {
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            if let Some(joined) = self.graph.get(&node) {
                let new = joined.to.iter().filter(|&&peer| self.reached.insert(peer));
                todo.extend(new);
            } else {
                self.unknown.insert(node);
            }
        }
    }

    /// Whether the links of all that this node can reach are known, or as many as it can keep.
    fn knows_enough(&self) -> bool {
        let crowded = self.graph.len() >= MOST_NODES && self.graph.contains_key(&self.me);
        crowded || self.unknown.is_empty()
    }

    /// This node's colour: in the order of ids, each has the smallest one left by its neighbours.
    fn greedy(&self) -> u64 {
        let mut colours = BTreeMap::new();
        let mut taken = BTreeMap::<NodeId, BTreeSet<u64>>::new();
        let peers = self.neighbours();
        for &node in &self.reached {
            let used = taken.remove(&node).unwrap_or_default();
            let free = (0..).find(|colour| !used.contains(colour)).unwrap_or(0);
            colours.insert(node, free);
            for &peer in peers.get(&node).into_iter().flatten() {
                taken.entry(peer).or_default().insert(free);
            }
        }
        colours.get(&self.me).copied().unwrap_or(0)
    }

    /// Who is joined to whom among those reached: a link counts if either end tells of it.
    fn neighbours(&self) -> BTreeMap<NodeId, BTreeSet<NodeId>> {
        let mut peers = BTreeMap::<NodeId, BTreeSet<NodeId>>::new();
        let known = self
            .graph
            .iter()
            .filter(|(node, _)| self.reached.contains(node));
        for (&node, joined) in known {
            for &peer in &joined.to {
                peers.entry(node).or_default().insert(peer);
                peers.entry(peer).or_default().insert(node);
            }
        }
        peers
    }

    fn is_news(&self, of: NodeId, joined: &Joined) -> bool {
        match self.graph.get(&of) {
            _ if of == self.me || joined.to.len() > MOST_LINKS => false,
            Some(known) => known.version < joined.version,
            None => self.graph.len() < MOST_NODES,
        }
    }
}

impl Colouring for Greedy {
    const NAME: &'static str = "lme1a";
    type Word = GreedyWord;
    type Bounds = ();
    type Describe = ();

    /// [LME, Theorem 5].
    fn locality(nodes: usize) -> usize {
        nodes
    }

    fn start(me: NodeId, circle: &Circle, (): &(), talk: &mut Talk<'_, GreedyWord>) -> Self {
        let mut greedy = Self {
            me,
            graph: BTreeMap::new(),
            reached: BTreeSet::from([me]),
            unknown: BTreeSet::from([me]),
            colour: None,
        };
        talk.say(circle.members(), &GreedyWord::Hello);
        greedy.step(circle, talk);
        greedy
    }

    fn hear(
        &mut self,
        from: NodeId,
        word: GreedyWord,
        circle: &Circle,
        (): &(),
        talk: &mut Talk<'_, GreedyWord>,
    ) {
        if let GreedyWord::Links { of, joined } = word
            && self.is_news(of, &joined)
        {
            let others = circle.members().filter(|&peer| peer != from);
            let joined_again = joined.clone();
            talk.say(others, &GreedyWord::Links { of, joined });
            self.learn(of, joined_again);
        }
        self.step(circle, talk);
    }

    fn without(&mut self, gone: NodeId, circle: &Circle, (): &(), talk: &mut Talk<'_, GreedyWord>) {
        if let Some(mine) = self.graph.get(&self.me)
            && mine.to.contains(&gone)
        {
            let (attempt, lost) = mine.version;
            self.announce((attempt, lost.saturating_add(1)), circle, talk);
        }
        self.step(circle, talk);
    }

    fn colour(&self) -> Option<u64> {
        self.colour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Action, Actions};
    use crate::protocol::lme::colouring::Recolouring;
    use crate::protocol::lme::message::Lme1Message;
    use crate::wire;

    type Out = Actions<Lme1Message<GreedyWord>>;

    fn start(me: u32, with: &[u32], out: &mut Out) -> Recolouring<Greedy> {
        let with = with.iter().copied().map(NodeId);
        Recolouring::start(NodeId(me), 1, with, &(), out)
    }

    fn links(of: u32, version: (u32, u32), to: &[u32]) -> GreedyWord {
        let to = to.iter().copied().map(NodeId).collect();
        let (of, joined) = (NodeId(of), Joined { version, to });
        GreedyWord::Links { of, joined }
    }

    fn said(out: &mut Out) -> Vec<(u32, GreedyWord)> {
        let say = |action| match action {
            Action::Send {
                to,
                msg: Lme1Message::NewColour { word, .. },
            } => Some((to.0, word)),
            _ => None,
        };
        out.drain().filter_map(say).collect()
    }

    #[test]
    fn alone_is_colour_zero() {
        let mut out = Actions::new();
        assert_eq!(start(7, &[], &mut out).colour(), Some(0));
    }

    /// Node 1 of the path 0-1-2.
    #[test]
    fn what_is_new_is_passed_on_and_ids_decide() {
        let mut out = Actions::new();
        let mut one = start(1, &[0, 2], &mut out);
        let hello = GreedyWord::Hello;
        assert_eq!(said(&mut out), [(0, hello.clone()), (2, hello.clone())]);

        one.hear(NodeId(0), hello.clone(), &(), &mut out);
        assert_eq!(said(&mut out), []);
        one.hear(NodeId(2), hello, &(), &mut out);
        let mine = links(1, (1, 0), &[0, 2]);
        assert_eq!(said(&mut out), [(0, mine.clone()), (2, mine)]);

        let end = links(0, (4, 0), &[1]);
        one.hear(NodeId(0), end.clone(), &(), &mut out);
        one.hear(NodeId(0), end.clone(), &(), &mut out);
        assert_eq!(said(&mut out), [(2, end)]);
        assert_eq!(one.colour(), None);
        one.hear(NodeId(2), links(2, (9, 0), &[1]), &(), &mut out);
        assert_eq!(one.colour(), Some(1));
    }

    /// Without a new version of node 0's links nobody could do without node 2.
    #[test]
    fn who_loses_somebody_tells_so() {
        let mut out = Actions::new();
        let mut zero = start(0, &[1, 2], &mut out);
        zero.hear(NodeId(1), GreedyWord::Hello, &(), &mut out);
        zero.hear(NodeId(2), GreedyWord::Hello, &(), &mut out);
        zero.hear(NodeId(1), links(1, (1, 0), &[0]), &(), &mut out);
        said(&mut out);
        zero.without(NodeId(2), &(), &mut out);
        assert_eq!(said(&mut out), [(1, links(0, (1, 1), &[1]))]);
        assert_eq!(zero.colour(), Some(0));
    }

    #[test]
    fn nobody_speaks_for_another_time_or_for_this_node() {
        let mut out = Actions::new();
        let mut zero = start(0, &[1], &mut out);
        zero.hear(NodeId(1), links(0, (9, 9), &[5]), &(), &mut out);
        zero.hear(NodeId(1), links(1, (3, 1), &[0, 2]), &(), &mut out);
        zero.hear(NodeId(1), links(1, (3, 0), &[0]), &(), &mut out);
        assert_eq!(zero.colour(), None); // what about node 2?
        zero.hear(NodeId(1), links(2, (1, 0), &[1]), &(), &mut out);
        assert_eq!(zero.colour(), Some(0));
    }

    #[test]
    fn nonsense_takes_no_more_memory_and_blocks_nobody() {
        let mut out = Actions::new();
        let mut zero = start(0, &[1], &mut out);
        for of in 1..2 * MOST_NODES as u32 {
            zero.hear(NodeId(1), links(of, (1, 0), &[of + 1]), &(), &mut out);
            out.clear();
        }
        assert_eq!(zero.colour(), Some(0));
    }

    #[test]
    fn every_announcement_fits_a_message() {
        let mut out = Actions::new();
        let peers: Vec<u32> = (u32::MAX - 999..u32::MAX).collect();
        let mut zero = Recolouring::<Greedy>::start(
            NodeId(u32::MAX),
            u32::MAX,
            peers.iter().copied().map(NodeId),
            &(),
            &mut out,
        );
        for &peer in &peers {
            zero.hear(NodeId(peer), GreedyWord::Hello, &(), &mut out);
        }
        for action in out.drain() {
            if let Action::Send { msg, .. } = action {
                wire::encode(&msg, &mut Vec::new()).expect("short enough");
            }
        }
    }
}
