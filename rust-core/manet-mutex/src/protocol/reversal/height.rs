//! Heights: what orders the nodes.

use crate::ids::NodeId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A node's height [RL 4.1]: compared lexicographically, so no two nodes are equally high.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Height {
    /// Rises when the node raises itself.
    pub h1: i64,
    /// Falls with every hop of the token.
    pub h2: i64,
    /// Whose height it is.
    pub id: NodeId,
}

impl fmt::Debug for Height {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({},{},{})", self.h1, self.h2, self.id)
    }
}

/// A height without its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Level {
    pub h1: i64,
    pub h2: i64,
}

impl Level {
    pub const fn of(self, id: NodeId) -> Height {
        Height {
            h1: self.h1,
            h2: self.h2,
            id,
        }
    }

    pub const fn from(height: Height) -> Self {
        Self {
            h1: height.h1,
            h2: height.h2,
        }
    }

    /// Ordered like the levels, but as one number, so that to compare two takes no decision that
    /// a processor could foresee wrongly.
    pub const fn rank(self) -> i128 {
        let h2 = self.h2 as u64 ^ 1 << 63;
        (self.h1 as i128) << 64 | h2 as i128
    }

    /// The level of whoever receives the token from this one. Saturates: heights that a run can
    /// reach stay far from the limits, forged ones must not end it.
    pub const fn below(self) -> Self {
        Self {
            h1: self.h1,
            h2: self.h2.saturating_sub(1),
        }
    }
}
