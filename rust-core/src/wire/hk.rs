//! Messages of `hk` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` height | `LinkInfo` |
//! | `01` height key | `Request` |
//! | `02` height units grants residual | `Token` |
//! | `03` height units | `Release` |
//!
//! A height is as in [`super::rl`]; a key is a rank (signed, at most 10 bytes) and the id of the
//! node that waits; units and grants are numbers of at most 10 bytes; the residual is a byte 0, or
//! a byte 1 and a key.

use super::{Tag, WireMessage};
use crate::protocol::hk::HkMessage;

impl WireMessage for HkMessage {
    const TAG: Tag = Tag::Hk;
}
