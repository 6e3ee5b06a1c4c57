//! How traces describe `hk`.

use super::{Hk, HkMessage, Key};
use crate::describe::Describe;
use crate::ids::NodeId;
use crate::machine::Message;
use crate::protocol::reversal::describe::{jiang, on_dag};

/// The names of [HK II]; a key is a rank and the node that waits.
impl Describe for Hk {
    fn message(msg: &HkMessage) -> String {
        let kind = msg.kind();
        match msg {
            HkMessage::LinkInfo(height) => format!("{kind} {height:?}"),
            HkMessage::Request { height, key } => format!("{kind} {height:?} {key:?}"),
            HkMessage::Token {
                height,
                units,
                grants,
                residual,
            } => {
                let rest = residual.map_or(String::new(), |key| format!(" with Request {key:?}"));
                format!("{kind} {height:?} t {units} G {grants}{rest}")
            }
            HkMessage::Release { height, units } => format!("{kind} {height:?} r {units}"),
        }
    }

    fn state(&self) -> String {
        let mut more = String::new();
        let amounts = [
            ("t", self.units()),
            ("h", self.need().unwrap_or(0).into()),
            ("held", self.held()),
            ("pending", self.pending()),
        ];
        for (name, amount) in amounts.into_iter().filter(|&(_, amount)| amount > 0) {
            more += &format!(" {name} {amount}");
        }
        let entry = |(key, who): &(Key, NodeId)| format!("{who}:{key:?}");
        let queue: Vec<String> = self.queue().iter().map(entry).collect();
        on_dag(self.dag(), jiang(self.state()), &queue, &more)
    }
}
