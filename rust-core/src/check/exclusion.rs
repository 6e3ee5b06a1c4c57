//! Who is inside together.

use super::{Scope, Violation};
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Watches who is inside.
///
/// For [`Scope::Neighbours`] two nodes are neighbours from the moment the `Moving` end of a link
/// has processed its link up until either end has processed its link down: before and after that
/// one of them cannot know of the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exclusion {
    scope: Scope,
    inside: BTreeMap<NodeId, Demand>,
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
            inside: BTreeMap::new(),
            bound,
        }
    }

    /// The nodes inside, with what they were granted.
    pub fn inside(&self) -> impl Iterator<Item = (NodeId, Demand)> + '_ {
        self.inside.iter().map(|(&node, &demand)| (node, demand))
    }

    /// A node enters.
    ///
    /// # Errors
    /// If it may not be inside together with those who are.
    pub fn enter(&mut self, node: NodeId, demand: Demand) -> Result<(), Violation> {
        let again = self.inside.insert(node, demand).is_some();
        if again {
            return Err(violation(format!("{node:?} entered while inside")));
        }
        match self.scope {
            Scope::Global => self.check_pairs(node, |_, mine, theirs| mine.shares_with(theirs)),
            Scope::Units { total } => self.check_units(total),
            Scope::Neighbours => {
                let bound = &self.bound;
                let apart = |other, _, _| !bound.contains(&ordered(node, other));
                self.check_pairs(node, apart)
            }
        }
    }

    /// A node leaves.
    pub fn leave(&mut self, node: NodeId) {
        self.inside.remove(&node);
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
        let apart = |&(a, b): &&(NodeId, NodeId)| {
            self.inside.contains_key(a) && self.inside.contains_key(b)
        };
        match self.bound.iter().find(apart) {
            Some((a, b)) => Err(violation(format!(
                "neighbours {a:?} and {b:?} are both inside"
            ))),
            None => Ok(()),
        }
    }

    fn check_pairs(
        &self,
        node: NodeId,
        compatible: impl Fn(NodeId, Demand, Demand) -> bool,
    ) -> Result<(), Violation> {
        let mine = self.inside[&node];
        let clash = self
            .inside
            .iter()
            .find(|&(&other, &theirs)| other != node && !compatible(other, mine, theirs));
        match clash {
            Some((other, theirs)) => Err(violation(format!(
                "{node:?} entered ({mine}) while {other:?} is inside ({theirs})"
            ))),
            None => Ok(()),
        }
    }

    fn check_units(&self, total: u64) -> Result<(), Violation> {
        let units = |demand: &Demand| match demand {
            Demand::Units { count, .. } => u64::from(*count),
            _ => total + 1,
        };
        let held: u64 = self.inside.values().map(units).sum();
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
