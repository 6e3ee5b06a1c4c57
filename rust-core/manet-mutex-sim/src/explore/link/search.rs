//! The pair of nodes as something to be explored.

use super::healing::{clears_by_relay, heals};
use super::model::{Model, Move, State};
use super::seen::Seen;
use crate::check::Violation;
use crate::explore::breadth::System;
use crate::explore::fingerprint::Fingerprint;

impl System for Model {
    type State = State;
    type Move = Move;
    type Seen = Seen;

    fn start(&self) -> State {
        Self::start(self)
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        Self::moves(self, state, moves);
    }

    fn after(&self, state: &State, step: Move) -> (State, Seen) {
        Self::after(self, state, step)
    }

    fn merge(all: &mut Seen, more: Seen) {
        all.merge(more);
    }

    fn violation(state: &State) -> Option<&Violation> {
        state.violation()
    }

    /// Nobody has to listen to what is in the air, so it does not matter.
    fn core(state: &State) -> Fingerprint {
        Fingerprint::of(&(&state.ends.pairs, &state.ends.checker))
    }

    fn ends_well(state: &State, carried: &mut Vec<String>) -> Result<(), Violation> {
        let mut frames = Vec::new();
        let ended = heals(&state.ends, &mut frames).and_then(|()| {
            frames.clear();
            clears_by_relay(&state.ends, &mut frames)
        });
        let line = |frame: &super::Frame| format!("healing: {} receives {frame}", frame.to);
        carried.extend(frames.iter().map(line));
        ended
    }
}
