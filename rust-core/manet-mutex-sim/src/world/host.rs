//! The part of the world that watches the machines and plans what follows from what they do.

use super::books::Books;
use super::delay::Delay;
use super::queue::Queue;
use super::workload::Workload;
use crate::network::{Lane, Observer};
use crate::random::Random;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Event, Message, Reach, TimerId};
use manet_mutex::time::{Time, span};
use std::collections::{BTreeMap, HashMap};

/// Something that is going to happen. Kept small: the queue moves these about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Receive {
        pair: u32,
        end: u8,
        epoch: u16,
    },
    /// A routed message found no route; try again.
    Route {
        pair: u32,
        end: u8,
    },
    Request {
        node: NodeId,
    },
    Scripted {
        index: u32,
    },
    /// The next of a script, or its end; if it waits, only after all else of its moment.
    Input {
        index: u32,
        waits: bool,
    },
    /// Void if the node has been demoted and has entered again since.
    Release {
        node: NodeId,
        entry: u16,
    },
    Timer {
        node: NodeId,
        id: TimerId,
    },
    Up {
        pair: u32,
        end: u8,
        epoch: u16,
    },
    Down {
        pair: u32,
        end: u8,
        epoch: u16,
    },
    Resolve {
        pair: u32,
        end: u8,
    },
    /// Mobility.
    Move,
    Flap,
    FlapEnds {
        pair: u32,
    },
    Partition,
    PartitionEnds,
    Crash,
    Doom {
        index: u32,
    },
    /// The faults stop.
    Heal,
    /// Nobody requests any more.
    Close,
}

/// What the world knows about a pair beyond the network.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairInfo {
    /// Counts incarnations, so that plans for an old one are recognised.
    pub epoch: u16,
    /// Bit `end`: what this end sends does not arrive any more.
    pub cut: u8,
    /// Bit `end`: what this end sends meets a peer that does not know the link yet.
    pub early: u8,
    /// The link has failed; the ends are about to learn it.
    pub closing: bool,
    /// The end that counts as the moving one, from the moment the incarnation began.
    pub mover: u8,
}

/// Watches, measures and plans.
#[derive(Debug)]
pub(super) struct Host {
    pub books: Books,
    pub queue: Queue<Plan>,
    pub delay: Delay,
    pub workload: Workload,
    pub reach: Reach,
    /// How long every message takes, in nanoseconds, if that is always the same and all go over
    /// one link.
    pub steady: Option<u64>,
    /// Links as they are, for routes.
    pub graph: Graph,
    /// As far as there is anything to know; beyond that, all is as at the start.
    pub pairs: Vec<PairInfo>,
    /// When the last message planned on a lane arrives; only kept if delays vary.
    pub due: Vec<[Time; 2]>,
    /// How many messages of a lane have arrived before the link was up there.
    pub held: BTreeMap<Lane, u32>,
    pub deadlines: HashMap<(NodeId, TimerId), Time>,
    pub delays: Random,
    pub thoughts: Random,
}

impl Host {
    /// Plans a node's next request.
    pub fn think(&mut self, node: NodeId) {
        if let Some(after) = self.workload.think.draw(&mut self.thoughts) {
            self.queue
                .push(self.books.now + after, Plan::Request { node });
        }
    }

    /// Plans what follows from an action that sends nothing.
    fn plan<M>(&mut self, node: NodeId, action: &Action<M>) {
        match action {
            Action::Enter(_) => {
                if let Some(stay) = self.workload.stay.draw(&mut self.thoughts) {
                    let entry = self.entry(node);
                    self.queue
                        .push(self.books.now + stay, Plan::Release { node, entry });
                }
            }
            Action::SetTimer { id, after } => {
                let at = self.books.now + *after;
                self.deadlines.insert((node, *id), at);
                self.queue.push(at, Plan::Timer { node, id: *id });
            }
            Action::CancelTimer(id) => {
                self.deadlines.remove(&(node, *id));
            }
            Action::Send { .. } | Action::Demoted | Action::Note(_) => {}
        }
    }

    /// Finds a message's way and plans its arrival; returns how many links it is charged.
    #[inline(always)]
    pub fn route(&mut self, from: NodeId, to: NodeId, lane: Lane) -> u64 {
        if self.reach == Reach::Neighbours {
            self.carry(lane, 1);
            return 1;
        }
        self.route_far(from, to, lane)
    }

    #[cold]
    fn route_far(&mut self, from: NodeId, to: NodeId, lane: Lane) -> u64 {
        match self.graph.hops(from, to) {
            Some(hops) => {
                self.carry(lane, hops);
                hops.into()
            }
            None => {
                let Lane { pair, end } = lane;
                self.queue
                    .push(self.books.now + span(1.0), Plan::Route { pair, end });
                0
            }
        }
    }

    /// Plans the arrival of a message that a lane has taken.
    #[inline(always)]
    pub fn carry(&mut self, lane: Lane, hops: u32) {
        let at = match self.steady {
            Some(nanos) => Time(self.books.now.0.saturating_add(nanos)),
            None => self.arrival(lane, hops),
        };
        let Lane { pair, end } = lane;
        let epoch = self.known(pair).epoch;
        self.queue
            .push_in_line(at, Plan::Receive { pair, end, epoch });
    }

    /// When a message arrives; never before an earlier one on the same lane.
    fn arrival(&mut self, lane: Lane, hops: u32) -> Time {
        let mut at = self.books.now + self.delay.draw(&mut self.delays);
        for _ in 1..hops {
            at = at + self.delay.draw(&mut self.delays);
        }
        let number = lane.pair as usize;
        if self.due.len() <= number {
            self.due.resize(number + 1, [Time::ZERO; 2]);
        }
        let due = &mut self.due[number][usize::from(lane.end)];
        *due = at.max(*due);
        *due
    }

    /// Tells a node's entries apart.
    pub fn entry(&self, node: NodeId) -> u16 {
        self.books.meter.entries_by_node[node.index()] as u16
    }

    /// What is known about a pair.
    pub fn known(&self, pair: u32) -> PairInfo {
        self.pairs.get(pair as usize).copied().unwrap_or_default()
    }

    /// The same, to change it.
    pub fn info(&mut self, pair: u32) -> &mut PairInfo {
        let number = pair as usize;
        if self.pairs.len() <= number {
            self.pairs.resize(number + 1, PairInfo::default());
        }
        &mut self.pairs[number]
    }

    /// A new incarnation of a pair begins, which neither end knows yet; returns its epoch.
    pub fn begin(&mut self, pair: u32) -> u16 {
        for end in [0, 1] {
            self.held.remove(&Lane { pair, end });
        }
        let info = self.info(pair);
        let epoch = info.epoch.wrapping_add(1);
        *info = PairInfo {
            epoch,
            early: 0b11,
            ..PairInfo::default()
        };
        epoch
    }

    /// A message could not be handed over when it arrived. If that is because the peer does not
    /// know the link yet, it is held until it does.
    #[cold]
    pub fn miss(&mut self, lane: Lane, epoch: u16) {
        let info = self.known(lane.pair);
        if info.epoch == epoch && info.cut & (1 << lane.end) == 0 {
            *self.held.entry(lane).or_default() += 1;
        }
    }

    /// The link of a lane is up at the receiver; returns how many messages were held for it.
    pub fn admit(&mut self, lane: Lane) -> u32 {
        self.info(lane.pair).early &= !(1 << lane.end);
        self.held.remove(&lane).unwrap_or(0)
    }
}

// Inlined, so that where the kind of an event or action is known nothing asks for it again.
impl<M: Message> Observer<M> for Host {
    #[inline(always)]
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.books.event(node, event);
        if let Event::Release = event {
            self.think(node);
        }
    }

    #[inline(always)]
    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        self.books.action(node, action, lane);
        match (action, lane) {
            (Action::Send { to, msg }, Some(lane)) => {
                let hops = self.route(node, *to, lane);
                self.books.meter.sent(msg.kind(), hops);
            }
            (Action::Send { .. }, None) => {}
            _ => self.plan(node, action),
        }
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        <Books as Observer<M>>::link_begins(&mut self.books, a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        <Books as Observer<M>>::linked(&mut self.books, node, peer);
    }

    fn crash(&mut self, node: NodeId) {
        <Books as Observer<M>>::crash(&mut self.books, node);
    }
}

// A larger plan would make every move in the queue dearer.
const _: () = assert!(size_of::<Plan>() == 8);
