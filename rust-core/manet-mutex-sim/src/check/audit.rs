//! All checks of a run of whole nodes.

use super::{Check, Delivery, Once, Safety, Violation};
use crate::network::{Lane, Observer};
use manet_mutex::ids::NodeId;
use manet_mutex::link;
use manet_mutex::machine::{Action, Event, Message, ProtocolError, Reach};
use manet_mutex::node::Watcher;
use manet_mutex::transport;
use std::collections::BTreeMap;

/// Holds the protocols of a run, and what carries their messages, to their promises. Every host of
/// [nodes](manet_mutex::node) has one for all of them and hands it everything that it sees.
///
/// A node may crash and start again in a new life. What it owned is lost with it, and the links of
/// its earlier life are over; everybody else is held to the promises as before. A node that crashes
/// inside is inside no longer, unless only neighbours are excluded: then those whose links to it
/// are up must not enter before they have closed them or the node has started again.
#[derive(Clone, Debug)]
pub struct Audit<M> {
    safety: Safety,
    carriage: Carriage<M>,
    /// The present or last life of each node that was started.
    lives: BTreeMap<NodeId, Life>,
}

/// A life of a node.
#[derive(Clone, Debug)]
struct Life {
    number: u16,
    runs: bool,
}

/// The promises of what carries the messages.
#[derive(Clone, Debug)]
enum Carriage<M> {
    /// Links: in order, while they are up.
    Links(Delivery<M>),
    /// A transport: exactly once.
    Transport(Once<M>),
}

impl<M: Message> Audit<M> {
    /// For nodes of a protocol of this reach, none of which has started.
    pub const fn new(reach: Reach, safety: Safety) -> Self {
        let carriage = match reach {
            Reach::Neighbours => Carriage::Links(Delivery::new()),
            Reach::Anyone => Carriage::Transport(Once::new()),
        };
        Self {
            safety,
            carriage,
            lives: BTreeMap::new(),
        }
    }

    /// A node starts in a life. That it runs already, or had that life or a later one before, is a
    /// violation: others cannot tell its lives apart then.
    pub fn start(&mut self, node: NodeId, life: u16) {
        let begun = Life {
            number: life,
            runs: true,
        };
        let detail = match self.lives.insert(node, begun) {
            Some(Life { number, runs: true }) => Some(format!(
                "node {node} starts in life {life} while it runs in life {number}: \
                 stop its earlier application first"
            )),
            Some(Life { number, .. }) if number >= life => Some(format!(
                "node {node} starts in life {life} after life {number}: use a larger one"
            )),
            _ => None,
        };
        if let Some(detail) = detail {
            self.report(Violation::new(Check::Lives, detail));
        }
        if life > 0 {
            self.restart(node);
        }
    }

    /// A node falls silent, in a life in which it was started.
    pub fn stop(&mut self, node: NodeId, life: u16) {
        if let Some(last) = self.lives.get_mut(&node)
            && last.number == life
            && last.runs
        {
            last.runs = false;
            self.crash(node);
        }
    }

    /// Who is inside, and who owns what.
    pub const fn safety(&self) -> &Safety {
        &self.safety
    }

    /// The first violation.
    pub const fn violation(&self) -> Option<&Violation> {
        self.safety.violation()
    }

    /// How many violations there were.
    pub const fn count(&self) -> u64 {
        self.safety.count()
    }

    /// Records a violation found elsewhere.
    pub fn report(&mut self, violation: Violation) {
        self.safety.report(violation);
    }

    /// Records an error of a node.
    pub fn error(&mut self, error: &ProtocolError) {
        self.report(Violation::from(error));
    }

    /// How many messages are in doubt at living nodes.
    pub fn open_doubts(&self) -> usize {
        match &self.carriage {
            Carriage::Links(delivery) => delivery.open_doubts(),
            Carriage::Transport(_) => 0,
        }
    }

    /// Whether everything that was sent is accounted for.
    pub fn is_settled(&self) -> bool {
        match &self.carriage {
            Carriage::Links(delivery) => delivery.is_settled(),
            Carriage::Transport(once) => once.is_settled(),
        }
    }

    fn note_result(&mut self, result: Result<(), Violation>) {
        if let Err(violation) = result {
            self.report(violation);
        }
    }
}

impl<M> AsRef<Safety> for Audit<M> {
    fn as_ref(&self) -> &Safety {
        &self.safety
    }
}

impl<M> AsMut<Safety> for Audit<M> {
    fn as_mut(&mut self) -> &mut Safety {
        &mut self.safety
    }
}

impl<M: Message> Observer<M> for Audit<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        let carried = match (&mut self.carriage, event) {
            (Carriage::Links(delivery), Event::Message { from, msg }) => {
                delivery.received(node, *from, msg)
            }
            (Carriage::Links(delivery), Event::LinkDown { peer, unacked }) => {
                delivery.down(node, *peer, unacked)
            }
            (Carriage::Links(delivery), Event::Resolved { peer, msg, outcome }) => {
                delivery.resolved(node, *peer, msg, *outcome)
            }
            (Carriage::Transport(once), Event::Message { from, msg }) => {
                once.received(node, *from, msg)
            }
            _ => Ok(()),
        };
        self.note_result(carried);
        self.safety.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Action::Send { to, msg } = action {
            let carried = match &mut self.carriage {
                Carriage::Links(delivery) => delivery.sent(node, *to, msg),
                Carriage::Transport(once) => {
                    once.sent(node, *to, msg);
                    Ok(())
                }
            };
            self.note_result(carried);
        }
        self.safety.action(node, action, lane);
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        <Safety as Observer<M>>::link_begins(&mut self.safety, a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        <Safety as Observer<M>>::linked(&mut self.safety, node, peer);
    }

    fn crash(&mut self, node: NodeId) {
        <Safety as Observer<M>>::crash(&mut self.safety, node);
        match &mut self.carriage {
            Carriage::Links(delivery) => delivery.crashed(node),
            Carriage::Transport(once) => once.restarted(node),
        }
    }

    fn restart(&mut self, node: NodeId) {
        <Self as Observer<M>>::crash(self, node);
        <Safety as Observer<M>>::restart(&mut self.safety, node);
    }
}

impl<M: Message> Watcher<M> for Audit<M> {
    fn note(&mut self, node: NodeId, note: &link::Note) {
        let link::Note::Up {
            peer,
            incarnation,
            role,
        } = *note
        else {
            return;
        };
        let Carriage::Links(delivery) = &mut self.carriage else {
            return;
        };
        let begins = delivery.is_new(node, peer, incarnation);
        let up = delivery.up(node, peer, incarnation, role);
        if begins {
            <Self as Observer<M>>::link_begins(self, node, peer);
        }
        self.note_result(up);
    }

    fn peer(&mut self, node: NodeId, note: &transport::Note<M>) {
        if let transport::Note::PeerRestarted {
            peer,
            in_doubt,
            unsent,
        } = note
            && let Carriage::Transport(once) = &mut self.carriage
        {
            let told = once.peer_restarted(node, *peer, in_doubt, unsent);
            self.note_result(told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Promise;
    use crate::check::{Custody, Scope};
    use manet_mutex::demand::Demand;
    use manet_mutex::link::Epoch;
    use manet_mutex::machine::Role;
    use manet_mutex::protocol::rl::{Rl, RlMessage};
    use manet_mutex::protocol::{FOUNDER, Population};

    const A: NodeId = NodeId(0);
    const B: NodeId = NodeId(1);

    fn audit(promise: Promise) -> Audit<RlMessage> {
        Audit::new(Reach::Neighbours, Safety::new(promise, 2, FOUNDER, []))
    }

    fn local() -> Audit<RlMessage> {
        audit(Promise {
            scope: Scope::Neighbours,
            custody: Custody::Nothing,
        })
    }

    /// A link comes up at an end.
    fn up(audit: &mut Audit<RlMessage>, node: NodeId, epochs: (u64, u64), role: Role) {
        let peer = if node == A { B } else { A };
        let note = link::Note::Up {
            peer,
            incarnation: (Epoch(epochs.0), Epoch(epochs.1)),
            role,
        };
        audit.note(node, &note);
        audit.event(node, &Event::LinkUp { peer, role });
        audit.linked(node, peer);
    }

    fn down(audit: &mut Audit<RlMessage>, node: NodeId) {
        let peer = if node == A { B } else { A };
        let unacked = Vec::new();
        audit.event(node, &Event::LinkDown { peer, unacked });
    }

    fn enter(audit: &mut Audit<RlMessage>, node: NodeId) {
        audit.action(node, &Action::Enter(Demand::Exclusive), None);
    }

    #[test]
    fn neighbours_are_kept_apart_in_every_incarnation() {
        let mut audit = local();
        for epoch in 1..4 {
            up(&mut audit, B, (epoch, epoch), Role::Static);
            up(&mut audit, A, (epoch, epoch), Role::Moving);
            down(&mut audit, A);
            down(&mut audit, B);
        }
        up(&mut audit, B, (4, 4), Role::Static);
        up(&mut audit, A, (4, 4), Role::Moving);
        enter(&mut audit, A);
        assert_eq!(audit.count(), 0, "{:?}", audit.violation());
        enter(&mut audit, B);
        assert_eq!(audit.count(), 1);
    }

    #[test]
    fn a_moving_end_must_step_back() {
        let mut audit = local();
        enter(&mut audit, A);
        enter(&mut audit, B);
        up(&mut audit, B, (1, 1), Role::Static);
        assert_eq!(audit.count(), 0, "{:?}", audit.violation());
        up(&mut audit, A, (1, 1), Role::Moving);
        assert_eq!(audit.count(), 1);
    }

    #[test]
    fn a_restart_ends_the_links_of_the_earlier_life() {
        let mut audit = local();
        up(&mut audit, B, (1, 1), Role::Static);
        up(&mut audit, A, (1, 1), Role::Moving);
        audit.crash(B);
        audit.restart(B);
        down(&mut audit, A);
        up(&mut audit, B, (1 << 32, 2), Role::Static);
        up(&mut audit, A, (2, 1 << 32), Role::Moving);
        assert_eq!(audit.count(), 0, "{:?}", audit.violation());
        // But not those of a node that lives.
        audit.restart(B);
        up(&mut audit, B, (2 << 32, 3), Role::Static);
        assert_eq!(audit.count(), 1);
    }

    #[test]
    fn what_a_crashed_node_owned_is_lost_with_it() {
        let mut audit = audit(Rl::promise(&Default::default()));
        enter(&mut audit, FOUNDER);
        audit.crash(FOUNDER);
        assert_eq!(audit.safety().exclusion.count(), 0);
        assert!(audit.safety().ledger.is_lost_with(FOUNDER));
        assert_eq!(audit.safety().ledger.holder(), None);
        audit.restart(FOUNDER);
        assert_eq!(audit.count(), 0, "{:?}", audit.violation());
        enter(&mut audit, FOUNDER);
        assert_eq!(audit.count(), 1, "the token is not made again");
    }
}
