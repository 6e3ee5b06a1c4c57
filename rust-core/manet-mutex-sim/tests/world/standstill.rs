//! A run in which nothing takes any time ends, in every world.

use manet_mutex::graph::Graph;
use manet_mutex::protocol::rl::{self, Rl};
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex_sim::check::Violation;
use manet_mutex_sim::world::radio::{Preset, RadioSetup, RadioWorld};
use manet_mutex_sim::world::routed::{RoutedSetup, RoutedWorld};
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{STANDSTILL, Setup, World};

/// Neither thinking nor being inside takes any time.
fn no_time() -> Workload {
    Workload {
        think: Span::Fixed(0.0),
        stay: Span::Fixed(0.0),
        ..Workload::default()
    }
}

fn assert_standstill(violations: &[Violation], events: u64) {
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].property, STANDSTILL);
    let text = violations[0].to_string();
    assert!(text.contains("take time"), "{text}");
    assert!(events < 10_000_000, "{events} events");
}

#[test]
fn over_ideal_links() {
    let setup = Setup {
        workload: no_time(),
        ..Setup::new(Graph::ring(3), 1)
    };
    let world = World::<Rl>::new(setup, &rl::Config::default());
    let report = world.expect("a ring").run();
    assert_standstill(&report.violations, report.events);
}

#[test]
fn over_routing() {
    let setup = RoutedSetup {
        workload: no_time(),
        ..RoutedSetup::new(Graph::ring(3), 1)
    };
    let world = RoutedWorld::<Raymond>::new(setup, &());
    let report = world.expect("a ring").run(|_, _| {});
    assert_standstill(&report.violations, report.events);
}

#[test]
fn over_the_radio() {
    let setup = RadioSetup {
        nodes: 3,
        workload: no_time(),
        ..RadioSetup::preset(Preset::Default, 1)
    };
    let world = RadioWorld::<Rl>::new(setup, &rl::Config::default());
    let report = world.expect("sound").run(|_, _| {});
    assert_standstill(&report.violations, report.events);
}
