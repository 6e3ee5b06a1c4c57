//! Who is inside together.

use super::{Check, Scope, Violation};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Watches who is inside.
///
/// For [`Scope::Neighbours`] two nodes are neighbours from the moment the `Moving` end of a link
/// has processed its link up until either end has processed its link down: before and after that
/// one of them cannot know of the other. Only the nodes that something happens to are looked at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exclusion {
    scope: Scope,
    inside: BTreeMap<NodeId, Demand>,
    /// Who is a neighbour of whom now.
    bound: Graph,
    /// Pairs whose link an end has left: a `Moving` end that comes up only then has no neighbour
    /// there. Forgotten when another incarnation begins.
    left: BTreeSet<(NodeId, NodeId)>,
}

impl Exclusion {
    pub(super) fn new(
        scope: Scope,
        nodes: usize,
        links: impl IntoIterator<Item = (NodeId, NodeId)>,
    ) -> Self {
        let mut bound = Graph::empty(0);
        if scope == Scope::Neighbours {
            bound = Graph::empty(nodes);
            for (a, b) in links {
                bound.add(a, b);
            }
        }
        Self {
            scope,
            inside: BTreeMap::new(),
            bound,
            left: BTreeSet::new(),
        }
    }

    /// The nodes inside, with what they were granted.
    pub fn inside(&self) -> impl Iterator<Item = (NodeId, Demand)> + '_ {
        self.inside.iter().map(|(&node, &demand)| (node, demand))
    }

    /// How many nodes are inside.
    pub fn count(&self) -> usize {
        self.inside.len()
    }

    /// A node enters.
    ///
    /// # Errors
    /// If it may not be inside together with those who are.
    pub fn enter(&mut self, node: NodeId, demand: Demand) -> Result<(), Violation> {
        if self.inside.insert(node, demand).is_some() {
            return Err(Violation::new(
                Check::EnterOnce,
                format!("{node:?} entered while inside"),
            ));
        }
        match self.scope {
            Scope::Global => self.check_pairs(node, demand),
            Scope::Units { total } => self.check_units(total),
            Scope::Neighbours => self.check_around(node),
        }
    }

    /// A node leaves.
    pub fn leave(&mut self, node: NodeId) {
        self.inside.remove(&node);
    }

    /// A node crashes. Among neighbours it stays inside if it was: nobody near it may enter.
    pub fn crash(&mut self, node: NodeId) {
        if self.scope != Scope::Neighbours {
            self.leave(node);
        }
    }

    /// A node that crashed starts again. It is not inside, and its links of the earlier life are
    /// over, also those that the other end has not closed yet.
    pub fn restart(&mut self, node: NodeId) {
        self.leave(node);
        if self.scope == Scope::Neighbours {
            for peer in self.bound.nodes().filter(|&peer| peer != node) {
                self.bound.remove(node, peer);
                self.left.insert(ordered(node, peer));
            }
        }
    }

    /// A new incarnation of a link begins.
    pub fn link_begins(&mut self, a: NodeId, b: NodeId) {
        self.left.remove(&ordered(a, b));
    }

    /// A link came up at `node`. The moving end steps back while it processes this event; that it
    /// did is checked afterwards, by [`Exclusion::linked`].
    pub fn link_up(&mut self, node: NodeId, peer: NodeId, role: Role) {
        let late = || self.left.contains(&ordered(node, peer));
        if self.scope == Scope::Neighbours && role == Role::Moving && !late() {
            self.bound.add(node, peer);
        }
    }

    /// A node has processed that a link came up.
    ///
    /// # Errors
    /// If it is inside together with its new neighbour.
    pub fn linked(&self, node: NodeId, peer: NodeId) -> Result<(), Violation> {
        if self.scope != Scope::Neighbours || !self.bound.has(node, peer) {
            return Ok(());
        }
        self.check_around(node)
    }

    /// A link went down at `node`.
    pub fn link_down(&mut self, node: NodeId, peer: NodeId) {
        if self.scope == Scope::Neighbours {
            self.bound.remove(node, peer);
            self.left.insert(ordered(node, peer));
        }
    }

    /// Checks that no neighbour is inside together with a node.
    fn check_around(&self, node: NodeId) -> Result<(), Violation> {
        if !self.inside.contains_key(&node) {
            return Ok(());
        }
        let mut around = self.bound.neighbours(node).iter();
        match around.find(|peer| self.inside.contains_key(peer)) {
            Some(peer) => {
                let detail = format!("neighbours {node:?} and {peer:?} are both inside");
                Err(Violation::new(Check::NeighboursInside, detail))
            }
            None => Ok(()),
        }
    }

    fn check_pairs(&self, node: NodeId, mine: Demand) -> Result<(), Violation> {
        let clash = self
            .inside()
            .find(|&(other, theirs)| other != node && !mine.shares_with(theirs));
        match clash {
            Some((other, theirs)) => {
                let detail =
                    format!("{node:?} entered ({mine}) while {other:?} is inside ({theirs})");
                Err(Violation::new(Check::AgreeInside, detail))
            }
            None => Ok(()),
        }
    }

    fn check_units(&self, total: u64) -> Result<(), Violation> {
        let units = |(_, demand)| match demand {
            Demand::Units { count, .. } => u64::from(count),
            _ => total + 1,
        };
        let held: u64 = self.inside().map(units).sum();
        if held <= total {
            return Ok(());
        }
        let detail = format!("{held} of {total} units are held at once");
        Err(Violation::new(Check::UnitsInside, detail))
    }
}

fn ordered(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}
