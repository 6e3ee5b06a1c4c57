//! What is recorded while a run over routing happens.

use crate::check::{Audit, Safety};
use crate::network::{Lane, Observer};
use crate::world::books::Books;
use crate::world::meter::Meter;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Event, Message, Reach};
use manet_mutex::node::Watcher;
use manet_mutex::transport::Note;

/// The books of every world, with checks of the transports.
#[derive(Debug)]
pub(super) struct Watch<M> {
    pub books: Books<Audit<M>>,
    pub unreachable: u64,
    /// Sender, receiver and kind of what was sent in this step: routing knows what that costs.
    pub sent: Vec<(NodeId, NodeId, &'static str)>,
}

impl<M: Message> Watch<M> {
    pub fn new(safety: Safety, meter: Meter, size: usize) -> Self {
        Self {
            books: Books::new(Audit::new(Reach::Anyone, safety), meter, size),
            unreachable: 0,
            sent: Vec::new(),
        }
    }
}

impl<M: Message> Observer<M> for Watch<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.books.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Action::Send { to, msg } = action {
            self.sent.push((node, *to, msg.kind()));
        }
        self.books.action(node, action, lane);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        self.books.linked(node, peer);
    }
}

impl<M: Message> Watcher<M> for Watch<M> {
    fn peer(&mut self, node: NodeId, note: &Note<M>) {
        self.books.safety.peer(node, note);
        self.unreachable += u64::from(matches!(note, Note::Unreachable { .. }));
    }
}
