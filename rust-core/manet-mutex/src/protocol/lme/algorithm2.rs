//! `lme2`: local mutual exclusion by heights, with the least failure locality there can be.
//!
//! Source: see [`super`]; Algorithm 2 is [LME 5], of which the paper prints no code. A hungry node
//! collects the forks it shares with its neighbours ([`super::forks`]), without doorways; of two that
//! want the same fork the one with more priority goes first, and a node that leaves has less than all
//! its neighbours from then on. A node that becomes hungry says so, and whoever thinks and has more
//! priority gives that up, so as not to come in between later.
//!
//! # Heights
//! Each node has a height, which never falls; who has less, or the smaller id of two equal ones, is
//! *before* the other. A node knows what its neighbours last told of theirs. That can be too little but
//! never too much, so a node may take a neighbour to be before it that no longer is, and never the other
//! way round: of two neighbours at most one takes itself to be before the other.
//!
//! # Messages
//! `Req` and `Fork` as in all of [`super`]; `Notify`, the paper's notification; `Height`, the sender's
//! new one; `Welcome`, the same as the first message on a link, from the end that stayed.
//!
//! # Moving
//! The end that came steps back, lowers itself and asks for no fork of the new link before it has been
//! welcomed. It then is after all its neighbours and delays none of them, but by forks that it gives
//! away when asked.
//!
//! # Cost
//! Without movement a `Notify` and a `Height` or two for each neighbour and entry, and up to four
//! messages for the fork. The paper claims that a node which stays enters within O(n) time where
//! nobody moves and O(n^2) otherwise, and that a crash concerns nobody farther than two links away
//! [LME, Theorems 8 and 9].
//!
//! # Deviations from the paper
//! Each rule can be put back as printed ([`Erratum`]) to see it fail.
//! * L1: heights in place of one flag `higher[j]` at each end of a link. A thinking node that lowers
//!   itself has not got the forks, so this crosses with a neighbour that leaves; each flips its flags
//!   and believes the others', and three nodes end up before one another in a circle, in which none of
//!   them is bound to get all its forks.
//! * L4: when a link goes down the node looks whether it has everything now. For Algorithm 1 the paper's
//!   code does not [LME 4.2, lines 56 to 61].
//! * L8: a node lowers itself towards all its neighbours, also when only one of them notified it, and
//!   when it came to only one of them. The paper does not say towards whom.

use super::State;
use super::forks::{ForkMessage, Forks, Stance, View};
use crate::demand::Demand;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{
    Action, Actions, Cargo, Event, Message, Protocol, ProtocolError, Reach, Role,
};
use crate::promise::{Custody, Promise, Scope};
use crate::protocol::erratum::Erratum;
use crate::protocol::{Population, PopulationError, check_member};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// What `lme2` says to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Lme2Message {
    /// Asks for the fork.
    Req,
    /// The fork.
    Fork {
        /// The sender wants it back.
        flag: bool,
    },
    /// The sender has become hungry [LME 5, notification].
    Notify,
    /// The sender's new height.
    Height(u64),
    /// To a node that came: the sender's height.
    Welcome(u64),
}

impl Message for Lme2Message {
    fn kind(&self) -> &'static str {
        match self {
            Self::Req => "Req",
            Self::Fork { .. } => "Fork",
            Self::Notify => "Notify",
            Self::Height(_) => "Height",
            Self::Welcome(_) => "Welcome",
        }
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Fork { .. } => Cargo::Fork,
            _ => Cargo::Nothing,
        }
    }
}

/// Messages of `lme2` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` | `Req` |
/// | `01` flag | `Fork` |
/// | `02` | `Notify` |
/// | `03` height | `Height` |
/// | `04` height | `Welcome` |
///
/// A height is an unsigned number of at most 10 bytes.
impl WireMessage for Lme2Message {
    const TAG: Tag = Tag::new(18, Lme2::NAME);
}

impl ForkMessage for Lme2Message {
    fn req() -> Self {
        Self::Req
    }

    fn fork(flag: bool) -> Self {
        Self::Fork { flag }
    }
}

/// What a node knows of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Neighbour {
    /// Nothing: this node came and is to be welcomed.
    Awaited,
    /// Nothing yet: the neighbour came.
    Unknown,
    /// Its height, as it told last.
    At(u64),
    /// Priorities are flags (errata L1 and L8): `higher[j]`.
    Flag {
        /// The neighbour is before this node.
        higher: bool,
    },
}

impl Neighbour {
    /// The height it told last.
    pub const fn height(self) -> Option<u64> {
        match self {
            Self::At(height) => Some(height),
            _ => None,
        }
    }

    const fn is_awaited(self) -> bool {
        matches!(self, Self::Awaited)
    }
}

/// Constants of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Config {
    /// A corrected rule put back as printed, to see it fail.
    pub as_printed: Option<Erratum>,
}

impl Config {
    /// Priorities are flags.
    const fn has_flags(self) -> bool {
        matches!(self.as_printed, Some(Erratum::L1 | Erratum::L8))
    }
}

/// One node running Algorithm 2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lme2 {
    me: NodeId,
    state: State,
    height: u64,
    /// `N` with heights (the paper's `higher[]`), `at[]` and `S`.
    links: Forks<Neighbour>,
    config: Config,
}

/// A node as its fork table sees it.
struct Me {
    id: NodeId,
    height: u64,
    stance: Stance,
}

impl View<Neighbour> for Me {
    fn stance(&self) -> Stance {
        self.stance
    }

    /// `higher[j]` or not [LME 5]. Who is not known is before everybody.
    fn rank(&self, peer: NodeId, about: &Neighbour) -> Ordering {
        match *about {
            Neighbour::At(height) => (height, peer).cmp(&(self.height, self.id)),
            Neighbour::Flag { higher: false } => Ordering::Greater,
            Neighbour::Awaited | Neighbour::Unknown | Neighbour::Flag { higher: true } => {
                Ordering::Less
            }
        }
    }

    fn may_ask(&self, about: &Neighbour) -> bool {
        !about.is_awaited()
    }
}

type Out = Actions<Lme2Message>;

impl Lme2 {
    const fn new(me: NodeId, links: Forks<Neighbour>, config: Config) -> Self {
        Self {
            me,
            state: State::Thinking,
            height: 0,
            links,
            config,
        }
    }

    /// `state`.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The node's height.
    pub const fn height(&self) -> u64 {
        self.height
    }

    /// The node's links.
    pub const fn links(&self) -> &Forks<Neighbour> {
        &self.links
    }

    /// The rule that is as printed, if one is.
    pub const fn as_printed(&self) -> Option<Erratum> {
        self.config.as_printed
    }

    /// Whether this node takes a neighbour to be before it: `higher[j]`.
    pub fn sees_before(&self, peer: NodeId) -> bool {
        let link = self.links.get(peer);
        link.is_some_and(|link| self.view().rank(peer, &link.about).is_lt())
    }

    const fn view(&self) -> Me {
        Me {
            id: self.me,
            height: self.height,
            stance: match self.state {
                State::Thinking => Stance::Aside,
                State::Hungry => Stance::Competing,
                State::Eating => Stance::Eating,
            },
        }
    }

    /// Asks for forks, or enters.
    fn collect(&mut self, out: &mut Out) {
        if self.links.collect(&self.view(), out) {
            self.state = State::Eating;
            out.push(Action::Enter(Demand::Exclusive));
        }
    }

    /// Goes after all neighbours, and tells them; `untold` is told otherwise.
    fn lower(&mut self, untold: Option<NodeId>, out: &mut Out) {
        if self.config.has_flags() {
            self.lower_flags(None, out);
            return;
        }
        let me = self.view();
        let after =
            |link: &super::forks::Link<Neighbour>| me.rank(link.peer(), &link.about).is_gt();
        if !self.links.iter().any(after) {
            return;
        }
        let known = self.links.iter().filter_map(|link| link.about.height());
        let most = known.fold(self.height, u64::max);
        self.height = most.saturating_add(1);
        for link in self.links.iter().filter(|link| !link.about.is_awaited()) {
            if untold != Some(link.peer()) {
                out.send(link.peer(), Lme2Message::Height(self.height));
            }
        }
    }

    /// The same by flags, each neighbour that is no longer after this node being told [LME 5]; with
    /// L8 towards one neighbour only, if there is one that matters.
    fn lower_flags(&mut self, towards: Option<NodeId>, out: &mut Out) {
        let only = towards.filter(|_| self.config.as_printed == Some(Erratum::L8));
        for link in self.links.iter_mut() {
            let meant = only.is_none_or(|peer| peer == link.peer());
            if meant && link.about == (Neighbour::Flag { higher: false }) {
                link.about = Neighbour::Flag { higher: true };
                out.send(link.peer(), Lme2Message::Height(0));
            }
        }
    }

    fn message(
        &mut self,
        from: NodeId,
        msg: Lme2Message,
        out: &mut Out,
    ) -> Result<(), ProtocolError> {
        let Some(link) = self.links.get_mut(from) else {
            return Err(self.misuse("got a message from a node to which no link is up"));
        };
        match msg {
            Lme2Message::Req => self.links.asked(from, &self.view(), out),
            Lme2Message::Fork { flag } => {
                let received = self.links.received(from, flag, &self.view(), out);
                received.map_err(|second| second.at(self.me))?;
                self.collect(out);
            }
            Lme2Message::Notify => self.notified(from, out),
            Lme2Message::Height(height) => {
                link.about = if self.config.has_flags() {
                    Neighbour::Flag { higher: false }
                } else {
                    Neighbour::At(height)
                };
                self.collect(out);
            }
            Lme2Message::Welcome(height) => {
                if !self.config.has_flags() {
                    link.about = Neighbour::At(height);
                    self.welcomed(from, out);
                }
                self.collect(out);
            }
        }
        Ok(())
    }

    /// [LME 5]: lowers its priority only if it is thinking and has more than the one that notifies.
    fn notified(&mut self, from: NodeId, out: &mut Out) {
        if self.state != State::Thinking || self.sees_before(from) {
            return;
        }
        if self.config.has_flags() {
            self.lower_flags(Some(from), out);
        } else {
            self.lower(None, out);
        }
    }

    /// Knows the neighbour it came to, and makes itself known.
    fn welcomed(&mut self, by: NodeId, out: &mut Out) {
        self.lower(Some(by), out);
        out.send(by, Lme2Message::Height(self.height));
        if self.state == State::Hungry {
            out.send(by, Lme2Message::Notify);
        }
    }

    fn link_up(&mut self, peer: NodeId, role: Role, out: &mut Out) -> Result<(), ProtocolError> {
        if self.links.get(peer).is_some() || peer == self.me {
            return Err(self.misuse("a link came up twice: close it in between"));
        }
        let about = match role {
            _ if self.config.has_flags() => Neighbour::Flag {
                higher: role == Role::Moving,
            },
            Role::Static => Neighbour::Unknown,
            Role::Moving => Neighbour::Awaited,
        };
        self.links.join(peer, role == Role::Static, about);
        match role {
            Role::Static => out.send(peer, Lme2Message::Welcome(self.height)),
            Role::Moving => self.came(peer, out),
        }
        self.collect(out);
        Ok(())
    }

    /// Steps back [LME 2], and keeps nothing that others asked for.
    fn came(&mut self, to: NodeId, out: &mut Out) {
        if self.state == State::Eating {
            self.state = State::Hungry;
            out.push(Action::Demoted);
        }
        if self.config.has_flags() {
            self.lower_flags(Some(to), out);
        } else {
            self.lower(None, out);
        }
        self.links.release(&self.view(), out);
    }

    fn link_down(&mut self, peer: NodeId, out: &mut Out) -> Result<(), ProtocolError> {
        if self.links.get(peer).is_none() {
            return Err(self.misuse("a link went down that was not up"));
        }
        self.links.part(peer);
        if self.config.as_printed != Some(Erratum::L4) {
            self.collect(out);
        }
        Ok(())
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Misuse {
            node: self.me,
            what,
        }
    }
}

impl Protocol for Lme2 {
    const NAME: &'static str = "lme2";
    const REACH: Reach = Reach::Neighbours;
    type Message = Lme2Message;

    fn id(&self) -> NodeId {
        self.me
    }

    fn handle(
        &mut self,
        event: Event<Lme2Message>,
        out: &mut Actions<Lme2Message>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Request(demand) => {
                self.state.may_request(Self::NAME, self.me, demand)?;
                self.state = State::Hungry;
                for link in self.links.iter().filter(|link| !link.about.is_awaited()) {
                    out.send(link.peer(), Lme2Message::Notify);
                }
                self.collect(out);
            }
            Event::Release => {
                self.state.may_release(self.me)?;
                self.state = State::Thinking;
                self.lower(None, out);
                self.links.release(&self.view(), out);
            }
            Event::Message { from, msg } => self.message(from, msg, out)?,
            Event::LinkUp { peer, role } => self.link_up(peer, role, out)?,
            Event::LinkDown { peer, .. } => self.link_down(peer, out)?,
            // Forks are not owned beyond their link, and nothing takes time.
            Event::Start | Event::Resolved { .. } | Event::Timer(_) => {}
        }
        Ok(())
    }
}

impl Population for Lme2 {
    type Config = Config;

    fn promise(_: &Config) -> Promise {
        Promise {
            scope: Scope::Neighbours,
            custody: Custody::Nothing,
        }
    }

    /// All heights are zero, so that the smaller of two ids is before the other and has the fork;
    /// no path from one node to another is needed.
    fn settled(graph: &Graph, config: &Config) -> Result<Vec<Self>, PopulationError> {
        if graph.is_empty() {
            return Err(PopulationError::Empty);
        }
        let node = |me: NodeId| {
            let about = |peer: NodeId| match config.has_flags() {
                true => Neighbour::Flag { higher: peer < me },
                false => Neighbour::At(0),
            };
            let links = graph.neighbours(me).iter().map(|&peer| (peer, about(peer)));
            Self::new(me, Forks::settled(me, links), *config)
        };
        Ok(graph.nodes().map(node).collect())
    }

    fn founding(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, Forks::default(), *config))
    }

    /// Forks live and die with links, and it gets new ones.
    fn rejoining(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        Self::founding(id, nodes, config)
    }
}

#[cfg(feature = "forge")]
forgeable!(Lme2 {
    forge_height => height: u64,
});

#[cfg(feature = "forge")]
impl Lme2 {
    /// The links, to change them.
    pub const fn forge_links(&mut self) -> &mut Forks<Neighbour> {
        &mut self.links
    }
}
