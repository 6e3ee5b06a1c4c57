//! What a paper's proof says about the states themselves.

mod forks;
mod gme;
mod hk;
mod lme1;
mod lme2;
mod reversal;
mod routed;

use super::Violation;
use crate::ids::NodeId;
use crate::machine::Protocol;
use crate::network::{EndState, Network};
use crate::protocol::reversal::RETRY;

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

    /// How far from a crash somebody may wait for ever in a network of so many nodes, as the paper
    /// claims. By default a crash concerns nobody else.
    fn locality(nodes: usize) -> usize {
        let _ = nodes;
        0
    }

    /// Whether it says whose turn it is, see [`Monitor::turns`].
    const HAS_TURNS: bool = false;

    /// Those who wait within reach of the token, each with its turn: the smaller, the sooner.
    fn turns(network: &Network<Self>) -> Vec<(NodeId, (i64, NodeId))> {
        let _ = network;
        Vec::new()
    }
}

/// Whether nothing is under way, no link is half up and nothing is in doubt. What is under way to
/// a node that has crashed never arrives.
pub fn is_quiet<P: Protocol>(network: &Network<P>) -> bool {
    network.pairs().all(|(ends, pair)| {
        let agreed = pair.end(0) == pair.end(1) && pair.end(0) != EndState::Pending;
        let lost =
            |end: usize| network.crashed(ends[1 - end]) || pair.undelivered(end).next().is_none();
        agreed && lost(0) && lost(1) && !pair.in_doubt(0) && !pair.in_doubt(1)
    })
}

/// Whether besides nobody waits before it raises itself (link reversal), with what it has to pass on.
pub fn is_settled<P: Protocol>(network: &Network<P>) -> bool {
    let held = |node: &P| network.armed(node.id(), RETRY);
    is_quiet(network) && !network.nodes().iter().any(held)
}
