//! A node running `rl` among peers that send anything, under a host that breaks its promises now
//! and then: no panic, and what the machine promises to every host still holds.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use manet_mutex::machine::{
    Action, Actions, Event, Fate, Outcome, Protocol, ProtocolError, Role, TimerId,
};
use manet_mutex::protocol::reversal::{Erratum, Height, Limiter};
use manet_mutex::protocol::rl::{Config, Residual, Rl, RlMessage};
use manet_mutex::wire;
use manet_mutex::{Demand, NodeId};
use std::collections::BTreeSet;

/// The node under test; its peers are the other ids below [`IDS`].
const ME: NodeId = NodeId(3);
/// Few, so that events often concern the same peer.
const IDS: u32 = 7;

#[derive(Debug, Arbitrary)]
struct Run {
    token: bool,
    limited: bool,
    own_message: bool,
    /// Mostly none.
    as_printed: u8,
    steps: Vec<Input>,
}

/// What happens next. The host knows what it may do, so a flag asks for what it may not do.
#[derive(Debug, Arbitrary)]
enum Input {
    /// Requests if idle, releases if inside.
    Act,
    /// Opens a link that is closed and closes one that is open.
    Toggle { peer: u8, lost: Option<Lost> },
    /// A message in the right order at the right time, its contents forged.
    Message { peer: u8, words: Words },
    /// The same from its byte form.
    Bytes { peer: u8, bytes: Vec<u8> },
    /// A timer, armed or not.
    Timer(u8),
    /// A message that was in doubt.
    Resolved { peer: u8, lost: Lost },
    /// Any event at any time.
    Wild(Wild),
}

#[derive(Debug, Arbitrary)]
enum Wild {
    Start,
    Request,
    RequestGroup(u32),
    Release,
    LinkUp(u8),
    LinkDown(u8),
    Message(u8, Words),
}

#[derive(Debug, Arbitrary)]
struct Lost {
    words: Words,
    fate: u8,
}

#[derive(Debug, Arbitrary)]
struct Words {
    kind: u8,
    h1: Number,
    h2: Number,
    /// `None`: the sender's, as it should be.
    id: Option<u8>,
    more: bool,
}

#[derive(Debug, Arbitrary)]
enum Number {
    Small(i8),
    Any(i64),
    Least,
    Most,
}

fuzz_target!(|run: Run| {
    let mut host = Host::new(&run);
    for step in &run.steps {
        if let Some(event) = host.event(step) {
            host.hand_in(event);
        }
    }
});

/// What a host knows about its node, kept apart from the machine.
struct Host {
    node: Rl,
    out: Actions<RlMessage>,
    links: BTreeSet<NodeId>,
    waiting: bool,
    inside: bool,
    /// With a rule as printed the machine may send where no link is.
    as_printed: bool,
}

impl Host {
    fn new(run: &Run) -> Self {
        let limiter = if run.limited {
            Limiter::default()
        } else {
            Limiter::OFF
        };
        let residual = if run.own_message {
            Residual::OwnMessage
        } else {
            Residual::InToken
        };
        let as_printed = Erratum::ALL
            .get(usize::from(run.as_printed))
            .map(|&(rule, _)| rule);
        let config = Config {
            limiter,
            residual,
            as_printed,
        };
        Self {
            node: Rl::new(ME, run.token, &config),
            out: Actions::new(),
            links: BTreeSet::new(),
            waiting: false,
            inside: false,
            as_printed: as_printed.is_some(),
        }
    }

    fn event(&self, input: &Input) -> Option<Event<RlMessage>> {
        Some(match input {
            Input::Act if self.inside => Event::Release,
            Input::Act if self.waiting => return None,
            Input::Act => Event::Request(Demand::Exclusive),
            Input::Toggle { peer, lost } => {
                let peer = other(*peer);
                if self.links.contains(&peer) {
                    let unacked = lost.iter().map(|lost| lost.at_link_down()).collect();
                    Event::LinkDown { peer, unacked }
                } else {
                    let role = Role::Static;
                    Event::LinkUp { peer, role }
                }
            }
            Input::Message { peer, words } => {
                let from = self.linked(*peer)?;
                let msg = through_bytes(&words.said_by(from));
                Event::Message { from, msg }
            }
            Input::Bytes { peer, bytes } => {
                let from = self.linked(*peer)?;
                let msg = wire::decode(bytes).ok()?;
                Event::Message { from, msg }
            }
            Input::Timer(id) => Event::Timer(TimerId(id % TimerId::LIMIT)),
            Input::Resolved { peer, lost } => Event::Resolved {
                peer: other(*peer),
                msg: lost.message(),
                outcome: lost.outcome(),
            },
            Input::Wild(wild) => wild.event(),
        })
    }

    fn hand_in(&mut self, event: Event<RlMessage>) {
        let before = self.node.clone();
        let result = self.node.handle(event.clone(), &mut self.out);
        if let Err(ProtocolError::Misuse { .. } | ProtocolError::Refused { .. }) = result {
            assert_eq!(self.node, before, "refused {event:?} but changed");
            assert!(self.out.as_slice().is_empty(), "refused {event:?} but acts");
            return;
        }
        match event {
            Event::Request(_) => self.waiting = true,
            Event::Release => self.inside = false,
            Event::LinkUp { peer, .. } => assert!(self.links.insert(peer)),
            Event::LinkDown { peer, .. } => assert!(self.links.remove(&peer)),
            _ => {}
        }
        self.carry_out();
    }

    fn carry_out(&mut self) {
        for action in self.out.drain() {
            match action {
                Action::Send { to, msg } => {
                    assert_eq!(msg.height().id, ME, "speaks for itself: {msg:?}");
                    assert_eq!(through_bytes(&msg), msg);
                    assert!(
                        self.links.contains(&to) || self.as_printed,
                        "sent to {to:?} without a link: {msg:?}"
                    );
                }
                Action::Enter(demand) => {
                    assert_eq!(demand, Demand::Exclusive);
                    assert!(self.waiting && !self.inside, "entered without a request");
                    (self.waiting, self.inside) = (false, true);
                }
                Action::Demoted => panic!("`rl` never demotes"),
                Action::SetTimer { id, .. } | Action::CancelTimer(id) => {
                    assert!(id.0 < TimerId::LIMIT);
                }
                Action::Note(_) => {}
            }
        }
    }

    /// One of the peers to whom a link is open.
    fn linked(&self, peer: u8) -> Option<NodeId> {
        let place = usize::from(peer) % self.links.len().max(1);
        self.links.iter().nth(place).copied()
    }
}

impl Wild {
    fn event(&self) -> Event<RlMessage> {
        match self {
            Self::Start => Event::Start,
            Self::Request => Event::Request(Demand::Exclusive),
            Self::RequestGroup(group) => Event::Request(Demand::Group(*group)),
            Self::Release => Event::Release,
            Self::LinkUp(peer) => Event::LinkUp {
                peer: other(*peer),
                role: Role::Moving,
            },
            Self::LinkDown(peer) => Event::LinkDown {
                peer: other(*peer),
                unacked: Vec::new(),
            },
            Self::Message(peer, words) => {
                let from = other(*peer);
                let msg = words.said_by(from);
                Event::Message { from, msg }
            }
        }
    }
}

impl Lost {
    /// A message of this node's own, which no peer can forge.
    fn message(&self) -> RlMessage {
        self.words.with_id(ME)
    }

    fn at_link_down(&self) -> (RlMessage, Fate) {
        let fate = match self.fate % 3 {
            0 => Fate::Delivered,
            1 => Fate::Returned,
            _ => Fate::InDoubt,
        };
        (self.message(), fate)
    }

    fn outcome(&self) -> Outcome {
        if self.fate % 2 == 0 {
            Outcome::Delivered
        } else {
            Outcome::Returned
        }
    }
}

impl Words {
    fn said_by(&self, sender: NodeId) -> RlMessage {
        let id = self.id.map_or(sender, |id| NodeId(u32::from(id) % IDS));
        self.with_id(id)
    }

    fn with_id(&self, id: NodeId) -> RlMessage {
        let height = Height {
            h1: self.h1.value(),
            h2: self.h2.value(),
            id,
        };
        match self.kind % 3 {
            0 => RlMessage::LinkInfo(height),
            1 => RlMessage::Request(height),
            _ => RlMessage::Token {
                height,
                more: self.more,
            },
        }
    }
}

impl Number {
    const fn value(&self) -> i64 {
        match *self {
            Self::Small(number) => number as i64,
            Self::Any(number) => number,
            Self::Least => i64::MIN,
            Self::Most => i64::MAX,
        }
    }
}

fn through_bytes(message: &RlMessage) -> RlMessage {
    let mut bytes = Vec::new();
    wire::encode(message, &mut bytes).expect("every message can be written");
    wire::decode(&bytes).expect("what was written can be read")
}

/// A node other than the one under test.
fn other(number: u8) -> NodeId {
    let id = u32::from(number) % (IDS - 1);
    NodeId(if id < ME.0 { id } else { id + 1 })
}
