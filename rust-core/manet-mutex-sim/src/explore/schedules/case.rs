//! How hard a schedule is.

use crate::random::Random;
use manet_mutex::link::{Config, Flaw, Power};
use std::time::Duration;

/// What one seed means.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) config: Config,
    pub(super) nodes: usize,
    pub(super) steps: usize,
    /// Probabilities: that a frame is lost, that it stays in the air although it arrived, that
    /// the next to arrive is any and not the oldest.
    pub(super) loss: f64,
    pub(super) duplication: f64,
    pub(super) disorder: f64,
    /// That a hello arrives with a power at which links close.
    pub(super) weak: f64,
    /// That the radio says it failed although the frame arrived.
    pub(super) lies: f64,
    /// Radios report nothing at all.
    pub(super) mute: bool,
    /// That a node is woken late.
    pub(super) late: f64,
    /// That a node answers what it hears of a link at once.
    pub(super) answers: f64,
    /// Of messages: that they are plain.
    pub(super) plain: f64,
    /// How often each thing happens, relative to the others.
    weights: [(Kind, usize); 9],
    /// Links come up before anything goes wrong.
    pub(super) warm: bool,
    /// Nodes have no room for all others.
    pub(super) cramped: bool,
    /// In the end the first two nodes hear each other through the third alone, for a while.
    pub(super) parted: bool,
}

/// What happens in a step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// A frame arrives, or is lost.
    Arrive,
    /// The node that is due next wakes.
    Wake,
    /// A message is sent.
    Send,
    /// A radio reports on a frame.
    Report,
    /// An old frame arrives again.
    Replay,
    /// A node's standing changes.
    Turn,
    /// Time passes.
    Silence,
    /// Two nodes begin or cease not to hear each other.
    Part,
    /// All that is in the air is lost.
    Lose,
}

/// The time between hellos. Everything else is relative to it.
const HELLO: Duration = Duration::from_millis(100);

impl Case {
    pub(super) fn new(seed: u64, flaw: Option<Flaw>, random: &mut Random) -> Self {
        let nodes = if random.chance(0.5) { 2 } else { 3 };
        // Half of the schedules are rather quiet, so that links live and get into trouble late.
        let mild = random.chance(0.5);
        let up_to = |random: &mut Random, most: f64| {
            let most = if mild { most / 4.0 } else { most };
            random.within(0.0, most)
        };
        let often = |random: &mut Random, most: usize| random.below(most + 1);
        let trouble = if mild { 3 } else { 8 };
        let weights = [
            (Kind::Arrive, 100),
            (Kind::Wake, 20 + often(random, 60)),
            (Kind::Send, often(random, 40)),
            (Kind::Report, often(random, 20)),
            (Kind::Replay, often(random, 20)),
            (Kind::Turn, often(random, 6)),
            (Kind::Silence, often(random, 2 * trouble)),
            (Kind::Part, often(random, trouble)),
            (Kind::Lose, often(random, trouble)),
        ];
        let mut config = config(seed, flaw, random);
        let cramped = nodes > 2 && random.chance(0.1);
        if cramped {
            config.neighbours = 1;
            config.peers = 1 + random.below(2) as u16;
        }
        Self {
            config,
            nodes,
            steps: 40 + random.below(81),
            loss: up_to(random, 0.6),
            duplication: up_to(random, 0.5),
            disorder: up_to(random, 1.0),
            weak: up_to(random, 0.3),
            lies: random.within(0.0, 1.0),
            mute: random.chance(0.05),
            late: up_to(random, 0.5),
            answers: random.within(0.0, 0.8),
            plain: random.within(0.0, 0.6),
            weights,
            warm: !cramped && random.chance(0.8),
            cramped,
            parted: nodes > 2 && !cramped && random.chance(0.3),
        }
    }

    /// What happens next.
    pub(super) fn kind(&self, random: &mut Random) -> Kind {
        let total = self.weights.iter().map(|(_, weight)| weight).sum();
        let mut left = random.below(total);
        for (kind, weight) in self.weights {
            if left < weight {
                return kind;
            }
            left -= weight;
        }
        Kind::Wake
    }
}

fn config(seed: u64, flaw: Option<Flaw>, random: &mut Random) -> Config {
    let millis = |random: &mut Random, low: usize, high: usize| {
        Duration::from_millis((low + random.below(high - low)) as u64)
    };
    let jitter = random.within(0.0, 0.3);
    Config {
        hello_interval: HELLO,
        jitter,
        smoothing: random.within(0.3, 1.0),
        hellos_to_form: 1 + [0, 0, 0, 1, 2][random.below(5)],
        misses_tolerated: random.below(4) as u8,
        // Longer than the latest hello of a radio that loses nothing.
        dead_after: random.within(1.7 + jitter, 4.0),
        resend_after: random.within(1.5, 3.0),
        resend_urgent: millis(random, 20, 150),
        retry_after: millis(random, 5, 50),
        query_after: millis(random, 20, 300),
        query_every: millis(random, 50, 1000),
        query_hops: 2 + random.below(3) as u8,
        remember: millis(random, 0, 1000),
        sharing: !seed.is_multiple_of(4),
        backlog: if random.chance(0.1) { 2 } else { 256 },
        seed,
        flaw,
        ..Config::default()
    }
}

/// A power with which links form.
pub(super) const STRONG: Power = Power(-60_000);
/// A power with which no link lasts.
pub(super) const WEAK: Power = Power(-200_000);
