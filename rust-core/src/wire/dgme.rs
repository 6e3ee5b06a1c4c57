//! Messages of `dgme` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` session | `OPEN` |
//! | `01` session | `OK` |
//! | `02` session | `REL` |
//! | `03` session session | `REQ`: who is asked, who asks |
//! | `04` session | `TOKEN` |
//!
//! A session is a number of at most 5 bytes.

use super::{Tag, WireMessage};
use crate::protocol::routed::dgme::DgmeMessage;

impl WireMessage for DgmeMessage {
    const TAG: Tag = Tag::Dgme;
}
