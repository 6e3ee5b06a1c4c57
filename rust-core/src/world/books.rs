//! What every world keeps about a run, whatever carries its messages.

use super::meter::Meter;
use super::trace::Tracer;
use crate::check::Safety;
use crate::ids::NodeId;
use crate::machine::{Action, Event, Fate, Message};
use crate::network::{Lane, Observer};
use crate::time::Time;

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
}

impl<S: AsRef<Safety>> Books<S> {
    pub const fn new(safety: S, meter: Meter) -> Self {
        Self {
            now: Time::ZERO,
            safety,
            meter,
            tracer: None,
            pending: 0,
        }
    }

    fn count_inside(&mut self) {
        let inside = self.safety.as_ref().exclusion.count();
        self.meter.now_inside(self.now, inside as u32);
    }
}

impl<M: Message, S: Observer<M> + AsRef<Safety>> Observer<M> for Books<S> {
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
