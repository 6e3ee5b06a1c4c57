//! What a paper's proof says about the states themselves.

use super::Violation;
use crate::ids::NodeId;
use crate::machine::Protocol;
use crate::network::{App, EndState, Network};
use crate::protocol::reversal::Height;
use crate::protocol::rl::{Rl, RlMessage, Status};
use crate::protocol::routed::raymond::{Raymond, RaymondMessage};

/// A protocol whose global states can be checked. These checks see everything, cost time in the
/// size of the network, and are meant for small ones.
pub trait Monitor: Protocol {
    /// What must hold after every step.
    ///
    /// # Errors
    /// With what does not hold.
    fn always(network: &Network<Self>) -> Result<(), Violation>;

    /// What must hold besides when nothing is under way, no timer matters and nothing is in doubt.
    ///
    /// # Errors
    /// With what does not hold.
    fn when_quiet(network: &Network<Self>) -> Result<(), Violation>;
}

/// Whether nothing is under way, no link is half up and nothing is in doubt.
pub fn is_quiet<P: Protocol>(network: &Network<P>) -> bool {
    network.pairs().all(|(_, pair)| {
        let agreed = pair.end(0) == pair.end(1) && pair.end(0) != EndState::Pending;
        agreed && pair.is_idle() && !pair.in_doubt(0) && !pair.in_doubt(1)
    })
}

impl Monitor for Rl {
    fn always(network: &Network<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
        }
        lowest_is_token(network)
    }

    fn when_quiet(network: &Network<Self>) -> Result<(), Violation> {
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
                return Err(Violation::new("token oriented", detail));
            }
        }
        no_link_outgoing_twice(network)
    }
}

/// The paper's Lemma 4(a), and what the code relies on.
fn local(node: &Rl, app: App) -> Result<(), Violation> {
    let (id, dag) = (node.id(), node.dag());
    let fail = |what: &str| Err(Violation::new("local invariant", format!("{id:?}: {what}")));
    let queued = node.queue().contains(&id);
    if (node.status() == Status::Waiting) != queued {
        return fail("waits if and only if it is in its own queue");
    }
    if node.status() == Status::Critical && !dag.has_token() {
        return fail("is inside only with the token");
    }
    if dag.has_token() && node.status() == Status::Remainder && !node.queue().is_empty() {
        return fail("an idle holder has nobody waiting");
    }
    if dag.has_token() != (dag.next() == Some(id)) {
        return fail("points to itself if and only if it holds the token");
    }
    if node.asked() && dag.as_printed().is_none() && dag.is_stale() {
        return fail("has asked nobody but a lower neighbour");
    }
    let told = match app {
        App::Idle => Status::Remainder,
        App::Waiting(_) => Status::Waiting,
        App::Inside(_) => Status::Critical,
    };
    if node.status() != told {
        return fail("the application was told the truth");
    }
    Ok(())
}

/// The token's height (the holder's, or the one in the undelivered token) is below all others;
/// the sender of an undelivered token may still equal it.
fn lowest_is_token(network: &Network<Rl>) -> Result<(), Violation> {
    let under_way = network.undelivered().find_map(|(_, _, msg)| match msg {
        RlMessage::Token { height, .. } => Some(*height),
        _ => None,
    });
    let held = network.nodes().iter().find(|node| node.dag().has_token());
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
            Err(Violation::new("token is lowest", detail))
        }
    }
}

/// No link is seen as outgoing by both ends. Incoming at both ends is possible (erratum E4).
fn no_link_outgoing_twice(network: &Network<Rl>) -> Result<(), Violation> {
    for ([a, b], pair) in network.pairs() {
        if pair.end(0) != EndState::Up {
            continue;
        }
        if sees_lower(network, a, b) && sees_lower(network, b, a) {
            let detail = format!("{a:?} and {b:?} each see the other below");
            return Err(Violation::new("directions", detail));
        }
    }
    Ok(())
}

fn sees_lower(network: &Network<Rl>, node: NodeId, peer: NodeId) -> bool {
    let dag = network.nodes()[node.index()].dag();
    dag.neighbours()
        .any(|height| height.id == peer && height < dag.height())
}

impl Monitor for Raymond {
    fn always(network: &Network<Self>) -> Result<(), Violation> {
        let privileged = network
            .nodes()
            .iter()
            .filter(|node| node.is_holder())
            .count();
        let under_way = network
            .undelivered()
            .filter(|(_, _, msg)| matches!(msg, RaymondMessage::Privilege))
            .count();
        if privileged + under_way != 1 {
            let detail = format!("{privileged} holders and {under_way} privileges under way");
            return Err(Violation::new("one token", detail));
        }
        Ok(())
    }

    fn when_quiet(_: &Network<Self>) -> Result<(), Violation> {
        Ok(())
    }
}
