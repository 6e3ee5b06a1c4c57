//! Attiya, Kogan, Welch, *Efficient and Robust Local Mutual Exclusion in Mobile Ad Hoc Networks*,
//! the first algorithm, statement by statement: one test each, on one node, with the place in its
//! comment.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{Action, Actions, Event, Protocol, ProtocolError, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::State;
use manet_mutex::protocol::lme::algorithm1::{Algorithm1, Lme1b};
use manet_mutex::protocol::lme::colouring::Colouring;
use manet_mutex::protocol::lme::colouring::greedy::Greedy;
use manet_mutex::protocol::lme::colouring::linial::{Linial, LinialWord};
use manet_mutex::protocol::lme::doorway::{Doorway, Phase, Position};
use manet_mutex::protocol::lme::forks::Fork;
use manet_mutex::protocol::lme::message::{Colour, Lme1Message};
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::network::{App, Network, Step};
use manet_mutex_sim::world::{World, torture, workload::Demands};

type Msg = Lme1Message<LinialWord>;

/// One node of a network, handed events by the test, which plays all its neighbours.
struct Node(Lme1b);

/// Node `id` of a network in its initial state.
fn node(links: &str, id: usize) -> Node {
    let graph: Graph = links.parse().expect("links");
    let mut nodes = Lme1b::settled(&graph, &Default::default()).expect("nodes");
    Node(nodes.swap_remove(id))
}

/// Node 1 of the path 0-1-2 behind SD^f with colour -2, after nodes 0 and 2 told theirs. It has the
/// fork of the link to node 2 and not that of the link to node 0.
fn competing(zero: Colour, two: Colour) -> Node {
    let mut one = node("path:3", 1);
    one.request();
    one.hear(0, Msg::Nack { attempt: 1 });
    one.hear(0, Msg::UpdateColour(zero));
    one.hear(2, Msg::UpdateColour(two));
    one.hear(2, Msg::Nack { attempt: 1 });
    assert_eq!(one.0.colour(), Some(-2));
    assert_eq!(one.0.phase(), Phase::Forks);
    one
}

impl Node {
    fn hand(&mut self, event: Event<Msg>) -> Vec<Action<Msg>> {
        let mut out = Actions::new();
        self.0.handle(event, &mut out).expect("a legal event");
        out.drain().collect()
    }

    fn request(&mut self) -> Vec<Action<Msg>> {
        self.hand(Event::Request(Demand::Exclusive))
    }

    fn release(&mut self) -> Vec<Action<Msg>> {
        self.hand(Event::Release)
    }

    fn hear(&mut self, from: u32, msg: Msg) -> Vec<Action<Msg>> {
        let from = NodeId(from);
        self.hand(Event::Message { from, msg })
    }

    fn up(&mut self, peer: u32, role: Role) -> Vec<Action<Msg>> {
        let peer = NodeId(peer);
        self.hand(Event::LinkUp { peer, role })
    }

    fn down(&mut self, peer: u32) -> Vec<Action<Msg>> {
        let (peer, unacked) = (NodeId(peer), Vec::new());
        self.hand(Event::LinkDown { peer, unacked })
    }

    fn fork(&self, peer: u32) -> Fork {
        self.0.links().get(NodeId(peer)).expect("a link").fork()
    }
}

fn send(to: u32, msg: Msg) -> Action<Msg> {
    let to = NodeId(to);
    Action::Send { to, msg }
}

fn at(doorways: &[Doorway]) -> Position {
    let outside = Position::OUTSIDE;
    doorways
        .iter()
        .fold(outside, |at, &doorway| at.crossed(doorway))
}

const ADR: Doorway = Doorway::AsyncRecolouring;
const SDR: Doorway = Doorway::SyncRecolouring;
const ADF: Doorway = Doorway::AsyncForks;
const SDF: Doorway = Doorway::SyncForks;
const ENTER: Action<Msg> = Action::Enter(Demand::Exclusive);
const FORK: Msg = Msg::Fork { flag: false };
const WANTED: Msg = Msg::Fork { flag: true };

fn round(attempt: u32, round: u8, colour: u64) -> Msg {
    let word = LinialWord { round, colour };
    Msg::NewColour { attempt, word }
}

/// [LME 2]: the application makes a thinking node hungry and an eating one thinking, and nothing
/// else.
#[test]
fn the_application_changes_the_state_only_as_allowed() {
    let mut one = node("path:2", 1);
    let mut out = Actions::new();
    let early = one.0.handle(Event::Release, &mut out);
    assert!(matches!(early, Err(ProtocolError::Misuse { .. })));
    one.request();
    assert_eq!(one.0.state(), State::Hungry);
    let twice = one.0.handle(Event::Request(Demand::Exclusive), &mut out);
    assert!(matches!(twice, Err(ProtocolError::Misuse { .. })));
    let group = one.0.handle(Event::Request(Demand::Group(1)), &mut out);
    assert!(matches!(group, Err(ProtocolError::Refused { .. })));
}

/// [LME 3]: a node does not cross as long as a neighbour it has heard of is behind.
#[test]
fn a_neighbour_behind_keeps_others_outside() {
    let mut one = node("path:2", 1);
    one.hear(0, Msg::Position(at(&[ADR])));
    assert_eq!(one.request(), []);
    assert_eq!(one.0.phase(), Phase::At(ADR));
    let crossed = one.hear(0, Msg::Position(Position::OUTSIDE));
    assert_eq!(crossed[0], send(0, Msg::Position(at(&[ADR]))));
}

/// [LME 3]: at an asynchronous doorway each neighbour is checked independently, at a synchronous
/// one all at the same time.
#[test]
fn asynchronous_and_synchronous_doorways() {
    let mut one = node("path:3", 1);
    one.hear(0, Msg::Position(at(&[ADR])));
    one.hear(2, Msg::Position(at(&[ADR])));
    one.request();
    one.hear(0, Msg::Position(Position::OUTSIDE));
    one.hear(0, Msg::Position(at(&[ADR, SDR])));
    one.hear(2, Msg::Position(Position::OUTSIDE));
    // Each was outside once; node 0 is behind the inner one.
    assert_eq!(one.0.position(), at(&[ADR]));
    one.hear(2, Msg::Position(at(&[ADR, SDR])));
    one.hear(0, Msg::Position(Position::OUTSIDE));
    assert_eq!(one.0.position(), at(&[ADR]));
    one.hear(2, Msg::Position(Position::OUTSIDE));
    assert_eq!(one.0.position(), at(&[ADR, SDR]));
}

/// [LME 4]: the recolouring module is executed by each node to obtain an initial colour.
#[test]
fn the_first_request_recolours() {
    let mut one = node("path:2", 1);
    let hello = [
        send(0, Msg::Position(at(&[ADR]))),
        send(0, Msg::Position(at(&[ADR, SDR]))),
        send(0, round(1, 0, 1)),
    ];
    assert_eq!(one.request(), hello);
}

/// [LME 4.2, lines 36 to 39]: everybody is told the new colour, which is below zero; crossing AD^f
/// leaves the first double doorway.
#[test]
fn a_new_colour_is_negative_and_told() {
    let mut one = node("path:2", 1);
    one.request();
    let done = one.hear(0, Msg::Nack { attempt: 1 });
    let expected = [
        send(0, Msg::UpdateColour(-2)),
        send(0, Msg::Position(at(&[ADF]))),
        send(0, Msg::Position(at(&[ADF, SDF]))),
        send(0, Msg::Req),
    ];
    assert_eq!(done, expected);
}

/// [LME 4]: a node that has not moved since it last ate does not recolour.
#[test]
fn later_requests_go_to_the_second_doorway() {
    let mut one = node("path:2", 1);
    one.request();
    one.hear(0, Msg::Nack { attempt: 1 });
    assert_eq!(one.hear(0, FORK), [ENTER]);
    one.release();
    let again = one.request();
    assert_eq!(again[0], send(0, Msg::Position(at(&[ADF]))));
    assert_eq!(again.last(), Some(&ENTER));
}

/// [LME 4.2, line 2].
#[test]
fn a_node_with_all_forks_eats_as_it_crosses() {
    let mut zero = node("path:2", 0);
    zero.request();
    let done = zero.hear(1, Msg::Nack { attempt: 1 });
    assert_eq!(done.last(), Some(&ENTER));
}

/// [LME 4.1]: low forks are asked for first, then high ones. [LME 4.2, lines 3 and 4]
#[test]
fn low_forks_first() {
    let mut two = node("0-2,1-2", 2);
    two.request();
    two.hear(0, Msg::UpdateColour(-9)); // low: node 2 will have -3
    two.hear(1, Msg::UpdateColour(5)); // high
    two.hear(0, Msg::Nack { attempt: 1 });
    let crossed = two.hear(1, Msg::Nack { attempt: 1 });
    let asked = |actions: &[Action<Msg>], peer| actions.contains(&send(peer, Msg::Req));
    assert!(asked(&crossed, 0) && !asked(&crossed, 1));
    assert_eq!(two.hear(0, FORK), [send(1, Msg::Req)]);
    assert_eq!(two.hear(1, FORK), [ENTER]);
}

/// [LME 4.1]: while it waits for low forks it grants any request. [LME 4.2, lines 11 and 12]
#[test]
fn a_high_fork_is_given_while_a_low_one_is_missing() {
    let mut one = competing(-9, 5);
    assert_eq!(one.hear(2, Msg::Req), [send(2, FORK)]);
}

/// [LME 4.1]: with all low forks it postpones requests for high ones. [LME 4.2, line 16]
#[test]
fn a_high_fork_is_kept_with_all_low_ones() {
    let mut one = competing(4, 5);
    assert_eq!(one.hear(2, Msg::Req), []);
    assert_eq!(one.fork(2), Fork::Suspended);
}

/// [LME 4.1]: a request for a low fork is granted, as well as all suspended ones for high forks,
/// and the low fork is wanted back. [LME 4.2, lines 13 to 15 and 30 to 35]
#[test]
fn a_low_neighbour_goes_first() {
    let mut one = competing(4, -9);
    // Node 0 is high and has its fork; node 2 is low, and node 1 has that fork.
    assert_eq!(one.hear(2, Msg::Req), [send(2, WANTED)]);
    assert_eq!(one.fork(2), Fork::Asked);

    let mut both = node("0-2,1-2,2-3", 2);
    both.request();
    for peer in [0, 1, 3] {
        both.hear(peer, Msg::UpdateColour(if peer == 0 { -9 } else { 5 }));
    }
    for peer in [0, 1, 3] {
        both.hear(peer, Msg::Nack { attempt: 1 });
    }
    both.hear(0, FORK);
    assert_eq!(both.hear(3, Msg::Req), []);
    assert_eq!(both.hear(0, Msg::Req), [send(0, WANTED), send(3, FORK)]);
}

/// [LME 4.2, lines 20, 21 and 23]: a fork wanted back is kept with all low ones and returned
/// otherwise.
#[test]
fn a_fork_that_is_wanted_back() {
    let mut one = competing(4, 5);
    assert_eq!(one.hear(0, WANTED), [ENTER]);
    assert_eq!(one.fork(0), Fork::Suspended);

    let mut two = node("0-2,1-2", 2);
    two.request();
    two.hear(0, Msg::UpdateColour(-9));
    two.hear(1, Msg::UpdateColour(-8));
    two.hear(0, Msg::Nack { attempt: 1 });
    two.hear(1, Msg::Nack { attempt: 1 });
    assert_eq!(two.hear(0, WANTED), [send(0, WANTED)]);
}

/// [LME 4.2, lines 5 to 9]: the smallest colour that no neighbour has, all delayed forks, and out.
#[test]
fn on_exit_a_node_recolours_and_answers() {
    let mut one = competing(0, 1);
    one.hear(0, FORK);
    assert_eq!(one.hear(0, Msg::Req), []);
    let left = [
        send(0, Msg::UpdateColour(2)),
        send(2, Msg::UpdateColour(2)),
        send(0, FORK),
        send(0, Msg::Position(Position::OUTSIDE)),
        send(2, Msg::Position(Position::OUTSIDE)),
    ];
    assert_eq!(one.release(), left);
}

/// [LME 4.2, lines 40 and 41].
#[test]
fn who_is_outside_takes_no_part() {
    let mut zero = node("path:2", 0);
    assert_eq!(
        zero.hear(1, round(7, 0, 1)),
        [send(1, Msg::Nack { attempt: 7 })]
    );
}

/// [LME 4.4]: neighbours that recolour at the same time choose different colours.
#[test]
fn two_that_recolour_together_choose_differently() {
    let mut nodes = [node("path:2", 0), node("path:2", 1)];
    let mut air: Vec<(usize, Msg)> = Vec::new();
    let sent = |actions: Vec<Action<Msg>>| {
        let message = |action| match action {
            Action::Send { to, msg } => Some((to.index(), msg)),
            _ => None,
        };
        actions.into_iter().filter_map(message).collect::<Vec<_>>()
    };
    for node in &mut nodes {
        air.extend(sent(node.request()));
    }
    while !air.is_empty() && nodes.iter().any(|node| node.0.colour().is_none()) {
        let (to, msg) = air.remove(0);
        let from = 1 - to as u32;
        air.extend(sent(nodes[to].hear(from, msg)));
    }
    let [zero, one] = nodes.map(|node| node.0.colour());
    assert!(zero.is_some() && one.is_some() && zero != one);
}

/// [LME 4.2, lines 44 to 46].
#[test]
fn who_stays_makes_the_fork_and_welcomes() {
    let mut one = competing(4, 5);
    let position = at(&[ADF, SDF]);
    let colour = Some(-2);
    assert_eq!(
        one.up(7, Role::Static),
        [send(7, Msg::Welcome { colour, position })]
    );
    assert_eq!(one.fork(7), Fork::Here);
    assert_eq!(one.0.phase(), Phase::Forks);
}

/// [LME 4.2, lines 47 to 55]: who comes has no fork, is no longer inside, gives away what was asked
/// for, leaves all doorways, and recolours when it has heard from the new neighbour.
#[test]
fn who_comes_steps_back() {
    let mut one = competing(4, 5);
    one.hear(0, FORK);
    one.hear(2, Msg::Req);
    let back = [
        Action::Demoted,
        send(2, FORK),
        send(0, Msg::Position(Position::OUTSIDE)),
        send(2, Msg::Position(Position::OUTSIDE)),
        send(7, Msg::Position(Position::OUTSIDE)),
    ];
    assert_eq!(one.up(7, Role::Moving), back);
    assert_eq!((one.fork(7), one.fork(0)), (Fork::Away, Fork::Here));
    assert_eq!(one.0.state(), State::Hungry);
    assert_eq!(one.0.phase(), Phase::At(ADR));
    let welcome = Msg::Welcome {
        colour: None,
        position: Position::OUTSIDE,
    };
    let begins = one.hear(7, welcome);
    assert_eq!(begins[0], send(0, Msg::Position(at(&[ADR]))));
    assert!(begins.contains(&send(7, round(2, 0, 1))));
}

/// [LME 4]: a newly arrived node that is not hungry recolours when it next becomes so.
#[test]
fn who_comes_while_thinking_recolours_later() {
    let mut one = competing(4, 5);
    one.hear(0, FORK);
    one.release();
    one.up(7, Role::Moving);
    assert_eq!(one.0.phase(), Phase::Idle);
    let welcome = Msg::Welcome {
        colour: Some(0),
        position: Position::OUTSIDE,
    };
    assert_eq!(one.hear(7, welcome), []);
    assert_eq!(one.request()[0], send(0, Msg::Position(at(&[ADR]))));
}

/// [LME 4.1] and [LME 4.2, lines 59 and 60]: the return path. Whoever loses a low neighbour that
/// has the fork leaves SD^f, gives away what was asked for, and waits at its entry, still behind
/// AD^f.
#[test]
fn the_return_path() {
    let mut one = competing(4, 5);
    one.hear(2, Msg::Req); // suspended
    one.hear(2, Msg::Position(at(&[ADF, SDF])));
    one.hear(0, Msg::UpdateColour(-9)); // low now
    let back = [send(2, FORK), send(2, Msg::Position(at(&[ADF])))];
    assert_eq!(one.down(0), back);
    assert_eq!(one.0.phase(), Phase::At(SDF));
    let again = one.hear(2, Msg::Position(Position::OUTSIDE));
    assert_eq!(again[0], send(2, Msg::Position(at(&[ADF, SDF]))));
}

/// [LME 4.2, line 61].
#[test]
fn a_link_that_goes_down_ends_a_part_in_recolouring() {
    let mut one = node("path:3", 1);
    one.request();
    one.hear(0, Msg::Nack { attempt: 1 });
    assert_eq!(one.0.colour(), None);
    one.down(2);
    assert_eq!(one.0.colour(), Some(-2));
}

/// [LME 4.3, Lemma 3]: without movement no two neighbours behind SD^f have the same colour.
#[test]
fn still_networks_are_coloured_legally() {
    let shapes = [
        "path:4",
        "ring:5",
        "complete:4",
        "star:5",
        "0-1,0-2,1-2,2-3,3-4",
    ];
    let mut together = 0;
    for (seed, links) in (1..).zip(shapes.repeat(20)) {
        together += neighbours_differ::<Greedy>(links, seed);
        together += neighbours_differ::<Linial>(links, seed);
    }
    assert!(
        together > 1000,
        "only {together} times two neighbours were behind"
    );
}

/// Takes steps at random and compares; returns how often two neighbours were behind SD^f.
fn neighbours_differ<C: Colouring>(links: &str, mut seed: u64) -> usize {
    let graph: Graph = links.parse().expect("links");
    let nodes = Algorithm1::<C>::settled(&graph, &Default::default()).expect("nodes");
    let mut network = Network::new(nodes, &graph);
    let mut together = 0;
    for _ in 0..600 {
        let steps = possible(&network, &graph);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let step = steps[(seed >> 33) as usize % steps.len()];
        network.step(step, &mut ()).expect("possible");
        for (a, b) in graph.pairs() {
            let [a, b] = [a, b].map(|node| &network.nodes()[node.index()]);
            if a.position().is_behind(SDF) && b.position().is_behind(SDF) {
                assert_ne!(a.colour(), b.colour(), "{links}");
                together += 1;
            }
        }
    }
    together
}

fn possible<P: Protocol>(network: &Network<P>, graph: &Graph) -> Vec<Step> {
    let app = |node| match network.app(node) {
        App::Idle => Some(Step::Request(node, Demand::Exclusive)),
        App::Waiting(_) => None,
        App::Inside(_) => Some(Step::Release(node)),
    };
    let lanes = graph.pairs().flat_map(|(a, b)| [(a, b), (b, a)]);
    let arrives = lanes.filter(|&(from, to)| {
        let lane = network.lane(from, to);
        lane.is_some_and(|lane| network.can_receive(lane))
    });
    let received = arrives.map(|(from, to)| Step::Receive { from, to });
    graph.nodes().filter_map(app).chain(received).collect()
}

/// [LME 2]: an eating node may become hungry again, and its request is served all the same. The
/// simulator does not release what was taken away.
#[test]
fn demoted_nodes_enter_again() {
    let mut demotions = 0;
    for seed in 0..10 {
        let setup = torture::setup(seed, Demands::Exclusive);
        let mut world = World::<Lme1b>::new(setup, &Default::default()).expect("connected");
        let report = world.run();
        assert!(report.is_clean(), "seed {seed}: {:?}", report.violations);
        demotions += report.meter.demotions;
        let entries = report.meter.entries();
        assert!(entries >= report.meter.demotions, "seed {seed}");
    }
    assert!(demotions > 50, "only {demotions}");
}
