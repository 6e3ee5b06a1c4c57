//! Model checking of the link layer: everything that can happen to one pair of nodes.
//!
//! The two ends are the code of [`manet_mutex::link::Pair`] itself. Between them is an adversary: a frame
//! once sent may arrive never, at any time, in any order, and any number of times, for it stays in
//! the air as long as it can have an effect. Both ends say hello whenever something has changed;
//! that restricts nothing, since nobody has to hear it. A third node passes on questions and
//! answers about what is in doubt, once each, and they too may get lost on either way.
//!
//! What is bounded are the things that would go on for ever ([`Settings`]): how often an end closes
//! for no reason, how many messages are sent, how often a node's standing changes. Within these
//! bounds [`explore_link`] goes through all states and asks:
//!
//! * *always*: every promise to the protocols is kept ([`crate::check::Delivery`]);
//! * *sometimes*: each thing that the settings allow does happen ([`Sometimes`]);
//! * *progress*: from every state, once the radio works and nobody closes any more, a few hellos
//!   settle everything, bring the link up and carry what waits; and from every state with doubt,
//!   one question through the relay ends it, even if the two never hear each other again.
//!
//! The model also is a [`stateright::Model`]: [`second_opinion`] has that crate count the same
//! states.

mod ends;
mod frames;
mod healing;
mod model;
mod reduce;
mod search;
mod second;
mod seen;

pub use frames::{Body, Frame, Parcel};
pub use model::{Model, Move, State};
pub use second::second_opinion;
pub use seen::{Seen, Sometimes};

use super::{Limits, VACUOUS, breadth};
use manet_mutex::link::Flaw;
use serde::{Serialize, Serializer};

/// What may happen to the two ends.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often in all an end leaves by its own decision, or because a hello does not list it.
    pub closes: u8,
    /// How many messages are sent in all, by either end.
    pub messages: u8,
    /// Whether messages may also be plain.
    pub plain: bool,
    /// How often in all a node begins or stops to move, enters or leaves its critical section;
    /// as often as it likes with `None`.
    pub turns: Option<u8>,
    /// Whether hellos may also be too weak for a link to form.
    pub weak: bool,
    /// Whether doubt can be resolved through the relay.
    pub relay: bool,
    /// Whether frames that can have no effect any more are taken out of the air, and those that
    /// differ in nothing that matters are one. Far fewer states, and the same at the two ends.
    pub reduce: bool,
    /// A rule to leave out.
    pub flaw: Option<Flaw>,
}

impl Default for Settings {
    /// The link comes up, and that is all.
    fn default() -> Self {
        Self {
            closes: 0,
            messages: 0,
            plain: false,
            turns: Some(0),
            weak: false,
            relay: false,
            reduce: true,
            flaw: None,
        }
    }
}

/// What an exploration comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// Different states.
    pub states: usize,
    /// Different states of the two ends alone.
    pub ends: usize,
    /// Moves to the state that is farthest from the start.
    pub depth: usize,
    /// Whether these are all states there are. If not, what was not found may still exist.
    pub complete: bool,
    /// What went wrong, each with a shortest way there.
    pub violations: Vec<Counterexample>,
    /// What happened somewhere.
    #[serde(serialize_with = "names")]
    pub seen: Seen,
    /// What had to happen somewhere.
    #[serde(serialize_with = "names")]
    pub expected: Seen,
}

/// A promise broken, and how to get there.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    /// Which promise.
    pub property: &'static str,
    /// How it was broken.
    pub detail: String,
    /// A shortest way there; empty if the trouble is that something never happens.
    pub trace: Vec<String>,
}

/// Goes through all states that `settings` allow, or as many as `limits` do; `progress` is told
/// now and then how many there are so far.
pub fn explore_link(settings: Settings, limits: Limits, progress: &mut dyn FnMut(usize)) -> Report {
    let model = Model::new(settings);
    let found = breadth::search(&model, limits, progress);
    let broken = |broken: &breadth::Broken| {
        let moves = found.trace(&model, broken);
        let carried = broken.healing.iter().cloned();
        Counterexample {
            property: broken.violation.property,
            detail: broken.violation.detail.clone(),
            trace: moves.iter().map(Move::to_string).chain(carried).collect(),
        }
    };
    let mut violations: Vec<Counterexample> = found.broken.iter().map(broken).collect();
    let expected = model.expected();
    let missing = |&(what, _): &(Sometimes, _)| expected.has(what) && !found.seen.has(what);
    // Of an exploration cut short nothing can be said about what never happens.
    let vacuous = Sometimes::ALL
        .into_iter()
        .filter(|what| found.complete && missing(what));
    violations.extend(vacuous.map(|(_, name)| Counterexample {
        property: VACUOUS,
        detail: format!("it never happens that {name}: allow more"),
        trace: Vec::new(),
    }));
    Report {
        states: found.states(),
        ends: found.cores,
        depth: found.depth,
        complete: found.complete,
        violations,
        seen: found.seen,
        expected,
    }
}

fn names<S: Serializer>(seen: &Seen, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seen.names())
}
