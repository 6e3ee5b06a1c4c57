//! Time as the host hands it in.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A moment, in nanoseconds since the start of the run.
///
/// Where a paper counts in abstract time units, one unit is one second.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Time(pub u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);

    /// Does not come.
    pub const NEVER: Self = Self(u64::MAX);

    /// The moment `seconds` after the start; the nearest nanosecond, never before zero.
    pub fn from_secs(seconds: f64) -> Self {
        Self(nanos(seconds))
    }

    /// Seconds since the start.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

/// A span of `seconds`, rounded to the nanosecond; never negative.
pub fn span(seconds: f64) -> Duration {
    Duration::from_nanos(nanos(seconds))
}

fn nanos(seconds: f64) -> u64 {
    // `as` rounds down and saturates: negative and NaN give 0, too large gives u64::MAX.
    (seconds * 1e9 + 0.5) as u64
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, span: Duration) -> Self {
        let whole = span.as_secs().saturating_mul(1_000_000_000);
        Self(
            self.0
                .saturating_add(whole)
                .saturating_add(span.subsec_nanos().into()),
        )
    }
}

impl Sub for Time {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_secs())
    }
}
