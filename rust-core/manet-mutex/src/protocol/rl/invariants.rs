//! What holds of `rl`.

use super::{Rl, RlMessage};
use crate::invariants::{Check, GlobalState, Invariants, Violation};
use crate::machine::Protocol;
use crate::protocol::reversal::invariants::{
    OnDag, local, lowest_is_token, token_oriented, untrue,
};
use crate::protocol::reversal::{Dag, Height, Status};

impl OnDag for Rl {
    fn dag(&self) -> &Dag {
        Self::dag(self)
    }

    fn status(&self) -> Status {
        Self::status(self)
    }

    fn is_queued(&self) -> bool {
        self.queue().contains(&self.id())
    }

    fn token(msg: &RlMessage) -> Option<Height> {
        match msg {
            RlMessage::Token { height, .. } => Some(*height),
            _ => None,
        }
    }
}

impl Invariants for Rl {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
            let (inside, token) = (node.status() == Status::Critical, node.dag().has_token());
            if inside && !token {
                return Err(untrue(
                    node,
                    Check::RlInside,
                    "is inside only with the token",
                ));
            }
            if token && node.status() == Status::Remainder && !node.queue().is_empty() {
                return Err(untrue(
                    node,
                    Check::RlIdleHolder,
                    "an idle holder has nobody waiting",
                ));
            }
            if node.asked() && node.dag().as_printed().is_none() && node.dag().is_stale() {
                let what = "has asked nobody but a lower neighbour";
                return Err(untrue(node, Check::RlAsked, what));
            }
        }
        lowest_is_token(network)
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        token_oriented(network)
    }
}
