//! One radio channel and every node's access to it.
//!
//! The MAC of 802.11 as far as it matters to what is above it. A node sends one frame at a time,
//! in order. It waits until the air is free, then for a random number of slots. A broadcast is
//! sent once and nobody knows who got it. A unicast frame is acknowledged; without an
//! acknowledgement it is sent again, up to 7 times in all, and each time the wait doubles. Since
//! acknowledgements get lost too, a frame that failed may well have been delivered.
//!
//! Left out: propagation delay, rates other than 6 Mb/s, RTS/CTS, the longer wait after a frame
//! that was damaged, and service classes.

use super::air::Air;
pub use super::air::Losses;
use super::channel::{ChannelConfig, ChannelError};
pub use super::pool::Frame;
use super::pool::Pool;
use super::station::{ACK, OVERHEAD, SIFS, Station, Waiting, on_air};
use crate::random::Random;
use crate::world::topology::Point;
use manet_mutex::ids::NodeId;
use manet_mutex::link::Power;
use manet_mutex::time::Time;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// What the MAC tells those above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A node got a frame, each at most once.
    Received {
        /// Who.
        at: NodeId,
        /// From whom.
        from: NodeId,
        /// Its bytes, until the next event.
        frame: Frame,
        /// How strong.
        power: Power,
    },
    /// What is known of a unicast frame. There is one of these for each that was enqueued, unless
    /// its sender crashes.
    Sent {
        /// By whom.
        from: NodeId,
        /// As given when it was enqueued.
        id: u64,
        /// It was acknowledged. If not, it may have arrived all the same.
        ok: bool,
    },
}

/// What a run has cost so far. Times in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Frames on the air, each attempt counted, without acknowledgements.
    pub transmissions: u64,
    /// Those among them that were broadcasts.
    pub broadcasts: u64,
    /// Time on the air of broadcasts.
    pub broadcast_time: u64,
    /// Time on the air of unicast frames.
    pub unicast_time: u64,
    /// Time on the air of acknowledgements.
    pub ack_time: u64,
    /// Frames that waited too long, or found too many that waited.
    pub dropped: u64,
    /// What receivers missed.
    pub losses: Losses,
}

/// The shared channel and the MAC of every node.
///
/// The driver asks when something happens [`next`](Self::next) and calls
/// [`advance`](Self::advance) then; it may [`enqueue`](Self::enqueue) and change faults at any
/// time in between.
#[derive(Clone, Debug)]
pub struct Medium {
    air: Air,
    stations: Vec<Station>,
    pool: Pool,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    planned: u64,
    /// Unicast frames that found no place.
    refused: VecDeque<(NodeId, u64)>,
    random: Random,
    counters: Counters,
}

/// Something that happens to a node, unless it crashed since it was planned and has another life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    node: NodeId,
    life: u32,
    what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// It may send, unless it has to wait longer by now.
    Access,
    /// Its frame is over.
    End(u32),
    /// The node that got its frame acknowledges it.
    Acknowledge,
    /// That is over.
    Acknowledged(u32),
    /// No acknowledgement came.
    Missed,
    /// There was no place for its frame.
    Refused,
}

impl Medium {
    /// Silent air and this many nodes with nothing to send.
    ///
    /// # Errors
    /// If the channel makes no sense.
    pub fn new(config: &ChannelConfig, nodes: usize, seed: u64) -> Result<Self, ChannelError> {
        Ok(Self {
            air: Air::new(config, nodes, seed)?,
            stations: vec![Station::default(); nodes],
            pool: Pool::default(),
            events: BinaryHeap::new(),
            planned: 0,
            refused: VecDeque::new(),
            random: Random::stream(seed, "radio backoff"),
            counters: Counters::default(),
        })
    }

    /// A node wants to send these bytes, to all if `to` is `None`. What becomes of a unicast frame
    /// is told under its `id`.
    pub fn enqueue(&mut self, now: Time, from: NodeId, to: Option<NodeId>, id: u64, bytes: &[u8]) {
        if self.air.is_silent(from) {
            return;
        }
        let station = &mut self.stations[from.index()];
        if station.is_full() {
            self.counters.dropped += 1;
            if to.is_some() {
                self.refused.push_back((from, id));
                self.plan(from, now, What::Refused);
            }
            return;
        }
        let frame = self.pool.keep(bytes);
        station.queue.push_back(Waiting {
            to,
            id,
            frame,
            since: now,
        });
        if !station.serving {
            self.serve(from, now);
        }
    }

    /// When something happens next.
    pub fn next(&self) -> Option<Time> {
        self.events.peek().map(|&Reverse((time, ..))| time)
    }

    /// Lets the next event happen. `place` tells where a node is at that time; what those above
    /// have to know is added to `out`. Frames of earlier events are no longer there.
    pub fn advance(
        &mut self,
        place: impl Fn(NodeId, Time) -> Point,
        out: &mut Vec<Happening>,
    ) -> Option<Time> {
        let Reverse((now, _, Event { node, life, what })) = self.events.pop()?;
        self.pool.recycle();
        if let What::End(sent) | What::Acknowledged(sent) = what {
            self.air.finish(sent);
        }
        if life != self.stations[node.index()].life {
            return Some(now);
        }
        let place = |node| place(node, now);
        match what {
            What::Access => self.access(node, now, place, out),
            What::End(_) => self.end(node, now, out),
            What::Acknowledge => self.acknowledge(node, now, place, out),
            What::Acknowledged(_) if self.air.got.is_empty() => self.missed(node, now, out),
            What::Acknowledged(_) => self.done(node, now, true, out),
            What::Missed => self.missed(node, now, out),
            What::Refused => {
                let refused = self.refused.pop_front();
                let sent = |(from, id)| Happening::Sent {
                    from,
                    id,
                    ok: false,
                };
                out.extend(refused.map(sent));
            }
        }
        Some(now)
    }

    /// The bytes of a frame that was received in the last event.
    pub fn bytes(&self, frame: Frame) -> &[u8] {
        self.pool.bytes(frame)
    }

    /// What the run has cost so far.
    pub fn counters(&self) -> Counters {
        Counters {
            losses: self.air.losses,
            ..self.counters
        }
    }

    /// Nothing that `from` sends reaches `to` any more.
    pub fn block(&mut self, from: NodeId, to: NodeId) {
        self.air.set_blocked(from, to, true);
    }

    /// It does again.
    pub fn unblock(&mut self, from: NodeId, to: NodeId) {
        self.air.set_blocked(from, to, false);
    }

    /// A wall between nodes on different sides, in place of any other; each node has one.
    pub fn set_sides(&mut self, sides: Option<Vec<bool>>) {
        debug_assert!(sides.iter().all(|sides| sides.len() == self.stations.len()));
        self.air.set_sides(sides);
    }

    /// A node crashes: it neither sends nor receives, and what it had to send is forgotten.
    pub fn silence(&mut self, node: NodeId) {
        self.air.set_silent(node, true);
        let station = &mut self.stations[node.index()];
        for waiting in &station.queue {
            self.pool.retire(waiting.frame);
        }
        station.crash();
        self.refused.retain(|&(from, _)| from != node);
    }

    /// A node that crashed takes part again.
    pub fn wake(&mut self, node: NodeId) {
        self.air.set_silent(node, false);
    }

    /// Takes care of the first frame of a node's queue.
    fn serve(&mut self, node: NodeId, now: Time) {
        self.stations[node.index()].serve(now, &mut self.random);
        self.compete(node);
    }

    /// Looks at the countdown when it is over.
    fn compete(&mut self, node: NodeId) {
        let ready = self.stations[node.index()].ready;
        self.plan(node, ready, What::Access);
    }

    /// A node's countdown may be over.
    fn access(
        &mut self,
        node: NodeId,
        now: Time,
        place: impl Fn(NodeId) -> Point,
        out: &mut Vec<Happening>,
    ) {
        let station = &mut self.stations[node.index()];
        if station.ready > now {
            return self.compete(node);
        }
        let Some(&waiting) = station.queue.front() else {
            return;
        };
        if waiting.is_stale(now) {
            self.counters.dropped += 1;
            return self.done(node, now, false, out);
        }
        station.attempts += 1;
        let Waiting { to, frame, .. } = waiting;
        let time = on_air(OVERHEAD + self.pool.bytes(frame).len());
        let end = Time(now.0 + time);
        self.counters.transmissions += 1;
        if to.is_some() {
            self.counters.unicast_time += time;
        } else {
            self.counters.broadcasts += 1;
            self.counters.broadcast_time += time;
        }
        let sent = self.air.begin(node, to, place);
        // Those who hear a unicast frame keep quiet for its acknowledgement, too.
        let quiet = if to.is_some() { SIFS + ACK } else { 0 };
        self.hush(node, now, end, quiet);
        self.plan(node, end, What::End(sent));
    }

    /// The air is taken until `end`, and `quiet` longer for all but the sender.
    fn hush(&mut self, sender: NodeId, now: Time, end: Time, quiet: u64) {
        self.stations[sender.index()].sense(now, end);
        for node in &self.air.sensing {
            self.stations[node.index()].sense(now, Time(end.0 + quiet));
        }
    }

    /// A node's frame is over.
    fn end(&mut self, node: NodeId, now: Time, out: &mut Vec<Happening>) {
        let station = &mut self.stations[node.index()];
        let Some(&Waiting { to, frame, .. }) = station.queue.front() else {
            return;
        };
        if !station.delivered {
            out.extend(self.air.got.iter().map(|&(at, power)| Happening::Received {
                at,
                from: node,
                frame,
                power,
            }));
        }
        if to.is_none() {
            self.done(node, now, true, out);
        } else if self.air.got.is_empty() {
            self.plan(node, Time(now.0 + SIFS + ACK), What::Missed);
        } else {
            station.delivered = true;
            self.plan(node, Time(now.0 + SIFS), What::Acknowledge);
        }
    }

    /// The node that got this node's frame acknowledges it.
    fn acknowledge(
        &mut self,
        node: NodeId,
        now: Time,
        place: impl Fn(NodeId) -> Point,
        out: &mut Vec<Happening>,
    ) {
        let station = &self.stations[node.index()];
        let Some(peer) = station.queue.front().and_then(|waiting| waiting.to) else {
            return;
        };
        if self.air.is_silent(peer) || self.air.is_sending(peer) {
            return self.missed(node, now, out);
        }
        let end = Time(now.0 + ACK);
        let sent = self.air.begin(peer, Some(node), place);
        self.counters.ack_time += ACK;
        self.hush(peer, now, end, 0);
        self.plan(node, end, What::Acknowledged(sent));
    }

    /// No acknowledgement came: once more, or that was it.
    fn missed(&mut self, node: NodeId, now: Time, out: &mut Vec<Happening>) {
        let station = &mut self.stations[node.index()];
        if station.gives_up() {
            return self.done(node, now, false, out);
        }
        station.back_off(now, &mut self.random);
        self.compete(node);
    }

    /// The node is done with the first frame of its queue.
    fn done(&mut self, node: NodeId, now: Time, ok: bool, out: &mut Vec<Happening>) {
        let station = &mut self.stations[node.index()];
        let more = station.queue.len() > 1;
        if let Some(Waiting { to, id, frame, .. }) = station.done(now, &mut self.random) {
            self.pool.retire(frame);
            let from = node;
            out.extend(to.map(|_| Happening::Sent { from, id, ok }));
        }
        if more {
            self.serve(node, now);
        }
    }

    fn plan(&mut self, node: NodeId, time: Time, what: What) {
        let life = self.stations[node.index()].life;
        self.planned += 1;
        let event = Event { node, life, what };
        self.events.push(Reverse((time, self.planned, event)));
    }
}
