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
