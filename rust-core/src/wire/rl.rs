//! Messages of `rl` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` height | `LinkInfo` |
//! | `01` height | `Request` |
//! | `02` height more | `Token` |
//!
//! A height is `h1` and `h2` (signed, at most 10 bytes each) and the sender's id (at most 5
//! bytes); `more` is a truth value.

use super::{Tag, WireMessage};
use crate::protocol::rl::RlMessage;

impl WireMessage for RlMessage {
    const TAG: Tag = Tag::Rl;
}
