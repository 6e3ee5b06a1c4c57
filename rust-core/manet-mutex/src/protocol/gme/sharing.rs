//! How `gme` serves, asks and takes back.

use super::{Gme, GmeMessage};
use crate::ids::NodeId;
use crate::machine::{Actions, ProtocolError};
use crate::protocol::reversal::{Dag, Erratum, Sharing, Status};

impl Sharing for Gme {
    fn dag_mut(&mut self) -> &mut Dag {
        &mut self.dag
    }

    fn pending(&mut self) -> &mut u64 {
        &mut self.pending
    }

    fn forget(&mut self, peer: NodeId) {
        self.queue.retain(|&(who, _)| who != peer);
    }

    fn forget_lower(&mut self) {
        let dag = &self.dag;
        self.queue
            .retain(|&(who, _)| who == dag.me() || dag.sees_above(who));
    }

    fn forget_asked(&mut self) {
        self.asked.clear();
    }

    /// [GME 3, transmitToken], with G1: nothing moves while weight is out.
    fn serve(&mut self, out: &mut Actions<GmeMessage>) -> Result<(), ProtocolError> {
        let back = std::mem::take(&mut self.pending);
        let Some(weight) = self.weight.checked_sub(back) else {
            return Err(self.broken("more weight came back than was given out"));
        };
        self.weight = weight;
        if self.weight == 0 && self.state != Status::Critical {
            self.session = None;
        }
        if let Some(open) = self.session {
            if self.is_admitting() || self.printed(Erratum::G4) {
                self.admit(open, out);
            }
            return Ok(());
        }
        match self.queue.first() {
            Some(&(first, resource)) if first == self.dag.me() => {
                self.session = Some(resource);
                self.admit(resource, out);
            }
            Some(&(first, _)) => self.pass_on(first, out),
            None => {}
        }
        Ok(())
    }

    /// [GME 3, forwardRequest], once for each resource (G3, G8).
    fn ask(&mut self, out: &mut Actions<GmeMessage>) -> Result<(), ProtocolError> {
        let resources = self.resources();
        self.asked.retain(|asked| {
            self.dag.printed(Erratum::G3) && !resources.is_empty() || resources.contains(asked)
        });
        let known = !self.asked.is_empty() && !self.dag.is_stale();
        if resources.is_empty() || known && resources.iter().all(|r| self.asked.contains(r)) {
            return Ok(());
        }
        let mut standing = !self.asked.is_empty();
        let next = self.dag.route(&mut standing)?;
        if !standing {
            self.asked.clear();
        }
        let Some(next) = next else {
            return Ok(());
        };
        let height = self.dag.height();
        let one_for_all = self.printed(Erratum::G3) || self.printed(Erratum::G8);
        for resource in resources {
            if self.asked.contains(&resource) || one_for_all && !self.asked.is_empty() {
                continue;
            }
            out.send(next, GmeMessage::Request { height, resource });
            self.asked.push(resource);
        }
        Ok(())
    }

    fn returned(
        &mut self,
        msg: GmeMessage,
        out: &mut Actions<GmeMessage>,
    ) -> Result<(), ProtocolError> {
        match msg {
            GmeMessage::Token { height, .. } => {
                self.dag.take_back(height, out)?;
                self.asked.clear();
            }
            // Whoever it was for has lost its link here and asks elsewhere.
            GmeMessage::SubToken { weight, .. } | GmeMessage::Release { weight, .. } => {
                self.pending = self.pending.saturating_add(weight);
            }
            GmeMessage::LinkInfo(_) | GmeMessage::Request { .. } => {}
        }
        Ok(())
    }
}
