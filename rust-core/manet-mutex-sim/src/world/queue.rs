//! What is going to happen, by time.

use manet_mutex::time::Time;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

/// A queue of things to come. Of two at the same time the one added first comes first.
///
/// Things that are mostly added in the order in which they come, such as messages that all take
/// the same time, can be added by [`Queue::push_in_line`], which costs next to nothing.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    heap: BinaryHeap<Entry<T>>,
    /// Sorted.
    line: VecDeque<Entry<T>>,
    /// When the last that was added to the line comes, or came.
    last: Time,
    added: u64,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    time: Time,
    order: u64,
    what: T,
}

impl<T> Queue<T> {
    /// Nothing to come.
    pub const fn new() -> Self {
        Self {
            heap: BinaryHeap::new(),
            line: VecDeque::new(),
            last: Time::ZERO,
            added: 0,
        }
    }

    /// Adds something.
    pub fn push(&mut self, time: Time, what: T) {
        let entry = self.entry(time, what);
        self.heap.push(entry);
    }

    /// Adds something that likely comes after all else that was added like this.
    #[inline(always)]
    pub fn push_in_line(&mut self, time: Time, what: T) {
        let entry = self.entry(time, what);
        if time < self.last {
            self.heap.push(entry);
        } else {
            self.last = time;
            self.line.push_back(entry);
        }
    }

    /// Takes out what comes first.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, T)> {
        let in_line = match (self.line.front(), self.heap.peek()) {
            (Some(line), Some(heap)) => line.moment() < heap.moment(),
            (first, _) => first.is_some(),
        };
        if in_line {
            let entry = self.line.pop_front()?;
            Some((entry.time, entry.what))
        } else {
            let entry = self.heap.pop()?;
            Some((entry.time, entry.what))
        }
    }

    /// When something comes next.
    pub fn next_time(&self) -> Option<Time> {
        let times = [self.line.front(), self.heap.peek()];
        times.into_iter().flatten().map(|entry| entry.time).min()
    }

    /// How much is to come.
    pub fn len(&self) -> usize {
        self.heap.len() + self.line.len()
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty() && self.line.is_empty()
    }

    const fn entry(&mut self, time: Time, what: T) -> Entry<T> {
        let order = self.added;
        self.added += 1;
        Entry { time, order, what }
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Entry<T> {
    /// When it comes, as one number: it cannot be foreseen whether two times are equal, so nothing
    /// should be decided by that alone.
    fn moment(&self) -> u128 {
        u128::from(self.time.0) << 64 | u128::from(self.order)
    }
}

// The heap gives the largest first, so the order is turned round.
impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.order).cmp(&(self.time, self.order))
    }
}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Entry<T> {}

#[cfg(test)]
mod tests {
    use super::*;

    fn drained(mut queue: Queue<char>) -> String {
        std::iter::from_fn(|| queue.pop().map(|(_, what)| what)).collect()
    }

    #[test]
    fn by_time_then_by_order_of_arrival() {
        let mut queue = Queue::new();
        for (time, what) in [(3, 'c'), (1, 'a'), (3, 'd'), (1, 'b')] {
            queue.push(Time(time), what);
        }
        assert_eq!(drained(queue), "abcd");
    }

    #[test]
    fn it_does_not_matter_how_things_were_added() {
        let times = [3, 1, 3, 4, 4, 2, 4, 1];
        let whats = "ABCDEFGH".chars();
        for ways in 0..1 << times.len() {
            let mut queue = Queue::new();
            for (i, (time, what)) in times.into_iter().zip(whats.clone()).enumerate() {
                if ways >> i & 1 == 0 {
                    queue.push(Time(time), what);
                } else {
                    queue.push_in_line(Time(time), what);
                }
            }
            assert_eq!(queue.len(), times.len());
            assert_eq!(drained(queue), "BHFACDEG");
        }
    }
}
