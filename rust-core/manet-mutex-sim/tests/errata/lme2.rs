//! Each correction of `lme2` is needed: with the rule as printed something goes wrong.

use crate::common::{caught, model};
use manet_mutex::protocol::erratum::Erratum;
use manet_mutex::protocol::lme::algorithm2::{Config, Lme2};
use manet_mutex_sim::explore::{InTransit, Limits, Report, Requests, STUCK, Settings, explore};
use manet_mutex_sim::world::torture;

const CIRCLE: &str = "no circle of priorities";

fn as_printed(rule: Erratum, topology: &str, settings: Settings) -> Report {
    let config = Config {
        as_printed: Some(rule),
    };
    let model = model::<Lme2>(topology, &config, settings);
    let limits = Limits {
        first_violation: true,
        ..Limits::default()
    };
    explore(&model, limits, &mut |_| {})
}

fn asking(nodes: usize, requests: usize) -> Settings {
    Settings {
        requests: Requests::any(nodes, requests),
        ..Settings::default()
    }
}

/// Node 1 lowers itself for node 2, and node 0 leaves meanwhile; each believes the other's flag.
#[test]
fn l1_flags_go_round_in_a_circle() {
    let report = as_printed(Erratum::L1, "complete:3", asking(3, 4));
    let found = caught(&report, CIRCLE);
    assert!(found.trace.len() <= 12, "{}", found.line());
}

/// What was missing was the fork of the link that went.
#[test]
fn l4_nobody_looks_after_a_link_went_down() {
    let settings = Settings {
        changes: 1,
        partition: true,
        in_transit: InTransit::Plain,
        ..asking(2, 2)
    };
    let report = as_printed(Erratum::L4, "path:2", settings);
    caught(&report, STUCK);
}

/// Node 0 gives way to node 2 alone, and stays before node 1, which is before node 2.
#[test]
fn l8_lower_than_the_one_that_notifies() {
    let report = as_printed(Erratum::L8, "complete:3", asking(3, 1));
    let found = caught(&report, CIRCLE);
    assert_eq!(found.line(), "req 2, rcv 2>0, rcv 0>2");
}

/// Node 0 is before 1, and 1 before 2; now 0 comes to 2.
#[test]
fn l8_lower_than_the_one_it_came_to() {
    let settings = Settings {
        changes: 1,
        movers: 0b001,
        ..Settings::default()
    };
    let report = as_printed(Erratum::L8, "path:3", settings);
    let found = caught(&report, CIRCLE);
    assert_eq!(found.line(), "new 2-0, upe 2-0 s, upe 0-2 m");
}

/// Random worlds find all of them as well.
#[test]
fn random_worlds_notice() {
    for rule in [Erratum::L1, Erratum::L4, Erratum::L8] {
        let config = Config {
            as_printed: Some(rule),
        };
        let dirty = |seed| {
            let world = torture::world::<Lme2>(seed, &config, false);
            !world.expect("connected").run().is_clean()
        };
        assert!((0..5).any(dirty), "{rule}");
    }
}
