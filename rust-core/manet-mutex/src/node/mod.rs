//! A whole node as one machine: a protocol, and below it what carries its messages. That is a link
//! layer for a protocol that talks to neighbours, and a transport for one that talks to anyone.
//!
//! A host moves bytes, outcomes of the radio, received power, motion, the application's wishes and
//! one timer; everything else happens in here.
//!
//! ```text
//!   application     request, release          enter, demoted
//!                        |                         ^
//!                    +---v-------------------------+---+
//!                    |  protocol     Event -> Action   |
//!                    |  link         frames <-> events |
//!                    +---^-------------------------+---+
//!                        |                         v
//!   radio         frame and power, outcome    frames to send
//! ```
//!
//! Over routing the lower part is `transport`: datagrams come from any node and go to any node
//! ([`Node::routed`], [`Input::Datagram`]).
//!
//! ```
//! use manet_mutex::node::{Happening, Input, Node, Outputs};
//! use manet_mutex::protocol::rl::Rl;
//! use manet_mutex::{Demand, NodeId, Time};
//!
//! let rl = Rl::new(NodeId(0), true, &Default::default());
//! let mut node = Node::new(rl, &Default::default(), Time::ZERO)?;
//! let mut out = Outputs::new();
//!
//! node.handle(Time::ZERO, Input::Start, &mut out, &mut ())?;
//! node.handle(Time::ZERO, Input::Request(Demand::Exclusive), &mut out, &mut ())?;
//! assert_eq!(out.happenings, [Happening::Enter(Demand::Exclusive)]);
//!
//! out.clear();
//! let later = node.due();
//! node.handle(later, Input::Wake, &mut out, &mut ())?;
//! assert_eq!(out.frames().count(), 1); // a hello, for everybody
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod carrier;

use crate::app::App;
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::link::{Config, ConfigError, FrameId, Link, Note, Outbox, Power, Transmit};
use crate::machine::{Action, Actions, Event, Protocol, ProtocolError, Reach, TimerId};
use crate::observer::Observer;
use crate::time::Time;
use crate::transport::{self, Transport};
use crate::wire::WireMessage;
use carrier::Carrier;

/// Something that happens to a node.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    /// The run begins. First, once.
    Start,
    /// The application wants to enter. Not while it waits or is inside.
    Request(Demand),
    /// The application leaves. Only while inside.
    Release,
    /// The radio received a frame for this node or for everybody. Only with a link layer.
    Frame {
        /// Its bytes.
        bytes: &'a [u8],
        /// How strong it was.
        power: Power,
    },
    /// The radio is done with a frame that was for one node. Once for each. Only with a link layer.
    Sent {
        /// Which.
        id: FrameId,
        /// Whether the receiver's radio confirmed it.
        ok: bool,
    },
    /// The time [`Node::due`] has come.
    Wake,
    /// The node began to move, or stopped. Makes no difference over routing.
    Motion {
        /// Which of the two.
        moving: bool,
    },
    /// Routing brought a datagram. Only with a transport.
    Datagram {
        /// Its bytes.
        bytes: &'a [u8],
    },
    /// A hint that makes things quicker: there is a route to a node again. Only with a transport.
    RouteUp {
        /// Which node.
        peer: NodeId,
    },
}

/// What the application has to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It is inside.
    Enter(Demand),
    /// It is no longer inside, although it did not release, and waits again.
    Demoted,
}

/// What a node leaves behind. Reuse it; it keeps its memory.
#[derive(Clone, Debug)]
pub struct Outputs<M> {
    link: Outbox<M>,
    transport: transport::Outbox<M>,
    /// For the application, in this order.
    pub happenings: Vec<Happening>,
}

impl<M> Outputs<M> {
    /// Empty.
    pub const fn new() -> Self {
        Self {
            link: Outbox::new(),
            transport: Outbox::new(),
            happenings: Vec::new(),
        }
    }

    /// The frames for the radio, or the datagrams for routing, in this order. A datagram always is
    /// for one node and has no name: nobody has to report what became of it.
    pub fn frames(&self) -> impl Iterator<Item = (&Transmit, &[u8])> + '_ {
        self.link.frames().chain(self.transport.frames())
    }

    /// Whether there is nothing to do.
    pub const fn is_empty(&self) -> bool {
        self.link.is_empty() && self.transport.is_empty() && self.happenings.is_empty()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.link.clear();
        self.transport.clear();
        self.happenings.clear();
    }
}

impl<M> Default for Outputs<M> {
    fn default() -> Self {
        Self::new()
    }
}

/// Sees all that enters and leaves the protocol, and what is said by what carries its messages.
pub trait Watcher<M>: Observer<M> {
    /// The link layer of a node said something; the events that follow from it come after.
    fn note(&mut self, node: NodeId, note: &Note) {
        let _ = (node, note);
    }

    /// The transport of a node said something about a peer.
    fn peer(&mut self, node: NodeId, note: &transport::Note<M>) {
        let _ = (node, note);
    }
}

impl<M> Watcher<M> for () {}

/// Why a node is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodeError {
    /// The protocol does not talk to neighbours.
    #[error("{0} talks over routing, which a node of neighbours has not: use the world of links")]
    NeedsRouting(&'static str),
    /// The protocol talks to neighbours only.
    #[error("{0} needs to know its neighbours, which routing hides: use a link layer")]
    NeedsLinks(&'static str),
    /// Invalid link-layer configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Invalid transport configuration.
    #[error(transparent)]
    Transport(#[from] transport::ConfigError),
}

/// A node.
#[derive(Clone, Debug)]
#[repr(C)] // What every input looks at comes first.
pub struct Node<P: Protocol> {
    now: Time,
    /// Few: a protocol has two or three.
    timers: Vec<(TimerId, Time)>,
    app: App,
    started: bool,
    carrier: Carrier<P::Message>,
    protocol: P,
    actions: Actions<P::Message>,
}

/// What [`Node::due`] says if nothing ever has to happen by itself.
pub const NEVER: Time = Time::NEVER;

/// Hosts count from the start of a run, so nobody gets here: 292 years.
const END: Time = Time(u64::MAX / 2);

impl<P: Protocol> Node<P>
where
    P::Message: WireMessage,
{
    /// A node on a link layer, which knows no neighbours yet.
    ///
    /// # Errors
    /// If the protocol talks over routing, or the link layer cannot be configured so.
    pub fn new(protocol: P, config: &Config, now: Time) -> Result<Self, NodeError> {
        if P::REACH == Reach::Anyone {
            return Err(NodeError::NeedsRouting(P::NAME));
        }
        let link = Link::new(protocol.id(), config, now)?;
        Ok(Self::on(protocol, Carrier::Link(Box::new(link)), now))
    }

    /// A node over routing.
    ///
    /// # Errors
    /// If the protocol talks to neighbours, or the transport cannot be configured so.
    pub fn routed(protocol: P, config: &transport::Config, now: Time) -> Result<Self, NodeError> {
        if P::REACH == Reach::Neighbours {
            return Err(NodeError::NeedsLinks(P::NAME));
        }
        let transport = Transport::new(protocol.id(), config)?;
        Ok(Self::on(protocol, Carrier::Transport(transport), now))
    }

    const fn on(protocol: P, carrier: Carrier<P::Message>, now: Time) -> Self {
        Self {
            protocol,
            carrier,
            app: App::Idle,
            started: false,
            now,
            timers: Vec::new(),
            actions: Actions::new(),
        }
    }

    /// This node.
    pub fn id(&self) -> NodeId {
        self.protocol.id()
    }

    /// The protocol's machine.
    pub const fn protocol(&self) -> &P {
        &self.protocol
    }

    /// The link layer, if it is on one.
    pub const fn link(&self) -> Option<&Link<P::Message>> {
        match &self.carrier {
            Carrier::Link(link) => Some(link),
            Carrier::Transport(_) => None,
        }
    }

    /// The transport, if it is on one.
    pub const fn transport(&self) -> Option<&Transport<P::Message>> {
        match &self.carrier {
            Carrier::Transport(transport) => Some(transport),
            Carrier::Link(_) => None,
        }
    }

    /// What the application waits for or has.
    pub const fn app(&self) -> App {
        self.app
    }

    /// When [`Input::Wake`] has to come next: at once if that is past, not at all at [`NEVER`].
    pub fn due(&self) -> Time {
        let timers = self.timers.iter().map(|&(_, at)| at);
        timers.fold(self.carrier.due(), Time::min)
    }

    /// Takes one input in; `out` is empty before and says afterwards what to do, besides calling
    /// again at [`Node::due`]. False if nothing came of it, and `out` still is empty.
    ///
    /// # Errors
    /// [`ProtocolError::Refused`] and [`ProtocolError::Misuse`]: nothing has changed.
    /// [`ProtocolError::Broken`]: a promise failed that everything rests on, such as a second
    /// token; the node goes on as well as it can, and the host should report it loudly.
    pub fn handle(
        &mut self,
        now: Time,
        input: Input<'_>,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<bool, ProtocolError> {
        self.check(now, &input)?;
        self.now = now;
        let event = match input {
            Input::Start => Some(Event::Start),
            Input::Request(demand) => Some(Event::Request(demand)),
            Input::Release => Some(Event::Release),
            Input::Wake => return self.wake(out, watch).map(|()| true),
            // Most often: a hello that says nothing new.
            _ if !self.carrier.take(now, input, out) => return Ok(false),
            _ => None,
        };
        self.follow(event, out, watch).map(|()| true)
    }

    /// Hands an event of the host to the protocol, or what was found out below; then does what is
    /// due because of it.
    #[inline(never)] // Most inputs do not get here: what those need stays close together.
    fn follow(
        &mut self,
        event: Option<Event<P::Message>>,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<(), ProtocolError> {
        self.started = true;
        let result = match event {
            Some(event) => self.tell(event, out, watch),
            None => self.pass_up(out, watch),
        };
        if let Err(ProtocolError::Refused { .. } | ProtocolError::Misuse { .. }) = result {
            return result;
        }
        result.and(self.catch_up(out, watch))
    }

    fn check(&self, now: Time, input: &Input<'_>) -> Result<(), ProtocolError> {
        let what = match input {
            _ if now < self.now => "time goes backwards: hand in the time of the host's clock",
            _ if now >= END => "time has run out: count from the start of the run",
            Input::Start if self.started => "started twice: start a node once",
            Input::Start => return Ok(()),
            _ if !self.started => "not started: the first input is Start",
            Input::Request(_) if self.app != App::Idle => {
                "requested while waiting or inside: wait for Enter, then release"
            }
            Input::Release if !matches!(self.app, App::Inside(_)) => {
                "released while not inside: release after Enter, and not after Demoted"
            }
            Input::Frame { .. } | Input::Sent { .. } if self.link().is_none() => {
                "a frame at a node over routing: hand in datagrams"
            }
            Input::Datagram { .. } | Input::RouteUp { .. } if self.transport().is_none() => {
                "a datagram at a node on a link layer: hand in frames"
            }
            _ => return Ok(()),
        };
        Err(self.misuse(what))
    }

    #[cold]
    fn misuse(&self, what: &'static str) -> ProtocolError {
        let node = self.protocol.id();
        ProtocolError::Misuse { node, what }
    }

    #[inline(never)] // Most inputs do not get here: what those need stays close together.
    fn wake(
        &mut self,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<(), ProtocolError> {
        let mut result = self.catch_up(out, watch);
        while let Some(place) = self.timers.iter().position(|&(_, at)| at <= self.now) {
            let (id, _) = self.timers.swap_remove(place);
            result = result.and(self.tell(Event::Timer(id), out, watch));
        }
        result.and(self.catch_up(out, watch))
    }

    /// Does below what is due, also because of what just happened.
    fn catch_up(
        &mut self,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<(), ProtocolError> {
        let mut result = Ok(());
        while self.carrier.due() <= self.now {
            self.carrier.take(self.now, Input::Wake, out);
            result = result.and(self.pass_up(out, watch));
        }
        result
    }

    /// Hands what was found out below to the protocol.
    fn pass_up(
        &mut self,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<(), ProtocolError> {
        let me = self.protocol.id();
        for note in out.link.notes.drain(..) {
            watch.note(me, &note);
        }
        let mut result = Ok(());
        for note in out.transport.notes.drain(..) {
            watch.peer(me, &note);
            if let transport::Note::PeerRestarted { .. } = note {
                let what = "a peer restarted, and with it what it held or owed is gone";
                result = Err(ProtocolError::Broken { node: me, what });
            }
        }
        if out.link.events.is_empty() && out.transport.events.is_empty() {
            return result;
        }
        // One of them is always empty. Answers are sent, which causes no events.
        let mut events = std::mem::take(&mut out.link.events);
        events.append(&mut out.transport.events);
        for event in events.drain(..) {
            result = result.and(self.tell(event, out, watch));
        }
        // Keep the memory.
        out.link.events = events;
        result
    }

    fn tell(
        &mut self,
        event: Event<P::Message>,
        out: &mut Outputs<P::Message>,
        watch: &mut impl Watcher<P::Message>,
    ) -> Result<(), ProtocolError> {
        let me = self.protocol.id();
        let (app, wish) = match event {
            Event::Request(demand) => (App::Waiting(demand), Some(demand)),
            Event::Release => (App::Idle, None),
            _ => (self.app, None),
        };
        if wish.is_none() {
            watch.event(me, &event);
        }
        let linked = match event {
            Event::LinkUp { peer, .. } => Some(peer),
            _ => None,
        };
        let mut actions = std::mem::take(&mut self.actions);
        let calm = self.protocol.is_calm();
        let mut result = self.protocol.handle(event, &mut actions);
        if let Carrier::Link(link) = &mut self.carrier {
            // Also before: whoever has just left the queue has to know why.
            link.set_calm(self.now, calm && self.protocol.is_calm());
        }
        if let Err(ProtocolError::Broken { .. }) | Ok(()) = result {
            self.set_app(app);
            // Refused requests are not reported to observers.
            if let Some(demand) = wish {
                watch.event(me, &Event::Request(demand));
            }
        }
        for action in actions.drain() {
            watch.action(me, &action, None);
            result = result.and(self.act(action, out));
        }
        self.actions = actions;
        if let Some(peer) = linked {
            watch.linked(me, peer);
        }
        result
    }

    fn act(
        &mut self,
        action: Action<P::Message>,
        out: &mut Outputs<P::Message>,
    ) -> Result<(), ProtocolError> {
        match action {
            Action::Send { to, msg } => {
                let sent = self.carrier.send(self.now, to, msg, out);
                return sent.map_err(|what| ProtocolError::Broken {
                    node: self.protocol.id(),
                    what,
                });
            }
            Action::Enter(demand) => {
                self.set_app(App::Inside(demand));
                out.happenings.push(Happening::Enter(demand));
            }
            Action::Demoted => {
                if let App::Inside(demand) = self.app {
                    self.set_app(App::Waiting(demand));
                }
                out.happenings.push(Happening::Demoted);
            }
            Action::SetTimer { id, after } => {
                let at = self.now + after;
                match self.timers.iter_mut().find(|(known, _)| *known == id) {
                    Some(timer) => timer.1 = at,
                    None => self.timers.push((id, at)),
                }
            }
            Action::CancelTimer(id) => self.timers.retain(|(known, _)| *known != id),
            Action::Note(_) => {}
        }
        Ok(())
    }

    fn set_app(&mut self, app: App) {
        self.app = app;
        if let Carrier::Link(link) = &mut self.carrier {
            link.set_inside(matches!(app, App::Inside(_)));
        }
    }
}
