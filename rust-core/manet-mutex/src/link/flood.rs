//! Questions and answers about an incarnation that others pass on.

use crate::ids::NodeId;
use crate::time::Time;
use crate::wire::frame::Flood;
use std::collections::VecDeque;

/// What a node knows of floods: which it has seen, and which it is about to pass on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Floods {
    seen: VecDeque<(NodeId, u64)>,
    waiting: VecDeque<(Time, Flood)>,
}

/// How many floods a node recognises. One is over in a second, so these are many at a time.
const SEEN: usize = 256;
/// How many may wait to be passed on; more are dropped, and their origin asks again.
const WAITING: usize = 64;

impl Floods {
    pub(super) const fn new() -> Self {
        Self {
            seen: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Whether this is the first time; from now on it is not.
    pub(super) fn is_new(&mut self, flood: &Flood) -> bool {
        let name = (flood.origin, flood.number);
        if self.seen.contains(&name) {
            return false;
        }
        if self.seen.len() == SEEN {
            self.seen.pop_front();
        }
        self.seen.push_back(name);
        true
    }

    /// Passes it on at that time, if it may go farther.
    pub(super) fn pass_on(&mut self, at: Time, mut flood: Flood) {
        if flood.hops > 1 && self.waiting.len() < WAITING {
            flood.hops -= 1;
            let place = self.waiting.partition_point(|&(other, _)| other <= at);
            self.waiting.insert(place, (at, flood));
        }
    }

    /// When the next one goes on.
    pub(super) fn due(&self) -> Option<Time> {
        self.waiting.front().map(|&(at, _)| at)
    }

    /// The next one that is due.
    pub(super) fn take(&mut self, now: Time) -> Option<Flood> {
        if self.due()? > now {
            return None;
        }
        self.waiting.pop_front().map(|(_, flood)| flood)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::frame::{Epoch, Final};

    fn flood(number: u64, hops: u8) -> Flood {
        let last = Final {
            mine: Epoch(0),
            theirs: Epoch(0),
            received: 0,
        };
        Flood {
            origin: NodeId(1),
            number,
            hops,
            target: NodeId(2),
            ask: true,
            last,
        }
    }

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut floods = Floods::new();
        for number in 0..=SEEN as u64 {
            assert!(floods.is_new(&flood(number, 1)));
        }
        assert!(!floods.is_new(&flood(1, 1)));
        assert!(floods.is_new(&flood(0, 1)));
    }

    #[test]
    fn floods_go_on_in_order_with_one_hop_less() {
        let mut floods = Floods::new();
        floods.pass_on(Time(1), flood(0, 1));
        assert_eq!(floods.due(), None, "it ends here");
        for (at, number) in [(2, 3), (1, 1), (1, 2), (3, 4)] {
            floods.pass_on(Time(at), flood(number, 5));
        }
        for number in 1..=4 {
            assert_eq!(floods.take(Time(9)), Some(flood(number, 4)));
        }
    }

    #[test]
    fn only_so_many_wait() {
        let mut floods = Floods::new();
        for number in 0..2 * WAITING as u64 {
            floods.pass_on(Time(1), flood(number, 5));
        }
        assert_eq!(floods.waiting.len(), WAITING);
    }
}
