//! What one end of a link has sent.

use std::collections::VecDeque;

/// A queue that mostly holds nothing or one message and keeps that one in place, so that a link
/// with little traffic costs no memory elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outbox<M> {
    first: Option<M>,
    /// Not empty, if there.
    #[expect(clippy::box_collection, reason = "keeps an idle link small")]
    rest: Option<Box<VecDeque<M>>>,
}

impl<M> Default for Outbox<M> {
    fn default() -> Self {
        Self {
            first: None,
            rest: None,
        }
    }
}

impl<M: Clone> Outbox<M> {
    pub const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub fn push(&mut self, msg: &M) {
        if self.first.is_none() {
            self.first = Some(msg.clone());
        } else {
            self.rest.get_or_insert_default().push_back(msg.clone());
        }
    }

    pub const fn first(&self) -> Option<&M> {
        self.first.as_ref()
    }

    /// Forgets the first message.
    pub fn pop(&mut self) {
        let Some(rest) = &mut self.rest else {
            self.first = None;
            return;
        };
        self.first = rest.pop_front();
        if rest.is_empty() {
            self.rest = None;
        }
    }

    /// Brings the message that `place` others are before to the front. False if there is none.
    pub fn advance(&mut self, place: usize) -> bool {
        if place == 0 {
            return !self.is_empty();
        }
        let rest = self.rest.as_mut();
        let Some((first, rest)) = self.first.as_mut().zip(rest) else {
            return false;
        };
        let Some(msg) = rest.remove(place - 1) else {
            return false;
        };
        rest.push_front(std::mem::replace(first, msg));
        true
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn iter(&self) -> impl Iterator<Item = &M> + '_ {
        self.first
            .iter()
            .chain(self.rest.iter().flat_map(|rest| rest.iter()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_advances_overtakes_all_before_it() {
        let mut outbox = Outbox::default();
        assert!(!outbox.advance(0) && !outbox.advance(1));
        (0..4).for_each(|i| outbox.push(&i));
        assert!(outbox.advance(2) && !outbox.advance(4));
        let order: Vec<i32> = outbox.iter().copied().collect();
        assert_eq!(order, [2, 0, 1, 3]);
    }

    #[test]
    fn first_in_first_out_and_empty_is_empty() {
        let mut outbox = Outbox::default();
        for round in 0..3 {
            for i in 0..round {
                outbox.push(&i);
            }
            assert_eq!(
                outbox.iter().copied().collect::<Vec<_>>(),
                (0..round).collect::<Vec<_>>()
            );
            for i in 0..round {
                assert_eq!(outbox.first(), Some(&i));
                outbox.pop();
            }
            outbox.pop();
            assert_eq!(outbox, Outbox::default(), "no trace of the past");
        }
    }
}
