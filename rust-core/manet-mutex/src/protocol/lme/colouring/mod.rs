//! The recolouring module: a node that came into a neighbourhood finds itself a colour, together
//! with those neighbours that are looking for one at the same time.
//!
//! [LME 4.2, lines 36 to 43] is the wrapper: who takes part ([`Circle`], the paper's `R`), and when
//! somebody no longer does. What is said in between is a [`Colouring`] procedure, of which the
//! paper describes two [LME 4.4]: [`greedy`] and [`linial`].
//!
//! # Deviations from the paper
//! * A neighbour that leaves SD^r while this node counts on it is out of the circle, as if it had
//!   sent a NACK: it may have given up, and would be waited for in vain (erratum L7). Only one that
//!   has been heard: what is known of the others may be old.
//! * Attempts are numbered. A NACK to an attempt that was given up would otherwise remove a
//!   participant from the next (L12).

pub mod greedy;
pub mod linial;

use super::message::Lme1Message;
use crate::ids::NodeId;
use crate::machine::{Actions, Message, Note};
use std::fmt::Debug;
use std::hash::Hash;

/// `new-color()`: one attempt to find a colour.
pub trait Colouring: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The name of Algorithm 1 with this procedure.
    const NAME: &'static str;
    /// What it says to the others.
    type Word: Message;
    /// What a user can choose about it.
    type Bounds: Clone + Debug + Default + 'static;
    /// Constants of a run, made of that.
    type Describe: From<Self::Bounds> + Clone + Debug + Send + Sync + 'static;

    /// The failure locality of Algorithm 1 with this procedure in a network of so many nodes: how
    /// far from a crash somebody may wait for ever.
    fn locality(nodes: usize) -> usize;

    /// Begins, with everybody in `circle`.
    fn start(
        me: NodeId,
        circle: &Circle,
        terms: &Self::Describe,
        talk: &mut Talk<'_, Self::Word>,
    ) -> Self;

    /// Somebody in `circle` says something.
    fn hear(
        &mut self,
        from: NodeId,
        word: Self::Word,
        circle: &Circle,
        terms: &Self::Describe,
        talk: &mut Talk<'_, Self::Word>,
    );

    /// Somebody is no longer in `circle`.
    fn without(
        &mut self,
        gone: NodeId,
        circle: &Circle,
        terms: &Self::Describe,
        talk: &mut Talk<'_, Self::Word>,
    );

    /// The colour, once it is found.
    fn colour(&self) -> Option<u64>;
}

/// `R`: those that take part, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Circle {
    /// Each with whether it has been heard.
    members: Vec<(NodeId, bool)>,
}

impl Circle {
    /// All of these, none of them heard yet; sorted.
    fn of(neighbours: impl Iterator<Item = NodeId>) -> Self {
        let members = neighbours.map(|peer| (peer, false)).collect();
        Self { members }
    }

    /// Who takes part.
    pub fn members(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.members.iter().map(|&(peer, _)| peer)
    }

    /// Whether somebody does.
    pub fn has(&self, peer: NodeId) -> bool {
        self.place(peer).is_some()
    }

    /// Whether somebody does and has been heard.
    pub fn has_heard(&self, peer: NodeId) -> bool {
        self.place(peer).is_some_and(|at| self.members[at].1)
    }

    /// Whether everybody has been heard.
    pub fn all_heard(&self) -> bool {
        self.members.iter().all(|&(_, heard)| heard)
    }

    fn place(&self, peer: NodeId) -> Option<usize> {
        self.members.binary_search_by_key(&peer, |m| m.0).ok()
    }
}

/// Where a procedure says what it has to say.
#[derive(Debug)]
pub struct Talk<'a, W> {
    attempt: u32,
    out: &'a mut Actions<Lme1Message<W>>,
}

impl<W: Clone> Talk<'_, W> {
    /// Which attempt of this node it is.
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    /// Says something to some.
    pub fn say(&mut self, to: impl Iterator<Item = NodeId>, word: &W) {
        for peer in to {
            let attempt = self.attempt;
            let word = word.clone();
            self.out
                .send(peer, Lme1Message::NewColour { attempt, word });
        }
    }

    /// Something worth counting.
    pub fn note(&mut self, note: Note) {
        self.out.note(note);
    }
}

/// An attempt under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Recolouring<C> {
    attempt: u32,
    circle: Circle,
    procedure: C,
}

impl<C: Colouring> Recolouring<C> {
    /// [LME 4.2, lines 36 to 38].
    pub fn start(
        me: NodeId,
        attempt: u32,
        neighbours: impl Iterator<Item = NodeId>,
        terms: &C::Describe,
        out: &mut Actions<Lme1Message<C::Word>>,
    ) -> Self {
        let circle = Circle::of(neighbours);
        let procedure = C::start(me, &circle, terms, &mut Talk { attempt, out });
        Self {
            attempt,
            circle,
            procedure,
        }
    }

    pub const fn attempt(&self) -> u32 {
        self.attempt
    }

    pub const fn circle(&self) -> &Circle {
        &self.circle
    }

    /// What `new-color()` returns, once it does.
    pub fn colour(&self) -> Option<u64> {
        self.procedure.colour()
    }

    /// A member of the circle says something.
    pub fn hear(
        &mut self,
        from: NodeId,
        word: C::Word,
        terms: &C::Describe,
        out: &mut Actions<Lme1Message<C::Word>>,
    ) {
        if let Some(at) = self.circle.place(from) {
            self.circle.members[at].1 = true;
            let attempt = self.attempt;
            let talk = &mut Talk { attempt, out };
            self.procedure.hear(from, word, &self.circle, terms, talk);
        }
    }

    /// Somebody takes part no longer [LME 4.2, lines 42, 43 and 61].
    pub fn without(
        &mut self,
        gone: NodeId,
        terms: &C::Describe,
        out: &mut Actions<Lme1Message<C::Word>>,
    ) {
        if let Some(at) = self.circle.place(gone) {
            self.circle.members.remove(at);
            let attempt = self.attempt;
            let talk = &mut Talk { attempt, out };
            self.procedure.without(gone, &self.circle, terms, talk);
        }
    }
}
