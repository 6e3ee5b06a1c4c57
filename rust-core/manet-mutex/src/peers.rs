//! Small sorted maps from peers.

use crate::ids::NodeId;

/// Something known about a peer.
pub trait AboutPeer {
    /// The peer.
    fn peer(&self) -> NodeId;
}

/// What is known about each of some peers, sorted by peer.
///
/// Every message looks its peer up at both ends. Most nodes have few neighbours, so a byte of each
/// of the first ones is kept at hand and all of them are compared at once; the search that is the
/// alternative waits for memory at each of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Peers<T> {
    list: Vec<T>,
    marks: Marks,
}

impl<T: AboutPeer> Default for Peers<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: AboutPeer> Peers<T> {
    /// No peers.
    pub const fn new() -> Self {
        Self {
            list: Vec::new(),
            marks: Marks([Octet(0); 2]),
        }
    }

    /// Gives unused memory back.
    pub fn shrink_to_fit(&mut self) {
        self.list.shrink_to_fit();
    }

    /// All, sorted by peer.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.list.iter()
    }

    /// All, to change what is known about them, but not whom it is about.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.list.iter_mut()
    }

    /// All, in parts of so many.
    pub fn chunks(&self, size: usize) -> std::slice::Chunks<'_, T> {
        self.list.chunks(size)
    }

    /// What is known about a peer.
    #[inline(always)]
    pub fn get(&self, peer: NodeId) -> Option<&T> {
        self.place(peer).map(|at| &self.list[at])
    }

    /// What is known about a peer, to change it.
    #[inline(always)]
    pub fn get_mut(&mut self, peer: NodeId) -> Option<&mut T> {
        self.place(peer).map(|at| &mut self.list[at])
    }

    /// Where a peer is.
    #[inline(always)]
    fn place(&self, peer: NodeId) -> Option<usize> {
        let at = self.marks.guess(peer);
        match self.list.get(at) {
            Some(about) if about.peer() == peer => Some(at),
            _ => self.search(peer).ok(),
        }
    }

    /// Puts in what is known about a peer, in place of what was known before.
    pub fn insert(&mut self, about: T) {
        match self.search(about.peer()) {
            Ok(at) => self.list[at] = about,
            Err(at) => {
                self.list.insert(at, about);
                self.mark();
            }
        }
    }

    /// Forgets a peer.
    pub fn remove(&mut self, peer: NodeId) {
        if let Ok(at) = self.search(peer) {
            self.list.remove(at);
            self.mark();
        }
    }

    #[cold]
    fn search(&self, peer: NodeId) -> Result<usize, usize> {
        self.list.binary_search_by_key(&peer, T::peer)
    }

    fn mark(&mut self) {
        self.marks = Marks::of(self.list.iter().map(T::peer));
    }
}

/// One byte for each of sixteen peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Marks([Octet; 2]);

impl Marks {
    fn of(mut peers: impl Iterator<Item = NodeId>) -> Self {
        Self([Octet::of(&mut peers), Octet::of(&mut peers)])
    }

    /// Where a peer could be: the first place with its mark, or some place beyond.
    #[inline(always)]
    fn guess(self, peer: NodeId) -> usize {
        let [first, second] = self.0.map(|octet| u128::from(octet.equal(peer)));
        // As one number: which half it is in cannot be foreseen, so nothing is decided by it.
        (second << 64 | first).trailing_zeros() as usize / 8
    }
}

/// One byte for each of eight peers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Octet(u64);

impl Octet {
    /// Of the next eight.
    pub fn of(peers: &mut impl Iterator<Item = NodeId>) -> Self {
        let marks = peers.take(8).enumerate();
        Self(marks.fold(0, |marks, (at, peer)| marks | Self::mark(peer) << (at * 8)))
    }

    /// Where a peer could be: the first place with its mark, or some place beyond.
    #[inline(always)]
    pub const fn guess(self, peer: NodeId) -> usize {
        self.equal(peer).trailing_zeros() as usize / 8
    }

    /// The lowest byte that equals the peer's mark, as its highest bit; those above tell nothing.
    #[inline(always)]
    const fn equal(self, peer: NodeId) -> u64 {
        const LOW: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = LOW << 7;
        let differs = self.0 ^ (Self::mark(peer) * LOW);
        differs.wrapping_sub(LOW) & !differs & HIGH
    }

    /// Neighbours often differ by whole rows of a grid, that is, perhaps, by multiples of 256.
    const fn mark(peer: NodeId) -> u64 {
        ((peer.0 ^ peer.0 >> 8) & 0xff) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl AboutPeer for (u32, char) {
        fn peer(&self) -> NodeId {
            NodeId(self.0)
        }
    }

    /// As many peers as there are marks and more, some with equal marks.
    #[test]
    fn each_peer_is_found_and_no_other() {
        let ids = [0, 1, 255, 256, 257, 511, 512, 513, 65_535, 65_536, u32::MAX];
        let more = (1000..1020).chain([7, 700, 70_000]);
        let mut peers = Peers::new();
        let mut known = std::collections::BTreeMap::new();
        for id in ids.into_iter().chain(more) {
            for (id, what) in [(id, 'a'), (id, 'b')] {
                peers.insert((id, what));
                known.insert(id, what);
            }
            for probe in ids.into_iter().chain(990..1030) {
                let found = peers.get(NodeId(probe)).map(|&(_, what)| what);
                assert_eq!(found, known.get(&probe).copied(), "{probe}");
            }
        }
        let sorted = known.iter().map(|(&id, &what)| (id, what));
        assert!(peers.iter().copied().eq(sorted));
        for id in ids {
            peers.remove(NodeId(id));
            assert_eq!(peers.get(NodeId(id)), None);
        }
        assert_eq!(peers.iter().count(), known.len() - ids.len());
    }
}
