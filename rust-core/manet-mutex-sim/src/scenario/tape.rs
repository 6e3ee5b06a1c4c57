//! Traces as text.

use crate::network::{Lane, Observer};
use manet_mutex::demand::Demand;
use manet_mutex::describe::Describe;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Event, Fate, Outcome};
use std::collections::BTreeSet;

/// A node's line of a state.
pub(super) fn state_line<P: Describe>(node: &P) -> String {
    format!("{} {}", node.id(), node.state())
}

/// Writes down what nodes receive and do.
#[derive(Debug, Default)]
pub(super) struct Tape {
    /// One line for each thing.
    pub(super) lines: Vec<String>,
    /// Whose state may have changed.
    pub(super) touched: BTreeSet<NodeId>,
}

/// A [`Tape`] for the messages of one protocol.
pub(super) struct Pen<'a, P> {
    pub(super) tape: &'a mut Tape,
    pub(super) terms: std::marker::PhantomData<P>,
}

impl<P: Describe> Observer<P::Message> for Pen<'_, P> {
    fn event(&mut self, node: NodeId, event: &Event<P::Message>) {
        self.tape.touched.insert(node);
        let line = match event {
            // The step itself says it all.
            Event::Start | Event::Request(_) | Event::Release => return,
            Event::Message { from, msg } => format!("{node} < {from} {}", P::message(msg)),
            Event::LinkUp { peer, .. } => format!("{node} < LinkUp {peer}"),
            Event::LinkDown { peer, unacked } => {
                let fates = unacked.iter().map(|(msg, fate)| {
                    let fate = match fate {
                        Fate::Delivered => "delivered",
                        Fate::Returned => "returned",
                        Fate::InDoubt => "in doubt",
                    };
                    format!(", {} {fate}", P::message(msg))
                });
                format!("{node} < LinkDown {peer}{}", fates.collect::<String>())
            }
            Event::Resolved { peer, msg, outcome } => {
                let outcome = match outcome {
                    Outcome::Delivered => "delivered",
                    Outcome::Returned => "returned",
                };
                format!("{node} < Resolved {peer}, {} {outcome}", P::message(msg))
            }
            Event::Timer(id) => format!("{node} < Timer {}", id.0),
        };
        self.tape.lines.push(line);
    }

    fn action(&mut self, node: NodeId, action: &Action<P::Message>, _: Option<Lane>) {
        self.tape.lines.push(match action {
            Action::Send { to, msg } => format!("{node} > {to} {}", P::message(msg)),
            Action::Enter(Demand::Exclusive) => format!("{node} ENTER"),
            Action::Enter(demand) => format!("{node} ENTER {demand}"),
            Action::Demoted => format!("{node} DEMOTED"),
            Action::SetTimer { id, .. } => format!("{node} sets timer {}", id.0),
            Action::CancelTimer(id) => format!("{node} cancels timer {}", id.0),
            Action::Note(note) => format!("{node} {note:?}"),
        });
    }

    fn crash(&mut self, node: NodeId) {
        self.tape.touched.insert(node);
    }
}
