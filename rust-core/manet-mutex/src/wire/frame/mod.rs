//! Frames of the link layer as bytes.
//!
//! | byte | what |
//! |---|---|
//! | 0 | [`VERSION`] of the format |
//! | 1 | [`Tag`]: the protocol that the node runs |
//! | 2 | the kind of frame |
//! | 3.. | the sender's id, then: |
//!
//! | kind | frame | fields |
//! |---|---|---|
//! | `00` | `Hello` | number, count (one byte), so many entries |
//! | `01` | `Data` | receiver, `mine`, `theirs`, sequence number, acknowledgement, whether an acknowledgement is wanted at once, the message |
//! | `02` | `Ack` | receiver, `mine`, `theirs`, acknowledgement |
//! | `03` | `Close` | receiver, whether an answer is wanted, final |
//! | `04` | `Flood` | origin, number, hops left (one byte), target, whether an answer is wanted, final |
//! | `05` | `Shared` | as `Hello`, then a count (one byte, not 0), so many messages |
//!
//! An entry is the peer's id, a byte of marks, `mine`, and as marked `theirs`, the acknowledgement
//! (if up) and a final. Marks, from the lowest bit: state (two bits), moving, inside, doubtful, has
//! `theirs`, has a final; the top bit is 0. A final is `mine`, `theirs`, received. With small
//! numbers an entry has 5 or 6 bytes.
//!
//! A shared message is the number of its receivers (one byte), for each of them the place of its
//! entry (one byte, growing) and the sequence number, whether an acknowledgement is wanted at
//! once, the message's length, the message. Numbers are written as in [`super`], `mine` and
//! `theirs` (epochs) and the numbers of hellos and floods have 64 bits, the rest 32.
//!
//! The contract is that of [`super`]: nothing panics, one frame has one byte string, no frame is
//! longer than [`MAX_FRAME`], and every value that fits its field is accepted. What a frame may
//! mean is for [`crate::link`] to judge.

mod fields;
mod hello;

pub use fields::{Entry, Epoch, Final, Standing, State};
pub use hello::{
    Gist, Hello, Lister, MAX_ENTRIES, MAX_ENTRY, MAX_FINAL, Place, SPARE, Shared, Sharer,
};

use super::varint::{Reader, put};
use super::{MAX_MESSAGE, Tag, VERSION, WireError};
use crate::ids::NodeId;

/// No frame is longer: it fits a frame of 802.11.
pub const MAX_FRAME: usize = 2200;

/// A frame, with what it contains still in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// To all in range: I am here, and this is how I see you. Perhaps with messages for some.
    Hello(Hello<'a>),
    /// A message for one.
    Data(Data<'a>),
    /// What has been received so far.
    Ack(Ack),
    /// The sender has left an incarnation.
    Close(Close),
    /// The same, passed on by everybody.
    Flood(Flood),
}

/// Which kind of frame it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// [`Frame::Hello`] without messages.
    Hello,
    /// [`Frame::Data`].
    Data,
    /// [`Frame::Ack`].
    Ack,
    /// [`Frame::Close`].
    Close,
    /// [`Frame::Flood`].
    Flood,
    /// [`Frame::Hello`] with messages.
    Shared,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Hello,
        Self::Data,
        Self::Ack,
        Self::Close,
        Self::Flood,
        Self::Shared,
    ];

    /// For traces and counts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hello => "hello",
            Self::Data => "data",
            Self::Ack => "ack",
            Self::Close => "close",
            Self::Flood => "flood",
            Self::Shared => "shared",
        }
    }
}

/// The kind of a frame and who says to have sent it: all that a host needs to know, which has to
/// find the sender's address.
///
/// # Errors
/// If `bytes` do not begin like a frame.
pub fn glance(bytes: &[u8]) -> Result<(Kind, NodeId), WireError> {
    let [version, _, kind, body @ ..] = bytes else {
        return Err(WireError::Truncated);
    };
    if *version != VERSION {
        return Err(WireError::Version { found: *version });
    }
    let what = "its kind is unknown";
    let kind = Kind::ALL.get(usize::from(*kind)).copied();
    let kind = kind.ok_or(WireError::Malformed { what })?;
    let from = NodeId(Reader { rest: body }.u32()?);
    Ok((kind, from))
}

/// The body of a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data<'a> {
    /// The receiver.
    pub to: NodeId,
    /// The sender's epoch.
    pub mine: Epoch,
    /// The receiver's epoch.
    pub theirs: Epoch,
    /// The message's place in this direction of the incarnation.
    pub sequence: u32,
    /// How many the sender has received of the other direction.
    pub ack: u32,
    /// The sender wants an acknowledgement at once.
    pub urgent: bool,
    /// The message, encoded.
    pub message: &'a [u8],
}

/// The body of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ack {
    /// The receiver.
    pub to: NodeId,
    /// The sender's epoch.
    pub mine: Epoch,
    /// The receiver's epoch.
    pub theirs: Epoch,
    /// How many messages the sender has received.
    pub ack: u32,
}

/// The body of a close.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Close {
    /// The receiver.
    pub to: NodeId,
    /// The sender wants to know the receiver's final.
    pub ask: bool,
    /// What the sender has received.
    pub last: Final,
}

/// The body of a flood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Flood {
    /// Who started it.
    pub origin: NodeId,
    /// Counts the origin's floods.
    pub number: u64,
    /// How often it may be passed on yet.
    pub hops: u8,
    /// Whom it is for.
    pub target: NodeId,
    /// The origin wants to know the target's final.
    pub ask: bool,
    /// What the origin has received.
    pub last: Final,
}

/// Reads a frame that fills all of `bytes` and was sent by a node that runs the protocol of
/// `tag`; also tells who sent it.
///
/// # Errors
/// If `bytes` are anything else.
pub fn decode(tag: Tag, bytes: &[u8]) -> Result<(NodeId, Frame<'_>), WireError> {
    read(tag, bytes, None)
}

/// The same, read by `me`: finds its entry in a hello.
///
/// # Errors
/// The same.
#[inline]
pub fn decode_for(me: NodeId, tag: Tag, bytes: &[u8]) -> Result<(NodeId, Frame<'_>), WireError> {
    read(tag, bytes, Some(me))
}

fn read(tag: Tag, bytes: &[u8], me: Option<NodeId>) -> Result<(NodeId, Frame<'_>), WireError> {
    let (kind, mut reader) = begin(tag, bytes, MAX_FRAME)?;
    let from = NodeId(reader.u32()?);
    let frame = match kind {
        0 => Frame::Hello(hello::read(&mut reader, me)?),
        1 => Frame::Data(data(&mut reader)?),
        2 => Frame::Ack(Ack {
            to: NodeId(reader.u32()?),
            mine: Epoch(reader.u64()?),
            theirs: Epoch(reader.u64()?),
            ack: reader.u32()?,
        }),
        3 => Frame::Close(Close {
            to: NodeId(reader.u32()?),
            ask: reader.truth()?,
            last: last(&mut reader)?,
        }),
        4 => Frame::Flood(Flood {
            origin: NodeId(reader.u32()?),
            number: reader.u64()?,
            hops: reader.byte()?,
            target: NodeId(reader.u32()?),
            ask: reader.truth()?,
            last: last(&mut reader)?,
        }),
        5 => Frame::Hello(hello::read_shared(&mut reader, me)?),
        _ => {
            let what = "its kind is unknown";
            return Err(WireError::Malformed { what });
        }
    };
    reader.end()?;
    Ok((from, frame))
}

/// Reads version, tag and kind of a frame or datagram of at most `most` bytes.
pub(super) fn begin(tag: Tag, bytes: &[u8], most: usize) -> Result<(u8, Reader<'_>), WireError> {
    match *bytes {
        _ if bytes.len() > most => Err(WireError::TooLarge { most }),
        [] => Err(WireError::Empty),
        [found, ..] if found != VERSION => Err(WireError::Version { found }),
        [_] => Err(WireError::Truncated),
        [_, found, ..] if found != tag.byte() => {
            let expected = tag.name();
            Err(WireError::OtherProtocol { found, expected })
        }
        [_, _] => Err(WireError::Truncated),
        [_, _, kind, ref rest @ ..] => Ok((kind, Reader { rest })),
    }
}

/// Reads the message that fills the rest of a frame or datagram; still encoded.
pub(super) fn end_message<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], WireError> {
    match reader.rest.len() {
        0 => Err(WireError::Truncated),
        1..=MAX_MESSAGE => Ok(std::mem::take(&mut reader.rest)),
        _ => Err(WireError::TooLarge { most: MAX_MESSAGE }),
    }
}

fn last(reader: &mut Reader<'_>) -> Result<Final, WireError> {
    Ok(Final {
        mine: Epoch(reader.u64()?),
        theirs: Epoch(reader.u64()?),
        received: reader.u32()?,
    })
}

fn data<'a>(reader: &mut Reader<'a>) -> Result<Data<'a>, WireError> {
    Ok(Data {
        to: NodeId(reader.u32()?),
        mine: Epoch(reader.u64()?),
        theirs: Epoch(reader.u64()?),
        sequence: reader.u32()?,
        ack: reader.u32()?,
        urgent: reader.truth()?,
        message: end_message(reader)?,
    })
}

/// Appends frames of one node to `out`.
#[derive(Debug)]
pub struct Writer<'a> {
    out: &'a mut Vec<u8>,
    tag: Tag,
    from: NodeId,
}

impl<'a> Writer<'a> {
    /// Writes frames of the node `from`, which runs the protocol of `tag`.
    pub const fn new(out: &'a mut Vec<u8>, tag: Tag, from: NodeId) -> Self {
        Self { out, tag, from }
    }

    /// Writes a hello with these entries.
    pub fn hello(self, number: u64, entries: impl IntoIterator<Item = (NodeId, Entry)>) {
        let mut hello = self.begin_hello(number);
        for (peer, entry) in entries {
            hello.add(peer, &entry);
        }
    }

    /// Begins a hello; the caller adds the entries.
    pub fn begin_hello(self, number: u64) -> Lister<'a> {
        Lister::new(self.head(0), number)
    }

    /// Begins a data frame; the caller appends the message.
    pub fn data(self, data: &Data<'_>) {
        let out = self.head(1);
        put(out, data.to.0.into());
        put(out, data.mine.0);
        put(out, data.theirs.0);
        put(out, data.sequence.into());
        put(out, data.ack.into());
        out.push(data.urgent.into());
        out.extend_from_slice(data.message);
    }

    /// Writes an acknowledgement.
    pub fn ack(self, ack: &Ack) {
        let out = self.head(2);
        put(out, ack.to.0.into());
        put(out, ack.mine.0);
        put(out, ack.theirs.0);
        put(out, ack.ack.into());
    }

    /// Writes a close.
    pub fn close(self, close: &Close) {
        let out = self.head(3);
        put(out, close.to.0.into());
        out.push(close.ask.into());
        put_last(out, close.last);
    }

    /// Writes a flood.
    pub fn flood(self, flood: &Flood) {
        let out = self.head(4);
        put(out, flood.origin.0.into());
        put(out, flood.number);
        out.push(flood.hops);
        put(out, flood.target.0.into());
        out.push(flood.ask.into());
        put_last(out, flood.last);
    }

    fn head(self, kind: u8) -> &'a mut Vec<u8> {
        let Self { out, tag, from } = self;
        out.extend([VERSION, tag.byte(), kind]);
        put(out, from.0.into());
        out
    }
}

fn put_last(out: &mut Vec<u8>, last: Final) {
    put(out, last.mine.0);
    put(out, last.theirs.0);
    put(out, last.received.into());
}
