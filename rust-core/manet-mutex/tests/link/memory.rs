//! What a link layer remembers of its peers, and what it asks about them.

use super::net::{Kind, Net, alone, token};
use manet_mutex::NodeId;
use manet_mutex::link::{Config, Epoch};
use manet_mutex::time::span;

/// A link layer that remembers one peer.
fn forgetful() -> Config {
    Config {
        neighbours: 1,
        peers: 1,
        ..alone()
    }
}

/// The epochs in which nodes 0 and 1 are linked.
fn epochs(net: &Net) -> (Epoch, Epoch) {
    let mine = net.pair(0, 1).incarnation().expect("up at node 0");
    let theirs = net.pair(1, 0).incarnation().expect("up at node 1");
    assert_eq!(mine, (theirs.1, theirs.0));
    mine
}

/// Two nodes part slowly, so that their link closes in good order and nothing is left to tell.
fn fade(net: &mut Net, a: u32, b: u32) {
    for dbm in 60..82 {
        net.power(a, b, -f64::from(dbm));
        net.power(b, a, -f64::from(dbm));
        net.run(1.0);
    }
    assert!(!net.is_up(a, b) && !net.is_up(b, a));
    net.part(a, b);
    net.run(10.0);
}

/// Nodes 0 and 1 are linked and part. Node 2 takes the place of node 1 in the table of node 0, and
/// that of node 0 in the table of node 1. Then nodes 0 and 1 meet again.
fn forgotten(configs: [Config; 2]) {
    let [zero, one] = configs;
    let forgets = one.peers == 1;
    let mut net = Net::with(&[zero, one, alone()]);
    net.part(0, 2);
    net.part(1, 2);
    let mut net = net.joined();
    let before = epochs(&net);
    fade(&mut net, 0, 1);
    for node in [0, 1] {
        net.meet(node, 2);
        net.run_until(|net| net.is_up(node, 2) && net.is_up(2, node));
        fade(&mut net, node, 2);
    }
    let known = |node: u32, peer: u32| net.link(node).pair(NodeId(peer)).is_some();
    assert!(!known(0, 1));
    assert_eq!(known(1, 0), !forgets);
    net.meet(0, 1);
    net.run_until(|net| net.is_up(0, 1) && net.is_up(1, 0));
    let after = epochs(&net);
    assert!(
        after.0 > before.0 && after.1 > before.1,
        "{after:?} after {before:?}"
    );
}

#[test]
fn epochs_with_a_peer_forgotten_at_one_end_are_not_used_again() {
    forgotten([forgetful(), alone()]);
}

#[test]
fn epochs_with_a_peer_forgotten_at_both_ends_are_not_used_again() {
    forgotten([forgetful(), forgetful()]);
}

/// The pauses between questions have grown to their longest: a new link ends the pause.
#[test]
fn a_new_link_brings_the_next_question_forward() {
    let mut net = Net::new(3);
    net.part(0, 2);
    net.part(1, 2);
    let mut net = net.joined();
    net.part(0, 1);
    net.send(0, 1, token(1));
    net.run(30.0);
    assert!(net.pair(0, 1).is_doubtful());
    let next_question = |net: &mut Net| {
        let asked = net.count(0, Kind::Flood);
        net.run_until(|net| net.count(0, Kind::Flood) > asked);
        net.now
    };
    let (first, second) = (next_question(&mut net), next_question(&mut net));
    assert!(second - first > span(2.5), "the pauses are long");
    net.meet(0, 2);
    net.run_until(|net| net.is_up(0, 2));
    let linked = net.now;
    assert!(linked - second < span(2.5), "well before the next question");
    let asked = next_question(&mut net);
    assert!(asked - linked <= Config::default().query_after);
    let again = next_question(&mut net);
    assert!(again - asked <= Config::default().query_every.mul_f64(1.25));
}

#[test]
fn a_peer_that_may_need_to_know_what_was_received_is_not_forgotten() {
    let mut net = Net::with(&[forgetful(), alone(), alone()]);
    net.part(0, 2);
    let mut net = net.joined();
    net.part(0, 1);
    net.run(10.0);
    assert!(net.pair(0, 1).last().is_some());
    net.meet(0, 2);
    net.run(5.0);
    assert!(net.link(0).pair(NodeId(1)).is_some());
    assert!(net.link(0).pair(NodeId(2)).is_none());
}
