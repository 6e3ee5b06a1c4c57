//! The world does what its parts say.

use crate::sink::Sink;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::delay::Delay;
use manet_mutex_sim::world::faults::FaultPlan;
use manet_mutex_sim::world::mobility::{Change, LinkChanges, Mobility, Waypoint};
use manet_mutex_sim::world::topology::{connected_disk, random_connected, side_for_degree};
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Report, Setup, World};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};

fn run(setup: Setup) -> Report {
    let mut world = World::<Rl>::new(setup, &Default::default()).expect("connected");
    let report = world.run();
    assert!(
        report.is_clean(),
        "{:?}, {} unserved",
        report.violations,
        report.unserved
    );
    report
}

/// A run's trace, line by line.
fn traced(setup: Setup) -> Vec<Value> {
    let sink = Sink::default();
    let world = World::<Rl>::new(setup, &Default::default()).expect("connected");
    let report = world.traced(Tracer::new(Box::new(sink.clone()))).run();
    assert!(report.is_clean(), "{:?}", report.violations);
    let parse = |line: &str| serde_json::from_str(line).expect("one object");
    sink.text().lines().map(parse).collect()
}

/// A ring of eight whose links flap.
fn shaky() -> Setup {
    let faults = FaultPlan {
        flaps: 0.2,
        flap_time: 3.0,
        resolve: 5.0,
        ..FaultPlan::default()
    };
    Setup {
        faults,
        monitor_every: 1,
        ..Setup::new(Graph::ring(8), 1)
    }
}

#[test]
fn nothing_goes_wrong_by_default() {
    let report = run(Setup::new(Graph::ring(8), 1));
    assert_eq!((report.meter.link_changes, report.meter.doubts), (0, 0));
    assert!(report.meter.entries() > 100);
    assert_eq!(report.meter.entries(), report.meter.requests);
}

#[test]
fn each_fault_shows() {
    assert!(run(shaky()).meter.link_changes > 100);
    let doubting = |doubt| {
        let base = shaky();
        run(Setup {
            faults: FaultPlan {
                doubt,
                ..base.faults
            },
            ..base
        })
        .meter
        .doubts
    };
    assert_eq!(doubting(0.0), 0);
    assert!(doubting(1.0) > 0);
    let waits = |faults: FaultPlan| run(Setup { faults, ..shaky() }).meter.wait().p99;
    let base = shaky().faults;
    assert!(
        waits(FaultPlan {
            partitions: 0.01,
            partition_time: 100.0,
            ..base
        }) > waits(base)
    );
    assert_ne!(waits(FaultPlan { skew: 2.0, ..base }), waits(base));
    assert_ne!(waits(FaultPlan { loss: 1.0, ..base }), waits(base));
}

#[test]
fn a_crashed_node_enters_no_more_and_the_others_go_on() {
    let faults = FaultPlan {
        crashes: 4,
        ..FaultPlan::default()
    };
    let setup = Setup {
        faults,
        monitor_every: 1,
        ..Setup::new(Graph::complete(8), 3)
    };
    let report = run(setup);
    let fewest = report.meter.entries_by_node.iter().min();
    let most = report.meter.entries_by_node.iter().max();
    assert!(
        fewest < most.map(|most| most / 2).as_ref(),
        "{:?}",
        report.meter.entries_by_node
    );
}

#[test]
fn a_partition_is_waited_out() {
    // One request on each side of a cut that lasts longer than anything else.
    let faults = FaultPlan {
        partitions: 1.0,
        partition_time: 200.0,
        ..FaultPlan::default()
    };
    let setup = Setup {
        faults,
        monitor_every: 1,
        ..Setup::new(Graph::complete(10), 5)
    };
    let report = run(setup);
    assert!(report.meter.wait().max > 100.0);
}

#[test]
fn messages_of_one_link_arrive_in_order_whatever_the_delay() {
    // Reordering would show as a broken invariant of rl, which relies on FIFO links.
    for delay in [
        Delay::Uniform {
            low: 0.0,
            high: 5.0,
        },
        Delay::Exponential { mean: 2.0 },
    ] {
        let setup = Setup {
            delay,
            monitor_every: 1,
            ..shaky()
        };
        assert!(run(setup).meter.entries() > 50);
    }
}

/// Whoever comes and goes, and whenever an end learns it: never before its time.
#[test]
fn no_message_is_quicker_than_its_delay() {
    for skew in [0.0, 1.5] {
        let lines = traced(Setup {
            faults: FaultPlan {
                skew,
                ..shaky().faults
            },
            ..shaky()
        });
        let mut under_way = BTreeMap::<_, VecDeque<f64>>::new();
        let mut received = 0;
        for line in &lines {
            let (t, node, peer) = (line["t"].as_f64().unwrap(), &line["node"], &line["peer"]);
            let lane = |from: &Value, to: &Value| (from.as_u64(), to.as_u64());
            match line["event"].as_str().unwrap() {
                "send" => under_way.entry(lane(node, peer)).or_default().push_back(t),
                "link_down" => drop(under_way.remove(&lane(node, peer))),
                "recv" => {
                    let queue = under_way.get_mut(&lane(peer, node)).expect("it was sent");
                    let sent = queue.pop_front().expect("it was sent");
                    assert!(t - sent > 1.0 - 1e-6, "skew {skew}, sent at {sent}: {line}");
                    received += 1;
                }
                _ => {}
            }
        }
        assert!(received > 1000, "{received}");
    }
}

#[test]
fn a_script_is_followed() {
    let at = |seconds: f64, node: u32| (Time::from_secs(seconds), NodeId(node), Demand::Exclusive);
    let workload = Workload {
        think: Span::Never,
        stay: Span::Fixed(5.0),
        script: vec![at(1.0, 2), at(2.5, 1), at(3.0, 2)],
        ..Workload::default()
    };
    let report = run(Setup {
        workload,
        ..Setup::new(Graph::path(3), 1)
    });
    // Node 2 asks over two hops and gets the token over two; its second wish falls while it waits.
    assert_eq!(report.meter.requests, 2);
    // Node 1 has the token after that stay and one hop more.
    let waits: Vec<u64> = report
        .meter
        .waits
        .iter()
        .map(|nanos| nanos / 1_000_000)
        .collect();
    assert_eq!(waits, [4000, 8500]);
}

#[test]
fn closed_loop_nodes_take_turns() {
    let workload = Workload {
        think: Span::Fixed(0.0),
        ..Workload::default()
    };
    let report = run(Setup {
        workload,
        ..Setup::new(Graph::complete(10), 1)
    });
    assert!(
        report.meter.fairness() > 0.999,
        "{}",
        report.meter.fairness()
    );
}

#[test]
fn random_graphs_are_connected_and_have_the_links_asked_for() {
    let random = &mut Random::stream(1, "test");
    for (n, links) in [(1, 0), (2, 1), (30, 29), (30, 87), (30, 348), (30, 435)] {
        let graph = random_connected(n, links, random).unwrap();
        assert_eq!((graph.len(), graph.links()), (n, links));
        assert!(graph.is_connected());
    }
    assert!(random_connected(30, 28, random).is_err());
    assert!(random_connected(30, 436, random).is_err());
}

#[test]
fn a_disk_graph_links_exactly_those_in_range() {
    let random = &mut Random::stream(2, "test");
    let (points, graph) = connected_disk(60, 8.0, random).unwrap();
    for a in graph.nodes() {
        for b in graph.nodes().filter(|&b| a < b) {
            let (p, q) = (points[a.index()], points[b.index()]);
            let near = (p.x - q.x).hypot(p.y - q.y) <= 1.0;
            assert_eq!(graph.has(a, b), near, "{a:?} {b:?}");
        }
    }
}

/// A link comes that was not there, or goes that was.
fn apply(graph: &mut Graph, change: Change) {
    let (a, b) = change.link;
    assert!(if change.up {
        graph.add(a, b)
    } else {
        graph.remove(a, b)
    });
}

#[test]
fn link_changes_keep_the_graph_connected_and_as_dense() {
    let random = &mut Random::stream(3, "test");
    let mut graph = random_connected(12, 14, random).unwrap();
    let changes = LinkChanges {
        rate: 1.0,
        may_exist: false,
        may_carry: false,
    };
    let mut mobility = Mobility::LinkChanges(changes);
    for _ in 0..500 {
        for change in mobility.changes(&graph, |_, _| false, random) {
            apply(&mut graph, change);
        }
        assert!(graph.is_connected());
        assert_eq!(graph.links(), 14);
    }
    assert!(
        mobility.changes(&graph, |_, _| true, random).is_empty(),
        "all links are busy"
    );
}

#[test]
fn walkers_keep_to_their_square_and_their_speed() {
    let random = &mut Random::stream(4, "test");
    let side = side_for_degree(20, 6.0);
    let (points, mut graph) = connected_disk(20, 6.0, random).unwrap();
    let mut mobility = Mobility::Waypoint(Waypoint::new(&points, side, 0.1, 5.0, 1.0));
    let mut changed = 0;
    for _ in 0..500 {
        for change in mobility.changes(&graph, |_, _| false, random) {
            apply(&mut graph, change);
            changed += 1;
        }
    }
    assert!(changed > 200, "{changed}");
}

/// Messages that waited for a route are charged for it.
#[test]
fn parked_messages_are_charged_too() {
    let at = |seconds: f64, node: u32| (Time::from_secs(seconds), NodeId(node), Demand::Exclusive);
    let workload = Workload {
        think: Span::Never,
        script: vec![at(150.0, 1)],
        ..Workload::default()
    };
    // Two nodes, cut apart nearly always until the end: the request waits for the cut to heal.
    let faults = FaultPlan {
        partitions: 5.0,
        partition_time: 1000.0,
        ..FaultPlan::default()
    };
    let duration = Time::from_secs(200.0);
    let mut waited = 0;
    for seed in 0..8 {
        let setup = Setup {
            workload: workload.clone(),
            faults,
            duration,
            ..Setup::new(Graph::path(2), seed)
        };
        let report = World::<Raymond>::new(setup, &()).expect("connected").run();
        assert!(report.is_clean());
        waited += u32::from(report.meter.wait().max > 10.0);
        assert_eq!(
            report.meter.messages(),
            2,
            "one request and one privilege, one hop each"
        );
    }
    assert!(waited > 0, "some message has to wait for a route");
}
