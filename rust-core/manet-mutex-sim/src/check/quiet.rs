//! States in which nothing is under way.

use crate::network::{EndState, Network};
use manet_mutex::machine::Protocol;
use manet_mutex::protocol::reversal::RETRY;

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
