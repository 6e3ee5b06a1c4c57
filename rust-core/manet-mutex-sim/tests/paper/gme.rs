//! Jiang, *A Group Mutual Exclusion Algorithm for Ad Hoc Mobile Networks*, statement by statement:
//! one test each, on one node, with the place in its comment.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{Action, Actions, Event, Protocol, ProtocolError};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::{Admission, Config, Gme, GmeMessage, Groups};
use manet_mutex::protocol::reversal::{Height, Status};
use manet_mutex::{Demand, NodeId};
use std::num::NonZeroU64;

/// What a subtoken weighs here.
const UNIT: u64 = 100;

/// One node of a network, handed events by the test, which plays all its neighbours.
struct Node(Gme);

fn node(links: &str, id: usize) -> Node {
    with(links, id, Admission::Paper)
}

fn with(links: &str, id: usize, admission: Admission) -> Node {
    let graph: Graph = links.parse().expect("links");
    let config = Config {
        admission,
        unit: NonZeroU64::new(UNIT).expect("some weight"),
        ..Config::default()
    };
    let mut nodes = Gme::settled(&graph, &config).expect("connected");
    Node(nodes.swap_remove(id))
}

impl Node {
    fn hand(&mut self, event: Event<GmeMessage>) -> Vec<Action<GmeMessage>> {
        let mut out = Actions::new();
        self.0.handle(event, &mut out).expect("a legal event");
        out.drain().collect()
    }

    fn request(&mut self, group: u32) -> Vec<Action<GmeMessage>> {
        self.hand(Event::Request(Demand::Group(group)))
    }

    fn release(&mut self) -> Vec<Action<GmeMessage>> {
        self.hand(Event::Release)
    }

    fn hear(&mut self, msg: GmeMessage) -> Vec<Action<GmeMessage>> {
        let from = msg.height().id;
        self.hand(Event::Message { from, msg })
    }
}

fn at(h1: i64, h2: i64, id: u32) -> Height {
    let id = NodeId(id);
    Height { h1, h2, id }
}

fn request(height: Height, resource: u32) -> GmeMessage {
    GmeMessage::Request { height, resource }
}

fn token(height: Height, resources: &[u32]) -> GmeMessage {
    let resources = resources.to_vec();
    GmeMessage::Token { height, resources }
}

fn subtoken(height: Height, resource: u32, weight: u64) -> GmeMessage {
    GmeMessage::SubToken {
        height,
        resource,
        weight,
    }
}

fn release(height: Height, weight: u64) -> GmeMessage {
    GmeMessage::Release { height, weight }
}

fn send(to: u32, msg: GmeMessage) -> Action<GmeMessage> {
    let to = NodeId(to);
    Action::Send { to, msg }
}

fn enter(group: u32) -> Action<GmeMessage> {
    Action::Enter(Demand::Group(group))
}

/// [GME 3, Requesting the resource R]: the leader enters, and lets in whoever wants the same.
#[test]
fn leader_enters_and_shares() {
    let mut node = node("0-1,0-2", 0);
    assert_eq!(node.request(1), [enter(1)]);
    let share = subtoken(at(0, 0, 0), 1, UNIT);
    assert_eq!(node.hear(request(at(0, 1, 2), 1)), [send(2, share)]);
    assert_eq!((node.0.weight(), node.0.session()), (UNIT, Some(1)));
}

/// [GME 3, Requesting the resource R]: anybody else asks its lowest neighbour.
#[test]
fn others_ask_once_for_each_resource() {
    let mut node = node("0-1,1-2,1-3", 1);
    let mine = at(0, 1, 1);
    assert_eq!(node.request(1), [send(0, request(mine, 1))]);
    assert_eq!(node.hear(request(at(0, 2, 2), 1)), []);
    assert_eq!(
        node.hear(request(at(0, 2, 3), 0)),
        [send(0, request(mine, 0))]
    ); // G3, G8
}

/// [GME 3, Receiving a subtoken message]: split among those who want it, without a remainder (G9).
#[test]
fn subtokens_are_split() {
    for weight in 1..50 {
        let mut node = node("0-1,1-2,1-3,1-4", 1);
        node.request(1);
        for neighbour in 2..5 {
            node.hear(request(at(0, 2, neighbour), u32::from(neighbour != 4)));
        }
        let did = node.hear(subtoken(at(0, 0, 0), 1, weight));
        let parts: Vec<u64> = did
            .iter()
            .filter_map(|action| match action {
                Action::Send {
                    msg: GmeMessage::SubToken { weight, .. },
                    ..
                } => Some(*weight),
                _ => None,
            })
            .collect();
        let own = node.0.weight();
        assert_eq!(own + parts.iter().sum::<u64>(), weight);
        assert!(parts.iter().all(|&part| part > 0));
        // With too little for all, the rest ask again; who wants another group is left alone.
        let asks_again = send(0, request(at(0, 1, 1), 1));
        assert_eq!(did.contains(&asks_again), weight < 3);
        assert!(node.0.queue().contains(&(NodeId(4), 0)));
    }
}

/// [GME 3, Receiving a subtoken message]: what nobody wants goes back (G5, G6).
#[test]
fn unused_subtokens_go_back() {
    let mut node = node("0-1,1-2", 1);
    let back = [send(0, release(at(0, 1, 1), UNIT))];
    assert_eq!(node.hear(subtoken(at(0, 0, 0), 1, UNIT)), back);
    node.request(0);
    assert_eq!(node.hear(subtoken(at(0, 0, 0), 1, UNIT)), back);
    assert_eq!(node.0.state(), Status::Waiting);
}

/// [GME 3, Releasing the resource R]: who is not the leader sends its weight back, and says it
/// again for others [GME 3, Receiving a release message].
#[test]
fn weight_goes_back() {
    let mut node = node("0-1,1-2", 1);
    node.request(1);
    assert_eq!(node.hear(subtoken(at(0, 0, 0), 1, 40)), [enter(1)]);
    let mine = at(0, 1, 1);
    assert_eq!(node.release(), [send(0, release(mine, 40))]);
    assert_eq!(
        node.hear(release(at(0, 2, 2), 7)),
        [send(0, release(mine, 7))]
    );
}

/// [GME 3, transmitToken]: the token asks for what is wanted at its sender, which does not ask again.
#[test]
fn the_token_asks_for_itself_back() {
    let mut node = node("0-1,0-2,0-3", 0);
    let mine = at(0, 0, 0);
    node.request(2);
    node.hear(request(at(0, 1, 1), 0));
    node.hear(request(at(0, 1, 2), 1));
    assert_eq!(node.release(), [send(1, token(mine, &[1]))]);
    // Another request for the same resource, and one for a resource that the token does not know.
    assert_eq!(node.hear(request(at(0, 1, 3), 1)), []);
    assert_eq!(node.request(0), [send(1, request(mine, 0))]);
}

/// [GME 3, Releasing the resource R]: the leader passes the token on when all weight is back, with
/// what else waits there.
#[test]
fn token_moves_when_the_session_is_over() {
    let mut node = node("0-1,0-2,0-3", 0);
    node.request(1);
    node.hear(request(at(0, 1, 1), 1));
    assert_eq!(node.hear(request(at(0, 1, 2), 0)), []);
    assert_eq!(node.hear(request(at(0, 1, 3), 2)), []);
    assert_eq!(node.release(), []); // G1
    assert_eq!(node.hear(release(at(0, 1, 1), UNIT - 1)), []);
    let next = send(2, token(at(0, 0, 0), &[2]));
    assert_eq!(node.hear(release(at(0, 1, 1), 1)), [next]);
}

/// G2: the leader's own request waits while weight is out.
#[test]
fn leader_waits_for_its_weight() {
    let mut node = node("0-1", 0);
    node.request(1);
    node.hear(request(at(0, 1, 1), 1));
    node.release();
    assert_eq!(node.request(0), []);
    assert_eq!(node.hear(release(at(0, 1, 1), UNIT)), [enter(0)]);
}

/// A leader that has left joins its own session again if nobody else waits.
#[test]
fn leader_joins_again() {
    let mut node = node("0-1", 0);
    node.request(1);
    node.hear(request(at(0, 1, 1), 1));
    node.release();
    assert_eq!(node.request(1), [enter(1)]);
}

/// [GME 3, Receiving the token message]: lower than the last leader, and at once a leader.
#[test]
fn token_makes_a_leader() {
    let mut node = node("0-1", 1);
    node.request(1);
    let did = node.hear(token(at(0, 0, 0), &[1, 0]));
    let mine = at(0, -1, 1);
    let share = subtoken(mine, 1, UNIT);
    assert_eq!(
        did,
        [
            send(0, GmeMessage::LinkInfo(mine)),
            send(0, share),
            enter(1)
        ]
    );
    assert_eq!(node.0.queue(), [(NodeId(0), 0)]);
}

/// The two policies differ in who comes while the leader is inside and another group waits.
#[test]
fn late_arrivals() {
    for admission in [Admission::Paper, Admission::CloseOnConflict] {
        let mut node = with("0-1,0-2", 0, admission);
        node.request(1);
        node.hear(request(at(0, 1, 1), 0));
        let did = node.hear(request(at(0, 1, 2), 1));
        let share = send(2, subtoken(at(0, 0, 0), 1, UNIT));
        match admission {
            Admission::Paper => assert_eq!(did, [share]),
            Admission::CloseOnConflict => assert_eq!(did, []),
        }
    }
}

/// Neither lets anybody in after the leader has left, if another group waits.
#[test]
fn a_session_closes_with_its_leader() {
    let mut node = node("0-1,0-2,0-3", 0);
    node.request(1);
    node.hear(request(at(0, 1, 3), 1));
    node.hear(request(at(0, 1, 1), 0));
    node.release();
    assert_eq!(node.hear(request(at(0, 1, 2), 1)), []);
}

/// G10: a subtoken that meets a leader is booked as a release.
#[test]
fn leader_books_a_subtoken() {
    let mut node = node("0-1", 0);
    node.request(1);
    node.hear(request(at(0, 1, 1), 1));
    assert_eq!(node.hear(subtoken(at(0, 1, 1), 1, UNIT)), []);
    assert_eq!(node.0.weight(), 0);
    node.release();
    assert_eq!(node.0.session(), None);
}

/// Weight from nowhere is noticed.
#[test]
fn too_much_weight_is_an_error() {
    let mut node = node("0-1", 0).0;
    let (from, msg) = (NodeId(1), release(at(0, 1, 1), 1));
    let broken = node.handle(Event::Message { from, msg }, &mut Actions::new());
    assert!(matches!(broken, Err(ProtocolError::Broken { .. })));
}

#[test]
fn what_means_nothing_is_refused() {
    let mut node = node("0-1", 0).0;
    let most = Groups::default().count();
    let one = Demand::Units {
        count: 1,
        priority: 0,
    };
    for demand in [Demand::Exclusive, one, Demand::Group(most)] {
        let before = node.clone();
        let refused = node.handle(Event::Request(demand), &mut Actions::new());
        assert!(
            matches!(refused, Err(ProtocolError::Refused { .. })),
            "{demand}"
        );
        assert_eq!(node, before);
    }
    assert!(Groups::new(0).is_err() && Groups::new(Groups::MOST + 1).is_err());
}
