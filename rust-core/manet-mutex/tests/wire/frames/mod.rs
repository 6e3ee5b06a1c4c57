//! The byte form of frames: fixed by vectors, refused when damaged, never a panic.
//!
//! `UPDATE_VECTORS=1 cargo test --test wire` rewrites the vectors.

mod examples;

use crate::damage::{self, Sample};
use crate::vectors;
use examples::{Body, Example, Part, data, entry, examples, largest_entry, plain_hello, rl};
use manet_mutex::NodeId;
use manet_mutex::link::{Entry, Epoch, Final, Standing, State};
use manet_mutex::protocol::registry::TAGS;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::dgme::DgmeMessage;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehelMessage;
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::frame::{
    self, Ack, Close, Data, Flood, Frame, Gist, MAX_ENTRIES, MAX_ENTRY, MAX_FINAL, MAX_FRAME,
    Place, SPARE, Writer,
};
use manet_mutex::wire::{MAX_MESSAGE, VERSION, WireError};
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
    let routed = [NaimiTrehelMessage::TAG, DgmeMessage::TAG];
    for tag in TAGS.into_iter().filter(|tag| !routed.contains(tag)) {
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
    damage::truncations(&examples());
}

#[test]
fn every_trailing_byte_is_an_error() {
    damage::trailing_bytes(&examples());
}

#[test]
fn every_other_version_is_an_error() {
    damage::other_versions(&examples());
}

#[test]
fn every_other_protocol_is_an_error() {
    damage::other_protocols(&examples());
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
            "the bytes belong to another protocol (tag 2), this node runs rl".into(),
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
    Writer::new(&mut out, RlMessage::TAG, NodeId(3)).hello(17, []);
    Writer::new(&mut out, RlMessage::TAG, NodeId(3)).hello(18, []);
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
    assert!(Example::read(RlMessage::TAG, &bytes).is_ok());

    let one_more = largest_hello(MAX_ENTRIES, last + 1);
    let refused = Example::read(RlMessage::TAG, &one_more);
    assert_eq!(refused, Err(WireError::TooLarge { most: MAX_FRAME }));
}

#[test]
fn an_entry_that_is_not_there_leaves_room_for_finals() {
    let entries = MAX_ENTRIES / 2;
    let room = SPARE + (MAX_ENTRIES - entries) * MAX_ENTRY;
    let bytes = largest_hello(entries, (room / MAX_FINAL).min(entries));
    assert!(Example::read(RlMessage::TAG, &bytes).is_ok());
}

#[test]
fn a_hello_lists_no_more_peers_than_it_may() {
    let peers = (0..100).map(|id| (NodeId(id), entry(State::Heard)));
    let mut out = Vec::new();
    Writer::new(&mut out, RlMessage::TAG, NodeId(200)).hello(1, peers);
    let Ok((_, Frame::Hello(hello))) = frame::decode(RlMessage::TAG, &out) else {
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
        Example::read(RlMessage::TAG, &longest.bytes()).as_ref(),
        Ok(&longest)
    );
    let shortest = Example::read(RlMessage::TAG, &data(0).bytes());
    assert_eq!(shortest, Err(WireError::Truncated));
}

proptest! {
    #[test]
    fn round_trip(example in example()) {
        prop_assert_eq!(Example::read(example.tag, &example.bytes()), Ok(example));
    }

    #[test]
    fn entries_are_found_by_whom_they_are_about(example in any_hello().prop_map(rl_of_three)) {
        let bytes = example.bytes();
        let (_, Frame::Hello(hello)) = frame::decode(RlMessage::TAG, &bytes).expect("one of ours") else {
            panic!("a hello");
        };
        let entries: Vec<_> = hello.entries().collect();
        for (peer, _) in &entries {
            let first = entries.iter().position(|(other, _)| other == peer).expect("itself");
            let found = mine(*peer, &bytes).expect("listed");
            prop_assert_eq!((found.number as usize, found.entry()), (first, Some(entries[first].1)));
        }
        let absent = (0..).map(NodeId).find(|id| entries.iter().all(|(peer, _)| peer != id));
        prop_assert_eq!(absent.and_then(|id| mine(id, &bytes)), None);
    }

    #[test]
    fn two_entries_have_the_same_gist_only_if_they_are_the_same(
        peer in any_u32(), one in any_entry(), other in any_entry(),
    ) {
        prop_assert_eq!(gist(peer, one), gist(peer, one));
        if let (Some(one_gist), Some(other_gist)) = (gist(peer, one), gist(peer, other)) {
            prop_assert_eq!(one_gist == other_gist, one == other);
        }
    }

    #[test]
    fn an_entry_has_the_gist_that_is_read_of_it(peer in 0..200_u32, entry in short_entry()) {
        let written = Gist::of(NodeId(peer), &entry);
        let numbers = [peer.into(), entry.mine.0, entry.theirs.map_or(0, |epoch| epoch.0), entry.ack.into()];
        let short = entry.last.is_none() && numbers.iter().all(|number| *number < 0x80);
        prop_assert_eq!(written, gist(peer, entry).filter(|_| short));
    }

    #[test]
    fn a_hello_of_gists_is_written_alike(
        entries in prop::collection::vec((0..200_u32, short_entry()), 0..=MAX_ENTRIES + 1),
    ) {
        let entries = || entries.iter().map(|(peer, entry)| (NodeId(*peer), *entry));
        let (mut plain, mut mixed) = (Vec::new(), Vec::new());
        Writer::new(&mut plain, RlMessage::TAG, NodeId(3)).hello(1, entries());
        let mut hello = Writer::new(&mut mixed, RlMessage::TAG, NodeId(3)).begin_hello(1);
        for (peer, entry) in entries() {
            match gist(peer.0, entry) {
                Some(gist) => hello.add_gist(gist),
                None => hello.add(peer, &entry),
            }
        }
        prop_assert_eq!(mixed, plain);
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

fn rl_of_three(body: Body) -> Example {
    let (tag, from) = (RlMessage::TAG, NodeId(3));
    Example { tag, from, body }
}

/// Of the entry of a peer in a hello that lists nobody else.
fn gist(peer: u32, entry: Entry) -> Option<Gist> {
    let mut bytes = Vec::new();
    Writer::new(&mut bytes, RlMessage::TAG, NodeId(3)).hello(1, [(NodeId(peer), entry)]);
    mine(NodeId(peer), &bytes).expect("listed").gist()
}

/// Where a hello has the entry of a peer.
fn mine(peer: NodeId, bytes: &[u8]) -> Option<Place<'_>> {
    match frame::decode_for(peer, RlMessage::TAG, bytes) {
        Ok((_, Frame::Hello(hello))) => hello.mine,
        other => panic!("a hello: {other:?}"),
    }
}

fn refused_or_written_alike(bytes: &[u8]) -> Result<(), TestCaseError> {
    for tag in TAGS {
        if let Ok(example) = Example::read(tag, bytes) {
            prop_assert_eq!(example.bytes(), bytes);
        }
    }
    Ok(())
}

fn example() -> impl Strategy<Value = Example> {
    let tag = prop::sample::select(TAGS.to_vec());
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

/// With numbers most of which have one byte.
fn short_entry() -> impl Strategy<Value = Entry> {
    let short = |Epoch(number)| Epoch(number % 0x90);
    any_entry().prop_map(move |entry| Entry {
        mine: short(entry.mine),
        theirs: entry.theirs.map(short),
        ack: entry.ack % 0x90,
        ..entry
    })
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

fn largest_hello(entries: usize, finals: usize) -> Vec<u8> {
    let entries = (0..entries).map(|place| (NodeId(u32::MAX), largest_entry(place < finals)));
    let mut out = Vec::new();
    Writer::new(&mut out, RlMessage::TAG, NodeId(u32::MAX)).hello(u64::MAX, entries);
    out
}

/// What is wrong with these bytes.
fn text(bytes: &[u8]) -> String {
    let error = frame::decode(RlMessage::TAG, bytes).expect_err("no frame");
    error.to_string()
}

fn malformed(what: &str) -> String {
    format!("the bytes are malformed: {what}")
}
