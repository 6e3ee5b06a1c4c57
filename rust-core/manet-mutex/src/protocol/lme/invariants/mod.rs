//! What holds of all protocols that collect forks.

mod lme1;
mod lme2;

use crate::app::App;
use crate::ids::NodeId;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation, held_up};
use crate::invariants::{EndState, GlobalState, LinkState};
use crate::machine::{Cargo, Message, Protocol};
use crate::protocol::lme::State;
use crate::protocol::lme::forks::{Fork, ForkMessage, Forks};
use crate::protocol::reversal::invariants::untrue;

/// A protocol that collects forks, as a monitor sees it.
pub(super) trait OnForks: Protocol<Message: ForkMessage> {
    /// What it knows of a neighbour.
    type About;

    fn state(&self) -> State;
    fn forks(&self) -> &Forks<Self::About>;
}

/// The application knows the state.
pub(super) fn local<P: OnForks>(node: &P, app: App) -> Result<(), Violation> {
    let told = match app {
        App::Idle => State::Thinking,
        App::Waiting(_) => State::Hungry,
        App::Inside(_) => State::Eating,
    };
    if node.state() != told {
        let what = "the application was told the truth";
        return Err(untrue(node, Check::ForksState, what));
    }
    Ok(())
}

/// Whoever eats has all forks; whoever thinks keeps and asks for none.
pub(super) fn orderly<P: OnForks>(node: &P) -> Result<(), Violation> {
    if node.state() == State::Eating && !node.forks().has_all() {
        let what = "eats only with all forks";
        return Err(untrue(node, Check::ForksEating, what));
    }
    let mut forks = node.forks().iter().map(|link| link.fork());
    let busy = |fork: Fork| matches!(fork, Fork::Suspended | Fork::Asked);
    if node.state() == State::Thinking && forks.any(busy) {
        let what = "neither asks for forks nor keeps them from others while thinking";
        return Err(untrue(node, Check::ForksThinking, what));
    }
    Ok(())
}

/// A node that has not crashed knows the links that are up at its end, and no others. Each link has
/// one fork: at one of its ends or on its way, if it is up at both; nowhere twice, if it is up at
/// one.
pub(super) fn one_fork_per_link<P: OnForks>(
    network: &impl GlobalState<P>,
) -> Result<(), Violation> {
    for (ends, pair) in network.pairs() {
        for (end, node, peer) in [(0, ends[0], ends[1]), (1, ends[1], ends[0])] {
            let up = pair.end(end) == EndState::Up;
            if up != link_of(network, node, peer).is_some() && !network.crashed(node) {
                let detail = format!("{node:?} mistakes its link to {peer:?}");
                return Err(Violation::new(Check::ForksLinks, detail));
            }
        }
        let forks = count(network, ends, pair);
        let both = [pair.end(0), pair.end(1)] == [EndState::Up; 2];
        if forks > 1 || both && forks == 0 {
            let [a, b] = ends;
            let detail = format!("{forks} forks between {a:?} and {b:?}");
            return Err(Violation::new(Check::ForksOne, detail));
        }
    }
    Ok(())
}

/// In a quiet network where nobody is inside, nobody is kept waiting but by a crash.
pub(super) fn nobody_hungry<P: OnForks + Invariants>(
    network: &impl GlobalState<P>,
) -> Result<(), Violation> {
    let alive = |node: &&P| !network.crashed(node.id());
    let eats = |node: &P| node.state() == State::Eating;
    if network.nodes().iter().filter(alive).any(eats) {
        return Ok(());
    }
    let held = held_up(network);
    let hungry = |node: &&P| node.state() == State::Hungry && !held[node.id().index()];
    match network.nodes().iter().find(hungry) {
        Some(node) => {
            let what = "waits though nobody is inside";
            Err(untrue(node, Check::ForksServed, what))
        }
        None => Ok(()),
    }
}

fn link_of<P: OnForks>(network: &impl GlobalState<P>, node: NodeId, peer: NodeId) -> Option<Fork> {
    let link = network.nodes()[node.index()].forks().get(peer);
    link.map(|link| link.fork())
}

fn count<P: OnForks>(
    network: &impl GlobalState<P>,
    ends: [NodeId; 2],
    pair: &impl LinkState<P::Message>,
) -> usize {
    let [a, b] = ends;
    let held = [(0, a, b), (1, b, a)]
        .into_iter()
        .filter(|&(end, node, peer)| {
            let fork = link_of(network, node, peer);
            pair.end(end) == EndState::Up && fork.is_some_and(Fork::is_here)
        });
    let messages = [0, 1].into_iter().flat_map(|end| pair.undelivered(end));
    let under_way = messages.filter(|msg| msg.cargo() == Cargo::Fork);
    held.count() + under_way.count()
}
