//! How `hk` serves, asks and takes back.

use super::{Hk, HkMessage, Key};
use crate::ids::NodeId;
use crate::machine::{Actions, ProtocolError};
use crate::protocol::reversal::{Dag, Erratum, Sharing, Status};

impl Sharing for Hk {
    fn dag_mut(&mut self) -> &mut Dag {
        &mut self.dag
    }

    fn pending(&mut self) -> &mut u64 {
        &mut self.pending
    }

    fn forget(&mut self, peer: NodeId) {
        self.queue.retain(|&(_, who)| who != peer);
    }

    fn forget_lower(&mut self) {
        let dag = &self.dag;
        self.queue
            .retain(|&(_, who)| who == dag.me() || dag.sees_above(who));
    }

    fn forget_asked(&mut self) {
        self.asked = None;
    }

    /// [HK II, giveTokenToFrontOfQ], with H1, H2 and H5: as often as anything happens, also while
    /// this node is inside.
    fn serve(&mut self, out: &mut Actions<HkMessage>) -> Result<(), ProtocolError> {
        let back = std::mem::take(&mut self.pending);
        self.units = self.units.saturating_add(back);
        let keeps = self.printed(Erratum::H1) || self.printed(Erratum::H5);
        if keeps && self.state == Status::Critical {
            return Ok(());
        }
        if self.printed(Erratum::H2) && self.key().is_none() {
            self.try_enter(out);
        }
        while let Some(&(_, first)) = self.queue.first() {
            if first != self.dag.me() {
                self.forget(first);
                self.pass_on(first, out);
                break;
            }
            if !self.try_enter(out) {
                if self.printed(Erratum::H2) {
                    self.forget(first);
                }
                break;
            }
            if keeps {
                break;
            }
        }
        Ok(())
    }

    /// [HK II, forwardRequest] and UPDATE, in both directions (H7).
    fn ask(&mut self, out: &mut Actions<HkMessage>) -> Result<(), ProtocolError> {
        let Some(&(key, _)) = self.queue.first() else {
            self.asked = None;
            return Ok(());
        };
        let told = |asked: Key| asked == key || asked < key && self.printed(Erratum::H7);
        if self.asked.is_some_and(told) && !self.dag.is_stale() {
            return Ok(());
        }
        let mut standing = self.asked.is_some();
        let next = self.dag.route(&mut standing)?;
        if !standing {
            self.asked = None;
        }
        if let Some(next) = next {
            let height = self.dag.height();
            out.send(next, HkMessage::Request { height, key });
            self.asked = Some(key);
        }
        Ok(())
    }

    fn returned(
        &mut self,
        msg: HkMessage,
        out: &mut Actions<HkMessage>,
    ) -> Result<(), ProtocolError> {
        match msg {
            HkMessage::Token { height, units, .. } => {
                self.dag.take_back(height, out)?;
                self.units = units;
                self.asked = None;
            }
            HkMessage::Release { units, .. } => {
                self.pending = self.pending.saturating_add(units);
            }
            HkMessage::LinkInfo(_) | HkMessage::Request { .. } => {}
        }
        Ok(())
    }
}
