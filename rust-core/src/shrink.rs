//! Shorter counterexamples.

use crate::check::{Monitor, Violation};
use crate::network::Step;
use crate::protocol::Population;
use crate::protocol::registry::{self, Visitor};
use crate::scenario::{Setup, SetupError, Terms, Watched};

/// Steps tried in all; a long trace on a large network is then shortened as far as that goes.
const BUDGET: usize = 3_000_000;

/// A list of steps that breaks a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// The steps, each of which can happen; the last one breaks it.
    pub steps: Vec<Step>,
    /// The promise.
    pub violation: Violation,
}

/// The property of a network in which somebody waits for ever though all nodes are joined and
/// everything arrives. No step violates it, so it is looked for after the last one.
pub const PROGRESS: &str = "progress";

/// Runs `steps` and leaves out what is not needed to break the promise that they break first:
/// halves, then smaller and smaller parts, then single steps (delta debugging, Zeller and
/// Hildebrandt). Steps that cannot happen are left out as well. `None` if nothing is broken.
///
/// # Errors
/// If the setup cannot be run.
pub fn shrink(setup: &Setup, steps: &[Step]) -> Result<Option<Counterexample>, SetupError> {
    let shrinker = Shrinker { setup, steps };
    registry::visit(&setup.protocol, &setup.options, shrinker)?
}

struct Shrinker<'a> {
    setup: &'a Setup,
    steps: &'a [Step],
}

impl Visitor for Shrinker<'_> {
    type Output = Result<Option<Counterexample>, SetupError>;

    fn visit<P: Population + Monitor + Terms>(self, config: P::Config) -> Self::Output {
        let mut fresh = Watched::<P>::new(self.setup, &config)?;
        let at_start = fresh.start(&mut ());
        if let Some(violation) = at_start.into_iter().next() {
            let steps = Vec::new();
            return Ok(Some(Counterexample { steps, violation }));
        }
        let Some(mut best) = replay(&fresh, self.steps, None) else {
            return Ok(None);
        };
        let property = best.violation.property;
        let mut budget = BUDGET;
        let mut part = best.steps.len().div_ceil(2).max(1);
        loop {
            let before = best.steps.len();
            let mut from = 0;
            while from < best.steps.len() && budget > 0 {
                let to = (from + part).min(best.steps.len());
                let fewer = [&best.steps[..from], &best.steps[to..]].concat();
                budget = budget.saturating_sub(fewer.len());
                match replay(&fresh, &fewer, Some(property)) {
                    Some(shorter) => best = shorter,
                    None => from = to,
                }
            }
            if budget == 0 || (part == 1 && best.steps.len() == before) {
                return Ok(Some(best));
            }
            part = part.div_ceil(2);
        }
    }
}

/// Takes the steps that can happen until `property` is broken, or anything if it is `None`.
fn replay<P: Population + Monitor>(
    fresh: &Watched<P>,
    steps: &[Step],
    property: Option<&str>,
) -> Option<Counterexample> {
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
            return Some(Counterexample { steps, violation });
        }
    }
    let detail = "somebody waits for ever although everything arrives";
    let violation = Violation::new(PROGRESS, detail);
    (wanted(&violation) && watched.is_stuck()).then_some(Counterexample {
        steps: taken,
        violation,
    })
}
