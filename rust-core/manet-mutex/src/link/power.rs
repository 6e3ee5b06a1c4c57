//! Received power.

use serde::Serialize;
use std::fmt;

/// Received power, in thousandths of a dBm: whole numbers, so that states can be compared and
/// averages are the same on every machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Power(pub i32);

impl Power {
    /// The nearest thousandth.
    pub fn from_dbm(dbm: f64) -> Self {
        let thousandths = dbm * 1e3;
        // `as` drops the fraction and saturates; NaN gives 0, far above any threshold, which no
        // radio reports.
        Self((thousandths + 0.5_f64.copysign(thousandths)) as i32)
    }

    /// As a number.
    pub fn dbm(self) -> f64 {
        f64::from(self.0) / 1e3
    }

    /// Moves towards `sample` by `weight` thousandths of the way.
    pub(super) fn approach(self, sample: Self, weight: u16) -> Self {
        let way = i64::from(sample.0) - i64::from(self.0);
        let step = way * i64::from(weight) / 1000;
        // Between the two, so it fits.
        Self((i64::from(self.0) + step) as i32)
    }
}

impl fmt::Debug for Power {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dBm", self.dbm())
    }
}
