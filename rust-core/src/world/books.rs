//! What every world keeps about a run, whatever carries its messages.

use super::meter::Meter;
use super::trace::Tracer;
use super::{MOST_AT_ONCE, STANDSTILL};
use crate::check::{Safety, Violation};
use crate::ids::NodeId;
use crate::machine::{Action, Cargo, Event, Fate, Message};
use crate::network::{Lane, Observer};
use crate::time::Time;

/// Checks, measures and traces what enters and leaves the machines.
#[derive(Debug)]
pub(super) struct Books {
    pub now: Time,
    pub safety: Safety,
    pub meter: Meter,
    pub tracer: Option<Tracer>,
    /// Applications waiting or inside.
    pub pending: u64,
    /// How much has happened at this instant, and how much may.
    at_once: u64,
    most_at_once: u64,
}

impl Books {
    /// For a network of so many nodes and links.
    pub fn new(safety: Safety, meter: Meter, size: usize) -> Self {
        Self {
            now: Time::ZERO,
            safety,
            meter,
            tracer: None,
            pending: 0,
            at_once: 0,
            most_at_once: MOST_AT_ONCE.saturating_mul(1000 + size as u64),
        }
    }

    /// Something happens at this time. Too much at one instant is a violation: such a run may
    /// never end.
    #[inline(always)]
    pub fn advance(&mut self, now: Time) {
        if self.now != now {
            self.now = now;
            self.at_once = 0;
        }
        self.at_once += 1;
        if self.at_once > self.most_at_once {
            self.stand_still();
        }
    }

    #[cold]
    fn stand_still(&mut self) {
        let detail = format!(
            "{} events happened at {} s: let messages, thinking or being inside take time",
            self.most_at_once, self.now
        );
        self.safety.report(Violation::new(STANDSTILL, detail));
    }

    fn count_inside(&mut self) {
        let inside = self.safety.exclusion.count();
        self.meter.now_inside(self.now, inside as u32);
    }
}

impl<M: Message> Observer<M> for Books {
    #[inline(always)]
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.event(self.now, node, event);
        }
        match event {
            // Moves nothing that is counted, and is most of what happens.
            Event::Message { msg, .. } if msg.cargo() == Cargo::Nothing => return,
            _ => self.safety.event(node, event),
        }
        match event {
            Event::Request(_) => {
                self.pending += 1;
                self.meter.request(node, self.now);
            }
            Event::Release => {
                self.pending -= 1;
                self.count_inside();
            }
            Event::LinkDown { unacked, .. } => {
                let in_doubt = |(_, fate): &&(M, Fate)| *fate == Fate::InDoubt;
                self.meter.doubts += unacked.iter().filter(in_doubt).count() as u64;
            }
            _ => {}
        }
    }

    #[inline(always)]
    fn action(&mut self, node: NodeId, action: &Action<M>, lane: Option<Lane>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.action(self.now, node, action);
        }
        match action {
            Action::Send { msg, .. } if msg.cargo() == Cargo::Nothing => {}
            Action::Enter(_) => {
                self.safety.action(node, action, lane);
                self.meter.enter(node, self.now);
                self.count_inside();
            }
            Action::Demoted => {
                self.safety.action(node, action, lane);
                self.meter.demoted(node, self.now);
                self.count_inside();
            }
            _ => self.safety.action(node, action, lane),
        }
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        <Safety as Observer<M>>::link_begins(&mut self.safety, a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        <Safety as Observer<M>>::linked(&mut self.safety, node, peer);
    }

    fn crash(&mut self, node: NodeId) {
        <Safety as Observer<M>>::crash(&mut self.safety, node);
        self.count_inside();
        if let Some(tracer) = &mut self.tracer {
            tracer.crash(self.now, node);
        }
    }
}
