//! How well a peer is heard.

use super::config::Rules;
use super::power::Power;
use crate::time::Time;

/// What one node has heard of another's hellos.
///
/// Averaging only what arrives would hide a fade, since nothing below the sensitivity ever does;
/// so hellos that fail to come count as a power below it. Single misses are mostly collisions and
/// do not count.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Hearing {
    average: Power,
    /// The last hello's number and time.
    number: u64,
    last: Time,
    /// Hellos in a row, up to what is needed; such that follow one another quickly count as one.
    streak: u8,
    counted: Time,
    /// Hellos missed in a row.
    misses: u8,
    /// Which of the last eight were missed, the newest in the lowest bit.
    gaps: u8,
    miss_at: Time,
}

impl Hearing {
    /// The first hello.
    pub(super) fn new(now: Time, number: u64, power: Power, rules: &Rules) -> Self {
        Self {
            average: power,
            number,
            last: now,
            streak: 1,
            counted: now,
            misses: 0,
            gaps: 0,
            miss_at: now + rules.miss_after,
        }
    }

    /// Another hello; misses before it count if it is a neighbour's, unless it begins anew after a
    /// silence. False if it is not newer than the last one.
    pub(super) fn hello(
        &mut self,
        now: Time,
        number: u64,
        power: Power,
        neighbour: bool,
        rules: &Rules,
    ) -> bool {
        if number <= self.number {
            return false;
        }
        let silent = self.is_silent(now, rules);
        if neighbour && !silent {
            self.miss(now, rules);
        }
        let gap = number - self.number - 1;
        self.gaps = if gap < 7 {
            !(!self.gaps << gap) << 1
        } else {
            !1
        };
        let in_a_row = number == self.number + 1 && !silent;
        if !in_a_row {
            (self.streak, self.counted) = (1, now);
        } else if now - self.counted >= rules.hello_interval / 2 {
            self.streak = self.streak.saturating_add(1).min(rules.hellos_to_form);
            self.counted = now;
        }
        self.average = if silent {
            power
        } else {
            self.average.approach(power, rules.smoothing)
        };
        (self.number, self.last, self.misses) = (number, now, 0);
        self.miss_at = now + rules.miss_after;
        true
    }

    /// Counts hellos that should have come by now. May be put off while they are tolerated.
    pub(super) fn miss(&mut self, now: Time, rules: &Rules) {
        while self.miss_at <= now {
            self.misses = self.misses.saturating_add(1);
            self.streak = 0;
            if self.misses > rules.misses_tolerated {
                self.average = self.average.approach(rules.miss_power, rules.smoothing);
            }
            self.miss_at = self.miss_at + rules.hello_interval;
        }
    }

    /// Good enough to become a neighbour.
    pub(super) fn is_good(&self, rules: &Rules) -> bool {
        self.streak >= rules.hellos_to_form && self.average >= rules.up_at
    }

    /// Hardly any of the last hellos was missed: another frame is not likely to be either.
    pub(super) fn is_steady(&self, now: Time) -> bool {
        self.misses == 0 && now < self.miss_at && self.gaps.count_ones() <= 2
    }

    /// Too weak to stay one: about to get lost, while the radio still works.
    pub(super) fn is_fading(&self, rules: &Rules) -> bool {
        self.average < rules.down_at
    }

    /// Not heard for too long.
    pub(super) fn is_silent(&self, now: Time, rules: &Rules) -> bool {
        now - self.last >= rules.dead_after
    }

    /// When it is too long.
    pub(super) fn dead_at(&self, rules: &Rules) -> Time {
        self.last + rules.dead_after
    }

    /// When the next miss comes.
    pub(super) const fn miss_at(&self) -> Time {
        self.miss_at
    }

    /// When the next comes that is not tolerated.
    #[inline]
    pub(super) fn loss_at(&self, rules: &Rules) -> Time {
        self.miss_at.max(self.last + rules.loss_after)
    }

    /// The last hello came then.
    pub(super) const fn last(&self) -> Time {
        self.last
    }

    /// A new attempt needs new hellos.
    pub(super) const fn start_over(&mut self) {
        self.streak = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::Config;

    #[test]
    fn a_hello_after_ages_begins_anew_at_once() {
        // Counting the misses in between, one by one, would take minutes.
        let rules = Config::default().rules().expect("sound");
        let mut hearing = Hearing::new(Time(0), 1, Power(-80_000), &rules);
        assert!(hearing.hello(Time(1 << 62), 2, Power(-60_000), true, &rules));
        assert_eq!((hearing.average, hearing.streak), (Power(-60_000), 1));
    }

    const HALF: u64 = 250_000_000;

    #[test]
    fn hellos_that_follow_quickly_count_as_one() {
        let rules = Config::default().rules().expect("sound");
        let good = |times: [u64; 2], power| {
            let mut hearing = Hearing::new(Time(0), 1, power, &rules);
            for (number, time) in (2..).zip(times) {
                assert!(hearing.hello(Time(time), number, power, false, &rules));
            }
            hearing.is_good(&rules)
        };
        let weakest = Power(-78_500);
        assert!(good([HALF, 2 * HALF], weakest));
        assert!(!good([HALF, 2 * HALF - 1], weakest));
        assert!(!good([HALF, 2 * HALF], Power(weakest.0 - 1)));
    }

    #[test]
    fn misses_beyond_the_tolerated_count_as_weak() {
        let rules = Config::default().rules().expect("sound");
        let mut hearing = Hearing::new(Time(0), 1, Power(-80_000), &rules);
        hearing.streak = 3;
        assert!(!hearing.is_fading(&rules), "just above");
        hearing.miss(Time(1_100_000_000), &rules);
        assert!(!hearing.is_fading(&rules), "two are tolerated");
        assert_eq!(hearing.streak, 0);
        let mut late = hearing.clone();
        hearing.miss(Time(1_600_000_000), &rules);
        assert!(hearing.is_fading(&rules));
        late.hello(Time(1_600_000_000), 5, Power(-80_000), true, &rules);
        assert!(late.is_fading(&rules), "the next hello counts them too");
    }

    #[test]
    fn who_missed_many_or_is_late_is_not_steady() {
        let rules = Config::default().rules().expect("sound");
        let mut hearing = Hearing::new(Time(0), 1, Power(-60_000), &rules);
        assert!(hearing.is_steady(Time(0)));
        assert!(!hearing.is_steady(hearing.miss_at()));
        hearing.hello(Time(HALF), 10, Power(-60_000), true, &rules);
        assert!(!hearing.is_steady(Time(HALF)));
    }
}
