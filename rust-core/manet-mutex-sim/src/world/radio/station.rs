//! One node's turn to send: the distributed coordination function of 802.11.

use super::pool::Frame;
use crate::random::Random;
use manet_mutex::ids::NodeId;
use manet_mutex::time::Time;
use std::collections::VecDeque;

// The times of 802.11g with long slots, in nanoseconds.
pub(super) const SIFS: u64 = 10_000;
const SLOT: u64 = 20_000;
const DIFS: u64 = SIFS + 2 * SLOT;
/// A radio needs this long to notice that the air is no longer free.
const NOTICE: u64 = 4_000;
/// An acknowledgement: 14 bytes.
pub(super) const ACK: u64 = on_air(14);
/// MAC and LLC headers and the checksum.
pub(super) const OVERHEAD: usize = 36;
const LEAST_WINDOW: u32 = 15;
const MOST_WINDOW: u32 = 1023;
/// Transmissions of a unicast frame, in all.
const ATTEMPTS: u32 = 7;
/// How long a frame may wait, and how many.
const LIFETIME: u64 = 500_000_000;
const PLACES: usize = 500;

/// How long this many bytes are on the air at 6 Mb/s: a preamble, then symbols of 4 us with 24 bits
/// each; 22 bits are not for the MAC.
pub(super) const fn on_air(bytes: usize) -> u64 {
    20_000 + (22 + 8 * bytes as u64).div_ceil(24) * 4_000
}

/// A node's queue and its countdown.
#[derive(Clone, Debug, Default)]
pub(super) struct Station {
    pub queue: VecDeque<Waiting>,
    /// Whether the first of the queue is being taken care of.
    pub serving: bool,
    /// Whether its addressee already got it.
    pub delivered: bool,
    pub attempts: u32,
    /// How often the node crashed.
    pub life: u32,
    /// When the countdown is over if the air stays free.
    pub ready: Time,
    /// The air is not free before this, as far as the node knows.
    busy: Time,
}

/// A frame in a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub to: Option<NodeId>,
    pub id: u64,
    pub frame: Frame,
    pub since: Time,
}

impl Waiting {
    pub(super) const fn is_stale(&self, now: Time) -> bool {
        now.0 - self.since.0 > LIFETIME
    }
}

impl Station {
    pub(super) fn is_full(&self) -> bool {
        self.queue.len() >= PLACES
    }

    pub(super) const fn gives_up(&self) -> bool {
        self.attempts >= ATTEMPTS
    }

    /// The first frame of the queue is next: sets `ready`.
    pub(super) fn serve(&mut self, now: Time, random: &mut Random) {
        self.serving = true;
        if self.ready > now {
            return;
        }
        if self.busy.0 + DIFS > now.0 {
            self.back_off(self.busy, random);
        } else {
            // It has long counted down, and the air is free: at once.
            self.ready = now;
        }
    }

    /// Draws a countdown, which starts when the air is free, but not before `from`. It doubles with
    /// every attempt.
    pub(super) fn back_off(&mut self, from: Time, random: &mut Random) {
        let window = ((LEAST_WINDOW + 1) << self.attempts.min(ATTEMPTS)).min(MOST_WINDOW + 1);
        let slots = random.below(window as usize) as u64;
        self.ready = Time(self.busy.max(from).0 + DIFS + slots * SLOT);
    }

    /// The first of the queue is dealt with. The countdown that follows is due also if there is
    /// nothing more to send, so that nobody sends twice in a row at once.
    pub(super) fn done(&mut self, now: Time, random: &mut Random) -> Option<Waiting> {
        let waiting = self.queue.pop_front();
        self.serving = false;
        self.delivered = false;
        self.attempts = 0;
        self.back_off(now, random);
        waiting
    }

    /// The air turns out to be taken until `until`: a countdown stops and goes on afterwards.
    pub(super) fn sense(&mut self, now: Time, until: Time) {
        let until = until.max(self.busy);
        // Too late to notice for one that is about to send: these collide.
        if self.ready.0 > now.0 + NOTICE {
            let counting = now.0.max(self.busy.0 + DIFS);
            let left = self.ready.0.saturating_sub(counting).div_ceil(SLOT);
            self.ready = Time(until.0 + DIFS + left * SLOT);
        }
        self.busy = until;
    }

    /// Forgets everything; events planned for this life are void.
    pub(super) fn crash(&mut self) {
        let queue = std::mem::take(&mut self.queue);
        let life = self.life + 1;
        *self = Self {
            queue,
            life,
            ..Self::default()
        };
        self.queue.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(micros: u64) -> Time {
        Time(micros * 1000)
    }

    #[test]
    fn frames_last_as_long_as_the_standard_says() {
        assert_eq!(ACK, 44_000);
        assert_eq!(on_air(OVERHEAD + 230), 380_000);
    }

    #[test]
    fn on_free_air_a_frame_goes_at_once() {
        let mut station = Station::default();
        station.serve(us(1000), &mut Random::stream(1, "backoff"));
        assert_eq!(station.ready, us(1000));
    }

    #[test]
    fn after_a_frame_nobody_sends_at_once() {
        let mut random = Random::stream(1, "backoff");
        for _ in 0..1000 {
            let mut station = Station::default();
            station.sense(us(1000), us(1400));
            station.serve(us(1420), &mut random);
            let slots = (station.ready.0 - us(1450).0) / SLOT;
            assert!(slots <= 15, "{slots} slots");
        }
    }

    #[test]
    fn a_countdown_stops_while_the_air_is_taken() {
        let mut station = Station {
            ready: us(1000 + 50 + 5 * 20),
            busy: us(1000),
            ..Station::default()
        };
        // Two slots and a half are over, of which the half counts for nothing.
        station.sense(us(1000 + 50 + 50), us(2000));
        assert_eq!(station.ready, us(2000 + 50 + 3 * 20));
        // A second frame that ends earlier changes nothing.
        station.sense(us(1500), us(1900));
        assert_eq!(station.ready, us(2000 + 50 + 3 * 20));
        // One that ends later does.
        station.sense(us(1600), us(2100));
        assert_eq!(station.ready, us(2100 + 50 + 3 * 20));
    }

    #[test]
    fn who_is_about_to_send_does_not_notice() {
        let mut station = Station {
            ready: us(1003),
            ..Station::default()
        };
        station.sense(us(1000), us(1400));
        assert_eq!(station.ready, us(1003));
    }

    #[test]
    fn the_window_doubles_up_to_its_limit() {
        let mut random = Random::stream(1, "backoff");
        for (attempts, window) in [(0, 15), (1, 31), (3, 127), (6, 1023), (7, 1023)] {
            let mut most = 0;
            for _ in 0..20_000 {
                let mut station = Station {
                    attempts,
                    ..Station::default()
                };
                station.back_off(Time::ZERO, &mut random);
                most = most.max((station.ready.0 - DIFS) / SLOT);
            }
            assert_eq!(most, window);
        }
    }
}
