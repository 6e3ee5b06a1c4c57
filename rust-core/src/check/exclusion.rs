//! Who is inside together.

use super::{Scope, Violation};
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Role;
use std::collections::BTreeSet;

/// Watches who is inside.
///
/// For [`Scope::Neighbours`] two nodes are neighbours from the moment the `Moving` end of a link
/// has processed its link up until either end has processed its link down: before and after that
/// one of them cannot know of the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exclusion {
    scope: Scope,
    /// Sorted, and mostly short.
    inside: Vec<(NodeId, Demand)>,
    bound: BTreeSet<(NodeId, NodeId)>,
}

impl Exclusion {
    pub(super) fn new(scope: Scope, links: impl IntoIterator<Item = (NodeId, NodeId)>) -> Self {
        let bound = match scope {
            Scope::Neighbours => links.into_iter().map(|(a, b)| ordered(a, b)).collect(),
            _ => BTreeSet::new(),
        };
        Self {
            scope,
            inside: Vec::new(),
            bound,
        }
    }

    /// The nodes inside, with what they were granted.
    pub fn inside(&self) -> impl Iterator<Item = (NodeId, Demand)> + '_ {
        self.inside.iter().copied()
    }

    /// A node enters.
    ///
    /// # Errors
    /// If it may not be inside together with those who are.
    pub fn enter(&mut self, node: NodeId, demand: Demand) -> Result<(), Violation> {
        match self.place(node) {
            Ok(at) => {
                self.inside[at].1 = demand;
                return Err(violation(format!("{node:?} entered while inside")));
            }
            Err(at) => self.inside.insert(at, (node, demand)),
        }
        match self.scope {
            Scope::Global => self.check_pairs(node, demand, |_, theirs| demand.shares_with(theirs)),
            Scope::Units { total } => self.check_units(total),
            Scope::Neighbours => {
                let bound = &self.bound;
                let apart = |other, _| !bound.contains(&ordered(node, other));
                self.check_pairs(node, demand, apart)
            }
        }
    }

    /// A node leaves.
    pub fn leave(&mut self, node: NodeId) {
        if let Ok(at) = self.place(node) {
            self.inside.remove(at);
        }
    }

    /// A link came up at `node`. The moving end steps back while it processes this event; that it
    /// did is seen afterwards, by [`Exclusion::check`].
    pub fn link_up(&mut self, node: NodeId, peer: NodeId, role: Role) {
        if self.scope == Scope::Neighbours && role == Role::Moving {
            self.bound.insert(ordered(node, peer));
        }
    }

    /// A link went down at `node`.
    pub fn link_down(&mut self, node: NodeId, peer: NodeId) {
        self.bound.remove(&ordered(node, peer));
    }

    /// Checks all who are inside now.
    ///
    /// # Errors
    /// If two of them may not be inside together.
    pub fn check(&self) -> Result<(), Violation> {
        let apart = |&(a, b): &&(NodeId, NodeId)| self.place(*a).is_ok() && self.place(*b).is_ok();
        match self.bound.iter().find(apart) {
            Some((a, b)) => Err(violation(format!(
                "neighbours {a:?} and {b:?} are both inside"
            ))),
            None => Ok(()),
        }
    }

    fn place(&self, node: NodeId) -> Result<usize, usize> {
        self.inside.binary_search_by_key(&node, |&(other, _)| other)
    }

    fn check_pairs(
        &self,
        node: NodeId,
        mine: Demand,
        compatible: impl Fn(NodeId, Demand) -> bool,
    ) -> Result<(), Violation> {
        let clash = self
            .inside()
            .find(|&(other, theirs)| other != node && !compatible(other, theirs));
        match clash {
            Some((other, theirs)) => Err(violation(format!(
                "{node:?} entered ({mine}) while {other:?} is inside ({theirs})"
            ))),
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
        Err(violation(format!(
            "{held} of {total} units are held at once"
        )))
    }
}

fn ordered(a: NodeId, b: NodeId) -> (NodeId, NodeId) {
    (a.min(b), a.max(b))
}

fn violation(detail: String) -> Violation {
    Violation::new("exclusion", detail)
}
