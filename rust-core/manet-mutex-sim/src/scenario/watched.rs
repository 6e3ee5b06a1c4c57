//! A network with all its checkers.

use super::setup::Setup;
use crate::check::{Check, Invariants, Safety, Scope, Turns, Violation, held_up, is_quiet};
use crate::network::{App, EndState, Network, Observer, Step, StepError};
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Protocol, ProtocolError, Reach, TimerId};
use manet_mutex::protocol::{Population, PopulationError};

/// The property of a network in which nobody waits for ever. No step violates it, so it is
/// looked for after the last one.
pub const PROGRESS: &str = Check::Progress.property();

/// Deliveries for each node after which a network that nobody has entered is taken to be stuck.
const PATIENCE: usize = 1_000;
/// How often all timers run out before that.
const ROUNDS: usize = 20;

/// A network in which every step is checked.
#[derive(Clone, Debug)]
pub(crate) struct Watched<P: Population + Invariants> {
    network: Network<P>,
    safety: Safety,
    turns: Turns,
    /// Only neighbours are excluded.
    local: bool,
}

impl<P: Population + Invariants> Watched<P> {
    /// The initial configuration; the nodes have been started.
    pub(crate) fn new(setup: &Setup, config: &P::Config) -> Result<Self, PopulationError> {
        let graph = &setup.graph;
        let network = Network::new(P::settled(graph, config)?, graph);
        let promise = P::promise(config);
        let safety = Safety::new(promise, graph.len(), NodeId(0), graph.pairs());
        let turns = Turns::default();
        Ok(Self {
            network,
            safety,
            turns,
            local: promise.scope == Scope::Neighbours,
        })
    }

    /// The network.
    pub(crate) const fn network(&self) -> &Network<P> {
        &self.network
    }

    /// The node that owns the token.
    pub(crate) fn holder(&self) -> Option<NodeId> {
        self.safety.ledger.holder()
    }

    /// Starts all nodes.
    pub(crate) fn start(&mut self, watch: &mut impl Observer<P::Message>) -> Vec<Violation> {
        let mut found = Vec::new();
        for node in self.ids() {
            let started = self
                .network
                .start(node, &mut (&mut self.safety, &mut *watch));
            found.extend(started.err().as_ref().map(Violation::from));
        }
        self.inspect(&mut found);
        found
    }

    /// Takes a step; says which promises it broke.
    ///
    /// # Errors
    /// If the step cannot happen or the demand has no meaning: nothing has changed then.
    pub(crate) fn step(
        &mut self,
        step: Step,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<Vec<Violation>, StepError> {
        let mut found = Vec::new();
        match self.network.step(step, &mut (&mut self.safety, watch)) {
            Ok(()) => {}
            Err(
                error @ (StepError::NotEnabled(..)
                | StepError::Protocol(ProtocolError::Refused { .. })),
            ) => return Err(error),
            Err(error) => found.push(Violation::from(&error)),
        }
        self.inspect(&mut found);
        Ok(found)
    }

    /// The deliveries that can happen now, by sender and receiver.
    pub(crate) fn deliveries(&self) -> Vec<(NodeId, NodeId)> {
        deliveries(&self.network)
    }

    /// Nodes inside.
    pub(crate) fn inside(&self) -> impl Iterator<Item = NodeId> + '_ {
        let inside = |node: &NodeId| matches!(self.network.app(*node), App::Inside(_));
        self.ids().filter(inside)
    }

    /// What does not hold although nothing is under way; `None` if something is.
    pub(crate) fn when_quiet(&self) -> Option<Result<(), Violation>> {
        is_quiet(&self.network).then(|| P::when_quiet(&self.network))
    }

    /// Whether somebody waits for ever though the network is in one piece: everything under way
    /// arrives and all timers run out, again and again, and nobody of those who wait enters. Where
    /// only neighbours are excluded the network may be in pieces, and those too near to a crash do
    /// not count; otherwise a crash may have taken the token along.
    pub(crate) fn stuck(&self) -> Option<Violation> {
        let crashed = self.ids().any(|node| self.network.crashed(node));
        let whole = if self.local {
            self.is_agreed()
        } else {
            !crashed && self.is_connected()
        };
        let held = held_up(&self.network);
        let waits = self.network.waiting().any(|node| !held[node.index()]);
        let inside = |node: &NodeId| !self.network.crashed(*node);
        if !waits || !whole || self.inside().any(|node| inside(&node)) || self.can_enter(&held) {
            return None;
        }
        let detail = "deadlock: a node waits, all messages delivered";
        Some(Violation::new(Check::Progress, detail))
    }

    fn can_enter(&self, held: &[bool]) -> bool {
        let mut later = self.network.clone();
        let mut patience = PATIENCE.saturating_mul(self.network.nodes().len());
        for _ in 0..ROUNDS {
            let mut ways = deliveries(&later);
            let timers = self.ids().flat_map(timers_of);
            let timers: Vec<_> = timers.filter(|&(n, id)| later.armed(n, id)).collect();
            if ways.is_empty() && timers.is_empty() {
                return false;
            }
            while !ways.is_empty() && patience > 0 {
                for (from, to) in ways {
                    let _ = later.step(Step::Receive { from, to }, &mut ()); // checked elsewhere
                    patience = patience.saturating_sub(1);
                    if matches!(later.app(to), App::Inside(_)) {
                        if !held[to.index()] {
                            return true;
                        }
                        let _ = later.step(Step::Release(to), &mut ());
                    }
                }
                ways = deliveries(&later);
            }
            for (node, id) in timers {
                let _ = later.step(Step::Timer(node, id), &mut ());
            }
        }
        false
    }

    /// Everything that is wrong after a step.
    fn inspect(&mut self, found: &mut Vec<Violation>) {
        found.extend(self.safety.take_violation());
        found.extend(self.safety.ledger.audit(&self.network).err());
        found.extend(P::always(&self.network).err());
        found.extend(self.turns.look(&self.network).err());
    }

    fn ids(&self) -> impl Iterator<Item = NodeId> + use<P> {
        (0..self.network.nodes().len()).map(NodeId::from_index)
    }

    /// Whether no link is half up and nothing is in doubt.
    fn is_agreed(&self) -> bool {
        self.network.pairs().all(|(_, pair)| {
            let same = pair.end(0) == pair.end(1) && pair.end(0) != EndState::Pending;
            same && !pair.in_doubt(0) && !pair.in_doubt(1)
        })
    }

    /// Whether besides the links join all nodes.
    fn is_connected(&self) -> bool {
        if P::REACH == Reach::Anyone {
            return true;
        }
        let mut graph = Graph::empty(self.network.nodes().len());
        for ([a, b], pair) in self.network.pairs() {
            if pair.end(0) == EndState::Up {
                graph.add(a, b);
            }
        }
        self.is_agreed() && graph.is_connected()
    }
}

fn deliveries<P: Protocol>(network: &Network<P>) -> Vec<(NodeId, NodeId)> {
    let mut ways = Vec::new();
    for ([a, b], _) in network.pairs() {
        for (from, to) in [(a, b), (b, a)] {
            let lane = network.lane(from, to);
            if lane.is_some_and(|lane| network.can_receive(lane)) {
                ways.push((from, to));
            }
        }
    }
    ways.sort_unstable();
    ways
}

fn timers_of(node: NodeId) -> impl Iterator<Item = (NodeId, TimerId)> {
    (0..TimerId::LIMIT).map(move |id| (node, TimerId(id)))
}
