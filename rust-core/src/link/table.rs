//! All peers of a node, in order of their ids.

use super::config::Rules;
use super::pair::State;
use super::peer::Peer;
use crate::ids::NodeId;
use crate::machine::Message;
use crate::time::Time;
use std::ops::{Index, IndexMut};

/// Peers. What is looked at for each frame and at each wake, whose peer it is and when something
/// is due, is kept apart from the rest of them: so it stays in the processor's cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Table<M> {
    ids: Vec<NodeId>,
    /// When something is due with each, and when something other than its next hello.
    dues: Vec<Time>,
    errands: Vec<Time>,
    peers: Vec<Peer<M>>,
}

impl<M: Message> Table<M> {
    pub(super) const fn new() -> Self {
        Self {
            ids: Vec::new(),
            dues: Vec::new(),
            errands: Vec::new(),
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
        self.ids.binary_search(&peer)
    }

    pub(super) fn insert(&mut self, place: usize, peer: Peer<M>) {
        self.ids.insert(place, peer.pair.peer());
        self.dues.insert(place, Time::NEVER);
        self.errands.insert(place, Time::NEVER);
        self.peers.insert(place, peer);
    }

    pub(super) fn remove(&mut self, place: usize) -> Peer<M> {
        self.ids.remove(place);
        self.dues.remove(place);
        self.errands.remove(place);
        self.peers.remove(place)
    }

    /// To be called when something happened to a peer; tells when something is due with it.
    pub(super) fn plan(&mut self, place: usize, rules: &Rules) -> Time {
        let peer = &self.peers[place];
        self.errands[place] = peer.errand_at().unwrap_or(Time::NEVER);
        self.dues[place] = due(peer, rules);
        self.dues[place]
    }

    /// To be called when a peer was heard and nothing else happened to it.
    pub(super) fn plan_heard(&mut self, place: usize, rules: &Rules) {
        if self.dues[place] != self.errands[place] {
            let miss = self.peers[place].miss_at(rules);
            self.dues[place] = miss.min(self.errands[place]);
        }
    }

    /// Whether something is due with a peer.
    pub(super) fn is_due(&self, place: usize, now: Time) -> bool {
        self.dues[place] <= now
    }

    /// When something is due with any of them.
    pub(super) fn due(&self, rules: &Rules) -> Time {
        debug_assert!(self.is_planned(rules), "something happened without a plan");
        self.dues.iter().copied().fold(Time::NEVER, Time::min)
    }

    fn is_planned(&self, rules: &Rules) -> bool {
        let dues = self.peers.iter().map(|peer| due(peer, rules));
        dues.eq(self.dues.iter().copied())
    }
}

/// When something is due with a peer.
fn due<M: Message>(peer: &Peer<M>, rules: &Rules) -> Time {
    let errand = peer.errand_at().unwrap_or(Time::NEVER);
    match peer.pair.state() {
        State::Down => errand,
        _ => errand.min(peer.miss_at(rules)),
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
