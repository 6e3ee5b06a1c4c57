//! The byte form of messages: fixed by vectors, refused when damaged, never a panic.
//!
//! `UPDATE_VECTORS=1 cargo test --test wire` rewrites the vectors.

use crate::vectors;
use manet_mutex::NodeId;
use manet_mutex::machine::Message;
use manet_mutex::protocol::gme::{GmeMessage, Groups};
use manet_mutex::protocol::hk::{HkMessage, Key};
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::{GreedyWord, Joined};
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::doorway::{Doorway, Position};
use manet_mutex::protocol::lme::message::Lme1Message;
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
    for tag in Tag::ALL {
        assert!(
            examples().iter().any(|e| e.bytes()[1] == tag.byte()),
            "{tag:?}"
        );
    }
}

#[test]
fn every_truncation_is_an_error() {
    for example in examples() {
        let bytes = example.bytes();
        assert_eq!(example.read(&[]), Err(WireError::Empty));
        for length in 1..bytes.len() {
            let cut = &bytes[..length];
            assert_eq!(example.read(cut), Err(WireError::Truncated), "{cut:02x?}");
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
            assert_eq!(example.read(&bytes), expected, "{bytes:02x?}");
        }
    }
}

#[test]
fn every_other_version_is_an_error() {
    for example in examples() {
        let mut bytes = example.bytes();
        for found in (0..=u8::MAX).filter(|&byte| byte != VERSION) {
            bytes[0] = found;
            assert_eq!(example.read(&bytes), Err(WireError::Version { found }));
        }
    }
}

#[test]
fn every_other_protocol_is_an_error() {
    for example in examples() {
        let mut bytes = example.bytes();
        let own = bytes[1];
        for tag in (0..=u8::MAX).filter(|&byte| byte != own) {
            bytes[1] = tag;
            let refused = matches!(
                example.read(&bytes),
                Err(WireError::OtherProtocol { found, .. }) if found == tag
            );
            assert!(refused, "tag {tag}");
        }
    }
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
        (&[1, 2, 0], "the bytes belong to raymond, this node runs rl"),
        (
            &[1, 77, 0],
            "the bytes belong to an unknown protocol (tag 77), this node runs rl",
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
    const TAG: Tag = Tag::Rl;
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
        &[VERSION, Tag::Rl.byte()],
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

/// One message of any protocol, for the vectors.
#[derive(Debug, PartialEq)]
enum Example {
    Rl(RlMessage),
    Raymond(RaymondMessage),
    Gme(GmeMessage),
    Hk(HkMessage),
    NaimiTrehel(NaimiTrehelMessage),
    Dgme(DgmeMessage),
    Lme1a(Lme1Message<GreedyWord>),
    Lme1b(Lme1Message<LinialWord>),
    Lme2(Lme2Message),
}

/// What the vectors show: every kind of message, and numbers at the edges of their byte lengths.
fn examples() -> Vec<Example> {
    let rl = [
        RlMessage::LinkInfo(height(0, 0, 0)),
        RlMessage::LinkInfo(height(-1, 1, 1)),
        RlMessage::LinkInfo(height(63, -64, 127)),
        RlMessage::LinkInfo(height(64, -65, 128)),
        RlMessage::Request(height(5, -12, 3)),
        RlMessage::Request(height(1000, -5000, 16_384)),
        RlMessage::Request(height(i64::MAX, i64::MIN, u32::MAX)),
        RlMessage::Token {
            height: height(0, -3, 7),
            more: false,
        },
        RlMessage::Token {
            height: height(0, -3, 7),
            more: true,
        },
    ];
    let raymond = [RaymondMessage::Request, RaymondMessage::Privilege];
    rl.map(Example::Rl)
        .into_iter()
        .chain(raymond.map(Example::Raymond))
        .chain(gme_examples().into_iter().map(Example::Gme))
        .chain(hk_examples().map(Example::Hk))
        .chain(naimi_trehel_examples().map(Example::NaimiTrehel))
        .chain(dgme_examples().map(Example::Dgme))
        .chain(lme1a_examples().into_iter().map(Example::Lme1a))
        .chain(lme1b_examples().map(Example::Lme1b))
        .chain(lme2_examples().map(Example::Lme2))
        .collect()
}

fn naimi_trehel_examples() -> [NaimiTrehelMessage; 3] {
    [
        NaimiTrehelMessage::Request(NodeId(3)),
        NaimiTrehelMessage::Request(NodeId(u32::MAX)),
        NaimiTrehelMessage::Token,
    ]
}

fn dgme_examples() -> [DgmeMessage; 7] {
    let req = |at, by| DgmeMessage::Req { at, by };
    [
        DgmeMessage::Open(0),
        DgmeMessage::Ok(3),
        DgmeMessage::Rel(128),
        req(0, 3),
        req(200, u32::MAX),
        DgmeMessage::Token(2),
        DgmeMessage::Token(u32::MAX),
    ]
}

fn gme_examples() -> Vec<GmeMessage> {
    let near = height(0, -3, 7);
    let request = |resource| GmeMessage::Request {
        height: near,
        resource,
    };
    let token = |resources: &[u32]| GmeMessage::Token {
        height: near,
        resources: resources.to_vec(),
    };
    let subtoken = |resource, weight| GmeMessage::SubToken {
        height: near,
        resource,
        weight,
    };
    let release = |weight| GmeMessage::Release {
        height: near,
        weight,
    };
    vec![
        GmeMessage::LinkInfo(height(64, -65, 128)),
        request(0),
        request(300),
        token(&[]),
        token(&[2]),
        token(&[1, 0, 255]),
        subtoken(3, 1),
        subtoken(255, 1 << 40),
        release(127),
        release(u64::MAX),
    ]
}

fn hk_examples() -> [HkMessage; 8] {
    let near = height(0, -3, 7);
    let token = |units, grants, residual| HkMessage::Token {
        height: near,
        units,
        grants,
        residual,
    };
    let request = |rank, id| HkMessage::Request {
        height: near,
        key: key(rank, id),
    };
    let release = |units| HkMessage::Release {
        height: near,
        units,
    };
    [
        HkMessage::LinkInfo(height(64, -65, 128)),
        request(-5, 3),
        request(i64::MIN, u32::MAX),
        token(0, 0, None),
        token(5, 300, Some(key(12, 2))),
        token(u64::MAX, u64::MAX, Some(key(i64::MAX, 0))),
        release(1),
        release(128),
    ]
}

fn lme1a_examples() -> Vec<Lme1Message<GreedyWord>> {
    let behind = Position::behind(Doorway::AsyncRecolouring).crossed(Doorway::SyncRecolouring);
    let welcome = |colour, position| Lme1Message::Welcome { colour, position };
    let links = |of, version, to: &[u32]| GreedyWord::Links {
        of: NodeId(of),
        joined: Joined {
            version,
            to: to.iter().copied().map(NodeId).collect(),
        },
    };
    let says = |attempt, word| Lme1Message::NewColour { attempt, word };
    vec![
        Lme1Message::Position(Position::OUTSIDE),
        Lme1Message::Position(behind),
        Lme1Message::Position(Position::behind(Doorway::AsyncForks).crossed(Doorway::SyncForks)),
        welcome(None, Position::OUTSIDE),
        welcome(Some(-1), behind),
        Lme1Message::UpdateColour(0),
        Lme1Message::UpdateColour(i64::MIN),
        Lme1Message::Req,
        Lme1Message::Fork { flag: false },
        Lme1Message::Fork { flag: true },
        says(1, GreedyWord::Hello),
        says(300, links(7, (300, 0), &[])),
        says(2, links(u32::MAX, (u32::MAX, 1), &[0, 128])),
        Lme1Message::Nack { attempt: 128 },
    ]
}

fn lme1b_examples() -> [Lme1Message<LinialWord>; 4] {
    let says = |attempt, round, colour| Lme1Message::NewColour {
        attempt,
        word: LinialWord { round, colour },
    };
    [
        Lme1Message::UpdateColour(-26),
        says(1, 0, 0),
        says(3, 2, u64::MAX),
        Lme1Message::Nack { attempt: 3 },
    ]
}

fn lme2_examples() -> [Lme2Message; 8] {
    [
        Lme2Message::Req,
        Lme2Message::Fork { flag: false },
        Lme2Message::Fork { flag: true },
        Lme2Message::Notify,
        Lme2Message::Height(0),
        Lme2Message::Height(u64::MAX),
        Lme2Message::Welcome(127),
        Lme2Message::Welcome(128),
    ]
}

impl Example {
    fn line(&self) -> String {
        let what = match self {
            Self::Rl(message) => {
                let more = match message {
                    RlMessage::Token { more, .. } => format!(" more={more}"),
                    _ => String::new(),
                };
                let (kind, height) = (message.kind(), message.height());
                format!("{} {kind} height={height:?}{more}", Tag::Rl.name())
            }
            Self::Raymond(message) => format!("{} {}", Tag::Raymond.name(), message.kind()),
            Self::Gme(message) => gme_line(message),
            Self::Hk(message) => hk_line(message),
            Self::NaimiTrehel(message) => {
                let who = match message {
                    NaimiTrehelMessage::Request(who) => format!(" node={who}"),
                    NaimiTrehelMessage::Token => String::new(),
                };
                format!("{} {}{who}", Tag::NaimiTrehel.name(), message.kind())
            }
            Self::Dgme(message) => {
                let fields = match message {
                    DgmeMessage::Open(x)
                    | DgmeMessage::Ok(x)
                    | DgmeMessage::Rel(x)
                    | DgmeMessage::Token(x) => format!("session={x}"),
                    DgmeMessage::Req { at, by } => format!("at={at} by={by}"),
                };
                format!("{} {} {fields}", Tag::Dgme.name(), message.kind())
            }
            Self::Lme1a(message) => lme1_line(message, Tag::Lme1a, greedy_fields),
            Self::Lme1b(message) => lme1_line(message, Tag::Lme1b, linial_fields),
            Self::Lme2(message) => lme2_line(message),
        };
        let hex: Vec<String> = self.bytes().iter().map(|b| format!("{b:02x}")).collect();
        format!("{what} : {}", hex.join(" "))
    }

    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Rl(message) => bytes_of(message),
            Self::Raymond(message) => bytes_of(message),
            Self::Gme(message) => bytes_of(message),
            Self::Hk(message) => bytes_of(message),
            Self::NaimiTrehel(message) => bytes_of(message),
            Self::Dgme(message) => bytes_of(message),
            Self::Lme1a(message) => bytes_of(message),
            Self::Lme1b(message) => bytes_of(message),
            Self::Lme2(message) => bytes_of(message),
        }
    }

    /// Reads `bytes` as a message of the same protocol.
    fn read(&self, bytes: &[u8]) -> Result<Self, WireError> {
        match self {
            Self::Rl(_) => decode(bytes).map(Self::Rl),
            Self::Raymond(_) => decode(bytes).map(Self::Raymond),
            Self::Gme(_) => decode(bytes).map(Self::Gme),
            Self::Hk(_) => decode(bytes).map(Self::Hk),
            Self::NaimiTrehel(_) => decode(bytes).map(Self::NaimiTrehel),
            Self::Dgme(_) => decode(bytes).map(Self::Dgme),
            Self::Lme1a(_) => decode(bytes).map(Self::Lme1a),
            Self::Lme1b(_) => decode(bytes).map(Self::Lme1b),
            Self::Lme2(_) => decode(bytes).map(Self::Lme2),
        }
    }

    fn is_read_from(&self, bytes: &[u8]) -> bool {
        self.read(bytes).as_ref() == Ok(self)
    }
}

fn gme_line(message: &GmeMessage) -> String {
    let fields = match message {
        GmeMessage::LinkInfo(_) => String::new(),
        GmeMessage::Request { resource, .. } => format!(" resource={resource}"),
        GmeMessage::Token { resources, .. } => format!(" resources={resources:?}"),
        GmeMessage::SubToken {
            resource, weight, ..
        } => format!(" resource={resource} weight={weight}"),
        GmeMessage::Release { weight, .. } => format!(" weight={weight}"),
    };
    let (kind, height) = (message.kind(), message.height());
    format!("{} {kind} height={height:?}{fields}", Tag::Gme.name())
}

fn hk_line(message: &HkMessage) -> String {
    let pair = |key: &Key| format!("({},{})", key.rank, key.id);
    let fields = match message {
        HkMessage::LinkInfo(_) => String::new(),
        HkMessage::Request { key, .. } => format!(" key={}", pair(key)),
        HkMessage::Token {
            units,
            grants,
            residual,
            ..
        } => {
            let residual = residual.as_ref().map_or("none".to_owned(), pair);
            format!(" units={units} grants={grants} residual={residual}")
        }
        HkMessage::Release { units, .. } => format!(" units={units}"),
    };
    let (kind, height) = (message.kind(), message.height());
    format!("{} {kind} height={height:?}{fields}", Tag::Hk.name())
}

fn lme1_line<W: Message>(
    message: &Lme1Message<W>,
    tag: Tag,
    said: impl Fn(&W) -> String,
) -> String {
    let number = |position: &Position| {
        let sum = Doorway::ALL.iter().filter(|(d, _)| position.is_behind(*d));
        sum.map(|(doorway, _)| *doorway as u8).sum::<u8>()
    };
    let fields = match message {
        Lme1Message::Position(position) => format!(" position={}", number(position)),
        Lme1Message::Welcome { colour, position } => {
            let colour = colour.map_or("none".to_owned(), |colour| colour.to_string());
            format!(" colour={colour} position={}", number(position))
        }
        Lme1Message::UpdateColour(colour) => format!(" colour={colour}"),
        Lme1Message::Req => String::new(),
        Lme1Message::Fork { flag } => format!(" flag={flag}"),
        Lme1Message::NewColour { attempt, word } => format!(" attempt={attempt}{}", said(word)),
        Lme1Message::Nack { attempt } => format!(" attempt={attempt}"),
    };
    format!("{} {}{fields}", tag.name(), message.kind())
}

fn greedy_fields(word: &GreedyWord) -> String {
    match word {
        GreedyWord::Hello => String::new(),
        GreedyWord::Links { of, joined } => {
            let to: Vec<u32> = joined.to.iter().map(|peer| peer.0).collect();
            let (attempt, lost) = joined.version;
            format!(" of={of} version=({attempt},{lost}) to={to:?}")
        }
    }
}

fn linial_fields(word: &LinialWord) -> String {
    format!(" round={} colour={}", word.round, word.colour)
}

fn key(rank: i64, id: u32) -> Key {
    let id = NodeId(id);
    Key { rank, id }
}

fn bytes_of<M: WireMessage>(message: &M) -> Vec<u8> {
    let mut out = Vec::new();
    encode(message, &mut out).expect("small enough");
    out
}

fn height(h1: i64, h2: i64, id: u32) -> Height {
    let id = NodeId(id);
    Height { h1, h2, id }
}

fn lme2_line(message: &Lme2Message) -> String {
    let fields = match message {
        Lme2Message::Req | Lme2Message::Notify => String::new(),
        Lme2Message::Fork { flag } => format!(" flag={flag}"),
        Lme2Message::Height(height) | Lme2Message::Welcome(height) => format!(" height={height}"),
    };
    format!("{} {}{fields}", Tag::Lme2.name(), message.kind())
}
