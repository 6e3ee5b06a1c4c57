//! Messages of `raymond` as bytes.
//!
//! | bytes after version and tag | message |
//! |---|---|
//! | `00` | `Request` |
//! | `01` | `Privilege` |

use super::{Tag, WireMessage};
use crate::protocol::routed::raymond::RaymondMessage;

impl WireMessage for RaymondMessage {
    const TAG: Tag = Tag::Raymond;
}
