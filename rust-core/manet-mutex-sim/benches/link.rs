//! What the link layer costs, as ratios measured in one run.
//!
//! `cargo bench --bench link` prints
//! * the cost of a hello, sent and received, against the number of neighbours it lists: linear, and
//!   without any allocation;
//! * the cost of a delivered message over the link layer, encoded, acknowledged and decoded,
//!   against the same messages in the world of links.
//!
//! With `-- --hellos K N` or `-- --messages N` it only does that work, N times, for callgrind.

use manet_mutex::graph::Graph;
use manet_mutex::link::{Config, FrameId, Link, Outbox, Power, State};
use manet_mutex::node::{Happening, Input, Node, Outputs};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::rl::{self, Rl, RlMessage};
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Setup, World};
use std::alloc::System;
use std::collections::VecDeque;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: stats_alloc::StatsAlloc<System> = stats_alloc::StatsAlloc::system();

const STRONG: Power = Power(-50_000);

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let after = |name: &str, offset: usize| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + offset)?.parse::<usize>().ok()
    };
    if let (Some(neighbours), Some(times)) = (after("--hellos", 1), after("--hellos", 2)) {
        Crowd::new(neighbours).rounds(times);
        return;
    }
    if let Some(times) = after("--messages", 1) {
        Couple::new().deliver(times as u64);
        return;
    }
    hellos();
    messages();
}

fn hellos() {
    println!("neighbours   received, ns   sent, ns   received, ns/neighbour   allocations");
    for neighbours in [1, 2, 4, 8, 16, 32, 64] {
        let mut crowd = Crowd::new(neighbours);
        crowd.rounds(10);
        let mut best = Cost::default();
        let mut allocations = 0;
        for round in 0..20 {
            let cost = crowd.rounds(50);
            allocations += cost.allocations;
            if round == 0 {
                best = cost;
            }
            best.received = best.received.min(cost.received);
            best.sent = best.sent.min(cost.sent);
        }
        let Cost { received, sent, .. } = best;
        let each = received / neighbours as f64;
        println!("{neighbours:>10} {received:>14.0} {sent:>10.0} {each:>24.1} {allocations:>13}");
    }
}

/// What a node takes for each hello that it receives and sends, in nanoseconds.
#[derive(Clone, Copy, Default)]
struct Cost {
    received: f64,
    sent: f64,
    allocations: usize,
}

/// A node whose neighbours say hello, each listing as many as it has.
struct Crowd {
    node: Link<RlMessage>,
    others: Vec<Link<RlMessage>>,
    now: Time,
    out: Outbox<RlMessage>,
    own: Outbox<RlMessage>,
}

impl Crowd {
    fn new(neighbours: usize) -> Self {
        let config = Config {
            jitter: 0.0,
            ..Config::default()
        };
        let link = |i| Link::new(NodeId::from_index(i), &config, Time::ZERO).expect("sound");
        let mut crowd = Self {
            node: link(0),
            others: (1..=neighbours).map(link).collect(),
            now: Time::ZERO,
            out: Outbox::new(),
            own: Outbox::new(),
        };
        crowd.rounds(10);
        let up = crowd.node.pairs().filter(|pair| pair.state() == State::Up);
        assert_eq!(up.count(), neighbours, "all links are up");
        crowd
    }

    /// Everybody says hello so often, and all hear it.
    fn rounds(&mut self, times: usize) -> Cost {
        let mut cost = Cost::default();
        let mut air: Vec<Vec<u8>> = Vec::new();
        let Self { out, own, .. } = self;
        for _ in 0..times {
            self.now = Time(self.now.0 + 500_000_000);
            air.clear();
            for other in &mut self.others {
                hello(other, self.now, out);
                air.push(bytes(out).to_vec());
            }
            let before = ALLOCATOR.stats().allocations;
            cost.sent += timed(|| hello(&mut self.node, self.now, own)).1;
            cost.received += timed(|| {
                for bytes in &air {
                    out.clear();
                    self.node.frame(self.now, bytes, STRONG, out);
                }
            })
            .1;
            cost.allocations += ALLOCATOR.stats().allocations - before;
            air.push(bytes(own).to_vec());
            for (i, other) in self.others.iter_mut().enumerate() {
                for (j, bytes) in air.iter().enumerate() {
                    if i != j {
                        out.clear();
                        other.frame(self.now, bytes, STRONG, out);
                    }
                }
            }
        }
        cost.received /= (times * self.others.len()) as f64;
        cost.sent /= times as f64;
        cost
    }
}

fn hello(link: &mut Link<RlMessage>, now: Time, out: &mut Outbox<RlMessage>) {
    out.clear();
    while link.due() <= now {
        link.wake(now, out);
    }
}

fn bytes(out: &Outbox<RlMessage>) -> &[u8] {
    out.frames().next().expect("a hello was due").1
}

fn messages() {
    const MESSAGES: u64 = 200_000;
    let (mut linked, mut ideal) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..7 {
        linked = linked.min(Couple::new().deliver(MESSAGES));
        ideal = ideal.min(ideal_links(MESSAGES));
    }
    println!();
    println!("a message over the link layer: {linked:.0} ns; in the world of links: {ideal:.0} ns");
    println!("ratio {:.1}", linked / ideal);
}

/// Two nodes that fight for the token over a radio that loses nothing and takes no time.
struct Couple {
    nodes: [Node<Rl>; 2],
    air: VecDeque<(usize, Vec<u8>)>,
    spare: Vec<Vec<u8>>,
    out: Outputs<RlMessage>,
    inside: Option<usize>,
    now: Time,
}

impl Couple {
    fn new() -> Self {
        let node = |i: usize| {
            let rl = Rl::new(NodeId::from_index(i), i == 0, &rl::Config::default());
            Node::new(rl, &Config::default(), Time::ZERO).expect("sound")
        };
        let mut couple = Self {
            nodes: [node(0), node(1)],
            air: VecDeque::new(),
            spare: Vec::new(),
            out: Outputs::new(),
            inside: None,
            now: Time::ZERO,
        };
        for i in [0, 1] {
            couple.feed(i, Input::Start);
        }
        while couple.nodes[0]
            .link()
            .and_then(|link| link.pair(NodeId(1)))
            .is_none_or(|pair| pair.state() != State::Up)
        {
            couple.tick();
        }
        for i in [0, 1] {
            couple.feed(i, Input::Request(Demand::Exclusive));
        }
        couple
    }

    /// The time of the next hello, and all that follows from it.
    fn tick(&mut self) {
        self.now = self.nodes[0].due().min(self.nodes[1].due());
        for i in [0, 1] {
            if self.nodes[i].due() <= self.now {
                self.feed(i, Input::Wake);
            }
        }
        while self.air.front().is_some() {
            self.step();
        }
    }

    fn step(&mut self) {
        let Some((to, bytes)) = self.air.pop_front() else {
            // Whoever is inside leaves when nothing is under way.
            match self.inside.take() {
                Some(i) => {
                    self.feed(i, Input::Release);
                    self.feed(i, Input::Request(Demand::Exclusive));
                    if self.inside == Some(i) {
                        // The other's request waits for a hello.
                        self.tick();
                    }
                }
                None => self.tick(),
            }
            return;
        };
        let input = Input::Frame {
            bytes: &bytes,
            power: STRONG,
        };
        self.feed(to, input);
        self.spare.push(bytes);
    }

    fn feed(&mut self, i: usize, input: Input<'_>) {
        let node = &mut self.nodes[i];
        node.handle(self.now, input, &mut self.out, &mut ())
            .expect("nothing breaks");
        let mut sent: [Option<FrameId>; 4] = [None; 4];
        for (place, (frame, bytes)) in self.out.frames().enumerate() {
            let mut copy = self.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(bytes);
            self.air.push_back((1 - i, copy));
            sent[place] = frame.id;
        }
        let enters = |happening: &Happening| matches!(happening, Happening::Enter(_));
        if self.out.happenings.iter().any(enters) {
            self.inside = Some(i);
        }
        self.out.clear();
        for id in sent.into_iter().flatten() {
            self.feed(i, Input::Sent { id, ok: true });
        }
    }

    /// Delivers so many messages; the nanoseconds for each.
    fn deliver(&mut self, messages: u64) -> f64 {
        let delivered = |nodes: &[Node<Rl>; 2]| -> u64 {
            nodes
                .iter()
                .filter_map(Node::link)
                .map(|link| link.counters().delivered)
                .sum()
        };
        let goal = delivered(&self.nodes) + messages;
        let ((), nanos) = timed(|| {
            while delivered(&self.nodes) < goal {
                self.step();
            }
        });
        nanos / messages as f64
    }
}

/// The same in the world of links.
fn ideal_links(messages: u64) -> f64 {
    let setup = Setup {
        workload: Workload {
            think: Span::Fixed(0.001),
            // Long enough for the other's request to come.
            stay: Span::Fixed(1.5),
            ..Workload::default()
        },
        duration: Time::from_secs(messages as f64),
        ..Setup::new(Graph::path(2), 1)
    };
    let config = rl::Config {
        limiter: Limiter::UNITS,
        ..rl::Config::default()
    };
    let mut world = World::<Rl>::new(setup, &config).expect("connected");
    let (report, nanos) = timed(|| world.run());
    assert!(report.is_clean());
    nanos / report.meter.messages() as f64
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_nanos() as f64)
}
