//! A node of any protocol, as its host sees it.

use crate::BoxError;
use crate::checker::{Checker, Checks};
use crate::ffi::{DemandKind, Effect, Effects, Kind, Nature, Report, Settings, Wish};
use manet_mutex::demand::Demands;
use manet_mutex::link::{self, Note};
use manet_mutex::machine::{
    Action, Cargo, Event, Fate, Message, Outcome, ProtocolError, Reach, Role,
};
use manet_mutex::node::{Input, Node, Outputs, Watcher};
use manet_mutex::protocol::gme::{Admission, Groups};
use manet_mutex::protocol::hk::Order;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::{FOUNDER, Population};
use manet_mutex::transport;
use manet_mutex::wire::{self, WireMessage, datagram, frame};
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_sim::check::{Custody, Invariants, Scope};
use manet_mutex_sim::network::{Lane, Observer};
use manet_mutex_sim::scenario::Describe;
use std::cell::RefCell;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::time::Duration;

/// A node.
pub struct Station {
    machine: Box<dyn Machine>,
    effects: Effects,
    /// How many nodes there are.
    nodes: u32,
    unknown_senders: u64,
    /// A call panicked.
    pub poisoned: bool,
}

impl Station {
    pub(crate) fn handle(&mut self, now: Time, input: Input<'_>) -> Result<Report, BoxError> {
        let sender = sender_of(&input);
        if sender.is_some_and(|(_, sender)| sender.0 >= self.nodes) {
            self.unknown_senders += 1;
            return Ok(self.report(self.machine.due(), None));
        }
        let refused = self.machine.refused_frames();
        let due = self.machine.handle(now, input, &mut self.effects)?;
        // Anybody may pass on a flood: it does not show that the link layer knows its sender.
        let neighbour = sender.filter(|(kind, _)| *kind != Carried::Other);
        let accepted = neighbour.filter(|_| self.machine.refused_frames() == refused);
        Ok(self.report(due, accepted.map(|(_, sender)| sender)))
    }

    fn report(&self, due: Time, sender: Option<NodeId>) -> Report {
        Report {
            due: due.0,
            sender: sender.map_or(crate::everybody(), |sender| sender.0),
            effects: !self.effects.list.is_empty(),
        }
    }

    pub(crate) fn halt(&mut self, now: Time) {
        self.machine.stop(now);
    }

    pub(crate) const fn unknown_senders(&self) -> u64 {
        self.unknown_senders
    }

    pub(crate) fn take(&mut self, into: &mut Effects) {
        into.list.clear();
        into.bytes.clear();
        std::mem::swap(into, &mut self.effects);
    }

    pub(crate) fn watch(&mut self, checker: &Checker) -> Result<(), BoxError> {
        self.machine.watch(checker)
    }
}

/// A node whose protocol is known at run time only.
trait Machine {
    /// Takes an input in; tells when the next one is due.
    fn handle(&mut self, now: Time, input: Input<'_>, to: &mut Effects) -> Result<Time, BoxError>;
    /// When the next input is due.
    fn due(&self) -> Time;
    /// How many frames the link layer did not accept.
    fn refused_frames(&self) -> u64;
    fn watch(&mut self, checker: &Checker) -> Result<(), BoxError>;
    /// Tells the checker that the node fell silent.
    fn stop(&mut self, now: Time);
}

#[repr(C)] // What every input looks at comes first.
struct Typed<P: Population>
where
    P::Message: WireMessage,
{
    checks: Option<Rc<RefCell<Checks<P::Message>>>>,
    node: Node<P>,
    life: u16,
    /// It makes the token, when it starts.
    founder: bool,
    /// What the host was told last.
    towards: Option<NodeId>,
    out: Outputs<P::Message>,
}

impl<P: Population> Machine for Typed<P>
where
    P::Message: WireMessage,
{
    fn handle(&mut self, now: Time, input: Input<'_>, to: &mut Effects) -> Result<Time, BoxError> {
        let starts = matches!(input, Input::Start);
        let mut checks = self.checks.as_ref().map(|checks| checks.borrow_mut());
        if let Some(checks) = &mut checks {
            checks.now = now;
            if starts {
                checks.start(self.node.id(), self.life);
            }
        }
        let mut recorder = Recorder {
            effects: to,
            checks: checks.as_deref_mut(),
            busy: false,
        };
        let result = self.node.handle(now, input, &mut self.out, &mut recorder);
        let busy = recorder.busy;
        drop(checks);
        if !matches!(result, Ok(false)) {
            self.conclude(result, busy, starts, to)?;
        }
        Ok(self.node.due())
    }

    fn due(&self) -> Time {
        self.node.due()
    }

    fn refused_frames(&self) -> u64 {
        let link = self.node.link();
        link.map_or(0, |link| link.counters().all_dropped())
    }

    fn watch(&mut self, checker: &Checker) -> Result<(), BoxError> {
        self.checks = Some(checker.checks::<P::Message>()?);
        Ok(())
    }

    fn stop(&mut self, now: Time) {
        if let Some(checks) = self.checks.take() {
            let mut checks = checks.borrow_mut();
            checks.now = now;
            checks.stop(self.node.id(), self.life);
        }
    }
}

impl<P: Population> Typed<P>
where
    P::Message: WireMessage,
{
    /// Tells the host what else follows from an input.
    #[inline(never)] // Nothing comes of most.
    fn conclude(
        &mut self,
        result: Result<bool, ProtocolError>,
        busy: bool,
        starts: bool,
        to: &mut Effects,
    ) -> Result<(), BoxError> {
        let me = self.node.id();
        match result {
            Err(broken @ ProtocolError::Broken { .. }) => {
                if let Some(checks) = &self.checks {
                    checks.borrow_mut().broken(&broken);
                }
                to.list.push(Effect {
                    label: broken.to_string(),
                    ..blank(Kind::Broken)
                });
            }
            Err(error) => {
                self.out.clear();
                return Err(error.to_string().into());
            }
            Ok(_) if starts && self.founder => to.push(Kind::Token, me),
            Ok(_) => {}
        }
        if busy {
            let towards = self.node.protocol().towards();
            if towards != self.towards {
                self.towards = towards;
                to.push(Kind::Towards, towards.unwrap_or(me));
            }
        }
        to.send(self.out.frames());
        self.out.clear();
        Ok(())
    }
}

/// Sees what happens in a node: tells the host, and the checker if there is one.
pub(crate) struct Recorder<'a, M> {
    pub effects: &'a mut Effects,
    pub checks: Option<&'a mut Checks<M>>,
    /// The protocol had something to do.
    pub busy: bool,
}

impl<M: WireMessage> Recorder<'_, M> {
    fn message(&mut self, kind: Kind, peer: NodeId, msg: &M) {
        let bytes = &mut self.effects.bytes;
        let start = bytes.len();
        // A message that does not fit a frame was refused before.
        let _ = wire::encode(msg, bytes);
        let size = bytes.len() - start;
        bytes.truncate(start);
        let effect = Effect {
            peer: peer.0,
            size: size as u32,
            label: msg.kind().to_owned(),
            ..blank(kind)
        };
        self.effects.list.push(effect);
    }

    /// What this end's messages came to: those in doubt are told, a token that is back is here.
    fn fate(&mut self, me: NodeId, peer: NodeId, msg: &M, fate: Fate) {
        match fate {
            Fate::InDoubt => self.message(Kind::Doubt, peer, msg),
            Fate::Returned if carries_token(msg) => self.effects.push(Kind::Token, me),
            Fate::Returned | Fate::Delivered => {}
        }
    }
}

fn carries_token<M: Message>(msg: &M) -> bool {
    matches!(msg.cargo(), Cargo::Token { .. })
}

impl<M: WireMessage> Observer<M> for Recorder<'_, M> {
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        self.busy = true;
        if let Some(checks) = &mut self.checks {
            checks.event(node, event);
        }
        match event {
            Event::Message { from, msg } => {
                self.message(Kind::Received, *from, msg);
                if carries_token(msg) {
                    self.effects.push(Kind::Token, *from);
                }
            }
            Event::LinkDown { peer, unacked } => {
                for (msg, fate) in unacked {
                    self.fate(node, *peer, msg, *fate);
                }
            }
            Event::Resolved { peer, msg, outcome } => {
                self.message(Kind::Resolved, *peer, msg);
                if *outcome == Outcome::Delivered {
                    self.effects.flag();
                } else {
                    self.fate(node, *peer, msg, Fate::Returned);
                }
            }
            Event::Start
            | Event::Request(_)
            | Event::Release
            | Event::LinkUp { .. }
            | Event::Timer(_) => {}
        }
    }

    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Some(checks) = &mut self.checks {
            checks.action(node, action, lane);
        }
        match action {
            Action::Send { to, msg } => {
                self.message(Kind::Sent, *to, msg);
                if carries_token(msg) {
                    self.effects.flag();
                }
            }
            Action::Enter(demand) => self.effects.list.push(Effect {
                wish: wish(*demand),
                ..blank(Kind::Enter)
            }),
            Action::Demoted => self.effects.list.push(blank(Kind::Demoted)),
            Action::SetTimer { .. } | Action::CancelTimer(_) | Action::Note(_) => {}
        }
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        if let Some(checks) = &mut self.checks {
            checks.linked(node, peer);
        }
    }
}

impl<M: WireMessage> Watcher<M> for Recorder<'_, M> {
    fn note(&mut self, node: NodeId, note: &Note) {
        if let Some(checks) = &mut self.checks {
            checks.note(node, note);
        }
        match *note {
            Note::Up { peer, role, .. } => {
                self.effects.push(Kind::LinkUp, peer);
                if role == Role::Moving {
                    self.effects.flag();
                }
            }
            Note::Down { peer, cause, .. } => {
                let effect = Effect {
                    peer: peer.0,
                    label: format!("{cause:?}").to_lowercase(),
                    ..blank(Kind::LinkDown)
                };
                self.effects.list.push(effect);
            }
            Note::Crowded { peer, most } => {
                log::warn!("{node:?}: {peer:?} stays a stranger, there are {most} neighbours");
            }
            Note::Resolved { .. } => {}
        }
    }

    fn peer(&mut self, node: NodeId, note: &transport::Note<M>) {
        if let Some(checks) = &mut self.checks {
            checks.peer(node, note);
        }
        match note {
            transport::Note::Unreachable { peer } => self.effects.push(Kind::Reach, *peer),
            transport::Note::Reachable { peer } => {
                self.effects.push(Kind::Reach, *peer);
                self.effects.flag();
            }
            transport::Note::PeerRestarted { peer, .. } => {
                log::error!("{node:?}: {peer:?} has lost its memory");
            }
        }
    }
}

impl Effects {
    fn push(&mut self, kind: Kind, peer: NodeId) {
        let effect = Effect {
            peer: peer.0,
            ..blank(kind)
        };
        self.list.push(effect);
    }

    /// Marks the last one.
    fn flag(&mut self) {
        if let Some(last) = self.list.last_mut() {
            last.flag = true;
        }
    }

    fn send<'a>(&mut self, frames: impl Iterator<Item = (&'a link::Transmit, &'a [u8])>) {
        for (transmit, bytes) in frames {
            let kind = frame::glance(bytes).map(|(kind, _)| kind.name());
            let kind = kind.or_else(|_| datagram::glance(bytes).map(|(kind, _)| kind));
            let effect = Effect {
                peer: transmit.to.map_or(crate::everybody(), |to| to.0),
                number: transmit.id.map_or(0, |id| id.0),
                start: self.bytes.len() as u32,
                size: bytes.len() as u32,
                label: kind.unwrap_or_default().to_owned(),
                ..blank(Kind::Frame)
            };
            self.list.push(effect);
            self.bytes.extend_from_slice(bytes);
        }
    }
}

fn blank(kind: Kind) -> Effect {
    Effect {
        kind,
        peer: 0,
        number: 0,
        start: 0,
        size: 0,
        flag: false,
        wish: wish(Demand::Exclusive),
        label: String::new(),
    }
}

pub(crate) const fn wish(demand: Demand) -> Wish {
    let (kind, resource, units, priority) = match demand {
        Demand::Exclusive => (DemandKind::Exclusive, 0, 0, 0),
        Demand::Group(group) => (DemandKind::Group, group, 0, 0),
        Demand::Units { count, priority } => (DemandKind::Units, 0, count, priority),
    };
    Wish {
        kind,
        resource,
        units,
        priority,
    }
}

/// What the application means; an unknown kind asks for everything.
pub(crate) const fn demand(wish: &Wish) -> Demand {
    match wish.kind {
        DemandKind::Group => Demand::Group(wish.resource),
        DemandKind::Units => Demand::Units {
            count: wish.units,
            priority: wish.priority,
        },
        _ => Demand::Exclusive,
    }
}

/// What a host received.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carried {
    /// A frame that its sender made itself.
    Own,
    /// A frame that was passed on, or a datagram.
    Other,
}

/// Who says to have sent a frame or a datagram; none if it was another input, or says nothing.
fn sender_of(input: &Input<'_>) -> Option<(Carried, NodeId)> {
    match input {
        Input::Frame { bytes, .. } => {
            let (kind, sender) = frame::glance(bytes).ok()?;
            let passed_on = kind == frame::Kind::Flood;
            let carried = if passed_on {
                Carried::Other
            } else {
                Carried::Own
            };
            Some((carried, sender))
        }
        Input::Datagram { bytes } => {
            let (_, sender) = datagram::glance(bytes).ok()?;
            Some((Carried::Other, sender))
        }
        _ => None,
    }
}

/// The core's own defaults, in the units of the border.
pub(crate) fn default_settings() -> Settings {
    let link = link::Config::default();
    let transport = transport::Config::default();
    let options = Options::default();
    let limiter = options.limiter;
    Settings {
        protocol: registry::NAMES[0].to_owned(),
        id: 0,
        nodes: 1,
        seed: link.seed,
        life: link.life,
        hello_interval: nanos(link.hello_interval),
        jitter: link.jitter,
        sensitivity: link.sensitivity,
        margin: link.margin,
        hysteresis: link.hysteresis,
        smoothing: link.smoothing,
        sharing: link.sharing,
        hellos_to_form: link.hellos_to_form,
        misses_tolerated: link.misses_tolerated,
        dead_after: link.dead_after,
        query_after: nanos(link.query_after),
        query_every: nanos(link.query_every),
        resend_first: nanos(transport.first),
        resend_shortest: nanos(transport.shortest),
        resend_longest: nanos(transport.longest),
        unreachable_after: nanos(transport.unreachable),
        raise_burst: limiter.burst.unwrap_or(0),
        raise_retry: nanos(limiter.retry),
        raise_quiet: nanos(limiter.quiet),
        groups: options.groups.count(),
        admission: options.admission.to_string(),
        k: options.k.get(),
        order: options.order.to_string(),
    }
}

const fn nanos(span: Duration) -> u64 {
    span.as_nanos() as u64
}

/// A station as the settings say.
pub(crate) fn new(settings: &Settings) -> Result<Station, BoxError> {
    let machine = registry::visit(&settings.protocol, &options(settings)?, Make(settings))??;
    Ok(Station {
        machine,
        effects: Effects::default(),
        nodes: settings.nodes,
        unknown_senders: 0,
        poisoned: false,
    })
}

struct Make<'a>(&'a Settings);

impl Visitor for Make<'_> {
    type Output = Result<Box<dyn Machine>, BoxError>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage,
    {
        let Settings {
            id, nodes, life, ..
        } = *self.0;
        let (id, nodes) = (NodeId(id), nodes as usize);
        let machine = match life {
            0 => P::founding(id, nodes, &config)?,
            _ => P::rejoining(id, nodes, &config)?,
        };
        let node = match P::REACH {
            Reach::Neighbours => Node::new(machine, &link_config(self.0), Time::ZERO)?,
            Reach::Anyone => Node::routed(machine, &transport_config(self.0), Time::ZERO)?,
        };
        Ok(Box::new(Typed {
            node,
            towards: None,
            life,
            founder: life == 0 && id == FOUNDER && P::promise(&config).custody != Custody::Nothing,
            out: Outputs::new(),
            checks: None,
        }))
    }
}

/// What kind of protocol it is.
pub(crate) fn nature(settings: &Settings) -> Result<Nature, BoxError> {
    struct Ask;

    impl Visitor for Ask {
        type Output = Nature;

        fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Nature {
            Nature {
                most: most(P::demands(&config)),
                local: P::promise(&config).scope == Scope::Neighbours,
                routed: P::REACH == Reach::Anyone,
            }
        }
    }

    let options = options(settings)?;
    Ok(registry::visit(&settings.protocol, &options, Ask)?)
}

const fn most(demands: Demands) -> Wish {
    let (kind, resource, units, priority) = match demands {
        Demands::Exclusive => (DemandKind::Exclusive, 0, 0, 0),
        Demands::Groups(groups) => (DemandKind::Group, groups, 0, 0),
        Demands::Units { most, priorities } => (DemandKind::Units, 0, most, priorities),
    };
    Wish {
        kind,
        resource,
        units,
        priority,
    }
}

pub(crate) fn options(settings: &Settings) -> Result<Options, BoxError> {
    Ok(Options {
        limiter: Limiter {
            burst: (settings.raise_burst > 0).then_some(settings.raise_burst),
            retry: Duration::from_nanos(settings.raise_retry),
            quiet: Duration::from_nanos(settings.raise_quiet),
            seed: settings.seed,
        },
        groups: Groups::new(settings.groups)?,
        admission: settings.admission.parse::<Admission>()?,
        k: NonZeroU32::new(settings.k).ok_or("there are no units: use k of 1 or more")?,
        order: settings.order.parse::<Order>()?,
        ..Options::default()
    })
}

fn transport_config(settings: &Settings) -> transport::Config {
    transport::Config {
        first: Duration::from_nanos(settings.resend_first),
        shortest: Duration::from_nanos(settings.resend_shortest),
        longest: Duration::from_nanos(settings.resend_longest),
        unreachable: Duration::from_nanos(settings.unreachable_after),
        life: settings.life.into(),
        seed: settings.seed,
        ..transport::Config::default()
    }
}

fn link_config(settings: &Settings) -> link::Config {
    link::Config {
        hello_interval: Duration::from_nanos(settings.hello_interval),
        jitter: settings.jitter,
        sensitivity: settings.sensitivity,
        margin: settings.margin,
        hysteresis: settings.hysteresis,
        smoothing: settings.smoothing,
        sharing: settings.sharing,
        hellos_to_form: settings.hellos_to_form,
        misses_tolerated: settings.misses_tolerated,
        dead_after: settings.dead_after,
        query_after: Duration::from_nanos(settings.query_after),
        query_every: Duration::from_nanos(settings.query_every),
        life: settings.life,
        seed: settings.seed,
        ..link::Config::default()
    }
}
