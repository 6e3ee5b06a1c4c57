//! Jiang, *A Prioritized h-out of-k Mutual Exclusion Algorithm*, statement by statement.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{Action, Actions, Event, Message, Protocol, ProtocolError};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::hk::{Config, Hk, HkMessage, Key, Order};
use manet_mutex::protocol::reversal::{Erratum, Height, Status};
use manet_mutex::protocol::rl::Rl;
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::network::{App, Network, Step};
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::settled::{in_turn, overtaking};
use manet_mutex_sim::world::topology::random_connected;
use std::num::NonZeroU32;

fn config(k: u32, order: Order) -> Config {
    Config {
        k: NonZeroU32::new(k).expect("units"),
        order,
        ..Config::default()
    }
}

/// One node of a network, handed events by the test, which plays all its neighbours.
struct Node(Hk);

fn node(links: &str, id: usize, k: u32) -> Node {
    let graph: Graph = links.parse().expect("links");
    let mut nodes = Hk::settled(&graph, &config(k, Order::Priority)).expect("connected");
    Node(nodes.swap_remove(id))
}

impl Node {
    fn hand(&mut self, event: Event<HkMessage>) -> Vec<Action<HkMessage>> {
        let mut out = Actions::new();
        self.0.handle(event, &mut out).expect("a legal event");
        out.drain().collect()
    }

    fn request(&mut self, count: u32, priority: u32) -> Vec<Action<HkMessage>> {
        self.hand(Event::Request(Demand::Units { count, priority }))
    }

    fn hear(&mut self, msg: HkMessage) -> Vec<Action<HkMessage>> {
        let from = msg.height().id;
        self.hand(Event::Message { from, msg })
    }
}

fn height(h1: i64, h2: i64, id: u32) -> Height {
    let id = NodeId(id);
    Height { h1, h2, id }
}

fn asks(h: Height, priority: i64, id: u32) -> HkMessage {
    let key = Key {
        rank: -priority,
        id: NodeId(id),
    };
    HkMessage::Request { height: h, key }
}

fn send(to: u32, msg: HkMessage) -> Action<HkMessage> {
    let to = NodeId(to);
    Action::Send { to, msg }
}

/// [HK II, Requesting]: a holder with t >= h takes h units and enters.
#[test]
fn holder_enters_with_its_units() {
    let mut node = node("0-1", 0, 5);
    let entered = Action::Enter(Demand::Units {
        count: 2,
        priority: 7,
    });
    assert_eq!(node.request(2, 7), [entered]);
    assert_eq!((node.0.units(), node.0.held()), (3, 2));
}

/// [HK II, Requesting]: anybody else asks the neighbour that leads to the token.
#[test]
fn others_ask() {
    let mut node = node("0-1,1-2", 1, 5);
    assert_eq!(node.request(2, 7), [send(0, asks(height(0, 1, 1), 7, 1))]);
}

/// [HK II, Receiving a priority update message]: a higher priority is told at once, a lower one is
/// not, and (H7) what is left when the first has gone is told, too.
#[test]
fn changes_of_the_first_key_are_told() {
    let mut node = node("0-1,1-2,1-3", 1, 5);
    let mine = height(0, 1, 1);
    assert_eq!(
        node.hear(asks(height(0, 2, 2), 3, 2)),
        [send(0, asks(mine, 3, 2))]
    );
    assert_eq!(node.hear(asks(height(0, 2, 3), 1, 3)), []);
    assert_eq!(
        node.hear(asks(height(0, 2, 3), 5, 3)),
        [send(0, asks(mine, 5, 3))]
    );
    let gone = Event::LinkDown {
        peer: NodeId(3),
        unacked: Vec::new(),
    };
    assert_eq!(node.hand(gone), [send(0, asks(mine, 3, 2))]);
}

/// [HK II, giveTokenToFrontOfQ]: after it has entered, a holder passes on the token with what is
/// left, and (H3) with the next key in line.
#[test]
fn the_rest_goes_to_the_next() {
    let mut node = node("0-1,0-2", 0, 5);
    node.request(2, 0);
    let key = |rank, id| Key {
        rank,
        id: NodeId(id),
    };
    let token = |units, residual| HkMessage::Token {
        height: height(0, 0, 0),
        units,
        grants: 1,
        residual,
    };
    assert_eq!(
        node.hear(asks(height(0, 1, 1), 1, 1)),
        [send(1, token(3, None))]
    );
    assert_eq!(node.0.state(), Status::Critical);
    let mut waiting = self::node("0-1,0-2", 0, 1);
    waiting.request(1, 0);
    waiting.hear(asks(height(0, 1, 2), 1, 2)); // the token leaves, and comes back for node 1
    let back = HkMessage::Token {
        height: height(0, -1, 2),
        units: 0,
        grants: 1,
        residual: Some(key(-1, 2)),
    };
    waiting.hear(back);
    assert_eq!(waiting.0.queue(), []); // on to node 2 again, whose request it was
}

/// [HK II, Releasing]: anybody without the token sends its units down the links.
#[test]
fn units_go_back_to_the_token() {
    let mut node = node("0-1", 0, 5);
    node.request(2, 0);
    node.hear(asks(height(0, 1, 1), 1, 1));
    let release = HkMessage::Release {
        height: height(0, 0, 0),
        units: 2,
    };
    assert_eq!(node.hand(Event::Release), [send(1, release)]);
}

/// [HK II, Receiving a release message]: units that reach a waiting holder let it in.
#[test]
fn a_waiting_holder_enters_when_it_can() {
    let mut node = node("0-1", 1, 2);
    node.request(2, 0);
    let token = HkMessage::Token {
        height: height(0, 0, 0),
        units: 1,
        grants: 1,
        residual: None,
    };
    node.hear(token);
    assert_eq!(node.0.state(), Status::Waiting);
    let release = HkMessage::Release {
        height: height(0, 0, 0),
        units: 1,
    };
    node.hear(release);
    assert_eq!((node.0.state(), node.0.held()), (Status::Critical, 2));
}

/// H10, and demands of other protocols.
#[test]
fn what_cannot_be_granted_is_refused() {
    let mut node = node("0-1", 0, 3).0;
    let units = |count| Demand::Units { count, priority: 0 };
    let cases = [
        (units(0), "ask for at least one unit"),
        (units(4), "there are not so many units: ask for at most k"),
        (
            Demand::Exclusive,
            "ask for units at a priority, as in `req 1 u2p0`",
        ),
        (
            Demand::Group(1),
            "ask for units at a priority, as in `req 1 u2p0`",
        ),
    ];
    for (asked, words) in cases {
        let before = node.clone();
        let refused = node.handle(Event::Request(asked), &mut Actions::new());
        assert!(
            matches!(refused, Err(ProtocolError::Refused { demand, hint, .. })
                if demand == asked && hint == words)
        );
        assert_eq!(node, before);
    }
}

/// What happens in a network in which everything arrives in random order.
struct Play<P: Protocol> {
    network: Network<P>,
    random: Random,
    sent: Vec<(NodeId, Action<P::Message>)>,
}

impl<P: Population> Play<P> {
    fn new(graph: &Graph, config: &P::Config, seed: u64) -> Self {
        let nodes = P::settled(graph, config).expect("connected");
        Self {
            network: Network::new(nodes, graph),
            random: Random::stream(seed, "play"),
            sent: Vec::new(),
        }
    }

    fn inside(&self) -> Vec<usize> {
        let count = self.network.nodes().len();
        let inside = |&i: &usize| matches!(self.network.app(NodeId(i as u32)), App::Inside(_));
        (0..count).filter(inside).collect()
    }

    fn step(&mut self, step: Step) {
        struct Watch<'a, M>(&'a mut Vec<(NodeId, Action<M>)>);
        impl<M: Message> manet_mutex_sim::network::Observer<M> for Watch<'_, M> {
            fn event(&mut self, _: NodeId, _: &Event<M>) {}
            fn action(
                &mut self,
                node: NodeId,
                action: &Action<M>,
                _: Option<manet_mutex_sim::network::Lane>,
            ) {
                if matches!(action, Action::Send { .. }) {
                    self.0.push((node, action.clone()));
                }
            }
            fn crash(&mut self, _: NodeId) {}
        }
        let mut watch = Watch(&mut self.sent);
        self.network.step(step, &mut watch).expect("possible");
    }

    fn deliver(&mut self) -> bool {
        let pairs = self
            .network
            .pairs()
            .flat_map(|([a, b], _)| [(a, b), (b, a)]);
        let ways: Vec<_> = pairs
            .filter(|&(from, to)| {
                let lane = self.network.lane(from, to);
                lane.is_some_and(|lane| self.network.can_receive(lane))
            })
            .collect();
        let Some(&(from, to)) = self.random.pick(&ways) else {
            return false;
        };
        self.step(Step::Receive { from, to });
        true
    }
}

fn graph(seed: u64) -> Graph {
    let random = &mut Random::stream(seed, "graph");
    let nodes = 3 + random.below(8);
    let links = nodes - 1 + random.below(nodes);
    let most = nodes * (nodes - 1) / 2;
    random_connected(nodes, links.min(most), random).expect("a graph")
}

/// [HK I]: with h = k = 1 this is mutual exclusion. With one request at a time the messages are
/// those of `rl`, one by one.
#[test]
fn one_of_one_is_rl() {
    for seed in 0..200 {
        let graph = graph(seed);
        let mut rl = Play::<Rl>::new(&graph, &Default::default(), seed);
        let mut hk = Play::<Hk>::new(&graph, &config(1, Order::Priority), seed);
        for i in 0..20 {
            let node = NodeId::from_index(rl.random.below(graph.len()));
            assert_eq!(NodeId::from_index(hk.random.below(graph.len())), node);
            let one = Demand::Units {
                count: 1,
                priority: i,
            };
            rl.step(Step::Request(node, Demand::Exclusive));
            hk.step(Step::Request(node, one));
            while rl.deliver() {}
            while hk.deliver() {}
            assert_eq!(
                (rl.inside(), hk.inside()),
                (vec![node.index()], vec![node.index()])
            );
            rl.step(Step::Release(node));
            hk.step(Step::Release(node));
        }
        let said = |sent: &Action<_>| match sent {
            Action::Send { to, msg } => (*to, Message::kind(msg), HkMessage::height(msg)),
            _ => unreachable!("only these are kept"),
        };
        let rl_said = rl.sent.iter().map(|(from, sent)| match sent {
            Action::Send { to, msg } => (*from, (*to, msg.kind(), msg.height())),
            _ => unreachable!("only these are kept"),
        });
        let hk_said = hk.sent.iter().map(|(from, sent)| (*from, said(sent)));
        assert!(rl_said.eq(hk_said), "seed {seed}");
    }
}

/// The same with everybody asking at once: one at a time, the more urgent first, as soon as the
/// requests have settled.
#[test]
fn one_of_one_goes_by_priority() {
    for seed in 0..200 {
        let graph = graph(seed);
        let mut hk = Play::<Hk>::new(&graph, &config(1, Order::Priority), seed);
        let mut order: Vec<usize> = (1..graph.len()).collect();
        hk.random.shuffle(&mut order);
        let ask = |node: usize, priority: u32| {
            let one = Demand::Units { count: 1, priority };
            Step::Request(NodeId::from_index(node), one)
        };
        hk.step(ask(0, 0));
        for (priority, &node) in (0..).zip(order.iter().rev()) {
            hk.step(ask(node, priority));
        }
        let mut inside = 0;
        for node in order {
            while hk.deliver() {}
            assert_eq!(hk.inside(), [inside]);
            hk.step(Step::Release(NodeId::from_index(inside)));
            inside = node;
        }
    }
}

/// [HK I]: with h = 1 this is k-mutual exclusion: k nodes are inside as long as so many want to be,
/// and never more.
#[test]
fn one_of_k_is_k_mutual_exclusion() {
    for seed in 0..200 {
        let graph = graph(seed);
        let k = 1 + seed as usize % 4;
        let mut hk = Play::<Hk>::new(&graph, &config(k as u32, Order::Priority), seed);
        for node in graph.nodes() {
            let one = Demand::Units {
                count: 1,
                priority: 0,
            };
            hk.step(Step::Request(node, one));
        }
        for left in (1..=graph.len()).rev() {
            while hk.deliver() {
                assert!(hk.inside().len() <= k, "seed {seed}");
            }
            let inside = hk.inside();
            assert_eq!(inside.len(), k.min(left), "seed {seed}");
            let node = *hk.random.pick(&inside).expect("somebody is inside");
            hk.step(Step::Release(NodeId::from_index(node)));
        }
    }
}

const ORDERS: [Order; 4] = [
    Order::Priority,
    Order::Aged(2),
    Order::Aged(10),
    Order::Fewest,
];

/// [HK II, Highest Priority First Serve], in settled networks; the experiment
/// `priorities` has more runs.
#[test]
fn grants_follow_the_keys() {
    for seed in 0..400 {
        let order = ORDERS[seed as usize % 4];
        let config = config(1 + seed as u32 / 4 % 5, order);
        let run = in_turn(3 + seed as usize % 8, &config, seed).expect("nodes");
        assert_eq!(run.violation, None, "seed {seed}");
        assert_eq!(run.unserved, 0, "seed {seed}");
    }
}

/// H3 is needed for that.
#[test]
fn grants_do_not_follow_the_keys_if_the_token_comes_first() {
    let broken = (0..400).find(|&seed| {
        let config = Config {
            as_printed: Some(Erratum::H3),
            ..config(3, Order::Priority)
        };
        let run = in_turn(8, &config, seed).expect("nodes");
        run.violation
            .is_some_and(|found| found.property == "priority order")
    });
    assert!(broken.is_some());
}

/// [HK III, Theorem 3], with the ageing of the keys: nobody is overtaken more often than that.
#[test]
fn overtaking_is_bounded() {
    let priorities = 5;
    for (seed, step) in (0..40).zip([1, 2, 5, 10].into_iter().cycle()) {
        let nodes = 3 + seed as usize % 6;
        let config = config(1 + seed as u32 % 3, Order::Aged(step));
        let run = overtaking(nodes, &config, priorities, 2000, seed).expect("nodes");
        assert_eq!(run.violation, None, "seed {seed}");
        for (priority, &times) in (0..).zip(&run.overtaken) {
            let bound = nodes as u32 - 1 + step * (priorities - 1 - priority);
            assert!(
                times <= bound,
                "seed {seed}: {times} at {priority}, bound {bound}"
            );
        }
    }
}

/// Without ageing who has the least priority waits for as long as others ask (H6).
#[test]
fn without_ageing_there_is_no_bound() {
    let most = (0..20).map(|seed| {
        let run = overtaking(5, &config(1, Order::Priority), 2, 4000, seed).expect("nodes");
        run.overtaken.into_iter().max().unwrap_or(0)
    });
    let bound = 4 + 10; // of `Order::Aged(10)`
    assert!(most.max() > Some(bound));
}
