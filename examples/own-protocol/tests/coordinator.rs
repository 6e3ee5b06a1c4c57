//! The protocol explored, simulated over unreliable routing, and refused when it is wrong.

use manet_mutex::graph::Graph;
use manet_mutex_sim::explore::{Limits, Model, Report, Requests, Routing, Settings, explore};
use manet_mutex_sim::world::routed::{RoutedFaults, RoutedSetup, RoutedWorld};
use own_protocol::{AtOnce, Coordinator};

/// Every interleaving of requests on three nodes, with messages in any order.
fn explored(at_once: usize) -> Report {
    let routing = Routing {
        unordered: true,
        ..Routing::default()
    };
    let settings = Settings {
        requests: Requests::any(3, 4),
        routing,
        ..Settings::default()
    };
    let model = Model::<Coordinator>::new(&Graph::complete(3), &AtOnce(at_once), settings);
    explore(&model.expect("a model"), Limits::default(), &mut |_| {})
}

#[test]
fn every_interleaving_is_safe_and_served() {
    let report = explored(1);
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    assert!(report.complete && report.states > 100, "{}", report.states);
}

#[test]
fn two_at_once_are_refused() {
    let found = explored(2).violations;
    assert!(
        found
            .iter()
            .any(|violation| violation.property == "exclusion"),
        "{found:?}"
    );
}

#[test]
fn everybody_is_served_over_unreliable_routing() {
    let faults = RoutedFaults {
        loss: 0.3,
        doubles: 0.2,
        ..RoutedFaults::default()
    };
    let setup = RoutedSetup {
        faults,
        ..RoutedSetup::new(Graph::ring(6), 1)
    };
    let world = RoutedWorld::<Coordinator>::new(setup, &AtOnce::default());
    let report = world.expect("a world").run(|_, _| {});
    assert!(report.is_clean(), "{:?}", report.violations);
    assert!(report.meter.entries() > 20, "{}", report.meter.entries());
}
