//! Messages of `lme1a`, `lme1b` and `lme2` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` position | `Position` |
//! | `01` presence colour? position | `Welcome` |
//! | `02` colour | `UpdateColour` |
//! | `03` | `Req` |
//! | `04` flag | `Fork` |
//! | `05` attempt word | `NewColour` |
//! | `06` attempt | `Nack` |
//!
//! A position is a byte, the sum of the doorways that the node is behind: 1 for AD^r, 2 for SD^r, 4
//! for AD^f, 8 for SD^f. A colour is a signed number of at most 10 bytes, after a byte 1 where it
//! may be missing; an attempt is a number of at most 5.
//!
//! | word of `lme1a` | |
//! |---|---|
//! | `00` | `Hello` |
//! | `01` node attempt lost count node... | `Links` |
//!
//! The word of `lme1b` is a round, one byte, and a colour, an unsigned number of at most 10 bytes.
//! [`MOST_LINKS`](crate::protocol::lme::colouring::greedy::MOST_LINKS) neighbours fit into `Links`
//! whatever their ids.
//!
//! | bytes of `lme2` after version and tag | message |
//! |---|---|
//! | `00` | `Req` |
//! | `01` flag | `Fork` |
//! | `02` | `Notify` |
//! | `03` height | `Height` |
//! | `04` height | `Welcome` |
//!
//! A height is an unsigned number of at most 10 bytes.

use super::{Tag, WireMessage};
use crate::protocol::lme::algorithm2::Lme2Message;
use crate::protocol::lme::colouring::greedy::GreedyWord;
use crate::protocol::lme::colouring::linial::LinialWord;
use crate::protocol::lme::message::Lme1Message;

impl WireMessage for Lme1Message<GreedyWord> {
    const TAG: Tag = Tag::Lme1a;
}

impl WireMessage for Lme1Message<LinialWord> {
    const TAG: Tag = Tag::Lme1b;
}

impl WireMessage for Lme2Message {
    const TAG: Tag = Tag::Lme2;
}
