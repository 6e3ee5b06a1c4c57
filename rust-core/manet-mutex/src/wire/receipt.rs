//! What datagrams say about lives and what was received.

/// A life of a node: larger each time it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Life(pub u64);

/// What one end has received of the messages from one life to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Receipt {
    /// All below, and this one not.
    pub below: u64,
    /// Bit i: also number `below + 1 + i`.
    pub beyond: u64,
}

impl Receipt {
    /// How far beyond the first gap it can tell.
    pub const AHEAD: u32 = u64::BITS;

    /// Whether it covers a number.
    pub const fn covers(self, number: u64) -> bool {
        match number.checked_sub(self.below) {
            None => true,
            Some(0) => false,
            Some(ahead) => ahead <= Self::AHEAD as u64 && self.beyond >> (ahead - 1) & 1 == 1,
        }
    }

    /// The largest number that it covers, and one more.
    pub(crate) const fn end(self) -> u64 {
        match Self::AHEAD - self.beyond.leading_zeros() {
            0 => self.below,
            ahead => self.below.saturating_add(1 + ahead as u64),
        }
    }

    /// Adds a number that it does not cover. False if that is too far ahead.
    pub(crate) const fn add(&mut self, number: u64) -> bool {
        let ahead = number - self.below;
        if ahead > Self::AHEAD as u64 {
            return false;
        }
        if ahead > 0 {
            self.beyond |= 1 << (ahead - 1);
            return true;
        }
        // The gap is filled; behind it all up to the next gap are there.
        let run = self.beyond.trailing_ones();
        self.below += 1 + run as u64;
        self.beyond = match self.beyond.checked_shr(run + 1) {
            Some(rest) => rest,
            None => 0,
        };
        true
    }
}
