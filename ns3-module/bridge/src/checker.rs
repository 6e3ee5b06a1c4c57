//! What the core's own checkers say about a run: who was inside, who owned what, and whether the
//! link layers kept their promises. One checker watches all stations of a run.

use crate::BoxError;
use crate::ffi::Settings;
use crate::station;
use manet_mutex::link::Note;
use manet_mutex::machine::{Action, Event, Message, ProtocolError};
use manet_mutex::node::Watcher;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::protocol::{FOUNDER, Population, check_population};
use manet_mutex::transport;
use manet_mutex::wire::WireMessage;
use manet_mutex::{NodeId, Time};
use manet_mutex_sim::check::{Audit, Invariants, Safety};
use manet_mutex_sim::network::{Lane, Observer};
use manet_mutex_sim::scenario::Describe;
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
    audit: Audit<M>,
    /// The first violation, with its time.
    first: String,
}

impl<M: Message> Checks<M> {
    pub fn start(&mut self, node: NodeId, life: u16) {
        self.audit.start(node, life);
        self.date();
    }

    pub fn stop(&mut self, node: NodeId, life: u16) {
        self.audit.stop(node, life);
    }

    pub fn broken(&mut self, error: &ProtocolError) {
        self.audit.error(error);
        self.date();
    }

    /// Dates the first violation.
    fn date(&mut self) {
        if self.first.is_empty()
            && let Some(violation) = self.audit.violation()
        {
            self.first = format!("at {} s: {violation}", self.now);
        }
    }
}

impl<M: Message> Observer<M> for Checks<M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.audit.event(node, event);
        self.date();
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        self.audit.action(node, action, lane);
        self.date();
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        self.audit.linked(node, peer);
        self.date();
    }
}

impl<M: Message> Watcher<M> for Checks<M> {
    fn note(&mut self, node: NodeId, note: &Note) {
        self.audit.note(node, note);
        self.date();
    }

    fn peer(&mut self, node: NodeId, note: &transport::Note<M>) {
        self.audit.peer(node, note);
        self.date();
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
        self.borrow().audit.count()
    }

    fn first(&self) -> String {
        self.borrow().first.clone()
    }

    fn open_doubts(&self) -> u64 {
        self.borrow().audit.open_doubts() as u64
    }
}

/// A checker for a run as the settings say.
pub(crate) fn new(settings: &Settings) -> Result<Checker, BoxError> {
    check_population(settings.nodes as usize)?;
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

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Checker
    where
        P::Message: WireMessage,
    {
        let safety = Safety::new(P::promise(&config), self.nodes, FOUNDER, []);
        let checks = Rc::new(RefCell::new(Checks::<P::Message> {
            now: Time::ZERO,
            audit: Audit::new(P::REACH, safety),
            first: String::new(),
        }));
        Checker {
            protocol: self.protocol,
            checks: Rc::clone(&checks) as Rc<dyn Any>,
            verdict: checks,
        }
    }
}
