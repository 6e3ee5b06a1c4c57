//! Names of nodes.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A node of the network. Nodes of a run are numbered from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The node's place in a vector of all nodes.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The node at a place in a vector of all nodes.
    ///
    /// # Panics
    /// If there are more than `u32::MAX` nodes, which no host builds.
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).expect("fewer than 2^32 nodes"))
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
