//! One node among peers that send forged messages, for every protocol. A host that keeps the driver
//! contract turns bytes into events, and now and then breaks the contract on purpose. Whatever the
//! bytes are, the machine has to keep all its promises to its host.
//!
//! Random tests (`tests/wire/forged.rs`) and the fuzz targets (`fuzz/fuzz_targets`) share it.

use manet_mutex::demand::Demands;
use manet_mutex::graph::Graph;
use manet_mutex::machine::{
    Action, Actions, Class, Event, Fate, Message, Outcome, Protocol, ProtocolError, Reach, Role,
    TimerId,
};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::erratum::Erratum;
use manet_mutex::protocol::gme::{self, Admission, Gme, GmeMessage, Groups};
use manet_mutex::protocol::hk::{self, Hk, HkMessage, Key, Order};
use manet_mutex::protocol::lme::algorithm1::{self, Lme1a, Lme1b};
use manet_mutex::protocol::lme::algorithm2::{self, Lme2, Lme2Message};
use manet_mutex::protocol::lme::colouring::greedy::{GreedyWord, Joined};
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::doorway::{Doorway, Position};
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::reversal::{Height, Limiter};
use manet_mutex::protocol::rl::{self, Residual, Rl, RlMessage};
use manet_mutex::protocol::routed::dgme::{self, Dgme, DgmeMessage, Operators};
use manet_mutex::protocol::routed::naimi_trehel::{NaimiTrehel, NaimiTrehelMessage};
use manet_mutex::protocol::routed::raymond::{Raymond, RaymondMessage};
use manet_mutex::wire::{self, WireMessage};
use manet_mutex::{Demand, NodeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Nodes that exist.
const NODES: u32 = 3;
/// Ids that peers have: few, so that events often concern the same peer. Ids from [`NODES`] on are
/// newcomers if the protocol speaks to neighbours and made up if it speaks to anyone.
const IDS: u32 = 5;
/// No event makes a machine among so few peers leave more actions than this.
const MOST_ACTIONS: usize = 128;

/// Plays one input.
///
/// # Panics
/// If the machine breaks a promise to its host.
pub fn play<P: Forge>(bytes: &[u8]) {
    let mut tape = Tape(bytes);
    let Some(mut host) = Host::<P>::new(&mut tape) else {
        return;
    };
    host.hand_in(&Event::Start, true);
    while let Some(step) = host.step(&mut tape) {
        if let Some((event, legal)) = step {
            host.hand_in(&event, legal);
        }
    }
}

/// The input, read from its front.
pub struct Tape<'a>(&'a [u8]);

impl Tape<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    fn below(&mut self, bound: u8) -> Option<u8> {
        self.byte().map(|byte| byte % bound)
    }

    fn flag(&mut self) -> Option<bool> {
        self.below(2).map(|bit| bit == 1)
    }

    /// Mostly small, sometimes at the edges.
    fn number(&mut self) -> Option<i64> {
        Some(match self.byte()? {
            250 => i64::MIN,
            251 => i64::MAX,
            252.. => {
                let (eight, rest) = self.0.split_first_chunk()?;
                self.0 = rest;
                i64::from_le_bytes(*eight)
            }
            small => i64::from(small as i8),
        })
    }

    fn amount(&mut self) -> Option<u64> {
        Some(match self.byte()? {
            250 => 1 << 40,
            251 => u64::MAX,
            252.. => self.number()? as u64,
            small => u64::from(small % 8),
        })
    }

    /// Mostly below the bound.
    fn index(&mut self, bound: u32) -> Option<u32> {
        Some(match self.byte()? {
            252.. => self.number()? as u32,
            small => u32::from(small) % bound,
        })
    }

    fn node(&mut self) -> Option<NodeId> {
        self.index(IDS).map(NodeId)
    }

    /// A height, mostly of `id`.
    fn height(&mut self, id: NodeId) -> Option<Height> {
        let id = match self.byte()? {
            252.. => self.node()?,
            _ => id,
        };
        let (h1, h2) = (self.number()?, self.number()?);
        Some(Height { h1, h2, id })
    }

    fn limiter(&mut self) -> Option<Limiter> {
        Some(match self.flag()? {
            true => Limiter::default(),
            false => Limiter::OFF,
        })
    }

    /// A rule as printed; mostly none.
    fn erratum(&mut self) -> Option<Option<Erratum>> {
        let rule = Erratum::ALL.get(usize::from(self.byte()?));
        Some(rule.map(|&(rule, _)| rule))
    }

    fn demand(&mut self) -> Option<Demand> {
        let (kind, number) = (self.below(3)?, u32::from(self.byte()?));
        Some(match kind {
            0 => Demand::Exclusive,
            1 => Demand::Group(number % 8),
            _ => Demand::Units {
                count: number % 5,
                priority: number,
            },
        })
    }

    /// A demand that makes sense to a protocol with these demands.
    fn demand_of(&mut self, demands: Demands) -> Option<Demand> {
        Some(match demands {
            Demands::Exclusive => Demand::Exclusive,
            Demands::Groups(count) => Demand::Group(u32::from(self.byte()?) % count),
            Demands::Units { most, priorities } => Demand::Units {
                count: 1 + u32::from(self.byte()?) % most,
                priority: u32::from(self.byte()?) % priorities,
            },
        })
    }

    fn fate(&mut self) -> Option<Fate> {
        Some(match self.below(3)? {
            0 => Fate::Delivered,
            1 => Fate::Returned,
            _ => Fate::InDoubt,
        })
    }

    fn outcome(&mut self) -> Option<Outcome> {
        Some(match self.flag()? {
            true => Outcome::Delivered,
            false => Outcome::Returned,
        })
    }
}

/// A protocol whose messages can be forged.
pub trait Forge: Population<Message: WireMessage> {
    /// A configuration, and the rule as printed in it.
    fn config(tape: &mut Tape<'_>) -> Option<(Self::Config, Option<Erratum>)>;

    /// All nodes, with the links of a graph.
    fn nodes(graph: &Graph, config: &Self::Config) -> Vec<Self> {
        Self::settled(graph, config).expect("the graph is connected")
    }

    /// A message that `from` could be made to send.
    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<Self::Message>;

    /// The node in whose name a message speaks, where it says so.
    fn speaks_for(_: &Self::Message) -> Option<NodeId> {
        None
    }
}

/// What a host knows about its node, kept apart from the machine.
struct Host<P: Protocol> {
    node: P,
    out: Actions<P::Message>,
    demands: Demands,
    /// With a rule as printed the machine may send where no link is.
    as_printed: bool,
    links: BTreeSet<NodeId>,
    waiting: Option<Demand>,
    inside: Option<Demand>,
    timers: BTreeSet<TimerId>,
    /// Ownership messages on open links, in the order of sending.
    sent: Vec<(NodeId, P::Message)>,
    /// Ownership messages of closed links of which nobody knows what became.
    doubts: Vec<(NodeId, P::Message)>,
}

/// What happens next, if anything, and whether the contract allows it.
type Step<M> = Option<(Event<M>, bool)>;

impl<P: Forge> Host<P> {
    fn new(tape: &mut Tape<'_>) -> Option<Self> {
        let me = usize::from(tape.below(2)?);
        let (config, as_printed) = P::config(tape)?;
        let graph = Graph::complete(NODES as usize);
        let mut nodes = P::nodes(&graph, &config);
        let node = nodes.swap_remove(me);
        let links = match P::REACH {
            Reach::Neighbours => graph.neighbours(node.id()).iter().copied().collect(),
            Reach::Anyone => BTreeSet::new(),
        };
        Some(Self {
            node,
            out: Actions::new(),
            demands: P::demands(&config),
            as_printed: as_printed.is_some(),
            links,
            waiting: None,
            inside: None,
            timers: BTreeSet::new(),
            sent: Vec::new(),
            doubts: Vec::new(),
        })
    }

    /// The next step of the input, or none at its end.
    fn step(&mut self, tape: &mut Tape<'_>) -> Option<Step<P::Message>> {
        Some(match tape.below(16)? {
            0..3 => self.act(tape)?,
            3..5 => self.toggle(tape)?,
            5 => {
                let timer = self.timers.pop_first();
                timer.map(|timer| (Event::Timer(timer), true))
            }
            6 => self.resolve(tape)?,
            7 => Some((self.wild(tape)?, false)),
            8 => {
                let from = self.sender(tape)?;
                let msg = from_bytes(tape)?;
                from.zip(msg)
                    .map(|(from, msg)| (Event::Message { from, msg }, true))
            }
            9 => {
                // Some of what was sent has been acknowledged.
                let count = usize::from(tape.byte()?).min(self.sent.len());
                self.sent.drain(..count);
                None
            }
            _ => match self.sender(tape)? {
                Some(from) => {
                    let msg = through_bytes(&P::forge(tape, from)?);
                    msg.map(|msg| (Event::Message { from, msg }, true))
                }
                None => None,
            },
        })
    }

    /// Requests if idle, releases if inside.
    fn act(&self, tape: &mut Tape<'_>) -> Option<Step<P::Message>> {
        Some(if self.inside.is_some() {
            Some((Event::Release, true))
        } else if self.waiting.is_some() {
            None
        } else {
            let demand = tape.demand_of(self.demands)?;
            Some((Event::Request(demand), true))
        })
    }

    /// Opens a link that is closed and closes one that is open.
    fn toggle(&mut self, tape: &mut Tape<'_>) -> Option<Step<P::Message>> {
        let peer = self.other(tape)?;
        if P::REACH == Reach::Anyone || self.doubts.iter().any(|(at, _)| *at == peer) {
            return Some(None);
        }
        if !self.links.contains(&peer) {
            let role = match tape.flag()? {
                true => Role::Static,
                false => Role::Moving,
            };
            return Some(Some((Event::LinkUp { peer, role }, true)));
        }
        let (closed, open) = self.sent.drain(..).partition(|(to, _)| *to == peer);
        self.sent = open;
        let mut unacked = Vec::new();
        for (to, msg) in closed {
            let fate = tape.fate()?;
            if fate == Fate::InDoubt {
                self.doubts.push((to, P::Message::clone(&msg)));
            }
            unacked.push((msg, fate));
        }
        Some(Some((Event::LinkDown { peer, unacked }, true)))
    }

    /// Finds out about a message in doubt.
    fn resolve(&mut self, tape: &mut Tape<'_>) -> Option<Step<P::Message>> {
        let outcome = tape.outcome()?;
        Some(self.doubts.pop().map(|(peer, msg)| {
            let event = Event::Resolved { peer, msg, outcome };
            (event, true)
        }))
    }

    /// Any event at any time.
    fn wild(&self, tape: &mut Tape<'_>) -> Option<Event<P::Message>> {
        let me = self.node.id();
        let peer = match tape.byte()? {
            0..16 => me,
            _ => self.other(tape)?,
        };
        Some(match tape.below(9)? {
            0 => Event::Start,
            1 => Event::Request(tape.demand()?),
            2 => Event::Release,
            3 => Event::Timer(TimerId(tape.below(TimerId::LIMIT)?)),
            4 => Event::LinkUp {
                peer,
                role: Role::Moving,
            },
            5 => Event::LinkDown {
                peer,
                unacked: vec![(P::forge(tape, me)?, tape.fate()?)],
            },
            6 => Event::Resolved {
                peer,
                msg: P::forge(tape, me)?,
                outcome: tape.outcome()?,
            },
            _ => Event::Message {
                from: peer,
                msg: P::forge(tape, peer)?,
            },
        })
    }

    /// Somebody from whom a message may come.
    fn sender(&self, tape: &mut Tape<'_>) -> Option<Option<NodeId>> {
        Some(match P::REACH {
            Reach::Anyone => Some(self.other(tape)?),
            Reach::Neighbours => {
                let place = usize::from(tape.byte()?) % self.links.len().max(1);
                self.links.iter().nth(place).copied()
            }
        })
    }

    /// A node other than the one under test.
    fn other(&self, tape: &mut Tape<'_>) -> Option<NodeId> {
        let id = u32::from(tape.byte()?) % (IDS - 1);
        Some(NodeId(id + u32::from(id >= self.node.id().0)))
    }

    fn hand_in(&mut self, event: &Event<P::Message>, legal: bool) {
        let before = (!legal).then(|| self.node.clone());
        let result = self.node.handle(event.clone(), &mut self.out);
        if let Err(ProtocolError::Misuse { .. } | ProtocolError::Refused { .. }) = result {
            let before = before.unwrap_or_else(|| panic!("{event:?} was legal: {result:?}"));
            assert_eq!(self.node, before, "refused {event:?} but changed");
            assert!(
                self.out.as_slice().is_empty(),
                "refused {event:?} but left actions"
            );
            return;
        }
        match *event {
            Event::Request(demand) => {
                assert!(self.waiting.is_none() && self.inside.is_none());
                self.waiting = Some(demand);
            }
            Event::Release => assert!(self.inside.take().is_some()),
            Event::LinkUp { peer, .. } if P::REACH == Reach::Neighbours => {
                assert!(self.links.insert(peer), "a link to {peer:?} came up twice");
            }
            Event::LinkDown { peer, .. } if P::REACH == Reach::Neighbours => {
                assert!(self.links.remove(&peer), "no link to {peer:?} to close");
                self.sent.retain(|(to, _)| *to != peer);
            }
            Event::Timer(timer) => {
                self.timers.remove(&timer);
            }
            _ => {}
        }
        let moving = matches!(event, Event::LinkUp { role, .. } if *role == Role::Moving);
        self.carry_out(moving);
    }

    fn carry_out(&mut self, moving: bool) {
        let count = self.out.as_slice().len();
        assert!(count <= MOST_ACTIONS, "{count} actions of one event");
        for action in self.out.drain() {
            match action {
                Action::Send { to, msg } => {
                    let me = self.node.id();
                    assert_ne!(to, me, "sends {msg:?} to itself");
                    assert_eq!(P::speaks_for(&msg).unwrap_or(me), me, "{msg:?}");
                    assert!(
                        P::REACH == Reach::Anyone || self.as_printed || self.links.contains(&to),
                        "sent to {to:?} without a link: {msg:?}"
                    );
                    assert_eq!(through_bytes(&msg).as_ref(), Some(&msg));
                    if msg.class() == Class::Ownership {
                        self.sent.push((to, msg));
                    }
                }
                Action::Enter(demand) => {
                    assert_eq!(self.waiting.take(), Some(demand), "entered uninvited");
                    assert_eq!(self.inside.replace(demand), None);
                }
                Action::Demoted => {
                    assert!(moving, "demoted by something else than a new link");
                    self.waiting = self.inside.take();
                    assert!(self.waiting.is_some(), "demoted while not inside");
                }
                Action::SetTimer { id, .. } => {
                    assert!(id.0 < TimerId::LIMIT);
                    self.timers.insert(id);
                }
                Action::CancelTimer(id) => {
                    self.timers.remove(&id);
                }
                Action::Note(_) => {}
            }
        }
    }
}

/// A message as its receiver reads it; none if it is too large for the wire.
fn through_bytes<M: WireMessage>(message: &M) -> Option<M> {
    let mut bytes = Vec::with_capacity(64);
    wire::encode(message, &mut bytes).ok()?;
    Some(wire::decode(&bytes).expect("encoded messages decode"))
}

/// A message from any bytes, after a correct version and tag.
fn from_bytes<M: WireMessage>(tape: &mut Tape<'_>) -> Option<Option<M>> {
    let count = usize::from(tape.below(32)?).min(tape.0.len());
    let (body, rest) = tape.0.split_at(count);
    tape.0 = rest;
    let mut bytes = vec![wire::VERSION, M::TAG.byte()];
    bytes.extend_from_slice(body);
    Some(wire::decode(&bytes).ok())
}

impl Forge for Rl {
    fn config(tape: &mut Tape<'_>) -> Option<(rl::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        let config = rl::Config {
            limiter: tape.limiter()?,
            residual: match tape.flag()? {
                true => Residual::OwnMessage,
                false => Residual::InToken,
            },
            as_printed,
        };
        Some((config, as_printed))
    }

    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<RlMessage> {
        let (kind, height) = (tape.below(4)?, tape.height(from)?);
        Some(match kind {
            0 => RlMessage::LinkInfo(height),
            1 => RlMessage::Request(height),
            more => RlMessage::Token {
                height,
                more: more == 2,
            },
        })
    }

    fn speaks_for(msg: &RlMessage) -> Option<NodeId> {
        Some(msg.height().id)
    }
}

impl Forge for Gme {
    fn config(tape: &mut Tape<'_>) -> Option<(gme::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        let config = gme::Config {
            limiter: tape.limiter()?,
            groups: Groups::new(1 + u32::from(tape.below(4)?)).expect("few groups"),
            admission: Admission::ALL[usize::from(tape.below(2)?)].0,
            as_printed,
            ..gme::Config::default()
        };
        Some((config, as_printed))
    }

    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<GmeMessage> {
        let (kind, height) = (tape.below(5)?, tape.height(from)?);
        let resource = tape.index(5)?;
        Some(match kind {
            0 => GmeMessage::LinkInfo(height),
            1 => GmeMessage::Request { height, resource },
            2 => {
                let count = tape.below(6)?;
                let resources: Option<_> = (0..count).map(|_| tape.index(5)).collect();
                let resources = resources?;
                GmeMessage::Token { height, resources }
            }
            3 => GmeMessage::SubToken {
                height,
                resource,
                weight: tape.amount()?,
            },
            _ => GmeMessage::Release {
                height,
                weight: tape.amount()?,
            },
        })
    }

    fn speaks_for(msg: &GmeMessage) -> Option<NodeId> {
        Some(msg.height().id)
    }
}

impl Forge for Hk {
    fn config(tape: &mut Tape<'_>) -> Option<(hk::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        let config = hk::Config {
            limiter: tape.limiter()?,
            order: match tape.below(3)? {
                0 => Order::Priority,
                1 => Order::Fewest,
                _ => Order::default(),
            },
            as_printed,
            ..hk::Config::default()
        };
        Some((config, as_printed))
    }

    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<HkMessage> {
        let (kind, height) = (tape.below(5)?, tape.height(from)?);
        let (rank, id) = (tape.number()?, tape.node()?);
        let key = Key { rank, id };
        Some(match kind {
            0 => HkMessage::LinkInfo(height),
            1 => HkMessage::Request { height, key },
            2 => HkMessage::Release {
                height,
                units: tape.amount()?,
            },
            more => HkMessage::Token {
                height,
                units: tape.amount()?,
                grants: tape.amount()?,
                residual: (more == 3).then_some(key),
            },
        })
    }

    fn speaks_for(msg: &HkMessage) -> Option<NodeId> {
        Some(msg.height().id)
    }
}

/// A message of Algorithm 1 with a word of its colouring procedure.
fn lme1_message<W: Message>(
    tape: &mut Tape<'_>,
    word: impl FnOnce(&mut Tape<'_>) -> Option<W>,
) -> Option<Lme1Message<W>> {
    let position = |bits: u8| {
        let crossed = |at: Position, (place, &(doorway, _)): (usize, &(Doorway, _))| {
            let behind = bits >> place & 1 == 1;
            if behind { at.crossed(doorway) } else { at }
        };
        let doorways = Doorway::ALL.iter().enumerate();
        doorways.fold(Position::OUTSIDE, crossed)
    };
    Some(match tape.below(7)? {
        0 => Lme1Message::Position(position(tape.byte()?)),
        1 => Lme1Message::Welcome {
            colour: match tape.flag()? {
                true => Some(tape.number()?),
                false => None,
            },
            position: position(tape.byte()?),
        },
        2 => Lme1Message::UpdateColour(tape.number()?),
        3 => Lme1Message::Req,
        4 => Lme1Message::Fork { flag: tape.flag()? },
        5 => Lme1Message::NewColour {
            attempt: tape.index(3)?,
            word: word(tape)?,
        },
        _ => Lme1Message::Nack {
            attempt: tape.index(3)?,
        },
    })
}

impl Forge for Lme1a {
    fn config(tape: &mut Tape<'_>) -> Option<(Self::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        let config = algorithm1::Config {
            as_printed,
            ..Self::Config::default()
        };
        Some((config, as_printed))
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<Lme1Message<GreedyWord>> {
        lme1_message(tape, |tape| {
            if tape.below(4)? == 0 {
                return Some(GreedyWord::Hello);
            }
            let of = tape.node()?;
            let version = (tape.index(3)?, tape.index(3)?);
            let count = tape.below(5)?;
            let to: Option<_> = (0..count).map(|_| tape.node()).collect();
            let joined = Joined { version, to: to? };
            Some(GreedyWord::Links { of, joined })
        })
    }
}

impl Forge for Lme1b {
    fn config(tape: &mut Tape<'_>) -> Option<(Self::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        let config = algorithm1::Config {
            as_printed,
            ..Self::Config::default()
        };
        Some((config, as_printed))
    }

    /// Its rounds take a millisecond to find, far longer than an input: they are found once.
    fn nodes(graph: &Graph, config: &Self::Config) -> Vec<Self> {
        thread_local! {
            static MADE: RefCell<BTreeMap<Option<Erratum>, Vec<Lme1b>>> = RefCell::default();
        }
        MADE.with_borrow_mut(|made| {
            let settled = || Self::settled(graph, config).expect("the graph is connected");
            made.entry(config.as_printed)
                .or_insert_with(settled)
                .clone()
        })
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<Lme1Message<LinialWord>> {
        lme1_message(tape, |tape| {
            let round = tape.index(4)? as u8;
            let colour = tape.amount()?;
            Some(LinialWord { round, colour })
        })
    }
}

impl Forge for Lme2 {
    fn config(tape: &mut Tape<'_>) -> Option<(algorithm2::Config, Option<Erratum>)> {
        let as_printed = tape.erratum()?;
        Some((algorithm2::Config { as_printed }, as_printed))
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<Lme2Message> {
        Some(match tape.below(5)? {
            0 => Lme2Message::Req,
            1 => Lme2Message::Fork { flag: tape.flag()? },
            2 => Lme2Message::Notify,
            3 => Lme2Message::Height(tape.amount()?),
            _ => Lme2Message::Welcome(tape.amount()?),
        })
    }
}

impl Forge for Raymond {
    fn config(_: &mut Tape<'_>) -> Option<((), Option<Erratum>)> {
        Some(((), None))
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<RaymondMessage> {
        Some(match tape.flag()? {
            true => RaymondMessage::Request,
            false => RaymondMessage::Privilege,
        })
    }
}

impl Forge for NaimiTrehel {
    fn config(_: &mut Tape<'_>) -> Option<((), Option<Erratum>)> {
        Some(((), None))
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<NaimiTrehelMessage> {
        Some(match tape.below(4)? {
            0 => NaimiTrehelMessage::Token,
            _ => NaimiTrehelMessage::Request(tape.node()?),
        })
    }
}

impl Forge for Dgme {
    fn config(tape: &mut Tape<'_>) -> Option<(dgme::Config, Option<Erratum>)> {
        let groups = Groups::new(1 + u32::from(tape.below(12)?)).expect("few groups");
        // Mostly the right reading.
        let reading = tape.byte()? as usize;
        let wrong = Operators::wrong().nth(reading);
        let config = dgme::Config {
            groups,
            operators: wrong.unwrap_or_default(),
        };
        Some((config, wrong.map(Erratum::Lost)))
    }

    fn forge(tape: &mut Tape<'_>, _: NodeId) -> Option<DgmeMessage> {
        let (kind, at) = (tape.below(8)?, tape.index(12)?);
        Some(match kind {
            0 => DgmeMessage::Open(at),
            1 => DgmeMessage::Ok(at),
            2 => DgmeMessage::Rel(at),
            3 => DgmeMessage::Token(at),
            _ => {
                let by = tape.index(12)?;
                DgmeMessage::Req { at, by }
            }
        })
    }
}
