//! What is recorded while a run over the radio happens.

use super::meter::LinkMeter;
use crate::check::{Audit, Safety};
use crate::network::{Lane, Observer};
use crate::world::books::Books;
use crate::world::meter::Meter;
use manet_mutex::ids::NodeId;
use manet_mutex::link::Note;
use manet_mutex::machine::{Action, Event, Message, Reach};
use manet_mutex::node::Watcher;

/// The books of every world, with checks of the link layers, and what links cost.
#[derive(Debug)]
pub(super) struct Watch<M> {
    pub books: Books<Audit<M>>,
    pub links: LinkMeter,
}

impl<M: Message> Watch<M> {
    pub fn new(safety: Safety, meter: Meter, size: usize) -> Self {
        Self {
            books: Books::new(Audit::new(Reach::Neighbours, safety), meter, size),
            links: LinkMeter::default(),
        }
    }
}

impl<M: Message> Observer<M> for Watch<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.books.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Action::Send { msg, .. } = action {
            self.books.meter.sent(msg.kind(), 1);
        }
        self.books.action(node, action, lane);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        self.books.linked(node, peer);
    }
}

impl<M: Message> Watcher<M> for Watch<M> {
    fn note(&mut self, node: NodeId, note: &Note) {
        self.books.safety.note(node, note);
        let changed = matches!(note, Note::Up { .. } | Note::Down { .. });
        self.books.meter.link_changes += u64::from(changed);
        self.links.note(self.books.now, node, note);
    }
}
