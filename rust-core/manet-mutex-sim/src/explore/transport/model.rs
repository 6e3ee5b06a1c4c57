//! The states of a pair of nodes and how one follows from another.

use super::Settings;
use super::ends::{Datagram, Ends};
use super::seen::{Seen, Sometimes};
use crate::check::Violation;
use crate::explore::breadth::System;
use crate::explore::fingerprint::Fingerprint;
use crate::network::End;
use std::fmt;

/// Two ends under an adversary that carries their datagrams as it likes.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
}

/// A global state: both ends, what is under way, and what may still happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    ends: Ends,
    /// All that was ever sent, in order; what is delivered stays.
    air: Vec<Datagram>,
    sent: u8,
    restarts: u8,
}

/// One move of the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A datagram arrives.
    Receive(Datagram),
    /// The protocol sends a message.
    Send(End),
    /// The next message goes out.
    Advance(End),
    /// A node loses its memory.
    Restart(End),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Receive(datagram) => write!(f, "{} receives {datagram}", datagram.to),
            Self::Send(at) => write!(f, "{at} sends a message"),
            Self::Advance(at) => write!(f, "the next message of {at} goes out"),
            Self::Restart(at) => write!(f, "{at} restarts"),
        }
    }
}

impl Model {
    /// With what may happen.
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// What has to be seen somewhere, or the settings allow less than they say.
    pub fn expected(&self) -> Seen {
        let Settings {
            messages, restarts, ..
        } = self.settings;
        let (sending, both) = (messages > 0, messages > 0 && restarts > 0);
        let mut seen = Seen::default();
        seen.add_if(Sometimes::Delivered, sending);
        seen.add_if(Sometimes::Duplicate, sending);
        seen.add_if(Sometimes::Acked, sending);
        seen.add_if(
            Sometimes::Overtaken,
            messages > 1 && self.settings.window > 1,
        );
        seen.add_if(Sometimes::InDoubt, both);
        seen.add_if(Sometimes::Unsent, both && messages > 1);
        seen.add_if(Sometimes::Stale, both);
        seen.add_if(Sometimes::OtherLife, both);
        seen
    }
}

impl System for Model {
    type State = State;
    type Move = Move;
    type Seen = Seen;

    fn start(&self) -> State {
        State {
            ends: Ends::new(&self.settings),
            air: Vec::new(),
            sent: 0,
            restarts: self.settings.restarts,
        }
    }

    fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.ends.violation.is_some() {
            return;
        }
        moves.extend(state.air.iter().copied().map(Move::Receive));
        for at in 0..2 {
            let pair = &state.ends.pairs[at];
            if state.sent < self.settings.messages {
                moves.push(Move::Send(at));
            }
            if pair.lives().1.is_some() && pair.load().1 > 0 {
                moves.push(Move::Advance(at));
            }
            if state.restarts > 0 {
                moves.push(Move::Restart(at));
            }
        }
    }

    fn after(&self, state: &State, step: Move) -> (State, Seen) {
        let mut next = state.clone();
        let mut seen = Seen::default();
        let ends = &mut next.ends;
        let said = match step {
            Move::Receive(datagram) => ends.receive(&datagram, &mut seen).answer,
            Move::Send(at) => {
                next.sent += 1;
                ends.send(at, next.sent)
            }
            Move::Advance(at) => ends.advance(at, self.settings.window),
            Move::Restart(at) => {
                next.restarts -= 1;
                ends.restart(at, &self.settings);
                None
            }
        };
        next.air.extend(said);
        next.air.sort_unstable();
        next.air.dedup();
        (next, seen)
    }

    fn merge(all: &mut Seen, more: Seen) {
        all.merge(more);
    }

    fn violation(state: &State) -> Option<&Violation> {
        state.ends.violation.as_ref()
    }

    /// What is under way may be lost, so it does not matter.
    fn core(state: &State) -> Fingerprint {
        Fingerprint::of(&state.ends)
    }

    fn ends_well(state: &State, carried: &mut Vec<String>) -> Result<(), Violation> {
        state.ends.heals(carried)
    }
}
