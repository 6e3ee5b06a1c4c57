//! What nodes of `hk` say to each other.

use super::Hk;
use crate::ids::NodeId;
use crate::machine::Protocol;
use crate::machine::{Cargo, Message};
use crate::protocol::reversal::{Height, LinkInfo, Release};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A request's place in line: the smaller, the sooner. No two requests that wait have the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// See [`super::Order`].
    pub rank: i64,
    /// Whose request it is.
    pub id: NodeId,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.rank, self.id)
    }
}

/// What `hk` says to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HkMessage {
    /// My height changed, or our link formed.
    LinkInfo(Height),
    /// This is the first that waits at or behind me. Also the paper's UPDATE.
    Request {
        /// The sender's height.
        height: Height,
        /// Its place in line.
        key: Key,
    },
    /// The token.
    Token {
        /// The sender's height, below everybody else's.
        height: Height,
        /// `t`: units that are free.
        units: u64,
        /// How often anybody has been let in.
        grants: u64,
        /// The first that waits at the sender.
        residual: Option<Key>,
    },
    /// Units on their way back.
    Release {
        /// The sender's height.
        height: Height,
        /// `r`.
        units: u64,
    },
}

impl HkMessage {
    /// The sender's height.
    pub const fn height(&self) -> Height {
        match *self {
            Self::LinkInfo(height)
            | Self::Request { height, .. }
            | Self::Token { height, .. }
            | Self::Release { height, .. } => height,
        }
    }
}

impl LinkInfo for HkMessage {
    fn link_info(height: Height) -> Self {
        Self::LinkInfo(height)
    }
}

impl Release for HkMessage {
    fn release(height: Height, units: u64) -> Self {
        Self::Release { height, units }
    }
}

impl Message for HkMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::LinkInfo(_) => "LinkInfo",
            Self::Request { .. } => "Request",
            Self::Token { .. } => "Token",
            Self::Release { .. } => "Release",
        }
    }

    fn is_awaited(&self) -> bool {
        !matches!(self, Self::LinkInfo(_))
    }

    fn cargo(&self) -> Cargo {
        match *self {
            Self::LinkInfo(_) | Self::Request { .. } => Cargo::Nothing,
            Self::Token { units, .. } => Cargo::Token { units },
            Self::Release { units, .. } => Cargo::Units(units),
        }
    }
}

/// Messages of `hk` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` height | `LinkInfo` |
/// | `01` height key | `Request` |
/// | `02` height units grants residual | `Token` |
/// | `03` height units | `Release` |
///
/// A height is as in [`RlMessage`](crate::protocol::rl::RlMessage); a key is a rank (signed, at most 10 bytes) and the id of the
/// node that waits; units and grants are numbers of at most 10 bytes; the residual is a byte 0, or
/// a byte 1 and a key.
impl WireMessage for HkMessage {
    const TAG: Tag = Tag::new(4, Hk::NAME);
}
