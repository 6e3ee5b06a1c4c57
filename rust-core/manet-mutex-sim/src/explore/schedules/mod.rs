//! Random schedules over whole link layers, with everything going wrong.
//!
//! Two or three [`manet_mutex::link::Link`]s with frames as bytes and a clock. For some 40 to 100 steps
//! frames are lost, doubled and reordered, old ones of earlier incarnations come again, radios
//! report failures that were none, hellos fade, nodes are silent, are woken late, move and stop.
//! Then comes a phase in which nothing goes wrong: every doubt has to end, at first perhaps through
//! the third node alone, all links have to come up and to stay, and messages have to flow.
//! [`crate::check::Delivery`] watches all of it.
//!
//! A seed is a schedule; [`run`] plays one and [`run_all`] many, on all processors. The model
//! checker in [`super::link`] tries everything, but only the rules of one pair without a clock, and
//! a few messages; here the rest is tried as well, by chance.

mod case;
mod heal;
mod play;
mod text;
mod watch;

use super::seeds::{Summary, Tally, play_all};
use crate::check::Violation;
use manet_mutex::link::Flaw;
use serde::Serialize;
use std::fmt;
use std::ops::Range;

/// What happened in schedules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// How many schedules.
    pub schedules: u64,
    /// Inputs to link layers: frames, outcomes, wakes, messages to send.
    pub steps: u64,
    /// Links that came up, each end counted.
    pub ups: u64,
    /// Links that went down, each end counted.
    pub downs: u64,
    /// Messages sent.
    pub messages: u64,
    /// Messages delivered.
    pub delivered: u64,
    /// Ownership messages known to be delivered when their link closed.
    pub known_delivered: u64,
    /// Ownership messages that came back when their link closed.
    pub known_returned: u64,
    /// Ownership messages in doubt when their link closed.
    pub doubts: u64,
    /// Doubts resolved as delivered.
    pub resolved_delivered: u64,
    /// Doubts resolved as returned.
    pub resolved_returned: u64,
    /// Doubts resolved by a close frame.
    pub by_close: u64,
    /// Doubts resolved by a hello.
    pub by_hello: u64,
    /// Doubts resolved through other nodes.
    pub by_flood: u64,
}

impl Tally for Stats {
    fn add(&mut self, other: &Self) {
        self.schedules += other.schedules;
        self.steps += other.steps;
        self.ups += other.ups;
        self.downs += other.downs;
        self.messages += other.messages;
        self.delivered += other.delivered;
        self.known_delivered += other.known_delivered;
        self.known_returned += other.known_returned;
        self.doubts += other.doubts;
        self.resolved_delivered += other.resolved_delivered;
        self.resolved_returned += other.resolved_returned;
        self.by_close += other.by_close;
        self.by_hello += other.by_hello;
        self.by_flood += other.by_flood;
    }
}

/// A schedule in which a promise was broken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Which one.
    pub seed: u64,
    /// What was broken.
    pub violation: Violation,
    /// What happened up to there, one input to a line.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.seed, self.violation)?;
        self.trace
            .iter()
            .try_for_each(|line| writeln!(f, "  {line}"))
    }
}

/// Plays one schedule, with one rule of the link layer left out or with all of them.
///
/// # Errors
/// If a promise is broken, or the links do not recover.
pub fn run(seed: u64, flaw: Option<Flaw>) -> Result<Stats, Box<Failure>> {
    play::play(seed, flaw).map_err(|violation| Box::new(Failure::traced(seed, violation, flaw)))
}

impl Failure {
    fn traced(seed: u64, violation: Violation, flaw: Option<Flaw>) -> Self {
        let trace = play::trace(seed, flaw);
        Self {
            seed,
            violation,
            trace,
        }
    }
}

/// Plays the schedules of all `seeds`; `progress` is told now and then how many more are done.
/// With `first` it stops soon after the first that fails; [`run`] tells how it came to that.
pub fn run_all(
    seeds: Range<u64>,
    flaw: Option<Flaw>,
    first: bool,
    progress: &(dyn Fn(u64) + Sync),
) -> Summary<Stats> {
    play_all(seeds, first, |seed| play::play(seed, flaw), progress)
}
