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

mod erratum;
mod height;
mod limiter;

pub use erratum::{Erratum, UnknownErratum};
pub use height::Height;
pub use limiter::{Limiter, QUIET, RETRY};

use super::Fixed;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Note, ProtocolError, TimerId};
use height::Level;

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
    /// Sorted by id.
    links: Vec<Link>,
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

/// What a node knows about one link.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Link {
    peer: NodeId,
    /// `N` contains the peer.
    member: bool,
    /// `forming[j]`.
    forming: bool,
    /// `receivedLI[j]`.
    received_li: bool,
    /// `height[j]`.
    level: Level,
    /// `formHeight[j]`.
    form: Level,
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
        let mut links: Vec<Link> = neighbours
            .into_iter()
            .map(|(peer, far)| Link {
                peer,
                member: true,
                forming: false,
                received_li: true,
                level: level(far),
                form: level(distance),
            })
            .collect();
        links.sort_by_key(|link| link.peer);
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
            links: Vec::new(),
            token,
            next: token.then_some(me),
            credit: rules.limiter.burst.unwrap_or(0),
            held: false,
            rules,
        }
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
        self.members().map(|link| link.level.of(link.peer))
    }

    /// Whether a link to `peer` is known here, formed or forming.
    pub fn knows(&self, peer: NodeId) -> bool {
        self.link(peer)
            .is_some_and(|link| link.member || link.forming)
    }

    /// Whether `peer` is a neighbour that this node sees above itself.
    pub fn sees_above(&self, peer: NodeId) -> bool {
        self.link(peer)
            .is_some_and(|l| l.member && l.level.of(l.peer) > self.height())
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
            forming: true,
            received_li: true,
            level: self.level,
            form: self.level,
        };
        match self.slot(peer) {
            Ok(at) => self.links[at] = link,
            Err(at) => self.links.insert(at, link),
        }
    }

    /// [RL 4.3, failure of link, lines 1 and 3], and E2: `next` goes with its link.
    pub fn link_down(&mut self, peer: NodeId) {
        let Ok(at) = self.slot(peer) else { return };
        if self.printed(Erratum::E2) || self.printed(Erratum::E2Rejoin) {
            // As printed: height[j] survives the link.
            let link = &mut self.links[at];
            (link.member, link.forming, link.received_li) = (false, false, true);
            let others = self.members().next().is_some();
            if self.printed(Erratum::E2) && self.next == Some(peer) && others {
                self.next = None; // [RL 4.3, failure, line 6] does see that next is gone
            }
            return;
        }
        self.links.remove(at);
        if self.next == Some(peer) {
            self.next = None;
        }
    }

    /// [RL 4.3, LinkInfo, lines 1 to 6]: notes the sender's height; whether the sender is now
    /// seen above this node.
    ///
    /// # Errors
    /// If there is no link to the sender.
    pub fn link_info<M: LinkInfo>(
        &mut self,
        height: Height,
        out: &mut Actions<M>,
    ) -> Result<bool, ProtocolError> {
        let mine = self.level;
        let me = self.me;
        let link = self.linked(height.id)?;
        link.member = true; // line 1
        if link.forming && mine != link.form {
            out.send(link.peer, M::link_info(mine.of(me))); // lines 2, 3
        }
        link.forming = false; // line 4
        if link.received_li {
            link.level = Level::from(height); // line 5
        } else if link.level == Level::from(height) {
            link.received_li = true; // line 6
        }
        Ok(link.level.of(link.peer) > mine.of(me))
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
        for link in self.members() {
            if link.peer == height.id || link.level.of(link.peer) < mine {
                out.send(link.peer, M::link_info(lowered.of(self.me))); // line 3
            }
        }
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
            for link in self.members() {
                if link.level.of(link.peer) < mine {
                    out.send(link.peer, M::link_info(lowered.of(self.me)));
                }
            }
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
        if let Ok(at) = self.slot(to) {
            let link = &mut self.links[at];
            link.level = lowered;
            link.received_li = false;
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
    pub fn settle<M: LinkInfo>(&mut self, out: &mut Actions<M>) -> Result<Course, ProtocolError> {
        if self.token {
            return Ok(Course::Holder);
        }
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

    /// The lowest neighbour.
    pub fn lowest(&self) -> Option<NodeId> {
        self.members()
            .min_by_key(|link| (link.level, link.peer))
            .map(|link| link.peer)
    }

    /// [RL 5, Definition 3], for a node that does not hold the token, with E1.
    fn is_sink(&self) -> Result<bool, ProtocolError> {
        let mine = self.height();
        let mut any = false;
        for link in self.members() {
            any = true;
            if self.rules.as_printed == Some(Erratum::E6) && link.forming {
                return Err(self.broken("compares with the height of a neighbour not heard of yet"));
            }
            if link.level.of(link.peer) < mine {
                return Ok(false);
            }
        }
        if !any && self.printed(Erratum::E1) {
            return Err(self.broken("RaiseHeight takes a minimum over no neighbours"));
        }
        Ok(any)
    }

    /// E2: `next` no longer leads to the token.
    fn is_stale(&self) -> bool {
        let Some(next) = self.next else { return true };
        let Some(link) = self.link(next) else {
            return true;
        };
        let reversed = link.level.of(link.peer) > self.height();
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

    fn members(&self) -> impl Iterator<Item = &Link> + '_ {
        self.links.iter().filter(|link| link.member)
    }

    fn link(&self, peer: NodeId) -> Option<&Link> {
        self.slot(peer).ok().map(|at| &self.links[at])
    }

    /// The link to a peer that sent something.
    fn linked(&mut self, peer: NodeId) -> Result<&mut Link, ProtocolError> {
        match self.slot(peer) {
            Ok(at) if self.links[at].member || self.links[at].forming => Ok(&mut self.links[at]),
            _ => {
                let what = "a message came from a peer without a link: LinkUp comes first";
                Err(ProtocolError::Misuse {
                    node: self.me,
                    what,
                })
            }
        }
    }

    fn slot(&self, peer: NodeId) -> Result<usize, usize> {
        self.links.binary_search_by_key(&peer, |link| link.peer)
    }

    fn printed(&self, rule: Erratum) -> bool {
        self.rules.as_printed == Some(rule)
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Broken {
            node: self.me,
            what,
        }
    }
}
