//! Delivery over routing: exactly once, in any order.

use super::Violation;
use crate::ids::NodeId;
use crate::machine::Message;
use std::collections::BTreeMap;

/// Watches messages between any two nodes that a transport carries: what is delivered was sent, and
/// has not been delivered before.
#[derive(Clone, Debug, Default)]
pub struct Once<M> {
    /// What is under way, from the first to the second node.
    under_way: BTreeMap<(NodeId, NodeId), Vec<M>>,
}

impl<M: Message> Once<M> {
    /// Nothing is under way.
    pub const fn new() -> Self {
        Self {
            under_way: BTreeMap::new(),
        }
    }

    /// A message was sent.
    pub fn sent(&mut self, node: NodeId, to: NodeId, msg: &M) {
        let lane = self.under_way.entry((node, to)).or_default();
        lane.push(msg.clone());
    }

    /// A message was delivered to `node`.
    ///
    /// # Errors
    /// If it was not sent, or not so often.
    pub fn received(&mut self, node: NodeId, from: NodeId, msg: &M) -> Result<(), Violation> {
        let lane = self.under_way.get_mut(&(from, node));
        let found = lane.and_then(|lane| {
            let place = lane.iter().position(|other| other == msg)?;
            Some(lane.remove(place))
        });
        match found {
            Some(_) => Ok(()),
            None => {
                let detail = format!(
                    "{node:?} received {msg:?} from {from:?}, which was not sent, or was \
                     delivered before"
                );
                Err(Violation::new("delivery", detail))
            }
        }
    }

    /// How many messages are under way.
    pub fn under_way(&self) -> usize {
        self.under_way.values().map(Vec::len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::routed::raymond::RaymondMessage::{Privilege, Request};

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
