//! What the transport leaves behind.

use super::pair::Unfit;
use crate::ids::NodeId;
use crate::link;
use crate::wire::WireError;
use serde::Serialize;

/// The transport's output: datagrams for routing, messages for the protocol, notes for the host.
pub type Outbox<M> = link::Outbox<M, Note<M>>;

/// What the transport says about a peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note<M> {
    /// It owes an answer and has been silent for long. Nothing is given up.
    Unreachable {
        /// Who.
        peer: NodeId,
    },
    /// It has answered again.
    Reachable {
        /// Who.
        peer: NodeId,
    },
    /// It has lost its memory. These messages do not go to its new life.
    PeerRestarted {
        /// Who.
        peer: NodeId,
        /// Had gone out, in this order; some may have been delivered to the old life.
        in_doubt: Vec<M>,
        /// Had not gone out, in this order; delivered to nobody.
        unsent: Vec<M>,
    },
}

/// Why a datagram was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Its bytes are none of a node that runs this protocol, or mean nothing.
    Malformed,
    /// The message inside cannot be read.
    Message,
    /// For somebody else.
    NotForMe,
    /// Claims to come from this node.
    Myself,
    /// Sent by an earlier life of the peer.
    Stale,
    /// Meant for another life of this node.
    OtherLife,
    /// A message received before.
    Duplicate,
    /// Names a number that cannot be.
    Forged,
    /// Of a node that does not exist, or of a peer for which there is no room.
    NoRoom,
}

impl Drop {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Malformed,
        Self::Message,
        Self::NotForMe,
        Self::Myself,
        Self::Stale,
        Self::OtherLife,
        Self::Duplicate,
        Self::Forged,
        Self::NoRoom,
    ];
}

impl From<&WireError> for Drop {
    fn from(_: &WireError) -> Self {
        Self::Malformed
    }
}

impl From<Unfit> for Drop {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Stale => Self::Stale,
            Unfit::OtherLife => Self::OtherLife,
            Unfit::Duplicate => Self::Duplicate,
            Unfit::Forged => Self::Forged,
        }
    }
}

/// Counts what the transport did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Counters {
    /// Messages that the protocol sent.
    pub sent: u64,
    /// Messages delivered to the protocol.
    pub delivered: u64,
    /// Datagrams with a message, those sent again included.
    pub data: u64,
    /// Of these, those sent again.
    pub again: u64,
    /// Questions for a peer's life.
    pub probes: u64,
    /// Acknowledgements.
    pub acks: u64,
    /// Bytes of all datagrams.
    pub bytes: u64,
    /// The most messages to one peer that were under way or waiting.
    pub most: u64,
    drops: [u64; Drop::ALL.len()],
}

impl Counters {
    pub(super) const fn drop(&mut self, why: Drop) {
        self.drops[why as usize] += 1;
    }

    /// How many datagrams were dropped for this reason.
    pub const fn dropped(&self, why: Drop) -> u64 {
        self.drops[why as usize]
    }

    /// Adds those of another node.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.delivered += other.delivered;
        self.data += other.data;
        self.again += other.again;
        self.probes += other.probes;
        self.acks += other.acks;
        self.bytes += other.bytes;
        self.most = self.most.max(other.most);
        for (mine, theirs) in self.drops.iter_mut().zip(other.drops) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_several_nodes_is_that_of_one() {
        let most = |most| Counters {
            most,
            ..Counters::default()
        };
        let mut sum = most(3);
        sum.add(&most(5));
        sum.add(&most(2));
        assert_eq!(sum.most, 5);
    }
}
