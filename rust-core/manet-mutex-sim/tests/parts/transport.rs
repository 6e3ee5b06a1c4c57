//! The transport by its sentences: two nodes, datagrams carried by hand.

use manet_mutex::machine::Event;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::transport::{Config, Drop, Life, Note, Outbox, Transport};
use manet_mutex::wire::datagram::{self, Body, Datagram, Head};
use manet_mutex::wire::{Tag, WireMessage};
use manet_mutex::{NodeId, Time};
use proptest::prelude::*;
use std::time::Duration;

const TAG: Tag = RlMessage::TAG;
const SECOND: u64 = 1_000_000_000;

/// A message told apart by its number.
fn msg(number: i64) -> RlMessage {
    let id = NodeId(0);
    RlMessage::LinkInfo(Height {
        h1: number,
        h2: 0,
        id,
    })
}

/// Without jitter, so that times can be told.
fn config(life: u64) -> Config {
    Config {
        jitter: 0.0,
        life,
        ..Config::default()
    }
}

/// Two nodes and what is between them.
struct Net {
    nodes: [Transport<RlMessage>; 2],
    now: Time,
    /// Receiver and bytes, in sending order.
    air: Vec<(usize, Vec<u8>)>,
    /// What each node got.
    got: [Vec<i64>; 2],
    notes: Vec<(usize, Note<RlMessage>)>,
}

impl Net {
    fn new() -> Self {
        let node = |id| Transport::new(NodeId(id), &config(1)).expect("sound");
        Self {
            nodes: [node(0), node(1)],
            now: Time::ZERO,
            air: Vec::new(),
            got: [Vec::new(), Vec::new()],
            notes: Vec::new(),
        }
    }

    /// Two nodes that know each other's lives.
    fn acquainted() -> Self {
        let mut net = Self::new();
        net.send(0, 0);
        net.send(1, 0);
        net.carry();
        assert_eq!(net.got, [[0], [0]]);
        net.got = [Vec::new(), Vec::new()];
        net
    }

    fn with(
        &mut self,
        node: usize,
        act: impl FnOnce(&mut Transport<RlMessage>, Time, &mut Outbox<RlMessage>),
    ) {
        let mut out = Outbox::new();
        act(&mut self.nodes[node], self.now, &mut out);
        for event in out.events.drain(..) {
            match event {
                Event::Message {
                    from,
                    msg: RlMessage::LinkInfo(height),
                } => {
                    assert_eq!(from.index(), 1 - node);
                    self.got[node].push(height.h1);
                }
                other => panic!("{other:?}"),
            }
        }
        for (frame, bytes) in out.frames() {
            let to = frame.to.expect("for one node").index();
            assert_eq!((to, frame.id), (1 - node, None));
            self.air.push((to, bytes.to_vec()));
        }
        self.notes
            .extend(out.notes.drain(..).map(|note| (node, note)));
    }

    fn send(&mut self, from: usize, number: i64) {
        let to = NodeId::from_index(1 - from);
        self.with(from, |node, now, out| {
            node.send(now, to, msg(number), out).expect("there is room");
        });
    }

    fn deliver(&mut self, (to, bytes): &(usize, Vec<u8>)) {
        self.with(*to, |node, now, out| node.datagram(now, bytes, out));
    }

    /// Everything arrives, and all that follows from it.
    fn carry(&mut self) {
        while !self.air.is_empty() {
            let next = self.air.remove(0);
            self.deliver(&next);
        }
    }

    /// Everything is lost.
    fn lose(&mut self) -> Vec<(usize, Vec<u8>)> {
        std::mem::take(&mut self.air)
    }

    /// Time passes up to the next time-out of a node.
    fn wait(&mut self, node: usize) {
        self.now = self.nodes[node].due().expect("something waits");
        self.with(node, |node, now, out| node.wake(now, out));
    }

    fn restart(&mut self, node: usize, life: u64) {
        self.nodes[node] = Transport::new(NodeId::from_index(node), &config(life)).expect("sound");
    }

    /// The kinds of what is under way.
    fn kinds(&self) -> Vec<&'static str> {
        let kind = |(_, bytes): &(usize, Vec<u8>)| datagram::glance(bytes).expect("sound").0;
        self.air.iter().map(kind).collect()
    }
}

#[test]
fn nothing_is_sent_before_the_peers_life_is_known() {
    let mut net = Net::new();
    net.send(0, 1);
    net.send(0, 2);
    assert_eq!(net.kinds(), ["probe"]);
    net.carry();
    assert_eq!(net.got[1], [1, 2]);
    assert!(net.nodes[0].is_idle());
    assert_eq!(net.nodes[0].due(), None);
}

#[test]
fn what_comes_twice_is_delivered_once_and_acknowledged_twice() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    let data = net.air[0].clone();
    net.carry();
    net.deliver(&data);
    assert_eq!(net.got[1], [1]);
    assert_eq!(net.kinds(), ["ack"]);
    assert_eq!(net.nodes[1].counters().dropped(Drop::Duplicate), 1);
}

#[test]
fn order_is_that_of_arrival() {
    let mut net = Net::acquainted();
    (1..=3).for_each(|number| net.send(0, number));
    net.air.reverse();
    net.carry();
    assert_eq!(net.got[1], [3, 2, 1]);
    assert!(net.nodes[0].is_idle());
}

#[test]
fn what_is_lost_goes_out_again_one_datagram_for_each_time_out() {
    let mut net = Net::acquainted();
    (1..=3).for_each(|number| net.send(0, number));
    net.lose();
    for _ in 0..5 {
        net.wait(0);
        assert_eq!(net.kinds(), ["data"]);
        net.lose();
    }
    assert_eq!(net.nodes[0].counters().again, 5);
    net.wait(0);
    net.carry();
    // The first answer lets everything flow again.
    assert_eq!(net.got[1], [1, 2, 3]);
    assert!(net.nodes[0].is_idle());
}

#[test]
fn waits_grow_to_the_longest_and_no_further() {
    let mut net = Net::new();
    net.send(0, 1);
    let mut waits = Vec::new();
    for _ in 0..4 {
        let before = net.now;
        net.wait(0);
        waits.push(net.now - before);
    }
    let seconds = [1, 2, 2, 2].map(Duration::from_secs);
    assert_eq!(waits, seconds);
}

#[test]
fn a_new_route_is_used_at_once() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    net.lose();
    for _ in 0..3 {
        net.wait(0);
    }
    net.lose();
    net.nodes[0].route_up(net.now, NodeId(1));
    assert_eq!(net.nodes[0].due(), Some(net.now));
    let before = net.now;
    net.wait(0);
    net.carry();
    assert_eq!((net.now, &net.got[1][..]), (before, &[1][..]));
    // To a peer that owes nothing it is all the same.
    net.nodes[0].route_up(net.now, NodeId(1));
    net.nodes[0].route_up(net.now, NodeId(7));
    assert_eq!(net.nodes[0].due(), None);
}

#[test]
fn no_more_than_a_window_is_under_way() {
    let mut net = Net::acquainted();
    (1..=20).for_each(|number| net.send(0, number));
    assert_eq!(net.air.len(), 8);
    // The first is lost, the others arrive: nothing more goes out, for the receiver could not tell.
    net.air.remove(0);
    net.carry();
    assert_eq!(net.got[1], [2, 3, 4, 5, 6, 7, 8]);
    net.wait(0);
    net.carry();
    assert_eq!(net.got[1].len(), 20);
}

#[test]
fn more_than_the_backlog_is_refused() {
    let small = Config {
        backlog: 2,
        peers: 1,
        ..config(1)
    };
    let mut node: Transport<RlMessage> = Transport::new(NodeId(0), &small).expect("sound");
    let mut out = Outbox::new();
    for number in 0..2 {
        assert_eq!(
            node.send(Time::ZERO, NodeId(1), msg(number), &mut out),
            Ok(())
        );
    }
    let refused = node.send(Time::ZERO, NodeId(1), msg(2), &mut out);
    assert_eq!(refused, Err(msg(2)));
    let stranger = node.send(Time::ZERO, NodeId(2), msg(3), &mut out);
    assert_eq!(stranger, Err(msg(3)));
    assert_eq!(
        node.send(Time::ZERO, NodeId(0), msg(4), &mut out),
        Err(msg(4))
    );
}

#[test]
fn a_restart_of_the_peer_brings_everything_back() {
    let mut net = Net::acquainted();
    (1..=10).for_each(|number| net.send(0, number));
    // Of those that went out the second arrives, but its acknowledgement does not.
    let sent = net.lose();
    net.deliver(&sent[1]);
    net.lose();
    net.restart(1, 2);
    net.wait(0);
    net.carry();
    let told = |range: std::ops::RangeInclusive<i64>| range.map(msg).collect::<Vec<_>>();
    let note = Note::PeerRestarted {
        peer: NodeId(1),
        in_doubt: told(1..=8),
        unsent: told(9..=10),
    };
    assert_eq!(net.notes, [(0, note)]);
    assert_eq!(net.got[1], [2], "nothing crosses into the new life");
    net.send(0, 11);
    net.carry();
    assert_eq!(net.got[1], [2, 11]);
}

#[test]
fn what_was_meant_for_the_old_life_is_not_delivered() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    let late = net.lose();
    net.restart(1, 2);
    net.deliver(&late[0]);
    assert!(net.got[1].is_empty());
    assert_eq!(net.nodes[1].counters().dropped(Drop::OtherLife), 1);
    // The answer names the new life.
    assert_eq!(net.kinds(), ["ack"]);
    net.carry();
    assert_eq!(
        net.nodes[0].pair(NodeId(1)).map(|pair| pair.lives().1),
        Some(Some(Life(2)))
    );
}

#[test]
fn what_an_old_life_sent_is_dropped_once_the_new_one_is_known() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    let late = net.lose();
    net.restart(0, 2);
    net.send(0, 5);
    net.carry();
    assert_eq!(net.got[1], [5]);
    net.deliver(&late[0]);
    assert_eq!(net.got[1], [5]);
    assert_eq!(net.nodes[1].counters().dropped(Drop::Stale), 1);
}

#[test]
fn silence_is_told_and_nothing_is_given_up() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    net.lose();
    while net.notes.is_empty() {
        net.wait(0);
        net.lose();
    }
    assert!(net.now >= Time(30 * SECOND) && net.now < Time(33 * SECOND));
    assert_eq!(net.notes, [(0, Note::Unreachable { peer: NodeId(1) })]);
    net.wait(0);
    net.carry();
    assert_eq!(net.notes[1], (0, Note::Reachable { peer: NodeId(1) }));
    assert_eq!(net.got[1], [1]);
}

#[test]
fn what_cannot_be_is_dropped() {
    let mut net = Net::acquainted();
    net.send(0, 1);
    let good = net.lose().remove(0).1;
    let forge = |change: &dyn Fn(&mut Datagram<'_>)| {
        let mut read = datagram::decode(TAG, &good).expect("sound");
        change(&mut read);
        let mut bytes = Vec::new();
        datagram::encode(TAG, &read, &mut bytes);
        bytes
    };
    let receipt = manet_mutex::transport::Receipt {
        below: 50,
        beyond: u64::MAX,
    };
    let forged = [
        (forge(&|d| d.head.to = NodeId(9)), Drop::NotForMe),
        (forge(&|d| d.head.from = NodeId(1)), Drop::Myself),
        (
            forge(&|d| {
                if let Body::Data { number, .. } = &mut d.body {
                    *number = u64::MAX;
                }
            }),
            Drop::Forged,
        ),
        (
            forge(&|d| {
                let theirs = Life(1);
                d.body = Body::Ack { theirs, receipt };
            }),
            Drop::Forged,
        ),
        (
            forge(&|d| {
                if let Body::Data { message, .. } = &mut d.body {
                    *message = &[0xff];
                }
            }),
            Drop::Message,
        ),
        (vec![1, 2, 3], Drop::Malformed),
    ];
    for (bytes, why) in forged {
        let before = net.nodes[1].counters().dropped(why);
        net.deliver(&(1, bytes));
        assert_eq!(net.nodes[1].counters().dropped(why), before + 1, "{why:?}");
    }
    assert!(net.got[1].is_empty());
    net.deliver(&(1, good));
    assert_eq!(net.got[1], [1]);
}

/// A probe of this node for node 1.
fn probe(from: u32) -> (usize, Vec<u8>) {
    let (from, to, life) = (NodeId(from), NodeId(1), Life(1));
    let head = Head { from, to, life };
    let body = Body::Probe;
    let mut bytes = Vec::new();
    datagram::encode(TAG, &Datagram { head, body }, &mut bytes);
    (1, bytes)
}

/// Lets node 1 hear probes of so many made-up nodes. Nobody gets the answers.
fn besiege(net: &mut Net, count: u32) {
    for id in 2..2 + count {
        let mut out = Outbox::new();
        net.nodes[1].datagram(net.now, &probe(id).1, &mut out);
    }
}

#[test]
fn made_up_peers_make_room_for_others() {
    let mut net = Net::new();
    let most = u32::from(Config::default().peers);
    besiege(&mut net, most + 10);
    net.send(0, 1);
    net.send(1, 2);
    net.carry();
    assert_eq!(net.got, [[2], [1]]);
    assert_eq!(net.nodes[1].counters().dropped(Drop::NoRoom), 0);
}

#[test]
fn a_peer_that_sent_something_is_never_forgotten() {
    let mut net = Net::new();
    net.send(0, 1);
    net.carry();
    net.send(0, 2);
    let data = net.air[0].clone();
    net.carry();
    besiege(&mut net, 2 * u32::from(Config::default().peers));
    net.deliver(&data);
    assert_eq!(net.got[1], [1, 2]);
    assert_eq!(net.nodes[1].counters().dropped(Drop::Duplicate), 1);
}

#[test]
fn ids_beyond_the_number_of_nodes_are_dropped() {
    let mut net = Net::new();
    let nodes = Some(2);
    let config = Config { nodes, ..config(1) };
    net.nodes[1] = Transport::new(NodeId(1), &config).expect("sound");
    besiege(&mut net, 5);
    assert_eq!(net.nodes[1].counters().dropped(Drop::NoRoom), 5);
    net.send(0, 1);
    net.carry();
    assert_eq!(net.got[1], [1]);
}

/// One thing that happens in a random run.
#[derive(Clone, Copy, Debug)]
enum Act {
    Send(usize),
    Deliver(usize),
    Lose(usize),
    Double(usize),
    Wait(usize),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        2 => (0..2_usize).prop_map(Act::Send),
        4 => any::<usize>().prop_map(Act::Deliver),
        1 => any::<usize>().prop_map(Act::Lose),
        1 => any::<usize>().prop_map(Act::Double),
        1 => (0..2_usize).prop_map(Act::Wait),
    ]
}

proptest! {
    #[test]
    fn everything_arrives_exactly_once(acts in prop::collection::vec(act(), 0..200)) {
        let mut net = Net::new();
        let mut sent = [0, 0];
        for act in acts {
            let any = net.air.len();
            match act {
                Act::Send(node) => {
                    sent[node] += 1;
                    net.send(node, sent[node]);
                }
                Act::Deliver(place) if any > 0 => {
                    let next = net.air.remove(place % any);
                    net.deliver(&next);
                }
                Act::Lose(place) if any > 0 => drop(net.air.remove(place % any)),
                Act::Double(place) if any > 0 => net.air.push(net.air[place % any].clone()),
                Act::Wait(node) if net.nodes[node].due().is_some() => net.wait(node),
                _ => {}
            }
        }
        net.carry();
        for node in [0, 1] {
            while !net.nodes[node].is_idle() {
                net.wait(node);
                net.carry();
            }
        }
        for node in [0, 1] {
            let mut got = net.got[node].clone();
            got.sort_unstable();
            prop_assert_eq!(got, (1..=sent[1 - node]).collect::<Vec<_>>());
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let mut net = Net::acquainted();
        let mut framed = vec![1, TAG.byte(), 0x10 + bytes.len() as u8 % 3];
        framed.extend(&bytes);
        net.deliver(&(1, bytes));
        net.deliver(&(1, framed));
    }
}
