//! The network as invariants see it.

use super::{App, EndState, Network, Pair};
use manet_mutex::ids::NodeId;
use manet_mutex::invariants::{GlobalState, LinkState};
use manet_mutex::machine::{Message, Protocol};

impl<P: Protocol> GlobalState<P> for Network<P> {
    type Link = Pair<P::Message>;

    fn nodes(&self) -> &[P] {
        Self::nodes(self)
    }

    fn app(&self, node: NodeId) -> App {
        Self::app(self, node)
    }

    fn crashed(&self, node: NodeId) -> bool {
        Self::crashed(self, node)
    }

    fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        Self::waiting(self)
    }

    fn pairs(&self) -> impl Iterator<Item = ([NodeId; 2], &Self::Link)> + '_ {
        Self::pairs(self)
    }

    fn undelivered(&self) -> impl Iterator<Item = (NodeId, NodeId, &P::Message)> + '_ {
        Self::undelivered(self)
    }
}

impl<M: Message> LinkState<M> for Pair<M> {
    fn end(&self, end: usize) -> EndState {
        Self::end(self, end)
    }

    fn undelivered(&self, end: usize) -> impl Iterator<Item = &M> + '_ {
        Self::undelivered(self, end)
    }
}
