//! Randomness from one seed.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A stream of random numbers. The same seed and name give the same stream on every machine, and
/// draws from one stream do not move another.
#[derive(Clone, Debug)]
pub struct Random(Pcg64Mcg);

impl Random {
    /// The stream called `name` of a run's `seed`.
    pub fn stream(seed: u64, name: &str) -> Self {
        // FNV-1a of the name: fixed for ever, unlike the standard library's hashes.
        let name = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut random = Self(Pcg64Mcg::seed_from_u64(seed ^ name));
        random.0.next_u64();
        random
    }

    /// A whole number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        debug_assert!(bound > 0, "nothing to choose from");
        // The bias of the multiplication is below 2^-32 for any bound a run uses.
        ((u128::from(self.0.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number in `[low, high)`.
    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True with this probability; draws nothing if it is 0.
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }

    /// Exponentially distributed with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // The logarithm of `libm` is the same on every platform.
        -mean * libm::log(1.0 - self.unit())
    }

    /// One of `items`, or `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() {
            None
        } else {
            Some(&items[self.below(items.len())])
        }
    }

    /// Puts `items` into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
