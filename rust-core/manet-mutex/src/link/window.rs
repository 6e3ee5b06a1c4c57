//! What one end has sent in an incarnation and the other has not acknowledged.

use crate::machine::{Class, Fate, Message};
use std::collections::VecDeque;

/// Messages in sending order. Each has a sequence number; acknowledgements are cumulative.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(C)] // See `Pair`.
pub(super) struct Window<M> {
    /// The sequence number of the oldest message here.
    base: u32,
    /// The next to be given to the radio.
    next: u32,
    /// Those below have been given to the radio at least once.
    aired: u32,
    /// That of the next message to come: `base` and the queue's length, which is farther away.
    end: u32,
    queue: VecDeque<M>,
}

/// An acknowledgement of what was never sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forged;

impl<M> Window<M> {
    pub(super) const fn new() -> Self {
        Self {
            base: 0,
            next: 0,
            aired: 0,
            end: 0,
            queue: VecDeque::new(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.queue.clear();
        (self.base, self.next, self.aired, self.end) = (0, 0, 0, 0);
    }

    pub(super) const fn len(&self) -> usize {
        (self.end - self.base) as usize
    }

    /// Whether sequence numbers run out.
    pub(super) const fn is_spent(&self) -> bool {
        self.end == u32::MAX
    }

    pub(super) fn push(&mut self, msg: M) {
        self.queue.push_back(msg);
        self.end += 1;
    }

    /// What the radio gets next, if there is anything.
    pub(super) fn peek(&self) -> Option<(u32, &M)> {
        self.waiting().next()
    }

    /// What the radio gets next and all after it.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (u32, &M)> + '_ {
        (self.next..self.end).map(|sequence| (sequence, self.at(sequence)))
    }

    /// Everything here.
    pub(super) fn pending(&self) -> impl Iterator<Item = (u32, &M)> + '_ {
        (self.base..self.end).map(|sequence| (sequence, self.at(sequence)))
    }

    fn at(&self, sequence: u32) -> &M {
        &self.queue[(sequence - self.base) as usize]
    }

    /// The radio got everything up to here.
    pub(super) fn advance_past(&mut self, sequence: u32) {
        self.next = self.next.max(sequence + 1);
        self.aired = self.aired.max(self.next);
    }

    /// The radio got it.
    pub(super) fn advance(&mut self) {
        self.next += 1;
        self.aired = self.aired.max(self.next);
    }

    /// Everything from `sequence` on has to go out again; nothing if it has been acknowledged.
    pub(super) fn rewind_to(&mut self, sequence: u32) {
        self.next = self.next.min(sequence.max(self.base));
    }

    /// Those below have been acknowledged.
    pub(super) const fn acknowledged(&self) -> u32 {
        self.base
    }

    /// Those that went out and have no acknowledgement.
    pub(super) fn aired(&self) -> impl Iterator<Item = &M> + '_ {
        (self.base..self.aired).map(|sequence| self.at(sequence))
    }

    /// The other end has received all below `ack`.
    pub(super) fn acknowledge(&mut self, ack: u32) -> Result<(), Forged> {
        if ack > self.aired {
            return Err(Forged);
        }
        while self.base < ack {
            self.queue.pop_front();
            self.base += 1;
        }
        self.next = self.next.max(self.base);
        Ok(())
    }
}

impl<M: Message> Window<M> {
    /// Takes out the ownership messages, each with its sequence number and what is known of it:
    /// what never went out comes back; the rest is as the other end's final count says, or in
    /// doubt without one.
    pub(super) fn settle(&mut self, received: Option<u32>) -> Vec<(u32, M, Fate)> {
        let (base, aired) = (self.base, self.aired);
        let fate = |sequence| match received {
            _ if sequence >= aired => Fate::Returned,
            Some(count) if sequence < count => Fate::Delivered,
            Some(_) => Fate::Returned,
            None => Fate::InDoubt,
        };
        let settled = (base..)
            .zip(self.queue.drain(..))
            .filter(|(_, msg)| msg.class() == Class::Ownership)
            .map(|(sequence, msg)| (sequence, msg, fate(sequence)))
            .collect();
        self.clear();
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_run_out() {
        let mut window = Window::new();
        (window.base, window.end) = (u32::MAX - 1, u32::MAX - 1);
        assert!(!window.is_spent());
        window.push(1);
        assert!(window.is_spent());
    }
}
