//! Many random runs, on all processors.

use crate::check::Violation;
use serde::Serialize;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts that can be added up.
pub trait Tally: Default + Send {
    /// Adds those of other runs.
    fn add(&mut self, other: &Self);
}

/// What many runs came to.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary<T> {
    /// Of those in which nothing was broken.
    pub stats: T,
    /// How many broke a promise.
    pub failed: u64,
    /// The first of these, by seed.
    pub failures: Vec<(u64, Violation)>,
}

/// So many failures are kept.
const KEPT: usize = 5;
/// So many runs a thread takes at a time.
const SHARE: u64 = 256;

/// Runs `play` with all `seeds`; `progress` is told now and then how many more are done. With
/// `first` it stops soon after the first that fails.
pub(super) fn play_all<T: Tally>(
    seeds: Range<u64>,
    first: bool,
    play: impl Fn(u64) -> Result<T, Violation> + Sync,
    progress: &(dyn Fn(u64) + Sync),
) -> Summary<T> {
    let summary = Mutex::new(Summary::default());
    let next = AtomicU64::new(seeds.start);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut own: Summary<T> = Summary::default();
        loop {
            let start = next.fetch_add(SHARE, Ordering::Relaxed);
            if start >= seeds.end {
                break;
            }
            let share = start..seeds.end.min(start + SHARE);
            let count = share.end - share.start;
            for seed in share {
                match play(seed) {
                    Ok(stats) => own.stats.add(&stats),
                    Err(violation) => own.fail(seed, violation),
                }
            }
            progress(count);
            if first && own.failed > 0 {
                next.store(seeds.end, Ordering::Relaxed);
            }
        }
        // A thread that panicked has already ended the run.
        let mut all = summary.lock().expect("no thread panics while it adds up");
        all.merge(own);
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    summary.into_inner().expect("all threads have ended")
}

impl<T: Tally> Summary<T> {
    fn fail(&mut self, seed: u64, violation: Violation) {
        self.failed += 1;
        self.failures.push((seed, violation));
        self.failures.sort_by_key(|&(seed, _)| seed);
        self.failures.truncate(KEPT);
    }

    fn merge(&mut self, other: Self) {
        self.stats.add(&other.stats);
        self.failed += other.failed - other.failures.len() as u64;
        for (seed, violation) in other.failures {
            self.fail(seed, violation);
        }
    }
}
