//! What protocols that let several nodes inside add to link reversal.

use super::{Course, Dag, LinkInfo};
use crate::ids::NodeId;
use crate::machine::{Actions, Event, Fate, Outcome, Protocol, ProtocolError};
use crate::protocol::reversal::Height;

/// A message type that brings parts back to the token.
pub trait Release {
    /// The message that does.
    fn release(height: Height, amount: u64) -> Self;
}

/// A protocol whose token hands out parts of what it stands for: shares of a session's weight, or
/// units. What is not needed any more goes back down the links until it meets the token; until
/// there is a lower neighbour to give it to, it stays where it is. Every event ends with
/// [`Sharing::settle`].
pub trait Sharing: Protocol<Message: LinkInfo + Release> {
    /// The node's part of the graph.
    fn dag_mut(&mut self) -> &mut Dag;

    /// What belongs to the token and has to leave this node.
    fn pending(&mut self) -> &mut u64;

    /// Deletes the requests of a neighbour.
    fn forget(&mut self, peer: NodeId);

    /// Deletes the requests of neighbours below this node: they will not be served from here.
    fn forget_lower(&mut self);

    /// Nobody below this node knows what waits here.
    fn forget_asked(&mut self);

    /// This node has the token: lets in whom it can, and passes the token on if it must.
    ///
    /// # Errors
    /// If more came back than was handed out.
    fn serve(&mut self, out: &mut Actions<Self::Message>) -> Result<(), ProtocolError>;

    /// Tells the neighbour that leads to the token what waits here, as far as it is not known.
    ///
    /// # Errors
    /// Only with a rule put back as printed.
    fn ask(&mut self, out: &mut Actions<Self::Message>) -> Result<(), ProtocolError>;

    /// A message that its receiver never got belongs to this node again.
    ///
    /// # Errors
    /// If it is a second token.
    fn returned(
        &mut self,
        msg: Self::Message,
        out: &mut Actions<Self::Message>,
    ) -> Result<(), ProtocolError>;

    /// Raises, gives back, asks or serves, as the state demands.
    ///
    /// # Errors
    /// As [`Sharing::serve`] and [`Sharing::ask`].
    fn settle(&mut self, out: &mut Actions<Self::Message>) -> Result<(), ProtocolError> {
        match self.dag_mut().settle(out)? {
            Course::Holder => return self.serve(out),
            Course::Held => {
                self.forget_asked();
                return Ok(());
            }
            Course::Raised => self.forget_lower(),
            Course::Ask => {}
        }
        self.give_back(out);
        self.ask(out)
    }

    /// Sends what belongs to the token towards it. [GME 3, sendRelease] and [HK II,
    /// forwardRelease] make the receiver `next` (errata G7, H9): here the way of the requests
    /// stays as it is.
    fn give_back(&mut self, out: &mut Actions<Self::Message>) {
        let amount = *self.pending();
        if amount == 0 {
            return;
        }
        let dag = self.dag_mut();
        let height = dag.height();
        if let Some(to) = dag.downwards() {
            out.send(to, Self::Message::release(height, amount));
            *self.pending() = 0;
        }
    }

    /// Handles what happens to links, what became of messages, and timers.
    ///
    /// # Errors
    /// If the driver broke the contract, or a second token turns up.
    fn around(
        &mut self,
        event: Event<Self::Message>,
        out: &mut Actions<Self::Message>,
    ) -> Result<(), ProtocolError> {
        let node = self.id();
        let misuse = |what| Err(ProtocolError::Misuse { node, what });
        match event {
            Event::LinkUp { peer, .. } => {
                if peer == node {
                    return misuse("a link came up to the node itself: leave it out");
                }
                if self.dag_mut().knows(peer) {
                    return misuse("a link came up twice: LinkDown comes between");
                }
                self.dag_mut().link_up(peer, out);
                return Ok(()); // [RL 4.3, formation of link] does nothing else
            }
            Event::LinkDown { peer, unacked } => {
                if !self.dag_mut().knows(peer) {
                    return misuse("a link went down that was not up: LinkUp comes first");
                }
                self.dag_mut().link_down(peer);
                self.forget(peer);
                // Delivered or in doubt: the peer has it, or must be taken to have it.
                for (msg, fate) in unacked {
                    if fate == Fate::Returned {
                        self.returned(msg, out)?;
                    }
                }
            }
            Event::Resolved { msg, outcome, .. } => {
                if outcome == Outcome::Returned {
                    self.returned(msg, out)?;
                }
            }
            Event::Timer(id) => self.dag_mut().timer(id),
            Event::Start | Event::Request(_) | Event::Release | Event::Message { .. } => {}
        }
        self.settle(out)
    }
}
