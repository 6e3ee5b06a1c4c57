//! Random worlds with everything going wrong.

use super::delay::Delay;
use super::faults::FaultPlan;
use super::mobility::{LinkChanges, Mobility, Waypoint};
use super::topology::{Point, random_connected, side_for_degree};
use super::workload::{Demands, Span, Workload};
use super::{Setup, World};
use crate::check::{Invariants, Scope};
use crate::random::Random;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::gme::{Admission, Groups};
use manet_mutex::protocol::hk::Order;
use manet_mutex::protocol::lme::colouring::linial::Bounds;
use manet_mutex::protocol::registry::Options;
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::rl::Residual;
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex::time::{Time, span};
use std::num::{NonZeroU32, NonZeroU64};

/// A random small world: anything from two nodes to sixteen, still or moving, with a random share
/// of the faults. All states are looked into after every event.
pub fn setup(seed: u64, demands: Demands) -> Setup {
    let random = &mut Random::stream(seed, "torture");
    let n = 2 + random.below(15);
    let (graph, mobility) = landscape(n, random);
    let delay = match random.below(3) {
        0 => Delay::UNIT,
        1 => Delay::Uniform {
            low: 0.1,
            high: 2.0,
        },
        _ => Delay::Exponential { mean: 1.0 },
    };
    let think = match random.below(3) {
        0 => Span::Fixed(0.0),
        1 => Span::Exponential(5.0),
        _ => Span::Exponential(100.0),
    };
    let workload = Workload {
        think,
        stay: Span::Exponential(1.0),
        demands,
        script: Vec::new(),
    };
    Setup {
        mobility,
        delay,
        workload,
        faults: faults(random),
        duration: Time::from_secs(2000.0),
        grace: Time::from_secs(20_000.0),
        monitor_every: 1,
        ..Setup::new(graph, seed)
    }
}

/// A random small world of one protocol: [`setup`] with demands that it serves. Where only
/// neighbours are excluded there is a calm phase, in which nobody may starve.
///
/// # Errors
/// If the protocol has no initial configuration there.
pub fn world<P: Population + Invariants>(
    seed: u64,
    config: &P::Config,
    record: bool,
) -> Result<World<P>, PopulationError> {
    let local = P::promise(config).scope == Scope::Neighbours;
    let setup = Setup {
        calm: Time::from_secs(if local { 2000.0 } else { 0.0 }),
        record,
        ..setup(seed, P::demands(config))
    };
    World::new(setup, config)
}

/// Random choices among a protocol's options.
pub fn options(seed: u64) -> Options {
    let random = &mut Random::stream(seed, "torture options");
    let retry = *random.pick(&[0.3, 3.0, 20.0]).unwrap_or(&3.0);
    let limiter = Limiter {
        burst: Some(*random.pick(&[0, 1, 4]).unwrap_or(&4)),
        retry: span(retry),
        quiet: span(10.0 * retry),
        seed,
    };
    let residual = if random.chance(0.5) {
        Residual::InToken
    } else {
        Residual::OwnMessage
    };
    let groups = *random.pick(&[1, 2, 4]).unwrap_or(&2);
    let admission = if random.chance(0.5) {
        Admission::Paper
    } else {
        Admission::CloseOnConflict
    };
    let k = *random.pick(&[1, 2, 3, 5, 8]).unwrap_or(&3);
    let orders = [
        Order::Priority,
        Order::Aged(2),
        Order::Aged(10),
        Order::Fewest,
    ];
    Options {
        limiter,
        residual,
        groups: Groups::new(groups).unwrap_or_default(),
        admission,
        k: NonZeroU32::new(k).unwrap_or(NonZeroU32::MIN),
        order: *random.pick(&orders).unwrap_or(&Order::Priority),
        bounds: bounds(random),
        as_printed: None,
    }
}

/// From no round at all to three, and with bounds that the network does not keep.
fn bounds(random: &mut Random) -> Bounds {
    let ids = *random.pick(&[16, 1 << 10, 1 << 32]).unwrap_or(&16);
    let degree = *random.pick(&[1, 3, 8]).unwrap_or(&8);
    Bounds {
        ids: NonZeroU64::new(ids).unwrap_or(NonZeroU64::MIN),
        degree: NonZeroU32::new(degree).unwrap_or(NonZeroU32::MIN),
    }
}

fn landscape(n: usize, random: &mut Random) -> (Graph, Mobility) {
    let most = n * (n - 1) / 2;
    let links = n - 1 + random.below(most - (n - 1) + 1);
    let graph = random_connected(n, links, random).unwrap_or_else(|_| Graph::complete(n));
    match random.below(3) {
        0 => (graph, Mobility::Still),
        1 => {
            let rate = *random.pick(&[0.01, 0.1, 1.0]).unwrap_or(&0.1);
            let (may_exist, may_carry) = (random.chance(0.5), random.chance(0.8));
            (
                graph,
                Mobility::LinkChanges(LinkChanges {
                    rate,
                    may_exist,
                    may_carry,
                }),
            )
        }
        _ => {
            // Everybody starts in one place and then spreads out over a thin field.
            let side = side_for_degree(n, 3.0);
            let points = vec![
                Point {
                    x: side / 2.0,
                    y: side / 2.0
                };
                n
            ];
            let speed = random.within(0.01, 0.3);
            let pause = random.within(0.0, 20.0);
            (
                Graph::complete(n),
                Mobility::Waypoint(Waypoint::new(&points, side, speed, pause, 0.5)),
            )
        }
    }
}

/// Each kind of fault with even odds; in one run of eight all of them.
fn faults(random: &mut Random) -> FaultPlan {
    let all = FaultPlan {
        crashes: 2,
        ..FaultPlan::all()
    };
    if random.below(8) == 0 {
        return all;
    }
    let mut some = |value: f64| if random.chance(0.5) { value } else { 0.0 };
    FaultPlan {
        loss: some(all.loss),
        doubt: some(all.doubt),
        skew: some(all.skew),
        flaps: some(all.flaps),
        partitions: some(all.partitions),
        crashes: some(2.0) as u32,
        ..all
    }
}
