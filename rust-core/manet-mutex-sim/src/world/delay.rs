//! How long a message takes over one link.

use crate::random::Random;
use manet_mutex::time::span;
use std::time::Duration;

/// The time a message takes over one link. Links are FIFO whatever it says: a message never
/// arrives before an earlier one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Delay {
    /// Always this long.
    Fixed(Duration),
    /// Anything in between, in seconds.
    Uniform {
        /// At least.
        low: f64,
        /// Less than.
        high: f64,
    },
    /// Exponentially distributed with this mean, in seconds.
    Exponential {
        /// The mean.
        mean: f64,
    },
}

impl Delay {
    /// One time unit: the delay of the papers.
    pub const UNIT: Self = Self::Fixed(Duration::from_secs(1));

    /// The delay of one message.
    pub fn draw(&self, random: &mut Random) -> Duration {
        match *self {
            Self::Fixed(delay) => delay,
            Self::Uniform { low, high } => span(random.within(low, high)),
            Self::Exponential { mean } => span(random.exponential(mean)),
        }
    }

    /// Whether a later message could be quicker than an earlier one.
    pub const fn varies(&self) -> bool {
        !matches!(self, Self::Fixed(_))
    }
}
