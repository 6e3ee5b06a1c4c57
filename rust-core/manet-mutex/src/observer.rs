//! Observers of machines: checkers, meters and traces.

use crate::ids::NodeId;
use crate::machine::{Action, Event};

/// Sees everything that enters and leaves the machines, and cannot change it.
pub trait Observer<M> {
    /// A node is about to handle an event.
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        let _ = (node, event);
    }

    /// A node left an action; a message also tells which way it goes.
    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        let _ = (node, action, lane);
    }

    /// An incarnation of a link begins; its ends do not know yet.
    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        let _ = (a, b);
    }

    /// A node has handled that a link to `peer` came up, and its actions have been carried out.
    fn linked(&mut self, node: NodeId, peer: NodeId) {
        let _ = (node, peer);
    }

    /// A node fell silent.
    fn crash(&mut self, node: NodeId) {
        let _ = node;
    }

    /// A node that fell silent starts again, in a new life. It owns nothing and knows no link.
    fn restart(&mut self, node: NodeId) {
        let _ = node;
    }
}

impl<M> Observer<M> for () {}

impl<M, A: Observer<M>, B: Observer<M>> Observer<M> for (&mut A, &mut B) {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.0.event(node, event);
        self.1.event(node, event);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        self.0.action(node, action, lane);
        self.1.action(node, action, lane);
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        self.0.link_begins(a, b);
        self.1.link_begins(a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        self.0.linked(node, peer);
        self.1.linked(node, peer);
    }

    fn crash(&mut self, node: NodeId) {
        self.0.crash(node);
        self.1.crash(node);
    }

    fn restart(&mut self, node: NodeId) {
        self.0.restart(node);
        self.1.restart(node);
    }
}

/// One direction of one pair of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    /// Which pair.
    pub pair: u32,
    /// The end that sends.
    pub end: u8,
}
