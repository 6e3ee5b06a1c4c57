//! The same model in stateright, whose search, hashes and bookkeeping are not ours.

use super::Settings;
use super::model::{Model, Move, State};
use stateright::{Checker, Property};

impl stateright::Model for Model {
    type State = State;
    type Action = Move;

    fn init_states(&self) -> Vec<State> {
        vec![self.start()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Move>) {
        self.moves(state, actions);
    }

    fn next_state(&self, state: &State, action: Move) -> Option<State> {
        Some(self.after(state, action).0)
    }

    fn format_action(&self, action: &Move) -> String {
        action.to_string()
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(SAFE, |_, state: &State| state.violation().is_none()),
            Property::sometimes("the link is up", |_, state: &State| state.ends.are_up()),
        ]
    }
}

const SAFE: &str = "no promise is broken";

/// How many states stateright finds in a model without violations.
///
/// # Errors
/// With the steps to a violation, if it finds one.
pub fn second_opinion(settings: Settings) -> Result<usize, Vec<String>> {
    use stateright::Model as _;
    let checker = Model::new(settings).checker().threads(2).spawn_bfs().join();
    match checker.discovery(SAFE) {
        None => Ok(checker.unique_state_count()),
        Some(path) => Err(path.into_actions().iter().map(Move::to_string).collect()),
    }
}
