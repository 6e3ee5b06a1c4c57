//! Messages on a link that is up.

use super::net::{Air, Kind, Net, alone, plain, token};
use manet_mutex::NodeId;
use manet_mutex::link::{Cause, Config, Drop, Note};
use manet_mutex::machine::{Event, Fate};
use manet_mutex::protocol::rl::RlMessage;
use std::time::Duration;

#[test]
fn messages_arrive_once_and_in_order() {
    let mut net = Net::linked();
    for number in 0..5 {
        net.send(0, 1, plain(number));
        net.send(1, 0, token(number));
    }
    net.run(2.0);
    assert_eq!(received(&mut net, 1), (0..5).map(plain).collect::<Vec<_>>());
    assert_eq!(received(&mut net, 0), (0..5).map(token).collect::<Vec<_>>());
    assert_eq!(net.count(0, Kind::Data) + net.count(1, Kind::Data), 10);
    let owned = |id| net.link(id).counters().owned;
    assert_eq!((owned(0), owned(1)), (0, 5));
}

#[test]
fn an_ownership_message_is_acknowledged_at_once() {
    let mut net = Net::linked();
    net.send(0, 1, token(1));
    assert_eq!(net.pair(0, 1).backlog(), 0);
    assert_eq!(net.count(1, Kind::Ack), 1);
}

#[test]
fn a_plain_message_is_acknowledged_by_the_next_hello() {
    let mut net = Net::linked();
    net.send(0, 1, plain(1));
    assert_eq!(net.pair(0, 1).backlog(), 1);
    net.run_until(|net| net.count(1, Kind::Hello) == 1);
    assert_eq!(net.pair(0, 1).backlog(), 0);
    assert_eq!(net.count(1, Kind::Ack), 0);
}

#[test]
fn a_message_is_acknowledged_by_one_that_goes_back() {
    let mut net = Net::linked();
    net.send(0, 1, plain(1));
    net.send(1, 0, plain(2));
    assert_eq!(net.pair(0, 1).backlog(), 0);
}

#[test]
fn what_the_radio_failed_to_carry_goes_out_again_after_ten_milliseconds() {
    let mut net = Net::linked();
    net.air = lose_data;
    net.send(0, 1, plain(1));
    net.air = clear;
    let first = net.now;
    net.run_until(|net| net.count(0, Kind::Data) == 2);
    assert_eq!(net.now - first, Duration::from_millis(10));
    assert_eq!(received(&mut net, 1), [plain(1)]);
}

#[test]
fn a_message_that_arrives_twice_is_delivered_once() {
    let mut net = Net::linked();
    net.air = |_, _, kind| match kind {
        Kind::Data => Air::Unconfirmed,
        _ => Air::Clear,
    };
    net.send(0, 1, plain(1));
    net.air = clear;
    net.run(0.1);
    assert_eq!(received(&mut net, 1), [plain(1)]);
    assert_eq!(net.link(1).counters().dropped(Drop::Duplicate), 1);
}

#[test]
fn a_duplicate_of_an_ownership_message_is_acknowledged_again() {
    let mut net = Net::linked();
    net.air = |_, _, kind| match kind {
        Kind::Data => Air::Unconfirmed,
        Kind::Ack => Air::Lost,
        _ => Air::Clear,
    };
    net.send(0, 1, token(1));
    assert_eq!(net.pair(0, 1).backlog(), 1);
    net.air = clear;
    net.run(0.1);
    assert_eq!(net.pair(0, 1).backlog(), 0);
    assert_eq!(received(&mut net, 1), [token(1)]);
}

#[test]
fn what_is_not_acknowledged_goes_out_again() {
    for (msg, patience) in [(token(1), 0.1), (plain(1), 1.3)] {
        let mut net = Net::linked();
        net.air = |from, _, _| if from == 1 { Air::Lost } else { Air::Clear };
        net.send(0, 1, msg);
        net.run(patience - 0.001);
        assert_eq!(net.count(0, Kind::Data), 1, "{msg:?}");
        net.run(0.002);
        assert_eq!(net.count(0, Kind::Data), 2, "{msg:?}");
    }
}

#[test]
fn a_token_behind_a_plain_message_does_not_wait_for_it() {
    let mut net = Net::linked();
    net.air = |from, _, _| if from == 1 { Air::Lost } else { Air::Clear };
    net.send(0, 1, plain(1));
    net.send(0, 1, token(2));
    net.run(0.101);
    assert_eq!(net.count(0, Kind::Data), 4, "both once more");
}

#[test]
fn nothing_overtakes_what_was_lost() {
    let mut net = Net::linked();
    net.air = lose_data;
    net.send(0, 1, plain(1));
    net.send(0, 1, token(2));
    net.air = clear;
    net.send(0, 1, plain(3));
    net.run(3.0);
    assert_eq!(received(&mut net, 1), [plain(1), token(2), plain(3)]);
}

#[test]
fn a_radio_that_reports_nothing_blocks_no_link() {
    let mut net = Net::linked();
    net.silent_radio = true;
    for number in 0..3 {
        net.send(0, 1, token(number));
    }
    net.run(5.0);
    assert_eq!(received(&mut net, 1), [token(0), token(1), token(2)]);
}

/// Node 0 has three messages for node 1; the radio is busy with the first and reports nothing.
fn busy() -> Net {
    let mut net = Net::linked();
    net.silent_radio = true;
    for number in 0..3 {
        net.send(0, 1, plain(number));
    }
    assert_eq!(net.count(0, Kind::Data), 1);
    net
}

#[test]
fn what_a_hello_acknowledges_makes_room_for_the_next() {
    let mut net = busy();
    for hellos in 1..3 {
        net.run_until(|net| net.count(1, Kind::Hello) == hellos);
        assert_eq!(net.count(0, Kind::Data), hellos + 1);
    }
}

#[test]
fn what_a_message_acknowledges_makes_room_for_the_next() {
    let mut net = busy();
    for sent in 1..3 {
        net.send(1, 0, plain(7));
        assert_eq!(net.count(0, Kind::Data), sent + 1);
    }
}

#[test]
fn what_an_ack_acknowledges_makes_room_for_the_next() {
    let mut net = Net::linked();
    net.silent_radio = true;
    net.air = |from, _, _| if from == 1 { Air::Lost } else { Air::Clear };
    net.send(0, 1, token(1));
    net.send(0, 1, token(2));
    net.air = |_, _, kind| match kind {
        Kind::Hello => Air::Lost,
        _ => Air::Clear,
    };
    net.run(1.0);
    assert_eq!(received(&mut net, 1), [token(1), token(2)]);
}

#[test]
fn a_radio_that_is_busy_gets_no_second_message() {
    let mut net = Net::linked();
    net.send(0, 1, plain(1));
    net.silent_radio = true;
    net.air = lose_data;
    net.send(0, 1, plain(2));
    net.send(0, 1, plain(3));
    net.run_until(|net| net.pair(0, 1).backlog() == 2);
    assert_eq!(net.count(0, Kind::Data), 2);
}

#[test]
fn a_frame_without_report_goes_out_again_after_a_second() {
    let mut net = Net::linked();
    net.silent_radio = true;
    net.air = lose_data;
    net.send(0, 1, plain(1));
    net.send(0, 1, plain(2));
    net.run(0.999);
    assert_eq!(net.count(0, Kind::Data), 1);
    net.air = clear;
    net.run(0.001);
    assert_eq!(received(&mut net, 1), [plain(1)]);
}

#[test]
fn what_got_lost_behind_something_acknowledged_goes_out_again() {
    let mut net = Net::linked();
    net.send(0, 1, plain(1));
    net.air = |_, _, kind| match kind {
        Kind::Data => Air::Unheard,
        _ => Air::Clear,
    };
    net.send(0, 1, plain(2));
    net.air = clear;
    net.run(3.0);
    assert_eq!(received(&mut net, 1), [plain(1), plain(2)]);
}

#[test]
fn too_many_messages_close_the_link() {
    let config = Config {
        backlog: 3,
        ..alone()
    };
    let mut net = Net::with(&[config, alone()]);
    net.run(5.0);
    net.forget();
    net.air = lose_data;
    for number in 0..4 {
        net.send(0, 1, token(number));
    }
    assert!(net.is_up(0, 1), "not while the protocol is at work");
    net.run(0.0);
    let peer = NodeId(1);
    let mut unacked: Vec<_> = (0..4).map(|n| (token(n), Fate::Returned)).collect();
    unacked[0].1 = Fate::InDoubt; // the only one that the radio got
    assert_eq!(net.events(0)[0], Event::LinkDown { peer, unacked });
    let cause = |note: &Note| matches!(note, Note::Down { cause, .. } if *cause == Cause::Backlog);
    assert!(net.notes(0).iter().any(cause));
}

#[test]
fn as_many_messages_as_allowed_do_not() {
    let config = Config {
        backlog: 3,
        ..alone()
    };
    let mut net = Net::with(&[config, alone()]);
    net.run(5.0);
    net.forget();
    for number in 0..9 {
        net.air = if number % 3 < 2 { lose_data } else { clear };
        net.send(0, 1, plain(number));
        if number % 3 == 2 {
            net.run(0.7);
        }
    }
    assert_eq!(received(&mut net, 1), (0..9).map(plain).collect::<Vec<_>>());
}

fn clear(_: u32, _: u32, _: Kind) -> Air {
    Air::Clear
}

fn lose_data(_: u32, _: u32, kind: Kind) -> Air {
    match kind {
        Kind::Data => Air::Lost,
        _ => Air::Clear,
    }
}

/// The messages that a node got; nothing else happened to it.
fn received(net: &mut Net, id: u32) -> Vec<RlMessage> {
    let message = |event| match event {
        Event::Message { msg, .. } => msg,
        event => panic!("no message: {event:?}"),
    };
    net.events(id).into_iter().map(message).collect()
}
