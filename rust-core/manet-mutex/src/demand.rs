//! What an application asks for, and what it is granted.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a node wants of the critical section. One small type serves all protocols; a protocol
/// refuses a demand it does not support ([`crate::machine::ProtocolError::Refused`]).
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Demand {
    /// To be alone: in the network (`rl`, `raymond`, `naimi-trehel`) or among the node's
    /// neighbours (`lme*`).
    #[default]
    Exclusive,
    /// To be inside together with others of the same group or session only (`gme`, `dgme`).
    Group(u32),
    /// To hold some of k identical units (`hk`); of two waiting requests the one with the larger
    /// priority goes first.
    Units {
        /// How many units (h), at least 1 and at most k.
        count: u32,
        /// The larger, the more urgent.
        priority: u32,
    },
}

/// What applications may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demands {
    /// Exclusive access.
    Exclusive,
    /// One of this many groups.
    Groups(u32),
    /// 1 to `most` units, at priority 0 to `priorities - 1`.
    Units {
        /// At most.
        most: u32,
        /// Number of priorities.
        priorities: u32,
    },
}

impl Demand {
    /// Whether two nodes may be inside together as far as these demands alone tell. Units are
    /// limited by their sum, not pair by pair.
    pub fn shares_with(self, other: Self) -> bool {
        match (self, other) {
            (Self::Group(a), Self::Group(b)) => a == b,
            (Self::Units { .. }, Self::Units { .. }) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Demand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exclusive => write!(f, "exclusive"),
            Self::Group(group) => write!(f, "group {group}"),
            Self::Units { count, priority } => write!(f, "{count} units at priority {priority}"),
        }
    }
}
