//! What holds of `lme2`.

use super::{OnForks, local, nobody_hungry, one_fork_per_link};
use crate::ids::NodeId;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation};
use crate::invariants::{EndState, GlobalState, LinkState};
use crate::machine::Protocol;
use crate::protocol::lme::State;
use crate::protocol::lme::algorithm2::{Lme2, Lme2Message, Neighbour};
use crate::protocol::lme::forks::Forks;

impl OnForks for Lme2 {
    type About = Neighbour;

    fn state(&self) -> State {
        Self::state(self)
    }

    fn forks(&self) -> &Forks<Neighbour> {
        self.links()
    }
}

impl Invariants for Lme2 {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
        }
        one_fork_per_link(network)?;
        for (ends, pair) in network.pairs() {
            if [pair.end(0), pair.end(1)] == [EndState::Up; 2] {
                one_goes_first(network, ends)?;
                heights(network, ends, pair)?;
            }
        }
        no_circle(network)
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        match network.nodes().first().and_then(Self::as_printed) {
            Some(_) => Ok(()), // What comes of it shows soon enough.
            None => nobody_hungry(network),
        }
    }

    /// [LME, Theorem 8].
    fn locality(_: usize) -> usize {
        2
    }
}

fn node(network: &impl GlobalState<Lme2>, id: NodeId) -> &Lme2 {
    &network.nodes()[id.index()]
}

/// Of two neighbours at most one takes itself to be before the other.
fn one_goes_first(network: &impl GlobalState<Lme2>, [a, b]: [NodeId; 2]) -> Result<(), Violation> {
    if node(network, a).sees_before(b) || node(network, b).sees_before(a) {
        return Ok(());
    }
    let detail = format!("{a:?} and {b:?} each take themselves to be before the other");
    Err(Violation::new(Check::Lme2First, detail))
}

/// What a node told of its height never falls, is never more than the truth, and in the end is the
/// truth.
fn heights(
    network: &impl GlobalState<Lme2>,
    ends: [NodeId; 2],
    pair: &impl LinkState<Lme2Message>,
) -> Result<(), Violation> {
    for end in [0, 1] {
        let (teller, hearer) = (ends[end], ends[1 - end]);
        let known = node(network, hearer).links().get(teller);
        let known = known.and_then(|link| link.about.height());
        let under_way = pair.undelivered(end).filter_map(|msg| match *msg {
            Lme2Message::Height(height) | Lme2Message::Welcome(height) => Some(height),
            _ => None,
        });
        let told: Vec<u64> = known.into_iter().chain(under_way).collect();
        let truth = node(network, teller).height();
        if node(network, teller).as_printed().is_some() {
            continue;
        }
        if !told.is_sorted() || told.last().is_some_and(|&last| last != truth) {
            let detail = format!("{hearer:?} hears {told:?} of {teller:?}, which is at {truth}");
            return Err(Violation::new(Check::Lme2Heights, detail));
        }
    }
    Ok(())
}

/// Nobody is before itself by way of neighbours that agree who of them is first.
fn no_circle(network: &impl GlobalState<Lme2>) -> Result<(), Violation> {
    let nodes = network.nodes().len();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for ([a, b], pair) in network.pairs() {
        if [pair.end(0), pair.end(1)] != [EndState::Up; 2] {
            continue;
        }
        match (
            node(network, a).sees_before(b),
            node(network, b).sees_before(a),
        ) {
            (true, false) => before[a.index()].push(b.index()),
            (false, true) => before[b.index()].push(a.index()),
            _ => {}
        }
    }
    // Whoever has nobody before it goes, until nobody is left who could.
    let mut left: Vec<usize> = (0..nodes).collect();
    loop {
        let stays = |&i: &usize| before[i].iter().any(|first| left.contains(first));
        let rest: Vec<usize> = left.iter().copied().filter(stays).collect();
        if rest.is_empty() {
            return Ok(());
        }
        if rest.len() == left.len() {
            let detail = format!("each of {rest:?} has another of them before it");
            return Err(Violation::new(Check::Lme2Circle, detail));
        }
        left = rest;
    }
}
