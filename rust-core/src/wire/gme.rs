//! Messages of `gme` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` height | `LinkInfo` |
//! | `01` height resource | `Request` |
//! | `02` height count resource... | `Token` |
//! | `03` height resource weight | `SubToken` |
//! | `04` height weight | `Release` |
//!
//! A height is as in [`super::rl`]; a resource is a number of at most 5 bytes, a weight one of at
//! most 10. There are at most [`Groups::MOST`](crate::protocol::gme::Groups::MOST) resources, so
//! every token that a run can have fits a message.

use super::{Tag, WireMessage};
use crate::protocol::gme::GmeMessage;

impl WireMessage for GmeMessage {
    const TAG: Tag = Tag::Gme;
}
