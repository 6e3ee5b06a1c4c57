//! Breadth first through all states of a small system, each kept as a fingerprint and a way back.

use super::Limits;
use super::fingerprint::Fingerprint;
use crate::check::Violation;
use std::collections::HashSet;
use std::hash::Hash;

/// Something that can be explored: two ends under an adversary.
pub(super) trait System {
    /// A global state.
    type State: Hash;
    /// What can happen next.
    type Move: Copy;
    /// What could be seen on the way.
    type Seen: Default;

    fn start(&self) -> Self::State;
    fn moves(&self, state: &Self::State, moves: &mut Vec<Self::Move>);
    fn after(&self, state: &Self::State, step: Self::Move) -> (Self::State, Self::Seen);
    fn merge(all: &mut Self::Seen, more: Self::Seen);
    fn violation(state: &Self::State) -> Option<&Violation>;

    /// The part of a state that decides whether all ends well.
    fn core(state: &Self::State) -> Fingerprint;

    /// Whether all ends well once nothing goes wrong any more; `carried` gets what happens then.
    fn ends_well(state: &Self::State, carried: &mut Vec<String>) -> Result<(), Violation>;
}

/// What a search has found.
pub(super) struct Found<S> {
    /// How each state was reached first: from where, and by which of the moves possible there.
    parents: Vec<(u32, u16)>,
    /// How many different cores there are.
    pub(super) cores: usize,
    pub(super) seen: S,
    pub(super) depth: usize,
    pub(super) complete: bool,
    pub(super) broken: Vec<Broken>,
}

/// The first state that breaks a promise.
pub(super) struct Broken {
    pub(super) state: u32,
    pub(super) violation: Violation,
    /// What happened from there, if that is what broke it.
    pub(super) healing: Vec<String>,
}

/// Goes through the states of `system` until `limits` say to stop.
pub(super) fn search<S: System>(
    system: &S,
    limits: Limits,
    progress: &mut dyn FnMut(usize),
) -> Found<S::Seen> {
    let mut search = Search {
        system,
        limits,
        known: HashSet::new(),
        healed: HashSet::new(),
        parents: Vec::new(),
        seen: S::Seen::default(),
        broken: Vec::new(),
        stop: false,
    };
    let start = system.start();
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
        cores: search.healed.len(),
        seen: search.seen,
        depth,
        broken: search.broken,
    }
}

struct Search<'a, S: System> {
    system: &'a S,
    limits: Limits,
    known: HashSet<Fingerprint>,
    /// Cores from which all ends well.
    healed: HashSet<Fingerprint>,
    parents: Vec<(u32, u16)>,
    seen: S::Seen,
    broken: Vec<Broken>,
    stop: bool,
}

impl<S: System> Search<'_, S> {
    /// Makes the moves of the state that is next in order of discovery.
    fn expand(&mut self, number: u32, state: &S::State, next: &mut Vec<S::State>) {
        let mut moves = Vec::new();
        self.system.moves(state, &mut moves);
        for (i, &step) in moves.iter().enumerate() {
            let (after, seen) = self.system.after(state, step);
            S::merge(&mut self.seen, seen);
            if self.enter(&after, (number, i as u16)) {
                next.push(after);
            }
        }
    }

    /// Gives a state its number; true if it is new.
    fn enter(&mut self, state: &S::State, parent: (u32, u16)) -> bool {
        let number = self.parents.len() as u32;
        if !self.known.insert(Fingerprint::of(state)) {
            return false;
        }
        self.parents.push(parent);
        let mut healing = Vec::new();
        let judged = match S::violation(state) {
            Some(violation) => Err(violation.clone()),
            None if self.healed.insert(S::core(state)) => S::ends_well(state, &mut healing),
            None => Ok(()),
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
}

impl<S> Found<S> {
    pub(super) const fn states(&self) -> usize {
        self.parents.len()
    }

    /// A shortest way to a broken promise.
    pub(super) fn trace<T: System<Seen = S>>(&self, system: &T, broken: &Broken) -> Vec<T::Move> {
        let mut choices = Vec::new();
        let mut at = broken.state;
        while at != 0 {
            let (parent, choice) = self.parents[at as usize];
            choices.push(usize::from(choice));
            at = parent;
        }
        let mut state = system.start();
        let mut steps = Vec::new();
        for choice in choices.into_iter().rev() {
            let mut moves = Vec::new();
            system.moves(&state, &mut moves);
            steps.push(moves[choice]);
            state = system.after(&state, moves[choice]).0;
        }
        steps
    }
}
