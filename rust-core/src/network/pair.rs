//! One link as two ends that may disagree for a while.

use super::outbox::Outbox;
use crate::machine::{Class, Fate, Message, Outcome};

/// Which end of a pair: 0 is the node with the smaller id.
pub type End = usize;

/// What the two ends of a link know and what is between them: the link contract of
/// [`crate::machine`] made concrete, with nothing more promised than that.
///
/// A link lives in *incarnations*. [`Pair::begin`] starts one; each end then comes up and goes
/// down by itself, once, or never comes up at all. What an end sends waits in its outbox until
/// the other end takes it. When an end goes down with something in its outbox it either knows
/// that the other never gets it, or it is in doubt; then the other end may still take it as long
/// as it is up, and the doubt can be resolved once that end is down as well.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair<M> {
    ends: [EndState; 2],
    outbox: [Outbox<M>; 2],
    /// What each end is in doubt about; what of it still waits in the outbox was not delivered.
    /// Rarely used, so that an idle link stays small.
    doubts: Option<Box<[Vec<M>; 2]>>,
}

/// One end of an incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndState {
    /// Out of the last incarnation.
    Closed,
    /// An incarnation has begun, this end does not know it yet.
    Pending,
    /// Up.
    Up,
}

/// What an end knows, when it goes down, of the ownership messages it sent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Knowledge {
    /// What has not been delivered never will be.
    Known,
    /// Nothing: it may or may not be delivered.
    Doubt,
}

impl<M: Message> Pair<M> {
    /// A link that is down.
    pub const fn down_pair() -> Self {
        Self::at(EndState::Closed)
    }

    /// A link that both ends have known from the start.
    pub const fn up_pair() -> Self {
        Self::at(EndState::Up)
    }

    const fn at(state: EndState) -> Self {
        Self {
            ends: [state; 2],
            outbox: [Outbox::new(), Outbox::new()],
            doubts: None,
        }
    }

    /// The state of an end.
    pub const fn end(&self, end: End) -> EndState {
        self.ends[end]
    }

    /// What an end sent that the other has not taken.
    pub fn undelivered(&self, end: End) -> impl Iterator<Item = &M> + '_ {
        self.outbox[end].iter()
    }

    /// Whether an end waits to hear what became of a message.
    pub fn in_doubt(&self, end: End) -> bool {
        self.doubts
            .as_ref()
            .is_some_and(|doubts| !doubts[end].is_empty())
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.outbox.iter().all(Outbox::is_empty)
    }

    /// Whether a new incarnation may begin: both ends closed and nothing in doubt.
    pub fn can_begin(&self) -> bool {
        self.ends == [EndState::Closed; 2] && !self.in_doubt(0) && !self.in_doubt(1)
    }

    /// Begins an incarnation.
    pub fn begin(&mut self) {
        debug_assert!(self.can_begin(), "a new incarnation overlaps the old one");
        self.ends = [EndState::Pending; 2];
    }

    /// An end comes up. True if it was pending.
    pub fn up(&mut self, end: End) -> bool {
        let pending = self.ends[end] == EndState::Pending;
        if pending {
            self.ends[end] = EndState::Up;
        }
        pending
    }

    /// An end sends. False if it is not up: the message is not taken.
    pub fn send(&mut self, end: End, msg: M) -> bool {
        let up = self.ends[end] == EndState::Up;
        if up {
            self.outbox[end].push(msg);
        }
        up
    }

    /// Whether `end` has something to take from the other.
    pub fn can_take(&self, end: End) -> bool {
        self.ends[end] == EndState::Up && !self.outbox[1 - end].is_empty()
    }

    /// `end` takes the oldest message of the other.
    pub fn take(&mut self, end: End) -> Option<M> {
        if self.ends[end] == EndState::Up {
            self.outbox[1 - end].pop()
        } else {
            None
        }
    }

    /// An end goes down. `None` if it was not up (a pending end just never comes up); otherwise
    /// its ownership messages that the other has not taken, with what it knows of them.
    pub fn down(&mut self, end: End, knowledge: Knowledge) -> Option<Vec<(M, Fate)>> {
        let was = std::mem::replace(&mut self.ends[end], EndState::Closed);
        let owned = |outbox: &Outbox<M>| -> Vec<M> {
            outbox
                .iter()
                .filter(|msg| msg.class() == Class::Ownership)
                .cloned()
                .collect()
        };
        let unacked = match knowledge {
            Knowledge::Known => {
                let returned = owned(&self.outbox[end]);
                self.outbox[end].clear();
                returned
                    .into_iter()
                    .map(|msg| (msg, Fate::Returned))
                    .collect()
            }
            Knowledge::Doubt => {
                let doubts = owned(&self.outbox[end]);
                if !doubts.is_empty() {
                    self.doubts.get_or_insert_default()[end].clone_from(&doubts);
                }
                doubts.into_iter().map(|msg| (msg, Fate::InDoubt)).collect()
            }
        };
        self.sweep();
        (was == EndState::Up).then_some(unacked)
    }

    /// Whether what an end doubts can be resolved: the other has closed this incarnation.
    pub fn can_resolve(&self, end: End) -> bool {
        self.in_doubt(end) && self.ends == [EndState::Closed; 2]
    }

    /// Resolves what an end doubts.
    pub fn resolve(&mut self, end: End) -> Vec<(M, Outcome)> {
        if !self.can_resolve(end) {
            return Vec::new();
        }
        let Some(all) = &mut self.doubts else {
            return Vec::new();
        };
        let doubts = std::mem::take(&mut all[end]);
        if all.iter().all(Vec::is_empty) {
            self.doubts = None;
        }
        // FIFO: the other end took some of the first ones; the rest still waits.
        let left = &mut self.outbox[end];
        let waiting = left
            .iter()
            .filter(|msg| msg.class() == Class::Ownership)
            .count();
        left.clear();
        let taken = doubts.len() - waiting;
        let outcome = |i| {
            if i < taken {
                Outcome::Delivered
            } else {
                Outcome::Returned
            }
        };
        doubts
            .into_iter()
            .enumerate()
            .map(|(i, msg)| (msg, outcome(i)))
            .collect()
    }

    /// After the last end has closed, nothing of the incarnation is left but doubts.
    fn sweep(&mut self) {
        if self.ends != [EndState::Closed; 2] {
            return;
        }
        for end in [0, 1] {
            if !self.in_doubt(end) {
                self.outbox[end].clear();
            }
        }
    }
}
