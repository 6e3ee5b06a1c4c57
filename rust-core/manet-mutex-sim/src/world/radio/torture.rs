//! Random runs over a radio that does its worst.

use super::channel::{ChannelConfig, Fading, PathLoss};
use super::motion::Model;
use super::setup::{RadioFaults, RadioSetup};
use crate::random::Random;
use crate::world::workload::{Demands, Span, Workload};
use manet_mutex::link;
use manet_mutex::time::Time;
use std::time::Duration;

/// The kinds of runs, by name; the seed chooses one and all its numbers.
pub const SCENARIOS: [&str; 8] = [
    "walking",
    "driving",
    "fading",
    "no warning",
    "sparse",
    "uneven",
    "walls",
    "blackouts",
];

/// A random run of 2 to 20 nodes, and which of the [`SCENARIOS`] it is.
pub fn setup(seed: u64, demands: Demands) -> (usize, RadioSetup) {
    let random = &mut Random::stream(seed, "radio torture");
    let scenario = random.below(SCENARIOS.len());
    let nodes = 2 + random.below(19);
    let range = 85.6;
    // From one crowd to a chain with gaps.
    let density = random.within(1.2, 3.0);
    let side = range * libm::sqrt(nodes as f64) / density;
    let base = RadioSetup {
        nodes,
        side: side.max(20.0),
        motion: motion(random, 1.0, 5.0),
        channel: ChannelConfig::default(),
        link: layer(seed, random, 500),
        workload: workload(random, demands),
        faults: RadioFaults::default(),
        duration: Time::from_secs(60.0),
        grace: Time::from_secs(600.0),
        seed,
    };
    (scenario, vary(scenario, base, random))
}

fn vary(scenario: usize, base: RadioSetup, random: &mut Random) -> RadioSetup {
    let seed = base.seed;
    let quick = layer(seed, random, 100);
    let driving = motion(random, 15.0, 25.0);
    let fading = ChannelConfig {
        fading: Fading::nakagami(*random.pick(&[0.75, 1.0, 1.5, 3.0]).unwrap_or(&1.5)),
        ..base.channel
    };
    match SCENARIOS[scenario] {
        "driving" => RadioSetup {
            motion: driving,
            link: quick,
            ..base
        },
        "fading" => RadioSetup {
            channel: fading,
            link: quick,
            ..base
        },
        "no warning" => RadioSetup {
            channel: ChannelConfig {
                path_loss: PathLoss::Range { metres: 85.6 },
                ..base.channel
            },
            motion: driving,
            link: quick,
            ..base
        },
        "sparse" => RadioSetup {
            side: 3.0 * base.side,
            channel: fading,
            motion: driving,
            link: quick,
            ..base
        },
        "uneven" => RadioSetup {
            channel: ChannelConfig {
                deviation: random.within(2.0, 8.0),
                grey_zone: random.within(0.0, 4.0),
                loss: random.within(0.0, 0.2),
                ..base.channel
            },
            ..base
        },
        "walls" => RadioSetup {
            faults: RadioFaults {
                walls: random.within(0.05, 0.5),
                wall_time: random.within(1.0, 20.0),
                ..RadioFaults::default()
            },
            link: quick,
            ..base
        },
        "blackouts" => RadioSetup {
            faults: RadioFaults {
                blackouts: random.within(0.5, 10.0),
                blackout_time: random.within(0.2, 5.0),
                ..RadioFaults::default()
            },
            link: quick,
            ..base
        },
        _ => base,
    }
}

fn motion(random: &mut Random, slow: f64, fast: f64) -> Model {
    let speed = random.within(slow, fast);
    let pause = *random.pick(&[0.0, 0.0, 2.0, 10.0]).unwrap_or(&0.0);
    if random.chance(0.5) {
        Model::RandomWaypoint { speed, pause }
    } else {
        Model::RandomDirection { speed, pause }
    }
}

/// Good and bad choices alike.
fn layer(seed: u64, random: &mut Random, hello: u64) -> link::Config {
    link::Config {
        hello_interval: Duration::from_millis(hello),
        margin: *random.pick(&[0.0, 1.0, 2.0, 6.0]).unwrap_or(&2.0),
        hysteresis: *random.pick(&[0.0, 1.5, 3.0]).unwrap_or(&1.5),
        smoothing: *random.pick(&[0.3, 0.6, 1.0]).unwrap_or(&0.6),
        hellos_to_form: 1 + random.below(4) as u8,
        misses_tolerated: random.below(4) as u8,
        dead_after: *random.pick(&[2.0, 3.5, 6.0]).unwrap_or(&3.5),
        sharing: !seed.is_multiple_of(4),
        seed,
        ..link::Config::default()
    }
}

fn workload(random: &mut Random, demands: Demands) -> Workload {
    let think = *random.pick(&[0.0, 0.2, 2.0, 20.0]).unwrap_or(&2.0);
    let stay = *random.pick(&[0.001, 0.05, 0.5]).unwrap_or(&0.05);
    Workload {
        think: Span::Exponential(think),
        stay: Span::Exponential(stay),
        demands,
        script: Vec::new(),
    }
}
