//! Frames and datagrams of nodes that do not exist, and of other protocols.

use super::{LINKED, ROUTED, error_of, kinds, settings, station};
use crate::ffi::Kind;
use manet_mutex::protocol::registry::NAMES;
use manet_mutex::wire::frame;

/// A hello of a node that names nobody, under the tag of a protocol's messages.
fn hello(tag: u8, from: u8) -> [u8; 6] {
    [1, tag, 0, from, 1, 0]
}

/// A probe of a node for node 0, in life 0.
fn probe(tag: u8, from: u8) -> [u8; 6] {
    [1, tag, 0x10, from, 0, 0]
}

/// The tag of a protocol, as its own frames and datagrams say.
fn tag(protocol: &str) -> u8 {
    let accepted = |tag: &u8| {
        let mut station = station(protocol, 0, 2, 0);
        station.start(0).expect("a start");
        kinds(&mut station);
        if ROUTED.contains(&protocol) {
            station.datagram(1, &probe(*tag, 1)).expect("no misuse");
            return kinds(&mut station) == [Kind::Frame];
        }
        let report = station.frame(1, &hello(*tag, 1), 0.0).expect("no misuse");
        report.sender == 1
    };
    (0..32).find(accepted).expect("a tag that is accepted")
}

#[test]
fn a_datagram_of_an_unknown_node_is_dropped_and_counted() {
    for protocol in ROUTED {
        let mut station = station(protocol, 0, 2, 0);
        station.start(0).expect("a start");
        kinds(&mut station);
        let tag = tag(protocol);
        for from in [2, 7, 127] {
            let report = station.datagram(1, &probe(tag, from)).expect("no misuse");
            assert!(!report.effects, "{protocol}: an answer to node {from}");
        }
        assert_eq!(station.unknown_senders(), 3, "{protocol}");
        station.datagram(1, &probe(tag, 1)).expect("no misuse");
        assert_eq!(
            kinds(&mut station),
            [Kind::Frame],
            "{protocol}: node 1 is answered"
        );
        assert_eq!(station.unknown_senders(), 3, "{protocol}");
    }
}

#[test]
fn a_frame_of_an_unknown_node_is_dropped_and_counted() {
    for protocol in LINKED {
        let mut station = station(protocol, 0, 2, 0);
        station.start(0).expect("a start");
        let tag = tag(protocol);
        for from in [2, 7, 127] {
            let report = station.frame(1, &hello(tag, from), 0.0).expect("no misuse");
            assert_eq!(report.sender, crate::everybody(), "{protocol}: node {from}");
        }
        assert_eq!(station.unknown_senders(), 3, "{protocol}");
        let report = station.frame(1, &hello(tag, 1), 0.0).expect("no misuse");
        assert_eq!(report.sender, 1, "{protocol}");
    }
}

#[test]
fn the_sender_is_told_of_accepted_frames_only() {
    let tags = LINKED.map(tag);
    for (place, protocol) in LINKED.iter().enumerate() {
        let mut station = station(protocol, 0, 2, 0);
        station.start(0).expect("a start");
        for (other, &tag) in tags.iter().enumerate() {
            let frame = hello(tag, 1);
            assert!(frame::glance(&frame).is_ok(), "it looks like a frame");
            let report = station.frame(1, &frame, 0.0).expect("no misuse");
            let own = tag == tags[place];
            assert_eq!(
                report.sender == 1,
                own && other <= place,
                "{protocol}, {other}"
            );
            // The same hello again is a replay.
            let report = station.frame(1, &frame, 0.0).expect("no misuse");
            assert_eq!(
                report.sender,
                crate::everybody(),
                "{protocol}, {other}, again"
            );
        }
        let report = station.frame(1, &[1, tags[place]], 0.0).expect("no misuse");
        assert_eq!(
            report.sender,
            crate::everybody(),
            "{protocol}: a torn frame"
        );
    }
}

#[test]
fn a_population_that_is_too_large_is_refused() {
    for protocol in NAMES {
        for life in [0, 1] {
            let error = error_of(crate::station::new(&settings(protocol, 0, u32::MAX, life)));
            assert!(error.contains("use at most 1048576"), "{protocol}: {error}");
        }
        let error = error_of(crate::checker::new(&settings(protocol, 0, u32::MAX, 0)));
        assert!(error.contains("use at most 1048576"), "{protocol}: {error}");
        let error = error_of(crate::station::new(&settings(protocol, 2, 2, 0)));
        assert!(error.contains("node 2 of 2"), "{protocol}: {error}");
    }
}
