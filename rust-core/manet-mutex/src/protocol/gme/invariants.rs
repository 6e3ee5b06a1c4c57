//! What holds of `gme`.

use crate::app::App;
use crate::demand::Demand;
use crate::invariants::GlobalState;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation};
use crate::machine::Protocol;
use crate::protocol::gme::{Gme, GmeMessage};
use crate::protocol::reversal::invariants::{
    OnDag, holder, local, lowest_is_token, reach, token_oriented, untrue,
};
use crate::protocol::reversal::{Dag, Height, Status};

impl OnDag for Gme {
    fn dag(&self) -> &Dag {
        Self::dag(self)
    }

    fn status(&self) -> Status {
        self.state()
    }

    fn is_queued(&self) -> bool {
        self.queue().iter().any(|&(who, _)| who == self.id())
    }

    fn token(msg: &GmeMessage) -> Option<Height> {
        match msg {
            GmeMessage::Token { height, .. } => Some(*height),
            _ => None,
        }
    }
}

impl Invariants for Gme {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
            let leads = node.dag().has_token();
            let inside = node.state() == Status::Critical;
            if !leads && inside != (node.weight() > 0) {
                let what = "has weight if and only if it is inside, unless it leads";
                return Err(untrue(node, Check::GmeWeight, what));
            }
            if leads && (inside || node.weight() > 0) != node.session().is_some() {
                let what = "has a session open if and only if anybody is inside";
                return Err(untrue(node, Check::GmeSession, what));
            }
            if !leads && node.session().is_some() {
                let what = "only a leader has a session";
                return Err(untrue(node, Check::GmeLeader, what));
            }
        }
        one_session(network)?;
        weight_adds_up(network)?;
        lowest_is_token(network)
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        token_oriented(network)?;
        let Some(leader) = holder(network) else {
            return Ok(());
        };
        let reach = reach(network, leader.id());
        for node in network.nodes().iter().filter(|n| reach.contains(&n.id())) {
            if node.pending() > 0 {
                let what = "gives back what it does not need";
                return Err(untrue(node, Check::GmeReturned, what));
            }
            if let App::Waiting(Demand::Group(group)) = network.app(node.id())
                && leader.is_admitting()
                && leader.session() == Some(group)
            {
                let detail = format!("{:?} waits for the group that is inside", node.id());
                return Err(Violation::new(Check::GmeConcurrent, detail));
            }
        }
        Ok(())
    }
}

/// Whoever is inside uses the resource of the leader's session; nobody is while the token moves.
fn one_session(network: &impl GlobalState<Gme>) -> Result<(), Violation> {
    let session = holder(network).and_then(Gme::session);
    for node in network.nodes() {
        if let App::Inside(Demand::Group(group)) = network.app(node.id())
            && session != Some(group)
            && !network.crashed(node.id())
        {
            let open = session.map_or("none".to_owned(), |open| open.to_string());
            let detail = format!(
                "{:?} is inside with group {group}, open is {open}",
                node.id()
            );
            return Err(Violation::new(Check::GmeOneSession, detail));
        }
    }
    Ok(())
}

/// What the leader has given out is under way, with somebody inside, or about to be sent back.
fn weight_adds_up(network: &impl GlobalState<Gme>) -> Result<(), Violation> {
    let out: u64 = holder(network).map_or(0, Gme::weight);
    let aboard = network.undelivered().map(|(_, _, msg)| match msg {
        GmeMessage::SubToken { weight, .. } | GmeMessage::Release { weight, .. } => *weight,
        _ => 0,
    });
    let under_way: u64 = aboard.sum();
    let part = |node: &Gme| {
        let own = if node.dag().has_token() {
            0
        } else {
            node.weight()
        };
        own + node.pending()
    };
    let held: u64 = network.nodes().iter().map(part).sum();
    if out == under_way + held {
        return Ok(());
    }
    let detail = format!("the leader is owed {out}, {held} is held and {under_way} under way");
    Err(Violation::new(Check::GmeWeightSum, detail))
}
