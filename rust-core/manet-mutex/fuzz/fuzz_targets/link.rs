//! The link layer of a node among peers and a radio that do anything: no panic, every frame that
//! it sends can be read, and the protocol above sees links and messages in the promised order.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use manet_mutex::link::{
    Config, Drop, Entry, Epoch, Final, FrameId, Link, Outbox, Power, Standing, State,
};
use manet_mutex::machine::{Class, Event, Fate, Message};
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::wire::WireMessage;
use manet_mutex::wire::frame::{self, Ack, Close, Data, Flood, Frame, Sharer, Writer};
use manet_mutex::wire::{self};
use manet_mutex::{NodeId, Time};
use std::collections::BTreeMap;
use std::time::Duration;

/// The node under test; its peers are the other ids below [`IDS`].
const ME: NodeId = NodeId(3);
/// Few, so that frames often concern the same peer.
const IDS: u32 = 7;
/// A run that has lasted so long lasts no longer: 146 years.
const END: Time = Time(1 << 62);

#[derive(Debug, Arbitrary)]
struct Run {
    neighbours: u8,
    peers: u8,
    backlog: u8,
    life: u8,
    seed: u8,
    steps: Vec<Input>,
}

#[derive(Debug, Arbitrary)]
enum Input {
    /// Any bytes arrive.
    Bytes {
        bytes: Vec<u8>,
        level: Level,
    },
    /// A frame of a peer that knows the node's state and lies about some of it.
    Frame {
        from: u8,
        body: Body,
        level: Level,
    },
    /// The hellos of a peer that wants a link and does everything right.
    Meet {
        from: u8,
        received: u8,
    },
    /// What the node itself sent comes back, with another sender and receiver or damaged.
    Echo {
        which: u8,
        turned: Option<u8>,
        damage: Option<(u16, u8)>,
        level: Level,
    },
    /// The radio reports on a frame, sent or not.
    Sent {
        which: u8,
        any: Option<u64>,
        ok: bool,
    },
    /// The protocol sends.
    Send {
        to: u8,
        token: bool,
    },
    /// Time passes; what is due is done.
    Pass {
        milliseconds: u16,
    },
    /// Time passes unused, perhaps much of it.
    Sleep {
        nanoseconds: u64,
    },
    /// Time passes until something is due.
    Next,
    /// Too early.
    Wake,
    Motion(bool),
    Inside(bool),
}

#[derive(Debug, Arbitrary)]
enum Level {
    Strong,
    Weak,
    Any(i32),
}

/// A number of a peer's, in terms of the right one.
#[derive(Debug, Arbitrary)]
enum Claim {
    Right,
    Less,
    More,
    Any(u64),
}

#[derive(Debug, Arbitrary)]
enum Body {
    Hello {
        number: Claim,
        about_me: Option<View>,
        others: u8,
    },
    Data {
        epochs: (Claim, Claim),
        sequence: Claim,
        ack: Claim,
        urgent: bool,
        token: bool,
    },
    Ack {
        epochs: (Claim, Claim),
        ack: Claim,
    },
    Close {
        ask: bool,
        last: Last,
    },
    Flood(Wave),
}

#[derive(Debug, Arbitrary)]
struct Wave {
    origin: u8,
    number: u8,
    hops: u8,
    target: u8,
    ask: bool,
    last: Last,
}

#[derive(Debug, Arbitrary)]
struct View {
    state: u8,
    epochs: (Claim, Claim),
    knows: bool,
    moving: bool,
    inside: bool,
    ack: Claim,
    doubtful: bool,
    last: Option<Last>,
}

#[derive(Debug, Arbitrary)]
struct Last {
    epochs: (Claim, Claim),
    received: Claim,
}

fuzz_target!(|run: Run| {
    let mut host = Host::new(&run);
    for step in &run.steps {
        host.step(step);
    }
    host.pass(Duration::from_secs(5));
});

/// What a host knows about its node's links, kept apart from the link layer.
struct Host {
    link: Link<RlMessage>,
    out: Outbox<RlMessage>,
    now: Time,
    most: usize,
    /// The tokens sent on each link that is up.
    up: BTreeMap<NodeId, Vec<RlMessage>>,
    doubts: BTreeMap<NodeId, Vec<RlMessage>>,
    frames: Vec<Vec<u8>>,
    ids: Vec<FrameId>,
    hellos: [u64; IDS as usize],
    tokens: i64,
}

impl Host {
    fn new(run: &Run) -> Self {
        let neighbours = 1 + run.neighbours % 4;
        let config = Config {
            neighbours,
            peers: u16::from(neighbours + run.peers % 4),
            backlog: u16::from(1 + run.backlog % 5),
            life: run.life.into(),
            seed: run.seed.into(),
            sharing: run.seed % 2 == 0,
            ..Config::default()
        };
        Self {
            link: Link::new(ME, &config, Time::ZERO).expect("a sound configuration"),
            out: Outbox::new(),
            now: Time::ZERO,
            most: neighbours.into(),
            up: BTreeMap::new(),
            doubts: BTreeMap::new(),
            frames: Vec::new(),
            ids: Vec::new(),
            hellos: [0; IDS as usize],
            tokens: 0,
        }
    }

    fn step(&mut self, step: &Input) {
        match step {
            Input::Bytes { bytes, level } => self.arrive(bytes, level),
            Input::Frame { from, body, level } => {
                let from = other(*from);
                let bytes = self.forge(from, body);
                self.arrive(&bytes, level);
            }
            Input::Meet { from, received } => self.meet(other(*from), (*received).into()),
            Input::Echo {
                which,
                turned,
                damage,
                level,
            } => {
                let echo = self.echo(*which, *turned, *damage);
                self.arrive(&echo.unwrap_or_default(), level);
            }
            Input::Sent { which, any, ok } => {
                let known = nth(&self.ids, *which).copied();
                let id = any.map(FrameId).or(known);
                self.act(|link, now, out| link.sent(now, id.unwrap_or(FrameId(0)), *ok, out));
            }
            Input::Send { to, token } => self.send(other(*to), *token),
            Input::Pass { milliseconds } => {
                self.pass(Duration::from_millis(u64::from(*milliseconds) % 4096));
            }
            Input::Sleep { nanoseconds } => {
                let later = self.now + Duration::from_nanos(nanoseconds >> (nanoseconds % 64));
                self.now = later.min(END);
            }
            Input::Next => {
                self.now = self.now.max(self.link.due()).min(END);
                self.wake();
            }
            Input::Wake => self.act(|link, now, out| link.wake(now, out)),
            Input::Motion(moving) => self.link.motion(self.now, *moving),
            Input::Inside(inside) => self.link.set_inside(*inside),
        }
    }

    fn arrive(&mut self, bytes: &[u8], level: &Level) {
        let power = match level {
            Level::Strong => Power::from_dbm(-60.0),
            Level::Weak => Power::from_dbm(-100.0),
            Level::Any(power) => Power(*power),
        };
        let before = useless(&self.link);
        let out = &mut self.out;
        self.link.frame(self.now, bytes, power, out);
        if useless(&self.link) > before && !shares(bytes) {
            assert!(out.events.is_empty() && out.notes.is_empty() && out.frames().count() == 0);
        }
        self.act(|_, _, _| {});
    }

    /// If messages are in doubt, the peer says that it received so many.
    fn meet(&mut self, from: NodeId, received: u32) {
        for state in [
            State::Heard,
            State::Heard,
            State::Heard,
            State::Sym,
            State::Up,
        ] {
            let last = self.link.pair(from).and_then(|pair| pair.last());
            let left = last.map(|last| Final {
                received,
                ..swapped(last)
            });
            let right = Right::of(&self.link, from);
            let entry = Entry {
                state,
                mine: Epoch(right.mine.saturating_add(last.is_some().into())),
                theirs: self.link.pair(from).map(|pair| pair.epoch()),
                last: left,
                ..right.entry()
            };
            let number = self.hello_number(from, &Claim::Right);
            let mut bytes = Vec::new();
            Writer::new(&mut bytes, RlMessage::TAG, from).hello(number, [(ME, entry)]);
            self.arrive(&bytes, &Level::Strong);
        }
    }

    fn send(&mut self, to: NodeId, token: bool) {
        self.tokens += 1;
        let msg = message(token, self.tokens);
        let mut taken = Ok(());
        self.act(|link, now, out| taken = link.send(now, to, msg, out));
        match (taken, self.up.get_mut(&to)) {
            (Ok(()), Some(sent)) if token => sent.push(msg),
            (Ok(()), Some(_)) => {}
            (Err(back), None) => assert_eq!(back, msg),
            (taken, up) => panic!("{taken:?} although the link is up: {}", up.is_some()),
        }
    }

    fn pass(&mut self, span: Duration) {
        let end = (self.now + span).min(END);
        while self.link.due() <= end && self.now < END {
            self.now = self.now.max(self.link.due());
            self.wake();
        }
        self.now = end;
    }

    /// Does all that is due, which must not take long.
    fn wake(&mut self) {
        for _ in 0..=2 * IDS {
            if self.link.due() > self.now {
                return;
            }
            self.act(|link, now, out| link.wake(now, out));
        }
        panic!("still due at {:?}: {:?}", self.link.due(), self.link);
    }

    /// Hands something in and looks at what comes out.
    fn act(&mut self, act: impl FnOnce(&mut Link<RlMessage>, Time, &mut Outbox<RlMessage>)) {
        let mut out = std::mem::take(&mut self.out);
        act(&mut self.link, self.now, &mut out);
        for event in out.events.drain(..) {
            self.event(event);
        }
        for (transmit, bytes) in out.frames() {
            let Ok((ME, frame)) = frame::decode(RlMessage::TAG, bytes) else {
                panic!("sent {bytes:02x?}");
            };
            assert_eq!(transmit.to, receiver(&frame), "{frame:?}");
            assert_eq!(transmit.id.is_some(), transmit.to.is_some());
            self.ids.extend(transmit.id);
            self.frames.push(bytes.to_vec());
        }
        out.clear();
        self.out = out;
        self.compare();
    }

    fn event(&mut self, event: Event<RlMessage>) {
        match event {
            Event::LinkUp { peer, .. } => {
                assert!(!self.doubts.contains_key(&peer), "up while in doubt");
                assert!(self.up.insert(peer, Vec::new()).is_none(), "up twice");
            }
            Event::LinkDown { peer, unacked } => {
                let sent = self.up.remove(&peer).expect("down but never up");
                let messages: Vec<RlMessage> = unacked.iter().map(|&(msg, _)| msg).collect();
                assert!(sent.ends_with(&messages), "{messages:?} of {sent:?}");
                let in_doubt = unacked.iter().filter(|(_, fate)| *fate == Fate::InDoubt);
                let in_doubt: Vec<RlMessage> = in_doubt.map(|&(msg, _)| msg).collect();
                if !in_doubt.is_empty() {
                    assert!(self.doubts.insert(peer, in_doubt).is_none());
                }
            }
            Event::Message { from, .. } => assert!(self.up.contains_key(&from)),
            Event::Resolved { peer, msg, .. } => {
                let doubt = self.doubts.get_mut(&peer).expect("nothing is in doubt");
                assert_eq!(doubt.remove(0), msg);
                if doubt.is_empty() {
                    self.doubts.remove(&peer);
                }
            }
            event => panic!("not for the link layer to say: {event:?}"),
        }
    }

    /// The link layer's own view is the one that it gave.
    fn compare(&self) {
        for pair in self.link.pairs() {
            let peer = pair.peer();
            assert_eq!(pair.state() == State::Up, self.up.contains_key(&peer));
            assert_eq!(pair.is_doubtful(), self.doubts.contains_key(&peer));
        }
        for peer in self.up.keys().chain(self.doubts.keys()) {
            assert!(self.link.pair(*peer).is_some(), "forgot {peer:?}");
        }
        let neighbours = self.link.pairs().filter(|pair| pair.state() > State::Down);
        assert!(neighbours.count() <= self.most);
    }

    fn echo(&self, which: u8, turned: Option<u8>, damage: Option<(u16, u8)>) -> Option<Vec<u8>> {
        let mut bytes = nth(&self.frames, which)?.clone();
        if let Some(from) = turned {
            bytes = turn(other(from), &bytes);
        }
        if let Some((at, byte)) = damage {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        Some(bytes)
    }

    fn forge(&mut self, from: NodeId, body: &Body) -> Vec<u8> {
        let right = Right::of(&self.link, from);
        let mut bytes = Vec::new();
        let writer = Writer::new(&mut bytes, RlMessage::TAG, from);
        match body {
            Body::Hello {
                number,
                about_me,
                others,
            } => {
                let number = self.hello_number(from, number);
                let me = about_me.iter().map(|view| (ME, view.entry(right)));
                let others = (0..others % 9).map(|id| (NodeId(u32::from(id) + IDS), right.entry()));
                writer.hello(number, others.chain(me));
            }
            Body::Data {
                epochs,
                sequence,
                ack,
                urgent,
                token,
            } => {
                let (mine, theirs) = right.epochs(epochs);
                writer.data(&Data {
                    to: ME,
                    mine,
                    theirs,
                    sequence: sequence.count(right.received),
                    ack: ack.count(right.sent),
                    urgent: *urgent,
                    message: &[],
                });
                let msg = message(*token, 0);
                wire::encode(&msg, &mut bytes).expect("small enough");
            }
            Body::Ack { epochs, ack } => {
                let ((mine, theirs), ack) = (right.epochs(epochs), ack.count(right.sent));
                let to = ME;
                writer.ack(&Ack {
                    to,
                    mine,
                    theirs,
                    ack,
                });
            }
            Body::Close { ask, last } => writer.close(&Close {
                to: ME,
                ask: *ask,
                last: last.about(right),
            }),
            Body::Flood(wave) => {
                let origin = NodeId(u32::from(wave.origin) % IDS);
                let right = Right::of(&self.link, origin);
                writer.flood(&Flood {
                    origin,
                    number: wave.number.into(),
                    hops: wave.hops,
                    target: NodeId(u32::from(wave.target) % IDS),
                    ask: wave.ask,
                    last: wave.last.about(right),
                });
            }
        }
        bytes
    }

    /// The next number of a peer's hellos, or another.
    fn hello_number(&mut self, from: NodeId, claim: &Claim) -> u64 {
        let last = &mut self.hellos[from.index()];
        let number = claim.about(*last + 1);
        *last = number.min(1 << 40).max(*last);
        number
    }
}

/// What a peer that does everything right would say now.
#[derive(Clone, Copy)]
struct Right {
    mine: u64,
    theirs: u64,
    received: u32,
    sent: u32,
}

impl Right {
    fn of(link: &Link<RlMessage>, peer: NodeId) -> Self {
        let Some(pair) = link.pair(peer) else {
            return Self {
                mine: 0,
                theirs: 0,
                received: 0,
                sent: 0,
            };
        };
        let entry = pair.entry(Standing::default());
        let last = entry.last.filter(|_| pair.state() == State::Down);
        let known = entry.theirs.map_or(0, |theirs| theirs.0);
        Self {
            mine: last.map_or(known, |last| last.theirs.0),
            theirs: last.map_or(entry.mine, |last| last.mine).0,
            received: pair.received(),
            sent: pair.outgoing().map_or(0, |(sequence, _)| sequence) + pair.backlog() as u32,
        }
    }

    fn epochs(self, claims: &(Claim, Claim)) -> (Epoch, Epoch) {
        let (mine, theirs) = claims;
        (
            Epoch(mine.about(self.mine)),
            Epoch(theirs.about(self.theirs)),
        )
    }

    fn entry(self) -> Entry {
        Entry {
            state: State::Heard,
            mine: Epoch(self.mine),
            theirs: Some(Epoch(self.theirs)),
            standing: Standing::default(),
            ack: 0,
            doubtful: false,
            last: None,
        }
    }
}

impl View {
    fn entry(&self, right: Right) -> Entry {
        let state = match self.state % 4 {
            0 => State::Down,
            1 => State::Heard,
            2 => State::Sym,
            _ => State::Up,
        };
        let (mine, theirs) = right.epochs(&self.epochs);
        let (moving, inside) = (self.moving, self.inside);
        Entry {
            state,
            mine,
            theirs: self.knows.then_some(theirs),
            standing: Standing { moving, inside },
            ack: match state {
                State::Up => self.ack.count(right.sent),
                _ => 0,
            },
            doubtful: self.doubtful,
            last: self.last.as_ref().map(|last| last.about(right)),
        }
    }
}

impl Last {
    fn about(&self, right: Right) -> Final {
        let (mine, theirs) = right.epochs(&self.epochs);
        Final {
            mine,
            theirs,
            received: self.received.count(right.sent),
        }
    }
}

impl Claim {
    const fn about(&self, right: u64) -> u64 {
        match *self {
            Self::Right => right,
            Self::Less => right.saturating_sub(1),
            Self::More => right.saturating_add(1),
            Self::Any(number) => number,
        }
    }

    const fn count(&self, right: u32) -> u32 {
        self.about(right as u64) as u32
    }
}

/// How many frames were dropped for reasons that leave no trace.
fn useless(link: &Link<RlMessage>) -> u64 {
    let reasons = Drop::ALL.into_iter().filter(|why| {
        !matches!(
            why,
            Drop::Stale | Drop::Forged | Drop::NotUp | Drop::Duplicate | Drop::Gap
        )
    });
    reasons.map(|why| link.counters().dropped(why)).sum()
}

/// Whether it carries messages beside what it tells itself.
fn shares(bytes: &[u8]) -> bool {
    let frame = frame::decode(RlMessage::TAG, bytes);
    matches!(frame, Ok((_, Frame::Hello(hello))) if hello.shared().next().is_some())
}

fn receiver(frame: &Frame<'_>) -> Option<NodeId> {
    match frame {
        Frame::Hello(_) | Frame::Flood(_) => None,
        Frame::Data(data) => Some(data.to),
        Frame::Ack(ack) => Some(ack.to),
        Frame::Close(close) => Some(close.to),
    }
}

/// One of the last frames of the node as the other end would have sent it.
fn turn(from: NodeId, bytes: &[u8]) -> Vec<u8> {
    let Ok((_, frame)) = frame::decode(RlMessage::TAG, bytes) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let writer = Writer::new(&mut out, RlMessage::TAG, receiver(&frame).unwrap_or(from));
    match frame {
        Frame::Hello(hello) => {
            let about = hello.entries().find(|(peer, _)| *peer == from);
            let entries = about.map(|(_, entry)| {
                let theirs = Some(entry.mine);
                let mine = entry.theirs.unwrap_or(Epoch(0));
                let last = entry.last.map(swapped);
                let entry = Entry {
                    mine,
                    theirs,
                    last,
                    ..entry
                };
                (ME, entry)
            });
            writer.hello(hello.number, entries);
            let place = (0..)
                .zip(hello.entries())
                .find(|(_, (peer, _))| *peer == from);
            let place = place.map(|(place, _)| place);
            let mut sharer = Sharer::new(&mut out, 0);
            for shared in hello.shared() {
                let mine = shared.receivers().find(|&(to, _)| Some(to) == place);
                if let Some((_, sequence)) = mine {
                    sharer.add([(0, sequence)], shared.urgent, shared.message);
                }
            }
        }
        Frame::Data(data) => writer.data(&Data {
            to: ME,
            mine: data.theirs,
            theirs: data.mine,
            ..data
        }),
        Frame::Ack(ack) => writer.ack(&Ack {
            to: ME,
            mine: ack.theirs,
            theirs: ack.mine,
            ..ack
        }),
        Frame::Close(close) => writer.close(&Close {
            to: ME,
            last: swapped(close.last),
            ..close
        }),
        Frame::Flood(flood) => writer.flood(&Flood {
            origin: flood.target,
            target: flood.origin,
            last: swapped(flood.last),
            ..flood
        }),
    }
    out
}

fn swapped(last: Final) -> Final {
    let (mine, theirs) = (last.theirs, last.mine);
    Final {
        mine,
        theirs,
        ..last
    }
}

/// Counted from the newest.
fn nth<T>(list: &[T], place: u8) -> Option<&T> {
    list.iter().rev().nth(place.into())
}

fn message(token: bool, number: i64) -> RlMessage {
    let height = Height {
        h1: number,
        h2: 0,
        id: ME,
    };
    let msg = if token {
        let more = false;
        RlMessage::Token { height, more }
    } else {
        RlMessage::LinkInfo(height)
    };
    assert_eq!(msg.class() == Class::Ownership, token);
    msg
}

/// A node other than the one under test.
fn other(number: u8) -> NodeId {
    let id = u32::from(number) % (IDS - 1);
    NodeId(if id < ME.0 { id } else { id + 1 })
}
