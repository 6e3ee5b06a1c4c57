//! Breadth first through all states, each kept as a fingerprint and a way back.

use super::fingerprint::Fingerprint;
use super::model::{Model, State};
use super::moves::Move;
use super::seen::Seen;
use crate::check::{Invariants, Violation};
use crate::network::Step;
use manet_mutex::protocol::Population;
use std::collections::HashMap;

/// When to stop before everything has been seen.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// After this many states.
    pub max_states: usize,
    /// At the first state that breaks a promise.
    pub first_violation: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_states: u32::MAX as usize,
            first_violation: false,
        }
    }
}

/// What a search has found.
pub(super) struct Found {
    /// How each state was reached first: from where, and by which of the moves possible there.
    parents: Vec<(u32, u16)>,
    pub(super) graph: Inevitable,
    pub(super) seen: Seen,
    pub(super) depth: usize,
    pub(super) complete: bool,
    /// The first state that breaks each promise.
    pub(super) broken: Vec<(u32, Violation)>,
    /// The first state in which somebody waits in vain.
    pub(super) stuck: Option<u32>,
    /// The first state that was looked for.
    pub(super) wanted: Option<u32>,
}

/// The states with their inevitable moves, for questions about progress.
#[derive(Default)]
pub(super) struct Inevitable {
    /// Where the successors of each state begin in `targets`; one more than there are states
    /// that have been expanded.
    pub(super) starts: Vec<usize>,
    pub(super) targets: Vec<u32>,
    /// Whether nobody waits there who could be served. True as well for states that break a
    /// promise or have not been expanded: nothing can be said about what follows them.
    pub(super) settled: Vec<bool>,
}

/// Goes through the states of `model` until `limits` or `wanted` say to stop.
pub(super) fn search<P: Population + Invariants>(
    model: &Model<P>,
    limits: Limits,
    wanted: &dyn Fn(&State<P>) -> bool,
    progress: &mut dyn FnMut(usize),
) -> Found {
    let mut search = Search::new(model, limits, wanted);
    let mut level = vec![model.start().clone()];
    search.enter(model.start(), (0, 0));
    while !search.stop && !level.is_empty() {
        let mut next = Vec::new();
        for state in level {
            if search.stop {
                break;
            }
            search.expand(&state, &mut next);
            if search.found.graph.starts.len().is_multiple_of(4096) {
                progress(search.index.len());
            }
        }
        search.found.depth += usize::from(!next.is_empty());
        level = next;
    }
    search.finish()
}

struct Search<'a, P: Population + Invariants> {
    model: &'a Model<P>,
    limits: Limits,
    wanted: &'a dyn Fn(&State<P>) -> bool,
    index: HashMap<Fingerprint, u32>,
    found: Found,
    stop: bool,
    moves: Vec<Move>,
}

impl<'a, P: Population + Invariants> Search<'a, P> {
    fn new(model: &'a Model<P>, limits: Limits, wanted: &'a dyn Fn(&State<P>) -> bool) -> Self {
        let found = Found {
            parents: Vec::new(),
            graph: Inevitable::default(),
            seen: Seen::default(),
            depth: 0,
            complete: false,
            broken: Vec::new(),
            stuck: None,
            wanted: None,
        };
        Self {
            model,
            limits,
            wanted,
            index: HashMap::new(),
            found,
            stop: false,
            moves: Vec::new(),
        }
    }

    /// Makes the moves of the state that is next in order of discovery.
    fn expand(&mut self, state: &State<P>, next: &mut Vec<State<P>>) {
        let from = self.found.graph.starts.len();
        self.found.graph.starts.push(self.found.graph.targets.len());
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.model.inevitable(state, &mut moves);
        let inevitable = moves.len();
        self.model.optional(state, &mut moves);
        if moves.is_empty() && !self.found.graph.settled[from] {
            self.found.stuck.get_or_insert(from as u32);
            self.stop |= self.limits.first_violation;
        }
        for (i, &step) in moves.iter().enumerate() {
            let (after, seen) = self.model.after(state, step);
            self.found.seen.merge(seen);
            // The first move to a state is the one to remember.
            let (to, new) = self.enter(&after, (from as u32, i as u16));
            if i < inevitable {
                self.found.graph.targets.push(to);
            }
            if new {
                next.push(after);
            }
        }
        self.moves = moves;
    }

    /// Gives a state its number; true if it is new.
    fn enter(&mut self, state: &State<P>, parent: (u32, u16)) -> (u32, bool) {
        let number = self.index.len() as u32;
        let known = *self.index.entry(Fingerprint::of(state)).or_insert(number);
        if known != number {
            return (known, false);
        }
        self.found.parents.push(parent);
        let settled = state.violation().is_some() || self.model.nobody_waits_in_reach(state);
        self.found.graph.settled.push(settled);
        if let Some(violation) = state.violation() {
            let same = |(_, known): &(u32, Violation)| known.property == violation.property;
            if !self.found.broken.iter().any(same) {
                self.found.broken.push((number, violation.clone()));
            }
            self.stop |= self.limits.first_violation;
        }
        if self.found.wanted.is_none() && (self.wanted)(state) {
            self.found.wanted = Some(number);
            self.stop = true;
        }
        self.stop |= self.index.len() >= self.limits.max_states;
        (number, true)
    }

    fn finish(mut self) -> Found {
        let graph = &mut self.found.graph;
        let expanded = graph.starts.len();
        self.found.complete = expanded == graph.settled.len();
        graph.settled[expanded..].fill(true);
        graph.starts.push(graph.targets.len());
        self.found
    }
}

impl Found {
    pub(super) const fn states(&self) -> usize {
        self.parents.len()
    }

    /// A shortest way to a state.
    pub(super) fn trace<P: Population + Invariants>(&self, model: &Model<P>, to: u32) -> Vec<Step> {
        let mut choices = Vec::new();
        let mut at = to;
        while at != 0 {
            let (parent, choice) = self.parents[at as usize];
            choices.push(usize::from(choice));
            at = parent;
        }
        let mut state = model.start().clone();
        let mut steps = Vec::new();
        for choice in choices.into_iter().rev() {
            let mut moves = Vec::new();
            model.inevitable(&state, &mut moves);
            model.optional(&state, &mut moves);
            steps.extend(moves[choice].steps());
            state = model.after(&state, moves[choice]).0;
        }
        steps
    }
}
