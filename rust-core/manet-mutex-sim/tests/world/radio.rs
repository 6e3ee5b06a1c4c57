//! Protocols over the radio: the same run for the same seed, and everybody served in the end.

use crate::sink::Sink;
use manet_mutex::protocol::rl::{self, Rl};
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::{Time, link};
use manet_mutex_sim::world::radio::channel::ChannelConfig;
use manet_mutex_sim::world::radio::motion::Model;
use manet_mutex_sim::world::radio::{
    Preset, RadioFaults, RadioReport, RadioSetup, RadioWorld, torture,
};
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::workload::Demands;

fn run(setup: RadioSetup) -> RadioReport {
    let world = RadioWorld::<Rl>::new(setup, &rl::Config::default());
    world.expect("sound").run(|_, _| {})
}

fn assert_clean(report: &RadioReport, what: impl std::fmt::Debug) {
    assert!(
        report.is_clean(),
        "{what:?}: {:?}, {} unserved, {} in doubt",
        report.violations,
        report.unserved,
        report.open_doubts
    );
    assert!(report.meter.entries() > 0, "{what:?}: somebody enters");
}

#[test]
fn every_preset_is_safe_and_serves_everybody() {
    for (preset, name) in Preset::ALL {
        let setup = RadioSetup {
            duration: Time::from_secs(20.0),
            ..RadioSetup::preset(preset, 7)
        };
        assert_clean(&run(setup), name);
    }
}

#[test]
fn random_runs_are_safe_and_serve_everybody() {
    for seed in 0..40 {
        let (scenario, setup) = torture::setup(seed, Demands::Exclusive);
        assert_clean(&run(setup), (seed, torture::SCENARIOS[scenario]));
    }
}

#[test]
fn links_that_break_without_warning_leave_doubts_and_all_are_resolved() {
    let setup = |seed| RadioSetup {
        duration: Time::from_secs(60.0),
        ..RadioSetup::preset(Preset::NoWarning, seed)
    };
    let mut doubts = 0;
    for seed in 0..4 {
        let report = run(setup(seed));
        assert_clean(&report, seed);
        let resolved: u64 = report.links.resolved.values().sum();
        assert_eq!(resolved, report.meter.doubts, "each doubt ends");
        doubts += report.meter.doubts;
    }
    assert!(doubts > 0, "nothing was in doubt, so nothing was shown");
}

#[test]
fn a_warning_in_time_leaves_no_doubt() {
    let report = run(RadioSetup::preset(Preset::Default, 3));
    assert_clean(&report, "default");
    assert!(report.meter.link_changes > 100, "links did close");
    assert_eq!(report.meter.doubts, 0);
}

#[test]
fn walls_stop_everything_until_they_fall() {
    let setup = RadioSetup {
        faults: RadioFaults {
            walls: 1.0,
            wall_time: 5.0,
            ..RadioFaults::default()
        },
        ..RadioSetup::preset(Preset::Default, 5)
    };
    let report = run(setup);
    assert_clean(&report, "walls");
    let slowest = report.meter.wait().max;
    assert!(slowest > 2.0, "somebody waited behind a wall: {slowest} s");
}

fn trace(seed: u64) -> String {
    let sink = Sink::default();
    let setup = RadioSetup {
        duration: Time::from_secs(10.0),
        ..RadioSetup::preset(Preset::Fast, seed)
    };
    let world = RadioWorld::<Rl>::new(setup, &rl::Config::default()).expect("sound");
    let tracer = Tracer::new(Box::new(sink.clone()));
    let report = world.traced(tracer).run(|_, _| {});
    report.trace.expect("memory takes all");
    sink.text()
}

#[test]
fn the_same_seed_gives_the_same_trace() {
    let (one, two) = (trace(4), trace(4));
    assert!(one.len() > 10_000);
    assert!(one == two, "byte for byte");
    assert!(one != trace(5), "and another seed another");
}

#[test]
fn one_node_alone_needs_nobody() {
    let setup = RadioSetup {
        nodes: 1,
        motion: Model::Still,
        ..RadioSetup::preset(Preset::Default, 1)
    };
    assert_clean(&run(setup), "alone");
}

#[test]
fn what_makes_no_sense_is_an_error_that_says_so() {
    let base = || RadioSetup::preset(Preset::Default, 1);
    let error = |setup: RadioSetup| {
        let world = RadioWorld::<Rl>::new(setup, &rl::Config::default());
        world.map(|_| ()).expect_err("no such world").to_string()
    };
    let empty = RadioSetup { nodes: 0, ..base() };
    assert_eq!(error(empty), "the network has no nodes: give at least one");
    let link = link::Config {
        dead_after: 0.0,
        ..link::Config::default()
    };
    assert_eq!(
        error(RadioSetup { link, ..base() }),
        "invalid link-layer configuration: dead_after: use 1.5 to 1000 hello intervals, such as 3.5"
    );
    let channel = ChannelConfig {
        loss: 2.0,
        ..base().channel
    };
    assert!(error(RadioSetup { channel, ..base() }).contains("loss"));
    let error = RadioWorld::<Raymond>::new(base(), &()).map(|_| ());
    assert_eq!(
        error.expect_err("routing is missing").to_string(),
        "raymond talks over routing, which a node of neighbours has not: use the world of links"
    );
}
