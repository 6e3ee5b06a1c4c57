//! Whether messages between any two nodes arrive exactly once.

use super::{Check, Violation};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Message;
use std::collections::BTreeMap;

/// Watches what a transport promises ([`manet_mutex::transport`]): it is told of every message that is
/// sent and delivered and of every restart, and knows no datagrams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Once<M> {
    /// By sender and receiver.
    lanes: BTreeMap<(NodeId, NodeId), Lane<M>>,
}

/// What was sent from one node to another and not delivered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Lane<M> {
    /// By the sender's present life: has to be delivered or told of.
    open: Vec<M>,
    /// By its earlier lives: may be delivered yet.
    orphans: Vec<M>,
}

impl<M> Default for Lane<M> {
    fn default() -> Self {
        Self {
            open: Vec::new(),
            orphans: Vec::new(),
        }
    }
}

impl<M: Message> Once<M> {
    /// For a network in which nothing is under way.
    pub const fn new() -> Self {
        let lanes = BTreeMap::new();
        Self { lanes }
    }

    /// A message was sent.
    pub fn sent(&mut self, from: NodeId, to: NodeId, msg: &M) {
        let lane = self.lanes.entry((from, to)).or_default();
        lane.open.push(msg.clone());
    }

    /// A message was delivered to `to`.
    ///
    /// # Errors
    /// If it was not sent, or has been delivered or told of before.
    pub fn received(&mut self, to: NodeId, from: NodeId, msg: &M) -> Result<(), Violation> {
        let lane = self.lanes.entry((from, to)).or_default();
        if take(&mut lane.open, msg) || take(&mut lane.orphans, msg) {
            return Ok(());
        }
        let detail = format!("{to:?} got {msg:?} of {from:?}, which is not on its way");
        Err(Violation::new(Check::TransportOnce, detail))
    }

    /// A node learned that its peer restarted, and which of its messages that concerns.
    ///
    /// # Errors
    /// If one that was delivered is called unsent, or one that was not is left out.
    pub fn peer_restarted(
        &mut self,
        node: NodeId,
        peer: NodeId,
        in_doubt: &[M],
        unsent: &[M],
    ) -> Result<(), Violation> {
        let open = &mut self.lanes.entry((node, peer)).or_default().open;
        for msg in unsent {
            if !take(open, msg) {
                let detail = format!("{msg:?} of {node:?} is called unsent, but {peer:?} got it");
                return Err(Violation::new(Check::TransportUnsent, detail));
            }
        }
        for msg in in_doubt {
            take(open, msg);
        }
        match open.pop() {
            None => Ok(()),
            Some(msg) => {
                let detail = format!("{node:?} is not told what became of {msg:?} for {peer:?}");
                Err(Violation::new(Check::TransportTold, detail))
            }
        }
    }

    /// A node lost its memory, and with it what it had to send.
    pub fn restarted(&mut self, node: NodeId) {
        for ((from, _), lane) in &mut self.lanes {
            if *from == node {
                lane.orphans.append(&mut lane.open);
            }
        }
    }

    /// How many messages of living nodes are under way.
    pub fn under_way(&self) -> usize {
        self.lanes.values().map(|lane| lane.open.len()).sum()
    }

    /// Whether everything that a living node sent was delivered or told of.
    pub fn is_settled(&self) -> bool {
        self.lanes.values().all(|lane| lane.open.is_empty())
    }
}

fn take<M: PartialEq>(list: &mut Vec<M>, msg: &M) -> bool {
    let place = list.iter().position(|other| other == msg);
    place.map(|place| list.remove(place)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use manet_mutex::protocol::routed::raymond::RaymondMessage::{Privilege, Request};

    #[test]
    fn what_is_delivered_twice_or_never_sent_is_noticed() {
        let (a, b) = (NodeId(0), NodeId(1));
        let mut once = Once::new();
        once.sent(a, b, &Request);
        once.sent(a, b, &Privilege);
        assert_eq!(once.under_way(), 2);
        assert!(once.received(b, a, &Privilege).is_ok());
        assert!(once.received(b, a, &Request).is_ok());
        assert!(once.received(b, a, &Privilege).is_err());
        assert!(once.received(a, b, &Request).is_err());
        assert_eq!(once.under_way(), 0);
    }

    #[test]
    fn the_same_words_may_be_sent_twice() {
        let (a, b) = (NodeId(0), NodeId(1));
        let mut once = Once::new();
        once.sent(a, b, &Request);
        once.sent(a, b, &Request);
        assert!(once.received(b, a, &Request).is_ok());
        assert!(once.received(b, a, &Request).is_ok());
        assert!(once.received(b, a, &Request).is_err());
    }
}
