//! What every world keeps about a run, whatever carries its messages.

use super::MOST_AT_ONCE;
use super::meter::Meter;
use super::trace::Tracer;
use crate::check::{Check, Safety, Violation};
use crate::network::{Lane, Observer};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Event, Fate, Message};
use manet_mutex::time::Time;

/// Checks, measures and traces what enters and leaves the machines. The checks are [`Safety`] over
/// ideal links, and an [`Audit`](crate::check::Audit) of whole nodes.
#[derive(Debug)]
pub(super) struct Books<S = Safety> {
    pub now: Time,
    pub safety: S,
    pub meter: Meter,
    pub tracer: Option<Tracer>,
    /// Applications waiting or inside.
    pub pending: u64,
    /// How much has happened at this instant, and how much may.
    at_once: u64,
    most_at_once: u64,
}

impl<S: AsRef<Safety> + AsMut<Safety>> Books<S> {
    /// For a network of so many nodes and links.
    pub fn new(safety: S, meter: Meter, size: usize) -> Self {
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
        let violation = Violation::new(Check::Standstill, detail);
        self.safety.as_mut().report(violation);
    }

    fn count_inside(&mut self) {
        let inside = self.safety.as_ref().exclusion.count();
        self.meter.now_inside(self.now, inside as u32);
    }
}

impl<M: Message, S: Observer<M> + AsRef<Safety> + AsMut<Safety>> Observer<M> for Books<S> {
    #[inline(always)]
    fn event(&mut self, node: NodeId, event: &Event<M>) {
        if let Some(tracer) = &mut self.tracer {
            tracer.event(self.now, node, event);
        }
        self.safety.event(node, event);
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
        self.safety.action(node, action, lane);
        match action {
            Action::Enter(_) => {
                self.meter.enter(node, self.now);
                self.count_inside();
            }
            Action::Demoted => {
                self.meter.demoted(node, self.now);
                self.count_inside();
            }
            _ => {}
        }
    }

    fn link_begins(&mut self, a: NodeId, b: NodeId) {
        self.safety.link_begins(a, b);
    }

    fn linked(&mut self, node: NodeId, peer: NodeId) {
        self.safety.linked(node, peer);
    }

    fn crash(&mut self, node: NodeId) {
        self.safety.crash(node);
        self.count_inside();
        if let Some(tracer) = &mut self.tracer {
            tracer.crash(self.now, node);
        }
    }
}
