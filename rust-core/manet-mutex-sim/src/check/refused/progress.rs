//! Runs in which somebody waits.

use super::{A, B, Verdict};
use crate::network::Step;
use crate::scenario::Scenario;
use crate::shrink::shrink;
use crate::world::workload::{Span, Workload};
use crate::world::{Doom, Setup, World};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::time::Time;

/// Node 0 enters and stays; node 1 requests before motion stops and waits throughout the calm phase.
fn occupied(graph: Graph) -> Setup {
    let at = Time::from_secs;
    let workload = Workload {
        think: Span::Never,
        stay: Span::Never,
        script: vec![
            (at(1.0), A, Demand::Exclusive),
            (at(5.0), B, Demand::Exclusive),
        ],
        ..Workload::default()
    };
    Setup {
        workload,
        duration: at(10.0),
        calm: at(100.0),
        ..Setup::new(graph, 1)
    }
}

fn verdict<P: Population + super::Invariants>(setup: Setup) -> Verdict {
    let mut world = World::<P>::new(setup, &P::Config::default()).expect("connected");
    match world.run().violations.into_iter().next() {
        Some(violation) => Err(violation),
        None => Ok(()),
    }
}

pub(super) fn starves() -> Verdict {
    verdict::<Rl>(occupied(Graph::path(2)))
}

/// The failure locality of `lme2` is 2: a crash at a distance of 3 excuses nobody.
pub(super) fn starves_far_from_a_crash() -> Verdict {
    let doom = Doom {
        at: Time::from_secs(2.0),
        node: NodeId(4),
        inside: false,
    };
    verdict::<Lme2>(Setup {
        doomed: vec![doom],
        ..occupied(Graph::path(5))
    })
}

/// Neither thinking nor being inside takes any time.
pub(super) fn stands_still() -> Verdict {
    let workload = Workload {
        think: Span::Fixed(0.0),
        stay: Span::Fixed(0.0),
        ..Workload::default()
    };
    verdict::<Rl>(Setup {
        workload,
        ..Setup::new(Graph::path(2), 1)
    })
}

/// Rule E2 as printed: node 2 waits for a neighbour that it has lost.
pub(super) fn deadlock() -> Verdict {
    let setup = "protocol rl\ntopology path:3\noption as-printed E2";
    stuck(
        setup,
        "new 0-2, upe 0-2, upe 2-0, dne 1-2 k, dne 2-1 k, req 2",
    )
}

/// Rule L4 as printed: the same where only neighbours are excluded, in a network in pieces.
pub(super) fn deadlock_in_pieces() -> Verdict {
    let setup = "protocol lme2\ntopology path:2\noption as-printed L4";
    stuck(setup, "req 0, req 1, dne 0-1 k, dne 1-0 k, rel 0")
}

/// The same while node 3, which is near a crash, can enter.
pub(super) fn deadlock_far_from_a_crash() -> Verdict {
    let setup = "protocol lme2\ntopology 0-1,2-3,3-4\noption as-printed L4";
    stuck(
        setup,
        "crash 4, req 0, req 1, dne 0-1 k, dne 1-0 k, rel 0, req 3",
    )
}

/// What is found after these steps.
fn stuck(setup: &str, steps: &str) -> Verdict {
    let scenario = Scenario::parse(setup).expect("a scenario");
    let steps: Vec<Step> = steps
        .split(", ")
        .map(|step| step.parse().expect("a step"))
        .collect();
    let found = shrink(scenario.setup(), &steps).expect("a setup");
    found.map_or(Ok(()), |found| Err(found.violation))
}
