//! Random numbers that are not uniform.

use crate::random::Random;
use libm::{exp, lgamma, log, pow, sqrt};

/// Slices of the distribution, all with the same chance.
const SLICES: usize = 512;

/// A gamma distribution of mean 1.
///
/// Every receiver of every frame draws one, so drawing is a look into a table: a slice by chance,
/// and a point in it. Only the outermost slices are not straight.
#[derive(Clone, Debug)]
pub(super) struct Gamma {
    /// Where the slices end.
    ends: Vec<f64>,
    /// In the first slice, chances grow with this power.
    shape: f64,
    /// How far the last slice reaches, on the average.
    tail: f64,
}

impl Gamma {
    pub(super) fn new(shape: f64) -> Self {
        let slice = 1.0 / SLICES as f64;
        // The chance is at most x^shape / gamma(shape + 1). Its logarithm is concave, so that
        // Newton's method comes nearer and nearer from below.
        let mut x = exp((log(slice) + lgamma(shape + 1.0)) / shape);
        let mut ends = vec![0.0];
        for end in 1..SLICES {
            let mut step = x;
            while step > x * 1e-9 {
                let chance = below(shape, x);
                step = log(end as f64 * slice / chance) * chance / density(shape, x);
                x += step;
            }
            ends.push(x / shape);
        }
        Self {
            ends,
            shape,
            tail: slice / density(shape, x) / shape,
        }
    }

    pub(super) fn draw(&self, random: &mut Random) -> f64 {
        let place = random.unit() * SLICES as f64;
        let slice = place as usize;
        let part = place - slice as f64;
        let low = self.ends[slice];
        match self.ends.get(slice + 1) {
            None => low - self.tail * log(1.0 - part),
            Some(high) if slice == 0 => high * pow(part, 1.0 / self.shape),
            Some(high) => low + (high - low) * part,
        }
    }
}

/// The chance that a gamma variable of this shape and scale 1 is below `x`.
fn below(shape: f64, x: f64) -> f64 {
    let (mut sum, mut term, mut k) = (0.0, 1.0 / shape, shape);
    while term > sum * 1e-12 {
        sum += term;
        k += 1.0;
        term *= x / k;
    }
    sum * x * density(shape, x)
}

fn density(shape: f64, x: f64) -> f64 {
    exp((shape - 1.0) * log(x) - x - lgamma(shape))
}

/// Normally distributed, by Marsaglia's polar method.
pub(super) fn normal(random: &mut Random) -> f64 {
    loop {
        let (u, v) = (random.within(-1.0, 1.0), random.within(-1.0, 1.0));
        let square = u * u + v * v;
        if square > 0.0 && square < 1.0 {
            return u * sqrt(-2.0 * log(square) / square);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_mean_one_and_the_right_tails() {
        // The chances of less than a hundredth, less than a tenth, and more than 1, 3 and 8 times
        // the mean, by the incomplete gamma function.
        for (shape, chances) in [
            (0.5, [0.0797, 0.2482, 0.3173, 0.08326, 0.00468]),
            (0.75, [0.0276, 0.1510, 0.3484, 0.06481, 0.00125]),
            (1.0, [0.00995, 0.0952, 0.3679, 0.04979, 0.000335]),
            (1.5, [0.00137, 0.0400, 0.3916, 0.02929, 0.0000250]),
            (20.0, [0.0, 0.0, 0.4703, 0.0, 0.0]),
        ] {
            let gamma = Gamma::new(shape);
            let mut random = Random::stream(1, "gamma");
            let many = 1_000_000;
            let (mut sum, mut counts) = (0.0, [0; 5]);
            for _ in 0..many {
                let x = gamma.draw(&mut random);
                sum += x;
                let hits = [x < 0.01, x < 0.1, x > 1.0, x > 3.0, x > 8.0];
                counts = std::array::from_fn(|i| counts[i] + usize::from(hits[i]));
            }
            let mean = sum / f64::from(many);
            assert!((mean - 1.0).abs() < 0.005, "shape {shape}: mean {mean}");
            for (count, chance) in counts.into_iter().zip(chances) {
                let expected = chance * f64::from(many);
                let error = (count as f64 - expected).abs();
                let noise = 4.0 * sqrt(expected) + 0.02 * expected;
                assert!(error <= noise, "shape {shape}: {count} for {expected}");
            }
        }
    }

    #[test]
    fn normal_has_mean_zero_and_deviation_one() {
        let mut random = Random::stream(1, "normal");
        let many = 100_000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..many {
            let x = normal(&mut random);
            sum += x;
            squares += x * x;
        }
        assert!((sum / f64::from(many)).abs() < 0.01);
        assert!((squares / f64::from(many) - 1.0).abs() < 0.02);
    }
}
