//! The world: a deterministic simulator that carries messages over ideal links, changes the
//! network, and breaks what the fault plan tells it to.
//!
//! A [`Setup`] is put together from small parts: a [`topology`], [`mobility`], a [`delay`] model,
//! a [`workload`] and a [`faults::FaultPlan`]; everything random in it comes from one seed.
//! [`World::run`] has three phases. Until `duration` applications request, nodes move and faults
//! happen; then the network is healed, and for a time of `calm` (none by default) applications go on
//! requesting, and nobody may starve; then nobody requests any more, and everything pending has to
//! be served, save what waits near a crash ([`crate::check::held_up`]).
//! [`World::scripted`] takes link events and requests from a recorded run instead ([`script`]).
//!
//! ```
//! use manet_mutex::protocol::rl::Rl;
//! use manet_mutex_sim::world::{Setup, World};
//! use manet_mutex::graph::Graph;
//! use manet_mutex::Time;
//!
//! let setup = Setup { duration: Time::from_secs(100.0), ..Setup::new(Graph::ring(5), 1) };
//! let report = World::<Rl>::new(setup, &Default::default())?.run();
//! assert!(report.violations.is_empty() && report.unserved == 0);
//! assert!(report.meter.entries() > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod books;
pub mod delay;
pub mod faults;
mod follow;
mod host;
mod links;
pub mod meter;
pub mod mobility;
pub mod queue;
pub mod radio;
pub mod routed;
pub mod script;
pub mod settled;
pub mod topology;
pub mod torture;
pub mod trace;
pub mod workload;

use crate::check::{
    Check, Invariants, Promise, Safety, Scope, Turns, Violation, held_up, is_quiet,
};
use crate::network::{App, Lane, Network, Step, StepError};
use crate::random::Random;
use books::Books;
use delay::Delay;
use faults::FaultPlan;
use host::{Host, Plan};
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Message, Reach};
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex::time::Time;
use meter::Meter;
use mobility::Mobility;
use queue::Queue;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use trace::Tracer;
use workload::Workload;

/// The property of a run in which nobody is overtaken for ever once motion has stopped.
pub const STARVATION: &str = Check::Starvation.property();

/// The property of a run in which time goes on: not more than [`MOST_AT_ONCE`] events happen at one
/// instant for each node and link, and for 1000 more. A run in which nothing takes any time would
/// never end.
pub const STANDSTILL: &str = Check::Standstill.property();

/// See [`STANDSTILL`].
pub const MOST_AT_ONCE: u64 = 1000;

/// Everything that makes up a run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Links at the start; connected.
    pub graph: Graph,
    /// How the network changes.
    pub mobility: Mobility,
    /// How long a message takes over a link.
    pub delay: Delay,
    /// What the applications do.
    pub workload: Workload,
    /// What goes wrong.
    pub faults: FaultPlan,
    /// Nodes that crash at a certain moment, besides those that [`FaultPlan::crashes`] draws.
    pub doomed: Vec<Doom>,
    /// How long applications request and faults happen.
    pub duration: Time,
    /// How long applications go on requesting once motion and faults have stopped. Whoever waits
    /// all that time starves.
    pub calm: Time,
    /// How long after that everything pending may take to be served.
    pub grace: Time,
    /// Random seed.
    pub seed: u64,
    /// Look into all states after every so many events (0: never). Slow; for small networks.
    pub monitor_every: u64,
    /// Keep all steps, to replay them.
    pub record: bool,
}

impl Setup {
    /// A quiet network: no motion, no faults, one time unit for a message.
    pub fn new(graph: Graph, seed: u64) -> Self {
        let grace = Time::from_secs(1000.0 + 50.0 * graph.len() as f64);
        Self {
            graph,
            mobility: Mobility::Still,
            delay: Delay::UNIT,
            workload: Workload::default(),
            faults: FaultPlan::default(),
            doomed: Vec::new(),
            duration: Time::from_secs(1000.0),
            calm: Time::ZERO,
            grace,
            seed,
            monitor_every: 0,
            record: false,
        }
    }
}

impl Setup {
    /// When a run is over at the latest.
    fn end(&self) -> Time {
        let phases = [self.calm.0, self.grace.0].into_iter();
        Time(phases.fold(self.duration.0, u64::saturating_add))
    }
}

/// A node that is going to crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doom {
    /// When, at the earliest.
    pub at: Time,
    /// Who.
    pub node: NodeId,
    /// Only while it is inside.
    pub inside: bool,
}

/// What came of a run.
#[derive(Debug)]
pub struct Report {
    /// What was measured.
    pub meter: Meter,
    /// The first promise broken, if any.
    pub violations: Vec<Violation>,
    /// How often a promise was broken.
    pub violation_count: u64,
    /// Requests that were still waiting at the end, save those that a crash may hold up.
    pub unserved: u64,
    /// All that were still waiting at the end, by node; those that have crashed left out.
    pub waiting: Vec<NodeId>,
    /// Things that happened.
    pub events: u64,
    /// When the run ended.
    pub end: Time,
    /// All steps, if they were recorded.
    pub steps: Vec<Step>,
    /// What became of the trace, if there was one.
    pub trace: std::io::Result<()>,
}

impl Report {
    /// Whether every promise was kept and everything was served.
    pub const fn is_clean(&self) -> bool {
        self.violation_count == 0 && self.unserved == 0
    }
}

/// A simulated network of machines.
#[derive(Debug)]
pub struct World<P: Population> {
    network: Network<P>,
    host: Host,
    mobility: Mobility,
    faults: FaultPlan,
    doomed: Vec<Doom>,
    /// Links that mobility has made but a partition or a flap hides.
    hidden: BTreeSet<(NodeId, NodeId)>,
    /// During a partition, each node's side.
    sides: Option<Vec<bool>>,
    flapped: BTreeSet<(NodeId, NodeId)>,
    healed: bool,
    /// Nobody requests any more.
    closed: bool,
    /// Only neighbours are excluded, and crashed nodes keep their links.
    local: bool,
    calm: Time,
    deadline: Time,
    moves: Random,
    accidents: Random,
    monitor_every: u64,
    turns: Turns,
    events: u64,
    record: Option<Vec<Step>>,
    /// What happens from outside, if a script says so.
    script: Vec<Step>,
}

impl<P: Population + Invariants> World<P> {
    /// Puts the parts together.
    ///
    /// # Errors
    /// If the start graph is empty or not connected.
    pub fn new(setup: Setup, config: &P::Config) -> Result<Self, PopulationError> {
        let nodes = P::settled(&setup.graph, config)?;
        Ok(Self::of(nodes, P::promise(config), setup))
    }

    /// A world of machines that were made elsewhere; node 0 owns the token. For
    /// [`manet_mutex::machine::Reach::Neighbours`] they must know the links of the start graph.
    pub fn of(nodes: Vec<P>, promise: Promise, setup: Setup) -> Self {
        let duration = setup.duration;
        let mut world = Self::put_together(nodes, promise, setup);
        world.start_nodes();
        world.plan_start(duration);
        world
    }

    fn put_together(nodes: Vec<P>, promise: Promise, setup: Setup) -> Self {
        let (count, deadline) = (nodes.len(), setup.end());
        let network = Network::new(nodes, &setup.graph);
        let safety = Safety::new(promise, count, NodeId(0), setup.graph.pairs());
        let host = Host {
            books: Books::new(safety, Meter::new(count), count + setup.graph.links()),
            queue: Queue::new(),
            steady: match (setup.delay, P::REACH) {
                (Delay::Fixed(delay), Reach::Neighbours) => Some((Time::ZERO + delay).0),
                _ => None,
            },
            delay: setup.delay,
            workload: setup.workload,
            reach: P::REACH,
            pairs: Vec::new(),
            due: Vec::new(),
            held: BTreeMap::new(),
            deadlines: HashMap::new(),
            delays: Random::stream(setup.seed, "delay"),
            thoughts: Random::stream(setup.seed, "workload"),
            graph: setup.graph,
        };
        Self {
            network,
            host,
            mobility: setup.mobility,
            faults: setup.faults,
            doomed: setup.doomed,
            hidden: BTreeSet::new(),
            sides: None,
            flapped: BTreeSet::new(),
            healed: false,
            closed: false,
            local: promise.scope == Scope::Neighbours,
            calm: setup.calm,
            deadline,
            moves: Random::stream(setup.seed, "mobility"),
            accidents: Random::stream(setup.seed, "faults"),
            monitor_every: setup.monitor_every,
            turns: Turns::default(),
            events: 0,
            record: setup.record.then(Vec::new),
            script: Vec::new(),
        }
    }

    /// Writes the run to `tracer`.
    #[must_use]
    pub fn traced(mut self, tracer: Tracer) -> Self {
        self.host.books.tracer = Some(tracer);
        self
    }

    /// How many things are going to happen, as far as known now.
    pub fn pending(&self) -> usize {
        self.host.queue.len()
    }

    /// Runs to the end.
    pub fn run(&mut self) -> Report {
        self.run_watched(|_, _| {})
    }

    /// Runs to the end; tells the time and the number of events now and then.
    pub fn run_watched(&mut self, mut progress: impl FnMut(Time, u64)) -> Report {
        const OFTEN: u64 = 1 << 16;
        while let Some((time, plan)) = self.host.queue.pop() {
            if time > self.deadline || (self.closed && self.is_finished()) {
                break;
            }
            self.host.books.advance(time);
            self.events += 1;
            // Most of what happens are messages that arrive: these take the short way.
            let happened = match plan {
                Plan::Receive { pair, end, epoch } => self.receive(Lane { pair, end }, epoch),
                _ => self.happen(plan),
            };
            if let Err(error) = happened {
                self.host.books.safety.report(Violation::from(&error));
            }
            if self.monitor_every > 0 && self.events.is_multiple_of(self.monitor_every) {
                self.look_inside();
            }
            if self.host.books.safety.violation().is_some() {
                break;
            }
            if self.events.is_multiple_of(OFTEN) {
                progress(time, self.events);
            }
        }
        self.report()
    }

    /// Nobody waits, and whatever was under way has arrived.
    fn is_finished(&self) -> bool {
        self.host.books.pending == 0 && self.monitor_every == 0
    }

    fn start_nodes(&mut self) {
        let nodes: Vec<NodeId> = self.host.graph.nodes().collect();
        for node in nodes {
            if let Err(error) = self.network.start(node, &mut self.host) {
                self.host.books.safety.report(Violation::from(&error));
            }
            self.host.think(node);
        }
    }

    fn plan_start(&mut self, duration: Time) {
        for index in 0..self.host.workload.script.len() {
            let at = self.host.workload.script[index].0;
            self.host.queue.push(
                at,
                Plan::Scripted {
                    index: index as u32,
                },
            );
        }
        for (index, doom) in (0..).zip(&self.doomed) {
            self.host.queue.push(doom.at, Plan::Doom { index });
        }
        self.plan_accidents(duration);
        self.host.queue.push(duration, Plan::Heal);
    }

    #[inline(never)]
    fn happen(&mut self, plan: Plan) -> Result<(), StepError> {
        match plan {
            Plan::Route { pair, end } => {
                self.route_again(Lane { pair, end });
                Ok(())
            }
            Plan::Request { node } => {
                let demand = self.host.workload.draw_demand(&mut self.host.thoughts);
                self.request(node, demand)
            }
            Plan::Scripted { index } => {
                let (_, node, demand) = self.host.workload.script[index as usize];
                self.request(node, demand)
            }
            Plan::Input { index, waits } => self.input(index, waits),
            Plan::Release { node, entry } => {
                let same = self.host.entry(node) == entry;
                let inside = matches!(self.network.app(node), App::Inside(_));
                if !same || !inside || self.network.crashed(node) {
                    return Ok(());
                }
                self.keep(Step::Release(node));
                self.network.release(node, &mut self.host)
            }
            Plan::Timer { node, id } => {
                let due = self.host.deadlines.get(&(node, id)) == Some(&self.host.books.now);
                if !due || !self.network.armed(node, id) {
                    return Ok(());
                }
                self.host.deadlines.remove(&(node, id));
                self.keep(Step::Timer(node, id));
                self.network.timer(node, id, &mut self.host)
            }
            _ => self.links_happen(plan),
        }
    }

    /// A message that found no route tries again; found, it is charged like any other, under the
    /// name of the oldest that waits there.
    fn route_again(&mut self, lane: Lane) {
        let from = usize::from(lane.end);
        let (ends, pair) = self.network.pair(lane.pair);
        let kind = pair.undelivered(from).next().map(Message::kind);
        let hops = self.host.route(ends[from], ends[1 - from], lane);
        if let Some(kind) = kind {
            self.host.books.meter.sent(kind, hops);
        }
    }

    #[inline(always)]
    fn receive(&mut self, lane: Lane, epoch: u16) -> Result<(), StepError> {
        let info = self.host.known(lane.pair);
        if info.epoch != epoch || (info.cut | info.early) & (1 << lane.end) != 0 {
            self.host.miss(lane, epoch);
            return Ok(());
        }
        if self.record.is_some() && self.network.can_receive(lane) {
            let from = usize::from(lane.end);
            let (ends, _) = self.network.pair(lane.pair);
            let (from, to) = (ends[from], ends[1 - from]);
            self.keep(Step::Receive { from, to });
        }
        self.network.receive(lane, &mut self.host)
    }

    fn request(&mut self, node: NodeId, demand: manet_mutex::Demand) -> Result<(), StepError> {
        let idle = self.network.app(node) == App::Idle && !self.network.crashed(node);
        if self.closed || !idle {
            return Ok(());
        }
        self.keep(Step::Request(node, demand));
        self.network.request(node, demand, &mut self.host)
    }

    fn keep(&mut self, step: Step) {
        if let Some(steps) = &mut self.record {
            steps.push(step);
        }
    }

    fn look_inside(&mut self) {
        let audit = self.host.books.safety.ledger.audit(&self.network);
        let states = audit.and_then(|()| P::always(&self.network));
        let checked = match self.monitor_every {
            1 => states.and_then(|()| self.turns.look(&self.network)),
            _ => states, // turns cannot be told from a part of the steps
        };
        if let Err(violation) = checked {
            self.host.books.safety.report(violation);
        }
    }

    /// Motion and faults have stopped: from now on everybody gets its turn.
    fn calm_begins(&mut self) {
        if self.calm == Time::ZERO {
            self.closed = true;
            return;
        }
        let end = Time(self.host.books.now.0.saturating_add(self.calm.0));
        self.host.queue.push(end, Plan::Close);
    }

    /// Nobody requests any more. Whoever has waited since motion stopped was overtaken all the time.
    fn close_up(&mut self) {
        self.closed = true;
        let since = Time(self.host.books.now.0 - self.calm.0);
        let held = held_up(&self.network);
        let meter = &self.host.books.meter;
        let starved = |&node: &NodeId| !held[node.index()] && meter.waits_since(node) <= since;
        if let Some(node) = self.network.waiting().find(starved) {
            let detail =
                format!("{node:?} has waited since {since}, when motion and faults stopped");
            self.host
                .books
                .safety
                .report(Violation::new(Check::Starvation, detail));
        }
    }

    /// Those who wait though no crash is near enough to excuse that.
    fn unserved(&self) -> u64 {
        let held = held_up(&self.network);
        let waiting = self.network.waiting();
        waiting.filter(|node| !held[node.index()]).count() as u64
    }

    fn report(&mut self) -> Report {
        let unserved = self.unserved();
        let clean = self.host.books.safety.violation().is_none();
        if clean && self.monitor_every > 0 {
            self.look_inside();
            if unserved == 0
                && is_quiet(&self.network)
                && let Err(violation) = P::when_quiet(&self.network)
            {
                self.host.books.safety.report(violation);
            }
        }
        Report {
            violations: self
                .host
                .books
                .safety
                .violation()
                .cloned()
                .into_iter()
                .collect(),
            violation_count: self.host.books.safety.count(),
            unserved,
            waiting: self.network.waiting().collect(),
            events: self.events,
            end: self.host.books.now,
            steps: self.record.take().unwrap_or_default(),
            trace: self.host.books.tracer.take().map_or(Ok(()), Tracer::finish),
            meter: std::mem::take(&mut self.host.books.meter),
        }
    }
}
