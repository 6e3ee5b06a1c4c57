//! The states of a pair of nodes and how one follows from another.

use super::Settings;
use super::ends::{Effects, Ends};
use super::frames::{Body, Frame, Parcel};
use super::reduce::simplify;
use super::seen::{Seen, Sometimes};
use crate::check::Violation;
use crate::network::End;
use manet_mutex::link::State as Stage;
use std::fmt;

/// Two ends of a link under an adversary that carries their frames as it likes.
#[derive(Clone, Debug)]
pub struct Model {
    settings: Settings,
}

/// A global state: both ends, what is in the air, and what may still happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) ends: Ends,
    /// All that was ever sent, in order; what is delivered stays.
    pub(super) air: Vec<Frame>,
    /// Messages sent by each end.
    pub(super) sent: [u8; 2],
    /// How often it may still happen.
    pub(super) closes: u8,
    pub(super) turns: u8,
}

impl State {
    /// What is wrong with this state. Nothing follows such a state.
    pub const fn violation(&self) -> Option<&Violation> {
        self.ends.violation()
    }
}

/// One move of the adversary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A frame arrives.
    Receive {
        /// The frame.
        frame: Frame,
        /// Of a hello: its sender is heard well enough.
        ready: bool,
    },
    /// A hello arrives that does not list the receiver.
    Blank(End),
    /// An end leaves by its own decision.
    Close(End),
    /// The protocol sends a message.
    Send {
        /// Where.
        at: End,
        /// Whether it may vanish with its link.
        plain: bool,
    },
    /// The radio takes the next message.
    Take(End),
    /// What is not acknowledged has to go out again.
    Resend(End),
    /// A question about what is in doubt goes out to everybody.
    Ask(End),
    /// A node begins or stops to move.
    Motion(End),
    /// A node enters its critical section or leaves it.
    Inside(End),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Receive { frame, ready } => {
                let relayed = matches!(frame.body, Body::Flood { relayed: false, .. });
                let at = if relayed { 2 } else { frame.to };
                let hello = matches!(frame.body, Body::Hello(_));
                let well = if hello && !ready { ", too weak" } else { "" };
                write!(f, "{at} receives {frame}{well}")
            }
            Self::Blank(at) => write!(f, "{at} receives a hello that does not list it"),
            Self::Close(at) => write!(f, "{at} closes"),
            Self::Send { at, plain } => {
                let what = if plain { "note" } else { "token" };
                write!(f, "{at} sends a {what}")
            }
            Self::Take(at) => write!(f, "the radio of {at} takes the next message"),
            Self::Resend(at) => write!(f, "{at} has to send again"),
            Self::Ask(at) => write!(f, "{at} asks everybody"),
            Self::Motion(at) => write!(f, "{at} starts or stops moving"),
            Self::Inside(at) => write!(f, "{at} enters or leaves its critical section"),
        }
    }
}

impl Model {
    /// With what may happen.
    pub const fn new(settings: Settings) -> Self {
        Self { settings }
    }

    /// Both ends down, having heard nothing.
    pub fn start(&self) -> State {
        let settings = &self.settings;
        let mut state = State {
            ends: Ends::new(settings.flaw),
            air: Vec::new(),
            sent: [0; 2],
            closes: settings.closes,
            turns: settings.turns.unwrap_or(0),
        };
        self.breathe(&mut state, &[]);
        state
    }

    /// All that can happen next.
    pub fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        if state.violation().is_some() {
            return;
        }
        for &frame in &state.air {
            let ready = true;
            moves.push(Move::Receive { frame, ready });
            // Elsewhere it makes no difference.
            let down = state.ends.pairs[frame.to].state() == Stage::Down;
            if self.settings.weak && down && matches!(frame.body, Body::Hello(_)) {
                let ready = false;
                moves.push(Move::Receive { frame, ready });
            }
        }
        for at in 0..2 {
            self.moves_of(state, at, moves);
        }
    }

    fn moves_of(&self, state: &State, at: End, moves: &mut Vec<Move>) {
        let pair = &state.ends.pairs[at];
        let may_close = state.closes > 0;
        match pair.state() {
            Stage::Down => moves.push(Move::Blank(at)),
            Stage::Heard => {}
            // Leaves as well.
            Stage::Sym | Stage::Up if may_close => moves.push(Move::Blank(at)),
            Stage::Sym | Stage::Up => {}
        }
        if may_close && pair.state() != Stage::Down {
            moves.push(Move::Close(at));
        }
        let sent: u8 = state.sent.iter().sum();
        if sent < self.settings.messages && pair.state() == Stage::Up {
            moves.push(Move::Send { at, plain: false });
            if self.settings.plain {
                moves.push(Move::Send { at, plain: true });
            }
        }
        if pair.outgoing().is_some() {
            moves.push(Move::Take(at));
        }
        if pair.unacked().is_some() {
            moves.push(Move::Resend(at));
        }
        if self.settings.relay && pair.is_doubtful() {
            moves.push(Move::Ask(at));
        }
        if state.turns > 0 || self.settings.turns.is_none() {
            moves.extend([Move::Motion(at), Move::Inside(at)]);
        }
    }

    /// The state after a move, and what could be seen on the way.
    pub fn after(&self, state: &State, step: Move) -> (State, Seen) {
        let mut next = state.clone();
        let mut effects = Effects::default();
        let ends = &mut next.ends;
        match step {
            Move::Receive { frame, ready } => match frame.body {
                Body::Flood {
                    farewell,
                    relayed: false,
                } => {
                    let relayed = true;
                    let body = Body::Flood { farewell, relayed };
                    effects.frames.push(Frame { body, ..frame });
                }
                _ => ends.receive(&frame, ready, &mut effects),
            },
            Move::Blank(at) => {
                next.closes -= u8::from(ends.pairs[at].state() >= Stage::Sym);
                ends.blank(at, &mut effects);
            }
            Move::Close(at) => {
                next.closes -= 1;
                ends.close(at, &mut effects);
            }
            Move::Send { at, plain } => {
                let number = next.sent[at];
                next.sent[at] += 1;
                ends.send(at, Parcel { number, plain });
            }
            Move::Take(at) => ends.take(at, &mut effects),
            Move::Resend(at) => ends.pairs[at].resend_from(0),
            Move::Ask(at) => effects.frames.extend(ends.question(at)),
            Move::Motion(at) => {
                ends.standing[at].moving ^= true;
                next.turns = next.turns.saturating_sub(1);
            }
            Move::Inside(at) => {
                ends.standing[at].inside ^= true;
                next.turns = next.turns.saturating_sub(1);
            }
        }
        self.breathe(&mut next, &effects.frames);
        (next, effects.seen)
    }

    /// Puts frames into the air, with a hello of each end as it is now, and takes out those that
    /// can have no effect any more.
    fn breathe(&self, state: &mut State, frames: &[Frame]) {
        let hellos = [0, 1].map(|end| state.ends.hello(end));
        state.air.extend(hellos.iter().chain(frames));
        if self.settings.reduce {
            let (ends, flaw) = (&state.ends, self.settings.flaw);
            let simplest = |frame: &mut Frame| simplify(&ends.pairs[frame.to], flaw, frame);
            state.air.retain_mut(simplest);
        }
        state.air.sort_unstable();
        state.air.dedup();
    }

    /// What has to be seen somewhere, or the settings allow less than they say.
    pub fn expected(&self) -> Seen {
        let settings = &self.settings;
        let (closing, sending) = (settings.closes > 0, settings.messages > 0);
        let both = closing && sending;
        let mut seen = Seen::default();
        seen.add_if(Sometimes::UpAtBoth, true);
        seen.add_if(Sometimes::UpAgain, closing);
        // Without closes and without different standings the parity of the first epochs decides.
        let roles = closing || settings.turns != Some(0);
        seen.add_if(Sometimes::SmallerMoves, roles);
        seen.add_if(Sometimes::LargerMoves, true);
        let sent = [
            Sometimes::Delivered,
            Sometimes::Duplicate,
            Sometimes::Promoted,
        ];
        let closed = [
            Sometimes::DeliveredAtClose,
            Sometimes::ReturnedAtClose,
            Sometimes::InDoubt,
            Sometimes::ResolvedDelivered,
            Sometimes::ResolvedReturned,
            Sometimes::ByClose,
            Sometimes::ByHello,
        ];
        sent.iter().for_each(|&what| seen.add_if(what, sending));
        closed.iter().for_each(|&what| seen.add_if(what, both));
        seen.add_if(Sometimes::ByFlood, both && settings.relay);
        seen
    }
}
