//! What measurements of local mutual exclusion share.

use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::colouring::linial::Bounds;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::random::Random;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::{Report, Setup, World};
use std::error::Error;
use std::num::{NonZeroU32, NonZeroU64};

/// What is measured unless the user says otherwise.
pub const PROTOCOLS: [&str; 3] = ["lme1a", "lme1b", "lme2"];

/// Refuses protocols of which there is nothing of the kind to measure.
pub fn check(protocols: &[String]) -> Result<(), String> {
    let known = |name: &String| PROTOCOLS.contains(&name.as_str());
    match protocols.iter().find(|name| !known(name)) {
        Some(name) => Err(format!(
            "`{name}` does not exclude neighbours: use {}",
            PROTOCOLS.join(", ")
        )),
        None => Ok(()),
    }
}

/// Runs a protocol in a world; nodes know how many of them there are and have so many neighbours.
pub fn run(protocol: &str, setup: Setup, degree: usize) -> Result<Report, Box<dyn Error>> {
    let nodes = NonZeroU64::new(setup.graph.len() as u64).ok_or("no nodes")?;
    let options = Options {
        bounds: Bounds {
            ids: nodes,
            degree: NonZeroU32::new(degree as u32).unwrap_or(NonZeroU32::MIN),
        },
        ..Options::default()
    };
    registry::visit(protocol, &options, Run(setup))?
}

struct Run(Setup);

impl Visitor for Run {
    type Output = Result<Report, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output {
        let report = World::<P>::new(self.0, &config)?.run();
        match report.violations.first() {
            Some(violation) => Err(violation.to_string().into()),
            None => Ok(report),
        }
    }
}

/// The same graph with its nodes numbered at random.
pub fn shuffled(graph: &Graph, random: &mut Random) -> Graph {
    let mut names: Vec<u32> = (0..graph.len() as u32).collect();
    random.shuffle(&mut names);
    let links = graph
        .pairs()
        .map(|(a, b)| (names[a.index()], names[b.index()]));
    Graph::new(graph.len(), links).unwrap_or_else(|_| graph.clone())
}

/// The most neighbours of a node.
pub fn degree(graph: &Graph) -> usize {
    let degrees = graph.nodes().map(|node| graph.neighbours(node).len());
    degrees.max().unwrap_or(0)
}
