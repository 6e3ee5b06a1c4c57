//! The byte form of frames: fixed by vectors, refused when damaged, never a panic.
//!
//! `UPDATE_VECTORS=1 cargo test --test wire` rewrites the vectors.

use crate::vectors;
use manet_mutex::NodeId;
use manet_mutex::link::{Entry, Epoch, Final, Standing, State};
use manet_mutex::protocol::gme::GmeMessage;
use manet_mutex::protocol::hk::HkMessage;
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::GreedyWord;
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::frame::{
    self, Ack, Close, Data, Flood, Frame, MAX_ENTRIES, MAX_ENTRY, MAX_FINAL, MAX_FRAME, SPARE,
    Sharer, Writer,
};
use manet_mutex::wire::{self, MAX_MESSAGE, Tag, VERSION, WireError, WireMessage};
use proptest::prelude::*;

const HEADER: &str = "\
# Frames of the link layer as bytes. Every implementation must write and read exactly these.
#
#   protocol kind from=sender field=value ... : bytes in hexadecimal
#
# The first byte is the version of the format, the second the protocol, the third the kind of
# frame; the sender and the fields follow in the order shown. An entry of a hello is
#
#   [peer: state mark ... field=value ...]
#
# and, in Shared, a message that it carries
#
#   <to=place:sequence,... urgent=... message=bytes>
#
# where places count entries from 0. In an entry, state, marks and which of theirs and final follow
# are one byte. A final is (mine,theirs,received). A message is given by its bytes; messages.txt
# says what they mean. Lines that start with # and empty lines mean nothing.
#
# Rewritten by: UPDATE_VECTORS=1 cargo test --test wire
";

#[test]
fn vectors_hold_in_both_directions() {
    let written: Vec<String> = examples().iter().map(Example::line).collect();
    let golden = vectors::hold("frames.txt", HEADER, &written);
    for (example, (line, bytes)) in examples().iter().zip(golden) {
        assert_eq!(
            Example::read(example.tag, &bytes).as_ref(),
            Ok(example),
            "{line}"
        );
    }
}

#[test]
fn vectors_cover_every_protocol_and_kind() {
    // What talks over routing alone is in datagrams.
    let routed = [Tag::NaimiTrehel, Tag::Dgme];
    for tag in Tag::ALL.into_iter().filter(|tag| !routed.contains(tag)) {
        assert!(
            examples().iter().any(|e| e.bytes()[1] == tag.byte()),
            "{tag:?}"
        );
    }
    for kind in 0..6 {
        assert!(examples().iter().any(|e| e.bytes()[2] == kind), "{kind}");
    }
}

#[test]
fn every_truncation_is_an_error() {
    for example in examples() {
        let bytes = example.bytes();
        assert_eq!(example.check(&[]), Err(WireError::Empty));
        for length in 1..bytes.len() {
            let cut = &bytes[..length];
            assert_eq!(example.check(cut), Err(WireError::Truncated), "{cut:02x?}");
        }
    }
}

#[test]
fn every_trailing_byte_is_an_error() {
    for example in examples() {
        for extra in 0..=u8::MAX {
            let mut bytes = example.bytes();
            bytes.push(extra);
            let expected = Err(WireError::Trailing { count: 1 });
            assert_eq!(example.check(&bytes), expected, "{bytes:02x?}");
        }
    }
}

#[test]
fn every_other_version_is_an_error() {
    for example in examples() {
        let mut bytes = example.bytes();
        for found in (0..=u8::MAX).filter(|&byte| byte != VERSION) {
            bytes[0] = found;
            assert_eq!(example.check(&bytes), Err(WireError::Version { found }));
        }
    }
}

#[test]
fn every_other_protocol_is_an_error() {
    for example in examples() {
        let mut bytes = example.bytes();
        for tag in (0..=u8::MAX).filter(|&byte| byte != example.tag.byte()) {
            bytes[1] = tag;
            let refused = matches!(
                example.check(&bytes),
                Err(WireError::OtherProtocol { found, .. }) if found == tag
            );
            assert!(refused, "tag {tag}");
        }
    }
}

#[test]
fn every_other_kind_is_an_error() {
    for kind in 6..=u8::MAX {
        assert_eq!(
            text(&[1, 1, kind, 0, 0, 0]),
            malformed("its kind is unknown")
        );
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let endless = [0x80; 10];
    let one_bit_more = [&[0xff; 9][..], &[2]].concat();
    let cases: [(&[u8], String); 20] = [
        (&[], "there are no bytes".into()),
        (
            &[9, 1, 0],
            "the bytes have version 9, this build speaks version 1".into(),
        ),
        (
            &[1, 2, 0],
            "the bytes belong to raymond, this node runs rl".into(),
        ),
        (&[1, 1], "the bytes are cut short".into()),
        (&[1, 1, 6, 0], malformed("its kind is unknown")),
        // Hellos: a longer spelling of number 1, too large a sender, an endless number, one of
        // 65 bits.
        (
            &[1, 1, 0, 3, 0x81, 0, 0],
            malformed("a number is not in its shortest form"),
        ),
        (
            &[1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0],
            malformed("a number does not fit its field"),
        ),
        (
            &[&[1, 1, 0, 3], &endless[..], &[0]].concat(),
            malformed("a number does not fit its field"),
        ),
        (
            &[&[1, 1, 0, 3], &one_bit_more[..], &[0]].concat(),
            malformed("a number does not fit its field"),
        ),
        (
            &[1, 1, 0, 3, 7, 65],
            malformed("a hello lists too many peers"),
        ),
        (
            &[1, 1, 0, 3, 7, 1, 4, 0x80, 2],
            malformed("an entry has a mark that means nothing"),
        ),
        (
            &[1, 1, 0, 3, 7, 1, 4, 0, 2, 9],
            "1 superfluous bytes follow".into(),
        ),
        // Shared: no messages, one for nobody, for an entry that is not there, for one twice, an
        // empty one.
        (
            &[1, 1, 5, 3, 7, 0, 0],
            malformed("a hello shares no messages"),
        ),
        (
            &[1, 1, 5, 3, 7, 0, 1, 0],
            malformed("a message is for nobody"),
        ),
        (
            &[1, 1, 5, 3, 7, 1, 4, 0, 2, 1, 1, 1, 0, 0, 1, 9],
            malformed("a message is for an entry that is not there"),
        ),
        (
            &[1, 1, 5, 3, 7, 1, 4, 0, 2, 1, 2, 0, 0, 0, 0, 0, 1, 9],
            malformed("a message is for an entry that is not there"),
        ),
        (
            &[1, 1, 5, 3, 7, 1, 4, 0, 2, 1, 1, 0, 0, 0, 0],
            malformed("a message is empty"),
        ),
        // A close that asks neither yes nor no.
        (
            &[1, 1, 3, 3, 4, 2, 0, 0, 0],
            malformed("a truth value is neither 0 nor 1"),
        ),
        (
            &[1; MAX_FRAME + 1],
            format!("there are more than {MAX_FRAME} bytes"),
        ),
        (
            &[&[1, 1, 1, 3, 4, 0, 0, 0, 0, 0], &[1; MAX_MESSAGE + 1][..]].concat(),
            format!("there are more than {MAX_MESSAGE} bytes"),
        ),
    ];
    for (bytes, expected) in cases {
        assert_eq!(text(bytes), expected, "{bytes:02x?}");
    }
}

#[test]
fn writing_appends() {
    let mut out = vec![7];
    Writer::new(&mut out, Tag::Rl, NodeId(3)).hello(17, []);
    Writer::new(&mut out, Tag::Rl, NodeId(3)).hello(18, []);
    assert_eq!(out, [7, 1, 1, 0, 3, 17, 0, 1, 1, 0, 3, 18, 0]);
}

#[test]
fn entries_are_small() {
    let entry = Entry {
        theirs: Some(Epoch(5)),
        ..entry(State::Up)
    };
    let size = |entries: &[(NodeId, Entry)]| {
        let entries = entries.to_vec();
        let number = 17;
        rl(3, plain_hello(number, entries)).bytes().len()
    };
    assert_eq!(size(&[(NodeId(4), entry)]) - size(&[]), 5);
}

#[test]
fn a_hello_at_all_limits_fits() {
    let last = (SPARE / MAX_FINAL).min(MAX_ENTRIES);
    let bytes = largest_hello(MAX_ENTRIES, last);
    assert_eq!(bytes.len(), MAX_FRAME - SPARE + last * MAX_FINAL);
    assert!(Example::read(Tag::Rl, &bytes).is_ok());

    let one_more = largest_hello(MAX_ENTRIES, last + 1);
    let refused = Example::read(Tag::Rl, &one_more);
    assert_eq!(refused, Err(WireError::TooLarge { most: MAX_FRAME }));
}

#[test]
fn an_entry_that_is_not_there_leaves_room_for_finals() {
    let entries = MAX_ENTRIES / 2;
    let room = SPARE + (MAX_ENTRIES - entries) * MAX_ENTRY;
    let bytes = largest_hello(entries, (room / MAX_FINAL).min(entries));
    assert!(Example::read(Tag::Rl, &bytes).is_ok());
}

#[test]
fn a_hello_lists_no_more_peers_than_it_may() {
    let peers = (0..100).map(|id| (NodeId(id), entry(State::Heard)));
    let mut out = Vec::new();
    Writer::new(&mut out, Tag::Rl, NodeId(200)).hello(1, peers);
    let Ok((_, Frame::Hello(hello))) = frame::decode(Tag::Rl, &out) else {
        panic!("a hello");
    };
    assert_eq!(hello.entries().count(), MAX_ENTRIES);
}

#[test]
fn a_message_of_any_allowed_length_fits() {
    let data = |length| {
        let data = Data {
            message: &[],
            ..data(u64::MAX, u32::MAX)
        };
        let message = vec![1; length];
        rl(u32::MAX, Body::Data { data, message })
    };
    let longest = data(MAX_MESSAGE);
    assert!(longest.bytes().len() <= MAX_FRAME);
    assert_eq!(
        Example::read(Tag::Rl, &longest.bytes()).as_ref(),
        Ok(&longest)
    );
    let shortest = Example::read(Tag::Rl, &data(0).bytes());
    assert_eq!(shortest, Err(WireError::Truncated));
}

proptest! {
    #[test]
    fn round_trip(example in example()) {
        prop_assert_eq!(Example::read(example.tag, &example.bytes()), Ok(example));
    }

    #[test]
    fn random_bytes_are_refused_or_written_alike(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        refused_or_written_alike(&bytes)?;
    }

    #[test]
    fn random_bodies_are_refused_or_written_alike(
        tag in 0..4u8,
        kind in 0..7u8,
        body in prop::collection::vec(prop_oneof![any::<u8>(), 0..4u8], 0..64),
    ) {
        refused_or_written_alike(&[&[VERSION, tag, kind], &body[..]].concat())?;
    }

    #[test]
    fn damaged_frames_are_refused_or_written_alike(
        example in example(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = example.bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        refused_or_written_alike(&bytes)?;
    }
}

fn refused_or_written_alike(bytes: &[u8]) -> Result<(), TestCaseError> {
    for tag in Tag::ALL {
        if let Ok(example) = Example::read(tag, bytes) {
            prop_assert_eq!(example.bytes(), bytes);
        }
    }
    Ok(())
}

fn example() -> impl Strategy<Value = Example> {
    let tag = prop::sample::select(Tag::ALL.to_vec());
    let body = prop_oneof![any_hello(), any_data(), any_other()];
    (tag, any_u32(), body).prop_map(|(tag, from, body)| Example {
        tag,
        from: NodeId(from),
        body,
    })
}

fn any_hello() -> impl Strategy<Value = Body> {
    let entries = prop::collection::vec((any_u32().prop_map(NodeId), any_entry()), 0..=9);
    let shared = prop::collection::vec(
        (any::<u8>(), any_u32(), any::<bool>(), any_message(90)),
        0..=4,
    );
    (any_u64(), entries, shared).prop_map(|(number, entries, shared)| {
        let part = |(mask, sequence, urgent, message): (u8, u32, bool, Vec<u8>)| Part {
            receivers: (0..8)
                .filter(|place| mask >> place & 1 == 1 && usize::from(*place) < entries.len())
                .map(|place| (place, sequence ^ u32::from(place)))
                .collect(),
            urgent,
            message,
        };
        let shared = shared.into_iter().map(part);
        let shared = shared.filter(|part| !part.receivers.is_empty()).collect();
        Body::Hello {
            number,
            entries,
            shared,
        }
    })
}

fn any_message(most: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 1..=most)
}

fn any_data() -> impl Strategy<Value = Body> {
    let message = any_message(MAX_MESSAGE);
    let numbers = (any_u32(), any_u64(), any_u64(), any_u32(), any_u32());
    (numbers, any::<bool>(), message).prop_map(|(numbers, urgent, message)| {
        let (to, mine, theirs, sequence, ack) = numbers;
        let data = Data {
            to: NodeId(to),
            mine: Epoch(mine),
            theirs: Epoch(theirs),
            sequence,
            ack,
            urgent,
            message: &[],
        };
        Body::Data { data, message }
    })
}

fn any_other() -> impl Strategy<Value = Body> {
    let numbers = (any_u32(), any_u32(), any_u64(), any::<u8>(), any::<bool>());
    (0..3, numbers, any_final()).prop_map(|(kind, numbers, last)| {
        let (to, origin, number, hops, ask) = numbers;
        let (to, origin) = (NodeId(to), NodeId(origin));
        match kind {
            0 => Body::Ack(Ack {
                to,
                mine: last.mine,
                theirs: last.theirs,
                ack: last.received,
            }),
            1 => Body::Close(Close { to, ask, last }),
            _ => Body::Flood(Flood {
                origin,
                number,
                hops,
                target: to,
                ask,
                last,
            }),
        }
    })
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let state = prop::sample::select(vec![State::Down, State::Heard, State::Sym, State::Up]);
    let marks = (any::<bool>(), any::<bool>(), any::<bool>());
    let theirs = prop::option::of(any_u64().prop_map(Epoch));
    let last = prop::option::of(any_final());
    (state, marks, any_u64(), theirs, any_u32(), last).prop_map(
        |(state, (moving, inside, doubtful), mine, theirs, ack, last)| Entry {
            state,
            standing: Standing { moving, inside },
            doubtful,
            mine: Epoch(mine),
            theirs,
            ack: if state == State::Up { ack } else { 0 },
            last,
        },
    )
}

fn any_final() -> impl Strategy<Value = Final> {
    (any_u64(), any_u64(), any_u32()).prop_map(|(mine, theirs, received)| Final {
        mine: Epoch(mine),
        theirs: Epoch(theirs),
        received,
    })
}

/// Of every length, not only of ten bytes.
fn any_u64() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64u32).prop_map(|(number, shift)| number >> shift)
}

fn any_u32() -> impl Strategy<Value = u32> {
    (any::<u32>(), 0..32u32).prop_map(|(number, shift)| number >> shift)
}

/// One frame, with what it contains.
#[derive(Clone, Debug, PartialEq)]
struct Example {
    tag: Tag,
    from: NodeId,
    body: Body,
}

#[derive(Clone, Debug, PartialEq)]
enum Body {
    Hello {
        number: u64,
        entries: Vec<(NodeId, Entry)>,
        shared: Vec<Part>,
    },
    /// The message is not in `data`.
    Data {
        data: Data<'static>,
        message: Vec<u8>,
    },
    Ack(Ack),
    Close(Close),
    Flood(Flood),
}

/// A message that a hello carries.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    receivers: Vec<(u8, u32)>,
    urgent: bool,
    message: Vec<u8>,
}

fn plain_hello(number: u64, entries: Vec<(NodeId, Entry)>) -> Body {
    let shared = Vec::new();
    Body::Hello {
        number,
        entries,
        shared,
    }
}

impl Example {
    fn read(tag: Tag, bytes: &[u8]) -> Result<Self, WireError> {
        let (from, frame) = frame::decode(tag, bytes)?;
        let body = match frame {
            Frame::Hello(hello) => Body::Hello {
                number: hello.number,
                entries: hello.entries().collect(),
                shared: hello
                    .shared()
                    .map(|part| Part {
                        receivers: part.receivers().collect(),
                        urgent: part.urgent,
                        message: part.message.to_vec(),
                    })
                    .collect(),
            },
            Frame::Data(data) => Body::Data {
                data: Data {
                    message: &[],
                    ..data
                },
                message: data.message.to_vec(),
            },
            Frame::Ack(ack) => Body::Ack(ack),
            Frame::Close(close) => Body::Close(close),
            Frame::Flood(flood) => Body::Flood(flood),
        };
        Ok(Self { tag, from, body })
    }

    fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let writer = Writer::new(&mut out, self.tag, self.from);
        match &self.body {
            Body::Hello {
                number,
                entries,
                shared,
            } => {
                writer.hello(*number, entries.iter().copied());
                let mut sharer = Sharer::new(&mut out, 0);
                for part in shared {
                    let receivers = part.receivers.iter().copied();
                    assert!(sharer.add(receivers, part.urgent, &part.message));
                }
            }
            Body::Data { data, message } => writer.data(&Data { message, ..*data }),
            Body::Ack(ack) => writer.ack(ack),
            Body::Close(close) => writer.close(close),
            Body::Flood(flood) => writer.flood(flood),
        }
        out
    }

    /// Whether a frame of the same protocol can be read from `bytes`, its message included.
    fn check(&self, bytes: &[u8]) -> Result<(), WireError> {
        match (self.tag, Self::read(self.tag, bytes)?.body) {
            (Tag::Rl, Body::Data { message, .. }) => wire::decode::<RlMessage>(&message).map(drop),
            (Tag::Rl, Body::Hello { shared, .. }) => (shared.iter())
                .try_for_each(|part| wire::decode::<RlMessage>(&part.message).map(drop)),
            (Tag::Raymond, Body::Data { message, .. }) => {
                wire::decode::<RaymondMessage>(&message).map(drop)
            }
            (Tag::Gme, Body::Data { message, .. }) => {
                wire::decode::<GmeMessage>(&message).map(drop)
            }
            (Tag::Hk, Body::Data { message, .. }) => wire::decode::<HkMessage>(&message).map(drop),
            (Tag::Lme1a, Body::Data { message, .. }) => {
                wire::decode::<Lme1Message<GreedyWord>>(&message).map(drop)
            }
            (Tag::Lme1b, Body::Data { message, .. }) => {
                wire::decode::<Lme1Message<LinialWord>>(&message).map(drop)
            }
            (Tag::Lme2, Body::Data { message, .. }) => {
                wire::decode::<Lme2Message>(&message).map(drop)
            }
            _ => Ok(()),
        }
    }

    fn line(&self) -> String {
        let (tag, from) = (self.tag.name(), self.from);
        let (bytes, what) = (hex(&self.bytes(), " "), self.body.text());
        let (kind, fields) = what.split_once(' ').expect("a kind and its fields");
        format!("{tag} {kind} from={from} {fields} : {bytes}")
    }
}

impl Body {
    fn text(&self) -> String {
        match self {
            Self::Hello {
                number,
                entries,
                shared,
            } => {
                let kind = if shared.is_empty() { "Hello" } else { "Shared" };
                let mut text = format!("{kind} number={number}");
                for (peer, entry) in entries {
                    text += &format!(" [{peer}: {}]", entry_text(entry));
                }
                for part in shared {
                    let receivers: Vec<String> = (part.receivers.iter())
                        .map(|(place, sequence)| format!("{place}:{sequence}"))
                        .collect();
                    text += &format!(
                        " <to={} urgent={} message={}>",
                        receivers.join(","),
                        part.urgent,
                        hex(&part.message, "")
                    );
                }
                text
            }
            Self::Data { data, message } => format!(
                "Data to={} mine={} theirs={} sequence={} ack={} urgent={} message={}",
                data.to,
                data.mine.0,
                data.theirs.0,
                data.sequence,
                data.ack,
                data.urgent,
                hex(message, "")
            ),
            Self::Ack(ack) => format!(
                "Ack to={} mine={} theirs={} ack={}",
                ack.to, ack.mine.0, ack.theirs.0, ack.ack
            ),
            Self::Close(Close { to, ask, last }) => {
                format!("Close to={to} ask={ask} {}", final_text(last))
            }
            Self::Flood(flood) => format!(
                "Flood origin={} number={} hops={} target={} ask={} {}",
                flood.origin,
                flood.number,
                flood.hops,
                flood.target,
                flood.ask,
                final_text(&flood.last)
            ),
        }
    }
}

fn entry_text(entry: &Entry) -> String {
    let state = match entry.state {
        State::Down => "down",
        State::Heard => "heard",
        State::Sym => "sym",
        State::Up => "up",
    };
    let marks = [
        (entry.standing.moving, "moving"),
        (entry.standing.inside, "inside"),
        (entry.doubtful, "doubtful"),
    ];
    let mut words = vec![state.to_owned()];
    words.extend(
        marks
            .iter()
            .filter(|(set, _)| *set)
            .map(|(_, name)| (*name).to_owned()),
    );
    words.push(format!("mine={}", entry.mine.0));
    words.extend(entry.theirs.map(|theirs| format!("theirs={}", theirs.0)));
    words.extend((entry.state == State::Up).then(|| format!("ack={}", entry.ack)));
    words.extend(entry.last.as_ref().map(final_text));
    words.join(" ")
}

fn final_text(last: &Final) -> String {
    let Final {
        mine,
        theirs,
        received,
    } = last;
    format!("final=({},{},{received})", mine.0, theirs.0)
}

fn hex(bytes: &[u8], between: &str) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.join(between)
}

/// What the vectors show: every kind of frame, every mark, and numbers at the edges of their byte
/// lengths.
fn examples() -> Vec<Example> {
    let mut all: Vec<Example> = hello_examples();
    all.extend(data_examples());
    let ack = |to, mine, theirs, ack| {
        Body::Ack(Ack {
            to: NodeId(to),
            mine: Epoch(mine),
            theirs: Epoch(theirs),
            ack,
        })
    };
    let close = |to, ask, last| {
        let to = NodeId(to);
        Body::Close(Close { to, ask, last })
    };
    let flood = |origin, number, hops, target, ask, last| {
        Body::Flood(Flood {
            origin: NodeId(origin),
            number,
            hops,
            target: NodeId(target),
            ask,
            last,
        })
    };
    let most = last(u64::MAX, u64::MAX, u32::MAX);
    all.extend([
        rl(3, ack(4, 5, 2, 9)),
        rl(0, ack(127, 128, 16_383, 16_384)),
        rl(u32::MAX, ack(u32::MAX, u64::MAX, u64::MAX, u32::MAX)),
        rl(3, close(4, false, last(5, 2, 9))),
        rl(3, close(4, true, last(0, 0, 0))),
        rl(u32::MAX, close(u32::MAX, true, most)),
        rl(7, flood(3, 1, 32, 4, true, last(5, 2, 9))),
        rl(8, flood(3, 1, 31, 4, false, last(1 << 32, 2, 0))),
        rl(
            u32::MAX,
            flood(u32::MAX, u64::MAX, u8::MAX, u32::MAX, true, most),
        ),
        raymond(3, ack(4, 5, 2, 9)),
    ]);
    all
}

fn hello_examples() -> Vec<Example> {
    let entries = |entries: &[(u32, Entry)]| -> Vec<(NodeId, Entry)> {
        entries.iter().map(|&(id, e)| (NodeId(id), e)).collect()
    };
    let hello = |number, listed: &[(u32, Entry)]| plain_hello(number, entries(listed));
    let shared = |number, listed: &[(u32, Entry)], shared| Body::Hello {
        number,
        entries: entries(listed),
        shared,
    };
    let part = |receivers: &[(u8, u32)], urgent, msg: RlMessage| {
        let (receivers, mut message) = (receivers.to_vec(), Vec::new());
        wire::encode(&msg, &mut message).expect("it fits");
        Part {
            receivers,
            urgent,
            message,
        }
    };
    let (h1, h2, id) = (0, -3, NodeId(3));
    let height = Height { h1, h2, id };
    let token = RlMessage::Token {
        height,
        more: false,
    };
    let theirs = Some(Epoch(5));
    let up = Entry {
        theirs,
        ack: 9,
        ..entry(State::Up)
    };
    let standing = |moving, inside| Standing { moving, inside };
    let moving = Entry {
        standing: standing(true, false),
        ..up
    };
    let inside = Entry {
        standing: standing(false, true),
        theirs,
        ..entry(State::Sym)
    };
    let doubtful = Entry {
        doubtful: true,
        theirs,
        last: Some(last(1, 5, 7)),
        ..entry(State::Down)
    };
    let edges = [(127, 128), (16_383, 16_384), (1 << 32, (1 << 63) - 1)];
    let edges = edges.map(|(mine, theirs)| Entry {
        mine: Epoch(mine),
        theirs: Some(Epoch(theirs)),
        ..entry(State::Heard)
    });
    let edges = [(127, edges[0]), (16_383, edges[1]), (16_384, edges[2])];
    vec![
        rl(0, hello(0, &[])),
        rl(3, hello(17, &[(4, entry(State::Down))])),
        rl(3, hello(18, &[(4, entry(State::Heard))])),
        rl(3, hello(19, &[(4, up)])),
        rl(
            3,
            hello(20, &[(4, moving), (5, inside), (70_000, doubtful)]),
        ),
        rl(128, hello(1 << 32, &edges)),
        rl(
            u32::MAX,
            hello(u64::MAX, &[(u32::MAX, largest_entry(true))]),
        ),
        raymond(3, hello(17, &[(4, up)])),
        rl(
            3,
            shared(21, &[(4, up)], vec![part(&[(0, 9)], true, token)]),
        ),
        rl(
            3,
            shared(
                22,
                &[(4, up), (5, inside), (6, moving)],
                vec![
                    part(&[(0, 10), (2, 128)], false, RlMessage::LinkInfo(height)),
                    part(&[(2, 129)], true, token),
                ],
            ),
        ),
    ]
}

fn data_examples() -> Vec<Example> {
    let height = |h1, h2, id| Height {
        h1,
        h2,
        id: NodeId(id),
    };
    let body = |data, message| Body::Data { data, message };
    let plain = RlMessage::LinkInfo(height(0, -3, 3));
    let token = RlMessage::Token {
        height: height(i64::MIN, i64::MAX, u32::MAX),
        more: true,
    };
    let small = Data {
        to: NodeId(4),
        mine: Epoch(5),
        theirs: Epoch(2),
        sequence: 0,
        ack: 9,
        urgent: false,
        message: &[],
    };
    vec![
        rl(3, body(small, message(&plain))),
        rl(u32::MAX, body(data(u64::MAX, u32::MAX), message(&token))),
        raymond(3, body(small, message(&RaymondMessage::Privilege))),
        Example {
            tag: Tag::Gme,
            from: NodeId(3),
            body: body(small, message(&GmeMessage::LinkInfo(height(0, -3, 3)))),
        },
        Example {
            tag: Tag::Hk,
            from: NodeId(3),
            body: body(small, message(&HkMessage::LinkInfo(height(0, -3, 3)))),
        },
        Example {
            tag: Tag::Lme1a,
            from: NodeId(3),
            body: body(small, message(&Lme1Message::<GreedyWord>::Req)),
        },
        Example {
            tag: Tag::Lme1b,
            from: NodeId(3),
            body: body(small, message(&Lme1Message::<LinialWord>::Req)),
        },
        Example {
            tag: Tag::Lme2,
            from: NodeId(3),
            body: body(small, message(&Lme2Message::Req)),
        },
    ]
}

fn rl(from: u32, body: Body) -> Example {
    let (tag, from) = (Tag::Rl, NodeId(from));
    Example { tag, from, body }
}

fn raymond(from: u32, body: Body) -> Example {
    let (tag, from) = (Tag::Raymond, NodeId(from));
    Example { tag, from, body }
}

/// An urgent one with the same number everywhere.
fn data(epoch: u64, number: u32) -> Data<'static> {
    Data {
        to: NodeId(number),
        mine: Epoch(epoch),
        theirs: Epoch(epoch),
        sequence: number,
        ack: number,
        urgent: true,
        message: &[],
    }
}

fn entry(state: State) -> Entry {
    Entry {
        state,
        mine: Epoch(2),
        theirs: None,
        standing: Standing::default(),
        ack: 0,
        doubtful: false,
        last: None,
    }
}

fn largest_entry(with_final: bool) -> Entry {
    Entry {
        state: State::Up,
        mine: Epoch(u64::MAX),
        theirs: Some(Epoch(u64::MAX)),
        standing: Standing {
            moving: true,
            inside: true,
        },
        ack: u32::MAX,
        doubtful: true,
        last: with_final.then(|| last(u64::MAX, u64::MAX, u32::MAX)),
    }
}

fn largest_hello(entries: usize, finals: usize) -> Vec<u8> {
    let entries = (0..entries).map(|place| (NodeId(u32::MAX), largest_entry(place < finals)));
    let mut out = Vec::new();
    Writer::new(&mut out, Tag::Rl, NodeId(u32::MAX)).hello(u64::MAX, entries);
    out
}

fn last(mine: u64, theirs: u64, received: u32) -> Final {
    let (mine, theirs) = (Epoch(mine), Epoch(theirs));
    Final {
        mine,
        theirs,
        received,
    }
}

fn message<M: WireMessage>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    wire::encode(message, &mut out).expect("small enough");
    out
}

/// What is wrong with these bytes.
fn text(bytes: &[u8]) -> String {
    let error = frame::decode(Tag::Rl, bytes).expect_err("no frame");
    error.to_string()
}

fn malformed(what: &str) -> String {
    format!("the bytes are malformed: {what}")
}
