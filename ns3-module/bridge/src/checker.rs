//! What the core's own checkers say about a run: who was inside, who owned what, and whether the
//! link layers kept their promises. One checker watches all stations of a run.

use crate::BoxError;
use crate::ffi::Settings;
use crate::station;
use manet_mutex::check::{Delivery, Monitor, Once, Safety, Violation};
use manet_mutex::link::Note;
use manet_mutex::machine::{Action, Event, Message, ProtocolError, Reach};
use manet_mutex::network::{Lane, Observer};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::scenario::Terms;
use manet_mutex::wire::WireMessage;
use manet_mutex::{NodeId, Time};
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// The checks of a run, of any protocol.
pub struct Checker {
    protocol: String,
    /// [`Checks`] of the protocol's messages.
    checks: Rc<dyn Any>,
    verdict: Rc<dyn Verdict>,
}

impl Checker {
    /// The checks, for a station whose messages are of type `M`.
    pub(crate) fn checks<M: Message>(&self) -> Result<Rc<RefCell<Checks<M>>>, BoxError> {
        let checks = Rc::clone(&self.checks).downcast::<RefCell<Checks<M>>>();
        checks.map_err(|_| {
            let protocol = &self.protocol;
            format!("the checker is for {protocol}: watch nodes of one protocol").into()
        })
    }

    pub(crate) fn violations(&self) -> u64 {
        self.verdict.violations()
    }

    pub(crate) fn first_violation(&self) -> String {
        self.verdict.first()
    }

    pub(crate) fn open_doubts(&self) -> u64 {
        self.verdict.open_doubts()
    }
}

/// The checks of a run of one protocol.
pub(crate) struct Checks<M> {
    pub now: Time,
    safety: Safety,
    carriage: Carriage<M>,
    /// The first violation, with its time.
    first: String,
}

/// What carries the messages, and the promises of that.
enum Carriage<M> {
    /// Links: in order, while they are up.
    Links(Delivery<M>),
    /// A transport: exactly once.
    Transport(Once<M>),
}

impl<M: Message> Checks<M> {
    pub fn broken(&mut self, error: &ProtocolError) {
        self.note_result(Err(Violation::from(error)));
    }

    pub fn note(&mut self, node: NodeId, note: &Note) {
        if let Note::Up {
            peer,
            incarnation,
            role,
        } = *note
            && let Carriage::Links(delivery) = &mut self.carriage
        {
            let checked = delivery.up(node, peer, incarnation, role);
            self.note_result(checked);
        }
    }

    fn note_result(&mut self, result: Result<(), Violation>) {
        if let Err(violation) = result {
            self.safety.report(violation);
        }
        self.date();
    }

    /// Dates the first violation.
    fn date(&mut self) {
        if self.first.is_empty()
            && let Some(violation) = self.safety.violation()
        {
            self.first = format!("at {} s: {violation}", self.now);
        }
    }
}

impl<M: Message> Observer<M> for Checks<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        let checked = match &mut self.carriage {
            Carriage::Links(delivery) => match event {
                Event::Message { from, msg } => delivery.received(node, *from, msg),
                Event::LinkDown { peer, unacked } => delivery.down(node, *peer, unacked),
                Event::Resolved { peer, msg, outcome } => {
                    delivery.resolved(node, *peer, msg, *outcome)
                }
                _ => Ok(()),
            },
            Carriage::Transport(once) => match event {
                Event::Message { from, msg } => once.received(node, *from, msg),
                _ => Ok(()),
            },
        };
        self.safety.event(node, event);
        self.note_result(checked);
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        let checked = match (action, &mut self.carriage) {
            (Action::Send { to, msg }, Carriage::Links(delivery)) => delivery.sent(node, *to, msg),
            (Action::Send { to, msg }, Carriage::Transport(once)) => {
                once.sent(node, *to, msg);
                Ok(())
            }
            _ => Ok(()),
        };
        self.safety.action(node, action, lane);
        self.note_result(checked);
    }
}

/// What can be said without knowing the messages.
trait Verdict {
    fn violations(&self) -> u64;
    fn first(&self) -> String;
    fn open_doubts(&self) -> u64;
}

impl<M: Message> Verdict for RefCell<Checks<M>> {
    fn violations(&self) -> u64 {
        self.borrow().safety.count()
    }

    fn first(&self) -> String {
        self.borrow().first.clone()
    }

    fn open_doubts(&self) -> u64 {
        match &self.borrow().carriage {
            Carriage::Links(delivery) => delivery.open_doubts() as u64,
            Carriage::Transport(_) => 0,
        }
    }
}

/// A checker for a run as the settings say.
pub(crate) fn new(settings: &Settings) -> Result<Checker, BoxError> {
    let make = Make {
        protocol: settings.protocol.clone(),
        nodes: settings.nodes as usize,
    };
    let options = station::options(settings)?;
    Ok(registry::visit(&settings.protocol, &options, make)?)
}

struct Make {
    protocol: String,
    nodes: usize,
}

impl Visitor for Make {
    type Output = Checker;

    fn visit<P: Population + Monitor + Terms>(self, config: P::Config) -> Checker
    where
        P::Message: WireMessage,
    {
        let checks = Rc::new(RefCell::new(Checks::<P::Message> {
            now: Time::ZERO,
            safety: Safety::new(P::promise(&config), self.nodes, NodeId(0), []),
            carriage: match P::REACH {
                Reach::Neighbours => Carriage::Links(Delivery::new()),
                Reach::Anyone => Carriage::Transport(Once::new()),
            },
            first: String::new(),
        }));
        Checker {
            protocol: self.protocol,
            checks: Rc::clone(&checks) as Rc<dyn Any>,
            verdict: checks,
        }
    }
}
