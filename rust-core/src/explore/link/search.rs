//! Breadth first through all states, each kept as a fingerprint and a way back.

use super::frames::Frame;
use super::healing::{clears_by_relay, heals};
use super::model::{Model, Move, State};
use super::seen::Seen;
use crate::check::Violation;
use crate::explore::Limits;
use crate::explore::fingerprint::Fingerprint;
use std::collections::HashSet;

/// What a search has found.
pub(super) struct Found {
    /// How each state was reached first: from where, and by which of the moves possible there.
    parents: Vec<(u32, u16)>,
    /// How many different states of both ends there are.
    pub(super) ends: usize,
    pub(super) seen: Seen,
    pub(super) depth: usize,
    pub(super) complete: bool,
    pub(super) broken: Vec<Broken>,
}

/// The first state that breaks a promise.
pub(super) struct Broken {
    pub(super) state: u32,
    pub(super) violation: Violation,
    /// What the radio carried from there, if that is what broke it.
    pub(super) healing: Vec<Frame>,
}

/// Goes through the states of `model` until `limits` say to stop.
pub(super) fn search(model: &Model, limits: Limits, progress: &mut dyn FnMut(usize)) -> Found {
    let mut search = Search {
        model,
        limits,
        known: HashSet::new(),
        healed: HashSet::new(),
        parents: Vec::new(),
        seen: Seen::default(),
        broken: Vec::new(),
        stop: false,
    };
    let start = model.start();
    search.enter(&start, (0, 0));
    let (mut level, mut depth, mut expanded) = (vec![start], 0, 0);
    while !search.stop && !level.is_empty() {
        let mut next = Vec::new();
        for state in level {
            if search.stop {
                break;
            }
            search.expand(expanded, &state, &mut next);
            expanded += 1;
            if expanded % 4096 == 0 {
                progress(search.parents.len());
            }
        }
        depth += usize::from(!next.is_empty());
        level = next;
    }
    Found {
        complete: expanded as usize == search.parents.len(),
        parents: search.parents,
        ends: search.healed.len(),
        seen: search.seen,
        depth,
        broken: search.broken,
    }
}

struct Search<'a> {
    model: &'a Model,
    limits: Limits,
    known: HashSet<Fingerprint>,
    /// States of both ends from which all ends well.
    healed: HashSet<Fingerprint>,
    parents: Vec<(u32, u16)>,
    seen: Seen,
    broken: Vec<Broken>,
    stop: bool,
}

impl Search<'_> {
    /// Makes the moves of the state that is next in order of discovery.
    fn expand(&mut self, number: u32, state: &State, next: &mut Vec<State>) {
        let mut moves = Vec::new();
        self.model.moves(state, &mut moves);
        for (i, &step) in moves.iter().enumerate() {
            let (after, seen) = self.model.after(state, step);
            self.seen.merge(seen);
            if self.enter(&after, (number, i as u16)) {
                next.push(after);
            }
        }
    }

    /// Gives a state its number; true if it is new.
    fn enter(&mut self, state: &State, parent: (u32, u16)) -> bool {
        let number = self.parents.len() as u32;
        if !self.known.insert(Fingerprint::of(state)) {
            return false;
        }
        self.parents.push(parent);
        let mut healing = Vec::new();
        let judged = match state.violation() {
            Some(violation) => Err(violation.clone()),
            None => self.ends_well(state, &mut healing),
        };
        if let Err(violation) = judged {
            let same = |known: &Broken| known.violation.property == violation.property;
            if !self.broken.iter().any(same) {
                self.broken.push(Broken {
                    state: number,
                    violation,
                    healing,
                });
            }
            self.stop |= self.limits.first_violation;
        }
        self.stop |= self.parents.len() >= self.limits.max_states;
        true
    }

    fn ends_well(&mut self, state: &State, frames: &mut Vec<Frame>) -> Result<(), Violation> {
        // Nobody has to listen to what is in the air, so it does not matter.
        let ends = (&state.ends.pairs, &state.ends.checker);
        if self.healed.insert(Fingerprint::of(&ends)) {
            heals(&state.ends, frames)?;
            frames.clear();
            clears_by_relay(&state.ends, frames)?;
        }
        Ok(())
    }
}

impl Found {
    pub(super) const fn states(&self) -> usize {
        self.parents.len()
    }

    /// A shortest way to a broken promise.
    pub(super) fn trace(&self, model: &Model, broken: &Broken) -> Vec<Move> {
        let mut choices = Vec::new();
        let mut at = broken.state;
        while at != 0 {
            let (parent, choice) = self.parents[at as usize];
            choices.push(usize::from(choice));
            at = parent;
        }
        let mut state = model.start();
        let mut steps = Vec::new();
        for choice in choices.into_iter().rev() {
            let mut moves = Vec::new();
            model.moves(&state, &mut moves);
            steps.push(moves[choice]);
            state = model.after(&state, moves[choice]).0;
        }
        steps
    }
}
