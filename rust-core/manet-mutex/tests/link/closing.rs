//! How links close, and what becomes of the messages on them.

use super::net::{Air, Kind, Net, plain, token};
use manet_mutex::NodeId;
use manet_mutex::link::{Cause, Note, Outbox, State, Way};
use manet_mutex::machine::{Event, Fate, Outcome};
use manet_mutex::protocol::rl::RlMessage;
use std::time::Duration;

#[test]
fn a_weakening_link_closes_in_good_order_at_both_ends() {
    let mut net = Net::linked();
    for dbm in 60..82 {
        net.power(0, 1, -f64::from(dbm));
        net.power(1, 0, -f64::from(dbm));
        net.run(1.0);
    }
    let causes = [cause(&mut net, 0), cause(&mut net, 1)];
    assert!(causes.contains(&Cause::Weak) && causes.contains(&Cause::Left));
    for (id, peer) in [(0, 1), (1, 0)] {
        let (peer, unacked) = (NodeId(peer), Vec::new());
        assert_eq!(net.events(id), [Event::LinkDown { peer, unacked }]);
    }
    assert_eq!(net.count(0, Kind::Close) + net.count(1, Kind::Close), 1);
}

/// The sender's link down when the receiver closes a link on which the first of two tokens
/// arrived, but no acknowledgement came back.
fn fates(second: fn(u32, u32, Kind) -> Air) -> Event<RlMessage> {
    let mut net = Net::linked();
    net.air = |_, _, kind| match kind {
        Kind::Ack | Kind::Hello => Air::Lost,
        _ => Air::Clear,
    };
    net.send(0, 1, token(1));
    net.send(0, 1, plain(2));
    net.air = second;
    net.send(0, 1, token(3));
    net.power(0, 1, -81.9);
    net.run_until(|net| !net.is_up(0, 1));
    assert_eq!(cause(&mut net, 0), Cause::Left);
    net.events(0).remove(0)
}

#[test]
fn a_close_tells_what_was_received() {
    let peer = NodeId(1);
    let lost = |from, _, kind| match kind {
        Kind::Data | Kind::Ack => Air::Lost,
        Kind::Hello if from == 1 => Air::Lost,
        _ => Air::Clear,
    };
    let unacked = vec![(token(1), Fate::Delivered), (token(3), Fate::Returned)];
    assert_eq!(fates(lost), Event::LinkDown { peer, unacked });

    let arrived = |from, _, kind| match kind {
        Kind::Ack => Air::Lost,
        Kind::Hello if from == 1 => Air::Lost,
        _ => Air::Clear,
    };
    let unacked = vec![(token(1), Fate::Delivered), (token(3), Fate::Delivered)];
    assert_eq!(fates(arrived), Event::LinkDown { peer, unacked });
}

#[test]
fn whoever_closes_in_doubt_asks_and_is_answered_at_once() {
    let mut net = Net::linked();
    net.air = |_, to, kind| match kind {
        Kind::Hello | Kind::Ack if to == 0 => Air::Lost,
        _ => Air::Clear,
    };
    net.send(0, 1, token(1));
    net.run_until(|net| !net.is_up(0, 1));
    let (peer, unacked) = (NodeId(1), vec![(token(1), Fate::InDoubt)]);
    let down = Event::LinkDown { peer, unacked };
    assert_eq!(net.events(0), [down, resolved(Outcome::Delivered)]);
    assert_eq!(way(&mut net, 0), Way::Close);
}

#[test]
fn silence_closes_after_the_dead_time() {
    let mut net = Net::linked();
    net.run_until(|net| net.count(1, Kind::Hello) == 1);
    let last = net.now;
    net.part(0, 1);
    net.run_until(|net| !net.is_up(0, 1));
    assert_eq!(net.now - last, Duration::from_millis(1750));
    assert_eq!(cause(&mut net, 0), Cause::Silent);
}

#[test]
fn two_missed_hellos_close_nothing() {
    let mut net = Net::linked();
    net.run_until(|net| net.count(1, Kind::Hello) == 1);
    net.part(0, 1);
    net.run_until(|net| net.count(1, Kind::Hello) == 3);
    net.meet(0, 1);
    net.run(10.0);
    assert!(net.events(0).is_empty() && net.events(1).is_empty());
}

#[test]
fn a_peer_that_left_unheard_is_noticed_by_its_next_hello() {
    let mut net = Net::linked();
    // Node 1 hears nothing and leaves, and its close gets lost.
    net.air = |from, _, kind| match kind {
        Kind::Hello if from == 1 => Air::Clear,
        _ => Air::Lost,
    };
    net.run_until(|net| !net.is_up(1, 0));
    assert!(net.is_up(0, 1));
    net.run_until(|net| !net.is_up(0, 1));
    assert_eq!(cause(&mut net, 0), Cause::Left);
    assert!(matches!(net.events(0)[..], [Event::LinkDown { .. }]));
}

/// Node 0 in doubt about a token that node 1 got (or not): no frame of node 1 arrives any more.
fn in_doubt(arrives: bool) -> Net {
    let mut net = Net::linked();
    if !arrives {
        net.deafen(0, 1);
    }
    net.deafen(1, 0);
    net.send(0, 1, token(1));
    net.run_until(|net| !net.is_up(0, 1));
    let (peer, unacked) = (NodeId(1), vec![(token(1), Fate::InDoubt)]);
    assert_eq!(net.events(0), [Event::LinkDown { peer, unacked }]);
    net
}

fn resolved(outcome: Outcome) -> Event<RlMessage> {
    let (peer, msg) = (NodeId(1), token(1));
    Event::Resolved { peer, msg, outcome }
}

#[test]
fn doubt_is_resolved_by_the_next_hello_that_gets_through() {
    for (arrives, outcome) in [(true, Outcome::Delivered), (false, Outcome::Returned)] {
        let mut net = in_doubt(arrives);
        net.run(1.0);
        net.air = |_, _, kind| match kind {
            Kind::Hello => Air::Clear,
            _ => Air::Lost,
        };
        net.meet(0, 1);
        net.run_until(|net| !net.pair(0, 1).is_doubtful());
        assert_eq!(net.events(0), [resolved(outcome)]);
        assert_eq!(way(&mut net, 0), Way::Hello);
    }
}

#[test]
fn doubt_is_resolved_through_others() {
    for (arrives, outcome) in [(true, Outcome::Delivered), (false, Outcome::Returned)] {
        let mut net = Net::new(4); // 0 and 1 in range; 0 - 2 - 3 - 1
        net.part(0, 3);
        net.part(1, 2);
        net.run(5.0);
        net.forget();
        net.air = if arrives {
            |_, _, kind| match kind {
                Kind::Ack => Air::Lost,
                _ => Air::Clear,
            }
        } else {
            |_, _, kind| match kind {
                Kind::Data => Air::Lost,
                _ => Air::Clear,
            }
        };
        net.send(0, 1, token(1));
        net.part(0, 1);
        net.run_until(|net| net.pair(0, 1).is_doubtful());
        let closed = net.now;
        net.run_until(|net| !net.pair(0, 1).is_doubtful());
        assert_eq!(net.events(0)[1..], [resolved(outcome)]);
        assert_eq!(way(&mut net, 0), Way::Flood);
        // 0.3 s until it asks, and four times at most 20 ms on the way.
        assert!(net.now - closed <= Duration::from_millis(380));
        net.run(10.0);
        let floods: usize = (0..4).map(|id| net.count(id, Kind::Flood)).sum();
        assert!(floods <= 2 * 4, "{floods} floods");
    }
}

#[test]
fn a_question_about_a_link_closes_it_before_it_is_answered() {
    let mut net = Net::new(3); // 0 - 2 - 1; node 0 no longer hears node 1
    net.run(5.0);
    net.forget();
    net.air = |from, to, kind| match (from, to) {
        (1, 0) => Air::Lost,
        (0, 1) if kind != Kind::Hello => Air::Lost,
        _ => Air::Clear,
    };
    net.send(0, 1, token(1));
    net.run_until(|net| !net.is_up(0, 1));
    net.run_until(|net| !net.pair(0, 1).is_doubtful());
    assert!(!net.is_up(1, 0));
    assert_eq!(net.events(0)[1..], [resolved(Outcome::Returned)]);
}

#[test]
fn a_wake_tells_of_one_peer() {
    let mut net = Net::new(3);
    net.run(5.0);
    let (mut link, later) = (net.link(0).clone(), net.now + Duration::from_secs(10));
    for peer in [1, 2].map(NodeId) {
        let (mut out, unacked) = (Outbox::new(), Vec::new());
        link.wake(later, &mut out);
        assert_eq!(out.events, [Event::LinkDown { peer, unacked }]);
    }
}

#[test]
fn doubt_about_a_former_life_stays() {
    let mut net = in_doubt(false);
    net.restart(1, 1);
    net.power(0, 1, -60.0);
    net.power(1, 0, -79.0); // too weak to become a neighbour
    net.run(30.0);
    assert!(net.pair(0, 1).is_doubtful());
    assert_eq!(net.pair(0, 1).state(), State::Down);
}

#[test]
fn it_is_noted_how_long_a_doubt_lasted() {
    let mut net = in_doubt(false);
    let closed = net.now;
    net.meet(0, 1);
    net.run_until(|net| !net.pair(0, 1).is_doubtful());
    let lasted = net.now - closed;
    let right = |note: &Note| matches!(note, Note::Resolved { after, .. } if *after == lasted);
    assert!(net.notes(0).iter().any(right));
}

#[test]
fn no_link_comes_up_while_in_doubt() {
    let mut net = in_doubt(false);
    net.run(5.0); // node 1 says no more what it received
    net.power(1, 0, -60.0);
    net.run(10.0);
    assert_eq!(
        net.pair(0, 1).state(),
        State::Down,
        "though it hears node 1"
    );
    assert!(net.pair(0, 1).is_doubtful());
    net.meet(0, 1);
    net.run(5.0);
    let events = net.events(0);
    assert_eq!(events[0], resolved(Outcome::Returned));
    assert!(matches!(events[1..], [Event::LinkUp { .. }]), "{events:?}");
}

#[test]
fn nothing_goes_out_again_after_the_close() {
    let mut net = in_doubt(false);
    net.log.clear();
    net.run(20.0);
    assert_eq!(net.count(0, Kind::Data), 0);
}

#[test]
fn a_new_link_starts_with_nothing_of_the_old_one() {
    let mut net = in_doubt(false);
    net.run(1.0);
    net.meet(0, 1);
    net.run(5.0);
    net.forget();
    net.send(0, 1, plain(5));
    assert!(matches!(net.events(1)[..], [Event::Message { msg, .. }] if msg == plain(5)));
    assert_eq!(net.pair(1, 0).received(), 1);
}

#[test]
fn finals_are_forgotten_when_the_peer_has_left_too() {
    let mut net = in_doubt(true);
    assert!(net.pair(0, 1).last().is_some());
    net.meet(0, 1);
    net.run_until(|net| net.pair(0, 1).last().is_none() && net.pair(1, 0).last().is_none());
}

#[test]
fn finals_are_kept_while_the_peer_may_need_them() {
    let mut net = in_doubt(true);
    net.run(60.0);
    assert!(net.pair(1, 0).last().is_some());
}

#[test]
fn questions_become_rare_without_an_answer() {
    let mut net = in_doubt(false);
    net.log.clear();
    net.run(40.0);
    // After 1 and 2 s, then each 4 s, give or take a quarter.
    let floods = net.count(0, Kind::Flood);
    assert!((8..=16).contains(&floods), "{floods}");
}

/// Why a node's only link closed.
fn cause(net: &mut Net, id: u32) -> Cause {
    let cause = |note| match note {
        Note::Down { cause, .. } => Some(cause),
        _ => None,
    };
    let causes: Vec<Cause> = net.notes(id).into_iter().filter_map(cause).collect();
    assert_eq!(causes.len(), 1, "{causes:?}");
    causes[0]
}

/// How a node's only doubt was resolved.
fn way(net: &mut Net, id: u32) -> Way {
    let way = |note| match note {
        Note::Resolved { way, messages, .. } => {
            assert_eq!(messages, 1);
            Some(way)
        }
        _ => None,
    };
    let ways: Vec<Way> = net.notes(id).into_iter().filter_map(way).collect();
    assert_eq!(ways.len(), 1, "{ways:?}");
    ways[0]
}
