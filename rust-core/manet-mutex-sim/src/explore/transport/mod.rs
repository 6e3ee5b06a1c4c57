//! Model checking of the transport: everything that can happen between one pair of nodes.
//!
//! The two ends are the code of [`manet_mutex::transport::Pair`] itself. Between them is an adversary: a
//! datagram once sent may arrive never, at any time, in any order, and any number of times, for it
//! stays under way for ever; so nothing has to be sent again for that. What is bounded is how many
//! messages are sent and how often a node restarts ([`Settings`]). Within these bounds
//! [`explore_transport`] goes through all states and asks:
//!
//! * *always*: nothing is delivered twice, and nothing vanishes ([`crate::check::Once`]);
//! * *sometimes*: each thing that the settings allow does happen ([`Sometimes`]);
//! * *progress*: from every state, once datagrams arrive and nobody restarts any more, everything
//!   is delivered or told of.
//!
//! [`explore_stack`] does the same for two nodes with a protocol on top, whose promises then are
//! asked for as well. [`schedules`] plays whole transports with clock and bytes, by chance.

mod ends;
mod model;
pub mod schedules;
mod seen;
mod stack;

pub use model::{Model, Move, State};
pub use seen::{Seen, Sometimes};
pub use stack::explore_stack;

use super::link::Counterexample;
use super::{Limits, VACUOUS, breadth};
use manet_mutex::transport::Flaw;
use serde::{Serialize, Serializer};

/// What may happen to the two ends.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How many messages are sent in all, by either end.
    pub messages: u8,
    /// How often a node restarts, in all.
    pub restarts: u8,
    /// How many messages may be under way from one end.
    pub window: usize,
    /// A rule to leave out.
    pub flaw: Option<Flaw>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            messages: 2,
            restarts: 1,
            window: 2,
            flaw: None,
        }
    }
}

/// What an exploration comes to.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
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
}

/// Goes through all states that `settings` allow, or as many as `limits` do; `progress` is told
/// now and then how many there are so far.
pub fn explore_transport(
    settings: Settings,
    limits: Limits,
    progress: &mut dyn FnMut(usize),
) -> Report {
    let model = Model::new(settings);
    let found = breadth::search(&model, limits, progress);
    Report::new(&model, &found, model.expected())
}

impl Report {
    fn new<T: breadth::System<Seen = Seen, Move: ToString>>(
        model: &T,
        found: &breadth::Found<Seen>,
        expected: Seen,
    ) -> Self {
        let broken = |broken: &breadth::Broken| {
            let moves = found.trace(model, broken);
            let carried = broken.healing.iter().cloned();
            Counterexample {
                property: broken.violation.property,
                detail: broken.violation.detail.clone(),
                trace: moves
                    .iter()
                    .map(T::Move::to_string)
                    .chain(carried)
                    .collect(),
            }
        };
        let mut violations: Vec<Counterexample> = found.broken.iter().map(broken).collect();
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
        Self {
            states: found.states(),
            depth: found.depth,
            complete: found.complete,
            violations,
            seen: found.seen,
        }
    }
}

fn names<S: Serializer>(seen: &Seen, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(seen.names())
}
