//! Frames that are dropped: each is counted, and nothing else happens.

use super::net::{Net, alone, plain, token};
use manet_mutex::NodeId;
use manet_mutex::link::{
    Config, Counters, Drop, Entry, Epoch, Final, Link, Outbox, Power, Standing, State,
};
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::frame::{Ack, Close, Data, Flood, MAX_FRAME, Writer};
use manet_mutex::wire::{MAX_MESSAGE, encode};

/// Node 0 with links to 1 and 2, no room for more, and a past with node 1: a link that closed, then
/// one on which it sent and received two messages each.
fn node() -> (Net, Incarnation) {
    let small = Config {
        neighbours: 2,
        peers: 2,
        ..alone()
    };
    let mut net = Net::with(&[small, alone(), alone()]);
    net.run(5.0);
    net.part(0, 1);
    net.run(5.0);
    net.meet(0, 1);
    net.run(5.0);
    for number in 0..2 {
        net.send(0, 1, plain(number));
        net.send(1, 0, plain(number));
    }
    net.run(2.0);
    net.arrive(0, &frame(2, |writer| writer.flood(&flood(9, 7))));
    net.run(1.0);
    let (mine, theirs) = net.pair(1, 0).incarnation().expect("it is up again");
    assert!(mine > Epoch(0) && theirs > Epoch(0));
    assert_eq!(
        (net.pair(0, 1).received(), net.pair(0, 1).backlog()),
        (2, 0)
    );
    (net, Incarnation { mine, theirs })
}

/// As node 1 numbers it.
#[derive(Clone, Copy)]
struct Incarnation {
    mine: Epoch,
    theirs: Epoch,
}

/// Frames that node 0 has to drop, each with what is wrong.
fn cases(net: &Net, now: Incarnation) -> Vec<(Drop, &'static str, Vec<u8>)> {
    let mut all = unreadable(now);
    all.extend(misplaced(net));
    all.extend(stale(now));
    all.extend(forged(now));
    let good = now.data();
    let duplicate = Data {
        sequence: 1,
        ..good
    };
    let gap = Data {
        sequence: 3,
        ..good
    };
    let newer = Incarnation {
        mine: Epoch(now.mine.0 + 1),
        ..now
    };
    all.extend([
        (Drop::Duplicate, "received before", data(&duplicate)),
        (Drop::Gap, "before its time", data(&gap)),
        (
            Drop::NotUp,
            "in an epoch not announced",
            data(&newer.data()),
        ),
        (Drop::NotUp, "of a peer not announced", ack(&newer.ack())),
    ]);
    all
}

fn unreadable(now: Incarnation) -> Vec<(Drop, &'static str, Vec<u8>)> {
    let hello = frame(1, |writer| writer.hello(1_000, []));
    let with = |at: usize, byte| {
        let mut bytes = hello.clone();
        bytes[at] = byte;
        bytes
    };
    let message = |message| {
        data(&Data {
            message,
            ..now.data()
        })
    };
    vec![
        (Drop::Truncated, "nothing", Vec::new()),
        (Drop::Truncated, "half a hello", hello[..4].to_vec()),
        (Drop::Oversized, "a large frame", vec![1; MAX_FRAME + 1]),
        (
            Drop::Oversized,
            "a large message",
            message(&[1; MAX_MESSAGE + 1]),
        ),
        (Drop::Version, "from the future", with(0, 2)),
        (
            Drop::Foreign,
            "of raymond",
            with(1, RaymondMessage::TAG.byte()),
        ),
        (Drop::Malformed, "of an unknown kind", with(2, 6)),
        (
            Drop::Malformed,
            "trailing bytes",
            [&hello[..], &[0]].concat(),
        ),
        (Drop::Message, "half a message", message(&[1, 1, 0])),
        (Drop::Message, "another's message", message(&[1, 2, 0])),
    ]
}

/// From or to the wrong node.
fn misplaced(net: &Net) -> Vec<(Drop, &'static str, Vec<u8>)> {
    let now = Incarnation {
        mine: Epoch(0),
        theirs: Epoch(0),
    };
    let to = NodeId(5);
    let last_hello = net
        .log
        .iter()
        .rev()
        .find(|sent| sent.from == 1 && sent.to.is_none());
    let replayed = last_hello.expect("it says hello").bytes.clone();
    vec![
        (
            Drop::NotForMe,
            "a message",
            data(&Data { to, ..now.data() }),
        ),
        (Drop::NotForMe, "an ack", ack(&Ack { to, ..now.ack() })),
        (
            Drop::NotForMe,
            "a close",
            close(&Close { to, ..now.close(0) }),
        ),
        (
            Drop::Myself,
            "a hello",
            frame(0, |writer| writer.hello(1, [])),
        ),
        (
            Drop::Myself,
            "a flood",
            frame(2, |writer| writer.flood(&flood(0, 1))),
        ),
        (Drop::Replayed, "a hello", replayed),
        (
            Drop::Replayed,
            "an old hello",
            frame(1, |writer| writer.hello(1, [])),
        ),
        (
            Drop::Stranger,
            "a message",
            [frame(5, |writer| writer.data(&now.data())), vec![1]].concat(),
        ),
        (
            Drop::Stranger,
            "an ack",
            frame(5, |writer| writer.ack(&now.ack())),
        ),
        (
            Drop::Stranger,
            "a close",
            frame(5, |writer| writer.close(&now.close(0))),
        ),
        (
            Drop::NoRoom,
            "a hello",
            frame(5, |writer| writer.hello(1, [])),
        ),
        (
            Drop::Seen,
            "a flood",
            frame(1, |writer| writer.flood(&flood(9, 7))),
        ),
    ]
}

/// Of an incarnation that is over, by either end's epoch.
fn stale(now: Incarnation) -> Vec<(Drop, &'static str, Vec<u8>)> {
    let theirs = Incarnation {
        mine: Epoch(now.mine.0 - 1),
        ..now
    };
    let mine = Incarnation {
        theirs: Epoch(now.theirs.0 - 1),
        ..now
    };
    vec![
        (Drop::Stale, "the sender's epoch", data(&theirs.data())),
        (Drop::Stale, "the receiver's epoch", data(&mine.data())),
        (Drop::Stale, "the sender's epoch", ack(&theirs.ack())),
        (Drop::Stale, "the receiver's epoch", ack(&mine.ack())),
        (Drop::Stale, "a question", close(&mine.close(0))),
    ]
}

/// Names what node 0 has never reached.
fn forged(now: Incarnation) -> Vec<(Drop, &'static str, Vec<u8>)> {
    let epoch = Incarnation {
        theirs: Epoch(now.theirs.0 + 1),
        ..now
    };
    let count = 3;
    vec![
        (Drop::Forged, "a message's epoch", data(&epoch.data())),
        (
            Drop::Forged,
            "a message's ack",
            data(&Data {
                ack: count,
                ..now.data()
            }),
        ),
        (Drop::Forged, "an ack's epoch", ack(&epoch.ack())),
        (
            Drop::Forged,
            "an ack's count",
            ack(&Ack {
                ack: count,
                ..now.ack()
            }),
        ),
        (Drop::Forged, "a close's epoch", close(&epoch.close(0))),
    ]
}

#[test]
fn a_frame_that_is_dropped_is_counted_and_changes_nothing() {
    let (net, now) = node();
    for (why, what, bytes) in cases(&net, now) {
        let mut link = net.link(0).clone();
        let (mut out, power) = (Outbox::new(), Power::from_dbm(-60.0));
        link.frame(net.now, &bytes, power, &mut out);
        let name = format!("{why:?}: {what}");
        assert_eq!(drops(link.counters()), one_more(net.link(0), why), "{name}");
        assert_eq!(state(&link), state(net.link(0)), "{name}");
        assert_eq!(out.frames().count(), 0, "{name}");
        assert!(out.events.is_empty() && out.notes.is_empty(), "{name}");
    }
}

#[test]
fn every_reason_has_its_frame() {
    let (net, now) = node();
    let cases = cases(&net, now);
    for why in Drop::ALL {
        assert!(cases.iter().any(|case| case.0 == why), "{why:?}");
    }
}

#[test]
fn the_same_frames_without_fault_are_used() {
    let (net, now) = node();
    let over = Incarnation {
        theirs: Epoch(now.theirs.0 - 1),
        ..now
    };
    let good = [
        data(&now.data()),
        ack(&now.ack()),
        close(&now.close(2)),
        close(&Close {
            ask: false,
            ..over.close(0)
        }),
        frame(1, |writer| writer.hello(1_000, [])),
        frame(2, |writer| writer.flood(&flood(9, 8))),
    ];
    for bytes in good {
        let mut link = net.link(0).clone();
        link.frame(net.now, &bytes, Power::from_dbm(-60.0), &mut Outbox::new());
        assert_eq!(drops(link.counters()), drops(net.link(0).counters()));
    }
}

#[test]
fn a_hello_with_forged_epochs_tells_nothing_about_the_link() {
    let (mut net, now) = node();
    let (me, before) = (NodeId(0), net.pair(0, 1).clone());
    let entry = Entry {
        state: State::Up,
        mine: Epoch(u64::MAX),
        theirs: Some(Epoch(now.theirs.0 + 1)),
        standing: Standing::default(),
        ack: 2,
        doubtful: false,
        last: None,
    };
    net.forget();
    net.arrive(0, &frame(1, |writer| writer.hello(1_000, [(me, entry)])));
    assert_eq!(*net.pair(0, 1), before);
    assert!(net.events(0).is_empty());
    assert_eq!(net.link(0).counters().dropped(Drop::Forged), 1);
}

#[test]
fn a_hello_has_room_for_many_that_left() {
    let config = Config {
        life: u16::MAX,
        hellos_to_form: 1,
        ..alone()
    };
    let mut net = Net::with(&[config]);
    for peer in (0..100).map(|place| u32::MAX - place) {
        let entry = Entry {
            state: State::Heard,
            mine: Epoch(u64::MAX),
            theirs: Some(Epoch::first(u16::MAX)),
            standing: Standing::default(),
            ack: 0,
            doubtful: false,
            last: None,
        };
        for number in 1..=4 {
            let entries = [(NodeId(0), entry)];
            net.arrive(0, &frame(peer, |writer| writer.hello(number, entries)));
        }
        assert_eq!(net.pair(0, peer).state(), State::Sym);
        let hello = frame(peer, |writer| writer.hello(5, []));
        net.arrive(0, &hello);
        assert!(net.pair(0, peer).last().is_some());
    }
    net.run(0.6); // the net makes sure that the hello can be read
    assert_eq!(net.link(0).counters().hellos, 1);
}

impl Incarnation {
    /// The next message of node 1 to node 0.
    fn data(self) -> Data<'static> {
        let Self { mine, theirs } = self;
        Data {
            to: NodeId(0),
            mine,
            theirs,
            sequence: 2,
            ack: 2,
            urgent: false,
            message: &[],
        }
    }

    fn ack(self) -> Ack {
        let Self { mine, theirs } = self;
        let (to, ack) = (NodeId(0), 2);
        Ack {
            to,
            mine,
            theirs,
            ack,
        }
    }

    fn close(self, received: u32) -> Close {
        let Self { mine, theirs } = self;
        let last = Final {
            mine,
            theirs,
            received,
        };
        let (to, ask) = (NodeId(0), true);
        Close { to, ask, last }
    }
}

fn flood(origin: u32, number: u64) -> Flood {
    let nowhere = Incarnation {
        mine: Epoch(0),
        theirs: Epoch(0),
    };
    Flood {
        origin: NodeId(origin),
        number,
        hops: 3,
        target: NodeId(8),
        ask: true,
        last: nowhere.close(0).last,
    }
}

/// From node 1, with a token if it has no message.
fn data(data: &Data<'_>) -> Vec<u8> {
    let mut bytes = frame(1, |writer| writer.data(data));
    if data.message.is_empty() {
        encode(&token(3), &mut bytes).expect("small enough");
    }
    bytes
}

/// From node 1.
fn ack(ack: &Ack) -> Vec<u8> {
    frame(1, |writer| writer.ack(ack))
}

/// From node 1.
fn close(close: &Close) -> Vec<u8> {
    frame(1, |writer| writer.close(close))
}

fn frame(from: u32, write: impl FnOnce(Writer<'_>)) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(Writer::new(&mut bytes, RlMessage::TAG, NodeId(from)));
    bytes
}

fn drops(counters: &Counters) -> Vec<u64> {
    Drop::ALL.iter().map(|&why| counters.dropped(why)).collect()
}

fn one_more(link: &Link<RlMessage>, why: Drop) -> Vec<u64> {
    let mut expected = drops(link.counters());
    expected[why as usize] += 1;
    expected
}

/// All of it but the counters.
fn state(link: &Link<RlMessage>) -> String {
    let text = format!("{link:#?}");
    let (state, _) = text.split_once("\n    counters: ").expect("they come last");
    state.to_owned()
}
