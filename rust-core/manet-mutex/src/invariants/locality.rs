//! Who may wait for ever because somebody crashed.

use crate::invariants::Invariants;
use crate::invariants::{EndState, GlobalState, LinkState};
use std::collections::VecDeque;

/// For each node whether it is as close to a crashed one as the protocol's failure locality
/// ([`Invariants::locality`]), over links that are up at both ends. Whoever waits there may do so for
/// ever; whoever waits beyond is to be served.
pub fn held_up<P: Invariants>(network: &impl GlobalState<P>) -> Vec<bool> {
    let nodes = network.nodes();
    let crashed = nodes.iter().map(|node| network.crashed(node.id()));
    let mut held: Vec<bool> = crashed.collect();
    let mut todo: VecDeque<(usize, usize)> = (0..held.len())
        .filter(|&node| held[node])
        .map(|node| (node, 0))
        .collect();
    if todo.is_empty() {
        return held;
    }
    let mut around = vec![Vec::new(); held.len()];
    for ([a, b], pair) in network.pairs() {
        if [pair.end(0), pair.end(1)] == [EndState::Up; 2] {
            around[a.index()].push(b.index());
            around[b.index()].push(a.index());
        }
    }
    let reach = P::locality(held.len());
    while let Some((node, distance)) = todo.pop_front() {
        for &peer in around[node].iter().filter(|_| distance < reach) {
            if !std::mem::replace(&mut held[peer], true) {
                todo.push_back((peer, distance + 1));
            }
        }
    }
    held
}
