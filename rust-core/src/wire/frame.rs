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

use super::varint::{Reader, put};
use super::{MAX_MESSAGE, Tag, VERSION, WireError};
use crate::ids::NodeId;
use crate::link::{Entry, Epoch, Final, Standing, State};

/// No frame is longer: it fits a frame of 802.11.
pub const MAX_FRAME: usize = 2200;

/// The most entries of a hello.
pub const MAX_ENTRIES: usize = 64;

/// The most bytes of an entry without a final.
pub const MAX_ENTRY: usize = 5 + 1 + 10 + 10 + 5;

/// The most bytes of a final.
pub const MAX_FINAL: usize = 10 + 10 + 5;

/// What a hello has room for beyond [`MAX_ENTRIES`] entries without finals.
pub const SPARE: usize = MAX_FRAME - (3 + 5 + 10 + 1) - MAX_ENTRIES * MAX_ENTRY;

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

/// The body of a hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello<'a> {
    /// Counts the sender's hellos.
    pub number: u64,
    entries: &'a [u8],
    shared: &'a [u8],
}

impl<'a> Hello<'a> {
    /// How the sender sees a peer, and the place of that entry among all.
    pub fn entry(&self, peer: NodeId) -> Option<(u8, Entry)> {
        let mut reader = Reader { rest: self.entries };
        for place in 0.. {
            let here = reader;
            if skip_entry(&mut reader).ok()? == peer {
                let (_, entry) = entry(&mut { here }).ok()?;
                return Some((place, entry));
            }
        }
        None
    }

    /// How the sender sees each peer.
    pub fn entries(&self) -> impl Iterator<Item = (NodeId, Entry)> + 'a {
        let mut reader = Reader { rest: self.entries };
        // Decoding has read all of them once, here and below.
        std::iter::from_fn(move || entry(&mut reader).ok())
    }

    /// The messages, in this order.
    pub fn shared(&self) -> impl Iterator<Item = Shared<'a>> + 'a {
        let mut reader = Reader { rest: self.shared };
        std::iter::from_fn(move || shared(&mut reader, MAX_ENTRIES).ok())
    }
}

/// A message that a hello carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared<'a> {
    receivers: &'a [u8],
    /// The sender wants an acknowledgement at once.
    pub urgent: bool,
    /// The message, encoded.
    pub message: &'a [u8],
}

impl<'a> Shared<'a> {
    /// Whom it is for: the places of their entries, each with the message's sequence number.
    pub fn receivers(&self) -> impl Iterator<Item = (u8, u32)> + 'a {
        let mut reader = Reader {
            rest: self.receivers,
        };
        std::iter::from_fn(move || receiver(&mut reader).ok())
    }
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
    let (kind, mut reader) = begin(tag, bytes, MAX_FRAME)?;
    let from = NodeId(reader.u32()?);
    let frame = match kind {
        0 => Frame::Hello(hello(&mut reader)?.0),
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
        5 => Frame::Hello(shared_hello(&mut reader)?),
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

/// Reads a hello up to its messages; also tells how many entries it has.
fn hello<'a>(reader: &mut Reader<'a>) -> Result<(Hello<'a>, usize), WireError> {
    let number = reader.u64()?;
    let count = usize::from(reader.byte()?);
    if count > MAX_ENTRIES {
        let what = "a hello lists too many peers";
        return Err(WireError::Malformed { what });
    }
    let entries = reader.rest;
    for _ in 0..count {
        skip_entry(reader)?;
    }
    let entries = &entries[..entries.len() - reader.rest.len()];
    let hello = Hello {
        number,
        entries,
        shared: &[],
    };
    Ok((hello, count))
}

fn shared_hello<'a>(reader: &mut Reader<'a>) -> Result<Hello<'a>, WireError> {
    let (mut hello, entries) = hello(reader)?;
    let count = reader.byte()?;
    if count == 0 {
        let what = "a hello shares no messages";
        return Err(WireError::Malformed { what });
    }
    let messages = reader.rest;
    for _ in 0..count {
        shared(reader, entries)?;
    }
    hello.shared = &messages[..messages.len() - reader.rest.len()];
    Ok(hello)
}

/// Reads a message for some of so many entries.
fn shared<'a>(reader: &mut Reader<'a>, entries: usize) -> Result<Shared<'a>, WireError> {
    let count = reader.byte()?;
    if count == 0 {
        let what = "a message is for nobody";
        return Err(WireError::Malformed { what });
    }
    let receivers = reader.rest;
    let mut least = 0;
    for _ in 0..count {
        let (place, _) = receiver(reader)?;
        let place = usize::from(place);
        if place < least || place >= entries {
            let what = "a message is for an entry that is not there";
            return Err(WireError::Malformed { what });
        }
        least = place + 1;
    }
    let receivers = &receivers[..receivers.len() - reader.rest.len()];
    let urgent = reader.truth()?;
    let length = reader.u32()? as usize;
    match length {
        0 => {
            let what = "a message is empty";
            return Err(WireError::Malformed { what });
        }
        1..=MAX_MESSAGE => {}
        _ => return Err(WireError::TooLarge { most: MAX_MESSAGE }),
    }
    let (message, rest) = reader
        .rest
        .split_at_checked(length)
        .ok_or(WireError::Truncated)?;
    reader.rest = rest;
    Ok(Shared {
        receivers,
        urgent,
        message,
    })
}

fn receiver(reader: &mut Reader<'_>) -> Result<(u8, u32), WireError> {
    Ok((reader.byte()?, reader.u32()?))
}

/// Reads an entry without keeping more of it than whom it is about.
fn skip_entry(reader: &mut Reader<'_>) -> Result<NodeId, WireError> {
    // Most numbers are small: one byte each.
    if let [peer @ ..0x80, marks @ ..0x80, ref numbers @ ..] = *reader.rest {
        let marked = |mark: u8| usize::from(marks & mark == mark);
        let count = 1 + marked(HAS_THEIRS) + marked(STATE) + 3 * marked(HAS_FINAL);
        if let Some((numbers, rest)) = numbers.split_at_checked(count)
            && numbers.is_ascii()
        {
            reader.rest = rest;
            return Ok(NodeId(peer.into()));
        }
    }
    entry(reader).map(|(peer, _)| peer)
}

/// The marks of an entry.
const STATE: u8 = 3;
const MOVING: u8 = 1 << 2;
const INSIDE: u8 = 1 << 3;
const DOUBTFUL: u8 = 1 << 4;
const HAS_THEIRS: u8 = 1 << 5;
const HAS_FINAL: u8 = 1 << 6;

fn marks(reader: &mut Reader<'_>) -> Result<u8, WireError> {
    match reader.byte()? {
        marks @ ..0x80 => Ok(marks),
        _ => {
            let what = "an entry has a mark that means nothing";
            Err(WireError::Malformed { what })
        }
    }
}

fn entry(reader: &mut Reader<'_>) -> Result<(NodeId, Entry), WireError> {
    let peer = NodeId(reader.u32()?);
    let marks = marks(reader)?;
    let marked = |mark: u8| marks & mark != 0;
    let state = match marks & STATE {
        0 => State::Down,
        1 => State::Heard,
        2 => State::Sym,
        _ => State::Up,
    };
    let entry = Entry {
        state,
        standing: Standing {
            moving: marked(MOVING),
            inside: marked(INSIDE),
        },
        doubtful: marked(DOUBTFUL),
        mine: Epoch(reader.u64()?),
        theirs: if marked(HAS_THEIRS) {
            Some(Epoch(reader.u64()?))
        } else {
            None
        },
        ack: if state == State::Up { reader.u32()? } else { 0 },
        last: if marked(HAS_FINAL) {
            Some(last(reader)?)
        } else {
            None
        },
    };
    Ok((peer, entry))
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

    /// Writes a hello; of the entries the first [`MAX_ENTRIES`]. Finals must fit [`SPARE`] and the
    /// room of entries that are not there.
    pub fn hello(self, number: u64, entries: impl IntoIterator<Item = (NodeId, Entry)>) {
        let out = self.head(0);
        put(out, number);
        let count = out.len();
        out.push(0);
        for (peer, entry) in entries.into_iter().take(MAX_ENTRIES) {
            out[count] += 1;
            put_entry(out, peer, &entry);
        }
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

/// Adds messages to a hello.
#[derive(Debug)]
pub struct Sharer<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    /// Where their number is, once there is one.
    count: Option<usize>,
}

impl<'a> Sharer<'a> {
    /// Adds to the hello that fills `out` from `start` on.
    pub const fn new(out: &'a mut Vec<u8>, start: usize) -> Self {
        let count = None;
        Self { out, start, count }
    }

    /// Adds a message for peers, given by the places of their entries, in this order, and the
    /// message's sequence number for each. False if it does not fit, and nothing has changed.
    pub fn add(
        &mut self,
        receivers: impl IntoIterator<Item = (u8, u32)>,
        urgent: bool,
        message: &[u8],
    ) -> bool {
        let out = &mut *self.out;
        let before = out.len();
        let count = self.count.unwrap_or(before);
        if before == count {
            out.push(0);
        }
        let receivers_at = out.len();
        out.push(0);
        for (place, sequence) in receivers {
            out[receivers_at] += 1;
            out.push(place);
            put(out, sequence.into());
        }
        out.push(urgent.into());
        put(out, message.len() as u64);
        out.extend_from_slice(message);
        if out.len() - self.start > MAX_FRAME || out[count] == u8::MAX {
            out.truncate(before);
            return false;
        }
        out[count] += 1;
        out[self.start + 2] = Kind::Shared as u8;
        self.count = Some(count);
        true
    }
}

fn put_entry(out: &mut Vec<u8>, peer: NodeId, entry: &Entry) {
    let marks = [
        (MOVING, entry.standing.moving),
        (INSIDE, entry.standing.inside),
        (DOUBTFUL, entry.doubtful),
        (HAS_THEIRS, entry.theirs.is_some()),
        (HAS_FINAL, entry.last.is_some()),
    ];
    put(out, peer.0.into());
    out.push(marks.iter().fold(entry.state as u8, |byte, &(mark, set)| {
        byte | if set { mark } else { 0 }
    }));
    put(out, entry.mine.0);
    if let Some(theirs) = entry.theirs {
        put(out, theirs.0);
    }
    if entry.state == State::Up {
        put(out, entry.ack.into());
    }
    if let Some(last) = entry.last {
        put_last(out, last);
    }
}

fn put_last(out: &mut Vec<u8>, last: Final) {
    put(out, last.mine.0);
    put(out, last.theirs.0);
    put(out, last.received.into());
}
