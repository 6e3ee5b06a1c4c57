//! Model checking: every interleaving on a small network.
//!
//! A [`Model`] makes a network of a few machines, an adversary that chooses among all that can
//! happen ([`Model::inevitable`], [`Model::optional`]) and the checkers of [`crate::check`] one
//! transition system. [`explore`] goes through all its states, breadth first, and asks of them:
//!
//! * *always*: no promise is broken ([`crate::check::Safety`], [`crate::check::Ledger::audit`],
//!   [`crate::check::Invariants`]), and the machines report no error;
//! * *sometimes*: each thing that the settings allow does happen ([`Sometimes`]), so that the
//!   first kind is not kept by doing nothing;
//! * *progress*: from every state, if requests and link changes stop there, everybody who waits
//!   within reach of the token is served, whatever the order of what remains.
//!
//! States are told apart by 128-bit fingerprints. A model also is a [`stateright::Model`]:
//! [`second_opinion`] has that crate count the same states.

mod breadth;
mod fingerprint;
pub mod link;
mod liveness;
mod model;
mod moves;
pub mod schedules;
mod search;
mod second;
pub mod seeds;
mod seen;
pub mod transport;

pub use model::{InTransit, Model, ModelError, Requests, Routing, Settings, State};
pub use moves::Move;
pub use search::Limits;
pub use second::{second_opinion, second_opinion_of};
pub use seen::{Seen, Sometimes};

use crate::check::Invariants;
use crate::network::Step;
use manet_mutex::protocol::Population;
use serde::{Serialize, Serializer};

/// What an exploration comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The protocol's name.
    pub protocol: &'static str,
    /// The links at the start.
    pub topology: String,
    /// Different states.
    pub states: usize,
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
    #[serde(serialize_with = "texts")]
    pub trace: Vec<Step>,
}

impl Counterexample {
    /// The trace on one line.
    pub fn line(&self) -> String {
        let steps: Vec<String> = self.trace.iter().map(Step::to_string).collect();
        steps.join(", ")
    }
}

/// Progress fails: nothing at all can happen, and somebody waits.
pub const STUCK: &str = "no waiter is stuck";
/// Progress fails: whatever happens, somebody waits for ever.
pub const CAN_BE_SERVED: &str = "every waiter can be served";
/// Progress fails: in some order of events somebody waits for ever.
pub const WILL_BE_SERVED: &str = "every waiter will be served";
/// Something that the settings allow never happens.
pub const VACUOUS: &str = "vacuous";

/// Goes through all states of `model`, or as many as `limits` allow; `progress` is told now and
/// then how many there are so far.
pub fn explore<P: Population + Invariants>(
    model: &Model<P>,
    limits: Limits,
    progress: &mut dyn FnMut(usize),
) -> Report {
    let found = search::search(model, limits, &|_| false, progress);
    let counterexample = |property, detail: String, state| Counterexample {
        property,
        detail,
        trace: found.trace(model, state),
    };
    let broken = |(state, violation): &(u32, crate::check::Violation)| {
        counterexample(violation.property, violation.detail.clone(), *state)
    };
    let mut violations: Vec<Counterexample> = found.broken.iter().map(broken).collect();
    let live = liveness::failures(&found.graph);
    let progress = [
        (
            STUCK,
            found.stuck,
            "nothing can happen, yet somebody waits within reach of the token",
        ),
        (
            CAN_BE_SERVED,
            live.doomed,
            "whatever happens, somebody within reach of the token waits for ever",
        ),
        (
            WILL_BE_SERVED,
            live.avoidable.filter(|_| live.doomed.is_none()),
            "events can go on for ever while somebody waits within reach of the token",
        ),
    ];
    for (property, state, detail) in progress {
        violations.extend(state.map(|state| counterexample(property, detail.to_owned(), state)));
    }
    let expected = model.expected();
    let missing = |&(what, _): &(Sometimes, _)| expected.has(what) && !found.seen.has(what);
    // Of an exploration cut short nothing can be said about what never happens.
    for (_, name) in Sometimes::ALL
        .into_iter()
        .filter(missing)
        .filter(|_| found.complete)
    {
        violations.push(Counterexample {
            property: VACUOUS,
            detail: format!("it never happens that {name}: allow more requests or changes"),
            trace: Vec::new(),
        });
    }
    Report {
        protocol: P::NAME,
        topology: links(model),
        states: found.states(),
        depth: found.depth,
        complete: found.complete,
        violations,
        seen: found.seen,
        expected,
    }
}

/// A shortest way to a state that satisfies `wanted`, if there is one among the first
/// `max_states`.
pub fn find<P: Population + Invariants>(
    model: &Model<P>,
    max_states: usize,
    wanted: impl Fn(&State<P>) -> bool,
) -> Option<Vec<Step>> {
    let limits = Limits {
        max_states,
        first_violation: false,
    };
    let found = search::search(model, limits, &wanted, &mut |_| {});
    found.wanted.map(|state| found.trace(model, state))
}

fn links<P: Population + Invariants>(model: &Model<P>) -> String {
    use crate::network::EndState;
    let links: Vec<String> = model
        .start()
        .network()
        .pairs()
        .filter(|(_, pair)| pair.end(0) == EndState::Up)
        .map(|([a, b], _)| format!("{a}-{b}"))
        .collect();
    links.join(",")
}

fn names<S: Serializer>(seen: &Seen, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seen.names())
}

fn texts<S: Serializer>(trace: &[Step], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(trace.iter().map(Step::to_string))
}
