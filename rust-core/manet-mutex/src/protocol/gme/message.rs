//! What nodes of `gme` say to each other.

use super::Gme;
use crate::machine::Protocol;
use crate::machine::{Cargo, Message};
use crate::protocol::reversal::{Height, LinkInfo, Release};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};

/// What `gme` says to a neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GmeMessage {
    /// My height changed, or our link formed.
    LinkInfo(Height),
    /// Somebody at or behind me wants a resource.
    Request {
        /// The sender's height.
        height: Height,
        /// `R`.
        resource: u32,
    },
    /// The token.
    Token {
        /// The sender's height, below everybody else's.
        height: Height,
        /// What is wanted at the sender, in the order in which it was asked for.
        resources: Vec<u32>,
    },
    /// A share of the leader's session.
    SubToken {
        /// The sender's height.
        height: Height,
        /// `R`.
        resource: u32,
        /// `w`.
        weight: u64,
    },
    /// Weight on its way back.
    Release {
        /// The sender's height.
        height: Height,
        /// `w`.
        weight: u64,
    },
}

impl GmeMessage {
    /// The sender's height.
    pub const fn height(&self) -> Height {
        match *self {
            Self::LinkInfo(height)
            | Self::Request { height, .. }
            | Self::Token { height, .. }
            | Self::SubToken { height, .. }
            | Self::Release { height, .. } => height,
        }
    }
}

impl LinkInfo for GmeMessage {
    fn link_info(height: Height) -> Self {
        Self::LinkInfo(height)
    }
}

impl Release for GmeMessage {
    fn release(height: Height, weight: u64) -> Self {
        Self::Release { height, weight }
    }
}

impl Message for GmeMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::LinkInfo(_) => "LinkInfo",
            Self::Request { .. } => "Request",
            Self::Token { .. } => "Token",
            Self::SubToken { .. } => "SubToken",
            Self::Release { .. } => "Release",
        }
    }

    fn is_awaited(&self) -> bool {
        !matches!(self, Self::LinkInfo(_))
    }

    fn cargo(&self) -> Cargo {
        match *self {
            Self::LinkInfo(_) | Self::Request { .. } => Cargo::Nothing,
            Self::Token { .. } => Cargo::Token { units: 0 },
            Self::SubToken { weight, .. } | Self::Release { weight, .. } => Cargo::Weight(weight),
        }
    }
}

/// Messages of `gme` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` height | `LinkInfo` |
/// | `01` height resource | `Request` |
/// | `02` height count resource... | `Token` |
/// | `03` height resource weight | `SubToken` |
/// | `04` height weight | `Release` |
///
/// A height is as in [`RlMessage`](crate::protocol::rl::RlMessage); a resource is a number of at most 5 bytes, a weight one of at
/// most 10. There are at most [`Groups::MOST`](crate::protocol::gme::Groups::MOST) resources, so
/// every token that a run can have fits a message.
impl WireMessage for GmeMessage {
    const TAG: Tag = Tag::new(3, Gme::NAME);
}
