//! Messages that ride on a hello.

use super::pair::Pair;
use crate::wire::frame::Sharer;
use crate::wire::{self, WireMessage};
use std::ops::Range;

/// What a hello carries for whom, as it is being put together; empty otherwise. What is the same
/// for several peers is there once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Load {
    bytes: Vec<u8>,
    parts: Vec<Part>,
    rides: Vec<Ride>,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Part {
    bytes: Range<usize>,
    awaited: bool,
}

/// A message for a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ride {
    /// The peer's place among all, and that of its entry.
    pub(super) place: usize,
    entry: u8,
    part: usize,
    pub(super) sequence: u32,
    /// An acknowledgement is wanted at once.
    pub(super) urgent: bool,
}

impl Load {
    /// Adds what waits for a peer and what it has not acknowledged, up to a message that cannot be
    /// sent.
    pub(super) fn add<M: WireMessage>(&mut self, place: usize, entry: u8, pair: &Pair<M>) {
        // What comes later for a peer must not be in an earlier part.
        let mut least = 0;
        for (sequence, msg) in pair.pending() {
            let start = self.bytes.len();
            if wire::encode(msg, &mut self.bytes).is_err() {
                return;
            }
            let same = |part: &Part| self.bytes[part.bytes.clone()] == self.bytes[start..];
            let part = match self.parts[least..].iter().position(same) {
                Some(found) => {
                    self.bytes.truncate(start);
                    least + found
                }
                None => {
                    self.parts.push(Part {
                        bytes: start..self.bytes.len(),
                        awaited: msg.is_awaited(),
                    });
                    self.parts.len() - 1
                }
            };
            least = part + 1;
            self.rides.push(Ride {
                place,
                entry,
                part,
                sequence,
                urgent: false,
            });
        }
    }

    /// Writes everything into the hello that begins at `start` of `out`, as far as it fits.
    pub(super) fn write(&mut self, out: &mut Vec<u8>, start: usize) {
        // So that each part's are together, in the order of their entries.
        self.rides
            .sort_unstable_by_key(|ride| (ride.part, ride.entry));
        let mut hello = Sharer::new(out, start);
        let mut written = 0;
        for group in self.rides.chunk_by_mut(|a, b| a.part == b.part) {
            let part = &self.parts[group[0].part];
            let urgent = part.awaited;
            let receivers = group.iter().map(|ride| (ride.entry, ride.sequence));
            let message = &self.bytes[part.bytes.clone()];
            if !hello.add(receivers, urgent, message) {
                break;
            }
            group.iter_mut().for_each(|ride| ride.urgent = urgent);
            written += group.len();
        }
        self.rides.truncate(written);
    }

    /// What was written.
    pub(super) fn rides(&self) -> impl Iterator<Item = Ride> + '_ {
        self.rides.iter().copied()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.parts.clear();
        self.rides.clear();
    }
}
