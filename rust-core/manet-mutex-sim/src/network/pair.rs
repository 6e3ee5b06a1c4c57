//! One link as two ends that may disagree for a while.

use super::outbox::Outbox;
use crate::scratch::Scratch;
use manet_mutex::invariants::EndState;
use manet_mutex::machine::{Class, Fate, Message, Outcome};

/// Which end of a pair: 0 is the node with the smaller id.
pub type End = usize;

/// What the two ends of a link know and what is between them: the link contract of
/// [`manet_mutex::machine`] made concrete, with nothing more promised than that.
///
/// A link lives in *incarnations*. [`Pair::begin`] starts one; each end then comes up and goes
/// down by itself, once, or never comes up at all. What an end sends waits in its outbox until
/// the other end takes it. When an end goes down with something in its outbox it either knows
/// that the other never gets it, or it is in doubt; then the other end may still take it as long
/// as it is up, and the doubt can be resolved once that end is down as well.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair<M> {
    ends: [EndState; 2],
    /// There only while something is under way or in doubt: most links of a large network are
    /// idle, and the smaller they are, the more of them the processor's caches hold.
    traffic: Option<Box<Traffic<M>>>,
}

/// What is between the ends of a link.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Traffic<M> {
    outbox: [Outbox<M>; 2],
    /// What each end is in doubt about; what of it still waits in the outbox was not delivered.
    doubts: [Vec<M>; 2],
}

/// Empty traffic for the next links that need some, last used first.
pub type Spare<M> = Scratch<Vec<Box<Traffic<M>>>>;

impl<M: Clone> Traffic<M> {
    fn is_empty(&self) -> bool {
        self.is_idle() && self.doubts.iter().all(Vec::is_empty)
    }

    fn is_idle(&self) -> bool {
        self.outbox.iter().all(Outbox::is_empty)
    }
}

impl<M> Default for Traffic<M> {
    fn default() -> Self {
        Self {
            outbox: Default::default(),
            doubts: Default::default(),
        }
    }
}

/// What routing without a transport does to the messages from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mishap {
    /// A message comes before those sent earlier, of which there are so many.
    Overtakes(u8),
    /// The oldest is lost.
    Lost,
    /// The oldest comes once more, after the others.
    Doubled,
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
            traffic: None,
        }
    }

    /// The state of an end.
    pub const fn end(&self, end: End) -> EndState {
        self.ends[end]
    }

    /// What an end sent that the other has not taken.
    pub fn undelivered(&self, end: End) -> impl Iterator<Item = &M> + '_ {
        let traffic = self.traffic.iter();
        traffic.flat_map(move |traffic| traffic.outbox[end].iter())
    }

    /// Whether an end waits to hear what became of a message.
    pub fn in_doubt(&self, end: End) -> bool {
        self.traffic
            .as_ref()
            .is_some_and(|traffic| !traffic.doubts[end].is_empty())
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.traffic
            .as_ref()
            .is_none_or(|traffic| traffic.is_idle())
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
    #[inline(always)]
    pub(super) fn send(&mut self, end: End, msg: &M, spare: &mut Spare<M>) -> bool {
        let up = self.ends[end] == EndState::Up;
        if up {
            let fresh = || spare.0.pop().unwrap_or_default();
            self.traffic.get_or_insert_with(fresh).outbox[end].push(msg);
        }
        up
    }

    /// Routing does something to what `end` has sent. False if there is nothing of the kind.
    pub(super) fn mishap(&mut self, end: End, mishap: Mishap, spare: &mut Spare<M>) -> bool {
        let Some(traffic) = &mut self.traffic else {
            return false;
        };
        let outbox = &mut traffic.outbox[end];
        let Some(first) = outbox.first().cloned() else {
            return false;
        };
        match mishap {
            Mishap::Overtakes(place) => return outbox.advance(place.into()),
            Mishap::Doubled => outbox.push(&first),
            Mishap::Lost => self.taken(1 - end, spare),
        }
        true
    }

    /// Whether `end` has something to take from the other.
    pub fn can_take(&self, end: End) -> bool {
        self.next(end).is_some()
    }

    /// What `end` takes next: the oldest message of the other.
    #[inline(always)]
    pub(super) fn next(&self, end: End) -> Option<&M> {
        if self.ends[end] == EndState::Up {
            self.traffic.as_ref()?.outbox[1 - end].first()
        } else {
            None
        }
    }

    /// `end` has taken that.
    #[inline(always)]
    pub(super) fn taken(&mut self, end: End, spare: &mut Spare<M>) {
        if let Some(traffic) = &mut self.traffic {
            traffic.outbox[1 - end].pop();
            if traffic.is_empty() {
                spare.0.extend(self.traffic.take());
            }
        }
    }

    /// An end goes down. `None` if it was not up (a pending end just never comes up); otherwise
    /// its ownership messages that the other has not taken, with what it knows of them.
    pub fn down(&mut self, end: End, knowledge: Knowledge) -> Option<Vec<(M, Fate)>> {
        let was = std::mem::replace(&mut self.ends[end], EndState::Closed);
        let mut unacked = Vec::new();
        if let Some(traffic) = &mut self.traffic {
            let owned = |msg: &&M| msg.class() == Class::Ownership;
            let waiting: Vec<M> = traffic.outbox[end].iter().filter(owned).cloned().collect();
            let fate = match knowledge {
                Knowledge::Known => {
                    traffic.outbox[end].clear();
                    Fate::Returned
                }
                Knowledge::Doubt => {
                    if !waiting.is_empty() {
                        traffic.doubts[end].clone_from(&waiting);
                    }
                    Fate::InDoubt
                }
            };
            unacked = waiting.into_iter().map(|msg| (msg, fate)).collect();
        }
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
        let Some(traffic) = &mut self.traffic else {
            return Vec::new();
        };
        let doubts = std::mem::take(&mut traffic.doubts[end]);
        // FIFO: the other end took some of the first ones; the rest still waits.
        let left = &mut traffic.outbox[end];
        let owned = |msg: &&M| msg.class() == Class::Ownership;
        let taken = doubts.len() - left.iter().filter(owned).count();
        left.clear();
        self.sweep();
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
        let closed = self.ends == [EndState::Closed; 2];
        let Some(traffic) = &mut self.traffic else {
            return;
        };
        for end in [0, 1] {
            if closed && traffic.doubts[end].is_empty() {
                traffic.outbox[end].clear();
            }
        }
        if traffic.is_empty() {
            self.traffic = None;
        }
    }
}
