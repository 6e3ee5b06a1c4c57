//! What nodes of `lme1a` and `lme1b` say to each other.

use super::doorway::Position;
use super::forks::ForkMessage;
use crate::machine::{Cargo, Message};
use serde::{Deserialize, Serialize};

/// A colour: from the recolouring module below zero, from an exit zero or more.
pub type Colour = i64;

/// What Algorithm 1 says to a neighbour; `W` is what its colouring procedure says.
///
/// # As bytes
/// Messages of `lme1a` and `lme1b` as bytes. The tags are at the words, in [`colouring`](super::colouring).
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` position | `Position` |
/// | `01` presence colour? position | `Welcome` |
/// | `02` colour | `UpdateColour` |
/// | `03` | `Req` |
/// | `04` flag | `Fork` |
/// | `05` attempt word | `NewColour` |
/// | `06` attempt | `Nack` |
///
/// A position is a byte, the sum of the doorways that the node is behind: 1 for AD^r, 2 for SD^r, 4
/// for AD^f, 8 for SD^f. A colour is a signed number of at most 10 bytes, after a byte 1 where it
/// may be missing; an attempt is a number of at most 5.
///
/// | word of `lme1a` | |
/// |---|---|
/// | `00` | `Hello` |
/// | `01` node attempt lost count node... | `Links` |
///
/// The word of `lme1b` is a round, one byte, and a colour, an unsigned number of at most 10 bytes.
/// [`MOST_LINKS`](super::colouring::greedy::MOST_LINKS) neighbours fit into `Links`
/// whatever their ids.
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
