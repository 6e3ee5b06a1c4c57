//! The states of a small network and how one follows from another.

use super::moves::Move;
use super::seen::{Seen, Sometimes, Watch};
use crate::check::{
    Custody, Invariants, Promise, Safety, Scope, Turns, Violation, held_up, is_settled,
};
use crate::network::{App, EndState, Mishap, Network, Pair, Step, StepError};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Class, Message, Protocol, ProtocolError, Reach};
use manet_mutex::protocol::{Population, PopulationError};

/// Everything that can happen in a small network: the machines, the link layer and the
/// applications, each free to move whenever it can.
#[derive(Clone, Debug)]
pub struct Model<P: Protocol> {
    pub(super) settings: Settings,
    promise: Promise,
    start: State<P>,
}

/// What may happen to the machines.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Who may ask for the critical section.
    pub requests: Requests,
    /// How many link changes there may be; a link coming up is one, a link going down is one.
    /// Any two nodes may get a link.
    pub changes: u8,
    /// Whether the two ends of a link learn of a change at different times. Without it they
    /// learn at once, as the papers assume.
    pub skew: bool,
    /// What may be under way on a link when it goes down.
    pub in_transit: InTransit,
    /// Whether link changes may cut the network in two. Without it they never do, as the papers
    /// assume; a link that has begun to form counts as a link.
    pub partition: bool,
    /// How many [`RETRY`](manet_mutex::protocol::reversal::RETRY) timers may run out in all while something is still under way or where
    /// the token cannot be reached. Otherwise they run out as often as needed.
    pub retries: u8,
    /// How many nodes may fall silent; only where neighbours alone are excluded, since otherwise
    /// the token goes with them. What such a node knows of links stays as it is.
    pub crashes: u8,
    /// Who moves, as a bit set: of a link that comes up, the end that does is told so. If both do
    /// or neither, the larger id is.
    pub movers: u16,
    /// What routing does to messages, for protocols that talk over it.
    pub routing: Routing,
}

/// What routing does to messages. Protocols over routing expect exactly once, in any order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// Messages may overtake each other.
    pub unordered: bool,
    /// How many messages may be lost in all.
    pub losses: u8,
    /// How many messages may come twice in all.
    pub doubles: u8,
}

/// What may be under way on a link when it begins to go down. With [`Settings::skew`] the other
/// end may go on sending for a while; the ownership messages among that come back to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum InTransit {
    /// Nothing, as [RL 3] assumes.
    #[default]
    None,
    /// Plain messages, which are lost.
    Plain,
    /// Also ownership messages, which are returned at once.
    Returned,
    /// The sender of an ownership message may also be in doubt about it, until it is resolved.
    Doubt,
}

/// Who may ask, for what, and how often in all.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    /// For each node what it asks for, in this order.
    wishes: Vec<Vec<Demand>>,
    total: usize,
}

impl Requests {
    /// `total` requests in all. Any node may make them, but none makes more than its share,
    /// rounded up: three requests on three nodes are one by each, two are by any two of them.
    pub fn any(nodes: usize, total: usize) -> Self {
        let share = total.div_ceil(nodes.max(1));
        Self {
            wishes: vec![vec![Demand::Exclusive; share]; nodes],
            total,
        }
    }

    /// Exactly these, those of one node in this order.
    pub fn by(list: impl IntoIterator<Item = (NodeId, Demand)>) -> Self {
        let mut requests = Self::default();
        for (node, demand) in list {
            if requests.wishes.len() <= node.index() {
                requests.wishes.resize(node.index() + 1, Vec::new());
            }
            requests.wishes[node.index()].push(demand);
            requests.total += 1;
        }
        requests
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.wishes.len())
            .filter(|&i| !self.wishes[i].is_empty())
            .map(NodeId::from_index)
    }
}

/// Why there is no such model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The machines have no initial configuration.
    #[error(transparent)]
    Population(#[from] PopulationError),
    /// Link changes for a protocol that does not hear of links.
    #[error("{0} talks over routing and hears of no link: use 0 link changes")]
    NoLinkEvents(&'static str),
    /// Disorder for a protocol whose links have none.
    #[error("{0} talks to neighbours, over links that keep order: leave routing out")]
    NoRouting(&'static str),
    /// Crashes for a protocol that does not survive them.
    #[error("{0} has a token that a crash may take along: use 0 crashes")]
    NoCrashes(&'static str),
    /// A request by a node that does not exist.
    #[error("node {node} cannot request: nodes are 0 to {last}")]
    NoSuchNode {
        /// The node asked for.
        node: NodeId,
        /// The largest id.
        last: usize,
    },
    /// A request that the protocol does not serve.
    #[error(transparent)]
    Refused(#[from] ProtocolError),
    /// Too large to be explored in any case.
    #[error("{0} nodes cannot be explored: use at most {MOST_NODES}")]
    TooManyNodes(usize),
}

/// Sets of nodes are kept in one machine word.
const MOST_NODES: usize = 16;

/// A global state: the network, what the checkers know, and what may still happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<P: Protocol> {
    network: Network<P>,
    safety: Safety,
    turns: Turns,
    /// Requests made by each node.
    pub(super) asked: Vec<u8>,
    pub(super) changes: u8,
    pub(super) retries: u8,
    pub(super) losses: u8,
    pub(super) doubles: u8,
    pub(super) crashes: u8,
}

impl<P: Protocol> State<P> {
    /// The machines and links.
    pub const fn network(&self) -> &Network<P> {
        &self.network
    }

    /// What is wrong with this state. Nothing follows such a state.
    pub const fn violation(&self) -> Option<&Violation> {
        self.safety.violation()
    }

    /// Who has the token, unless it is under way.
    pub fn holder(&self) -> Option<NodeId> {
        self.safety.ledger.holder()
    }

    /// The nodes connected with the token over links that are up at both ends, as a bit set; all
    /// if there is no token or it needs no links, none while it is under way.
    pub(super) fn within_reach(&self, promise: Promise) -> u16 {
        if promise.custody == Custody::Nothing || P::REACH == Reach::Anyone {
            return u16::MAX;
        }
        let up = |pair: &Pair<P::Message>| [pair.end(0), pair.end(1)] == [EndState::Up; 2];
        self.holder()
            .map_or(0, |holder| component(&self.network, holder, up))
    }
}

/// The nodes connected with `from` over pairs that are `joined`, as a bit set.
pub(super) fn component<P: Protocol>(
    network: &Network<P>,
    from: NodeId,
    joined: impl Fn(&Pair<P::Message>) -> bool,
) -> u16 {
    let mut reached = 1 << from.index();
    loop {
        let before = reached;
        for ([a, b], pair) in network.pairs() {
            let ends = 1 << a.index() | 1 << b.index();
            if reached & ends != 0 && joined(pair) {
                reached |= ends;
            }
        }
        if reached == before {
            return reached;
        }
    }
}

impl<P: Population + Invariants> Model<P> {
    /// Machines in the initial configuration of `graph`, about to start.
    ///
    /// # Errors
    /// If the graph has no initial configuration or the settings do not fit it.
    pub fn new(graph: &Graph, config: &P::Config, settings: Settings) -> Result<Self, ModelError> {
        let nodes = graph.len();
        if nodes > MOST_NODES {
            return Err(ModelError::TooManyNodes(nodes));
        }
        let machines = P::settled(graph, config)?;
        if P::REACH == Reach::Anyone && settings.changes > 0 {
            return Err(ModelError::NoLinkEvents(P::NAME));
        }
        if P::REACH == Reach::Neighbours && settings.routing != Routing::default() {
            return Err(ModelError::NoRouting(P::NAME));
        }
        let promise = P::promise(config);
        if promise.scope != Scope::Neighbours && settings.crashes > 0 {
            return Err(ModelError::NoCrashes(P::NAME));
        }
        let last = nodes.saturating_sub(1);
        if let Some(node) = settings.requests.nodes().find(|node| node.index() > last) {
            return Err(ModelError::NoSuchNode { node, last });
        }
        let mut network = Network::new(machines, graph);
        // All pairs in one order, so that their numbers do not depend on who met first.
        for (a, b) in Graph::complete(nodes).pairs() {
            network.ensure_pair(a, b);
        }
        let start = State {
            network,
            safety: Safety::new(promise, nodes, NodeId(0), graph.pairs()),
            turns: Turns::default(),
            asked: vec![0; nodes],
            changes: settings.changes,
            retries: settings.retries,
            losses: settings.routing.losses,
            doubles: settings.routing.doubles,
            crashes: settings.crashes,
        };
        let mut model = Self {
            settings,
            promise,
            start,
        };
        model.start = model.started();
        model.check_demands()?;
        Ok(model)
    }

    fn check_demands(&self) -> Result<(), ModelError> {
        for node in self.settings.requests.nodes() {
            for &demand in &self.settings.requests.wishes[node.index()] {
                let asked = self.start.network.clone().request(node, demand, &mut ());
                if let Err(StepError::Protocol(error @ ProtocolError::Refused { .. })) = asked {
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }

    fn started(&self) -> State<P> {
        let State {
            mut network,
            mut safety,
            ..
        } = self.start.clone();
        for i in 0..network.nodes().len() {
            if let Err(error) = network.start(NodeId::from_index(i), &mut safety) {
                safety.report(Violation::from(&error));
            }
        }
        self.inspected(State {
            network,
            safety,
            ..self.start.clone()
        })
    }

    /// The state everything begins with.
    pub const fn start(&self) -> &State<P> {
        &self.start
    }

    /// The state after a move, and what could be seen on the way.
    pub fn after(&self, state: &State<P>, step: Move) -> (State<P>, Seen) {
        let mut next = state.clone();
        self.spend(&mut next, step);
        let plain = |state: &State<P>| match step.closes() {
            Some((a, b)) => plain_under_way(&state.network, a, b),
            None => 0,
        };
        let before = plain(&next);
        let mut watch = Watch::default();
        for step in step.steps() {
            let watch = &mut (&mut next.safety, &mut watch);
            if let Err(error) = next.network.step(step, watch) {
                next.safety.report(Violation::from(&error));
            }
        }
        let mut seen = watch.seen;
        seen.add_if(Sometimes::PlainLost, plain(&next) < before);
        seen.add_if(Sometimes::Overtaken, matches!(step, Move::Overtakes { .. }));
        seen.add_if(Sometimes::LinkChanged, next.changes < state.changes);
        seen.add_if(Sometimes::AllServed, self.all_served(&next));
        seen.add_if(Sometimes::Together, next.safety.exclusion.count() > 1);
        seen.add_if(Sometimes::Crashed, next.crashes < state.crashes);
        (self.inspected(next), seen)
    }

    /// What has to be seen somewhere, or the settings allow less than they say.
    pub fn expected(&self) -> Seen {
        let settings = &self.settings;
        let (asking, changing) = (settings.requests.total > 0, settings.changes > 0);
        let elsewhere = settings.requests.nodes().any(|node| node != NodeId(0));
        let may = |level: InTransit| changing && settings.in_transit >= level;
        // Where a server has it, it depends on who asks for what.
        let token = !matches!(self.promise.custody, Custody::Nothing | Custody::Server);
        let mut seen = Seen::default();
        seen.add_if(Sometimes::Entered, asking);
        seen.add_if(Sometimes::AllServed, asking);
        seen.add_if(Sometimes::Together, self.may_be_together());
        seen.add_if(Sometimes::TokenMoved, elsewhere && token);
        seen.add_if(Sometimes::LinkChanged, changing);
        seen.add_if(Sometimes::PlainLost, may(InTransit::Plain));
        seen.add_if(Sometimes::Returned, may(InTransit::Returned));
        seen.add_if(Sometimes::InDoubt, may(InTransit::Doubt));
        seen.add_if(Sometimes::ResolvedReturned, may(InTransit::Doubt));
        // Where both ends close at once, nothing is delivered after the sender closed.
        let late = may(InTransit::Doubt) && settings.skew;
        seen.add_if(Sometimes::ResolvedDelivered, late);
        seen.add_if(Sometimes::Crashed, settings.crashes > 0);
        seen
    }

    /// Whether two nodes may be inside together as far as their wishes go.
    fn may_be_together(&self) -> bool {
        let room = |a: Demand, b: Demand| match (self.promise.scope, a, b) {
            (
                Scope::Units { total },
                Demand::Units { count: a, .. },
                Demand::Units { count: b, .. },
            ) => u64::from(a) + u64::from(b) <= total,
            _ => a.shares_with(b),
        };
        let wishes = &self.settings.requests.wishes;
        if self.promise.scope == Scope::Neighbours {
            return self.two_ask_apart();
        }
        let others = |i: usize| wishes[i + 1..].iter().flatten();
        (0..wishes.len()).any(|i| {
            let fits = |a: &Demand| others(i).any(|&b| room(*a, b));
            wishes[i].iter().any(fits)
        })
    }

    /// Whether two nodes that are no neighbours at the start want to enter.
    fn two_ask_apart(&self) -> bool {
        let network = &self.start.network;
        let linked = |a, b| {
            let pair = network.pair_between(a, b);
            pair.is_some_and(|pair| pair.end(0) == EndState::Up)
        };
        let asking = || self.settings.requests.nodes();
        let several = self.settings.requests.total > 1;
        several && asking().any(|a| asking().any(|b| a < b && !linked(a, b)))
    }

    /// Whether nobody waits who could be served without a link change. A token under way will
    /// arrive or come back first. Who waits for weight or units that are cut off from the token
    /// cannot be served, nor perhaps who waits near a crash ([`held_up`]).
    pub fn nobody_waits_in_reach(&self, state: &State<P>) -> bool {
        let held = held_up(&state.network);
        let excused = |node: &NodeId| held[node.index()];
        let mut waiting = state
            .network
            .waiting()
            .filter(|node| !excused(node))
            .peekable();
        if waiting.peek().is_none() {
            return true;
        }
        if self.promise.custody != Custody::Nothing && state.holder().is_none() {
            return false;
        }
        let reach = state.within_reach(self.promise);
        let within = |node: NodeId| reach & 1 << node.index() != 0;
        if state.safety.ledger.is_owned_beyond(within) {
            return true;
        }
        waiting.all(|node| reach & 1 << node.index() == 0)
    }

    pub(super) const fn promise(&self) -> Promise {
        self.promise
    }

    /// What a node may ask for now.
    pub(super) fn wish(&self, state: &State<P>, node: NodeId) -> Option<Demand> {
        let made: usize = state.asked.iter().copied().map(usize::from).sum();
        let idle = state.network.app(node) == App::Idle && !state.network.crashed(node);
        if made >= self.settings.requests.total || !idle {
            return None;
        }
        let wishes = self.settings.requests.wishes.get(node.index())?;
        wishes.get(usize::from(state.asked[node.index()])).copied()
    }

    fn all_served(&self, state: &State<P>) -> bool {
        let made: usize = state.asked.iter().copied().map(usize::from).sum();
        let idle = |i| state.network.app(NodeId::from_index(i)) == App::Idle;
        made == self.settings.requests.total && (0..state.asked.len()).all(idle)
    }

    fn spend(&self, state: &mut State<P>, step: Move) {
        match step {
            Move::Up(..) | Move::Down(..) | Move::One(Step::New(..)) => state.changes -= 1,
            Move::One(Step::Crash(_)) => state.crashes -= 1,
            Move::One(Step::Down { node, peer, .. }) => {
                // The second end of a link that goes down only follows the first.
                let pair = state.network.pair_between(peer, node);
                let first = pair.is_some_and(|pair| !super::moves::is_closing(pair));
                state.changes -= u8::from(first);
            }
            Move::One(Step::Request(node, _)) => state.asked[node.index()] += 1,
            Move::One(Step::Timer(node, _)) => {
                let due = self.retry_is_due(state, node);
                state.retries -= u8::from(!due);
            }
            Move::One(Step::Mishap { mishap, .. }) => match mishap {
                Mishap::Lost => state.losses -= 1,
                Mishap::Doubled => state.doubles -= 1,
                Mishap::Overtakes(_) => {}
            },
            Move::One(_) | Move::Overtakes { .. } => {}
        }
    }

    fn inspected(&self, mut state: State<P>) -> State<P> {
        let in_turn = state.turns.look(&state.network);
        if state.violation().is_none()
            && let Err(violation) = in_turn.and_then(|()| inspect(&state))
        {
            state.safety.report(violation);
        }
        state
    }
}

/// What must hold in every state.
fn inspect<P: Invariants>(state: &State<P>) -> Result<(), Violation> {
    let State {
        network, safety, ..
    } = state;
    safety.ledger.audit(network)?;
    P::always(network)?;
    if is_settled(network) {
        P::when_quiet(network)?;
    }
    Ok(())
}

fn plain_under_way<P: Protocol>(network: &Network<P>, a: NodeId, b: NodeId) -> usize {
    let plain = |pair: &Pair<P::Message>| {
        (0..2)
            .flat_map(|end| pair.undelivered(end))
            .filter(|msg| msg.class() == Class::Plain)
            .count()
    };
    network.pair_between(a, b).map_or(0, plain)
}
