//! How a trace names what it shows.

use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::{Action, Event, Fate, Outcome, Protocol};
use crate::network::{Lane, Observer};
use crate::protocol::rl::{Rl, RlMessage, Status};
use crate::protocol::routed::raymond::Raymond;
use std::collections::BTreeSet;

/// A protocol's own words for its messages and states, for traces. By default what `Debug` says.
pub trait Terms: Protocol {
    /// A message.
    fn message(msg: &Self::Message) -> String {
        format!("{msg:?}")
    }

    /// The state of a node, on one line.
    fn state(&self) -> String {
        format!("{self:?}")
    }
}

impl Terms for Raymond {}

/// The names of [RL 4.1].
impl Terms for Rl {
    fn message(msg: &RlMessage) -> String {
        match msg {
            RlMessage::LinkInfo(height) => format!("LinkInfo {height:?}"),
            RlMessage::Request(height) => format!("Request {height:?}"),
            RlMessage::Token { height, more } => {
                let request = if *more { " with Request" } else { "" };
                format!("Token {height:?}{request}")
            }
        }
    }

    fn state(&self) -> String {
        let dag = self.dag();
        let status = match self.status() {
            Status::Remainder => "REMAINDER",
            Status::Waiting => "WAITING",
            Status::Critical => "CRITICAL",
        };
        let token = if dag.has_token() { "token " } else { "" };
        let next = dag.next().map_or("-".to_owned(), |next| next.to_string());
        let queue: Vec<String> = self.queue().iter().map(NodeId::to_string).collect();
        let mine = dag.height();
        let side = |name: &str, outgoing: bool| {
            let heights = dag.neighbours().filter(|&h| (h < mine) == outgoing);
            let heights: Vec<String> = heights.map(|h| format!(" {h:?}")).collect();
            if heights.is_empty() {
                return String::new();
            }
            format!(" {name}{}", heights.concat())
        };
        let (out, into) = (side("outgoing", true), side("incoming", false));
        let queue = queue.join(" ");
        format!("{mine:?} {status} {token}next {next} Q [{queue}]{out}{into}")
    }
}

/// A node's line of a state.
pub(super) fn state_line<P: Terms>(node: &P) -> String {
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

impl<P: Terms> Observer<P::Message> for Pen<'_, P> {
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
