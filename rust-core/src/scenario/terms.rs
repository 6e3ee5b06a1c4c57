//! How a trace names what it shows.

use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::{Action, Event, Fate, Message, Outcome, Protocol};
use crate::network::{Lane, Observer};
use crate::protocol::gme::{Gme, GmeMessage};
use crate::protocol::hk::{Hk, HkMessage, Key};
use crate::protocol::reversal::{Dag, Status};
use crate::protocol::rl::{Rl, RlMessage};
use crate::protocol::routed::dgme::{Dgme, DgmeMessage, Session};
use crate::protocol::routed::naimi_trehel::{NaimiTrehel, NaimiTrehelMessage};
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

/// The names of [NTA 3].
impl Terms for NaimiTrehel {
    fn message(msg: &NaimiTrehelMessage) -> String {
        match msg {
            NaimiTrehelMessage::Request(who) => format!("Request {who}"),
            NaimiTrehelMessage::Token => "Token".to_owned(),
        }
    }

    fn state(&self) -> String {
        let name = |node: Option<NodeId>| node.map_or("-".to_owned(), |node| node.to_string());
        let marks = [
            (self.is_requesting(), " requesting"),
            (self.has_token(), " token"),
        ];
        let marks: String = marks
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, name)| *name)
            .collect();
        format!(
            "last {} next {}{marks}",
            name(self.last()),
            name(self.next())
        )
    }
}

/// The names of the paper on `dgme`; a session is written as a demand for it.
impl Terms for Dgme {
    fn message(msg: &DgmeMessage) -> String {
        let kind = msg.kind();
        match msg {
            DgmeMessage::Open(x) | DgmeMessage::Ok(x) => format!("{kind} g{x}"),
            DgmeMessage::Rel(x) | DgmeMessage::Token(x) => format!("{kind} g{x}"),
            DgmeMessage::Req { at, by } => format!("{kind} g{by} at g{at}"),
        }
    }

    fn state(&self) -> String {
        let name = |session: Option<u32>| session.map_or("-".to_owned(), |x| format!("g{x}"));
        let session = |x: &Session| {
            let token = if x.has_token() { " HT" } else { "" };
            let waiting: Vec<String> = x.waiting().iter().map(ToString::to_string).collect();
            let (leader, next) = (name(x.leader()), name(x.next()));
            let (waiting, inside) = (waiting.join(" "), x.inside());
            let lists = format!("RS [{waiting}] Nrel {inside}");
            format!(" | g{}{token} Leader {leader} Next {next} {lists}", x.id())
        };
        let sessions: String = self.sessions().iter().map(session).collect();
        let (wanted, inside) = self.process();
        let does = match wanted {
            None => "idle".to_owned(),
            Some(x) if inside => format!("in g{x}"),
            Some(x) => format!("wants g{x}"),
        };
        format!("{does}{sessions}")
    }
}

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
        let status = match self.status() {
            Status::Remainder => "REMAINDER",
            Status::Waiting => "WAITING",
            Status::Critical => "CRITICAL",
        };
        on_dag(self.dag(), status, self.queue(), "")
    }
}

/// The names of [GME 3]; a resource is written as a demand for it.
impl Terms for Gme {
    fn message(msg: &GmeMessage) -> String {
        let kind = msg.kind();
        match msg {
            GmeMessage::LinkInfo(height) => format!("{kind} {height:?}"),
            GmeMessage::Request { height, resource } => format!("{kind} {height:?} g{resource}"),
            GmeMessage::Token { height, resources } => {
                let resources: Vec<String> = resources.iter().map(|r| format!(" g{r}")).collect();
                format!("{kind} {height:?}{}", resources.concat())
            }
            GmeMessage::SubToken {
                height,
                resource,
                weight,
            } => format!("{kind} {height:?} g{resource} weight {weight}"),
            GmeMessage::Release { height, weight } => format!("{kind} {height:?} weight {weight}"),
        }
    }

    fn state(&self) -> String {
        let mut more = String::new();
        if let Some(open) = self.session() {
            more += &format!(" session g{open}");
        }
        if self.weight() > 0 {
            more += &format!(" weight {}", self.weight());
        }
        if self.pending() > 0 {
            more += &format!(" pending {}", self.pending());
        }
        let queue: Vec<String> = self
            .queue()
            .iter()
            .map(|(i, r)| format!("{i}:g{r}"))
            .collect();
        on_dag(self.dag(), jiang(self.state()), &queue, &more)
    }
}

/// The names of [HK II]; a key is a rank and the node that waits.
impl Terms for Hk {
    fn message(msg: &HkMessage) -> String {
        let kind = msg.kind();
        match msg {
            HkMessage::LinkInfo(height) => format!("{kind} {height:?}"),
            HkMessage::Request { height, key } => format!("{kind} {height:?} {key:?}"),
            HkMessage::Token {
                height,
                units,
                grants,
                residual,
            } => {
                let rest = residual.map_or(String::new(), |key| format!(" with Request {key:?}"));
                format!("{kind} {height:?} t {units} G {grants}{rest}")
            }
            HkMessage::Release { height, units } => format!("{kind} {height:?} r {units}"),
        }
    }

    fn state(&self) -> String {
        let mut more = String::new();
        let amounts = [
            ("t", self.units()),
            ("h", self.need().unwrap_or(0).into()),
            ("held", self.held()),
            ("pending", self.pending()),
        ];
        for (name, amount) in amounts.into_iter().filter(|&(_, amount)| amount > 0) {
            more += &format!(" {name} {amount}");
        }
        let entry = |(key, who): &(Key, NodeId)| format!("{who}:{key:?}");
        let queue: Vec<String> = self.queue().iter().map(entry).collect();
        on_dag(self.dag(), jiang(self.state()), &queue, &more)
    }
}

/// The names that Jiang's papers have for a status.
const fn jiang(status: Status) -> &'static str {
    match status {
        Status::Remainder => "NCS",
        Status::Waiting => "ES",
        Status::Critical => "CS",
    }
}

/// The state of a node on link reversal.
fn on_dag<T: ToString>(
    dag: &Dag,
    status: &str,
    queue: impl IntoIterator<Item = T>,
    more: &str,
) -> String {
    let token = if dag.has_token() { "token " } else { "" };
    let next = dag.next().map_or("-".to_owned(), |next| next.to_string());
    let queue: Vec<String> = queue.into_iter().map(|entry| entry.to_string()).collect();
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
    format!("{mine:?} {status} {token}next {next} Q [{queue}]{more}{out}{into}")
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
