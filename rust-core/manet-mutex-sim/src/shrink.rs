//! Shorter counterexamples.

use crate::check::{Invariants, Violation};
use crate::network::Step;
use crate::scenario::{Describe, PROGRESS, Setup, SetupError, Watched};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};

/// Steps tried in all; a long trace on a large network is then shortened as far as that goes.
const BUDGET: usize = 3_000_000;

/// A list of steps that breaks a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// Each of which can happen; after the last one the promise is broken.
    pub steps: Vec<Step>,
    /// The promise.
    pub violation: Violation,
}

/// Runs `steps` and leaves out what is not needed to break the promise that they break first:
/// halves, then smaller and smaller parts, then single steps (delta debugging, Zeller and
/// Hildebrandt), then any two. Steps that cannot happen are left out as well. `None` if nothing
/// is broken.
///
/// Where no step breaks anything but somebody waits for ever after the last one, that is the
/// promise ([`PROGRESS`]).
///
/// # Errors
/// If the setup cannot be run.
pub fn shrink(setup: &Setup, steps: &[Step]) -> Result<Option<Shrunk>, SetupError> {
    let shrinker = Shrinker { setup, steps };
    registry::visit(&setup.protocol, &setup.options, shrinker)?
}

struct Shrinker<'a> {
    setup: &'a Setup,
    steps: &'a [Step],
}

impl Visitor for Shrinker<'_> {
    type Output = Result<Option<Shrunk>, SetupError>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output {
        let mut fresh = Watched::<P>::new(self.setup, &config)?;
        let at_start = fresh.start(&mut ());
        if let Some(violation) = at_start.into_iter().next() {
            let steps = Vec::new();
            return Ok(Some(Shrunk { steps, violation }));
        }
        let Some(best) = replay(&fresh, self.steps, None) else {
            return Ok(None);
        };
        let mut search = Search {
            fresh,
            best,
            budget: BUDGET,
        };
        search.beginnings();
        search.parts();
        while search.pairs() {
            search.parts();
        }
        Ok(Some(search.best))
    }
}

/// The shortest list so far.
struct Search<P: Population + Invariants> {
    fresh: Watched<P>,
    best: Shrunk,
    budget: usize,
}

impl<P: Population + Invariants> Search<P> {
    /// Leaves out the end, if somebody is stuck early on: a later change of the links may free him
    /// and stop another for some other reason.
    fn beginnings(&mut self) {
        if self.best.violation.property != PROGRESS {
            return;
        }
        let mut watched = self.fresh.clone();
        for at in 0..self.best.steps.len() {
            if watched.step(self.best.steps[at], &mut ()).is_ok()
                && let Some(violation) = watched.clone().stuck()
            {
                self.best.steps.truncate(at + 1);
                self.best.violation = violation;
                return;
            }
        }
    }

    /// Leaves out parts, each half as long as the one before, until no single step can go.
    fn parts(&mut self) {
        let mut part = self.best.steps.len().div_ceil(2).max(1);
        loop {
            let before = self.best.steps.len();
            let mut from = 0;
            while from < self.best.steps.len() {
                let to = (from + part).min(self.best.steps.len());
                if !self.without(|at| (from..to).contains(&at)) {
                    from = to;
                }
            }
            if self.budget == 0 || (part == 1 && self.best.steps.len() == before) {
                return;
            }
            part = part.div_ceil(2);
        }
    }

    /// Leaves out two steps that need not be neighbours; whether any could go.
    fn pairs(&mut self) -> bool {
        let steps = self.best.steps.len();
        (0..steps).any(|a| (a + 1..steps).any(|b| self.without(|at| at == a || at == b)))
    }

    /// Tries the list without the steps at these places.
    fn without(&mut self, leave_out: impl Fn(usize) -> bool) -> bool {
        if self.budget == 0 {
            return false;
        }
        let steps = self.best.steps.iter().enumerate();
        let kept = steps.filter(|&(at, _)| !leave_out(at));
        let fewer: Vec<Step> = kept.map(|(_, &step)| step).collect();
        let property = self.best.violation.property;
        // Whether somebody is stuck shows only after much more has happened.
        let more = if property == PROGRESS { 500 } else { 1 };
        self.budget = self.budget.saturating_sub(fewer.len() + more);
        match replay(&self.fresh, &fewer, Some(property)) {
            Some(shorter) => {
                self.best = shorter;
                true
            }
            None => false,
        }
    }
}

/// Takes the steps that can happen until `property` is broken, or anything if it is `None`.
fn replay<P: Population + Invariants>(
    fresh: &Watched<P>,
    steps: &[Step],
    property: Option<&str>,
) -> Option<Shrunk> {
    let wanted = |found: &Violation| property.is_none_or(|property| found.property == property);
    let mut watched = fresh.clone();
    let mut taken = Vec::new();
    for &step in steps {
        let Ok(found) = watched.step(step, &mut ()) else {
            continue;
        };
        taken.push(step);
        if let Some(violation) = found.into_iter().find(wanted) {
            let steps = taken;
            return Some(Shrunk { steps, violation });
        }
    }
    if property.is_some_and(|property| property != PROGRESS) {
        return None;
    }
    let violation = watched.stuck()?;
    let steps = taken;
    Some(Shrunk { steps, violation })
}
