//! What the tests of the model checker share.
#![allow(dead_code, reason = "each test uses a part")]

use manet_mutex::protocol::Population;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{Counterexample, Model, Report, Requests, Settings};
use manet_mutex_sim::network::Step;

pub fn model<P: Population + Invariants>(
    topology: &str,
    config: &P::Config,
    settings: Settings,
) -> Model<P> {
    let graph = topology.parse().expect("a topology");
    Model::new(&graph, config, settings).expect("a model")
}

/// Requests as steps have them, without the `req`: `0 g0, 1 g1`.
pub fn requests(text: &str) -> Requests {
    Requests::by(text.split(", ").map(
        |wish| match format!("req {wish}").parse().expect("a request") {
            Step::Request(node, demand) => (node, demand),
            other => panic!("`{other}` is no request"),
        },
    ))
}

pub fn caught<'a>(report: &'a Report, property: &str) -> &'a Counterexample {
    let found = report.violations.iter().find(|v| v.property == property);
    found.unwrap_or_else(|| panic!("`{property}` not caught: {:?}", report.violations))
}
