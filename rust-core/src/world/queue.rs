//! What is going to happen, by time.

use crate::time::Time;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A queue of things to come. Of two at the same time the one added first comes first.
#[derive(Clone, Debug)]
pub struct Queue<T> {
    heap: BinaryHeap<Entry<T>>,
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
            added: 0,
        }
    }

    /// Adds something.
    pub fn push(&mut self, time: Time, what: T) {
        self.heap.push(Entry {
            time,
            order: self.added,
            what,
        });
        self.added += 1;
    }

    /// Takes out what comes first.
    pub fn pop(&mut self) -> Option<(Time, T)> {
        self.heap.pop().map(|entry| (entry.time, entry.what))
    }

    /// How much is to come.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether nothing is to come.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        Self::new()
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

    #[test]
    fn by_time_then_by_order_of_arrival() {
        let mut queue = Queue::new();
        for (time, what) in [(3, 'c'), (1, 'a'), (3, 'd'), (1, 'b')] {
            queue.push(Time(time), what);
        }
        let order: Vec<char> = std::iter::from_fn(|| queue.pop().map(|(_, what)| what)).collect();
        assert_eq!(order, ['a', 'b', 'c', 'd']);
    }
}
