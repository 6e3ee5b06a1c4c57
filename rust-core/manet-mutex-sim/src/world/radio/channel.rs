//! How strong a frame arrives, and whether a receiver makes it out.
//!
//! Inside, power is a plain ratio to the sensitivity, so that what every receiver of every frame
//! needs are multiplications; decibels are made of it only for frames that are received.

use super::fading::{Gamma, normal};
use crate::random::Random;
use libm::{exp10, log10, pow, sqrt};
use manet_mutex::link::Power;

/// How power falls with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PathLoss {
    /// By the same number of decibels with every doubling of the distance.
    LogDistance {
        /// 2 in free space, more near the ground.
        exponent: f64,
        /// Loss over the first metre, in dB.
        reference: f64,
    },
    /// Not at all up to this many metres, and completely beyond: power says nothing of distance.
    Range {
        /// How far.
        metres: f64,
    },
}

/// How power varies from frame to frame, each direction by itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fading {
    /// Not at all.
    None,
    /// Nakagami: power is gamma distributed. A shape of 1 is Rayleigh fading, less is worse.
    Nakagami {
        /// The shape below `switch`.
        near: f64,
        /// The shape from `switch` on.
        far: f64,
        /// In metres.
        switch: f64,
    },
}

impl Fading {
    /// Nakagami fading with the same shape at all distances.
    pub const fn nakagami(shape: f64) -> Self {
        Self::Nakagami {
            near: shape,
            far: shape,
            switch: 0.0,
        }
    }
}

/// What the air and the radios are like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelConfig {
    /// Transmit power, in dBm.
    pub tx_power: f64,
    /// How power falls with distance.
    pub path_loss: PathLoss,
    /// Weaker frames are not noticed, in dBm.
    pub sensitivity: f64,
    /// How power varies from frame to frame.
    pub fading: Fading,
    /// Over this many dB around the sensitivity the chance of noticing a frame rises from 0 to 1;
    /// 0 is a knife edge.
    pub grey_zone: f64,
    /// Standard deviation of the transmit power between nodes, in dB. Links are then asymmetric
    /// for good.
    pub deviation: f64,
    /// Chance that a frame is lost at a receiver for no reason.
    pub loss: f64,
    /// A frame survives others that arrive meanwhile if it is this many dB above all of them
    /// together.
    pub capture: f64,
}

impl Default for ChannelConfig {
    /// 802.11g at 2.4 GHz with its usual 40 mW: 85.6 m.
    fn default() -> Self {
        Self {
            tx_power: 16.02,
            path_loss: PathLoss::LogDistance {
                exponent: 3.0,
                reference: 40.05,
            },
            sensitivity: -82.0,
            fading: Fading::None,
            grey_zone: 0.0,
            deviation: 0.0,
            loss: 0.0,
            capture: 4.0,
        }
    }
}

/// Why a channel cannot be like this.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ChannelError {
    /// A number that makes no sense.
    #[error("{what} is {value}, but has to be {must}")]
    Value {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
        /// What it has to be.
        must: &'static str,
    },
    /// Too weak to be heard at all.
    #[error("a range of {0} m: nodes a metre apart cannot hear each other")]
    Deaf(f64),
}

impl ChannelConfig {
    /// Whether it makes sense.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self) -> Result<(), ChannelError> {
        let value = |what, value: f64, fits: bool, must| {
            if fits && value.is_finite() {
                Ok(())
            } else {
                Err(ChannelError::Value { what, value, must })
            }
        };
        value("transmit power", self.tx_power, true, "finite")?;
        value("sensitivity", self.sensitivity, true, "finite")?;
        for (what, number) in [
            ("grey zone", self.grey_zone),
            ("deviation", self.deviation),
            ("capture margin", self.capture),
        ] {
            value(what, number, (0.0..=60.0).contains(&number), "0 to 60 dB")?;
        }
        value(
            "loss",
            self.loss,
            (0.0..1.0).contains(&self.loss),
            "at least 0, below 1",
        )?;
        if let Fading::Nakagami { near, far, switch } = self.fading {
            for (what, shape) in [("near shape", near), ("far shape", far)] {
                value(what, shape, (0.5..=1e3).contains(&shape), "0.5 to 1000")?;
            }
            value(
                "distance of the far shape",
                switch,
                switch >= 0.0,
                "at least 0",
            )?;
        }
        match self.path_loss {
            PathLoss::LogDistance {
                exponent,
                reference,
            } => {
                value("exponent", exponent, exponent >= 1.0, "at least 1")?;
                value("reference loss", reference, true, "finite")?;
            }
            PathLoss::Range { metres } => value("range", metres, metres > 0.0, "positive")?,
        }
        if self.range() >= 1.0 {
            Ok(())
        } else {
            Err(ChannelError::Deaf(self.range()))
        }
    }

    /// The distance, in metres, at which the mean power is just enough.
    pub fn range(&self) -> f64 {
        match self.path_loss {
            PathLoss::LogDistance {
                exponent,
                reference,
            } => exp10((self.tx_power - reference - self.sensitivity) / (10.0 * exponent)),
            PathLoss::Range { metres } => metres,
        }
    }
}

/// The channel of a run. Strengths are ratios to the sensitivity: a frame of strength 1 is just
/// noticed.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    law: Law,
    /// Squares of the range and of the distance at which `far` begins.
    range2: f64,
    switch2: f64,
    shapes: Option<[Gamma; 2]>,
    /// Where the grey zone begins and how wide it is, in dB.
    grey: Option<(f64, f64)>,
    loss: f64,
    margin: f64,
    sensitivity: f64,
    nodes: Vec<Sender>,
    random: Random,
}

/// Strength by the square of the distance, relative to the range.
#[derive(Clone, Copy, Debug)]
enum Law {
    Square,
    Cube,
    Half(f64),
    Flat(f64),
}

#[derive(Clone, Copy, Debug)]
struct Sender {
    /// How much stronger it is than it should be.
    factor: f64,
    /// Square of the distance beyond which it is neither heard nor disturbs anyone.
    reach2: f64,
}

/// How far below the sensitivity the mean may be, in dB, that a frame may still be noticed: with
/// shape 1.5 one in 40 000 is. With an exponent of 3 that is twice the range.
const FADED: f64 = 9.03;

impl Channel {
    pub(super) fn new(
        config: &ChannelConfig,
        nodes: usize,
        seed: u64,
    ) -> Result<Self, ChannelError> {
        config.check()?;
        let range = config.range();
        let (law, exponent) = match config.path_loss {
            PathLoss::Range { .. } => {
                let above = config.tx_power - config.sensitivity;
                (Law::Flat(exp10(above / 10.0)), f64::INFINITY)
            }
            PathLoss::LogDistance { exponent: 2.0, .. } => (Law::Square, 2.0),
            PathLoss::LogDistance { exponent: 3.0, .. } => (Law::Cube, 3.0),
            PathLoss::LogDistance { exponent, .. } => (Law::Half(exponent / 2.0), exponent),
        };
        let faint = match config.fading {
            Fading::None => config.capture.max(config.grey_zone / 2.0),
            Fading::Nakagami { .. } => FADED,
        };
        let spread = exp10(faint / (10.0 * exponent));
        let mut channel = Self {
            law,
            range2: range * range,
            switch2: 0.0,
            shapes: None,
            grey: (config.grey_zone > 0.0).then_some((-config.grey_zone / 2.0, config.grey_zone)),
            loss: config.loss,
            margin: exp10(config.capture / 10.0),
            sensitivity: config.sensitivity,
            nodes: Vec::with_capacity(nodes),
            random: Random::stream(seed, "radio fading"),
        };
        let mut powers = Random::stream(seed, "radio power");
        for _ in 0..nodes {
            let above = config.deviation * normal(&mut powers);
            let reach = range * spread * exp10(above / (10.0 * exponent));
            channel.nodes.push(Sender {
                factor: exp10(above / 10.0),
                reach2: reach * reach,
            });
        }
        if let Fading::Nakagami { near, far, switch } = config.fading {
            channel.shapes = Some([Gamma::new(near), Gamma::new(far)]);
            channel.switch2 = switch * switch;
        }
        Ok(channel)
    }

    /// The square of the distance beyond which frames of this node mean nothing.
    pub(super) fn reach2(&self, from: usize) -> f64 {
        self.nodes[from].reach2
    }

    /// The mean strength of a node's frames at a distance, given its square.
    pub(super) fn mean(&self, from: usize, distance2: f64) -> f64 {
        // The first metre is the reference: nothing is stronger than there.
        let near = self.range2 / distance2.max(1.0);
        let strength = match self.law {
            Law::Square => near,
            Law::Cube => near * sqrt(near),
            Law::Half(half) => pow(near, half),
            Law::Flat(strength) => return strength,
        };
        strength * self.nodes[from].factor
    }

    /// How one frame's strength over a distance, given its square, differs from the mean.
    pub(super) fn fade(&mut self, distance2: f64) -> f64 {
        match &self.shapes {
            None => 1.0,
            Some(shapes) => {
                let far = distance2 >= self.switch2;
                shapes[usize::from(far)].draw(&mut self.random)
            }
        }
    }

    /// Whether a receiver notices a frame of this strength.
    pub(super) fn notices(&mut self, strength: f64) -> bool {
        match self.grey {
            None => strength >= 1.0,
            Some((low, width)) if strength > 0.0 => {
                let chance = (10.0 * log10(strength) - low) / width;
                chance >= 1.0 || self.random.chance(chance)
            }
            Some(_) => false,
        }
    }

    /// Whether a frame is lost for no reason.
    pub(super) fn loses(&mut self) -> bool {
        self.random.chance(self.loss)
    }

    /// How much stronger a frame has to be than all others together.
    pub(super) const fn margin(&self) -> f64 {
        self.margin
    }

    /// As a radio reports it.
    pub(super) fn power(&self, strength: f64) -> Power {
        Power::from_dbm(self.sensitivity + 10.0 * log10(strength))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn but(change: impl FnOnce(&mut ChannelConfig)) -> ChannelConfig {
        let mut config = ChannelConfig::default();
        change(&mut config);
        config
    }

    fn channel(change: impl FnOnce(&mut ChannelConfig)) -> Channel {
        Channel::new(&but(change), 200, 1).unwrap()
    }

    fn share(many: usize, mut happens: impl FnMut() -> bool) -> f64 {
        (0..many).filter(|_| happens()).count() as f64 / many as f64
    }

    #[test]
    fn the_range_is_where_the_mean_power_is_the_sensitivity() {
        let config = ChannelConfig::default();
        let range = config.range();
        assert!((range - 85.6).abs() < 0.05, "{range}");
        let channel = channel(|_| {});
        assert_eq!(
            channel.power(channel.mean(0, range * range)),
            Power(-82_000)
        );
        // 16.02 - 40.05 - 30 log10(10)
        assert_eq!(channel.power(channel.mean(0, 100.0)), Power(-54_030));
        assert_eq!(channel.mean(0, 0.0), channel.mean(0, 1.0));
    }

    #[test]
    fn all_exponents_follow_one_law() {
        for exponent in [2.0, 3.0, 3.5] {
            let reference = 40.05;
            let path_loss = PathLoss::LogDistance {
                exponent,
                reference,
            };
            let channel = channel(|config| config.path_loss = path_loss);
            let dbm = 16.02 - reference - 10.0 * exponent * log10(30.0);
            assert_eq!(channel.power(channel.mean(0, 900.0)), Power::from_dbm(dbm));
        }
    }

    #[test]
    fn without_gradient_power_says_nothing_of_distance() {
        let path_loss = PathLoss::Range { metres: 100.0 };
        let channel = channel(|config| config.path_loss = path_loss);
        assert_eq!(channel.power(channel.mean(0, 1.0)), Power(16_020));
        assert_eq!(channel.power(channel.mean(0, 9_999.0)), Power(16_020));
        assert_eq!(channel.reach2(0), 10_000.0);
    }

    #[test]
    fn the_shape_may_depend_on_the_distance() {
        let fading = Fading::Nakagami {
            near: 1000.0,
            far: 0.5,
            switch: 80.0,
        };
        let mut channel = channel(|config| config.fading = fading);
        let mut deep = |metres: f64| share(1000, || channel.fade(metres * metres) < 0.5);
        assert_eq!(deep(79.9), 0.0);
        assert!(deep(80.1) > 0.4);
    }

    #[test]
    fn in_the_grey_zone_the_chance_rises_with_power() {
        let grey_zone = 4.0;
        let mut channel = channel(|config| config.grey_zone = grey_zone);
        for (db, chance) in [
            (-2.1, 0.0),
            (-1.0, 0.25),
            (0.0, 0.5),
            (1.0, 0.75),
            (2.1, 1.0),
        ] {
            let noticed = share(10_000, || channel.notices(exp10(db / 10.0)));
            assert!((noticed - chance).abs() < 0.02, "{db} dB: {noticed}");
        }
    }

    #[test]
    fn nodes_differ_by_the_deviation() {
        let deviation = 3.0;
        let channel = channel(|config| config.deviation = deviation);
        let db: Vec<f64> = (0..200)
            .map(|n| 10.0 * log10(channel.mean(n, 7328.0)))
            .collect();
        let mean = db.iter().sum::<f64>() / 200.0;
        let sd = sqrt(db.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 199.0);
        assert!(
            mean.abs() < 0.8 && (sd - 3.0).abs() < 0.5,
            "mean {mean}, sd {sd}"
        );
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(but(|_| {}).check(), Ok(()));
        for bad in [
            but(|config| config.loss = 1.0),
            but(|config| config.tx_power = f64::NAN),
            but(|config| config.tx_power = -60.0),
            but(|config| config.grey_zone = -1.0),
            but(|config| config.fading = Fading::nakagami(0.1)),
            but(|config| config.path_loss = PathLoss::Range { metres: 0.0 }),
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
    }
}
