//! Some nodes' link layers and the radio between them. Frames arrive at once and in order, unless
//! a test says otherwise.

use manet_mutex::link::{Config, FrameId, Link, Note, Outbox, Pair, Power, State};
use manet_mutex::machine::Event;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::time::{Time, span};
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::frame::{self, Frame};
use manet_mutex::{NodeId, wire};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Air {
    Clear,
    Lost,
    /// It arrives, but the sender's radio takes it for lost.
    Unconfirmed,
    /// It is lost, but the sender's radio takes it for carried.
    Unheard,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Hello,
    /// A hello with messages.
    Shared,
    Data,
    Ack,
    Close,
    Flood,
}

/// A frame that was given to the radio.
#[derive(Clone, Debug)]
pub struct Sent {
    pub from: u32,
    pub to: Option<u32>,
    pub kind: Kind,
    pub bytes: Vec<u8>,
    id: Option<FrameId>,
}

pub struct Net {
    pub now: Time,
    /// What becomes of frames between nodes in range.
    pub air: fn(from: u32, to: u32, kind: Kind) -> Air,
    /// The radio says nothing about what became of frames.
    pub silent_radio: bool,
    /// All frames so far.
    pub log: Vec<Sent>,
    nodes: Vec<Node>,
    /// Received power in dBm by sender and receiver; without it, out of range.
    power: BTreeMap<(u32, u32), f64>,
    queue: VecDeque<Sent>,
}

struct Node {
    link: Link<RlMessage>,
    out: Outbox<RlMessage>,
    events: Vec<Event<RlMessage>>,
    notes: Vec<Note>,
    up: BTreeSet<NodeId>,
    ids: BTreeSet<FrameId>,
}

/// Without messages on hellos.
pub fn alone() -> Config {
    Config {
        sharing: false,
        ..Config::default()
    }
}

/// Well above every threshold.
const STRONG: f64 = -60.0;
/// Nothing weaker is received.
const SENSITIVITY: f64 = -82.0;

impl Net {
    /// All in range of each other. Every message is a frame of its own.
    pub fn new(count: u32) -> Self {
        Self::with(&vec![alone(); count as usize])
    }

    pub fn with(configs: &[Config]) -> Self {
        let count = configs.len() as u32;
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        Self {
            now: Time::ZERO,
            air: |_, _, _| Air::Clear,
            silent_radio: false,
            log: Vec::new(),
            nodes: (0..count)
                .zip(configs)
                .map(|(id, config)| Node::new(id, config, Time::ZERO))
                .collect(),
            power: pairs.map(|pair| (pair, STRONG)).collect(),
            queue: VecDeque::new(),
        }
    }

    /// Two nodes with a link.
    pub fn linked() -> Self {
        Self::new(2).joined()
    }

    /// When the links have come up.
    pub fn joined(mut self) -> Self {
        self.run(5.0);
        assert!(self.is_up(0, 1) && self.is_up(1, 0));
        self.forget();
        self
    }

    /// Changes the power of one direction.
    pub fn power(&mut self, from: u32, to: u32, dbm: f64) {
        self.power.insert((from, to), dbm);
    }

    /// Nothing gets from `from` to `to` any more.
    pub fn deafen(&mut self, from: u32, to: u32) {
        self.power.remove(&(from, to));
    }

    /// Out of range of each other.
    pub fn part(&mut self, a: u32, b: u32) {
        self.deafen(a, b);
        self.deafen(b, a);
    }

    /// In range of each other.
    pub fn meet(&mut self, a: u32, b: u32) {
        self.power(a, b, STRONG);
        self.power(b, a, STRONG);
    }

    /// Lets time pass.
    pub fn run(&mut self, seconds: f64) {
        let end = self.now + span(seconds);
        while self.step(end) {}
        self.now = end;
    }

    /// Lets time pass until something holds.
    pub fn run_until(&mut self, holds: impl Fn(&Self) -> bool) {
        let end = self.now + span(60.0);
        while !holds(self) {
            assert!(self.step(end), "it did not happen within a minute");
        }
    }

    /// The next thing that is due, and what follows at once. False if that is after `end`.
    fn step(&mut self, end: Time) -> bool {
        let next = self.nodes.iter().map(|node| node.link.due());
        let (due, id) = next.zip(0..).min().expect("there are nodes");
        if due > end {
            return false;
        }
        self.now = self.now.max(due);
        for _ in 0..100 {
            self.input(id, |link, now, out| link.wake(now, out));
            if self.link(id).due() > self.now {
                return true;
            }
        }
        panic!("it never falls asleep: {:?}", self.link(id));
    }

    pub fn send(&mut self, from: u32, to: u32, msg: RlMessage) {
        self.input(from, |link, now, out| {
            let taken = link.send(now, NodeId(to), msg, out);
            assert_eq!(taken, Ok(()), "the link is up");
        });
    }

    /// A frame from nowhere arrives.
    pub fn arrive(&mut self, at: u32, bytes: &[u8]) {
        self.arrive_with(at, bytes, Power::from_dbm(STRONG));
    }

    pub fn arrive_with(&mut self, at: u32, bytes: &[u8], power: Power) {
        self.input(at, |link, now, out| {
            link.frame(now, bytes, power, out);
        });
    }

    /// The node loses its memory.
    pub fn restart(&mut self, id: u32, life: u16) {
        let config = Config { life, ..alone() };
        self.nodes[id as usize] = Node::new(id, &config, self.now);
    }

    pub fn calm(&mut self, id: u32, calm: bool) {
        self.input(id, |link, now, _| link.set_calm(now, calm));
    }

    pub fn motion(&mut self, id: u32, moving: bool) {
        self.nodes[id as usize].link.motion(self.now, moving);
    }

    pub fn inside(&mut self, id: u32) {
        self.nodes[id as usize].link.set_inside(true);
    }

    pub fn link(&self, id: u32) -> &Link<RlMessage> {
        &self.nodes[id as usize].link
    }

    /// The end at `id` of its pair with `peer`; they must have met.
    pub fn pair(&self, id: u32, peer: u32) -> &Pair<RlMessage> {
        self.link(id).pair(NodeId(peer)).expect("they have met")
    }

    pub fn is_up(&self, id: u32, peer: u32) -> bool {
        let pair = self.link(id).pair(NodeId(peer));
        pair.is_some_and(|pair| pair.state() == State::Up)
    }

    /// Events at a node since the last time.
    pub fn events(&mut self, id: u32) -> Vec<Event<RlMessage>> {
        std::mem::take(&mut self.nodes[id as usize].events)
    }

    /// Notes of a node since the last time.
    pub fn notes(&mut self, id: u32) -> Vec<Note> {
        std::mem::take(&mut self.nodes[id as usize].notes)
    }

    /// Forgets what was logged.
    pub fn forget(&mut self) {
        self.log.clear();
        for node in &mut self.nodes {
            node.events.clear();
            node.notes.clear();
        }
    }

    /// How many frames of a kind a node has sent.
    pub fn count(&self, from: u32, kind: Kind) -> usize {
        let of_kind = |sent: &&Sent| sent.from == from && sent.kind == kind;
        self.log.iter().filter(of_kind).count()
    }

    /// Hands something in to a node, and carries the frames that follow.
    fn input(
        &mut self,
        id: u32,
        act: impl FnOnce(&mut Link<RlMessage>, Time, &mut Outbox<RlMessage>),
    ) {
        self.act(id, act);
        while let Some(sent) = self.queue.pop_front() {
            self.carry(&sent);
        }
    }

    fn act(
        &mut self,
        id: u32,
        act: impl FnOnce(&mut Link<RlMessage>, Time, &mut Outbox<RlMessage>),
    ) {
        let node = &mut self.nodes[id as usize];
        act(&mut node.link, self.now, &mut node.out);
        node.notes.extend(node.out.notes.iter().copied());
        for event in &node.out.events {
            check_order(&mut node.up, event);
        }
        node.events.append(&mut node.out.events);
        for (frame, bytes) in node.out.frames() {
            assert!(frame.id.is_none_or(|id| node.ids.insert(id)), "used before");
            let sent = Sent {
                from: id,
                to: frame.to.map(|to| to.0),
                kind: kind(bytes),
                bytes: bytes.to_vec(),
                id: frame.id,
            };
            self.log.push(sent.clone());
            self.queue.push_back(sent);
        }
        node.out.clear();
    }

    fn carry(&mut self, sent: &Sent) {
        let others = (0..self.nodes.len() as u32).filter(|&id| id != sent.from);
        let receivers: Vec<u32> = others
            .filter(|&id| sent.to.is_none_or(|to| to == id))
            .collect();
        for to in receivers {
            let power = self.power.get(&(sent.from, to)).copied();
            let air = match power {
                Some(power) if power >= SENSITIVITY => (self.air)(sent.from, to, sent.kind),
                _ => Air::Lost,
            };
            if let (Some(power), true) = (power, !matches!(air, Air::Lost | Air::Unheard)) {
                self.act(to, |link, now, out| {
                    link.frame(now, &sent.bytes, Power::from_dbm(power), out);
                });
            }
            if let (Some(id), false) = (sent.id, self.silent_radio) {
                let ok = matches!(air, Air::Clear | Air::Unheard);
                self.act(sent.from, |link, now, out| link.sent(now, id, ok, out));
            }
        }
    }
}

impl Node {
    fn new(id: u32, config: &Config, now: Time) -> Self {
        Self {
            link: Link::new(NodeId(id), config, now).expect("a sound configuration"),
            out: Outbox::new(),
            events: Vec::new(),
            notes: Vec::new(),
            up: BTreeSet::new(),
            ids: BTreeSet::new(),
        }
    }
}

/// Up and down take turns, and messages come in between.
fn check_order(up: &mut BTreeSet<NodeId>, event: &Event<RlMessage>) {
    let right = match event {
        Event::LinkUp { peer, .. } => up.insert(*peer),
        Event::LinkDown { peer, .. } => up.remove(peer),
        Event::Message { from, .. } => up.contains(from),
        Event::Resolved { peer, .. } => !up.contains(peer),
        _ => false,
    };
    assert!(right, "out of order: {event:?}");
}

fn kind(bytes: &[u8]) -> Kind {
    match frame::decode(RlMessage::TAG, bytes) {
        Ok((_, Frame::Hello(hello))) => {
            let mut shared = hello.shared().peekable();
            if shared.peek().is_none() {
                return Kind::Hello;
            }
            assert!(shared.all(|part| wire::decode::<RlMessage>(part.message).is_ok()));
            Kind::Shared
        }
        Ok((_, Frame::Data(data))) => {
            assert!(wire::decode::<RlMessage>(data.message).is_ok());
            Kind::Data
        }
        Ok((_, Frame::Ack(_))) => Kind::Ack,
        Ok((_, Frame::Close(_))) => Kind::Close,
        Ok((_, Frame::Flood(_))) => Kind::Flood,
        Err(error) => panic!("sent {bytes:02x?}: {error}"),
    }
}

/// A message that carries ownership; the number tells it from others.
pub fn token(number: i64) -> RlMessage {
    let (height, more) = (height(number), false);
    RlMessage::Token { height, more }
}

/// One that does not.
pub fn plain(number: i64) -> RlMessage {
    RlMessage::LinkInfo(height(number))
}

fn height(number: i64) -> Height {
    Height {
        h1: number,
        h2: 0,
        id: NodeId(0),
    }
}
