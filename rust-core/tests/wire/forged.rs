//! Nodes among peers that send anything, under a host that breaks its promises now and then: no
//! panic, and what a machine promises to every host still holds.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{
    Action, Actions, Event, Fate, Message, Outcome, Protocol, ProtocolError, Role, TimerId,
};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::{Gme, GmeMessage};
use manet_mutex::protocol::hk::{Hk, HkMessage, Key};
use manet_mutex::protocol::lme::algorithm1::{Lme1a, Lme1b};
use manet_mutex::protocol::lme::algorithm2::{Lme2, Lme2Message};
use manet_mutex::protocol::lme::colouring::greedy::{GreedyWord, Joined};
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::doorway::{Doorway, Position};
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::wire::{self, WireMessage};
use manet_mutex::{Demand, NodeId};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// The node under test; its peers are the other ids below [`IDS`].
const ME: NodeId = NodeId(1);
/// Few, so that events often concern the same peer.
const IDS: u32 = 5;

/// What happens next; a host that knows what it may do makes an event of it.
#[derive(Clone, Debug)]
enum Input<M> {
    /// Requests if idle, releases if inside.
    Act(Demand),
    /// Opens a link that is closed, in some role, and closes one that is open.
    Toggle(NodeId, Role, Vec<(M, Fate)>),
    /// A message over an open link, its contents forged.
    Message(NodeId, M),
    Resolved(NodeId, M, Outcome),
    Timer(u8),
    /// Any event at any time.
    Wild(Event<M>),
}

struct Host<P: Protocol> {
    node: P,
    links: BTreeSet<NodeId>,
    waiting: Option<Demand>,
    inside: Option<Demand>,
}

impl<P: Population> Host<P>
where
    P::Message: WireMessage,
{
    fn new() -> Self {
        let graph = Graph::path(2);
        let mut nodes = P::settled(&graph, &Default::default()).expect("a path");
        Self {
            node: nodes.remove(ME.index()),
            links: BTreeSet::from([NodeId(0)]),
            waiting: None,
            inside: None,
        }
    }

    fn event(&self, input: Input<P::Message>) -> Option<Event<P::Message>> {
        Some(match input {
            Input::Act(_) if self.inside.is_some() => Event::Release,
            Input::Act(_) if self.waiting.is_some() => return None,
            Input::Act(demand) => Event::Request(demand),
            Input::Toggle(peer, _, unacked) if self.links.contains(&peer) => {
                Event::LinkDown { peer, unacked }
            }
            Input::Toggle(peer, role, _) => Event::LinkUp { peer, role },
            Input::Message(from, msg) if self.links.contains(&from) => Event::Message { from, msg },
            Input::Message(..) => return None,
            Input::Resolved(peer, msg, outcome) => Event::Resolved { peer, msg, outcome },
            Input::Timer(id) => Event::Timer(TimerId(id % TimerId::LIMIT)),
            Input::Wild(event) => event,
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
            Event::Release => self.inside = None,
            Event::LinkUp { peer, .. } => assert!(self.links.insert(*peer)),
            Event::LinkDown { peer, .. } => assert!(self.links.remove(peer)),
            _ => {}
        }
        for action in out.drain() {
            match action {
                Action::Send { to, msg } => {
                    assert!(
                        self.links.contains(&to),
                        "sent to {to:?} without a link: {msg:?}"
                    );
                    let mut bytes = Vec::new();
                    wire::encode(&msg, &mut bytes).expect("every message can be written");
                    assert_eq!(wire::decode(&bytes), Ok(msg));
                }
                Action::Enter(demand) => {
                    assert_eq!(self.waiting.take(), Some(demand));
                    assert_eq!(self.inside.replace(demand), None);
                }
                Action::Demoted => {
                    let moving = Role::Moving;
                    assert!(matches!(event, Event::LinkUp { role, .. } if *role == moving));
                    self.waiting = self.inside.take();
                    assert!(self.waiting.is_some(), "only who is inside is demoted");
                }
                _ => {}
            }
        }
    }
}

fn play<P: Population>(inputs: Vec<Input<P::Message>>)
where
    P::Message: WireMessage,
{
    let mut host = Host::<P>::new();
    for input in inputs {
        if let Some(event) = host.event(input) {
            host.hand_in(&event);
        }
    }
}

fn peer() -> impl Strategy<Value = NodeId> {
    (0..IDS - 1).prop_map(|id| NodeId(if id < ME.0 { id } else { id + 1 }))
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -3..3i64, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)]
}

fn amount() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0..4u64, 1 => any::<u64>(), 1 => Just(1 << 40), 1 => Just(u64::MAX)]
}

/// Mostly its own.
fn height(id: NodeId) -> impl Strategy<Value = Height> {
    let id = prop_oneof![20 => Just(id), 1 => peer()];
    (number(), number(), id).prop_map(|(h1, h2, id)| Height { h1, h2, id })
}

fn gme_message(from: NodeId) -> BoxedStrategy<GmeMessage> {
    let resource = prop_oneof![10 => 0..4u32, 1 => any::<u32>()];
    let resources = prop::collection::vec(resource.clone(), 0..5);
    (0..5, height(from), resource, resources, amount())
        .prop_map(|(kind, height, resource, resources, weight)| match kind {
            0 => GmeMessage::LinkInfo(height),
            1 => GmeMessage::Request { height, resource },
            2 => GmeMessage::Token { height, resources },
            3 => GmeMessage::SubToken {
                height,
                resource,
                weight,
            },
            _ => GmeMessage::Release { height, weight },
        })
        .boxed()
}

fn hk_message(from: NodeId) -> BoxedStrategy<HkMessage> {
    let key = (number(), peer())
        .prop_map(|(rank, id)| Key { rank, id })
        .boxed();
    (
        0..4,
        height(from),
        key.clone(),
        prop::option::of(key),
        amount(),
        amount(),
    )
        .prop_map(|(kind, height, key, residual, units, grants)| match kind {
            0 => HkMessage::LinkInfo(height),
            1 => HkMessage::Request { height, key },
            2 => HkMessage::Token {
                height,
                units,
                grants,
                residual,
            },
            _ => HkMessage::Release { height, units },
        })
        .boxed()
}

fn greedy_word() -> impl Strategy<Value = GreedyWord> {
    let node = || prop_oneof![9 => 0..IDS, 1 => any::<u32>()].prop_map(NodeId);
    let version = (0..3u32, prop_oneof![0..3u32, Just(u32::MAX)]);
    let to = prop::collection::vec(node(), 0..4);
    let links = (node(), version, to).prop_map(|(of, version, to)| {
        let joined = Joined { version, to };
        GreedyWord::Links { of, joined }
    });
    prop_oneof![Just(GreedyWord::Hello), links]
}

fn linial_word() -> impl Strategy<Value = LinialWord> {
    let round = prop_oneof![5 => 0..4u8, 1 => any::<u8>()];
    (round, amount()).prop_map(|(round, colour)| LinialWord { round, colour })
}

fn lme1_message<W: Message>(
    word: impl Strategy<Value = W> + 'static,
) -> BoxedStrategy<Lme1Message<W>> {
    let position = prop::sample::subsequence(Doorway::ALL.to_vec(), 0..=4).prop_map(|behind| {
        let outside = Position::OUTSIDE;
        behind
            .iter()
            .fold(outside, |at, &(doorway, _)| at.crossed(doorway))
    });
    let position = prop_oneof![2 => Just(Position::OUTSIDE), 1 => position];
    (
        0..7,
        position,
        prop::option::of(number()),
        0..3u32,
        any::<bool>(),
        word,
    )
        .prop_map(|(kind, position, colour, attempt, flag, word)| match kind {
            0 => Lme1Message::Position(position),
            1 => Lme1Message::Welcome { colour, position },
            2 => Lme1Message::UpdateColour(colour.unwrap_or(0)),
            3 => Lme1Message::Req,
            4 => Lme1Message::Fork { flag },
            5 => Lme1Message::NewColour { attempt, word },
            _ => Lme1Message::Nack { attempt },
        })
        .boxed()
}

fn lme2_message() -> BoxedStrategy<Lme2Message> {
    (0..5, any::<bool>(), amount())
        .prop_map(|(kind, flag, height)| match kind {
            0 => Lme2Message::Req,
            1 => Lme2Message::Fork { flag },
            2 => Lme2Message::Notify,
            3 => Lme2Message::Height(height),
            _ => Lme2Message::Welcome(height),
        })
        .boxed()
}

fn demand() -> impl Strategy<Value = Demand> {
    prop_oneof![
        Just(Demand::Exclusive),
        (0..6u32).prop_map(Demand::Group),
        (0..5u32, any::<u32>()).prop_map(|(count, priority)| Demand::Units { count, priority }),
    ]
}

fn inputs<M: Message>(
    message: impl Fn(NodeId) -> BoxedStrategy<M> + Copy + 'static,
) -> impl Strategy<Value = Vec<Input<M>>> {
    let heard = move || peer().prop_flat_map(move |from| (Just(from), message(from)));
    let fate = prop_oneof![
        Just(Fate::Delivered),
        Just(Fate::Returned),
        Just(Fate::InDoubt)
    ];
    let lost = prop::collection::vec((message(ME), fate), 0..3);
    let outcome = prop_oneof![Just(Outcome::Delivered), Just(Outcome::Returned)];
    let role = prop_oneof![Just(Role::Static), Just(Role::Moving)];
    let wild = prop_oneof![
        Just(Event::Start),
        Just(Event::Release),
        demand().prop_map(Event::Request),
        heard().prop_map(|(from, msg)| Event::Message { from, msg }),
        peer().prop_map(|peer| Event::LinkUp {
            peer,
            role: Role::Moving
        }),
        peer().prop_map(|peer| Event::LinkDown {
            peer,
            unacked: Vec::new()
        }),
    ];
    let input = prop_oneof![
        3 => demand().prop_map(Input::Act),
        2 => (peer(), role, lost).prop_map(|(peer, role, lost)| Input::Toggle(peer, role, lost)),
        9 => heard().prop_map(|(from, msg)| Input::Message(from, msg)),
        1 => (peer(), message(ME), outcome).prop_map(|(p, m, o)| Input::Resolved(p, m, o)),
        1 => (0..3u8).prop_map(Input::Timer),
        1 => wild.prop_map(Input::Wild),
    ];
    prop::collection::vec(input, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn gme_among_liars(inputs in inputs(gme_message)) {
        play::<Gme>(inputs);
    }

    #[test]
    fn lme1a_among_liars(inputs in inputs(|_| lme1_message(greedy_word()))) {
        play::<Lme1a>(inputs);
    }

    #[test]
    fn lme1b_among_liars(inputs in inputs(|_| lme1_message(linial_word()))) {
        play::<Lme1b>(inputs);
    }

    #[test]
    fn lme2_among_liars(inputs in inputs(|_| lme2_message())) {
        play::<Lme2>(inputs);
    }

    #[test]
    fn hk_among_liars(inputs in inputs(hk_message)) {
        play::<Hk>(inputs);
    }
}
