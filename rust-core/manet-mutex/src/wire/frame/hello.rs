//! Hellos: how a node sees its peers, and messages for some of them.

use super::{Entry, Epoch, Standing, State};
use super::{Kind, MAX_FRAME, last, put_last};
use crate::ids::NodeId;
use crate::wire::varint::{Reader, put};
use crate::wire::{MAX_MESSAGE, WireError};
use std::num::NonZeroU64;

/// The most entries of a hello.
pub const MAX_ENTRIES: usize = 64;

/// The most bytes of an entry without a final.
pub const MAX_ENTRY: usize = 5 + 1 + 10 + 10 + 5;

/// The most bytes of a final.
pub const MAX_FINAL: usize = 10 + 10 + 5;

/// What a hello has room for beyond [`MAX_ENTRIES`] entries without finals.
pub const SPARE: usize = MAX_FRAME - (3 + 5 + 10 + 1) - MAX_ENTRIES * MAX_ENTRY;

/// The body of a hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello<'a> {
    /// Counts the sender's hellos.
    pub number: u64,
    /// The first entry of the reader.
    pub mine: Option<Place<'a>>,
    /// Some messages are for that entry.
    pub for_me: bool,
    entries: &'a [u8],
    shared: &'a [u8],
}

impl<'a> Hello<'a> {
    /// How the sender sees each peer.
    pub fn entries(&self) -> impl Iterator<Item = (NodeId, Entry)> + 'a {
        let mut reader = Reader { rest: self.entries };
        // Decoding has read all of them once, here and below.
        std::iter::from_fn(move || entry(&mut reader).ok())
    }

    /// The messages, in this order.
    pub fn shared(&self) -> impl Iterator<Item = Shared<'a>> + 'a {
        let mut reader = Reader { rest: self.shared };
        std::iter::from_fn(move || shared(&mut reader, MAX_ENTRIES, |_| ()).ok())
    }
}

/// Where a hello has an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// Its number among all, from 0.
    pub number: u8,
    bytes: &'a [u8],
}

impl Place<'_> {
    /// How the sender sees the peer.
    pub fn entry(self) -> Option<Entry> {
        let (_, entry) = entry(&mut Reader { rest: self.bytes }).ok()?;
        Some(entry)
    }

    /// The entry as one word, if it fits.
    #[inline]
    pub fn gist(self) -> Option<Gist> {
        let mut word = [0; 8];
        word.get_mut(..self.bytes.len())?
            .copy_from_slice(self.bytes);
        NonZeroU64::new(u64::from_le_bytes(word)).map(Gist)
    }
}

/// The bytes of a short entry as one word: two entries that differ have two gists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gist(NonZeroU64);

impl Gist {
    /// That of an entry without a final whose numbers all have one byte.
    pub fn of(peer: NodeId, entry: &Entry) -> Option<Self> {
        let short = |number: u64| u8::try_from(number).ok().filter(|byte| *byte < 0x80);
        if entry.last.is_some() {
            return None;
        }
        let mut word = [0; 8];
        word[0] = short(peer.0.into())?;
        word[1] = marks_of(entry);
        let theirs = entry.theirs.map(|epoch| epoch.0);
        let ack = (entry.state == State::Up).then_some(entry.ack.into());
        let numbers = [Some(entry.mine.0), theirs, ack];
        for (byte, number) in word[2..].iter_mut().zip(numbers.into_iter().flatten()) {
            *byte = short(number)?;
        }
        NonZeroU64::new(u64::from_le_bytes(word)).map(Self)
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

/// Reads a hello, for `me`, without messages.
pub(super) fn read<'a>(
    reader: &mut Reader<'a>,
    me: Option<NodeId>,
) -> Result<Hello<'a>, WireError> {
    Ok(read_entries(reader, me)?.0)
}

/// Reads a hello up to its messages; also tells how many entries it has.
fn read_entries<'a>(
    reader: &mut Reader<'a>,
    me: Option<NodeId>,
) -> Result<(Hello<'a>, usize), WireError> {
    let number = reader.u64()?;
    let count = reader.byte()?;
    if usize::from(count) > MAX_ENTRIES {
        let what = "a hello lists too many peers";
        return Err(WireError::Malformed { what });
    }
    let entries = reader.rest;
    let mut mine = None;
    for number in 0..count {
        let bytes = reader.rest;
        let peer = skip_entry(reader)?;
        if Some(peer) == me && mine.is_none() {
            let bytes = &bytes[..bytes.len() - reader.rest.len()];
            mine = Some(Place { number, bytes });
        }
    }
    let entries = &entries[..entries.len() - reader.rest.len()];
    let hello = Hello {
        number,
        mine,
        for_me: false,
        entries,
        shared: &[],
    };
    Ok((hello, count.into()))
}

/// Reads a hello, for `me`, with messages.
pub(super) fn read_shared<'a>(
    reader: &mut Reader<'a>,
    me: Option<NodeId>,
) -> Result<Hello<'a>, WireError> {
    let (mut hello, entries) = read_entries(reader, me)?;
    let count = reader.byte()?;
    if count == 0 {
        let what = "a hello shares no messages";
        return Err(WireError::Malformed { what });
    }
    let messages = reader.rest;
    let mine = hello.mine.map(|mine| mine.number);
    for _ in 0..count {
        shared(reader, entries, |place| {
            hello.for_me |= Some(place) == mine;
        })?;
    }
    hello.shared = &messages[..messages.len() - reader.rest.len()];
    Ok(hello)
}

/// Reads a message for some of so many entries; tells the places of them.
fn shared<'a>(
    reader: &mut Reader<'a>,
    entries: usize,
    mut tell: impl FnMut(u8),
) -> Result<Shared<'a>, WireError> {
    let count = reader.byte()?;
    if count == 0 {
        let what = "a message is for nobody";
        return Err(WireError::Malformed { what });
    }
    let receivers = reader.rest;
    let mut least = 0;
    for _ in 0..count {
        let (place, _) = receiver(reader)?;
        tell(place);
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
#[inline]
fn skip_entry(reader: &mut Reader<'_>) -> Result<NodeId, WireError> {
    if let Some(bytes) = reader.rest.first_chunk()
        && let Some(length) = short_entry(*bytes)
    {
        let peer = NodeId(bytes[0].into());
        reader.rest = &reader.rest[length..];
        return Ok(peer);
    }
    skip_other_entry(reader)
}

/// The same for one that is long, or followed by little.
#[inline(never)]
fn skip_other_entry(reader: &mut Reader<'_>) -> Result<NodeId, WireError> {
    let mut bytes = [u8::MAX; 8];
    if let Some(start) = bytes.get_mut(..reader.rest.len()) {
        start.copy_from_slice(reader.rest);
        if let Some(length) = short_entry(bytes) {
            reader.rest = &reader.rest[length..];
            return Ok(NodeId(bytes[0].into()));
        }
    }
    entry(reader).map(|(peer, _)| peer)
}

/// How long the entry is that these bytes begin with, if all its numbers have one byte, as most do:
/// such an entry fits a word.
#[inline]
fn short_entry(bytes: [u8; 8]) -> Option<usize> {
    let length = LENGTHS[usize::from(bytes[1] & 0x7f)];
    let large = 0x8080_8080_8080_8080 >> (u64::BITS - 8 * u32::from(length));
    (u64::from_le_bytes(bytes) & large == 0).then_some(usize::from(length))
}

/// How long an entry with these marks is if all its numbers have one byte.
const LENGTHS: [u8; 128] = {
    let mut lengths = [3; 128];
    let mut marks = 0;
    while marks < 128 {
        let of = marks as u8;
        lengths[marks] += (of & HAS_THEIRS != 0) as u8
            + (of & STATE == STATE) as u8
            + 3 * (of & HAS_FINAL != 0) as u8;
        marks += 1;
    }
    lengths
};

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

/// Writes the entries of a hello: the first [`MAX_ENTRIES`]. Finals must fit [`SPARE`] and the room
/// of entries that are not there.
#[derive(Debug)]
pub struct Lister<'a> {
    out: &'a mut Vec<u8>,
    /// Where their number is.
    count: usize,
}

impl<'a> Lister<'a> {
    /// Goes on after the head of a hello.
    pub(super) fn new(out: &'a mut Vec<u8>, number: u64) -> Self {
        put(out, number);
        let count = out.len();
        out.push(0);
        Self { out, count }
    }

    /// Adds how the sender sees a peer.
    pub fn add(&mut self, peer: NodeId, entry: &Entry) {
        if self.has_room() {
            put_entry(self.out, peer, entry);
        }
    }

    /// Adds an entry of which there is a gist.
    pub fn add_gist(&mut self, gist: Gist) {
        let bytes = gist.0.get().to_le_bytes();
        let mut reader = Reader { rest: &bytes };
        // Whoever made it has written an entry, or read one.
        if skip_entry(&mut reader).is_ok() && self.has_room() {
            let length = bytes.len() - reader.rest.len();
            self.out.extend_from_slice(&bytes[..length]);
        }
    }

    fn has_room(&mut self) -> bool {
        let count = &mut self.out[self.count];
        let room = usize::from(*count) < MAX_ENTRIES;
        *count += u8::from(room);
        room
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

fn marks_of(entry: &Entry) -> u8 {
    let marks = [
        (MOVING, entry.standing.moving),
        (INSIDE, entry.standing.inside),
        (DOUBTFUL, entry.doubtful),
        (HAS_THEIRS, entry.theirs.is_some()),
        (HAS_FINAL, entry.last.is_some()),
    ];
    marks.iter().fold(entry.state as u8, |byte, &(mark, set)| {
        byte | if set { mark } else { 0 }
    })
}

fn put_entry(out: &mut Vec<u8>, peer: NodeId, entry: &Entry) {
    put(out, peer.0.into());
    out.push(marks_of(entry));
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
