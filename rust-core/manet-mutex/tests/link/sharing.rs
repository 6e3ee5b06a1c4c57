//! Messages that ride on hellos.

use super::net::{Air, Kind, Net, plain, token};
use manet_mutex::link::{Config, Drop};
use manet_mutex::machine::Event;
use manet_mutex::protocol::rl::RlMessage;
use std::time::Duration;

#[test]
fn what_is_for_all_is_one_frame() {
    let mut net = net(4);
    for peer in 1..4 {
        net.send(0, peer, plain(7));
    }
    net.run(0.0);
    assert_eq!(
        (net.count(0, Kind::Shared), net.count(0, Kind::Data)),
        (1, 0)
    );
    for peer in 1..4 {
        assert_eq!(received(&mut net, peer), [plain(7)]);
    }
}

#[test]
fn each_gets_its_own_in_order() {
    let mut net = net(3);
    let (for_one, for_two) = ([1, 2, 3], [3, 2, 4, 1]);
    for number in for_one {
        net.send(0, 1, plain(number));
    }
    for number in for_two {
        net.send(0, 2, plain(number));
    }
    net.run(0.0);
    assert_eq!(net.count(0, Kind::Shared), 1);
    assert_eq!(received(&mut net, 1), for_one.map(plain));
    assert_eq!(received(&mut net, 2), for_two.map(plain));
}

#[test]
fn a_shared_hello_takes_the_place_of_the_next() {
    let mut net = net(2);
    net.run_until(|net| net.count(0, Kind::Hello) == 1);
    net.run(0.2);
    net.send(0, 1, plain(1));
    net.run(0.4);
    assert_eq!(
        (net.count(0, Kind::Hello), net.count(0, Kind::Shared)),
        (1, 1)
    );
}

#[test]
fn what_is_awaited_is_acknowledged_at_once_by_a_hello() {
    let mut net = net(2);
    net.send(0, 1, token(1));
    net.run(0.0);
    assert_eq!(net.pair(0, 1).backlog(), 0);
    assert_eq!((net.count(1, Kind::Hello), net.count(1, Kind::Ack)), (1, 0));
}

#[test]
fn what_is_not_awaited_is_acknowledged_by_the_next_hello() {
    let mut net = net(2);
    net.send(0, 1, plain(1));
    net.run(0.0);
    assert_eq!(
        (net.pair(0, 1).backlog(), net.count(1, Kind::Hello)),
        (1, 0)
    );
    net.run(0.6);
    assert_eq!(net.pair(0, 1).backlog(), 0);
}

#[test]
fn where_nobody_waits_what_is_not_awaited_comes_with_the_next_hello() {
    let mut net = net(2);
    net.calm(0, true);
    net.send(0, 1, plain(1));
    net.run(0.0);
    assert_eq!(net.count(0, Kind::Shared), 0);
    net.run(0.6);
    assert_eq!(
        (net.count(0, Kind::Shared), net.count(0, Kind::Data)),
        (1, 0)
    );
    assert_eq!(received(&mut net, 1), [plain(1)]);
}

#[test]
fn what_is_awaited_takes_along_what_waits() {
    let mut net = net(3);
    net.calm(0, true);
    net.send(0, 1, plain(1));
    net.send(0, 2, token(1));
    net.run(0.0);
    assert_eq!(net.count(0, Kind::Shared), 1);
    assert_eq!(received(&mut net, 1), [plain(1)]);
    assert_eq!(received(&mut net, 2), [token(1)]);
}

#[test]
fn as_soon_as_somebody_waits_nothing_else_does() {
    let mut net = net(2);
    net.calm(0, true);
    net.calm(0, false);
    net.run(0.0);
    assert_eq!(net.count(0, Kind::Hello), 0, "there is nothing to say");
    net.calm(0, true);
    net.send(0, 1, plain(1));
    net.calm(0, false);
    net.run(0.0);
    assert_eq!(received(&mut net, 1), [plain(1)]);
}

#[test]
fn what_is_lost_rides_again_with_the_next_hello() {
    let mut net = net(3);
    net.air = |_, to, kind| lost(to == 1 && kind == Kind::Shared);
    net.send(0, 1, plain(1));
    net.send(0, 2, plain(1));
    net.run(0.0);
    net.air = |_, _, _| Air::Clear;
    assert_eq!(net.pair(1, 0).received(), 0);
    net.run(0.6);
    assert_eq!(received(&mut net, 1), [plain(1)]);
    assert_eq!(received(&mut net, 2), [plain(1)]);
    assert_eq!(net.count(0, Kind::Data), 0);
    assert_eq!(net.link(2).counters().dropped(Drop::Duplicate), 0);
}

#[test]
fn a_token_that_is_lost_goes_out_again_alone_after_ten_milliseconds() {
    let mut net = net(2);
    net.air = |_, _, kind| lost(kind == Kind::Shared);
    let first = net.now;
    net.send(0, 1, token(1));
    net.run_until(|net| net.count(0, Kind::Data) == 1);
    assert_eq!(net.now - first, Duration::from_millis(10));
    net.run(0.0);
    assert_eq!(received(&mut net, 1), [token(1)]);
    assert_eq!((net.count(1, Kind::Ack), net.pair(0, 1).backlog()), (0, 0));
}

#[test]
fn when_the_acknowledgement_is_lost_another_one_comes_alone() {
    let mut net = net(2);
    net.air = |from, _, kind| lost(from == 1 && kind == Kind::Hello);
    net.send(0, 1, token(1));
    net.run(0.05);
    assert_eq!(received(&mut net, 1), [token(1)]);
    assert_eq!((net.count(0, Kind::Data), net.count(1, Kind::Ack)), (1, 1));
    assert_eq!(net.pair(0, 1).backlog(), 0);
}

#[test]
fn a_token_brings_along_what_was_lost_before_it() {
    let mut net = net(2);
    net.air = |_, _, kind| lost(kind == Kind::Shared);
    net.send(0, 1, plain(1));
    net.run(0.0);
    net.air = |_, _, _| Air::Clear;
    net.send(0, 1, token(2));
    net.run(0.0);
    assert_eq!(received(&mut net, 1), [plain(1), token(2)]);
    assert_eq!(net.count(0, Kind::Data), 0);
}

#[test]
fn on_a_new_link_what_is_not_awaited_waits_for_the_next_hello() {
    for (msg, shared) in [(plain(1), 0), (token(1), 1)] {
        let mut net = Net::with(&[Config::default(), Config::default()]);
        net.run_until(|net| net.is_up(0, 1));
        net.send(0, 1, msg);
        net.run(0.0);
        assert_eq!(net.count(0, Kind::Shared), shared);
        net.run(0.6);
        assert_eq!(received(&mut net, 1), [msg]);
        assert_eq!(
            (net.count(0, Kind::Shared), net.count(0, Kind::Data)),
            (1, 0)
        );
    }
}

#[test]
fn who_is_not_heard_steadily_gets_frames_of_its_own() {
    let mut net = net(2);
    for _ in 0..3 {
        net.air = |from, _, _| lost(from == 1);
        net.run(0.5);
        net.air = |_, _, _| Air::Clear;
        net.run(0.55);
    }
    net.forget();
    net.send(0, 1, token(1));
    assert_eq!(
        (net.count(0, Kind::Data), net.count(0, Kind::Shared)),
        (1, 0)
    );
    net.run(5.0);
    net.send(0, 1, token(2));
    net.run(0.0);
    assert_eq!(
        (net.count(0, Kind::Data), net.count(0, Kind::Shared)),
        (1, 1)
    );
}

#[test]
fn who_has_just_missed_a_hello_gets_frames_of_its_own() {
    let mut net = net(2);
    net.air = |from, _, _| lost(from == 1);
    net.run(1.2);
    net.forget();
    net.send(0, 1, token(1));
    assert_eq!(
        (net.count(0, Kind::Data), net.count(0, Kind::Shared)),
        (1, 0)
    );
}

#[test]
fn while_all_are_heard_a_node_wakes_to_say_hello_only() {
    let mut net = net(3);
    net.run(5.0);
    for _ in 0..20 {
        let hellos = net.link(0).counters().hellos;
        let wait = net.link(0).due() - net.now;
        net.run(wait.as_secs_f64() + 1e-6);
        assert_eq!(net.link(0).counters().hellos, hellos + 1);
    }
}

#[test]
fn after_an_early_hello_the_next_takes_its_time() {
    let mut net = net(2);
    net.run(5.0);
    for number in 0..10 {
        net.send(0, 1, token(number));
        net.run(0.02);
        let hellos = net.link(0).counters().hellos;
        net.run(0.505); // half a second and five of the ten per cent of jitter
        assert_eq!(net.link(0).counters().hellos, hellos);
        net.run(0.03);
        assert_eq!(net.link(0).counters().hellos, hellos + 1);
    }
}

#[test]
fn who_is_no_longer_heard_steadily_gets_again_what_was_shared() {
    let mut net = net(2);
    net.air = |from, _, kind| lost(from == 1 || kind == Kind::Shared);
    net.send(0, 1, plain(1));
    net.run(1.2);
    net.air = |_, _, _| Air::Clear;
    net.send(0, 1, token(2));
    assert_eq!(received(&mut net, 1), [plain(1), token(2)]);
    assert_eq!(net.count(0, Kind::Data), 2);
}

#[test]
fn what_does_not_fit_goes_alone() {
    let mut net = net(2);
    let all: Vec<RlMessage> = (0..200).map(|number| plain(1 << 40 | number)).collect();
    for msg in &all {
        net.send(0, 1, *msg);
    }
    net.run(0.0);
    assert_eq!(received(&mut net, 1), all);
    assert_eq!(net.count(0, Kind::Shared), 1);
    assert!(net.count(0, Kind::Data) > 0);
}

#[test]
fn a_close_rides_on_the_next_hello_or_on_the_answer_to_a_message() {
    for asked in [false, true] {
        let mut net = net(2);
        net.power(1, 0, -81.0);
        net.run_until(|net| !net.is_up(0, 1));
        assert!(net.is_up(1, 0), "it does not know yet");
        if asked {
            net.send(1, 0, token(1));
            net.run(0.0);
        } else {
            net.run(0.6);
        }
        assert!(!net.is_up(1, 0));
        let stale = net.link(0).counters().dropped(Drop::Stale);
        assert_eq!(stale, u64::from(asked));
        assert_eq!(
            (net.count(0, Kind::Close), net.count(1, Kind::Close)),
            (0, 0)
        );
        let fate = |event: &Event<RlMessage>| match event {
            Event::LinkDown { unacked, .. } => Some(unacked.len()),
            _ => None,
        };
        let told: Vec<usize> = net.events(1).iter().filter_map(fate).collect();
        assert_eq!(told, [usize::from(asked)]);
    }
}

/// Nodes that share, with links between all.
fn net(count: usize) -> Net {
    Net::with(&vec![Config::default(); count]).joined()
}

fn lost(lost: bool) -> Air {
    if lost { Air::Lost } else { Air::Clear }
}

fn received(net: &mut Net, at: u32) -> Vec<RlMessage> {
    let message = |event| match event {
        Event::Message { msg, .. } => Some(msg),
        _ => None,
    };
    net.events(at).into_iter().filter_map(message).collect()
}
