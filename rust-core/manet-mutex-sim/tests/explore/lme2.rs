//! Every interleaving of `lme2` on small networks: the corrected rules keep all promises. Larger
//! ones are ignored by default; see CONTRIBUTING.

use crate::common::model;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex_sim::explore::{InTransit, Limits, Requests, Settings, explore, second_opinion};

/// Explores everything and finds nothing wrong.
fn clean(topology: &str, settings: Settings) {
    let model = model::<Lme2>(topology, &Default::default(), settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    for violation in &report.violations {
        let (property, detail) = (violation.property, &violation.detail);
        eprintln!("{property}: {detail}\n  {}", violation.line());
    }
    println!(
        "{topology}: {} states, depth {}",
        report.states, report.depth
    );
    assert!(report.violations.is_empty(), "see above");
    assert!(report.complete);
    if report.states < 10_000 {
        assert_eq!(second_opinion(model), Ok(report.states), "{topology}");
    }
}

/// Everybody asks once.
fn all_ask(topology: &str) -> Settings {
    let nodes = topology.parse::<Graph>().expect("a topology").len();
    Settings {
        requests: Requests::any(nodes, nodes),
        ..Settings::default()
    }
}

/// Links come and go with anything under way, and both ends know at once.
fn moving(topology: &str, changes: u8, movers: u16) -> Settings {
    Settings {
        changes,
        movers,
        partition: true,
        in_transit: InTransit::Plain,
        ..all_ask(topology)
    }
}

/// The two ends learn of it at different times.
fn skewed(topology: &str, changes: u8, movers: u16) -> Settings {
    Settings {
        skew: true,
        ..moving(topology, changes, movers)
    }
}

fn with_a_crash(settings: Settings) -> Settings {
    Settings {
        crashes: 1,
        ..settings
    }
}

/// Whoever moves, and with a crash or without.
fn all_ways(topology: &str, changes: u8, movers: &[u16], way: fn(&str, u8, u16) -> Settings) {
    for &movers in movers {
        clean(topology, way(topology, changes, movers));
        clean(topology, with_a_crash(way(topology, changes, movers)));
    }
}

#[test]
fn neighbours_that_stay() {
    for topology in ["path:2", "path:3", "star:3"] {
        clean(topology, all_ask(topology));
        clean(topology, with_a_crash(all_ask(topology)));
    }
}

#[test]
fn three_hungry_nodes_on_a_triangle() {
    clean("complete:3", all_ask("complete:3"));
}

/// They meet; then up, down and up again.
#[test]
fn two_nodes_that_meet() {
    for way in [moving, skewed] {
        all_ways("0,1", 2, &[0b01, 0b10], way);
        all_ways("0-1", 3, &[0b01, 0b10], way);
    }
}

/// Each asks twice, so that the second time something is known of the other.
#[test]
fn two_nodes_that_meet_again() {
    for movers in [0b01, 0b10] {
        let settings = Settings {
            requests: Requests::any(2, 4),
            ..skewed("0-1", 2, movers)
        };
        clean("0-1", settings);
    }
}

/// The end of a line leaves, or somebody joins it.
#[test]
fn a_line_whose_end_moves() {
    for movers in [0b001, 0b100] {
        all_ways("0-1,2", 1, &[movers], moving);
        let two = Settings {
            requests: Requests::any(3, 2),
            ..moving("path:3", 1, movers)
        };
        clean("path:3", two);
    }
}

/// The third node is beyond the reach of a crash at the end of the line.
#[test]
#[ignore = "a minute; see CONTRIBUTING"]
fn a_crash_on_a_line_of_four() {
    clean("path:4", with_a_crash(all_ask("path:4")));
}

#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn long() {
    clean("complete:3", with_a_crash(all_ask("complete:3")));
    for movers in [0b001, 0b100] {
        all_ways("path:3", 1, &[movers], moving);
        clean("path:3", moving("path:3", 2, movers));
        clean("path:3", skewed("path:3", 1, movers));
        clean("0-1,2", skewed("0-1,2", 1, movers));
        clean("path:3", with_a_crash(skewed("path:3", 1, movers)));
    }
}

/// From one end of the line to the other, with ends that learn of it at different times.
#[test]
#[ignore = "a quarter of an hour and gigabytes; see CONTRIBUTING"]
fn from_one_end_to_the_other() {
    let two = Settings {
        requests: Requests::any(3, 2),
        ..skewed("path:3", 2, 0b100)
    };
    clean("path:3", two);
}
