//! The byte form of messages: fixed by vectors, refused when damaged, never a panic.
//!
//! `UPDATE_VECTORS=1 cargo test --test wire` rewrites the vectors.

mod examples;

use crate::damage::{self, Sample};
use crate::vectors;
use examples::{Example, bytes_of, examples, height, key};
use manet_mutex::NodeId;
use manet_mutex::machine::Message;
use manet_mutex::protocol::gme::{GmeMessage, Groups};
use manet_mutex::protocol::hk::HkMessage;
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::{GreedyWord, Joined};
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::doorway::{Doorway, Position};
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::registry::TAGS;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::dgme::DgmeMessage;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehelMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::{MAX_MESSAGE, Tag, VERSION, WireError, WireMessage, decode, encode};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

const HEADER: &str = "\
# Protocol messages as bytes. Every implementation must write and read exactly these.
#
#   protocol kind field=value ... : bytes in hexadecimal
#
# The first byte is the version of the format, the second the protocol, the third the kind of
# message; its fields follow in the order shown. A height is (h1,h2,id), a key (rank,id), a version
# (attempt,lost). Lines that start with # and empty lines mean nothing.
#
# Rewritten by: UPDATE_VECTORS=1 cargo test --test wire
";

#[test]
fn vectors_hold_in_both_directions() {
    let written: Vec<String> = examples().iter().map(Example::line).collect();
    let golden = vectors::hold("messages.txt", HEADER, &written);
    for (example, (line, bytes)) in examples().iter().zip(golden) {
        assert!(example.is_read_from(&bytes), "{line}");
    }
}

#[test]
fn vectors_cover_every_protocol() {
    for tag in TAGS {
        assert!(
            examples().iter().any(|e| e.bytes()[1] == tag.byte()),
            "{tag:?}"
        );
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
fn errors_say_what_is_wrong() {
    let text = |bytes: &[u8]| decode::<RlMessage>(bytes).unwrap_err().to_string();
    let long_zero = [0x80; 10]; // a number that has no end
    let cases: [(&[u8], &str); 12] = [
        (&[], "there are no bytes"),
        (
            &[9, 1, 0],
            "the bytes have version 9, this build speaks version 1",
        ),
        (
            &[1, 2, 0],
            "the bytes belong to another protocol (tag 2), this node runs rl",
        ),
        (
            &[1, 77, 0],
            "the bytes belong to another protocol (tag 77), this node runs rl",
        ),
        (&[1], "the bytes are cut short"),
        (&[1, 1, 0, 0], "the bytes are cut short"),
        (
            &[1, 1, 3, 0, 0, 0],
            "the bytes are malformed: its kind is unknown",
        ),
        (
            &[1, 1, 2, 0, 0, 0, 2],
            "the bytes are malformed: a truth value is neither 0 nor 1",
        ),
        (
            &[&[1, 1, 0][..], &long_zero, &[0; 3]].concat(),
            "the bytes are malformed: a number does not fit its field",
        ),
        (
            &[1, 1, 0, 0x80, 0, 0, 0],
            "the bytes are malformed: a number is not in its shortest form",
        ),
        (&[1, 1, 0, 0, 0, 0, 5, 5], "2 superfluous bytes follow"),
        (&[1; MAX_MESSAGE + 1], "there are more than 1024 bytes"),
    ];
    for (bytes, expected) in cases {
        assert_eq!(text(bytes), expected, "{bytes:02x?}");
    }
}

#[test]
fn encoding_appends() {
    let mut out = vec![7];
    encode(&RaymondMessage::Request, &mut out).unwrap();
    encode(&RaymondMessage::Privilege, &mut out).unwrap();
    assert_eq!(out, [7, 1, 2, 0, 1, 2, 1]);
}

/// A message as long as one likes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Letter(Vec<u8>);

impl Message for Letter {
    fn kind(&self) -> &'static str {
        "Letter"
    }
}

impl WireMessage for Letter {
    const TAG: Tag = RlMessage::TAG;
}

#[test]
fn size_is_limited_when_writing() {
    let most = MAX_MESSAGE - 4; // version, tag, two bytes of length
    let mut out = Vec::new();
    encode(&Letter(vec![1; most]), &mut out).unwrap();
    assert_eq!(out.len(), MAX_MESSAGE);
    assert_eq!(decode(&out), Ok(Letter(vec![1; most])));

    let mut out = vec![7];
    let refused = encode(&Letter(vec![1; most + 1]), &mut out);
    assert_eq!(refused, Err(WireError::TooLarge { most: MAX_MESSAGE }));
    assert_eq!(
        out,
        [7],
        "nothing is written of a message that is too large"
    );
}

#[test]
fn a_length_that_lies_is_an_error() {
    // Says that 2^63 bytes follow.
    let bytes = [
        &[VERSION, RlMessage::TAG.byte()],
        &[0x80; 9][..],
        &[0x01],
        &[0; 40],
    ]
    .concat();
    assert_eq!(decode::<Letter>(&bytes), Err(WireError::Truncated));
}

#[test]
fn messages_of_rl_are_small() {
    let longest = RlMessage::Token {
        height: height(i64::MIN, i64::MAX, u32::MAX),
        more: true,
    };
    assert_eq!(bytes_of(&longest).len(), 29);
    let usual = RlMessage::Token {
        height: height(1000, -5000, 99),
        more: true,
    };
    assert_eq!(bytes_of(&usual).len(), 9);
}

/// A token of `gme` can name every group there may be.
#[test]
fn the_longest_token_fits() {
    let longest = GmeMessage::Token {
        height: height(i64::MIN, i64::MAX, u32::MAX),
        resources: (0..Groups::MOST).collect(),
    };
    assert!(bytes_of(&longest).len() < MAX_MESSAGE);
}

proptest! {
    #[test]
    fn rl_round_trip(message in rl_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn gme_round_trip(message in gme_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn hk_round_trip(message in hk_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn lme1a_round_trip(message in lme1_message(greedy_word())) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn lme1b_round_trip(message in lme1_message(linial_word())) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn lme2_round_trip(message in lme2_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn raymond_round_trip(message in raymond_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn naimi_trehel_round_trip(who in any::<u32>(), token in any::<bool>()) {
        let request = NaimiTrehelMessage::Request(NodeId(who));
        let message = if token { NaimiTrehelMessage::Token } else { request };
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn dgme_round_trip(message in dgme_message()) {
        prop_assert_eq!(decode(&bytes_of(&message)), Ok(message));
    }

    #[test]
    fn random_bytes_are_refused_or_written_alike(
        bytes in prop::collection::vec(any::<u8>(), 0..64),
    ) {
        refused_or_written_alike(&bytes)?;
    }

    #[test]
    fn random_bodies_are_refused_or_written_alike(
        tag in 0..20u8,
        kind in 0..8u8,
        body in prop::collection::vec(any::<u8>(), 0..32),
    ) {
        refused_or_written_alike(&[&[VERSION, tag, kind], &body[..]].concat())?;
    }

    #[test]
    fn damaged_messages_are_refused_or_written_alike(
        message in rl_message(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = bytes_of(&message);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        refused_or_written_alike(&bytes)?;
    }
}

fn refused_or_written_alike(bytes: &[u8]) -> Result<(), TestCaseError> {
    if let Ok(message) = decode::<RlMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<RaymondMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<GmeMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<HkMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<NaimiTrehelMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<DgmeMessage>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<Lme1Message<GreedyWord>>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<Lme1Message<LinialWord>>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    if let Ok(message) = decode::<Lme2Message>(bytes) {
        prop_assert_eq!(bytes_of(&message), bytes);
    }
    Ok(())
}

fn any_height() -> impl Strategy<Value = Height> {
    (any::<i64>(), any::<i64>(), any::<u32>()).prop_map(|(h1, h2, id)| {
        // Numbers of every length, not only of ten bytes.
        height(h1 >> (id % 64), h2 >> (id / 64 % 64), id)
    })
}

fn gme_message() -> impl Strategy<Value = GmeMessage> {
    let resources = prop::collection::vec(any::<u32>(), 0..20);
    let amount = (any::<u64>(), 0..64u32).prop_map(|(amount, shift)| amount >> shift);
    (0..5, any_height(), resources, any::<u32>(), amount).prop_map(
        |(kind, height, resources, resource, weight)| match kind {
            0 => GmeMessage::LinkInfo(height),
            1 => GmeMessage::Request { height, resource },
            2 => GmeMessage::Token { height, resources },
            3 => GmeMessage::SubToken {
                height,
                resource,
                weight,
            },
            _ => GmeMessage::Release { height, weight },
        },
    )
}

fn hk_message() -> impl Strategy<Value = HkMessage> {
    let key = (any::<i64>(), any::<u32>()).prop_map(|(rank, id)| key(rank >> (id % 64), id));
    let amount = (any::<u64>(), 0..64u32).prop_map(|(amount, shift)| amount >> shift);
    (0..4, any_height(), key, any::<bool>(), amount).prop_map(|(kind, height, key, more, units)| {
        match kind {
            0 => HkMessage::LinkInfo(height),
            1 => HkMessage::Request { height, key },
            2 => HkMessage::Token {
                height,
                units,
                grants: units / 2,
                residual: more.then_some(key),
            },
            _ => HkMessage::Release { height, units },
        }
    })
}

fn greedy_word() -> impl Strategy<Value = GreedyWord> {
    let node = any::<u32>().prop_map(NodeId);
    let version = (any::<u32>(), any::<u32>());
    let to = prop::collection::vec(any::<u32>().prop_map(NodeId), 0..20);
    prop_oneof![
        Just(GreedyWord::Hello),
        (node, version, to).prop_map(|(of, version, to)| {
            let joined = Joined { version, to };
            GreedyWord::Links { of, joined }
        })
    ]
}

fn linial_word() -> impl Strategy<Value = LinialWord> {
    (any::<u8>(), any::<u64>()).prop_map(|(round, colour)| LinialWord { round, colour })
}

fn lme1_message<W: Message>(
    word: impl Strategy<Value = W>,
) -> impl Strategy<Value = Lme1Message<W>> {
    let position = prop::sample::subsequence(Doorway::ALL.to_vec(), 0..=4).prop_map(|behind| {
        let outside = Position::OUTSIDE;
        behind
            .iter()
            .fold(outside, |at, &(doorway, _)| at.crossed(doorway))
    });
    let colour = prop::option::of(any::<i64>());
    (0..7, position, colour, any::<u32>(), any::<bool>(), word).prop_map(
        |(kind, position, colour, attempt, flag, word)| match kind {
            0 => Lme1Message::Position(position),
            1 => Lme1Message::Welcome { colour, position },
            2 => Lme1Message::UpdateColour(colour.unwrap_or(0)),
            3 => Lme1Message::Req,
            4 => Lme1Message::Fork { flag },
            5 => Lme1Message::NewColour { attempt, word },
            _ => Lme1Message::Nack { attempt },
        },
    )
}

fn lme2_message() -> impl Strategy<Value = Lme2Message> {
    (0..5, any::<bool>(), any::<u64>()).prop_map(|(kind, flag, height)| match kind {
        0 => Lme2Message::Req,
        1 => Lme2Message::Fork { flag },
        2 => Lme2Message::Notify,
        3 => Lme2Message::Height(height),
        _ => Lme2Message::Welcome(height),
    })
}

fn rl_message() -> impl Strategy<Value = RlMessage> {
    (0..3, any_height(), any::<bool>()).prop_map(|(kind, height, more)| match kind {
        0 => RlMessage::LinkInfo(height),
        1 => RlMessage::Request(height),
        _ => RlMessage::Token { height, more },
    })
}

fn raymond_message() -> impl Strategy<Value = RaymondMessage> {
    prop_oneof![
        Just(RaymondMessage::Request),
        Just(RaymondMessage::Privilege)
    ]
}

fn dgme_message() -> impl Strategy<Value = DgmeMessage> {
    (0..5, any::<u32>(), any::<u32>()).prop_map(|(kind, at, by)| match kind {
        0 => DgmeMessage::Open(at),
        1 => DgmeMessage::Ok(at),
        2 => DgmeMessage::Rel(at),
        3 => DgmeMessage::Req { at, by },
        _ => DgmeMessage::Token(at),
    })
}
