//! What holds of `hk`.

use crate::ids::NodeId;
use crate::invariants::GlobalState;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation};
use crate::machine::Protocol;
use crate::protocol::hk::{Hk, HkMessage, Order};
use crate::protocol::reversal::invariants::{
    OnDag, holder, local, lowest_is_token, reach, token_oriented, untrue,
};
use crate::protocol::reversal::{Dag, Height, Status};

impl OnDag for Hk {
    fn dag(&self) -> &Dag {
        Self::dag(self)
    }

    fn status(&self) -> Status {
        self.state()
    }

    fn is_queued(&self) -> bool {
        self.key().is_some()
    }

    fn token(msg: &HkMessage) -> Option<Height> {
        match msg {
            HkMessage::Token { height, .. } => Some(*height),
            _ => None,
        }
    }
}

impl Invariants for Hk {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
            if (node.state() == Status::Critical) != (node.held() > 0) {
                let what = "has units if and only if it is inside";
                return Err(untrue(node, Check::HkUnits, what));
            }
            if node.units() > 0 && !node.dag().has_token() {
                let what = "has free units only with the token";
                return Err(untrue(node, Check::HkFreeUnits, what));
            }
            if !node.queue().is_sorted_by_key(|&(key, _)| key) {
                let what = "serves the smallest key first";
                return Err(untrue(node, Check::HkQueue, what));
            }
        }
        units_add_up(network)?;
        lowest_is_token(network)
    }

    const HAS_TURNS: bool = true;

    fn turns(network: &impl GlobalState<Self>) -> Vec<(NodeId, (i64, NodeId))> {
        let Some(holder) = holder(network) else {
            return Vec::new();
        };
        let reach = reach(network, holder.id());
        let turn = |node: &Self| node.key().map(|key| (node.id(), (key.rank, key.id)));
        let nodes = network.nodes().iter().filter(|n| reach.contains(&n.id()));
        nodes.filter_map(turn).collect()
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        token_oriented(network)?;
        let Some(holder) = holder(network) else {
            return Ok(());
        };
        let reach = reach(network, holder.id());
        for node in network.nodes().iter().filter(|n| reach.contains(&n.id())) {
            if node.pending() > 0 {
                let what = "gives back what it does not need";
                return Err(untrue(node, Check::HkReturned, what));
            }
            if node.state() == Status::Waiting {
                served_in_turn(holder, node)?;
            }
        }
        Ok(())
    }
}

/// In a settled network the holder is the one whose turn it is, and there are too few units for it.
fn served_in_turn(holder: &Hk, node: &Hk) -> Result<(), Violation> {
    let (free, first) = (holder.units(), holder.id());
    let fits = |node: &Hk| node.need().is_some_and(|need| u64::from(need) <= free);
    let in_vain = fits(node) && node.order() == Order::Fewest;
    if holder.key().is_none() || fits(holder) || in_vain {
        let detail = format!("{:?} waits while {first:?} has {free} units", node.id());
        return Err(Violation::new(Check::HkConcurrency, detail));
    }
    if holder.key() > node.key() {
        let detail = format!("{first:?} has the token before {:?}", node.id());
        return Err(Violation::new(Check::HkPriority, detail));
    }
    Ok(())
}

/// All units are free, held, or on their way.
fn units_add_up(network: &impl GlobalState<Hk>) -> Result<(), Violation> {
    let Some(any) = network.nodes().first() else {
        return Ok(());
    };
    let aboard = network.undelivered().map(|(_, _, msg)| match msg {
        HkMessage::Token { units, .. } | HkMessage::Release { units, .. } => *units,
        _ => 0,
    });
    let under_way: u64 = aboard.sum();
    let own = |node: &Hk| node.units() + node.held() + node.pending();
    let owned: u64 = network.nodes().iter().map(own).sum();
    if owned + under_way == u64::from(any.k()) {
        return Ok(());
    }
    let k = any.k();
    let detail = format!("{owned} units are owned and {under_way} under way: not {k} in all");
    Err(Violation::new(Check::HkUnitSum, detail))
}
