//! A node whose neighbourhood does not change takes no memory: neither for hellos nor for messages.
//!
//! All in one test, because the allocator counts for all threads.

use manet_mutex::NodeId;
use manet_mutex::link::{Config, Entry, Epoch, Link, Outbox, Power, Standing, State};
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::time::{Time, span};
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::encode;
use manet_mutex::wire::frame::{Data, Writer};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const ME: NodeId = NodeId(0);
const NEIGHBOURS: u32 = 32;
const ROUNDS: u64 = 40;
/// In the first rounds links come up and buffers grow.
const WARM: u64 = 20;

/// The thread that waits for this test may take memory meanwhile; what a node takes it takes every
/// time.
#[test]
fn a_steady_neighbourhood_takes_no_memory() {
    for sharing in [false, true] {
        let taken: Vec<_> = (0..5).map(|_| taken_when_steady(sharing)).collect();
        assert!(taken.contains(&(0, 0)), "sharing {sharing}: {taken:?}");
    }
}

/// Allocations and reallocations once everything has settled.
fn taken_when_steady(sharing: bool) -> (usize, usize) {
    let frames: Vec<Vec<Vec<u8>>> = (0..ROUNDS).map(round).collect();
    let config = Config {
        sharing,
        // Acknowledgements come once in a round.
        retry_after: Duration::from_secs(1),
        resend_urgent: Duration::from_secs(1),
        ..Config::default()
    };
    let mut node = Node {
        link: Link::new(ME, &config, Time::ZERO).expect("a sound configuration"),
        out: Outbox::new(),
        now: Time::ZERO,
    };
    let (warm, steady) = frames.split_at(WARM as usize);
    for frames in warm {
        node.round(frames);
    }
    let up = node.link.pairs().filter(|pair| pair.state() == State::Up);
    assert_eq!(up.count(), NEIGHBOURS as usize);
    let before = *node.link.counters();

    let region = Region::new(ALLOCATOR);
    for frames in steady {
        node.round(frames);
    }
    let taken = region.change();

    let each = u64::from(NEIGHBOURS) * (ROUNDS - WARM);
    let after = node.link.counters();
    assert_eq!(after.delivered - before.delivered, each);
    let alone = if sharing { 0 } else { each };
    // At once, and perhaps again with a hello that comes before the acknowledgement.
    let shared = each - alone..=2 * (each - alone);
    assert!(shared.contains(&(after.shared - before.shared)));
    assert_eq!(after.data - before.data, alone);
    assert_eq!(after.acks - before.acks, alone);
    assert!(after.hellos - before.hellos >= (ROUNDS - WARM) / 2);
    (taken.allocations, taken.reallocations)
}

struct Node {
    link: Link<RlMessage>,
    out: Outbox<RlMessage>,
    now: Time,
}

impl Node {
    /// Half a second in which every neighbour says hello, sends a token and gets one.
    fn round(&mut self, frames: &[Vec<u8>]) {
        self.now = self.now + span(0.5);
        while self.link.due() <= self.now {
            self.link.wake(self.now, &mut self.out);
            self.out.clear();
        }
        for bytes in frames {
            let power = Power::from_dbm(-60.0);
            self.link.frame(self.now, bytes, power, &mut self.out);
            self.out.clear();
        }
        for peer in (1..=NEIGHBOURS).map(NodeId) {
            // Refused until the link is up.
            let _ = self.link.send(self.now, peer, token(ME), &mut self.out);
            let id = self.out.frames().find_map(|(frame, _)| frame.id);
            self.out.clear();
            if let Some(id) = id {
                self.link.sent(self.now, id, true, &mut self.out);
                self.out.clear();
            }
        }
        while self.link.due() <= self.now {
            self.link.wake(self.now, &mut self.out);
            self.out.clear();
        }
    }
}

/// What arrives in a round. Links come up in the fifth, and each neighbour has received as many
/// tokens as it was sent: one in each round since.
fn round(number: u64) -> Vec<Vec<u8>> {
    let up = number.checked_sub(5);
    let state = match number {
        0..=3 => State::Heard,
        4 => State::Sym,
        _ => State::Up,
    };
    let count = up.unwrap_or(0) as u32;
    let entry = Entry {
        state,
        mine: Epoch(0),
        theirs: Some(Epoch(0)),
        standing: Standing::default(),
        ack: up.map_or(0, |up| up as u32 + 1),
        doubtful: false,
        last: None,
    };
    let mut frames = Vec::new();
    for peer in (1..=NEIGHBOURS).map(NodeId) {
        let mut bytes = Vec::new();
        Writer::new(&mut bytes, RlMessage::TAG, peer).hello(number + 1, [(ME, entry)]);
        frames.push(bytes);
        if up.is_some() {
            frames.push(data(peer, count));
        }
    }
    frames
}

fn data(peer: NodeId, sequence: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    Writer::new(&mut bytes, RlMessage::TAG, peer).data(&Data {
        to: ME,
        mine: Epoch(0),
        theirs: Epoch(0),
        sequence,
        ack: sequence,
        urgent: true,
        message: &[],
    });
    encode(&token(peer), &mut bytes).expect("small enough");
    bytes
}

fn token(id: NodeId) -> RlMessage {
    let height = Height { h1: 1, h2: 2, id };
    let more = false;
    RlMessage::Token { height, more }
}
