//! A run over the radio.

use super::medium::{self, Happening as Air, Medium};
use super::meter::LinkMeter;
use super::motion::Motion;
use super::setup::RadioSetup;
use super::watch::Watch;
use super::{RadioError, RadioReport};
use crate::check::{Invariants, Safety, Violation};
use crate::network::App;
use crate::random::Random;
use crate::world::meter::Meter;
use crate::world::queue::Queue;
use crate::world::trace::Tracer;
use manet_mutex::ids::NodeId;
use manet_mutex::link::{Counters, FrameId};
use manet_mutex::machine::ProtocolError;
use manet_mutex::node::{Happening, Input, Node, Outputs};
use manet_mutex::protocol::{FOUNDER, Population};
use manet_mutex::time::{Time, span};
use manet_mutex::wire::WireMessage;

/// Something that is going to happen, apart from what the radio does.
#[derive(Clone, Copy, Debug)]
enum Plan {
    Wake { node: NodeId },
    Turn { node: NodeId },
    Request { node: NodeId },
    Scripted { index: u32 },
    Release { node: NodeId, entry: u32 },
    Wall,
    WallFalls,
    Blackout,
    BlackoutEnds { from: NodeId, to: NodeId },
    Heal,
}

/// A simulated network of nodes that share a radio channel.
#[derive(Debug)]
pub struct RadioWorld<P: Population>
where
    P::Message: WireMessage,
{
    setup: RadioSetup,
    nodes: Vec<Node<P>>,
    motion: Motion,
    medium: Medium,
    queue: Queue<Plan>,
    /// When each node is going to be woken.
    planned: Vec<Time>,
    watch: Watch<P::Message>,
    turns: Random,
    accidents: Random,
    thoughts: Random,
    healed: bool,
    deadline: Time,
    events: u64,
    out: Outputs<P::Message>,
    air: Vec<Air>,
}

const NEVER: Time = Time(u64::MAX);

impl<P: Population + Invariants> RadioWorld<P>
where
    P::Message: WireMessage,
{
    /// Puts the parts together. Node 0 starts with the token, if there is one.
    ///
    /// # Errors
    /// If a part makes no sense, or the protocol does not talk to neighbours.
    pub fn new(setup: RadioSetup, config: &P::Config) -> Result<Self, RadioError> {
        let count = setup.nodes;
        let mut random = Random::stream(setup.seed, "places");
        let places = setup.places(&mut random);
        let motion = Motion::new(setup.motion, setup.side, setup.side, &places)?;
        let nodes: Vec<Node<P>> = P::apart(count, config)?
            .into_iter()
            .map(|protocol| Node::new(protocol, &setup.link, Time::ZERO))
            .collect::<Result<_, _>>()?;
        let safety = Safety::new(P::promise(config), count, FOUNDER, []);
        let mut world = Self {
            medium: Medium::new(&setup.channel, count, setup.seed)?,
            nodes,
            motion,
            queue: Queue::new(),
            planned: vec![NEVER; count],
            watch: Watch::new(safety, Meter::new(count), count),
            turns: Random::stream(setup.seed, "motion"),
            accidents: Random::stream(setup.seed, "faults"),
            thoughts: Random::stream(setup.seed, "workload"),
            healed: false,
            deadline: Time(setup.duration.0.saturating_add(setup.grace.0)),
            events: 0,
            out: Outputs::new(),
            air: Vec::new(),
            setup,
        };
        world.plan_start();
        Ok(world)
    }

    /// Writes the run to `tracer`.
    #[must_use]
    pub fn traced(mut self, tracer: Tracer) -> Self {
        self.watch.books.tracer = Some(tracer);
        self
    }

    /// Runs to the end; tells the time and the number of events now and then.
    pub fn run(&mut self, mut progress: impl FnMut(Time, u64)) -> RadioReport {
        const OFTEN: u64 = 1 << 16;
        let mut told = 0;
        while let Some(now) = self.step() {
            if now > self.deadline || self.watch.books.safety.violation().is_some() {
                break;
            }
            if self.healed && self.is_finished() {
                break;
            }
            if self.events >= told + OFTEN {
                told = self.events;
                progress(now, self.events);
            }
        }
        self.report()
    }

    /// Nobody waits or is inside, and nothing is in doubt.
    fn is_finished(&self) -> bool {
        self.watch.books.pending == 0 && self.watch.books.safety.open_doubts() == 0
    }

    fn plan_start(&mut self) {
        for i in 0..self.nodes.len() {
            let node = NodeId::from_index(i);
            self.feed(node, Input::Start);
            let moving = self.motion.is_moving(node);
            self.feed(node, Input::Motion { moving });
            self.plan_turn(node);
            self.think(node);
        }
        for (index, &(at, ..)) in self.setup.workload.script.iter().enumerate() {
            let index = index as u32;
            self.queue.push(at, Plan::Scripted { index });
        }
        self.plan_accident(Plan::Wall, self.setup.faults.walls);
        self.plan_accident(Plan::Blackout, self.setup.faults.blackouts);
        self.queue.push(self.setup.duration, Plan::Heal);
    }

    fn now(&self) -> Time {
        self.watch.books.now
    }

    /// Lets the next thing happen; tells when it did.
    fn step(&mut self) -> Option<Time> {
        let planned = self.queue.next_time();
        match (self.medium.next(), planned) {
            (Some(air), Some(plan)) if air >= plan => self.happen(),
            (None, _) => self.happen(),
            (Some(_), _) => self.listen(),
        }
    }

    /// The radio does something.
    fn listen(&mut self) -> Option<Time> {
        let mut air = std::mem::take(&mut self.air);
        let motion = &self.motion;
        let now = self
            .medium
            .advance(|node, at| motion.position(node, at), &mut air)?;
        self.watch.books.advance(now);
        for happening in air.drain(..) {
            match happening {
                Air::Received {
                    at, frame, power, ..
                } => {
                    let bytes = self.medium.bytes(frame);
                    let input = Input::Frame { bytes, power };
                    let node = &mut self.nodes[at.index()];
                    let result = node.handle(now, input, &mut self.out, &mut self.watch);
                    self.follow_up(at, result);
                }
                Air::Sent { from, id, ok } => {
                    let id = FrameId(id);
                    self.feed(from, Input::Sent { id, ok });
                }
            }
        }
        self.air = air;
        Some(now)
    }

    /// Something planned happens.
    fn happen(&mut self) -> Option<Time> {
        let (now, plan) = self.queue.pop()?;
        self.watch.books.advance(now);
        match plan {
            Plan::Wake { node } => {
                if self.planned[node.index()] == now {
                    self.planned[node.index()] = NEVER;
                    self.feed(node, Input::Wake);
                }
            }
            Plan::Turn { node } => self.turn(node),
            Plan::Request { node } => {
                let demand = self.setup.workload.draw_demand(&mut self.thoughts);
                self.request(node, demand);
            }
            Plan::Scripted { index } => {
                let (_, node, demand) = self.setup.workload.script[index as usize];
                self.request(node, demand);
            }
            Plan::Release { node, entry } => {
                let inside = matches!(self.nodes[node.index()].app(), App::Inside(_));
                if inside && self.entry(node) == entry {
                    self.feed(node, Input::Release);
                    self.think(node);
                }
            }
            Plan::Heal => self.heal(),
            _ => self.accident(plan),
        }
        Some(now)
    }

    fn request(&mut self, node: NodeId, demand: manet_mutex::Demand) {
        if !self.healed && self.nodes[node.index()].app() == App::Idle {
            self.feed(node, Input::Request(demand));
        }
    }

    fn think(&mut self, node: NodeId) {
        if let Some(after) = self.setup.workload.think.draw(&mut self.thoughts) {
            self.queue.push(self.now() + after, Plan::Request { node });
        }
    }

    fn entry(&self, node: NodeId) -> u32 {
        self.watch.books.meter.entries_by_node[node.index()]
    }

    /// Hands a node its input and does what it says.
    fn feed(&mut self, node: NodeId, input: Input<'_>) {
        let now = self.now();
        let machine = &mut self.nodes[node.index()];
        let result = machine.handle(now, input, &mut self.out, &mut self.watch);
        self.follow_up(node, result);
    }

    fn follow_up(&mut self, node: NodeId, result: Result<bool, ProtocolError>) {
        self.events += 1;
        if let Err(error) = result {
            self.watch.books.safety.report(Violation::from(&error));
        }
        let now = self.now();
        for (frame, bytes) in self.out.frames() {
            let id = frame.id.map_or(0, |id| id.0);
            self.medium.enqueue(now, node, frame.to, id, bytes);
        }
        for &happening in &self.out.happenings {
            if let Happening::Enter(_) = happening
                && let Some(stay) = self.setup.workload.stay.draw(&mut self.thoughts)
            {
                let entry = self.watch.books.meter.entries_by_node[node.index()];
                self.queue.push(now + stay, Plan::Release { node, entry });
            }
        }
        self.out.clear();
        let due = self.nodes[node.index()].due().max(now);
        let planned = &mut self.planned[node.index()];
        if due < *planned {
            *planned = due;
            self.queue.push(due, Plan::Wake { node });
        }
    }

    fn plan_turn(&mut self, node: NodeId) {
        if let Some(at) = self.motion.next_turn(node) {
            self.queue.push(at, Plan::Turn { node });
        }
    }

    fn turn(&mut self, node: NodeId) {
        let now = self.now();
        self.motion.turn(node, now, &mut self.turns);
        let moving = self.motion.is_moving(node);
        self.feed(node, Input::Motion { moving });
        self.plan_turn(node);
    }

    fn plan_accident(&mut self, plan: Plan, rate: f64) {
        if rate > 0.0 {
            let after = self.accidents.exponential(1.0 / rate);
            self.queue.push(self.now() + span(after), plan);
        }
    }

    fn accident(&mut self, plan: Plan) {
        let faults = self.setup.faults;
        match plan {
            Plan::BlackoutEnds { from, to } => self.medium.unblock(from, to),
            Plan::WallFalls => {
                self.medium.set_sides(None);
                self.plan_accident(Plan::Wall, faults.walls);
            }
            _ if self.healed => {}
            Plan::Wall => {
                let random = &mut self.accidents;
                let sides = (0..self.setup.nodes).map(|_| random.chance(0.5)).collect();
                self.medium.set_sides(Some(sides));
                let after = span(random.exponential(faults.wall_time));
                self.queue.push(self.now() + after, Plan::WallFalls);
            }
            Plan::Blackout if self.setup.nodes > 1 => {
                let n = self.setup.nodes;
                let a = self.accidents.below(n);
                let b = (a + 1 + self.accidents.below(n - 1)) % n;
                let (a, b) = (NodeId::from_index(a), NodeId::from_index(b));
                let until = self.now() + span(self.accidents.exponential(faults.blackout_time));
                let both = self.accidents.chance(0.5);
                for (from, to) in [(a, b), (b, a)].into_iter().take(1 + usize::from(both)) {
                    self.medium.block(from, to);
                    self.queue.push(until, Plan::BlackoutEnds { from, to });
                }
                self.plan_accident(Plan::Blackout, faults.blackouts);
            }
            _ => {}
        }
    }

    /// Faults and requests stop, and all nodes gather.
    fn heal(&mut self) {
        self.healed = true;
        self.medium.set_sides(None);
        let now = self.now();
        let speed = (self.setup.side / 10.0).max(5.0);
        for (i, home) in self.setup.homes().into_iter().enumerate() {
            let node = NodeId::from_index(i);
            self.motion.go_to(node, now, home, speed);
            self.feed(node, Input::Motion { moving: true });
            self.plan_turn(node);
        }
    }

    fn report(&mut self) -> RadioReport {
        let waiting = |node: &&Node<P>| matches!(node.app(), App::Waiting(_));
        let unserved = self.nodes.iter().filter(waiting).count() as u64;
        let now = self.now();
        let mut links = std::mem::take(&mut self.watch.links);
        links.finish(now);
        let mut counters = Counters::default();
        for link in self.nodes.iter().filter_map(Node::link) {
            counters.add(link.counters());
        }
        let books = &mut self.watch.books;
        RadioReport {
            violations: books.safety.violation().cloned().into_iter().collect(),
            violation_count: books.safety.count(),
            unserved,
            open_doubts: books.safety.open_doubts() as u64,
            events: self.events,
            end: now,
            nodes: self.setup.nodes,
            trace: books.tracer.take().map_or(Ok(()), Tracer::finish),
            meter: std::mem::take(&mut books.meter),
            links,
            counters,
            medium: self.medium.counters(),
        }
    }
}

impl RadioReport {
    /// The share of a node's time in which it hears hellos, its own included.
    pub fn hello_airtime(&self) -> f64 {
        let medium::Counters {
            broadcast_time,
            broadcasts,
            ..
        } = self.medium;
        let each = broadcast_time as f64 / broadcasts as f64;
        let heard = (self.counters.hellos_heard + self.counters.hellos) as f64;
        heard * each / (self.end.0 as f64 * self.nodes as f64)
    }

    /// The mean number of neighbours with which a node has a link.
    pub fn mean_degree(&self) -> f64 {
        let LinkMeter { both_up, .. } = self.links;
        2.0 * both_up as f64 / (self.end.0 as f64 * self.nodes as f64)
    }
}
