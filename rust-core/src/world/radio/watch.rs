//! Those who look on while a run over the radio happens.

use super::meter::LinkMeter;
use crate::check::{Delivery, Safety, Violation};
use crate::ids::NodeId;
use crate::link::Note;
use crate::machine::{Action, Event, Message};
use crate::network::{Lane, Observer};
use crate::node::Watcher;
use crate::world::books::Books;
use crate::world::meter::Meter;

/// The books of every world, and a check of the link layer itself.
#[derive(Debug)]
pub(super) struct Watch<M> {
    pub books: Books,
    pub delivery: Delivery<M>,
    pub links: LinkMeter,
}

impl<M: Message> Watch<M> {
    pub fn new(safety: Safety, meter: Meter, size: usize) -> Self {
        Self {
            books: Books::new(safety, meter, size),
            delivery: Delivery::new(),
            links: LinkMeter::default(),
        }
    }

    fn note_result(&mut self, result: Result<(), Violation>) {
        if let Err(violation) = result {
            self.books.safety.report(violation);
        }
    }
}

impl<M: Message> Observer<M> for Watch<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        let checked = match event {
            Event::Message { from, msg } => self.delivery.received(node, *from, msg),
            Event::LinkDown { peer, unacked } => self.delivery.down(node, *peer, unacked),
            Event::Resolved { peer, msg, outcome } => {
                self.delivery.resolved(node, *peer, msg, *outcome)
            }
            _ => Ok(()),
        };
        self.note_result(checked);
        self.books.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Action::Send { to, msg } = action {
            let checked = self.delivery.sent(node, *to, msg);
            self.note_result(checked);
            self.books.meter.sent(msg.kind(), 1);
        }
        self.books.action(node, action, lane);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        <Books as Observer<M>>::linked(&mut self.books, node, peer);
    }
}

impl<M: Message> Watcher<M> for Watch<M> {
    fn note(&mut self, node: NodeId, note: &Note) {
        if let Note::Up {
            peer,
            incarnation,
            role,
        } = *note
        {
            if self.delivery.is_new(node, peer, incarnation) {
                <Books as Observer<M>>::link_begins(&mut self.books, node, peer);
            }
            let checked = self.delivery.up(node, peer, incarnation, role);
            self.note_result(checked);
        }
        let changed = matches!(note, Note::Up { .. } | Note::Down { .. });
        self.books.meter.link_changes += u64::from(changed);
        self.links.note(self.books.now, node, note);
    }
}
