//! Messages of `naimi-trehel` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` node | `Request` |
//! | `01` | `Token` |
//!
//! A node is a number of at most 5 bytes.

use super::{Tag, WireMessage};
use crate::protocol::routed::naimi_trehel::NaimiTrehelMessage;

impl WireMessage for NaimiTrehelMessage {
    const TAG: Tag = Tag::NaimiTrehel;
}
