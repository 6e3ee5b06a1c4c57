//! Each correction is needed: with the rule as printed, or a careless link layer, exploration
//! finds what goes wrong.

use crate::careless::{Care, Careless};
use crate::common::{caught, model};
use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::Erratum;
use manet_mutex::protocol::rl::{Config, Rl};
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::explore::{
    CAN_BE_SERVED, InTransit, Limits, Report, Requests, STUCK, Settings, State, explore, find,
};
use manet_mutex_sim::network::{EndState, Network, Step};

fn as_printed(rule: Erratum, topology: &str, settings: Settings) -> Report {
    let config = Config {
        as_printed: Some(rule),
        ..Config::default()
    };
    let model = model::<Rl>(topology, &config, settings);
    explore(&model, Limits::default(), &mut |_| {})
}

fn by(nodes: &[u32]) -> Requests {
    Requests::by(nodes.iter().map(|&i| (NodeId(i), Demand::Exclusive)))
}

fn changes(requests: Requests, changes: u8) -> Settings {
    Settings {
        requests,
        changes,
        ..Settings::default()
    }
}

fn text(trace: &[Step]) -> String {
    let steps: Vec<String> = trace.iter().map(Step::to_string).collect();
    steps.join(", ")
}

/// N is empty although the network is connected: the only link left is still forming.
#[test]
fn e1_minimum_over_no_neighbours() {
    let report = as_printed(Erratum::E1, "path:3", changes(by(&[]), 2));
    let found = caught(&report, "assumption");
    assert_eq!(
        found.line(),
        "new 0-2, upe 0-2, upe 2-0, dne 1-2 k, dne 2-1 k"
    );
}

/// Node 2 thinks that it has asked node 1, whose link is gone.
#[test]
fn e2_waits_for_a_lost_neighbour() {
    let report = as_printed(Erratum::E2, "path:3", changes(by(&[2]), 2));
    let found = caught(&report, STUCK);
    assert_eq!(
        found.line(),
        "new 0-2, upe 0-2, upe 2-0, rcv 2>0, dne 1-2 k, dne 2-1 k, req 2, rcv 0>2"
    );
    caught(&report, CAN_BE_SERVED);
}

/// With half of the correction it takes the link to node 1 to come back.
#[test]
fn e2_waits_for_a_neighbour_that_came_back() {
    let report = as_printed(Erratum::E2Rejoin, "path:3", changes(by(&[2]), 2));
    assert!(report.violations.is_empty());
    let report = as_printed(Erratum::E2Rejoin, "path:3", changes(by(&[2]), 3));
    let found = caught(&report, STUCK);
    assert_eq!(
        found.line(),
        "new 0-2, upe 0-2, upe 2-0, rcv 2>0, dne 1-2 k, dne 2-1 k, req 2, \
         new 1-2, upe 1-2, upe 2-1, rcv 1>2, rcv 2>1, rcv 0>2"
    );
}

/// The holder, inside, hears a LinkInfo while others wait: on a static triangle.
#[test]
fn e3_holder_forwards() {
    let report = as_printed(Erratum::E3, "complete:3", changes(Requests::any(3, 3), 0));
    let found = caught(&report, "assumption");
    assert!(
        found.detail.contains("next being itself"),
        "{}",
        found.detail
    );
    assert_eq!(found.trace.len(), 12, "{}", found.line());
}

/// A link whose ends both think that it leads away from the token is no failure: it can be there
/// when all is quiet, on a static triangle.
#[test]
fn e4_incoming_at_both_ends() {
    let model = model::<Rl>(
        "complete:3",
        &Config::default(),
        changes(Requests::any(3, 5), 0),
    );
    let trace = find(&model, usize::MAX, |state| {
        let quiet = state.network().undelivered().next().is_none();
        let nodes = state.network().nodes();
        let above = |a: u32, b: u32| nodes[a as usize].dag().sees_above(NodeId(b));
        quiet
            && [(0, 1), (0, 2), (1, 2)]
                .iter()
                .any(|&(a, b)| above(a, b) && above(b, a))
    });
    let trace = trace.expect("both ends see the other above");
    assert!(
        trace
            .iter()
            .all(|step| !matches!(step, Step::Down { .. } | Step::New(..)))
    );
}

/// Node 0, with the token, is reachable only over a link that is still forming; nodes 1 and 2
/// raise themselves over each other without end.
#[test]
fn e5_heights_without_bound() {
    const CAP: i64 = 50;
    let climbed = |state: &State<Rl>| {
        let bridge = state.network().pair_between(NodeId(0), NodeId(2)).unwrap();
        let forming = bridge.end(0) == EndState::Up && bridge.undelivered(0).count() == 1;
        let high = |node: &Rl| node.dag().height().h1 > CAP;
        forming && state.network().nodes().iter().any(high)
    };
    let settings = changes(by(&[]), 2);
    let config = Config {
        as_printed: Some(Erratum::E5),
        ..Config::default()
    };
    let trace = find(
        &model::<Rl>("path:3", &config, settings.clone()),
        100_000,
        climbed,
    );
    let trace = text(&trace.expect("heights exceed any cap"));
    let start = "new 0-2, upe 0-2, upe 2-0, dne 0-1 k, dne 1-0 k, rcv 1>2, rcv 2>1, rcv 1>2";
    assert!(trace.starts_with(start), "{trace}");
    let limited = model::<Rl>("path:3", &Config::default(), settings);
    assert_eq!(find(&limited, usize::MAX, climbed), None);
}

/// Node 2 counts node 0 among its neighbours before it knows its height.
#[test]
fn e6_neighbour_without_height() {
    let report = as_printed(Erratum::E6, "path:3", changes(by(&[2]), 1));
    let found = caught(&report, "assumption");
    assert_eq!(found.line(), "new 0-2, upe 0-2, upe 2-0, req 2");
}

fn doubtful(requests: Requests, changes: u8) -> Settings {
    Settings {
        requests,
        changes,
        skew: true,
        in_transit: InTransit::Doubt,
        ..Settings::default()
    }
}

/// The token comes back to a node that has raised itself meanwhile.
#[test]
fn token_taken_back_too_high() {
    let report = as_printed(Erratum::TakeBackHigh, "complete:3", doubtful(by(&[1]), 1));
    let found = caught(&report, "token is lowest");
    assert_eq!(
        found.line(),
        "req 1, rcv 1>0, dne 0-1 d, dne 1-0 k, res 0-1"
    );
}

/// A link layer that takes back what it is in doubt about doubles the token.
#[test]
fn doubt_taken_as_returned() {
    let settings = doubtful(by(&[1]), 1);
    let model = model::<Careless>("complete:3", &Care::TakesBack, settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    let found = caught(&report, "one token");
    assert_eq!(found.line(), "req 1, rcv 1>0, dne 0-1 d");
}

/// A link layer that treats the token like any other message loses it.
#[test]
fn token_dropped_with_its_link() {
    let settings = Settings {
        in_transit: InTransit::Plain,
        ..changes(by(&[1]), 1)
    };
    let model = model::<Careless>("complete:3", &Care::Drops, settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    let found = caught(&report, "one token");
    assert_eq!(found.line(), "req 1, rcv 1>0, dne 0-1 k, dne 1-0 k");
    assert!(
        found
            .detail
            .starts_with("0 tokens are held and 0 under way")
    );
}

/// Not corrected, and harmless to those who wait: requests outlive their service. Once every node
/// has one in its queue, each hop of the token uses one up and, the sender's queue not being
/// empty, leaves a new one. A `LinkInfo` in time would remove it; here each comes just too late,
/// though it does come, and the network repeats itself with heights lowered by ten.
#[test]
fn token_can_chase_served_requests_for_ever() {
    const PREFIX: &str = "req 2, rcv 2>0, rcv 0>2, rcv 2>0, req 3, dne 0-2 k, dne 2-0 k, rcv 0>1, \
        rcv 0>3, rcv 1>2, rcv 2>1, rcv 1>3, req 0, rcv 0>1, rcv 1>0, rcv 1>2, rcv 3>2, rel 2, \
        rcv 2>1, rcv 1>0, rcv 0>1, rcv 1>2, rcv 1>3, rcv 3>1, rel 0, rcv 0>1, rcv 1>0, rcv 3>0, \
        rcv 1>2, rcv 2>1, rcv 2>3, rcv 0>3, rcv 3>1, rcv 0>1, rcv 1>3, rcv 3>2, rel 3, rcv 3>2, \
        rcv 2>1, rcv 1>0, rcv 0>1, rcv 0>3, rcv 3>0, rcv 1>2, rcv 1>3, rcv 3>1, rcv 1>2, \
        rcv 2>1, rcv 1>3, rcv 2>3, rcv 2>3, rcv 3>0";
    const LAP: &str = "rcv 0>1, rcv 1>0, rcv 1>0, rcv 0>3, rcv 1>3, rcv 3>1, rcv 3>1, rcv 3>2, \
        rcv 3>2, rcv 3>2, rcv 1>2, rcv 2>1, rcv 1>0, rcv 0>1, rcv 0>3, rcv 3>0, rcv 3>0, \
        rcv 1>2, rcv 1>3, rcv 3>1, rcv 1>2, rcv 2>1, rcv 1>3, rcv 2>3, rcv 2>3, rcv 3>0";
    let graph = Graph::complete(4);
    let nodes = Rl::settled(&graph, &Config::default()).expect("connected");
    let mut network = Network::new(nodes, &graph);
    let mut run = |steps: &str| {
        for step in steps.split(", ") {
            let step: Step = step.parse().expect("a step");
            network.step(step, &mut ()).expect("possible");
        }
        assert_eq!(network.waiting().next(), None);
        let heights = network.nodes().iter().map(|node| node.dag().height().h2);
        heights.collect::<Vec<_>>()
    };
    let mut heights = run(PREFIX);
    for _ in 0..100 {
        heights.iter_mut().for_each(|h2| *h2 -= 10);
        assert_eq!(run(LAP), heights);
    }
}
