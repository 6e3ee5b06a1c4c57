//! Random runs over routing that does its worst.

use super::{RoutedFaults, RoutedSetup};
use crate::random::Random;
use crate::world::delay::Delay;
use crate::world::topology::random_connected;
use crate::world::workload::{Demands, Span, Workload};
use manet_mutex::graph::Graph;
use manet_mutex::time::Time;
use manet_mutex::transport;
use std::time::Duration;

/// A random run of 2 to 16 nodes, in one of eight with everything going wrong at once.
pub fn setup(seed: u64, demands: Demands) -> RoutedSetup {
    let random = &mut Random::stream(seed, "routed torture");
    let n = 2 + random.below(15);
    let most = n * (n - 1) / 2;
    let links = n - 1 + random.below(most - (n - 1) + 1);
    let graph = random_connected(n, links, random).unwrap_or_else(|_| Graph::complete(n));
    let delay = match random.below(3) {
        0 => Delay::Fixed(Duration::from_millis(10)),
        1 => Delay::Uniform {
            low: 0.001,
            high: 0.1,
        },
        _ => Delay::Exponential { mean: 0.05 },
    };
    let workload = Workload {
        think: Span::Exponential(*random.pick(&[0.05, 0.2, 2.0, 20.0]).unwrap_or(&2.0)),
        stay: Span::Exponential(*random.pick(&[0.001, 0.05, 0.5]).unwrap_or(&0.05)),
        demands,
        script: Vec::new(),
    };
    RoutedSetup {
        delay,
        workload,
        transport: transport(seed, random),
        faults: faults(random),
        duration: Time::from_secs(200.0),
        grace: Time::from_secs(1000.0),
        ..RoutedSetup::new(graph, seed)
    }
}

/// Good and bad choices alike.
fn transport(seed: u64, random: &mut Random) -> transport::Config {
    let millis = |choices: &[u64], random: &mut Random| {
        Duration::from_millis(*random.pick(choices).unwrap_or(&1000))
    };
    transport::Config {
        window: *random.pick(&[1, 2, 8, 64]).unwrap_or(&8),
        first: millis(&[200, 1000], random),
        shortest: millis(&[1, 50, 200], random),
        longest: millis(&[1000, 2000, 8000], random),
        jitter: *random.pick(&[0.0, 0.25, 0.5]).unwrap_or(&0.25),
        unreachable: Duration::from_secs(5),
        seed,
        ..transport::Config::default()
    }
}

fn faults(random: &mut Random) -> RoutedFaults {
    let all = RoutedFaults {
        loss: random.within(0.0, 0.6),
        doubles: random.within(0.0, 0.5),
        late: *random.pick(&[0.01, 1.0, 30.0]).unwrap_or(&1.0),
        breaks: random.within(0.0, 1.0),
        break_time: *random.pick(&[0.5, 5.0, 30.0]).unwrap_or(&5.0),
        hints: random.within(0.0, 1.0),
        partitions: 0.02,
        partition_time: 10.0,
    };
    if random.below(8) == 0 {
        return all;
    }
    let mut some = |value: f64| if random.chance(0.5) { value } else { 0.0 };
    RoutedFaults {
        loss: some(all.loss),
        doubles: some(all.doubles),
        breaks: some(all.breaks),
        partitions: some(all.partitions),
        ..all
    }
}
