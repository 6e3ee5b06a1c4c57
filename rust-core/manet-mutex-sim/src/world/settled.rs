//! Static networks for `hk` without time, in which the order of grants can be told exactly.
//!
//! A request that is still under way is known to nobody and cannot be honoured, so an order can be
//! demanded only of requests that have settled: nothing is under way since they were made.

use super::topology::random_connected;
use crate::check::{Invariants, Safety, Turns, Violation};
use crate::network::{App, Network, Step};
use crate::random::Random;
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::hk::{Config, Hk};
use manet_mutex::protocol::{Population, PopulationError};

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// How often anybody was let in.
    pub grants: u64,
    /// For each priority, by how many later requests one that had settled was overtaken, at most.
    pub overtaken: Vec<u32>,
    /// The first promise broken.
    pub violation: Option<Violation>,
    /// How many waited at the end.
    pub unserved: usize,
}

/// One node has all units; all others ask, and when their requests have settled it leaves. From
/// then on messages arrive and nodes leave in any order: everybody has to be let in in turn.
///
/// # Errors
/// If there are fewer than two nodes.
pub fn in_turn(nodes: usize, config: &Config, seed: u64) -> Result<Settled, PopulationError> {
    let mut run = Run::new(nodes, config, seed)?;
    let first = run.node();
    let count = config.k.get();
    run.step(Step::Request(first, Demand::Units { count, priority: 0 }));
    run.deliver_all();
    for node in run.nodes().filter(|&node| node != first) {
        run.request(node, 10);
    }
    run.deliver_all();
    while run.is_open() {
        let (ways, inside) = (run.ways(), run.inside());
        let leave = inside.into_iter().map(Step::Release);
        let steps: Vec<Step> = ways.into_iter().chain(leave).collect();
        let Some(&step) = run.random.pick(&steps) else {
            break;
        };
        run.step(step);
    }
    Ok(run.end())
}

/// Everybody asks again as soon as it has left, at a random priority, until there were this many
/// grants; somebody leaves only when nothing is under way. Counts how often later requests go
/// first.
///
/// # Errors
/// If there are fewer than two nodes.
pub fn overtaking(
    nodes: usize,
    config: &Config,
    priorities: u32,
    grants: u64,
    seed: u64,
) -> Result<Settled, PopulationError> {
    let mut run = Run::new(nodes, config, seed)?;
    run.settled.overtaken = vec![0; priorities as usize];
    for node in run.nodes() {
        run.request(node, priorities);
    }
    while run.settled.grants < grants && run.settled.violation.is_none() {
        run.deliver_all();
        run.settle();
        let inside = run.inside();
        let Some(&node) = run.random.pick(&inside) else {
            break;
        };
        run.step(Step::Release(node));
        run.request(node, priorities);
    }
    Ok(run.end())
}

struct Run {
    network: Network<Hk>,
    safety: Safety,
    turns: Turns,
    random: Random,
    most: u32,
    /// Requests made so far.
    made: u64,
    /// Of each node that waits: its priority and how many later requests went first.
    waiting: Vec<Option<Waiting>>,
    settled: Settled,
}

#[derive(Clone, Copy)]
struct Waiting {
    priority: u32,
    /// Requests made so far by anybody when this one had settled.
    since: Option<u64>,
    /// Its own number.
    number: u64,
    overtaken: u32,
}

impl Run {
    fn new(nodes: usize, config: &Config, seed: u64) -> Result<Self, PopulationError> {
        let mut random = Random::stream(seed, "settled");
        if nodes < 2 {
            return Err(PopulationError::Empty);
        }
        let most = nodes * (nodes - 1) / 2;
        let links = nodes - 1 + random.below(most - (nodes - 1) + 1);
        let graph =
            random_connected(nodes, links, &mut random).unwrap_or_else(|_| Graph::complete(nodes));
        let network = Network::new(Hk::settled(&graph, config)?, &graph);
        let promise = Hk::promise(config);
        Ok(Self {
            network,
            safety: Safety::new(promise, nodes, NodeId(0), graph.pairs()),
            turns: Turns::default(),
            random,
            most: config.k.get(),
            made: 0,
            waiting: vec![None; nodes],
            settled: Settled::default(),
        })
    }

    fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.network.nodes().len()).map(NodeId::from_index)
    }

    fn node(&mut self) -> NodeId {
        NodeId::from_index(self.random.below(self.network.nodes().len()))
    }

    fn request(&mut self, node: NodeId, priorities: u32) {
        let count = 1 + self.random.below(self.most as usize) as u32;
        let priority = self.random.below(priorities.max(1) as usize) as u32;
        self.made += 1;
        let number = self.made;
        self.waiting[node.index()] = Some(Waiting {
            priority,
            since: None,
            number,
            overtaken: 0,
        });
        self.step(Step::Request(node, Demand::Units { count, priority }));
    }

    fn ways(&self) -> Vec<Step> {
        let pairs = self
            .network
            .pairs()
            .flat_map(|([a, b], _)| [(a, b), (b, a)]);
        let busy = pairs.filter(|&(from, to)| {
            let lane = self.network.lane(from, to);
            lane.is_some_and(|lane| self.network.can_receive(lane))
        });
        busy.map(|(from, to)| Step::Receive { from, to }).collect()
    }

    fn inside(&self) -> Vec<NodeId> {
        let inside = |node: &NodeId| matches!(self.network.app(*node), App::Inside(_));
        self.nodes().filter(inside).collect()
    }

    fn is_open(&self) -> bool {
        let waits = self.network.waiting().next().is_some();
        self.settled.violation.is_none() && waits
    }

    fn deliver_all(&mut self) {
        while self.settled.violation.is_none() {
            let ways = self.ways();
            let Some(&way) = self.random.pick(&ways) else {
                return;
            };
            self.step(way);
        }
    }

    fn step(&mut self, step: Step) {
        let before = self.inside();
        if let Err(error) = self.network.step(step, &mut self.safety) {
            self.safety.report(Violation::from(&error));
        }
        let entered = self
            .inside()
            .into_iter()
            .find(|node| !before.contains(node));
        if let Some(node) = entered {
            self.granted(node);
        }
        let looked = self.turns.look(&self.network);
        let checked = looked.and_then(|()| Hk::always(&self.network));
        let found = self.safety.take_violation().or(checked.err());
        if let Some(violation) = found {
            self.settled.violation.get_or_insert(violation);
        }
    }

    fn granted(&mut self, node: NodeId) {
        self.settled.grants += 1;
        let Some(entered) = self.waiting[node.index()].take() else {
            return;
        };
        for waiting in self.waiting.iter_mut().flatten() {
            let later = waiting.since.is_some_and(|since| entered.number > since);
            waiting.overtaken += u32::from(later);
            let priority = waiting.priority as usize;
            if let Some(most) = self.settled.overtaken.get_mut(priority) {
                *most = waiting.overtaken.max(*most);
            }
        }
    }

    /// Nothing is under way: everything that waits has settled.
    fn settle(&mut self) {
        let made = self.made;
        for waiting in self.waiting.iter_mut().flatten() {
            waiting.since.get_or_insert(made);
        }
    }

    fn end(mut self) -> Settled {
        self.settled.unserved = self.network.waiting().count();
        self.settled
    }
}
