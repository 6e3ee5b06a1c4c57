//! Random schedules over whole transports, with everything going wrong.
//!
//! Two to four [`Transport`]s with datagrams as bytes and a clock. For some 50 to 200 steps
//! datagrams are lost, doubled and reordered, old ones of earlier lives come again, routes break,
//! nodes are woken late and restart. Then comes a phase in which nothing goes wrong: everything
//! that the living sent has to be delivered or told of. [`Once`] watches all of it.

use crate::check::{Once, Violation};
use crate::explore::seeds::{Summary, Tally, play_all};
use crate::random::Random;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Event;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::time::{Time, span};
use manet_mutex::transport::{Config, Flaw, Note, Outbox, Transport};
use serde::Serialize;
use std::ops::Range;
use std::time::Duration;

/// What happened in schedules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many schedules.
    pub schedules: u64,
    /// Inputs to transports.
    pub steps: u64,
    /// Messages sent.
    pub messages: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Messages refused because too many wait.
    pub refused: u64,
    /// Restarts.
    pub restarts: u64,
    /// Messages told of as perhaps delivered.
    pub in_doubt: u64,
    /// Messages told of as not sent.
    pub unsent: u64,
    /// Peers told of as unreachable.
    pub unreachable: u64,
    /// Messages sent again.
    pub again: u64,
}

impl Tally for Stats {
    fn add(&mut self, other: &Self) {
        self.schedules += other.schedules;
        self.steps += other.steps;
        self.messages += other.messages;
        self.delivered += other.delivered;
        self.refused += other.refused;
        self.restarts += other.restarts;
        self.in_doubt += other.in_doubt;
        self.unsent += other.unsent;
        self.unreachable += other.unreachable;
        self.again += other.again;
    }
}

/// Plays one schedule, with one rule of the transport left out or with all of them.
///
/// # Errors
/// If a promise is broken, or something does not arrive in the end.
pub fn run(seed: u64, flaw: Option<Flaw>) -> Result<Stats, Violation> {
    Play::new(seed, flaw)?.run()
}

/// Plays the schedules of all `seeds`; `progress` is told now and then how many more are done.
/// With `first` it stops soon after the first that fails.
pub fn run_all(
    seeds: Range<u64>,
    flaw: Option<Flaw>,
    first: bool,
    progress: &(dyn Fn(u64) + Sync),
) -> Summary<Stats> {
    play_all(seeds, first, |seed| run(seed, flaw), progress)
}

/// The nodes, what is under way, and who watches.
struct Play {
    random: Random,
    config: Config,
    /// Probabilities: that a datagram is lost, that it stays under way although it arrived, that
    /// the next to arrive is any and not the oldest.
    loss: f64,
    doubles: f64,
    disorder: f64,
    /// How often each thing happens, relative to the others.
    weights: [(Kind, usize); 6],
    steps: usize,
    now: Time,
    nodes: Vec<Transport<RlMessage>>,
    lives: Vec<u64>,
    /// Receiver and bytes, in sending order.
    air: Vec<(usize, Vec<u8>)>,
    /// Some that left the air.
    attic: Vec<(usize, Vec<u8>)>,
    checker: Once<RlMessage>,
    stats: Stats,
    number: i64,
    out: Outbox<RlMessage>,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Arrive,
    Wake,
    Send,
    Replay,
    Restart,
    Hint,
}

/// So many old datagrams are kept.
const ATTIC: usize = 24;
/// Everything has to have arrived after so long.
const PATIENCE: Duration = Duration::from_secs(120);

impl Play {
    fn new(seed: u64, flaw: Option<Flaw>) -> Result<Self, Violation> {
        let mut random = Random::stream(seed, "transport schedule");
        let mild = random.chance(0.5);
        let up_to = |random: &mut Random, most: f64| {
            random.within(0.0, if mild { most / 4.0 } else { most })
        };
        let config = Config {
            window: *random.pick(&[1, 2, 8, 64]).unwrap_or(&8),
            backlog: *random.pick(&[2, 256]).unwrap_or(&256),
            jitter: random.within(0.0, 0.5),
            unreachable: Duration::from_secs(5),
            seed,
            flaw,
            ..Config::default()
        };
        let restarts = if random.chance(0.6) { 4 } else { 0 };
        let weights = [
            (Kind::Arrive, 100),
            (Kind::Wake, 10 + random.below(40)),
            (Kind::Send, 10 + random.below(60)),
            (Kind::Replay, random.below(20)),
            (Kind::Restart, restarts),
            (Kind::Hint, random.below(10)),
        ];
        let count = 2 + random.below(3);
        let nodes: Result<Vec<_>, _> = (0..count).map(|node| start(node, 1, &config)).collect();
        Ok(Self {
            loss: up_to(&mut random, 0.6),
            doubles: up_to(&mut random, 0.5),
            disorder: up_to(&mut random, 1.0),
            steps: 50 + random.below(151),
            weights,
            random,
            config,
            now: Time::ZERO,
            nodes: nodes?,
            lives: vec![1; count],
            air: Vec::new(),
            attic: Vec::new(),
            checker: Once::new(),
            stats: Stats::default(),
            number: 0,
            out: Outbox::new(),
        })
    }

    fn run(&mut self) -> Result<Stats, Violation> {
        for _ in 0..self.steps {
            self.step()?;
        }
        self.heal()?;
        self.stats.schedules = 1;
        let again = |node: &Transport<RlMessage>| node.counters().again;
        self.stats.again += self.nodes.iter().map(again).sum::<u64>();
        Ok(self.stats)
    }

    fn step(&mut self) -> Result<(), Violation> {
        match self.kind() {
            Kind::Arrive if !self.air.is_empty() => self.arrive(),
            Kind::Send => self.send(),
            Kind::Replay if !self.attic.is_empty() => {
                let old = self.attic[self.random.below(self.attic.len())].clone();
                self.deliver(&old)
            }
            Kind::Restart => self.restart(),
            Kind::Hint => {
                let (node, peer) = self.two();
                self.nodes[node].route_up(self.now, NodeId::from_index(peer));
                Ok(())
            }
            _ => self.wake(),
        }
    }

    fn kind(&mut self) -> Kind {
        let total = self.weights.iter().map(|(_, weight)| weight).sum();
        let mut left = self.random.below(total);
        for (kind, weight) in self.weights {
            if left < weight {
                return kind;
            }
            left -= weight;
        }
        Kind::Wake
    }

    /// Two different nodes.
    fn two(&mut self) -> (usize, usize) {
        let count = self.nodes.len();
        let a = self.random.below(count);
        (a, (a + 1 + self.random.below(count - 1)) % count)
    }

    fn arrive(&mut self) -> Result<(), Violation> {
        let any = self.random.chance(self.disorder);
        let place = if any {
            self.random.below(self.air.len())
        } else {
            0
        };
        let datagram = self.air[place].clone();
        let lost = self.random.chance(self.loss);
        if lost || !self.random.chance(self.doubles) {
            self.air.remove(place);
            if self.attic.len() < ATTIC {
                self.attic.push(datagram.clone());
            } else {
                let place = self.random.below(ATTIC);
                self.attic[place] = datagram.clone();
            }
        }
        self.now = self.now + span(self.random.within(0.0, 0.05));
        if lost {
            return Ok(());
        }
        self.deliver(&datagram)
    }

    fn deliver(&mut self, (to, bytes): &(usize, Vec<u8>)) -> Result<(), Violation> {
        self.nodes[*to].datagram(self.now, bytes, &mut self.out);
        self.settle(*to)
    }

    fn send(&mut self) -> Result<(), Violation> {
        let (from, to) = self.two();
        let (me, peer) = (NodeId::from_index(from), NodeId::from_index(to));
        self.number += 1;
        let msg = RlMessage::LinkInfo(Height {
            h1: self.number,
            h2: 0,
            id: me,
        });
        // Told first: what goes out at once may be answered at once.
        match self.nodes[from].send(self.now, peer, msg, &mut self.out) {
            Ok(()) => {
                self.stats.messages += 1;
                self.checker.sent(me, peer, &msg);
            }
            Err(_) => self.stats.refused += 1,
        }
        self.settle(from)
    }

    fn restart(&mut self) -> Result<(), Violation> {
        let node = self.random.below(self.nodes.len());
        self.stats.restarts += 1;
        self.stats.again += self.nodes[node].counters().again;
        self.lives[node] += 1;
        self.nodes[node] = start(node, self.lives[node], &self.config)?;
        self.checker.restarted(NodeId::from_index(node));
        Ok(())
    }

    /// The node that is due next does what is due, perhaps late.
    fn wake(&mut self) -> Result<(), Violation> {
        let due = |node: usize| self.nodes[node].due().map(|due| (due, node));
        let Some((due, node)) = (0..self.nodes.len()).filter_map(due).min() else {
            self.now = self.now + span(1.0);
            return Ok(());
        };
        self.now = self.now.max(due) + span(self.random.within(0.0, 0.1));
        self.nodes[node].wake(self.now, &mut self.out);
        self.settle(node)
    }

    /// From now on everything arrives at once.
    fn heal(&mut self) -> Result<(), Violation> {
        self.air.clear();
        let deadline = self.now + PATIENCE;
        loop {
            while !self.air.is_empty() {
                let next = self.air.remove(0);
                self.deliver(&next)?;
            }
            let idle = self.nodes.iter().all(Transport::is_idle);
            if idle && self.checker.is_settled() {
                return Ok(());
            }
            if idle || self.now > deadline {
                let detail = "something is neither delivered nor told of, though all arrives";
                return Err(Violation::named("working routes deliver", detail));
            }
            self.wake()?;
        }
    }

    /// Checks and carries out what a node left behind.
    fn settle(&mut self, node: usize) -> Result<(), Violation> {
        self.stats.steps += 1;
        let me = NodeId::from_index(node);
        for event in std::mem::take(&mut self.out.events) {
            if let Event::Message { from, msg } = event {
                self.stats.delivered += 1;
                self.checker.received(me, from, &msg)?;
            }
        }
        for note in std::mem::take(&mut self.out.notes) {
            match note {
                Note::PeerRestarted {
                    peer,
                    in_doubt,
                    unsent,
                } => {
                    self.stats.in_doubt += in_doubt.len() as u64;
                    self.stats.unsent += unsent.len() as u64;
                    self.checker.peer_restarted(me, peer, &in_doubt, &unsent)?;
                }
                Note::Unreachable { .. } => self.stats.unreachable += 1,
                Note::Reachable { .. } => {}
            }
        }
        for (frame, bytes) in self.out.frames() {
            let to = frame.to.map_or(node, NodeId::index);
            self.air.push((to, bytes.to_vec()));
        }
        self.out.clear();
        Ok(())
    }
}

fn start(node: usize, life: u64, config: &Config) -> Result<Transport<RlMessage>, Violation> {
    let config = Config {
        life,
        ..config.clone()
    };
    Transport::new(NodeId::from_index(node), &config)
        .map_err(|error| Violation::named("configuration", error.to_string()))
}
