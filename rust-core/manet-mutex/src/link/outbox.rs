//! What the link layer leaves behind.

use super::pair::Unfit;
use crate::ids::NodeId;
use crate::machine::{Event, Role};
use crate::wire::WireError;
use crate::wire::frame::Epoch;
use serde::Serialize;
use std::ops::Range;
use std::time::Duration;

/// Names a frame that was given to the radio, for [`super::Link::sent`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(pub u64);

impl FrameId {
    pub(super) fn new(to: NodeId, number: u32) -> Self {
        Self(u64::from(to.0) << 32 | u64::from(number))
    }

    pub(super) const fn to(self) -> NodeId {
        NodeId((self.0 >> 32) as u32)
    }
}

/// A frame for the radio.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// Its name, unless it is for all.
    pub id: Option<FrameId>,
    /// The receiver; `None` for everybody in range.
    pub to: Option<NodeId>,
    /// Where its bytes are in the outbox.
    range: Range<usize>,
}

/// The output of the link layer or, with notes of its own, of [`crate::transport`]: frames for the
/// radio or for routing, events for the protocol, notes for observers. Reuse it; it keeps its
/// memory.
#[derive(Clone, Debug)]
pub struct Outbox<M, N = Note> {
    pub(crate) bytes: Vec<u8>,
    frames: Vec<Transmit>,
    /// For the protocol, in this order. All concern one peer, and a `LinkDown` comes before
    /// anything else about it, so that a protocol that answers one event is never overtaken by
    /// the next.
    pub events: Vec<Event<M>>,
    /// For observers.
    pub notes: Vec<N>,
}

impl<M, N> Outbox<M, N> {
    /// An empty one.
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            frames: Vec::new(),
            events: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The frames to send, in this order.
    pub fn frames(&self) -> impl Iterator<Item = (&Transmit, &[u8])> + '_ {
        self.frames
            .iter()
            .map(|frame| (frame, &self.bytes[frame.range.clone()]))
    }

    /// Whether there is nothing in it.
    pub const fn is_empty(&self) -> bool {
        self.frames.is_empty() && self.events.is_empty() && self.notes.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.frames.clear();
        self.events.clear();
        self.notes.clear();
    }

    /// The bytes from `start` on are a frame.
    pub(crate) fn frame(&mut self, start: usize, to: Option<NodeId>, id: Option<FrameId>) {
        let range = start..self.bytes.len();
        self.frames.push(Transmit { id, to, range });
    }
}

impl<M, N> Default for Outbox<M, N> {
    fn default() -> Self {
        Self::new()
    }
}

/// What the link layer says about itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A link came up here.
    Up {
        /// The other end.
        peer: NodeId,
        /// This end's and the other end's epoch.
        incarnation: (Epoch, Epoch),
        /// This end's role.
        role: Role,
    },
    /// A link that was up closed here.
    Down {
        /// The other end.
        peer: NodeId,
        /// This end's and the other end's epoch.
        incarnation: (Epoch, Epoch),
        /// Why.
        cause: Cause,
    },
    /// It is known now what became of the messages in doubt.
    Resolved {
        /// Whom they were for.
        peer: NodeId,
        /// How it became known.
        way: Way,
        /// How many messages.
        messages: usize,
        /// Since the link closed.
        after: Duration,
    },
    /// A peer that is heard well does not become a neighbour: there are too many.
    Crowded {
        /// Who.
        peer: NodeId,
        /// How many there may be.
        most: usize,
    },
}

/// Why a link closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The peer's power fell below the margin.
    Weak,
    /// No hello came for too long.
    Silent,
    /// The peer has left.
    Left,
    /// Too many messages wait on it.
    Backlog,
}

/// How a doubt was resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// A close frame of the peer.
    Close,
    /// A hello of the peer.
    Hello,
    /// Through other nodes.
    Flood,
}

/// Why a frame was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Drop {
    /// Its bytes end too soon.
    Truncated,
    /// Its bytes are too many.
    Oversized,
    /// Another version of the format, or none of it.
    Version,
    /// Of a node that runs another protocol.
    Foreign,
    /// Its bytes mean nothing.
    Malformed,
    /// The message inside cannot be read.
    Message,
    /// For somebody else.
    NotForMe,
    /// Claims to come from this node.
    Myself,
    /// A hello that is not newer than the last one.
    Replayed,
    /// Of an incarnation that is over.
    Stale,
    /// Names an epoch or a count that was never reached.
    Forged,
    /// The link is not up here.
    NotUp,
    /// A message received before.
    Duplicate,
    /// A message before which something is missing.
    Gap,
    /// Of a peer that is not known.
    Stranger,
    /// Of a peer for which there is no room.
    NoRoom,
    /// A flood seen before.
    Seen,
}

impl Drop {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Truncated,
        Self::Oversized,
        Self::Version,
        Self::Foreign,
        Self::Malformed,
        Self::Message,
        Self::NotForMe,
        Self::Myself,
        Self::Replayed,
        Self::Stale,
        Self::Forged,
        Self::NotUp,
        Self::Duplicate,
        Self::Gap,
        Self::Stranger,
        Self::NoRoom,
        Self::Seen,
    ];
}

impl From<&WireError> for Drop {
    fn from(error: &WireError) -> Self {
        match error {
            WireError::Empty | WireError::Truncated => Self::Truncated,
            WireError::TooLarge { .. } => Self::Oversized,
            WireError::Version { .. } => Self::Version,
            WireError::OtherProtocol { .. } => Self::Foreign,
            WireError::Malformed { .. } | WireError::Trailing { .. } => Self::Malformed,
        }
    }
}

impl From<Unfit> for Drop {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Stale => Self::Stale,
            Unfit::Forged => Self::Forged,
            Unfit::NotUp => Self::NotUp,
            Unfit::Duplicate => Self::Duplicate,
            Unfit::Gap => Self::Gap,
        }
    }
}

/// Counts what the link layer did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Hellos sent.
    pub hellos: u64,
    /// Bytes of hellos sent.
    pub hello_bytes: u64,
    /// Hellos of others that were heard.
    pub hellos_heard: u64,
    /// Data frames sent, those sent again included.
    pub data: u64,
    /// Messages that rode on hellos.
    pub shared: u64,
    /// Acknowledgements sent.
    pub acks: u64,
    /// Closes sent.
    pub closes: u64,
    /// Floods sent, those of others included.
    pub floods: u64,
    /// Ownership messages that the protocol sent.
    pub owned: u64,
    /// Messages delivered to the protocol.
    pub delivered: u64,
    drops: [u64; Drop::ALL.len()],
    /// Their sum, which hosts ask for after every frame.
    dropped: u64,
}

impl Counters {
    pub(super) const fn drop(&mut self, why: Drop) {
        self.drops[why as usize] += 1;
        self.dropped += 1;
    }

    /// How many frames were dropped, for whatever reason.
    pub const fn all_dropped(&self) -> u64 {
        self.dropped
    }

    /// How many frames were dropped for this reason.
    pub const fn dropped(&self, why: Drop) -> u64 {
        self.drops[why as usize]
    }

    /// Adds those of another node.
    pub fn add(&mut self, other: &Self) {
        self.hellos += other.hellos;
        self.hello_bytes += other.hello_bytes;
        self.hellos_heard += other.hellos_heard;
        self.data += other.data;
        self.shared += other.shared;
        self.acks += other.acks;
        self.closes += other.closes;
        self.floods += other.floods;
        self.owned += other.owned;
        self.delivered += other.delivered;
        self.dropped += other.dropped;
        for (mine, theirs) in self.drops.iter_mut().zip(other.drops) {
            *mine += theirs;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_in_it_an_outbox_is_not_empty() {
        let peer = NodeId(1);
        type Fill = fn(&mut Outbox<u8, u8>, NodeId);
        let fill: [Fill; 3] = [
            |out, peer| out.frame(0, Some(peer), None),
            |out, from| out.events.push(Event::Message { from, msg: 1 }),
            |out, _| out.notes.push(1),
        ];
        for fill in fill {
            let mut out = Outbox::new();
            assert!(out.is_empty());
            fill(&mut out, peer);
            assert!(!out.is_empty());
        }
    }

    #[test]
    fn counters_add_up() {
        let mut one = Counters {
            data: 3,
            ..Counters::default()
        };
        one.drop(Drop::Gap);
        let mut sum = one;
        sum.add(&one);
        assert_eq!(
            (sum.data, sum.dropped(Drop::Gap), sum.all_dropped()),
            (6, 2, 2)
        );
    }
}
