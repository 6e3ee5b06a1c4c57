//! When to send again.

use super::config::Rules;
use crate::time::Time;

/// The timer of one pair: how long answers take, and how often none came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pace {
    /// When the next time-out is, if anything waits for an answer.
    pub(super) due: Option<Time>,
    /// Time-outs in a row, as far as they make the wait longer.
    doubled: u32,
    /// The wait, in nanoseconds.
    wait: u64,
    /// The round trips' smoothed mean and deviation, in nanoseconds.
    trips: Option<(u64, u64)>,
    /// Since when something has waited for an answer.
    since: Option<Time>,
    /// When an answer came last.
    heard: Time,
    pub(super) unreachable: bool,
}

impl Pace {
    pub(super) const fn new(rules: &Rules, now: Time) -> Self {
        Self {
            due: None,
            doubled: 0,
            wait: rules.first,
            trips: None,
            since: None,
            heard: now,
            unreachable: false,
        }
    }

    /// Whether the peer answers as far as known: nothing has to go out again.
    pub(super) const fn flows(&self) -> bool {
        self.doubled == 0
    }

    /// Something waits for an answer from now on.
    pub(super) fn begin(&mut self, now: Time) {
        self.since.get_or_insert(now);
    }

    /// Nothing waits any more.
    pub(super) const fn rest(&mut self) {
        self.relax();
        self.since = None;
    }

    /// Sets the next time-out; `unit`, from 0 to 1, decides about the jitter.
    pub(super) fn arm(&mut self, rules: &Rules, now: Time, unit: f64) {
        let wait = self.current(rules) as f64 * (1.0 + rules.jitter * (2.0 * unit - 1.0));
        self.due = Some(Time(now.0.saturating_add(wait as u64)));
    }

    const fn current(&self, rules: &Rules) -> u64 {
        let wait = self.wait << self.doubled;
        if wait < rules.longest {
            wait
        } else {
            rules.longest
        }
    }

    /// No answer came in time. True if the peer turns out to be unreachable by that.
    pub(super) fn time_out(&mut self, rules: &Rules, now: Time) -> bool {
        self.due = None;
        if self.current(rules) < rules.longest {
            self.doubled += 1;
        }
        let silent = self
            .since
            .is_some_and(|since| now - since.max(self.heard) >= rules.unreachable);
        silent && !std::mem::replace(&mut self.unreachable, true)
    }

    /// An answer came; `took` is a round trip that is certain. True if the peer was unreachable.
    pub(super) fn answer(&mut self, rules: &Rules, now: Time, took: Option<u64>) -> bool {
        self.heard = now;
        if let Some(took) = took {
            self.learn(rules, took);
        }
        std::mem::take(&mut self.unreachable)
    }

    /// What goes wrong from now on counts anew, and the next time-out has to be set.
    pub(super) const fn relax(&mut self) {
        self.doubled = 0;
        self.due = None;
    }

    /// There may be a new route: the next time-out is now.
    pub(super) const fn hurry(&mut self, now: Time) {
        self.doubled = 0;
        self.due = Some(now);
    }

    /// A new life of the peer: nothing is known about how long its answers take.
    pub(super) const fn start_anew(&mut self, rules: &Rules) {
        self.trips = None;
        self.wait = rules.first;
    }

    /// The smoothing of Jacobson and Karels: an eighth of the mean, a quarter of the deviation.
    fn learn(&mut self, rules: &Rules, took: u64) {
        let took = took.min(rules.longest);
        let (mean, deviation) = match self.trips {
            None => (took, took / 2),
            Some((mean, deviation)) => (
                mean - mean / 8 + took / 8,
                deviation - deviation / 4 + mean.abs_diff(took) / 4,
            ),
        };
        self.trips = Some((mean, deviation));
        self.wait = (mean + 4 * deviation).clamp(rules.shortest, rules.longest);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn rules() -> Rules {
        Config::default().rules().expect("defaults are sound")
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        let mut waits = Vec::new();
        for _ in 0..4 {
            pace.arm(&rules, Time::ZERO, 0.5);
            waits.push(pace.due.map(|due| due.0));
            pace.time_out(&rules, Time::ZERO);
        }
        let expected = [SECOND, 2 * SECOND, 2 * SECOND, 2 * SECOND];
        assert_eq!(waits, expected.map(Some));
        pace.hurry(Time(7));
        assert_eq!((pace.due, pace.flows()), (Some(Time(7)), true));
    }

    #[test]
    fn the_wait_follows_the_round_trips() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        pace.answer(&rules, Time::ZERO, Some(100_000_000));
        assert_eq!(pace.wait, 300_000_000);
        for _ in 0..50 {
            pace.answer(&rules, Time::ZERO, Some(100_000_000));
        }
        assert_eq!(pace.wait, rules.shortest);
        pace.start_anew(&rules);
        assert_eq!(pace.wait, rules.first);
        // The new life's first answer counts alone, the next for a share.
        pace.answer(&rules, Time::ZERO, Some(100_000_000));
        assert_eq!(pace.wait, 300_000_000);
        pace.answer(&rules, Time::ZERO, Some(180_000_000));
        assert_eq!(pace.wait, 110_000_000 + 4 * 57_500_000);
    }

    #[test]
    fn jitter_makes_waits_shorter_or_longer() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        for (unit, due) in [(0.25, 875_000_000), (0.75, 1_125_000_000)] {
            pace.arm(&rules, Time::ZERO, unit);
            assert_eq!(pace.due, Some(Time(due)));
        }
    }

    #[test]
    fn silence_counts_from_the_last_answer() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        pace.begin(Time::ZERO);
        pace.answer(&rules, Time(20 * SECOND), None);
        assert!(!pace.time_out(&rules, Time(49 * SECOND)));
        assert!(pace.time_out(&rules, Time(50 * SECOND)));
    }

    #[test]
    fn silence_is_reported_once() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        pace.begin(Time(SECOND));
        assert!(!pace.time_out(&rules, Time(30 * SECOND)));
        assert!(pace.time_out(&rules, Time(31 * SECOND)));
        assert!(!pace.time_out(&rules, Time(62 * SECOND)));
        assert!(pace.answer(&rules, Time(63 * SECOND), None));
        assert!(!pace.answer(&rules, Time(64 * SECOND), None));
    }

    #[test]
    fn who_owes_nothing_is_not_silent() {
        let rules = rules();
        let mut pace = Pace::new(&rules, Time::ZERO);
        pace.begin(Time::ZERO);
        pace.hurry(Time::ZERO);
        pace.rest();
        assert_eq!(pace.due, None);
        assert!(!pace.time_out(&rules, Time(100 * SECOND)));
    }
}
