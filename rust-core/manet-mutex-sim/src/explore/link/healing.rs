//! Whether all ends well once the radio works.

use super::ends::{Effects, Ends};
use super::frames::{Body, Frame};
use crate::check::Violation;
use crate::network::End;

/// Hellos of each end that must be enough to settle everything and bring the link up.
const ROUNDS: usize = 8;

/// The radio carries everything from now on and nobody closes: nothing may stay in doubt, the
/// link must come up and carry what waits. `frames` get what was carried.
pub(super) fn heals(ends: &Ends, frames: &mut Vec<Frame>) -> Result<(), Violation> {
    let mut ends = ends.clone();
    for _ in 0..ROUNDS {
        for from in 0..2 {
            let hello = ends.hello(from);
            exchange(&mut ends, hello, frames);
            transmit_all(&mut ends, frames);
        }
        if let Some(violation) = ends.violation() {
            return Err(violation.clone());
        }
        if ends.are_up() && ends.are_settled() {
            return Ok(());
        }
    }
    let detail = format!("after {ROUNDS} hellos of each end it is not up and settled");
    Err(Violation::named(HEALS, detail))
}

/// The two ends can reach each other through the relay alone: nothing may stay in doubt.
pub(super) fn clears_by_relay(ends: &Ends, frames: &mut Vec<Frame>) -> Result<(), Violation> {
    if ends.pairs.iter().all(|pair| !pair.is_doubtful()) {
        return Ok(());
    }
    let mut ends = ends.clone();
    for at in 0..2 {
        if let Some(question) = ends.question(at) {
            exchange(&mut ends, question, frames);
        }
        if ends.pairs[at].is_doubtful() {
            let detail = format!("{at} asked through the relay and is still in doubt");
            return Err(Violation::named(CLEARS, detail));
        }
    }
    ends.violation().cloned().map_or(Ok(()), Err)
}

/// The link comes up again and nothing stays in doubt.
const HEALS: &str = "a working radio heals";
/// Nothing stays in doubt between nodes that can exchange anything.
const CLEARS: &str = "a relay ends doubt";

/// A frame arrives, and all that is said in reply.
fn exchange(ends: &mut Ends, frame: Frame, frames: &mut Vec<Frame>) {
    let mut effects = Effects::default();
    effects.frames.push(frame);
    while ends.violation().is_none()
        && let Some(mut frame) = effects.frames.pop()
    {
        if let Body::Flood { relayed, .. } = &mut frame.body {
            *relayed = true;
        }
        frames.push(frame);
        ends.receive(&frame, true, &mut effects);
    }
}

fn transmit_all(ends: &mut Ends, frames: &mut Vec<Frame>) {
    for at in 0..2 as End {
        ends.pairs[at].resend_from(0);
        let mut effects = Effects::default();
        loop {
            ends.take(at, &mut effects);
            match effects.frames.pop() {
                Some(frame) => exchange(ends, frame, frames),
                None => break,
            }
        }
    }
}
