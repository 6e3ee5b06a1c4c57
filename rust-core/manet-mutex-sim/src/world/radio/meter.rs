//! What a run over the radio measures about its links.

use crate::world::meter::Distribution;
use manet_mutex::ids::NodeId;
use manet_mutex::link::{Cause, Note, Way};
use manet_mutex::time::Time;
use std::collections::BTreeMap;

/// Links as their two ends see them, and doubts.
#[derive(Clone, Debug, Default)]
pub struct LinkMeter {
    pairs: BTreeMap<(NodeId, NodeId), Ends>,
    /// Time in which exactly one end of a pair had the link up, in nanoseconds, all pairs.
    pub half_up: u64,
    /// Time in which both had.
    pub both_up: u64,
    /// Time between the two ends' link ups, in nanoseconds, each incarnation.
    pub up_skew: Vec<u64>,
    /// The same for link downs.
    pub down_skew: Vec<u64>,
    /// Links closed, by cause; an end each.
    pub closes: BTreeMap<Cause, u64>,
    /// Messages in doubt that were resolved, by the way in which that became known.
    pub resolved: BTreeMap<Way, u64>,
    /// How long they were in doubt, in nanoseconds.
    pub doubt_time: Vec<u64>,
    /// Times that a peer was turned away because there were too many neighbours.
    pub crowded: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    /// Up or not, and since when it has been so; the smaller id's end first.
    up: [bool; 2],
    changed: [Time; 2],
    since: Time,
}

impl LinkMeter {
    /// The link layer of a node said something.
    pub(super) fn note(&mut self, now: Time, node: NodeId, note: &Note) {
        match *note {
            Note::Up { peer, .. } => self.change(now, node, peer, true),
            Note::Down { peer, cause, .. } => {
                *self.closes.entry(cause).or_default() += 1;
                self.change(now, node, peer, false);
            }
            Note::Resolved {
                way,
                messages,
                after,
                ..
            } => {
                *self.resolved.entry(way).or_default() += messages as u64;
                let nanos = after.as_nanos() as u64;
                self.doubt_time.extend(std::iter::repeat_n(nanos, messages));
            }
            Note::Crowded { .. } => self.crowded += 1,
        }
    }

    fn change(&mut self, now: Time, node: NodeId, peer: NodeId, up: bool) {
        let name = (node.min(peer), node.max(peer));
        let end = usize::from(node > peer);
        let ends = self.pairs.entry(name).or_default();
        let lasted = now.0 - ends.since.0;
        match ends.up {
            [true, true] => self.both_up += lasted,
            [false, false] => {}
            _ => self.half_up += lasted,
        }
        let skew = now.0 - ends.changed[1 - end].0;
        // The other end made the same change and has made no other since. An end that skips an
        // incarnation, or that comes up after the other has left, has no counterpart.
        if ends.up[1 - end] == up && ends.up[end] != up {
            let skews = if up {
                &mut self.up_skew
            } else {
                &mut self.down_skew
            };
            skews.push(skew);
        }
        ends.up[end] = up;
        ends.changed[end] = now;
        ends.since = now;
    }

    /// The run is over.
    pub(super) fn finish(&mut self, now: Time) {
        for ends in self.pairs.values_mut() {
            let lasted = now.0.saturating_sub(ends.since.0);
            match ends.up {
                [true, true] => self.both_up += lasted,
                [false, false] => {}
                _ => self.half_up += lasted,
            }
            ends.since = now;
        }
    }

    /// Of the time in which a pair had a link at all, the share in which only one end knew.
    pub fn half_up_share(&self) -> f64 {
        self.half_up as f64 / (self.half_up + self.both_up) as f64
    }

    /// A summary of nanoseconds, in seconds.
    pub fn summary(nanos: &[u64]) -> Distribution {
        Distribution::of(nanos.iter().map(|&nanos| nanos as f64 / 1e9).collect())
    }

    /// Adds what another run measured.
    pub fn add(&mut self, other: &Self) {
        self.half_up += other.half_up;
        self.both_up += other.both_up;
        self.up_skew.extend(&other.up_skew);
        self.down_skew.extend(&other.down_skew);
        self.doubt_time.extend(&other.doubt_time);
        self.crowded += other.crowded;
        for (&cause, count) in &other.closes {
            *self.closes.entry(cause).or_default() += count;
        }
        for (&way, count) in &other.resolved {
            *self.resolved.entry(way).or_default() += count;
        }
    }
}
