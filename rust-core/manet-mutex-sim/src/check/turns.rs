//! Whether those who wait are let in in turn.

use super::{Check, Invariants, Violation, is_settled};
use crate::network::{App, EndState, Network, Pair};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Message;

/// Watches the order of entries where a protocol has one ([`Invariants::turns`]). A request counts
/// from the moment when nothing is under way or held back, so that everybody who has to know it
/// does, until a link changes; of two that count, the one whose turn it is enters first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Turns {
    /// Requests that count, with their turns.
    settled: Vec<(NodeId, (i64, NodeId))>,
    /// Ends of links that are up, each with its peer.
    ends: Vec<(NodeId, NodeId)>,
}

impl Turns {
    /// A link changed. For those who do several things between two looks, in which a link that
    /// goes and comes again would be overlooked.
    pub fn link_changed(&mut self) {
        self.settled.clear();
    }

    /// Looks at a network after each step.
    ///
    /// # Errors
    /// If somebody has entered before its turn.
    pub fn look<P: Invariants>(&mut self, network: &Network<P>) -> Result<(), Violation> {
        if !P::HAS_TURNS {
            return Ok(());
        }
        let ends: Vec<_> = network.pairs().flat_map(ends_up).collect();
        if ends != self.ends {
            (self.settled, self.ends) = (Vec::new(), ends);
        }
        let waits = |node: NodeId| matches!(network.app(node), App::Waiting(_));
        let (waiting, gone): (Vec<_>, Vec<_>) =
            self.settled.iter().partition(|&&(node, _)| waits(node));
        let first = waiting.iter().min_by_key(|&&(_, turn)| turn);
        let early = |&&(_, turn): &&(NodeId, _)| first.is_some_and(|&(_, least)| turn > least);
        if let (Some((node, _)), Some((passed, _))) = (gone.iter().find(early), first) {
            let detail = format!("{node:?} has entered before {passed:?}, whose turn it was");
            return Err(Violation::new(Check::Turns, detail));
        }
        self.settled = waiting;
        if is_settled(network) {
            self.settled = P::turns(network);
        }
        Ok(())
    }
}

/// The ends of a pair that are up.
fn ends_up<M: Message>(
    (ends, pair): ([NodeId; 2], &Pair<M>),
) -> impl Iterator<Item = (NodeId, NodeId)> {
    let up = [0, 1].map(|end| pair.end(end) == EndState::Up);
    let named = [(ends[0], ends[1]), (ends[1], ends[0])];
    named
        .into_iter()
        .zip(up)
        .filter_map(|(end, up)| up.then_some(end))
}
