//! What makes up a run over the radio.

use super::channel::{ChannelConfig, Fading, PathLoss};
use super::motion::Model;
use crate::random::Random;
use crate::world::topology::Point;
use crate::world::workload::Workload;
use manet_mutex::link;
use manet_mutex::time::Time;
use std::fmt;
use std::str::FromStr;

/// Everything that makes up a run over the radio.
#[derive(Clone, Debug)]
pub struct RadioSetup {
    /// How many nodes.
    pub nodes: usize,
    /// The side of their square field, in metres.
    pub side: f64,
    /// How they move.
    pub motion: Model,
    /// The radio channel.
    pub channel: ChannelConfig,
    /// Every node's link layer.
    pub link: link::Config,
    /// What the applications do.
    pub workload: Workload,
    /// What goes wrong besides.
    pub faults: RadioFaults,
    /// How long applications request and faults happen.
    pub duration: Time,
    /// How long after that everything pending may take to be served.
    pub grace: Time,
    /// Random seed.
    pub seed: u64,
}

/// What goes wrong besides what the radio does by itself. Nothing by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RadioFaults {
    /// Walls that cut the network into two random parts, per second.
    pub walls: f64,
    /// Mean time for which a wall stands, in seconds.
    pub wall_time: f64,
    /// Directed pairs that fall deaf, per second in the whole network; every other time both
    /// directions at once.
    pub blackouts: f64,
    /// Mean time for which they are deaf, in seconds.
    pub blackout_time: f64,
}

/// Runs that are worth a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// 30 nodes at 5 m/s, connected nearly always, steady power.
    #[default]
    Default,
    /// 20 m/s with fading.
    Fast,
    /// No power gradient: links break without warning.
    NoWarning,
    /// Partitions much of the time.
    Sparse,
    /// Every node has another transmit power: many links are one-way.
    Uneven,
    /// 100 nodes.
    Large,
}

impl Preset {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Default, "default"),
        (Self::Fast, "fast"),
        (Self::NoWarning, "no-warning"),
        (Self::Sparse, "sparse"),
        (Self::Uneven, "uneven"),
        (Self::Large, "large"),
    ];
}

impl fmt::Display for Preset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(preset, _)| preset == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Preset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(_, name)| *name == text);
        found.map(|&(preset, _)| preset).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|&(_, name)| name).collect();
            format!("unknown preset `{text}`: use one of {}", names.join(", "))
        })
    }
}

impl RadioSetup {
    /// The run called so.
    pub fn preset(preset: Preset, seed: u64) -> Self {
        let base = Self {
            nodes: 30,
            side: 115.0,
            motion: direction(5.0),
            channel: ChannelConfig::default(),
            link: link::Config {
                seed,
                ..link::Config::default()
            },
            workload: Workload::default(),
            faults: RadioFaults::default(),
            duration: Time::from_secs(60.0),
            grace: Time::from_secs(300.0),
            seed,
        };
        let fast = link::Config {
            seed,
            ..link::Config::fast()
        };
        let fading = ChannelConfig {
            fading: Fading::nakagami(1.5),
            ..base.channel
        };
        match preset {
            Preset::Default => base,
            Preset::Fast => Self {
                motion: direction(20.0),
                channel: fading,
                link: fast,
                ..base
            },
            Preset::NoWarning => Self {
                side: 170.0,
                motion: direction(20.0),
                channel: ChannelConfig {
                    path_loss: PathLoss::Range { metres: 85.6 },
                    ..base.channel
                },
                link: fast,
                ..base
            },
            Preset::Sparse => Self {
                side: 430.0,
                motion: direction(20.0),
                channel: fading,
                link: fast,
                ..base
            },
            Preset::Uneven => Self {
                channel: ChannelConfig {
                    deviation: 3.0,
                    ..base.channel
                },
                ..base
            },
            Preset::Large => Self {
                nodes: 100,
                side: 214.0,
                ..base
            },
        }
    }

    /// Where the nodes start.
    pub(super) fn places(&self, random: &mut Random) -> Vec<Point> {
        let mut coordinate = || random.within(0.0, self.side);
        (0..self.nodes)
            .map(|_| Point {
                x: coordinate(),
                y: coordinate(),
            })
            .collect()
    }

    /// Where they gather at the end: a lattice in which neighbours hear each other well, also those
    /// with little power.
    pub(super) fn homes(&self) -> Vec<Point> {
        let columns = (1..).find(|c| c * c >= self.nodes).unwrap_or(1);
        let room = self.side / columns as f64;
        let decibels = self.link.margin + self.link.hysteresis + 3.0 * self.channel.deviation;
        let reach = self.channel.range() * libm::pow(10.0, -decibels / (10.0 * 3.0));
        let step = room.min(0.5 * reach);
        let corner = (self.side - step * (columns - 1) as f64) / 2.0;
        let place = |i: usize| Point {
            x: corner + step * (i % columns) as f64,
            y: corner + step * (i / columns) as f64,
        };
        (0..self.nodes).map(place).collect()
    }
}

const fn direction(speed: f64) -> Model {
    Model::RandomDirection { speed, pause: 0.0 }
}
