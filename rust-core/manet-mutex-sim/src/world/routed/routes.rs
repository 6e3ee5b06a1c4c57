//! Routing: which datagrams arrive, and when.

use super::RoutedSetup;
use crate::random::Random;
use crate::world::delay::Delay;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::time::{Time, span};
use std::collections::BTreeMap;

/// Routes, and the datagrams on them.
#[derive(Debug)]
pub(super) struct Routes {
    /// From each node to each.
    hops: Vec<Vec<u32>>,
    delay: Delay,
    pub(super) faults: super::RoutedFaults,
    /// How many breaks there are between two nodes, one way.
    broken: BTreeMap<(NodeId, NodeId), u32>,
    /// During a partition, each node's side.
    sides: Option<Vec<bool>>,
    random: Random,
    /// Under way, by number; those that have arrived are used again.
    slots: Vec<(NodeId, Vec<u8>)>,
    free: Vec<u32>,
}

impl Routes {
    pub(super) fn new(setup: &RoutedSetup) -> Self {
        let graph: &Graph = &setup.graph;
        let from = |node| {
            let hops = graph.distances(node).into_iter();
            hops.map(|hops| hops.unwrap_or(u32::MAX)).collect()
        };
        Self {
            hops: graph.nodes().map(from).collect(),
            delay: setup.delay,
            faults: setup.faults,
            broken: BTreeMap::new(),
            sides: None,
            random: Random::stream(setup.seed, "routes"),
            slots: Vec::new(),
            free: Vec::new(),
        }
    }

    /// How many hops a message is charged.
    pub(super) fn hops(&self, from: NodeId, to: NodeId) -> u32 {
        self.hops[from.index()][to.index()]
    }

    /// Sends a datagram; tells when and under which number it arrives, if it does, and perhaps once
    /// more.
    pub(super) fn send(
        &mut self,
        now: Time,
        from: NodeId,
        to: NodeId,
        bytes: &[u8],
    ) -> impl Iterator<Item = (Time, u32)> + use<> {
        let faults = self.faults;
        let lost = !self.is_open(from, to) || self.random.chance(faults.loss);
        let first = (!lost).then(|| self.put(now, from, to, bytes));
        let again = self.random.chance(faults.doubles);
        let second = again.then(|| {
            let late = span(self.random.exponential(faults.late.max(0.001)));
            self.put(now + late, from, to, bytes)
        });
        first.into_iter().chain(second)
    }

    fn put(&mut self, start: Time, from: NodeId, to: NodeId, bytes: &[u8]) -> (Time, u32) {
        let hops = self.hops(from, to);
        let mut at = start;
        for _ in 0..hops {
            at = at + self.delay.draw(&mut self.random);
        }
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push((to, Vec::new()));
            self.slots.len() as u32 - 1
        });
        let (whom, kept) = &mut self.slots[slot as usize];
        *whom = to;
        kept.clear();
        kept.extend_from_slice(bytes);
        (at, slot)
    }

    /// A datagram that arrives.
    pub(super) fn take(&mut self, slot: u32) -> (NodeId, Vec<u8>) {
        let (to, bytes) = &mut self.slots[slot as usize];
        (*to, std::mem::take(bytes))
    }

    /// Gives the memory of one that has arrived back.
    pub(super) fn give_back(&mut self, slot: u32, bytes: Vec<u8>) {
        self.slots[slot as usize].1 = bytes;
        self.free.push(slot);
    }

    fn is_open(&self, from: NodeId, to: NodeId) -> bool {
        let apart = |sides: &Vec<bool>| sides[from.index()] != sides[to.index()];
        !self.broken.contains_key(&(from, to)) && !self.sides.as_ref().is_some_and(apart)
    }

    /// A random route breaks, one way or both; tells which.
    pub(super) fn break_one(&mut self, accidents: &mut Random) -> Vec<(NodeId, NodeId)> {
        let nodes = self.hops.len();
        if nodes < 2 {
            return Vec::new();
        }
        let a = accidents.below(nodes);
        let b = (a + 1 + accidents.below(nodes - 1)) % nodes;
        let (a, b) = (NodeId::from_index(a), NodeId::from_index(b));
        let ways = 1 + usize::from(accidents.chance(0.7));
        let lanes: Vec<_> = [(a, b), (b, a)].into_iter().take(ways).collect();
        for &lane in &lanes {
            *self.broken.entry(lane).or_default() += 1;
        }
        lanes
    }

    /// A break is over.
    pub(super) fn mend(&mut self, lane: (NodeId, NodeId)) {
        if let Some(count) = self.broken.get_mut(&lane) {
            *count -= 1;
            if *count == 0 {
                self.broken.remove(&lane);
            }
        }
    }

    /// The network falls apart, or is whole again.
    pub(super) fn part(&mut self, sides: Option<Vec<bool>>) {
        self.sides = sides;
    }

    /// Nothing goes wrong any more.
    pub(super) fn heal(&mut self) {
        self.faults = super::RoutedFaults::default();
        self.broken.clear();
        self.sides = None;
    }
}
