//! The byte form of datagrams: fixed by vectors, refused when damaged, never a panic.
//!
//! `UPDATE_VECTORS=1 cargo test --test wire` rewrites the vectors.

use crate::vectors;
use manet_mutex::NodeId;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::transport::{Life, Receipt};
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::datagram::{self, Body, Datagram, Head, MAX_DATAGRAM};
use manet_mutex::wire::{self, MAX_MESSAGE, Tag, VERSION, WireError, frame};
use proptest::prelude::*;

const HEADER: &str = "\
# Datagrams of the transport as bytes. Every implementation must write and read exactly these.
#
#   protocol kind from=sender to=receiver life=life field=value ... : bytes in hexadecimal
#
# The first byte is the version of the format, the second the protocol, the third the kind; the
# fields follow in the order shown. A message is given by its bytes; messages.txt says what they
# mean. Lines that start with # and empty lines mean nothing.
#
# Rewritten by: UPDATE_VECTORS=1 cargo test --test wire
";

const TAG: Tag = RaymondMessage::TAG;

fn privilege() -> Vec<u8> {
    let mut bytes = Vec::new();
    wire::encode(&RaymondMessage::Privilege, &mut bytes).expect("it is short");
    bytes
}

fn examples(message: &[u8]) -> Vec<Datagram<'_>> {
    let near = Head {
        from: NodeId(0),
        to: NodeId(1),
        life: Life(1),
    };
    let far = Head {
        from: NodeId(u32::MAX),
        to: NodeId(u32::MAX - 1),
        life: Life(u64::MAX),
    };
    let data = |theirs, number| Body::Data {
        theirs: Life(theirs),
        number,
        message,
    };
    let ack = |theirs, below, beyond| Body::Ack {
        theirs: Life(theirs),
        receipt: Receipt { below, beyond },
    };
    [
        (near, Body::Probe),
        (near, data(1, 0)),
        (near, data(2, 200)),
        (near, ack(1, 0, 0)),
        (near, ack(1, 1, 0b101)),
        (far, Body::Probe),
        (far, data(u64::MAX, u64::MAX)),
        (far, ack(u64::MAX, u64::MAX, u64::MAX)),
    ]
    .map(|(head, body)| Datagram { head, body })
    .to_vec()
}

fn bytes(datagram: &Datagram<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    datagram::encode(TAG, datagram, &mut out);
    out
}

fn line(datagram: &Datagram<'_>) -> String {
    let hex = |bytes: &[u8]| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        bytes.join(" ")
    };
    let Head { from, to, life } = datagram.head;
    let fields = match datagram.body {
        Body::Probe => String::new(),
        Body::Data {
            theirs,
            number,
            message,
        } => {
            let theirs = theirs.0;
            format!(
                " theirs={theirs} number={number} message=({})",
                hex(message)
            )
        }
        Body::Ack { theirs, receipt } => {
            let Receipt { below, beyond } = receipt;
            format!(" theirs={} below={below} beyond={beyond}", theirs.0)
        }
    };
    let (name, kind) = (TAG.name(), datagram.body.name());
    let head = format!("{name} {kind} from={from} to={to} life={}", life.0);
    format!("{head}{fields} : {}", hex(&bytes(datagram)))
}

#[test]
fn vectors_hold_in_both_directions() {
    let message = privilege();
    let written: Vec<String> = examples(&message).iter().map(line).collect();
    let golden = vectors::hold("datagrams.txt", HEADER, &written);
    for (example, (line, bytes)) in examples(&message).iter().zip(golden) {
        assert_eq!(datagram::decode(TAG, &bytes), Ok(*example), "{line}");
        let glance = (example.body.name(), example.head.from);
        assert_eq!(datagram::glance(&bytes), Ok(glance));
    }
}

#[test]
fn every_truncation_is_an_error() {
    for example in examples(&privilege()[..1]) {
        let bytes = bytes(&example);
        assert_eq!(datagram::decode(TAG, &[]), Err(WireError::Empty));
        for length in 1..bytes.len() {
            let cut = datagram::decode(TAG, &bytes[..length]);
            assert_eq!(cut, Err(WireError::Truncated), "{length} of {bytes:02x?}");
        }
    }
}

#[test]
fn trailing_bytes_are_an_error_unless_they_are_a_message() {
    for example in examples(&privilege()) {
        let mut bytes = bytes(&example);
        bytes.push(0);
        let read = datagram::decode(TAG, &bytes);
        match example.body {
            Body::Data { .. } => assert!(read.is_ok()),
            _ => assert_eq!(read, Err(WireError::Trailing { count: 1 })),
        }
    }
}

#[test]
fn other_versions_protocols_and_kinds_are_errors() {
    for example in examples(&privilege()) {
        let good = bytes(&example);
        for other in 0..=u8::MAX {
            let changed = |place: usize| {
                let mut bytes = good.clone();
                bytes[place] = other;
                datagram::decode(TAG, &bytes).map(|_| ())
            };
            if other != VERSION {
                assert_eq!(changed(0), Err(WireError::Version { found: other }));
            }
            if other != TAG.byte() {
                let foreign = matches!(changed(1), Err(WireError::OtherProtocol { .. }));
                assert!(foreign, "{other}");
            }
            if !(0x10..=0x12).contains(&other) {
                let what = "its kind is unknown";
                assert_eq!(changed(2), Err(WireError::Malformed { what }));
            }
        }
    }
}

#[test]
fn messages_that_are_too_long_are_errors() {
    let datagram = |length| {
        let message = vec![7; length];
        let example = examples(&message).pop().map(|last| Datagram {
            body: Body::Data {
                theirs: Life(u64::MAX),
                number: u64::MAX,
                message: &message,
            },
            ..last
        });
        bytes(&example.unwrap())
    };
    let most = datagram(MAX_MESSAGE);
    assert_eq!(most.len(), MAX_DATAGRAM);
    assert!(datagram::decode(TAG, &most).is_ok());
    let more = datagram(MAX_MESSAGE + 1);
    assert_eq!(
        datagram::decode(TAG, &more),
        Err(WireError::TooLarge { most: MAX_DATAGRAM })
    );
}

#[test]
fn a_frame_is_no_datagram_and_a_datagram_no_frame() {
    for example in examples(&privilege()) {
        assert!(frame::decode(TAG, &bytes(&example)).is_err());
        assert!(frame::glance(&bytes(&example)).is_err());
    }
    let mut frame = Vec::new();
    let ack = frame::Ack {
        to: NodeId(1),
        mine: manet_mutex::link::Epoch(1),
        theirs: manet_mutex::link::Epoch(1),
        ack: 1,
    };
    frame::Writer::new(&mut frame, TAG, NodeId(0)).ack(&ack);
    assert!(datagram::decode(TAG, &frame).is_err());
}

proptest! {
    #[test]
    fn what_can_be_read_is_what_would_be_written(
        kind in 0x10_u8..0x14,
        body in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut noise = vec![VERSION, TAG.byte(), kind];
        noise.extend(body);
        if let Ok(read) = datagram::decode(TAG, &noise) {
            prop_assert_eq!(bytes(&read), noise);
        }
    }
}
