//! Checkers: they watch events and actions from outside and know no protocol.
//!
//! [`Safety`] holds a run to what its protocol promises ([`Promise`]): who may be inside together
//! ([`Exclusion`]) and that tokens, units and weights are neither made nor lost ([`Ledger`]).
//! [`Delivery`] and [`Once`] hold links and transports to theirs, and [`Audit`] is all of these for
//! a run of whole nodes ([`manet_mutex::node`]).
//! [`Invariants`] looks into the states themselves, for what a paper's proof says about them, and
//! [`Turns`] at the order in which nodes enter, where a protocol has one.
//! Progress is checked by whoever drives the run: [`crate::world`] demands that everything
//! pending is served once faults have stopped, [`crate::explore`] that it can be from every state.

mod audit;
mod delivery;
mod exclusion;
mod ledger;
mod once;
mod quiet;
#[cfg(test)]
mod refused;
mod turns;

pub use audit::Audit;
pub use delivery::Delivery;
pub use exclusion::Exclusion;
pub use ledger::Ledger;
pub use manet_mutex::invariants::{Check, Invariants, Violation, held_up};
pub use once::Once;
pub use quiet::{is_quiet, is_settled};
pub use turns::Turns;

use crate::network::StepError;
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Cargo, Event, Message};
use manet_mutex::observer::{Lane, Observer};
pub use manet_mutex::promise::{Custody, Promise, Scope};

impl From<&StepError> for Violation {
    fn from(error: &StepError) -> Self {
        let check = match error {
            StepError::NotEnabled(..) => Check::Schedule,
            StepError::Protocol(error) => return Self::from(error),
            StepError::NoLink { .. } => Check::OpenLink,
        };
        Self::new(check, error.to_string())
    }
}

/// The safety checks of one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Safety {
    /// Who is inside.
    pub exclusion: Exclusion,
    /// Who owns what.
    pub ledger: Ledger,
    /// What went wrong first, and how often anything did.
    first: Option<Violation>,
    count: u64,
}

impl Safety {
    /// For a network of `nodes` in which `owner` starts with the token and all units. Links that
    /// exist from the start count for [`Scope::Neighbours`] from the start.
    pub fn new(
        promise: Promise,
        nodes: usize,
        owner: NodeId,
        links: impl IntoIterator<Item = (NodeId, NodeId)>,
    ) -> Self {
        Self {
            exclusion: Exclusion::new(promise.scope, nodes, links),
            ledger: Ledger::new(promise, nodes, owner),
            first: None,
            count: 0,
        }
    }

    /// The first violation.
    pub const fn violation(&self) -> Option<&Violation> {
        self.first.as_ref()
    }

    /// Takes the first violation out, so that the next one is first.
    pub const fn take_violation(&mut self) -> Option<Violation> {
        self.first.take()
    }

    /// How many there were.
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Records a violation found elsewhere.
    pub fn report(&mut self, violation: Violation) {
        self.count += 1;
        self.first.get_or_insert(violation);
    }

    fn note(&mut self, result: Result<(), Violation>) {
        if let Err(violation) = result {
            self.report(violation);
        }
    }
}

impl AsMut<Self> for Safety {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}

impl AsRef<Self> for Safety {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<M: Message> Observer<M> for Safety {
    #[inline(always)]
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        match event {
            Event::Message { msg, .. } if msg.cargo() == Cargo::Nothing => return,
            Event::Release => self.exclusion.leave(node),
            Event::LinkUp { peer, role } => self.exclusion.link_up(node, *peer, *role),
            Event::LinkDown { peer, .. } => self.exclusion.link_down(node, *peer),
            _ => {}
        }
        let booked = self.ledger.event(node, event);
        self.note(booked);
    }

    #[inline(always)]
    fn action(&mut self, node: NodeId, action: &Action<M>, _: Option<Lane>) {
        match action {
            Action::Send { msg, .. } if msg.cargo() == Cargo::Nothing => {}
            Action::Send { to, msg } => {
                let booked = self.ledger.sent(node, *to, msg);
                self.note(booked);
            }
            Action::Enter(demand) => self.enter(node, *demand),
            Action::Demoted => self.exclusion.leave(node),
            _ => {}
        }
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        self.exclusion.link_begins(a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        let alone = self.exclusion.linked(node, peer);
        self.note(alone);
    }

    fn crash(&mut self, node: NodeId) {
        self.exclusion.crash(node);
        self.ledger.crash(node);
    }

    fn restart(&mut self, node: NodeId) {
        self.ledger.crash(node);
        self.exclusion.restart(node);
    }
}

impl Safety {
    fn enter(&mut self, node: NodeId, demand: Demand) {
        let entered = self.exclusion.enter(node, demand);
        self.note(entered);
        let entitled = self.ledger.entered(node, demand);
        self.note(entitled);
    }
}
