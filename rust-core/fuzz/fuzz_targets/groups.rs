//! A node running `gme` or `hk` among peers that send anything, under a host that breaks its
//! promises now and then: no panic, and what the machine promises to every host still holds.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::graph::Graph;
use manet_mutex::machine::{
    Action, Actions, Event, Fate, Outcome, Protocol, ProtocolError, Role, TimerId,
};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::{Gme, GmeMessage};
use manet_mutex::protocol::hk::{Hk, HkMessage, Key};
use manet_mutex::protocol::reversal::Height;
use manet_mutex::wire::{self, WireMessage};
use manet_mutex::{Demand, NodeId};
use std::collections::BTreeSet;

/// The node under test; its peers are the other ids below [`IDS`].
const ME: NodeId = NodeId(1);
/// Few, so that events often concern the same peer.
const IDS: u32 = 5;

fuzz_target!(|bytes: &[u8]| {
    let mut tape = Tape(bytes);
    match tape.byte() {
        Some(first) if first % 2 == 0 => play::<Gme>(tape),
        _ => play::<Hk>(tape),
    }
});

/// The input, read from its front.
struct Tape<'a>(&'a [u8]);

impl Tape<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
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
        self.number().map(i64::unsigned_abs)
    }

    fn peer(&mut self) -> Option<NodeId> {
        let id = u32::from(self.byte()?) % (IDS - 1);
        Some(NodeId(if id < ME.0 { id } else { id + 1 }))
    }

    /// A height, mostly of `id`.
    fn height(&mut self, id: NodeId) -> Option<Height> {
        let id = match self.byte()? {
            255 => self.peer()?,
            _ => id,
        };
        let (h1, h2) = (self.number()?, self.number()?);
        Some(Height { h1, h2, id })
    }

    fn demand(&mut self) -> Option<Demand> {
        let (kind, number) = (self.byte()?, u32::from(self.byte()?));
        Some(match kind % 8 {
            0 => Demand::Exclusive,
            1..4 => Demand::Group(number % 6),
            _ => Demand::Units {
                count: number % 5,
                priority: number,
            },
        })
    }
}

/// A protocol whose messages can be forged.
trait Forge: Population<Message: WireMessage> {
    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<Self::Message>;
}

impl Forge for Gme {
    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<GmeMessage> {
        let (kind, height) = (tape.byte()?, tape.height(from)?);
        let resource = tape.amount()? as u32 % 6;
        let weight = tape.amount()?;
        Some(match kind % 5 {
            0 => GmeMessage::LinkInfo(height),
            1 => GmeMessage::Request { height, resource },
            2 => GmeMessage::Token {
                height,
                resources: (0..resource).collect(),
            },
            3 => GmeMessage::SubToken {
                height,
                resource,
                weight,
            },
            _ => GmeMessage::Release { height, weight },
        })
    }
}

impl Forge for Hk {
    fn forge(tape: &mut Tape<'_>, from: NodeId) -> Option<HkMessage> {
        let (kind, height) = (tape.byte()?, tape.height(from)?);
        let (rank, id) = (tape.number()?, tape.peer()?);
        let (key, units) = (Key { rank, id }, tape.amount()?);
        Some(match kind % 5 {
            0 => HkMessage::LinkInfo(height),
            1 => HkMessage::Request { height, key },
            2 => HkMessage::Release { height, units },
            more => HkMessage::Token {
                height,
                units,
                grants: rank.unsigned_abs(),
                residual: (more == 3).then_some(key),
            },
        })
    }
}

/// What a host knows about its node, kept apart from the machine.
struct Host<P: Protocol> {
    node: P,
    links: BTreeSet<NodeId>,
    waiting: Option<Demand>,
    inside: bool,
}

fn play<P: Forge>(mut tape: Tape<'_>) {
    let mut nodes = P::settled(&Graph::path(2), &P::Config::default()).expect("a path");
    let mut host = Host {
        node: nodes.remove(ME.index()),
        links: BTreeSet::from([NodeId(0)]),
        waiting: None,
        inside: false,
    };
    while let Some(event) = host.event(&mut tape) {
        host.hand_in(&event);
    }
}

impl<P: Forge> Host<P> {
    fn event(&self, tape: &mut Tape<'_>) -> Option<Event<P::Message>> {
        Some(match tape.byte()? % 16 {
            0..3 if self.inside => Event::Release,
            0..4 => Event::Request(tape.demand()?),
            4..6 => {
                let (peer, role) = (tape.peer()?, Role::Static);
                if self.links.contains(&peer) {
                    let unacked = vec![(P::forge(tape, ME)?, fate(tape.byte()?))];
                    Event::LinkDown { peer, unacked }
                } else {
                    Event::LinkUp { peer, role }
                }
            }
            6 => Event::Timer(TimerId(tape.byte()? % TimerId::LIMIT)),
            7 => {
                let (peer, msg) = (tape.peer()?, P::forge(tape, ME)?);
                let outcome = match tape.byte()? % 2 {
                    0 => Outcome::Delivered,
                    _ => Outcome::Returned,
                };
                Event::Resolved { peer, msg, outcome }
            }
            8 => Event::Release,
            _ => {
                let from = tape.peer()?;
                let msg = P::forge(tape, from)?;
                Event::Message { from, msg }
            }
        })
    }

    fn hand_in(&mut self, event: &Event<P::Message>) {
        let before = self.node.clone();
        let mut out = Actions::new();
        let result = self.node.handle(event.clone(), &mut out);
        if let Err(ProtocolError::Misuse { .. } | ProtocolError::Refused { .. }) = result {
            assert_eq!(self.node, before, "refused {event:?} but changed");
            assert!(out.as_slice().is_empty(), "refused {event:?} but acts");
            return;
        }
        match event {
            Event::Request(demand) => self.waiting = Some(*demand),
            Event::Release => self.inside = false,
            Event::LinkUp { peer, .. } => assert!(self.links.insert(*peer)),
            Event::LinkDown { peer, .. } => assert!(self.links.remove(peer)),
            _ => {}
        }
        for action in out.drain() {
            self.carry_out(action);
        }
    }

    fn carry_out(&mut self, action: Action<P::Message>) {
        match action {
            Action::Send { to, msg } => {
                assert!(self.links.contains(&to), "no link to {to:?}: {msg:?}");
                let mut bytes = Vec::new();
                wire::encode(&msg, &mut bytes).expect("every message can be written");
                assert_eq!(wire::decode(&bytes), Ok(msg));
            }
            Action::Enter(demand) => {
                assert_eq!(self.waiting.take(), Some(demand));
                assert!(!self.inside, "entered while inside");
                self.inside = true;
            }
            Action::Demoted => panic!("nobody is demoted here"),
            Action::SetTimer { .. } | Action::CancelTimer(_) | Action::Note(_) => {}
        }
    }
}

fn fate(byte: u8) -> Fate {
    match byte % 3 {
        0 => Fate::Delivered,
        1 => Fate::Returned,
        _ => Fate::InDoubt,
    }
}
