//! Statistics over the runs of a case.

use manet_mutex_sim::world::meter::{confidence, mean};

/// The mean of independent runs, and half of its 95 % confidence interval.
pub fn mean_and_interval(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let values: Vec<f64> = values.collect();
    [mean(&values), confidence(&values)]
}
