//! Nodes that stop, and nodes that start again without their memory.

use super::network::{Net, SECOND};
use super::{LINKED, ROUTED, error_of, kinds, settings, station};
use crate::ffi::Kind;

#[test]
fn only_the_first_life_of_node_0_makes_the_token() {
    for protocol in ["rl", "gme", "hk"] {
        for (id, life, makes) in [(0, 0, true), (0, 1, false), (0, 7, false), (1, 0, false)] {
            let mut station = station(protocol, id, 3, life);
            station.start(0).expect("a start");
            let token = kinds(&mut station).contains(&Kind::Token);
            assert_eq!(token, makes, "{protocol}, node {id} in life {life}");
        }
    }
}

#[test]
fn a_restarted_node_0_does_not_enter_alone() {
    for protocol in ["rl", "gme", "hk"] {
        let mut net = Net::new(protocol, 2);
        net.run(5 * SECOND);
        net.request(1);
        net.run(SECOND);
        assert_eq!(net.entries, [1], "{protocol}: the token went to node 1");
        net.stop(0);
        net.run(SECOND / 10);
        net.start(0, 1);
        net.request(0);
        net.run(10 * SECOND);
        assert_eq!(net.entries[0], 1, "{protocol}");
        if protocol == "rl" {
            assert_eq!(net.entries, [1], "node 1 is inside");
        }
        net.release(1);
        net.run(10 * SECOND);
        assert_eq!(net.entries, [1, 0], "{protocol}: node 0 in its turn");
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 0, "{protocol}: {first}");
    }
}

#[test]
fn a_token_is_lost_with_its_owner_and_not_made_again() {
    for protocol in ["rl", "gme", "hk"] {
        let mut net = Net::new(protocol, 3);
        net.run(5 * SECOND);
        net.stop(0);
        net.run(SECOND);
        net.start(0, 1);
        net.run(5 * SECOND);
        for id in 0..3 {
            net.request(id);
        }
        net.run(20 * SECOND);
        assert_eq!(net.entries, [0; 0], "{protocol}: entries without a token");
        assert_eq!(net.tokens, [0], "{protocol}: the token was made once");
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 0, "{protocol}: {first}");
    }
}

#[test]
fn a_restart_of_another_node_is_no_violation() {
    for protocol in LINKED {
        // 0 and 2 stay; 1 is away for too short a time to be missed, then for long.
        let mut net = Net::new(protocol, 3);
        net.run(5 * SECOND);
        for (life, away) in [(1, SECOND / 20), (2, 5 * SECOND)] {
            net.stop(1);
            net.run(away);
            net.start(1, life);
            net.run(10 * SECOND);
            for id in 0..3 {
                let before = net.entries.len();
                net.request(id);
                net.run(5 * SECOND);
                assert_eq!(net.entries[before..], [id], "{protocol} in life {life}");
                net.release(id);
                net.run(SECOND);
            }
        }
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 0, "{protocol}: {first}");
    }
}

#[test]
fn a_node_that_stops_inside_is_no_violation() {
    for protocol in LINKED {
        let mut net = Net::new(protocol, 2);
        net.run(5 * SECOND);
        net.request(1);
        net.run(SECOND);
        assert_eq!(net.entries, [1], "{protocol}");
        net.stop(1);
        net.request(0);
        net.run(10 * SECOND);
        // Forks end with their link; the token and the units that node 1 had are lost.
        let served = protocol.starts_with("lme");
        assert_eq!(
            net.entries.len() > 1,
            served,
            "{protocol}: {:?}",
            net.entries
        );
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 0, "{protocol}: {first}");
    }
}

#[test]
fn links_that_close_and_come_up_again_are_no_violation() {
    for protocol in LINKED {
        let mut net = Net::new(protocol, 2);
        for _ in 0..3 {
            net.run(5 * SECOND);
            for id in 0..2 {
                let before = net.entries.len();
                net.request(id);
                net.run(SECOND);
                assert_eq!(net.entries[before..], [id], "{protocol}");
                net.release(id);
            }
            net.separate(0, 1, true);
            net.run(10 * SECOND);
            net.separate(0, 1, false);
        }
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 0, "{protocol}: {first}");
    }
}

#[test]
fn a_restart_over_routing_is_refused() {
    for protocol in ROUTED {
        for id in 0..3 {
            let error = error_of(crate::station::new(&settings(protocol, id, 3, 1)));
            let expected = format!("{protocol} cannot restart a node");
            assert!(error.starts_with(&expected), "{error}");
            assert!(error.contains("leave it stopped"), "{error}");
        }
    }
}

#[test]
fn lives_that_overlap_or_repeat_are_noticed() {
    for (stops, life, text) in [
        (false, 1, "node 1 starts in life 1 while it runs in life 0"),
        (true, 0, "node 1 starts in life 0 after life 0"),
    ] {
        let mut net = Net::new("rl", 2);
        if stops {
            net.stop(1);
        }
        net.start(1, life);
        let first = net.checker.first_violation();
        assert_eq!(net.checker.violations(), 1, "{first}");
        assert!(first.contains(text), "{first}");
    }
}
