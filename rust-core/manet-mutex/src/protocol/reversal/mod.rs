//! Link reversal: the part that `rl`, `gme` and `hk` share.
//!
//! Every node has a height; a link points from its higher to its lower end, and the token holder
//! is the lowest node of all, so that following links downwards leads to the token. A node
//! without a lower neighbour that does not hold the token raises itself above some neighbour
//! (partial reversal, Gafni and Bertsekas). What a node queues, and when it passes the token on,
//! is the business of the protocol that owns the [`Dag`].
//!
//! Source: Walter, Welch, Vaidya, *A Mutual Exclusion Algorithm for Ad Hoc Mobile Networks*,
//! sections 4.1 to 4.3, cited as `[RL 4.3, LinkInfo, line 5]`.
//!
//! # Deviations from the paper
//! * A node whose only links are still forming has no neighbours: raising and forwarding do
//!   nothing then (erratum E1).
//! * `next` is forgotten when its link fails and is stale when it is not a neighbour, not only
//!   when it is higher (E2).
//! * Raising is rate limited ([`Limiter`]): where no token can be reached the paper's rule
//!   exchanges heights without end (E5). Waiting is the same as a slow message, so every run is
//!   still a run of the paper's algorithm.
//! * A token that comes back undelivered is received by its sender from itself
//!   ([`Dag::take_back`]); the paper assumes that links fail only when nothing is in transit.

pub(crate) mod describe;
mod height;
pub(crate) mod invariants;
mod limiter;
mod sharing;

pub use super::erratum::{Erratum, UnknownErratum};
pub use height::Height;
pub use limiter::{Limiter, QUIET, RETRY};
pub(super) use sharing::{Release, Sharing};

use super::{FOUNDER, PopulationError, check_population};
use crate::fixed::Fixed;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Note, ProtocolError, TimerId};
use crate::peers::{AboutPeer, Peers};
use height::Level;

/// `status` [RL 4.1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not interested.
    Remainder,
    /// Wants to enter.
    Waiting,
    /// Inside.
    Critical,
}

/// What the owner of a [`Dag`] has to do after [`Dag::settle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// This node has the token: serve the queue.
    Holder,
    /// No lower neighbour, and not yet allowed to raise: queue, ask nobody.
    Held,
    /// Ask a lower neighbour if anybody waits here.
    Ask,
    /// The same, but this node has raised itself: forget requests of those now below.
    Raised,
}

/// A message type that can carry [RL 4.1] `LinkInfo`.
pub trait LinkInfo {
    /// The message that tells a neighbour this height.
    fn link_info(height: Height) -> Self;
}

/// One node's part of the token oriented graph: its height, its view of its neighbours' heights,
/// and where the token is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dag {
    me: NodeId,
    level: Level,
    links: Peers<Link>,
    token: bool,
    next: Option<NodeId>,
    /// Raises left before the limiter holds this node back.
    credit: u16,
    held: bool,
    rules: Fixed<Rules>,
}

/// Constants of a run.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// How fast to raise.
    pub limiter: Limiter,
    /// A corrected rule put back as printed.
    pub as_printed: Option<Erratum>,
}

impl Rules {
    /// Rules with this limiter, unless that is what is to be as printed.
    pub(super) fn shared(limiter: Limiter, as_printed: Option<Erratum>) -> Fixed<Self> {
        let off = as_printed == Some(Erratum::E5);
        let limiter = if off { Limiter::OFF } else { limiter };
        Fixed::new(Self {
            limiter,
            as_printed,
        })
    }
}

/// What a node knows about one link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Link {
    peer: NodeId,
    /// `N` contains the peer.
    member: bool,
    /// `receivedLI[j]`.
    received_li: bool,
    /// `height[j]`.
    level: Level,
    /// `formHeight[j]` while `forming[j]`: seldom there, so that it need not be near.
    forming: Option<Box<Level>>,
}

impl AboutPeer for Link {
    fn peer(&self) -> NodeId {
        self.peer
    }
}

impl Link {
    const fn height(&self) -> Height {
        self.level.of(self.peer)
    }
}

impl Dag {
    /// The initial configuration of the paper [RL 4.1]: `distance` is the node's distance from
    /// the token, and every neighbour's distance is known.
    pub fn settled(
        me: NodeId,
        distance: u32,
        neighbours: impl IntoIterator<Item = (NodeId, u32)>,
        rules: Fixed<Rules>,
    ) -> Self {
        let level = |distance: u32| Level {
            h1: 0,
            h2: i64::from(distance),
        };
        let mut links = Peers::new();
        for (peer, far) in neighbours {
            links.insert(Link {
                peer,
                member: true,
                received_li: true,
                level: level(far),
                forming: None,
            });
        }
        links.shrink_to_fit();
        let mut dag = Self {
            links,
            ..Self::alone(me, distance == 0, rules)
        };
        dag.level = level(distance);
        dag.next = if dag.token { Some(me) } else { dag.lowest() };
        dag
    }

    /// A node without links. Exactly one node of the network starts with the token; the others
    /// need not know which.
    pub fn alone(me: NodeId, token: bool, rules: Fixed<Rules>) -> Self {
        Self {
            me,
            level: Level {
                h1: 0,
                h2: i64::from(!token),
            },
            links: Peers::new(),
            token,
            next: token.then_some(me),
            credit: rules.limiter.burst.unwrap_or(0),
            held: false,
            rules,
        }
    }

    /// Of all nodes of a network: the token at node 0, and every link known.
    ///
    /// # Errors
    /// If the graph is empty or not connected.
    pub(super) fn all_settled(
        graph: &Graph,
        rules: &Fixed<Rules>,
    ) -> Result<Vec<Self>, PopulationError> {
        let distance = graph.distances_from_zero()?;
        let node = |me: NodeId| {
            let far = graph
                .neighbours(me)
                .iter()
                .map(|&peer| (peer, distance[peer.index()]));
            Self::settled(me, distance[me.index()], far, rules.clone())
        };
        Ok(graph.nodes().map(node).collect())
    }

    /// Of so many nodes without links: the token at node 0.
    ///
    /// # Errors
    /// If there are none.
    pub(super) fn all_alone(
        nodes: usize,
        rules: &Fixed<Rules>,
    ) -> Result<Vec<Self>, PopulationError> {
        check_population(nodes)?;
        let node = |id| Self::alone(id, id == FOUNDER, rules.clone());
        Ok((0..nodes).map(NodeId::from_index).map(node).collect())
    }

    /// The node.
    pub const fn me(&self) -> NodeId {
        self.me
    }

    /// `myHeight`.
    pub const fn height(&self) -> Height {
        self.level.of(self.me)
    }

    /// `tokenHolder`.
    pub const fn has_token(&self) -> bool {
        self.token
    }

    /// `next`: the node asked for the token, or this node if it holds it.
    pub const fn next(&self) -> Option<NodeId> {
        self.next
    }

    /// `N`, with this node's view of each neighbour's height.
    pub fn neighbours(&self) -> impl Iterator<Item = Height> + '_ {
        self.members().map(|link| link.height())
    }

    /// Whether a link to `peer` is known here, formed or forming.
    pub fn knows(&self, peer: NodeId) -> bool {
        self.links
            .get(peer)
            .is_some_and(|link| link.member || link.forming.is_some())
    }

    /// Whether `peer` is a neighbour that this node sees above itself.
    pub fn sees_above(&self, peer: NodeId) -> bool {
        self.links
            .get(peer)
            .is_some_and(|link| link.member && link.height() > self.height())
    }

    /// `Some` with the rule that is to be followed as printed, for the protocol's own rules.
    pub fn as_printed(&self) -> Option<Erratum> {
        self.rules.as_printed
    }

    /// [RL 4.3, formation of link].
    pub fn link_up<M: LinkInfo>(&mut self, peer: NodeId, out: &mut Actions<M>) {
        out.send(peer, M::link_info(self.height()));
        let link = Link {
            peer,
            member: self.printed(Erratum::E6),
            received_li: true,
            level: self.level,
            forming: Some(Box::new(self.level)),
        };
        self.links.insert(link);
    }

    /// [RL 4.3, failure of link, lines 1 and 3], and E2: `next` goes with its link.
    pub fn link_down(&mut self, peer: NodeId) {
        if self.printed(Erratum::E2) || self.printed(Erratum::E2Rejoin) {
            // As printed: height[j] survives the link.
            let Some(link) = self.links.get_mut(peer) else {
                return;
            };
            (link.member, link.forming, link.received_li) = (false, None, true);
            let others = self.members().next().is_some();
            if self.printed(Erratum::E2) && self.next == Some(peer) && others {
                self.next = None; // [RL 4.3, failure, line 6] does see that next is gone
            }
            return;
        }
        self.links.remove(peer);
        if self.next == Some(peer) {
            self.next = None;
        }
    }

    /// [RL 4.3, LinkInfo, lines 1 to 6]: notes the sender's height; whether the sender is now
    /// seen above this node.
    ///
    /// # Errors
    /// If there is no link to the sender.
    #[inline(always)]
    pub fn link_info<M: LinkInfo>(
        &mut self,
        height: Height,
        out: &mut Actions<M>,
    ) -> Result<bool, ProtocolError> {
        let mine = self.level;
        let me = self.me;
        let link = self.linked(height.id)?;
        link.member = true; // line 1
        if let Some(form) = link.forming.take() // line 4
            && mine != *form
        {
            out.send(link.peer, M::link_info(mine.of(me))); // lines 2, 3
        }
        let told = Level::from(height);
        if link.received_li | (link.level == told) {
            link.level = told; // line 5
            link.received_li = true; // line 6
        }
        Ok(link.height() > mine.of(me))
    }

    /// [RL 4.3, Request, lines 1 to 3]: notes the sender's height; whether to enqueue it.
    ///
    /// # Errors
    /// If there is no link to the sender.
    pub fn request_from(&mut self, height: Height) -> Result<bool, ProtocolError> {
        let mine = self.height();
        let link = self.linked(height.id)?;
        if !link.received_li {
            return Ok(false);
        }
        link.level = Level::from(height);
        Ok(mine < height)
    }

    /// [RL 4.3, Token, lines 1 to 6]: become lower than the sender, and so than everybody.
    ///
    /// # Errors
    /// If there is no link to the sender, or this node has a token already, which is kept.
    pub fn token_from<M: LinkInfo>(
        &mut self,
        height: Height,
        out: &mut Actions<M>,
    ) -> Result<(), ProtocolError> {
        let has_token = self.token;
        let link = self.linked(height.id)?;
        if has_token {
            return Err(self.broken("received a token while holding one"));
        }
        link.level = Level::from(height); // line 2
        let lowered = Level::from(height).below();
        let mine = self.height();
        let concerned = |link: &Link| (link.peer == height.id) | (link.height() < mine);
        self.tell(concerned, lowered, out); // line 3
        self.level = lowered; // lines 4, 5
        self.hold(out);
        self.refill();
        Ok(())
    }

    /// A token that was sent with `height` came back undelivered: this node receives it from
    /// itself. It may have raised itself since; back at the height of the token it is again the
    /// lowest node, since the peer never lowered itself.
    ///
    /// # Errors
    /// If this node has a token already; the second one is ignored.
    pub fn take_back<M: LinkInfo>(
        &mut self,
        height: Height,
        out: &mut Actions<M>,
    ) -> Result<(), ProtocolError> {
        if self.token {
            return Err(self.broken("took back a token while holding one"));
        }
        out.note(Note::TookBack);
        let mine = self.height();
        if mine != height && !self.printed(Erratum::TakeBackHigh) {
            let lowered = Level::from(height);
            self.tell(|link| link.height() < mine, lowered, out);
            self.level = lowered;
        }
        self.hold(out);
        Ok(())
    }

    /// [RL 4.3, GiveTokenToNext, lines 3 to 5]: the token leaves for neighbour `to`; the caller
    /// sends it, at this node's height.
    pub fn give(&mut self, to: NodeId) {
        self.token = false;
        self.next = Some(to);
        let lowered = self.level.below();
        let as_printed = self.printed(Erratum::H8);
        if let Some(link) = self.links.get_mut(to) {
            link.level = lowered;
            link.received_li = as_printed;
        }
    }

    /// A share of the token arrived: somewhere there is a token within reach.
    pub fn refill(&mut self) {
        self.credit = self.rules.limiter.burst.unwrap_or(0);
    }

    /// Raises this node if it has no lower neighbour, and says what to do next. Every event ends
    /// with this.
    ///
    /// # Errors
    /// Only with a rule put back as printed.
    #[inline(always)]
    pub fn settle<M: LinkInfo>(&mut self, out: &mut Actions<M>) -> Result<Course, ProtocolError> {
        if self.token {
            return Ok(Course::Holder);
        }
        self.settle_without_token(out)
    }

    fn settle_without_token<M: LinkInfo>(
        &mut self,
        out: &mut Actions<M>,
    ) -> Result<Course, ProtocolError> {
        let sink = self.is_sink()?;
        if sink {
            if self.rules.limiter.burst.is_some() {
                if self.credit == 0 {
                    self.wait(out);
                    return Ok(Course::Held);
                }
                self.credit -= 1;
                let after = self.rules.limiter.quiet;
                out.push(Action::SetTimer { id: QUIET, after });
            }
            self.raise(out);
        }
        self.stop_waiting(out);
        Ok(if sink { Course::Raised } else { Course::Ask })
    }

    /// One of the limiter's timers ran out.
    pub fn timer(&mut self, id: TimerId) {
        if id == RETRY && self.held {
            self.held = false;
            self.credit = 1;
        } else if id == QUIET && !self.held {
            self.refill();
        }
    }

    /// [RL 4.3, ForwardRequest, line 1]: picks the lowest neighbour as `next` unless one has
    /// been asked (`asked`) and still serves. `None` without neighbours.
    ///
    /// # Errors
    /// Only with a rule put back as printed.
    pub fn route(&mut self, asked: &mut bool) -> Result<Option<NodeId>, ProtocolError> {
        if !*asked || self.is_stale() {
            let lowest = self.lowest();
            if lowest.is_none() && self.printed(Erratum::E1) {
                return Err(self.broken("ForwardRequest takes a minimum over no neighbours"));
            }
            let keeps = self.printed(Erratum::E2) || self.printed(Erratum::E2Rejoin);
            if lowest.is_none() && keeps {
                // As printed, but for E1: nothing is sent, and `next` seems to have been asked.
                *asked = true;
                return Ok(None);
            }
            *asked = false;
            self.next = lowest;
        }
        Ok(self.next)
    }

    /// Which way the token is: here, or below the lowest neighbour.
    pub fn towards(&self) -> Option<NodeId> {
        if self.token {
            Some(self.me)
        } else {
            self.lowest()
        }
    }

    /// The lowest neighbour.
    pub fn lowest(&self) -> Option<NodeId> {
        // Backwards, so that the smallest id of equals is the last one found.
        let lower = |(rank, peer), link: &Link| {
            if link.level.rank() <= rank {
                (link.level.rank(), Some(link.peer))
            } else {
                (rank, peer)
            }
        };
        self.members().rev().fold((i128::MAX, None), lower).1
    }

    /// Checks that there is a link to a peer that sent something.
    ///
    /// # Errors
    /// If there is none.
    pub fn heard_from(&mut self, peer: NodeId) -> Result<(), ProtocolError> {
        self.linked(peer).map(drop)
    }

    /// Where to send what belongs to the token: the lowest neighbour, whatever `next` is.
    fn downwards(&mut self) -> Option<NodeId> {
        let lowest = self.lowest();
        if lowest.is_some() && (self.printed(Erratum::G7) || self.printed(Erratum::H9)) {
            self.next = lowest;
        }
        lowest
    }

    /// [RL 5, Definition 3], for a node that does not hold the token, with E1.
    fn is_sink(&self) -> Result<bool, ProtocolError> {
        if self.rules.as_printed.is_none() && !self.is_stale() {
            return Ok(false); // `next` is lower: no need to look at the others
        }
        let mine = self.height();
        let mut any = false;
        for link in self.members() {
            any = true;
            if link.forming.is_some() && self.printed(Erratum::E6) {
                return Err(self.broken("compares with the height of a neighbour not heard of yet"));
            }
            if link.height() < mine {
                return Ok(false);
            }
        }
        if !any && self.printed(Erratum::E1) {
            return Err(self.broken("RaiseHeight takes a minimum over no neighbours"));
        }
        Ok(any)
    }

    /// E2: `next` no longer leads to the token.
    #[inline(always)]
    pub fn is_stale(&self) -> bool {
        let Some(link) = self.next.and_then(|next| self.links.get(next)) else {
            return true;
        };
        let reversed = link.height() > self.height();
        if self.printed(Erratum::E2) {
            reversed
        } else {
            reversed || !link.member
        }
    }

    /// [RL 4.3, RaiseHeight, lines 1 to 4].
    fn raise<M: LinkInfo>(&mut self, out: &mut Actions<M>) {
        out.note(Note::Raised);
        let lowest_h1 = self.members().map(|link| link.level.h1).min();
        let h1 = lowest_h1.expect("a sink has neighbours").saturating_add(1);
        let beside = self
            .members()
            .filter(|link| link.level.h1 == h1)
            .map(|link| link.level.h2);
        let h2 = beside
            .min()
            .map_or(self.level.h2, |lowest| lowest.saturating_sub(1));
        self.level = Level { h1, h2 };
        self.next = None;
        let height = self.height();
        for link in self.members() {
            out.send(link.peer, M::link_info(height));
        }
    }

    /// Tells the neighbours that are `concerned` a level of this node.
    fn tell<M: LinkInfo>(
        &self,
        concerned: impl Fn(&Link) -> bool,
        level: Level,
        out: &mut Actions<M>,
    ) {
        // No processor foresees which ones these are. It goes wrong once if the answers are
        // collected first, and at every other link if they are not.
        for links in self.links.chunks(64) {
            let bit = |link: &Link| u64::from(link.member & concerned(link));
            let mut left = links
                .iter()
                .rev()
                .fold(0, |bits, link| bits << 1 | bit(link));
            while left != 0 {
                let peer = links[left.trailing_zeros() as usize].peer;
                out.send(peer, M::link_info(level.of(self.me)));
                left &= left - 1;
            }
        }
    }

    /// The burst is spent: wait for the timer.
    fn wait<M>(&mut self, out: &mut Actions<M>) {
        self.next = None;
        if !self.held {
            self.held = true;
            out.note(Note::Held);
            let after = self.rules.limiter.retry_at(self.height());
            out.push(Action::SetTimer { id: RETRY, after });
        }
    }

    /// There is a lower neighbour (again): the limiter does not hold this node back.
    pub fn stop_waiting<M>(&mut self, out: &mut Actions<M>) {
        if self.held {
            self.held = false;
            out.push(Action::CancelTimer(RETRY));
        }
    }

    fn hold<M>(&mut self, out: &mut Actions<M>) {
        self.token = true;
        self.next = Some(self.me);
        self.stop_waiting(out);
    }

    fn members(&self) -> impl DoubleEndedIterator<Item = &Link> + '_ {
        self.links.iter().filter(|link| link.member)
    }

    /// The link to a peer that sent something.
    #[inline(always)]
    fn linked(&mut self, peer: NodeId) -> Result<&mut Link, ProtocolError> {
        let node = self.me;
        match self.links.get_mut(peer) {
            Some(link) if link.member || link.forming.is_some() => Ok(link),
            _ => {
                let what = "a message came from a peer without a link: LinkUp comes first";
                Err(ProtocolError::Misuse { node, what })
            }
        }
    }

    /// Whether `rule` is to be followed as printed.
    pub(super) fn printed(&self, rule: Erratum) -> bool {
        self.rules.as_printed == Some(rule)
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Broken {
            node: self.me,
            what,
        }
    }
}

#[cfg(feature = "forge")]
forgeable!(Dag {
    forge_token => token: bool,
    forge_next => next: Option<NodeId>,
});

#[cfg(feature = "forge")]
impl Dag {
    /// Sets the height.
    pub const fn forge_height(&mut self, h1: i64, h2: i64) {
        self.level = Level { h1, h2 };
    }

    /// Sets a value.
    pub fn forge_view(&mut self, peer: NodeId, h1: i64, h2: i64) {
        let link = self.links.get_mut(peer).expect("a neighbour");
        link.level = Level { h1, h2 };
    }
}
