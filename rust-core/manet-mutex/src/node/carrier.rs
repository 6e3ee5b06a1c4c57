//! What carries a node's messages: a link layer or a transport.

use super::{Input, NEVER, Outputs};
use crate::ids::NodeId;
use crate::link::Link;
use crate::time::Time;
use crate::transport::Transport;
use crate::wire::WireMessage;

/// What carries a node's messages.
#[derive(Clone, Debug)]
pub(super) enum Carrier<M> {
    /// To neighbours.
    Link(Box<Link<M>>),
    /// To anyone.
    Transport(Transport<M>),
}

impl<M: WireMessage> Carrier<M> {
    pub(super) fn due(&self) -> Time {
        match self {
            Self::Link(link) => link.due(),
            Self::Transport(transport) => transport.due().unwrap_or(NEVER),
        }
    }

    /// Handles an event. Returns false if the state is unchanged.
    pub(super) fn take(&mut self, now: Time, input: Input<'_>, out: &mut Outputs<M>) -> bool {
        match (self, input) {
            (Self::Link(link), Input::Frame { bytes, power }) => {
                return link.frame(now, bytes, power, &mut out.link);
            }
            (Self::Link(link), Input::Sent { id, ok }) => link.sent(now, id, ok, &mut out.link),
            (Self::Link(link), Input::Motion { moving }) => link.motion(now, moving),
            (Self::Link(link), Input::Wake) => link.wake(now, &mut out.link),
            (Self::Transport(transport), Input::Datagram { bytes }) => {
                transport.datagram(now, bytes, &mut out.transport);
            }
            (Self::Transport(transport), Input::RouteUp { peer }) => transport.route_up(now, peer),
            (Self::Transport(transport), Input::Wake) => transport.wake(now, &mut out.transport),
            // Motion behind routing.
            _ => {}
        }
        true
    }

    pub(super) fn send(
        &mut self,
        now: Time,
        to: NodeId,
        msg: M,
        out: &mut Outputs<M>,
    ) -> Result<(), &'static str> {
        let (sent, what) = match self {
            Self::Link(link) => (
                link.send(now, to, msg, &mut out.link),
                "the protocol sent on a link that is not up",
            ),
            Self::Transport(transport) => (
                transport.send(now, to, msg, &mut out.transport),
                "the protocol sent more than its transport takes",
            ),
        };
        sent.map_err(|_| what)
    }
}
