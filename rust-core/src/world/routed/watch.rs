//! Those who look on while a run over routing happens.

use crate::check::{Once, Safety};
use crate::ids::NodeId;
use crate::machine::{Action, Event, Message};
use crate::network::{Lane, Observer};
use crate::node::Watcher;
use crate::transport::Note;
use crate::world::books::Books;
use crate::world::meter::Meter;

/// The books of every world, and a check of the transport itself.
#[derive(Debug)]
pub(super) struct Watch<M> {
    pub books: Books,
    pub once: Once<M>,
    pub unreachable: u64,
    /// Sender, receiver and kind of what was sent in this step: routing knows what that costs.
    pub sent: Vec<(NodeId, NodeId, &'static str)>,
}

impl<M: Message> Watch<M> {
    pub fn new(safety: Safety, meter: Meter, size: usize) -> Self {
        Self {
            books: Books::new(safety, meter, size),
            once: Once::new(),
            unreachable: 0,
            sent: Vec::new(),
        }
    }
}

impl<M: Message> Observer<M> for Watch<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        if let Event::Message { from, msg } = event
            && let Err(violation) = self.once.received(node, *from, msg)
        {
            self.books.safety.report(violation);
        }
        self.books.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Action::Send { to, msg } = action {
            self.once.sent(node, *to, msg);
            self.sent.push((node, *to, msg.kind()));
        }
        self.books.action(node, action, lane);
    }
}

impl<M: Message> Watcher<M> for Watch<M> {
    fn peer(&mut self, _: NodeId, note: &Note<M>) {
        self.unreachable += u64::from(matches!(note, Note::Unreachable { .. }));
    }
}
