//! What the world costs beyond its event queue, as ratios measured in one run.
//!
//! `cargo bench --bench world` prints, for networks of 30 to 10^6 nodes at mean degree 10, the
//! time per event of the world and of a bare loop that pushes and pops the same number of events
//! through the same queue at the same fill, and the ratio of the two. The two alternate and the
//! fastest of several rounds counts, so that a busy machine does not decide.
//!
//! `cargo bench --bench world -- --local` prints instead what `lme2` costs on random unit disks of
//! 10^3 to 10^6 nodes in which everybody is hungry again as soon as it has left.
//!
//! Options after `--`: `--most N` stops at N nodes, `--least N` begins there; `--rounds N` (default
//! 5); `--time T`, how long everybody is hungry (default 100).

use manet_mutex::Time;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::rl::{Config, Rl};
use manet_mutex::time::span;
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::queue::Queue;
use manet_mutex_sim::world::topology::{Point, disk, side_for_degree};
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Setup, World};
use std::hint::black_box;
use std::time::Instant;

/// Events of each measurement, about.
const EVENTS: f64 = 1e6;

fn main() {
    let options: Vec<String> = std::env::args().collect();
    let option = |name: &str, default: usize| {
        let at = options.iter().position(|word| word == name);
        at.and_then(|at| options.get(at + 1)?.parse().ok())
            .unwrap_or(default)
    };
    let (least, most) = (option("--least", 0), option("--most", 1_000_000));
    let rounds = option("--rounds", 5);
    if options.iter().any(|word| word == "--local") {
        return local(least, most, option("--time", 100) as f64);
    }
    println!(
        "     nodes     links     events    pending   world ns/event   queue ns/event   ratio   \
         ns/log2 n   peak MiB"
    );
    let sizes = [30, 100, 1_000, 10_000, 100_000, 1_000_000];
    for nodes in sizes.into_iter().filter(|n| (least..=most).contains(n)) {
        let rounds = if nodes >= 100_000 {
            rounds.min(3)
        } else {
            rounds
        };
        let (mut world, mut queue) = (f64::INFINITY, f64::INFINITY);
        let (mut events, mut pending) = (0, 0);
        for round in 0..rounds {
            let run = run_world(nodes, round as u64);
            (events, pending) = (run.events, run.pending);
            world = world.min(run.nanos);
            queue = queue.min(run_queue(events, pending));
        }
        let log = (nodes as f64).log2();
        let links = field(nodes, 0).links();
        println!(
            "{nodes:>10} {links:>9} {events:>10} {pending:>10} {world:>16.1} {queue:>16.1} {:>7.2} {:>11.1} {:>10.0}",
            world / queue,
            world / log,
            peak_mib()
        );
    }
}

/// Everybody hungry all the time, and only neighbours excluded.
fn local(least: usize, most: usize, duration: f64) {
    println!(
        "     nodes     links     events    entries   entries/time unit   entries/s   ns/event   \
         peak MiB"
    );
    let sizes = [1_000, 100_000, 1_000_000];
    for nodes in sizes.into_iter().filter(|n| (least..=most).contains(n)) {
        let graph = random_field(nodes);
        let links = graph.links();
        let setup = Setup {
            workload: Workload {
                think: Span::Fixed(0.0),
                stay: Span::Fixed(1.0),
                ..Workload::default()
            },
            duration: Time::from_secs(duration),
            grace: Time::ZERO,
            ..Setup::new(graph, 1)
        };
        let mut world = World::<Lme2>::new(setup, &Default::default()).expect("nodes");
        let (report, nanos) = timed(|| world.run());
        assert!(report.violations.is_empty(), "{:?}", report.violations);
        let (events, entries) = (report.events, report.meter.entries());
        println!(
            "{nodes:>10} {links:>9} {events:>10} {entries:>10} {:>19.1} {:>11.0} {:>10.1} {:>10.0}",
            entries as f64 / duration,
            entries as f64 / nanos * 1e9,
            nanos / events as f64,
            peak_mib()
        );
    }
}

/// Random points of mean degree 10. They are numbered block by block and at random within a block:
/// neighbours are near in memory, as in any simulation that cares, and ids make no long chains.
fn random_field(nodes: usize) -> Graph {
    const BLOCK: f64 = 8.0;
    let random = &mut Random::stream(1, "field");
    let side = side_for_degree(nodes, 10.0);
    let mut point = || Point {
        x: random.within(0.0, side),
        y: random.within(0.0, side),
    };
    let mut points: Vec<Point> = (0..nodes).map(|_| point()).collect();
    points.sort_by_key(|at| ((at.y / BLOCK) as u32, (at.x / BLOCK) as u32));
    disk(&points, 1.0)
}

struct Run {
    events: u64,
    pending: usize,
    nanos: f64,
}

/// Poisson requests from all nodes, so that each has something to come in the queue, and a token
/// that is always busy.
fn run_world(nodes: usize, seed: u64) -> Run {
    // About eight events happen in a time unit.
    let duration = EVENTS.max(2.0 * nodes as f64) / 8.0;
    let setup = Setup {
        workload: Workload {
            think: Span::Exponential(nodes as f64 * 4.0),
            stay: Span::Fixed(1.0),
            ..Workload::default()
        },
        duration: Time::from_secs(duration),
        grace: Time::ZERO,
        ..Setup::new(field(nodes, seed), seed)
    };
    let config = Config {
        limiter: Limiter::UNITS,
        ..Config::default()
    };
    let mut world = World::<Rl>::new(setup, &config).expect("connected");
    let pending = world.pending();
    let (report, nanos) = timed(|| world.run());
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    Run {
        events: report.events,
        pending,
        nanos: nanos / report.events as f64,
    }
}

/// The unit disk graph of a shaken grid, numbered row by row: connected at mean degree 10.
fn field(nodes: usize, seed: u64) -> Graph {
    let random = &mut Random::stream(seed, "field");
    let columns = (nodes as f64).sqrt().ceil() as usize;
    let mut shake = |at: usize| at as f64 + random.within(-0.2, 0.2);
    let points: Vec<Point> = (0..nodes)
        .map(|i| Point {
            x: shake(i % columns),
            y: shake(i / columns),
        })
        .collect();
    disk(&points, 2.0)
}

/// The same queue, filled as far, with nothing done about what comes out of it. Its entries are as
/// large as the world's; all pass the heap, which messages that take equally long need not.
fn run_queue(events: u64, pending: usize) -> f64 {
    let mut random = Random::stream(1, "queue");
    let mut queue: Queue<[u32; 2]> = Queue::new();
    let mean = pending as f64;
    for i in 0..pending {
        queue.push(Time::from_secs(random.exponential(mean)), [i as u32, 0]);
    }
    let delays: Vec<_> = (0..4096).map(|_| span(random.exponential(mean))).collect();
    let ((), nanos) = timed(|| {
        for i in 0..events {
            let Some((time, what)) = queue.pop() else {
                return;
            };
            queue.push(time + delays[i as usize % 4096], black_box(what));
        }
    });
    nanos / events as f64
}

/// The result and how long it took, in nanoseconds of this process where the system tells: a busy
/// machine stretches the time on the clock, and not always equally for the two that are compared.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (clock, processor) = (clock(), processor_nanos());
    let result = work();
    let nanos = match (processor, processor_nanos()) {
        (Some(start), Some(end)) => end - start,
        _ => clock.elapsed().as_nanos() as f64,
    };
    (result, nanos)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn clock() -> Instant {
    Instant::now()
}

/// How long this process has run so far; Linux only.
fn processor_nanos() -> Option<f64> {
    std::thread::yield_now(); // brings the count up to date
    let status = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    status.split_whitespace().next()?.parse().ok()
}

fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}
