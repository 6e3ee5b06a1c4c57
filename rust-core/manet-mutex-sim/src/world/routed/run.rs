//! A run over routing.

use super::routes::Routes;
use super::watch::Watch;
use super::{RoutedError, RoutedReport, RoutedSetup};
use crate::check::{Invariants, Safety, Violation};
use crate::network::App;
use crate::random::Random;
use crate::world::meter::Meter;
use crate::world::queue::Queue;
use crate::world::trace::Tracer;
use crate::world::workload::Workload;
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::ProtocolError;
use manet_mutex::node::{Happening, Input, NEVER, Node, Outputs};
use manet_mutex::protocol::{FOUNDER, Population};
use manet_mutex::time::{Time, span};
use manet_mutex::transport::{self, Counters};
use manet_mutex::wire::WireMessage;

/// Something that is going to happen.
#[derive(Clone, Copy, Debug)]
enum Plan {
    Arrive { slot: u32 },
    Wake { node: NodeId },
    Request { node: NodeId },
    Scripted { index: u32 },
    Release { node: NodeId },
    Break,
    Mend { from: NodeId, to: NodeId },
    Partition,
    Joined,
    Heal,
}

/// A simulated network of nodes that talk over routing.
#[derive(Debug)]
pub struct RoutedWorld<P: Population>
where
    P::Message: WireMessage,
{
    nodes: Vec<Node<P>>,
    routes: Routes,
    workload: Workload,
    queue: Queue<Plan>,
    /// When each node is going to be woken.
    planned: Vec<Time>,
    watch: Watch<P::Message>,
    accidents: Random,
    thoughts: Random,
    healed: bool,
    deadline: Time,
    events: u64,
    out: Outputs<P::Message>,
}

impl<P: Population + Invariants> RoutedWorld<P>
where
    P::Message: WireMessage,
{
    /// Puts the parts together. Node 0 starts with the token, if there is one.
    ///
    /// # Errors
    /// If a part makes no sense, or the protocol does not talk over routing.
    pub fn new(setup: RoutedSetup, config: &P::Config) -> Result<Self, RoutedError> {
        let count = setup.graph.len();
        let machines = P::settled(&setup.graph, config)?.into_iter();
        let transport = transport::Config {
            nodes: setup.transport.nodes.or(u32::try_from(count).ok()),
            ..setup.transport.clone()
        };
        let nodes = machines.map(|machine| Node::routed(machine, &transport, Time::ZERO));
        let nodes: Vec<Node<P>> = nodes.collect::<Result<_, _>>()?;
        let safety = Safety::new(P::promise(config), count, FOUNDER, []);
        let mut world = Self {
            nodes,
            routes: Routes::new(&setup),
            workload: setup.workload,
            queue: Queue::new(),
            planned: vec![NEVER; count],
            watch: Watch::new(safety, Meter::new(count), count + setup.graph.links()),
            accidents: Random::stream(setup.seed, "faults"),
            thoughts: Random::stream(setup.seed, "workload"),
            healed: false,
            deadline: Time(setup.duration.0.saturating_add(setup.grace.0)),
            events: 0,
            out: Outputs::new(),
        };
        world.plan_start(setup.duration);
        Ok(world)
    }

    /// Writes the run to `tracer`.
    #[must_use]
    pub fn traced(mut self, tracer: Tracer) -> Self {
        self.watch.books.tracer = Some(tracer);
        self
    }

    /// Runs to the end; tells the time and the number of events now and then.
    pub fn run(&mut self, mut progress: impl FnMut(Time, u64)) -> RoutedReport {
        const OFTEN: u64 = 1 << 16;
        while let Some((now, plan)) = self.queue.pop() {
            if now > self.deadline || (self.healed && self.is_finished()) {
                break;
            }
            self.watch.books.advance(now);
            self.happen(plan);
            if self.watch.books.safety.violation().is_some() {
                break;
            }
            if self.events.is_multiple_of(OFTEN) {
                progress(now, self.events);
            }
        }
        self.report()
    }

    /// Nobody waits or is inside, and everything has arrived.
    fn is_finished(&self) -> bool {
        self.watch.books.pending == 0 && self.watch.books.safety.is_settled()
    }

    fn plan_start(&mut self, duration: Time) {
        for i in 0..self.nodes.len() {
            let node = NodeId::from_index(i);
            self.feed(node, Input::Start);
            self.think(node);
        }
        for (index, &(at, ..)) in self.workload.script.iter().enumerate() {
            let index = index as u32;
            self.queue.push(at, Plan::Scripted { index });
        }
        let faults = self.routes.faults;
        self.plan_accident(Plan::Break, faults.breaks);
        self.plan_accident(Plan::Partition, faults.partitions);
        self.queue.push(duration, Plan::Heal);
    }

    fn now(&self) -> Time {
        self.watch.books.now
    }

    fn happen(&mut self, plan: Plan) {
        match plan {
            Plan::Arrive { slot } => {
                let (to, bytes) = self.routes.take(slot);
                self.feed(to, Input::Datagram { bytes: &bytes });
                self.routes.give_back(slot, bytes);
            }
            Plan::Wake { node } => {
                if self.planned[node.index()] == self.now() {
                    self.planned[node.index()] = NEVER;
                    self.feed(node, Input::Wake);
                }
            }
            Plan::Request { node } => {
                let demand = self.workload.draw_demand(&mut self.thoughts);
                self.request(node, demand);
            }
            Plan::Scripted { index } => {
                let (_, node, demand) = self.workload.script[index as usize];
                self.request(node, demand);
            }
            Plan::Release { node } => {
                self.feed(node, Input::Release);
                self.think(node);
            }
            Plan::Heal => {
                self.healed = true;
                self.routes.heal();
            }
            Plan::Mend { from, to } => self.mend(from, to),
            Plan::Break | Plan::Partition | Plan::Joined => self.accident(plan),
        }
    }

    fn request(&mut self, node: NodeId, demand: Demand) {
        if !self.healed && self.nodes[node.index()].app() == App::Idle {
            self.feed(node, Input::Request(demand));
        }
    }

    fn think(&mut self, node: NodeId) {
        if let Some(after) = self.workload.think.draw(&mut self.thoughts) {
            self.queue.push(self.now() + after, Plan::Request { node });
        }
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
        for (from, to, kind) in self.watch.sent.drain(..) {
            let hops = self.routes.hops(from, to);
            self.watch.books.meter.sent(kind, hops.into());
        }
        for (frame, bytes) in self.out.frames() {
            if let Some(to) = frame.to {
                for (at, slot) in self.routes.send(now, node, to, bytes) {
                    self.queue.push(at, Plan::Arrive { slot });
                }
            }
        }
        for &happening in &self.out.happenings {
            if let Happening::Enter(_) = happening
                && let Some(stay) = self.workload.stay.draw(&mut self.thoughts)
            {
                self.queue.push(now + stay, Plan::Release { node });
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

    fn plan_accident(&mut self, plan: Plan, rate: f64) {
        if rate > 0.0 && !self.healed {
            let after = self.accidents.exponential(1.0 / rate);
            self.queue.push(self.now() + span(after), plan);
        }
    }

    fn accident(&mut self, plan: Plan) {
        if self.healed {
            return;
        }
        let (now, faults) = (self.now(), self.routes.faults);
        match plan {
            Plan::Break => {
                let until = now + span(self.accidents.exponential(faults.break_time));
                for (from, to) in self.routes.break_one(&mut self.accidents) {
                    self.queue.push(until, Plan::Mend { from, to });
                }
                self.plan_accident(Plan::Break, faults.breaks);
            }
            Plan::Partition => {
                let random = &mut self.accidents;
                let sides = self.nodes.iter().map(|_| random.chance(0.5)).collect();
                self.routes.part(Some(sides));
                let until = now + span(random.exponential(faults.partition_time));
                self.queue.push(until, Plan::Joined);
            }
            _ => {
                self.routes.part(None);
                self.plan_accident(Plan::Partition, faults.partitions);
            }
        }
    }

    /// A route is there again; perhaps its nodes are told.
    fn mend(&mut self, from: NodeId, to: NodeId) {
        self.routes.mend((from, to));
        if self.accidents.chance(self.routes.faults.hints) {
            self.feed(from, Input::RouteUp { peer: to });
        }
    }

    fn report(&mut self) -> RoutedReport {
        let waiting = |node: &&Node<P>| matches!(node.app(), App::Waiting(_));
        let unserved = self.nodes.iter().filter(waiting).count() as u64;
        let mut counters = Counters::default();
        for transport in self.nodes.iter().filter_map(Node::transport) {
            counters.add(transport.counters());
        }
        let end = self.now();
        let books = &mut self.watch.books;
        RoutedReport {
            violations: books.safety.violation().cloned().into_iter().collect(),
            violation_count: books.safety.count(),
            unserved,
            unreachable: self.watch.unreachable,
            events: self.events,
            end,
            trace: books.tracer.take().map_or(Ok(()), Tracer::finish),
            meter: std::mem::take(&mut books.meter),
            counters,
        }
    }
}
