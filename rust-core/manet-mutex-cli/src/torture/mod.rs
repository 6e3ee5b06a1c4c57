//! `manet-mutex torture`.

mod graph;
mod radio;
mod routed;

use crate::output::{Format, Outcome, bar, seeds};
use clap::Args as ClapArgs;
use manet_mutex::protocol::reversal::Erratum;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Options of `torture`.
#[derive(Debug, ClapArgs)]
pub struct Args {
    /// The protocol.
    #[arg(long, default_value = "rl")]
    protocol: String,
    /// What carries the messages.
    #[arg(long, value_enum, default_value = "graph")]
    world: WorldKind,
    /// Seeds to run, as one number or FIRST..LAST (LAST not included).
    #[arg(long, default_value = "0..1000")]
    seeds: String,
    /// Stop after this many events in all.
    #[arg(long)]
    events: Option<u64>,
    /// Put a corrected rule back as the paper prints it, to see it fail.
    #[arg(long, value_name = "ERRATUM")]
    as_printed: Option<Erratum>,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WorldKind {
    /// Links that are given, and faults.
    Graph,
    /// A radio channel.
    Radio,
    /// Unreliable routing, for protocols over routing.
    Routed,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    match args.world {
        WorldKind::Graph => graph::run(args),
        WorldKind::Radio => radio::run(args),
        WorldKind::Routed => routed::run(args),
    }
}

/// What one seed came to.
struct One {
    events: u64,
    clean: bool,
}

/// Runs seeds on all cores until one fails or there are enough events; returns the first that was
/// seen to fail. `one` runs a seed and books its results.
fn campaign(args: &Args, one: impl Fn(u64) -> One + Sync) -> Result<Option<u64>, String> {
    let (first, last) = seeds(&args.seeds)?;
    let failed: Mutex<Option<u64>> = Mutex::new(None);
    let (next, events) = (AtomicU64::new(first), AtomicU64::new(0));
    let enough = AtomicBool::new(false);
    let progress = bar(last - first, "worlds");
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= last || enough.load(Ordering::Relaxed) {
                return;
            }
            let One { events: new, clean } = one(seed);
            progress.inc(1);
            let sum = events.fetch_add(new, Ordering::Relaxed) + new;
            if !clean {
                lock(&failed).get_or_insert(seed);
            }
            if !clean || args.events.is_some_and(|most| sum >= most) {
                enough.store(true, Ordering::Relaxed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    progress.finish_and_clear();
    Ok(*lock(&failed))
}

/// A poisoned lock still holds good counts.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
