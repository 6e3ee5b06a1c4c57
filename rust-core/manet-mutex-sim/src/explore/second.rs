//! The same model in stateright, whose search, hashes and bookkeeping are not ours.

use super::model::{Model, State};
use super::moves::Move;
use crate::check::Invariants;
use crate::network::App;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::Population;
use stateright::{Checker, Property};

impl<P: Population + Invariants> stateright::Model for Model<P> {
    type State = State<P>;
    type Action = Move;

    fn init_states(&self) -> Vec<Self::State> {
        vec![self.start().clone()]
    }

    fn actions(&self, state: &Self::State, actions: &mut Vec<Move>) {
        self.inevitable(state, actions);
        self.optional(state, actions);
    }

    fn next_state(&self, state: &Self::State, action: Move) -> Option<Self::State> {
        Some(self.after(state, action).0)
    }

    fn format_action(&self, action: &Move) -> String {
        let steps: Vec<String> = action.steps().map(|step| step.to_string()).collect();
        steps.join(", ")
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SAFE, |_, state: &State<P>| state.violation().is_none()),
            Property::sometimes("somebody enters", |_, state: &State<P>| {
                let app = |i| state.network().app(NodeId::from_index(i));
                (0..state.network().nodes().len()).any(|i| matches!(app(i), App::Inside(_)))
            }),
        ]
    }
}

const SAFE: &str = "no promise is broken";

/// How many states stateright finds in a model without violations.
///
/// # Errors
/// With the steps to a violation, if it finds one.
pub fn second_opinion<P: Population + Invariants>(model: Model<P>) -> Result<usize, String> {
    second_opinion_of(model, 2)
}

/// As [`second_opinion`], by so many threads.
///
/// # Errors
/// With the steps to a violation, if it finds one.
pub fn second_opinion_of<P: Population + Invariants>(
    model: Model<P>,
    threads: usize,
) -> Result<usize, String> {
    use stateright::Model as _;
    let checker = model.checker().threads(threads).spawn_bfs().join();
    match checker.discovery(SAFE) {
        None => Ok(checker.unique_state_count()),
        Some(path) => {
            let format = |action: &Move| checker.model().format_action(action);
            let steps: Vec<String> = path.into_actions().iter().map(format).collect();
            Err(steps.join(", "))
        }
    }
}
