//! What the tests of the model checker share.

use manet_mutex::check::Monitor;
use manet_mutex::explore::{Model, Settings};
use manet_mutex::protocol::Population;

pub fn model<P: Population + Monitor>(
    topology: &str,
    config: &P::Config,
    settings: Settings,
) -> Model<P> {
    let graph = topology.parse().expect("a topology");
    Model::new(&graph, config, settings).expect("a model")
}
