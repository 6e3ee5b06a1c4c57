//! Linial's recolouring: from ids to few colours in a handful of rounds.
//!
//! In each round a node and its neighbours tell each other a colour, at first their ids, and each
//! chooses a new one out of a smaller range, different from what all its neighbours choose. A
//! colour stands for a set of new ones such that no `degree` sets cover another; the node takes one
//! out of its set that is in no neighbour's. [LME 4.4]
//!
//! The paper takes the sets of Erdős, Frankl and Füredi [LME, Theorem 6], which are shown to exist.
//! Here they are those that Linial constructs: a colour is a polynomial over a prime field, and its
//! set are the points of its curve. Two polynomials of degree `d` agree in at most `d` points, so
//! with more than `degree * d` points in all one is left. From 2^32 ids and 8 neighbours that takes
//! two or three rounds, and ends with the square of a prime just above `2 * degree`.
//!
//! It is as fast in a network of any size, and a crash concerns only those who recolour within as
//! many links as there are rounds.
//!
//! # Deviations from the paper
//! * Where more neighbours recolour together than `degree` promises there may be no point left. The
//!   node then takes any colour of the range; the ids tell equal colours apart.
//! * What a neighbour said of the present round counts even if it has left meanwhile: it may have
//!   finished, with just that colour.

use super::{Circle, Colouring, Talk};
use crate::ids::NodeId;
use crate::machine::Protocol;
use crate::machine::{Message, Note};
use crate::protocol::lme::algorithm1::Lme1b;
use crate::protocol::lme::message::Lme1Message;
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU32, NonZeroU64};

/// The procedure of `lme1b`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linial {
    /// This node's colour in the present round.
    colour: u64,
    round: usize,
    /// What others said of this round and the next, sorted.
    heard: Vec<(usize, NodeId, u64)>,
    done: bool,
}

/// What the procedure says: a colour of the sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LinialWord {
    /// In which round.
    pub round: u8,
    /// Its colour before that round.
    pub colour: u64,
}

impl Message for LinialWord {
    fn kind(&self) -> &'static str {
        "Round"
    }
}

impl WireMessage for Lme1Message<LinialWord> {
    const TAG: Tag = Tag::new(17, Lme1b::NAME);
}

/// What all nodes have to know: `n` and the bound on degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// `n`: ids are smaller than this.
    pub ids: NonZeroU64,
    /// How many neighbours recolour together, at most.
    pub degree: NonZeroU32,
}

impl Default for Bounds {
    /// All ids there can be, and as many neighbours as a plane has room for at moderate density.
    fn default() -> Self {
        Self {
            ids: NonZeroU64::new(1 << 32).expect("not zero"),
            degree: NonZeroU32::new(8).expect("not zero"),
        }
    }
}

/// One round: colours are polynomials of a degree over the field of a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// `q`.
    pub prime: u64,
    /// `d`.
    pub degree: u32,
}

/// The rounds by which so many colours become few, where each node has at most so many neighbours.
///
/// Each takes the smallest prime `q` for which some `d` has `q > degree * d`, so that a point is
/// left, and `q^(d + 1) >= colours`, so that there are as many polynomials as colours; it ends with
/// `q^2`.
pub fn schedule(mut colours: u128, degree: u32) -> Vec<Round> {
    let mut rounds = Vec::new();
    loop {
        let round = best(colours, degree);
        let after = u128::from(round.prime) * u128::from(round.prime);
        if after >= colours {
            return rounds;
        }
        rounds.push(round);
        colours = after;
    }
}

fn best(colours: u128, degree: u32) -> Round {
    let least = |d| root(colours, d + 1).max(u128::from(degree) * u128::from(d) + 1);
    let mut best = Round {
        prime: u64::MAX,
        degree: 1,
    };
    // From many small coefficients to few large ones: no prime is looked for beyond the best.
    for degree in (1..u128::BITS).rev() {
        let from = least(degree);
        if from <= u128::from(best.prime) {
            let prime = next_prime(from);
            if prime <= best.prime {
                best = Round { prime, degree };
            }
        }
    }
    best
}

/// The least number whose power reaches `value`.
fn root(value: u128, power: u32) -> u128 {
    let reaches = |base: u128| base.checked_pow(power).is_none_or(|p| p >= value);
    let (mut low, mut high) = (0, 1_u128 << 64);
    while low < high {
        let middle = low.midpoint(high);
        if reaches(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The smallest prime that is at least this.
fn next_prime(from: u128) -> u64 {
    let from = u64::try_from(from).unwrap_or(u64::MAX);
    (from.max(2)..=u64::MAX)
        .find(|&n| is_prime(n))
        .unwrap_or(u64::MAX)
}

fn is_prime(n: u64) -> bool {
    let mut divisors = (2..).take_while(|d| d * d <= n);
    divisors.all(|d| !n.is_multiple_of(d))
}

impl Round {
    /// The value at `x` of the polynomial whose coefficients are the digits of a colour.
    fn value(self, colour: u64, x: u64) -> u64 {
        let q = self.prime;
        let digits = (0..=self.degree).scan(colour, |rest, _| {
            let digit = *rest % q;
            *rest /= q;
            Some(digit)
        });
        let (mut sum, mut power) = (0, 1);
        for digit in digits {
            // All below q, and q^2 is less than the number of colours before.
            sum = (sum + digit * power) % q;
            power = power * x % q;
        }
        sum
    }

    /// A point of a colour's curve that is on no other's.
    fn choose(self, mine: u64, others: &[u64]) -> Option<u64> {
        let free = |&x: &u64| {
            let value = self.value(mine, x);
            others.iter().all(|&other| self.value(other, x) != value)
        };
        let x = (0..self.prime).find(free)?;
        Some(x * self.prime + self.value(mine, x))
    }
}

impl Linial {
    /// Goes on as long as everybody in the circle has said its colour.
    fn step(&mut self, circle: &Circle, rounds: &[Round], talk: &mut Talk<'_, LinialWord>) {
        while let Some(round) = rounds.get(self.round) {
            if !circle.members().all(|peer| self.has(self.round, peer)) {
                return;
            }
            let present = self.heard.iter().filter(|said| said.0 == self.round);
            let others: Vec<u64> = present.map(|said| said.2).collect();
            self.colour = round.choose(self.colour, &others).unwrap_or_else(|| {
                talk.note(Note::Crowded);
                self.colour % (round.prime * round.prime)
            });
            self.round += 1;
            self.heard.retain(|said| said.0 >= self.round);
            self.tell(circle, rounds, talk);
        }
        self.done = true;
    }

    fn has(&self, round: usize, peer: NodeId) -> bool {
        self.heard
            .iter()
            .any(|said| (said.0, said.1) == (round, peer))
    }

    fn tell(&self, circle: &Circle, rounds: &[Round], talk: &mut Talk<'_, LinialWord>) {
        if self.round < rounds.len()
            && let Ok(round) = u8::try_from(self.round)
        {
            let colour = self.colour;
            talk.say(circle.members(), &LinialWord { round, colour });
        }
    }
}

/// The rounds, made once for all nodes.
#[derive(Clone, Debug)]
pub struct Rounds(Vec<Round>);

impl From<Bounds> for Rounds {
    fn from(bounds: Bounds) -> Self {
        Self(schedule(bounds.ids.get().into(), bounds.degree.get()))
    }
}

impl Colouring for Linial {
    const NAME: &'static str = "lme1b";
    type Word = LinialWord;
    type Bounds = Bounds;
    type Describe = Rounds;

    /// [LME, Theorem 7], where the rounds, of which there are never more than four, are the
    /// locality of the procedure.
    fn locality(_: usize) -> usize {
        6
    }

    fn start(
        me: NodeId,
        circle: &Circle,
        rounds: &Rounds,
        talk: &mut Talk<'_, LinialWord>,
    ) -> Self {
        let mut linial = Self {
            colour: me.0.into(),
            round: 0,
            heard: Vec::new(),
            done: false,
        };
        linial.tell(circle, &rounds.0, talk);
        linial.step(circle, &rounds.0, talk);
        linial
    }

    /// A neighbour can be one round ahead: it has then heard this node's colour of the present
    /// round, but perhaps not those of others.
    fn hear(
        &mut self,
        from: NodeId,
        word: LinialWord,
        circle: &Circle,
        rounds: &Rounds,
        talk: &mut Talk<'_, LinialWord>,
    ) {
        let round = usize::from(word.round);
        let in_time = round == self.round || round == self.round + 1;
        if in_time && !self.has(round, from) {
            self.heard.push((round, from, word.colour));
            self.heard.sort_unstable();
        }
        self.step(circle, &rounds.0, talk);
    }

    fn without(
        &mut self,
        _: NodeId,
        circle: &Circle,
        rounds: &Rounds,
        talk: &mut Talk<'_, LinialWord>,
    ) {
        self.step(circle, &rounds.0, talk);
    }

    fn colour(&self) -> Option<u64> {
        self.done.then_some(self.colour)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds(colours: u128, degree: u32) -> Vec<(u64, u32)> {
        let rounds = schedule(colours, degree);
        rounds.iter().map(|r| (r.prime, r.degree)).collect()
    }

    #[test]
    fn schedules() {
        assert_eq!(rounds(64, 2), [(5, 2)]);
        assert_eq!(rounds(1000, 3), [(11, 2), (7, 2)]);
        assert_eq!(rounds(1_000_000, 8), [(37, 3), (17, 2)]);
        assert_eq!(rounds(1 << 64, 8), [(83, 10), (23, 2), (17, 2)]);
        assert_eq!(rounds(u128::MAX, 12).len(), 3);
        assert_eq!(rounds(u128::MAX, 12).last(), Some(&(29, 2)));
    }

    #[test]
    fn few_colours_stay_as_they_are() {
        assert_eq!(rounds(25, 2), []);
        assert_eq!(rounds(1, 1), []);
        assert_eq!(rounds(1 << 32, u32::MAX), []);
    }

    #[test]
    fn every_round_leaves_a_point_and_has_a_polynomial_for_every_colour() {
        for degree in [1, 2, 3, 8, 50] {
            for bits in [8, 16, 32, 64] {
                let mut colours = 1_u128 << bits;
                for round in schedule(colours, degree) {
                    let q = u128::from(round.prime);
                    assert!(q > u128::from(degree * round.degree));
                    assert!(q.pow(round.degree + 1) >= colours);
                    assert!(q * q < colours);
                    colours = q * q;
                }
                assert!(schedule(1_u128 << bits, degree).len() <= 4);
            }
        }
    }

    #[test]
    fn polynomials_have_the_digits_of_a_colour() {
        let round = Round {
            prime: 5,
            degree: 2,
        };
        // 64 is 2 * 25 + 2 * 5 + 4: 2x^2 + 2x + 4.
        let values: Vec<u64> = (0..5).map(|x| round.value(64, x)).collect();
        assert_eq!(values, [4, 3, 1, 3, 4]);
    }

    /// Of every three colours each finds one that the others do not choose.
    #[test]
    fn neighbours_choose_differently() {
        let round = Round {
            prime: 5,
            degree: 2,
        };
        for a in 0..64 {
            for b in (0..64).filter(|&b| b != a) {
                let c = (a + b) % 64;
                let others: Vec<u64> = [b, c].into_iter().filter(|&o| o != a).collect();
                let mine = round.choose(a, &others).expect("degree 2");
                assert!(mine < 25);
                for other in others {
                    let theirs = round.choose(other, &[a]).expect("degree 1");
                    assert_ne!(mine, theirs, "{a} and {other}");
                }
            }
        }
    }

    #[test]
    fn no_point_is_left_by_too_many() {
        let round = Round {
            prime: 5,
            degree: 2,
        };
        let constants: Vec<u64> = (0..5).collect();
        assert_eq!(round.choose(7, &constants), None);
    }
}
