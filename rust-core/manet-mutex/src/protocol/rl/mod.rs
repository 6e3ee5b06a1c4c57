//! `rl`: Reverse Link, global mutual exclusion with one token.
//!
//! Source: Jennifer E. Walter, Jennifer L. Welch, Nitin H. Vaidya, *A Mutual Exclusion Algorithm
//! for Ad Hoc Mobile Networks*, Wireless Networks 7(6), 2001, cited as `[RL section, rule, line]`.
//!
//! # System model
//! Nodes do not fail. Links are FIFO and reliable while up; a link may fail at any time, its ends
//! may learn that at different times, and a token under way is then delivered, returned or in
//! doubt ([`crate::machine::Fate`]). The network may partition: nodes in the part without the
//! token wait until it heals, and no token is ever made anew.
//!
//! # Messages
//! `Request` asks the lowest neighbour for the token; `Token` passes it; `LinkInfo` tells a
//! neighbour one's height. Each carries the sender's height.
//!
//! # Rules
//! A node queues its own wish and those of higher neighbours, and asks once for all of them. The
//! holder serves its queue in order: itself by entering, a neighbour by passing the token. The
//! paper lists what to do at each event; here the bookkeeping of each event is followed by the
//! same `settle`, which raises, forwards or serves as the state demands. The moves are the same,
//! save that a request which stands already is not repeated.
//!
//! # Cost
//! A request and a token for each hop, and a `LinkInfo` to each lower neighbour of a node that
//! the token visits; at high load about one hop for each entry.
//!
//! Requests can outlive their service: with unlucky timing the token goes on from node to node
//! after everybody has been served, each hop using up one such request and leaving another. Whoever
//! wants it is still served, so nothing is done about it; but silence after the last entry cannot
//! be relied upon.
//!
//! # Deviations from the paper
//! Those of [`super::reversal`], and:
//! * If others wait at a node that passes the token on, the token itself says so
//!   ([`Residual::InToken`]); the paper sends a `Request` after it ([`Residual::OwnMessage`]).
//!   A token without its request cannot be told apart from one whose request was lost.
//! * A `Token` in doubt is taken as delivered; if it comes back, [`super::reversal::Dag::take_back`].
//! * The holder never forwards a request (erratum E3).

mod describe;
mod invariants;
pub use super::reversal::Status;

use super::line::Line;
use super::reversal::{Course, Dag, Erratum, Height, Limiter, LinkInfo, Rules};
use super::{FOUNDER, Population, PopulationError, check_member};
use crate::demand::Demand;
use crate::fixed::Fixed;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{
    Action, Actions, Cargo, Event, Fate, Message, Outcome, Protocol, ProtocolError, Reach,
};
use crate::promise::{Custody, Promise, Scope};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Constants of a run.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// How fast a node without lower neighbours raises itself.
    pub limiter: Limiter,
    /// How a node that passes the token on asks for it back.
    pub residual: Residual,
    /// A corrected rule put back as printed, to see it fail.
    pub as_printed: Option<Erratum>,
}

impl Config {
    /// The paper's messages and no rate limit: for the paper's own experiments.
    pub fn paper() -> Self {
        Self {
            limiter: Limiter::OFF,
            residual: Residual::OwnMessage,
            as_printed: None,
        }
    }
}

/// How a node that passes the token on while others wait there asks for it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Residual {
    /// In the token.
    #[default]
    InToken,
    /// In a `Request` right after it [RL 4.3, GiveTokenToNext, line 7].
    OwnMessage,
}

/// What `rl` says to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RlMessage {
    /// My height changed, or our link formed.
    LinkInfo(Height),
    /// Somebody at or behind me waits for the token.
    Request(Height),
    /// The token.
    Token {
        /// The sender's height, below everybody else's.
        height: Height,
        /// Others wait at the sender.
        more: bool,
    },
}

impl RlMessage {
    /// The sender's height.
    pub const fn height(&self) -> Height {
        match *self {
            Self::LinkInfo(height) | Self::Request(height) | Self::Token { height, .. } => height,
        }
    }
}

impl LinkInfo for RlMessage {
    fn link_info(height: Height) -> Self {
        Self::LinkInfo(height)
    }
}

impl Message for RlMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::LinkInfo(_) => "LinkInfo",
            Self::Request(_) => "Request",
            Self::Token { .. } => "Token",
        }
    }

    fn is_awaited(&self) -> bool {
        !matches!(self, Self::LinkInfo(_))
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Token { .. } => Cargo::Token { units: 0 },
            _ => Cargo::Nothing,
        }
    }
}

/// Messages of `rl` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` height | `LinkInfo` |
/// | `01` height | `Request` |
/// | `02` height more | `Token` |
///
/// A height is `h1` and `h2` (signed, at most 10 bytes each) and the sender's id (at most 5
/// bytes); `more` is a truth value.
impl WireMessage for RlMessage {
    const TAG: Tag = Tag::new(1, Rl::NAME);
}

/// One node running Reverse Link. Each fills whole lines of a processor's cache and shares none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(align(64))]
pub struct Rl {
    dag: Dag,
    status: Status,
    /// `Q`: this node and higher neighbours, each once, first come first served.
    queue: Line,
    /// A request to `next` stands for the whole queue.
    asked: bool,
    residual: Residual,
}

impl Rl {
    /// A node that knows no neighbours yet. Exactly one node of a network starts with the token.
    pub fn new(me: NodeId, token: bool, config: &Config) -> Self {
        Self::on(Dag::alone(me, token, config.rules()), config)
    }

    /// The node's height, neighbours and token.
    pub const fn dag(&self) -> &Dag {
        &self.dag
    }

    /// `status`.
    pub const fn status(&self) -> Status {
        self.status
    }

    /// Whether a request to [`Dag::next`] stands for all of `Q`.
    pub const fn asked(&self) -> bool {
        self.asked
    }

    /// `Q`.
    pub const fn queue(&self) -> &VecDeque<NodeId> {
        self.queue.nodes()
    }

    const fn on(dag: Dag, config: &Config) -> Self {
        let residual = config.residual;
        Self {
            dag,
            status: Status::Remainder,
            queue: Line::new(),
            asked: false,
            residual,
        }
    }

    // This and what most messages end with is inlined all the way into the driver's loop; what
    // they seldom need is not, and is a function of its own for that reason.
    #[inline(always)]
    fn message(
        &mut self,
        from: NodeId,
        msg: RlMessage,
        out: &mut Actions<RlMessage>,
    ) -> Result<(), ProtocolError> {
        if msg.height().id != from {
            return Err(self.broken("a peer sent a height that is not its own"));
        }
        match msg {
            RlMessage::LinkInfo(height) => {
                let above = self.dag.link_info(height, out)?;
                if !above {
                    self.queue.remove(from); // [RL 4.3, LinkInfo, line 7]
                }
                if self.dag.as_printed() == Some(Erratum::E3) && self.dag.has_token() {
                    return self.holder_forwards_as_printed();
                }
                if !above && !self.dag.has_token() {
                    // No need to look for a lower neighbour: this is one.
                    self.dag.stop_waiting(out);
                    return self.forward_first_request(out);
                }
            }
            RlMessage::Request(height) => {
                if self.dag.request_from(height)? {
                    self.queue.push(from);
                }
            }
            RlMessage::Token { height, more } => {
                self.dag.token_from(height, out)?;
                self.asked = false;
                self.queue.remove(from);
                if more {
                    self.queue.push(from);
                }
            }
        }
        self.settle(out)
    }

    fn unacked(
        &mut self,
        msg: RlMessage,
        returned: bool,
        out: &mut Actions<RlMessage>,
    ) -> Result<(), ProtocolError> {
        // Delivered or in doubt: the peer has it, or must be taken to have it.
        if let (RlMessage::Token { height, .. }, true) = (msg, returned) {
            self.dag.take_back(height, out)?;
            self.asked = false;
        }
        Ok(())
    }

    /// Ends every event: raises, asks or serves, as the state demands.
    #[inline(always)]
    fn settle(&mut self, out: &mut Actions<RlMessage>) -> Result<(), ProtocolError> {
        match self.dag.settle(out)? {
            Course::Holder => self.give_token_to_next(out),
            Course::Held => self.asked = false,
            Course::Ask => self.forward_request(out)?,
            Course::Raised => {
                self.forget_lower();
                self.forward_request(out)?;
            }
        }
        Ok(())
    }

    /// [RL 4.3, ForwardRequest], once for the whole queue.
    #[inline(always)]
    fn forward_request(&mut self, out: &mut Actions<RlMessage>) -> Result<(), ProtocolError> {
        if self.queue.is_empty() {
            self.asked = false;
            return Ok(());
        }
        if self.asked && !self.dag.is_stale() {
            return Ok(());
        }
        self.ask(out)
    }

    /// The same after news of a lower neighbour: a request that stands leads downwards still.
    #[inline(always)]
    fn forward_first_request(&mut self, out: &mut Actions<RlMessage>) -> Result<(), ProtocolError> {
        if self.dag.as_printed().is_some() {
            return self.forward_request(out);
        }
        let wanted = !self.queue.is_empty();
        if wanted & !self.asked {
            return self.ask(out);
        }
        self.asked = wanted;
        Ok(())
    }

    fn ask(&mut self, out: &mut Actions<RlMessage>) -> Result<(), ProtocolError> {
        if let Some(next) = self.dag.route(&mut self.asked)?
            && !self.asked
        {
            out.send(next, RlMessage::Request(self.dag.height()));
            self.asked = true;
        }
        Ok(())
    }

    /// [RL 4.3, GiveTokenToNext].
    #[inline]
    fn give_token_to_next(&mut self, out: &mut Actions<RlMessage>) {
        if self.status != Status::Critical
            && let Some(next) = self.queue.pop()
        // line 1
        {
            self.serve(next, out);
        }
    }

    fn serve(&mut self, next: NodeId, out: &mut Actions<RlMessage>) {
        if next == self.dag.me() {
            self.status = Status::Critical; // line 9
            out.push(Action::Enter(Demand::Exclusive)); // line 10
            return;
        }
        let height = self.dag.height();
        let more = !self.queue.is_empty();
        self.dag.give(next); // lines 3 to 5
        let in_token = more && self.residual == Residual::InToken;
        out.send(
            next,
            RlMessage::Token {
                height,
                more: in_token,
            },
        ); // line 6
        if more && self.residual == Residual::OwnMessage {
            out.send(next, RlMessage::Request(height)); // line 7
        }
        self.asked = more;
    }

    /// [RL 4.3, RaiseHeight, line 5]: those below will not be served from here.
    fn forget_lower(&mut self) {
        let dag = &self.dag;
        self.queue
            .retain(|waiting| waiting == dag.me() || dag.sees_above(waiting));
    }

    /// [RL 4.3, LinkInfo, line 9] for a holder, whose `next` is itself: E3.
    fn holder_forwards_as_printed(&self) -> Result<(), ProtocolError> {
        if self.queue.is_empty() {
            return Ok(());
        }
        Err(self.broken("the holder compares its height with height[next], next being itself"))
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Misuse {
            node: self.dag.me(),
            what,
        }
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Broken {
            node: self.dag.me(),
            what,
        }
    }
}

impl Protocol for Rl {
    const NAME: &'static str = "rl";
    const REACH: Reach = Reach::Neighbours;
    type Message = RlMessage;

    fn id(&self) -> NodeId {
        self.dag.me()
    }

    fn towards(&self) -> Option<NodeId> {
        self.dag.towards()
    }

    fn is_calm(&self) -> bool {
        self.queue.nodes().is_empty()
    }

    // Inlined, so that who hands in messages only need not ask what came.
    #[inline(always)]
    fn handle(
        &mut self,
        event: Event<RlMessage>,
        out: &mut Actions<RlMessage>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Start => {}
            // [RL 4.3, request]
            Event::Request(Demand::Exclusive) => {
                if self.status != Status::Remainder {
                    return Err(self.misuse("requested while waiting or inside: release first"));
                }
                self.status = Status::Waiting;
                self.queue.push(self.dag.me());
            }
            Event::Request(demand) => {
                let hint = "ask for exclusive access";
                return Err(ProtocolError::Refused {
                    protocol: Self::NAME,
                    demand,
                    hint,
                });
            }
            // [RL 4.3, release]. E7: the paper passes the token on before it sets the status;
            // the order cannot be told apart, since a node inside is not in its own queue.
            Event::Release => {
                if self.status != Status::Critical {
                    return Err(self.misuse("released while not inside: wait for Enter"));
                }
                self.status = Status::Remainder;
            }
            Event::Message { from, msg } => return self.message(from, msg, out),
            Event::LinkUp { peer, .. } => {
                if peer == self.id() {
                    return Err(self.misuse("a link came up to the node itself: leave it out"));
                }
                if self.dag.knows(peer) {
                    return Err(self.misuse("a link came up twice: LinkDown comes between")); // E6
                }
                self.dag.link_up(peer, out);
                return Ok(()); // [RL 4.3, formation of link] does nothing else
            }
            Event::LinkDown { peer, unacked } => {
                if !self.dag.knows(peer) {
                    return Err(self.misuse("a link went down that was not up: LinkUp comes first"));
                }
                self.dag.link_down(peer);
                self.queue.remove(peer); // [RL 4.3, failure, line 2]
                for (msg, fate) in unacked {
                    self.unacked(msg, fate == Fate::Returned, out)?;
                }
            }
            Event::Resolved { msg, outcome, .. } => {
                self.unacked(msg, outcome == Outcome::Returned, out)?;
            }
            Event::Timer(id) => self.dag.timer(id),
        }
        self.settle(out)
    }
}

impl Population for Rl {
    type Config = Config;

    fn promise(_: &Config) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::Token,
        }
    }

    fn settled(graph: &Graph, config: &Config) -> Result<Vec<Self>, PopulationError> {
        let dags = Dag::all_settled(graph, &config.rules())?;
        Ok(dags.into_iter().map(|dag| Self::on(dag, config)).collect())
    }

    fn apart(nodes: usize, config: &Config) -> Result<Vec<Self>, PopulationError> {
        let dags = Dag::all_alone(nodes, &config.rules())?;
        Ok(dags.into_iter().map(|dag| Self::on(dag, config)).collect())
    }

    fn founding(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, id == FOUNDER, config))
    }

    /// What it asked for and was asked for went with its links, and it gets new ones.
    fn rejoining(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, false, config))
    }
}

impl Config {
    fn rules(&self) -> Fixed<Rules> {
        Rules::shared(self.limiter, self.as_printed)
    }
}

#[cfg(feature = "forge")]
forgeable!(Rl {
    forge_status => status: Status,
    forge_asked => asked: bool,
});

#[cfg(feature = "forge")]
impl Rl {
    /// The DAG, to change it.
    pub const fn forge_dag(&mut self) -> &mut Dag {
        &mut self.dag
    }

    /// Sets a value.
    pub fn forge_waiter(&mut self, node: NodeId) {
        self.queue.push(node);
    }
}
