//! One end of one pair of nodes: the rules, without clock or datagrams.

use super::flaw::Flaw;
use crate::time::Time;
use crate::wire::datagram::{Life, Receipt};
use std::collections::VecDeque;

/// Why a datagram is of no use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Sent by an earlier life of the peer.
    Stale,
    /// Meant for an earlier life of this node, or for none that ever was.
    OtherLife,
    /// Received before.
    Duplicate,
    /// Too far ahead, or acknowledges what was never sent.
    Forged,
}

/// What the life in a datagram tells about the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Met<M> {
    /// Nothing new.
    Same,
    /// It was unknown until now.
    First,
    /// It has restarted.
    Restarted {
        /// Had gone out; perhaps delivered to the old life.
        in_doubt: Vec<M>,
        /// Had not; delivered to nobody.
        unsent: Vec<M>,
    },
}

/// What an acknowledgement comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Acked {
    /// How many messages it covers that none before did.
    pub messages: usize,
    /// When the latest of these went out, if it went out only once.
    pub sent_at: Option<Time>,
}

/// One node's end of a pair: what it sends to the peer and what it got from it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair<M> {
    mine: Life,
    theirs: Option<Life>,
    /// Those that went out and are not acknowledged, the oldest first.
    under_way: VecDeque<UnderWay<M>>,
    /// The number of the next to go out.
    next: u64,
    waiting: VecDeque<M>,
    received: Receipt,
    flaw: Option<Flaw>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct UnderWay<M> {
    number: u64,
    msg: M,
    sent_at: Time,
    again: bool,
}

impl<M> Pair<M> {
    /// The end of a node in this life, which knows nothing of the peer.
    pub const fn new(mine: Life, flaw: Option<Flaw>) -> Self {
        Self {
            mine,
            theirs: None,
            under_way: VecDeque::new(),
            next: 0,
            waiting: VecDeque::new(),
            received: Receipt {
                below: 0,
                beyond: 0,
            },
            flaw,
        }
    }

    /// This node's life and the peer's, as far as it is known.
    pub const fn lives(&self) -> (Life, Option<Life>) {
        (self.mine, self.theirs)
    }

    /// Whether nothing waits and everything is acknowledged.
    pub fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.waiting.is_empty()
    }

    /// How many messages went out without being acknowledged, and how many wait to go out.
    pub fn load(&self) -> (usize, usize) {
        (self.under_way.len(), self.waiting.len())
    }

    /// Takes a message to send.
    pub fn send(&mut self, msg: M) {
        self.waiting.push_back(msg);
    }

    /// A datagram says in which life the peer is. To be told first of each.
    ///
    /// # Errors
    /// If that life is over: the datagram means nothing any more.
    pub fn meet(&mut self, life: Life) -> Result<Met<M>, Unfit> {
        match self.theirs {
            None => {
                self.theirs = Some(life);
                Ok(Met::First)
            }
            Some(known) if life == known => Ok(Met::Same),
            Some(known) if life < known => match self.flaw {
                Some(Flaw::StaleAccepted) => Ok(Met::Same),
                _ => Err(Unfit::Stale),
            },
            Some(_) => {
                self.theirs = Some(life);
                self.received = Receipt::default();
                Ok(self.start_anew())
            }
        }
    }

    /// The peer has forgotten everything.
    fn start_anew(&mut self) -> Met<M> {
        self.next = 0;
        let gone = std::mem::take(&mut self.under_way);
        let mut gone: Vec<M> = gone.into_iter().map(|sent| sent.msg).collect();
        match self.flaw {
            Some(Flaw::RestartForgets) => gone.clear(),
            Some(Flaw::KeptAfterRestart) => {
                let waiting = std::mem::take(&mut self.waiting);
                self.waiting = gone.into_iter().chain(waiting).collect();
                return Met::First;
            }
            _ => {}
        }
        Met::Restarted {
            in_doubt: gone,
            unsent: self.waiting.drain(..).collect(),
        }
    }

    /// The next message goes out for the first time, if there is one, the peer is known, and fewer
    /// than `window` are under way.
    pub fn advance(&mut self, now: Time, window: usize) -> Option<(u64, &M)> {
        self.theirs?;
        // Those acknowledged out of order make no room: the receiver counts from the oldest.
        let oldest = self.under_way.front().map_or(self.next, |sent| sent.number);
        if self.next - oldest >= window as u64 {
            return None;
        }
        let msg = self.waiting.pop_front()?;
        let number = self.next;
        self.next += 1;
        self.under_way.push_back(UnderWay {
            number,
            msg,
            sent_at: now,
            again: false,
        });
        self.under_way.back().map(|sent| (number, &sent.msg))
    }

    /// The oldest message without an acknowledgement goes out again.
    pub fn again(&mut self) -> Option<(u64, &M)> {
        self.all_again().next()
    }

    /// All messages without an acknowledgement go out again.
    pub fn all_again(&mut self) -> impl Iterator<Item = (u64, &M)> + '_ {
        let kept = self.flaw != Some(Flaw::NeverAgain);
        let sent = self.under_way.iter_mut().filter(move |_| kept);
        sent.map(|sent| {
            sent.again = true;
            (sent.number, &sent.msg)
        })
    }

    /// A message arrives that is meant for a life of this node. To be delivered if that is no
    /// error.
    ///
    /// # Errors
    /// If it must not be delivered.
    pub fn data(&mut self, meant: Life, number: u64) -> Result<(), Unfit> {
        if meant != self.mine && self.flaw != Some(Flaw::NoLifeCheck) {
            return Err(Unfit::OtherLife);
        }
        if self.received.covers(number) {
            return match self.flaw {
                Some(Flaw::NoDuplicateCheck) => Ok(()),
                _ => Err(Unfit::Duplicate),
            };
        }
        if self.received.add(number) {
            Ok(())
        } else {
            Err(Unfit::Forged)
        }
    }

    /// What was received of the peer's present life.
    pub const fn receipt(&self) -> Receipt {
        self.received
    }

    /// The peer tells what a life of this node sent has arrived.
    ///
    /// # Errors
    /// If that is an earlier life, or it names what was never sent.
    pub fn ack(&mut self, meant: Life, receipt: Receipt) -> Result<Acked, Unfit> {
        if meant != self.mine && self.flaw != Some(Flaw::AckForAnyLife) {
            return Err(Unfit::OtherLife);
        }
        if receipt.end() > self.next {
            return Err(Unfit::Forged);
        }
        let covers = |number| match self.flaw {
            Some(Flaw::SackIsCumulative) => number < receipt.end(),
            _ => receipt.covers(number),
        };
        let mut acked = Acked::default();
        self.under_way.retain(|sent| {
            let covered = covers(sent.number);
            if covered {
                acked.messages += 1;
                acked.sent_at = (!sent.again).then_some(sent.sent_at);
            }
            !covered
        });
        Ok(acked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_knows_what_it_covers() {
        let mut receipt = Receipt::default();
        for number in [1, 3, 64] {
            assert!(receipt.add(number));
        }
        assert_eq!(receipt.end(), 65);
        assert!(!receipt.covers(0) && receipt.covers(1) && !receipt.covers(2));
        assert!(receipt.covers(3) && receipt.covers(64) && !receipt.covers(65));
        assert!(!receipt.add(65), "beyond what it can tell");
        assert!(receipt.add(0));
        assert_eq!((receipt.below, receipt.end()), (2, 65));
        assert!(receipt.add(2));
        assert_eq!((receipt.below, receipt.covers(64)), (4, true));
        assert!(receipt.add(65) && receipt.covers(65));
    }

    #[test]
    fn a_receipt_whose_bits_are_all_set_moves_on() {
        let mut receipt = Receipt {
            below: 5,
            beyond: u64::MAX,
        };
        assert!(receipt.add(5));
        assert_eq!(
            receipt,
            Receipt {
                below: 70,
                beyond: 0
            }
        );
    }

    /// The end of a node that knows its peer and has sent these.
    fn sent(flaw: Option<Flaw>, messages: &[u8]) -> Pair<u8> {
        let mut pair = Pair::new(Life(1), flaw);
        assert_eq!(pair.meet(Life(1)), Ok(Met::First));
        for (time, &msg) in (1..).map(Time).zip(messages) {
            pair.send(msg);
            assert!(pair.advance(time, 8).is_some());
        }
        pair
    }

    #[test]
    fn only_what_went_out_once_tells_a_round_trip() {
        let receipt = Receipt {
            below: 1,
            beyond: 0,
        };
        let mut pair = sent(None, &[7]);
        let acked = pair.ack(Life(1), receipt).expect("it was sent");
        assert_eq!((acked.messages, acked.sent_at), (1, Some(Time(1))));
        let mut pair = sent(None, &[7]);
        assert_eq!(pair.again(), Some((0, &7)));
        let acked = pair.ack(Life(1), receipt).expect("it was sent");
        assert_eq!((acked.messages, acked.sent_at), (1, None));
    }

    #[test]
    fn numbers_begin_anew_with_a_new_life_of_the_peer() {
        let mut pair = sent(None, &[7, 8]);
        let in_doubt = vec![7, 8];
        let unsent = Vec::new();
        let met = Met::Restarted { in_doubt, unsent };
        assert_eq!(pair.meet(Life(2)), Ok(met));
        pair.send(9);
        assert_eq!(pair.advance(Time(5), 8), Some((0, &9)));
    }

    #[test]
    fn flaws_do_what_they_say() {
        let mut pair = sent(Some(Flaw::KeptAfterRestart), &[7]);
        pair.send(8);
        assert_eq!(pair.meet(Life(2)), Ok(Met::First));
        assert_eq!(pair.load(), (0, 2));
        let mut pair = sent(Some(Flaw::SackIsCumulative), &[7, 8, 9]);
        let mut receipt = Receipt::default();
        assert!(receipt.add(1));
        let acked = pair.ack(Life(1), receipt).expect("it was sent");
        assert_eq!(acked.messages, 2);
    }
}
