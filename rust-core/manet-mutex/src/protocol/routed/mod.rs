//! Protocols that talk to any node, over routing.

mod describe;
pub mod dgme;
mod invariants;
pub mod naimi_trehel;
pub mod raymond;

use crate::ids::NodeId;
use crate::machine::ProtocolError;

/// The driver handed a node a message of its own.
pub(crate) const fn self_sent(node: NodeId) -> ProtocolError {
    let what = "got a message from itself: deliver it to its receiver";
    ProtocolError::Misuse { node, what }
}
