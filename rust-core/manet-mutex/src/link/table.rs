//! All peers of a node, in order of their ids.

use super::config::Rules;
use super::peer::Peer;
use crate::ids::NodeId;
use crate::machine::Message;
use crate::time::Time;
use crate::wire::frame::Gist;
use std::ops::{Index, IndexMut};

/// Peers. What is looked at of all of them for each frame and at each wake is kept apart from the
/// rest: so it stays in the processor's cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Table<M> {
    plans: Vec<Plan>,
    peers: Vec<Peer<M>>,
}

/// What has to be done with a peer, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Plan {
    peer: NodeId,
    /// There is something else to do than to hear its next hello.
    errand: bool,
    /// When something is due.
    due: Time,
    /// Until when hellos list it: always if it is a neighbour.
    listed: Time,
    /// See [`Peer::gist`].
    gist: Option<Gist>,
}

impl Plan {
    fn of<M: Message>(peer: &Peer<M>, rules: &Rules) -> Self {
        let errand = peer.errand_at();
        Self {
            peer: peer.pair.peer(),
            errand: errand.is_some(),
            due: errand.unwrap_or(Time::NEVER).min(peer.miss_at(rules)),
            listed: peer.listed_until(rules),
            gist: peer.gist(rules),
        }
    }
}

impl<M: Message> Table<M> {
    pub(super) const fn new() -> Self {
        Self {
            plans: Vec::new(),
            peers: Vec::new(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.peers.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Peer<M>> + '_ {
        self.peers.iter()
    }

    /// The place of a peer; if it is not there, the place for it.
    pub(super) fn place(&self, peer: NodeId) -> Result<usize, usize> {
        self.plans.binary_search_by_key(&peer, |plan| plan.peer)
    }

    /// The same for a peer of `me`; looks first where it is if all others are there.
    pub(super) fn guess(&self, peer: NodeId, me: NodeId) -> Result<usize, usize> {
        let guess = peer.0 as usize - usize::from(peer > me);
        match self.plans.get(guess) {
            Some(plan) if plan.peer == peer => Ok(guess),
            _ => self.place(peer),
        }
    }

    pub(super) fn insert(&mut self, place: usize, peer: Peer<M>, rules: &Rules) {
        self.plans.insert(place, Plan::of(&peer, rules));
        self.peers.insert(place, peer);
    }

    pub(super) fn remove(&mut self, place: usize) -> Peer<M> {
        self.plans.remove(place);
        self.peers.remove(place)
    }

    /// To be called when something happened to a peer; tells when something is due with it.
    pub(super) fn plan(&mut self, place: usize, rules: &Rules) -> Time {
        self.plans[place] = Plan::of(&self.peers[place], rules);
        self.plans[place].due
    }

    /// To be called when a peer was heard for whom nothing waits, and nothing else happened to it.
    pub(super) fn plan_heard(&mut self, place: usize, rules: &Rules) {
        let peer = &self.peers[place];
        let plan = &mut self.plans[place];
        if plan.errand {
            *plan = Plan::of(peer, rules);
        } else if plan.listed == Time::NEVER {
            plan.due = peer.quiet_until(rules);
        } else {
            plan.listed = plan.listed.max(peer.hearing.dead_at(rules));
        }
    }

    /// Whether a peer is at least heard.
    pub(super) fn is_neighbour(&self, place: usize) -> bool {
        self.plans[place].listed == Time::NEVER
    }

    /// Whether a hello should list a peer.
    pub(super) fn is_listed(&self, place: usize, now: Time) -> bool {
        now < self.plans[place].listed
    }

    /// See [`Peer::gist`].
    pub(super) fn gist(&self, place: usize) -> Option<Gist> {
        self.plans[place].gist
    }

    /// Whether something is due with a peer.
    pub(super) fn is_due(&self, place: usize, now: Time) -> bool {
        self.plans[place].due <= now
    }

    /// When something is due with any of them.
    pub(super) fn due(&self, rules: &Rules) -> Time {
        debug_assert!(self.is_planned(rules), "something happened without a plan");
        let dues = self.plans.iter().map(|plan| plan.due);
        dues.fold(Time::NEVER, Time::min)
    }

    /// Whether all plans are as they should be.
    pub(super) fn is_planned(&self, rules: &Rules) -> bool {
        let plans = self.peers.iter().map(|peer| Plan::of(peer, rules));
        plans.eq(self.plans.iter().cloned())
    }
}

impl<M> Index<usize> for Table<M> {
    type Output = Peer<M>;

    fn index(&self, place: usize) -> &Peer<M> {
        &self.peers[place]
    }
}

impl<M> IndexMut<usize> for Table<M> {
    fn index_mut(&mut self, place: usize) -> &mut Peer<M> {
        &mut self.peers[place]
    }
}
