//! What one end sends in an incarnation of a link, and what it is told about it.

use super::{Broken, LOSS, ONCE, TRUTH};
use manet_mutex::machine::{Class, Fate, Message, Outcome};
use std::collections::VecDeque;

/// One direction of an incarnation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lane<M> {
    /// In sending order: what has been received and may yet be reported, then the rest.
    items: VecDeque<Item<M>>,
    /// How many of these have been received.
    received: usize,
    /// How many ownership messages have been sent in all.
    owned: u64,
    doubts: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Item<M> {
    msg: M,
    told: Told,
}

/// What the sender was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Told {
    Nothing,
    InDoubt,
    Returned,
}

/// So many received ownership messages of a direction are compared with what its sender is told
/// at link down. It may report more as unacknowledged; those are only counted.
const COMPARED: usize = 32;

impl<M: Message> Lane<M> {
    pub(super) const fn new() -> Self {
        Self {
            items: VecDeque::new(),
            received: 0,
            owned: 0,
            doubts: 0,
        }
    }

    /// How many messages are in doubt.
    pub(super) const fn doubts(&self) -> usize {
        self.doubts
    }

    /// Whether everything sent has been received.
    pub(super) fn is_idle(&self) -> bool {
        self.received == self.items.len()
    }

    pub(super) fn send(&mut self, msg: M) {
        self.owned += u64::from(msg.class() == Class::Ownership);
        let told = Told::Nothing;
        self.items.push_back(Item { msg, told });
    }

    pub(super) fn receive(&mut self, msg: &M) -> Result<(), Broken> {
        match self.items.get(self.received) {
            Some(next) if next.msg == *msg => match next.told {
                Told::Returned => return Err((TRUTH, "after it was returned")),
                Told::Nothing if msg.class() == Class::Plain => {
                    self.items.remove(self.received);
                }
                _ => self.received += 1,
            },
            _ => return Err((ONCE, self.why_not_next(msg))),
        }
        let known = |item: &Item<M>| item.told == Told::Nothing;
        if self.received > COMPARED && self.items.front().is_some_and(known) {
            self.items.pop_front();
            self.received -= 1;
        }
        Ok(())
    }

    fn why_not_next(&self, msg: &M) -> &'static str {
        match self.items.iter().position(|item| item.msg == *msg) {
            Some(place) if place < self.received => "twice",
            Some(_) => "out of order",
            None => "though it was not sent in this incarnation, or twice",
        }
    }

    /// The sender closed and was told this. Acknowledgements cover all before some message, so
    /// what is listed must be the last messages.
    pub(super) fn close(&mut self, unacked: &[(M, Fate)]) -> Result<(), Broken<String>> {
        let mut listed = unacked.iter();
        let mut older = self.owned;
        for (place, item) in self.items.iter_mut().enumerate().rev() {
            if item.msg.class() == Class::Plain {
                continue;
            }
            older -= 1;
            let received = place < self.received;
            let Some((msg, fate)) = listed.next_back() else {
                if received {
                    continue;
                }
                let what = format!("it was told nothing of {:?}, not delivered", item.msg);
                return Err((LOSS, what));
            };
            if *msg != item.msg {
                let what = format!("it was told of {msg:?}, but had sent {:?} then", item.msg);
                return Err((TRUTH, what));
            }
            item.told = match (fate, received) {
                (Fate::InDoubt, _) => Told::InDoubt,
                (Fate::Delivered, true) => Told::Nothing,
                (Fate::Returned, false) => Told::Returned,
                _ => {
                    let truth = if received { "was" } else { "was not" };
                    let what = format!("it was told that {msg:?} is {fate:?}, but it {truth}");
                    return Err((TRUTH, format!("{what} delivered")));
                }
            };
        }
        self.close_older(listed.as_slice(), older)?;
        self.forget_known();
        Ok(())
    }

    /// What was received so long ago that it cannot be compared.
    fn close_older(&mut self, listed: &[(M, Fate)], older: u64) -> Result<(), Broken<String>> {
        if listed.len() as u64 > older {
            let what = format!("it was told of {:?} too often", listed[0].0);
            return Err((TRUTH, what));
        }
        for (msg, fate) in listed.iter().rev() {
            let told = match fate {
                Fate::Delivered => Told::Nothing,
                Fate::InDoubt => Told::InDoubt,
                Fate::Returned => {
                    let what = format!("it was told that {msg:?} is Returned, but it was");
                    return Err((TRUTH, format!("{what} delivered")));
                }
            };
            let msg = msg.clone();
            self.items.push_front(Item { msg, told });
            self.received += 1;
        }
        Ok(())
    }

    /// The sender crashed: it is told nothing more.
    pub(super) fn forget_doubts(&mut self) {
        self.doubts = 0;
        for item in self
            .items
            .iter_mut()
            .filter(|item| item.told == Told::InDoubt)
        {
            item.told = Told::Nothing;
        }
    }

    /// Of what has been received only what is in doubt matters from now on.
    fn forget_known(&mut self) {
        let (mut place, received) = (0, self.received);
        self.items.retain(|item| {
            place += 1;
            place > received || item.told == Told::InDoubt
        });
        self.received -= place - self.items.len();
        let in_doubt = |item: &&Item<M>| item.told == Told::InDoubt;
        self.doubts = self.items.iter().filter(in_doubt).count();
    }

    pub(super) fn resolve(&mut self, msg: &M, outcome: Outcome) -> Result<(), &'static str> {
        let same = |item: &Item<M>| item.told == Told::InDoubt && item.msg == *msg;
        let place = self.items.iter().position(same);
        let place = place.ok_or("it was not in doubt")?;
        self.doubts -= 1;
        match (outcome, place < self.received) {
            (Outcome::Delivered, true) => {
                self.items.remove(place);
                self.received -= 1;
                Ok(())
            }
            (Outcome::Returned, false) => {
                self.items[place].told = Told::Returned;
                Ok(())
            }
            (Outcome::Delivered, false) => Err("it was not delivered"),
            (Outcome::Returned, true) => Err("it was delivered"),
        }
    }
}
