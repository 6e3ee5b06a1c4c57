//! What a paper's proof says about the states of all nodes, as a condition that can be checked.
//!
//! A protocol states its invariants in its own module ([`Invariants`]). They look at the global state
//! of an ideal network ([`GlobalState`]): machines, links and messages under way. A violated
//! condition is a [`Violation`].

mod checks;
mod locality;
mod violation;

pub use checks::Check;
pub use locality::held_up;
pub use violation::Violation;

use crate::app::App;
use crate::ids::NodeId;
use crate::machine::Protocol;

/// A protocol whose global states can be checked. These checks see everything, cost time in the
/// size of the network, and are meant for small ones.
pub trait Invariants: Protocol {
    /// What must hold after every step.
    ///
    /// # Errors
    /// With what does not hold.
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation>;

    /// What must hold besides when nothing is under way, no timer matters and nothing is in doubt.
    ///
    /// # Errors
    /// With what does not hold.
    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation>;

    /// How far from a crash somebody may wait for ever in a network of so many nodes, as the paper
    /// claims. By default a crash concerns nobody else.
    fn locality(nodes: usize) -> usize {
        let _ = nodes;
        0
    }

    /// Whether it says whose turn it is, see [`Invariants::turns`].
    const HAS_TURNS: bool = false;

    /// Those who wait within reach of the token, each with its turn: the smaller, the sooner.
    fn turns(network: &impl GlobalState<Self>) -> Vec<(NodeId, (i64, NodeId))> {
        let _ = network;
        Vec::new()
    }
}

/// All nodes, links and messages of an ideal network.
pub trait GlobalState<P: Protocol> {
    /// A pair of nodes between which there is or was a link, or over routing a message.
    type Link: LinkState<P::Message>;

    /// The machines, by id.
    fn nodes(&self) -> &[P];

    /// What the application at a node is doing.
    fn app(&self, node: NodeId) -> App;

    /// Whether a node has crashed.
    fn crashed(&self, node: NodeId) -> bool;

    /// The nodes whose applications wait.
    fn waiting(&self) -> impl Iterator<Item = NodeId> + '_;

    /// All pairs of nodes, the smaller id first.
    fn pairs(&self) -> impl Iterator<Item = ([NodeId; 2], &Self::Link)> + '_;

    /// The messages under way: sender, receiver, message.
    fn undelivered(&self) -> impl Iterator<Item = (NodeId, NodeId, &P::Message)> + '_;
}

/// One pair of nodes in a [`GlobalState`]. End 0 is the node with the smaller id.
pub trait LinkState<M: 'static> {
    /// How an end sees the link.
    fn end(&self, end: usize) -> EndState;

    /// The messages that an end has sent and the other has not received, oldest first.
    fn undelivered(&self, end: usize) -> impl Iterator<Item = &M> + '_;
}

/// One end of an incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndState {
    /// Out of the last incarnation.
    Closed,
    /// An incarnation has begun, this end does not know it yet.
    Pending,
    /// Up.
    Up,
}
