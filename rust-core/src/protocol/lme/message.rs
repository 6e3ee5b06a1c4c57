//! What nodes of `lme1a` and `lme1b` say to each other.

use super::doorway::Position;
use super::forks::ForkMessage;
use crate::machine::{Cargo, Message};
use serde::{Deserialize, Serialize};

/// A colour: from the recolouring module below zero, from an exit zero or more.
pub type Colour = i64;

/// What Algorithm 1 says to a neighbour; `W` is what its colouring procedure says.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lme1Message<W> {
    /// The sender crossed or left doorways: `cross` and `exit`, all in one.
    Position(Position),
    /// To a node that came: the sender's colour and where it is [LME 4.2, line 46].
    Welcome {
        /// None before the first recolouring.
        colour: Option<Colour>,
        /// `L[i]`.
        position: Position,
    },
    /// `update-color`.
    UpdateColour(Colour),
    /// `req`.
    Req,
    /// `fork`.
    Fork {
        /// The sender wants it back.
        flag: bool,
    },
    /// A message of `new-color()`.
    NewColour {
        /// The sender's attempts to recolour itself are counted.
        attempt: u32,
        /// What the procedure says.
        word: W,
    },
    /// `NACK`: the sender takes no part in the receiver's attempt.
    Nack {
        /// Which.
        attempt: u32,
    },
}

impl<W: Message> Message for Lme1Message<W> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Position(_) => "Position",
            Self::Welcome { .. } => "Welcome",
            Self::UpdateColour(_) => "UpdateColour",
            Self::Req => "Req",
            Self::Fork { .. } => "Fork",
            Self::NewColour { word, .. } => word.kind(),
            Self::Nack { .. } => "Nack",
        }
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Fork { .. } => Cargo::Fork,
            _ => Cargo::Nothing,
        }
    }
}

impl<W: Message> ForkMessage for Lme1Message<W> {
    fn req() -> Self {
        Self::Req
    }

    fn fork(flag: bool) -> Self {
        Self::Fork { flag }
    }
}
