//! What holds of all protocols on link reversal.

use crate::app::App;
use crate::ids::NodeId;
use crate::invariants::{Check, Violation};
use crate::invariants::{EndState, GlobalState, LinkState};
use crate::machine::Protocol;
use crate::protocol::reversal::{Dag, Height, Status};
use std::collections::BTreeSet;

/// A protocol on link reversal, as a monitor sees it.
pub(crate) trait OnDag: Protocol {
    fn dag(&self) -> &Dag;
    fn status(&self) -> Status;
    /// Whether its own request is in its queue.
    fn is_queued(&self) -> bool;
    /// The height in a token.
    fn token(msg: &Self::Message) -> Option<Height>;
}

/// A sentence about a node that does not hold.
pub(crate) fn untrue<P: Protocol>(node: &P, check: Check, what: &str) -> Violation {
    Violation::new(check, format!("{:?}: {what}", node.id()))
}

/// [RL 5, Lemma 4(a)], and what the code relies on.
pub(crate) fn local<P: OnDag>(node: &P, app: App) -> Result<(), Violation> {
    let dag = node.dag();
    if (node.status() == Status::Waiting) != node.is_queued() {
        let what = "waits if and only if it is in its own queue";
        return Err(untrue(node, Check::ReversalQueue, what));
    }
    if dag.has_token() != (dag.next() == Some(node.id())) {
        let what = "points to itself if and only if it holds the token";
        return Err(untrue(node, Check::ReversalNext, what));
    }
    let told = match app {
        App::Idle => Status::Remainder,
        App::Waiting(_) => Status::Waiting,
        App::Inside(_) => Status::Critical,
    };
    if node.status() != told {
        let what = "the application was told the truth";
        return Err(untrue(node, Check::ReversalStatus, what));
    }
    Ok(())
}

/// The token's height (the holder's, or the one in the undelivered token) is below all others;
/// the sender of an undelivered token may still equal it.
pub(crate) fn lowest_is_token<P: OnDag>(network: &impl GlobalState<P>) -> Result<(), Violation> {
    let under_way = network.undelivered().find_map(|(_, _, msg)| P::token(msg));
    let held = holder(network);
    let Some(token) = held.map(|node| node.dag().height()).or(under_way) else {
        return Ok(());
    };
    let at_or_below = |height: Height| height <= token && height.id != token.id;
    let lower = network
        .nodes()
        .iter()
        .map(|node| node.dag().height())
        .find(|&h| at_or_below(h));
    match lower {
        None => Ok(()),
        Some(height) => {
            let detail = format!("height {height:?} is not above the token's {token:?}");
            Err(Violation::new(Check::ReversalLowest, detail))
        }
    }
}

/// In a quiet network everybody but the holder has a lower neighbour, and no link is seen as
/// outgoing by both ends. Incoming at both ends is possible (erratum E4).
pub(crate) fn token_oriented<P: OnDag>(network: &impl GlobalState<P>) -> Result<(), Violation> {
    for node in network
        .nodes()
        .iter()
        .filter(|node| !network.crashed(node.id()))
    {
        let dag = node.dag();
        let lower = dag.neighbours().any(|height| height < dag.height());
        let alone = dag.neighbours().next().is_none();
        if !dag.has_token() && !lower && !alone {
            let detail = format!("{:?} sees no lower neighbour", node.id());
            return Err(Violation::new(Check::ReversalOriented, detail));
        }
    }
    for ([a, b], pair) in network.pairs() {
        if pair.end(0) != EndState::Up {
            continue;
        }
        if sees_lower(network, a, b) && sees_lower(network, b, a) {
            let detail = format!("{a:?} and {b:?} each see the other below");
            return Err(Violation::new(Check::ReversalDirections, detail));
        }
    }
    Ok(())
}

fn sees_lower<P: OnDag>(network: &impl GlobalState<P>, node: NodeId, peer: NodeId) -> bool {
    let dag = network.nodes()[node.index()].dag();
    dag.neighbours()
        .any(|height| height.id == peer && height < dag.height())
}

/// The node with the token, unless it is under way.
pub(crate) fn holder<P: OnDag>(network: &impl GlobalState<P>) -> Option<&P> {
    network.nodes().iter().find(|node| node.dag().has_token())
}

/// The nodes connected with one over links that are up at both ends.
pub(crate) fn reach<P: Protocol>(network: &impl GlobalState<P>, from: NodeId) -> BTreeSet<NodeId> {
    let mut reached = BTreeSet::from([from]);
    loop {
        let before = reached.len();
        for ([a, b], pair) in network.pairs() {
            let up = [pair.end(0), pair.end(1)] == [EndState::Up; 2];
            if up && (reached.contains(&a) || reached.contains(&b)) {
                reached.extend([a, b]);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}
