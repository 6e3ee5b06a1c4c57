//! How often a node may raise itself.

use super::height::Height;
use crate::hash::{mix, unit};
use crate::machine::TimerId;
use std::time::Duration;

/// The limiter's timer: one more raise.
pub const RETRY: TimerId = TimerId(0);
/// The limiter's timer: the burst is whole again.
pub const QUIET: TimerId = TimerId(1);

/// How fast a node without lower neighbours may raise itself.
///
/// A node has `burst` raises to spend; it earns them back when the token or a share of it
/// arrives, or after `quiet` without a raise. Without any left it raises once every `retry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limiter {
    /// Raises in a row; `None` never waits, as the paper has it.
    pub burst: Option<u16>,
    /// Time between raises once the burst is spent, varied by a quarter either way so that
    /// neighbours do not raise in step. Larger: fewer messages where no token is, later recovery.
    pub retry: Duration,
    /// Time without a raise after which the burst is whole again.
    pub quiet: Duration,
    /// Seeds the variation of `retry`.
    pub seed: u64,
}

impl Limiter {
    /// For worlds that count in time units, with about one unit for a message.
    pub const UNITS: Self = Self {
        burst: Some(4),
        retry: Duration::from_secs(20),
        quiet: Duration::from_secs(200),
        seed: 0,
    };

    /// The paper's rule: raise at once, always.
    pub const OFF: Self = Self {
        burst: None,
        retry: Duration::ZERO,
        quiet: Duration::ZERO,
        seed: 0,
    };

    /// `retry`, varied by up to a quarter: a fixed function of seed, node and height.
    pub(super) fn retry_at(&self, height: Height) -> Duration {
        let node = u64::from(height.id.0);
        let mixed = mix(self.seed ^ mix(node ^ mix(height.h1.unsigned_abs())));
        self.retry.mul_f64(0.75 + 0.5 * unit(mixed))
    }
}

impl Default for Limiter {
    fn default() -> Self {
        Self {
            burst: Some(4),
            retry: Duration::from_millis(300),
            quiet: Duration::from_secs(3),
            seed: 0,
        }
    }
}
