//! What a run measures.

use manet_mutex::ids::NodeId;
use manet_mutex::time::Time;
use serde::Serialize;
use std::collections::BTreeMap;

/// Counts and waits of one run.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Requests made.
    pub requests: u64,
    /// Entries for each node.
    pub entries_by_node: Vec<u32>,
    /// Time from request, or from being sent out again, to entry, in order of entry, in
    /// nanoseconds.
    pub waits: Vec<u64>,
    /// Who waited, in the same order.
    pub waiters: Vec<NodeId>,
    /// Entries that ended because a link came up; each is followed by another entry.
    pub demotions: u64,
    /// Link failures and formations, each counted once.
    pub link_changes: u64,
    /// Tokens and the like that were in doubt when their link closed.
    pub doubts: u64,
    /// Messages by kind, each link of a route counted.
    kinds: Tally,
    requested: Vec<Time>,
    /// Most nodes inside at once.
    pub inside_most: u32,
    inside: u32,
    since: Time,
    /// The sum of the times that all nodes were inside, up to `since`, in nanoseconds.
    occupied: u64,
}

impl Meter {
    pub(super) fn new(nodes: usize) -> Self {
        Self {
            entries_by_node: vec![0; nodes],
            requested: vec![Time::ZERO; nodes],
            ..Self::default()
        }
    }

    pub(super) fn request(&mut self, node: NodeId, now: Time) {
        self.requests += 1;
        self.requested[node.index()] = now;
    }

    pub(super) fn enter(&mut self, node: NodeId, now: Time) {
        self.entries_by_node[node.index()] += 1;
        self.waits.push(now.0 - self.requested[node.index()].0);
        self.waiters.push(node);
    }

    pub(super) fn demoted(&mut self, node: NodeId, now: Time) {
        self.demotions += 1;
        self.requested[node.index()] = now;
    }

    /// Since when a node waits, if it does.
    pub(super) fn waits_since(&self, node: NodeId) -> Time {
        self.requested[node.index()]
    }

    /// So many nodes are inside from now on.
    pub(super) fn now_inside(&mut self, now: Time, inside: u32) {
        self.occupied += u64::from(self.inside) * (now.0 - self.since.0);
        (self.inside, self.since) = (inside, now);
        self.inside_most = self.inside_most.max(inside);
    }

    /// How many nodes were inside, averaged over a run that ended then.
    pub fn mean_inside(&self, end: Time) -> f64 {
        let last = u64::from(self.inside) * end.0.saturating_sub(self.since.0);
        (self.occupied + last) as f64 / end.0 as f64
    }

    #[inline]
    pub(super) fn sent(&mut self, kind: &'static str, hops: u64) {
        self.kinds.add(kind, hops);
    }

    /// Entries.
    pub const fn entries(&self) -> u64 {
        self.waits.len() as u64
    }

    /// Messages, each link of a route counted.
    pub fn messages(&self) -> u64 {
        self.kinds.counts().map(|(_, count)| count).sum()
    }

    /// Messages by kind.
    pub fn messages_by_kind(&self) -> BTreeMap<&'static str, u64> {
        let mut by_kind = BTreeMap::new();
        for (kind, count) in self.kinds.counts() {
            *by_kind.entry(kind).or_default() += count;
        }
        by_kind
    }

    /// Messages for each entry.
    pub fn messages_per_entry(&self) -> f64 {
        self.messages() as f64 / self.entries() as f64
    }

    /// Waits in seconds.
    pub fn wait(&self) -> Distribution {
        Distribution::of(self.waits.iter().map(|&nanos| nanos as f64 / 1e9).collect())
    }

    /// Jain's index of the entries of all nodes: 1 if all have the same number, 1/n if one has
    /// them all.
    pub fn fairness(&self) -> f64 {
        let entries = self.entries_by_node.iter().map(|&count| f64::from(count));
        let (sum, squares) =
            entries.fold((0.0, 0.0), |(sum, squares), e| (sum + e, squares + e * e));
        sum * sum / (self.entries_by_node.len() as f64 * squares)
    }
}

/// Counts by name.
///
/// Each name has a place of its own by its length, so that nothing depends on which of the names
/// comes next, which no processor foresees.
#[derive(Clone, Debug, Default)]
struct Tally {
    places: [(&'static str, u64); 16],
    /// Names that found their place taken.
    others: Vec<(&'static str, u64)>,
}

impl Tally {
    #[inline]
    fn add(&mut self, name: &'static str, count: u64) {
        let place = &mut self.places[name.len() % 16];
        if is_same(place.0, name) {
            place.1 += count;
        } else {
            self.add_rarely(name, count);
        }
    }

    #[cold]
    fn add_rarely(&mut self, name: &'static str, count: u64) {
        let place = &mut self.places[name.len() % 16];
        if place.0.is_empty() {
            *place = (name, count);
            return;
        }
        match self.others.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => self.others.push((name, count)),
        }
    }

    /// All counts; a name may come more than once.
    fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        let all = self.places.iter().chain(&self.others).copied();
        all.filter(|(name, _)| !name.is_empty())
    }
}

/// Whether two names are one text in memory: quicker than to compare them, and one kind counted
/// under two such names is counted together in the end.
fn is_same(a: &'static str, b: &'static str) -> bool {
    std::ptr::eq(a, b)
}

/// A summary of many numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Distribution {
    /// Mean; NaN without any.
    pub mean: f64,
    /// Half the width of the mean's 95 % confidence interval, from 20 batch means in order;
    /// NaN with fewer than 40.
    pub ci: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Largest.
    pub max: f64,
}

impl Distribution {
    /// Summarises numbers given in the order in which they were measured.
    pub fn of(mut numbers: Vec<f64>) -> Self {
        const BATCHES: usize = 20;
        let batch = numbers.len() / BATCHES;
        let ci = if batch >= 2 {
            let means: Vec<f64> = numbers
                .chunks_exact(batch)
                .take(BATCHES)
                .map(mean)
                .collect();
            confidence(&means)
        } else {
            f64::NAN
        };
        let mean = mean(&numbers);
        numbers.sort_by(f64::total_cmp);
        let rank = |p: f64| {
            let at = (p * numbers.len() as f64).ceil() as usize;
            numbers
                .get(at.saturating_sub(1))
                .copied()
                .unwrap_or(f64::NAN)
        };
        Self {
            mean,
            ci,
            p50: rank(0.5),
            p95: rank(0.95),
            p99: rank(0.99),
            max: rank(1.0),
        }
    }
}

/// The mean; NaN of none.
pub fn mean(numbers: &[f64]) -> f64 {
    numbers.iter().sum::<f64>() / numbers.len() as f64
}

/// Half the width of the 95 % confidence interval of the mean of independent numbers (Student's
/// t); NaN with fewer than two.
pub fn confidence(numbers: &[f64]) -> f64 {
    const T: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    let n = numbers.len();
    if n < 2 {
        return f64::NAN;
    }
    let mean = mean(numbers);
    let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    let variance = squares / (n - 1) as f64;
    T.get(n - 2).unwrap_or(&1.96) * libm::sqrt(variance / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let d = Distribution::of((1..=100).map(f64::from).collect());
        assert_eq!(
            (d.mean, d.p50, d.p95, d.p99, d.max),
            (50.5, 50.0, 95.0, 99.0, 100.0)
        );
    }

    /// Three names of one length, one of them twice in memory.
    #[test]
    fn names_that_share_a_place_are_counted_apart() {
        let twin: &'static str = String::from("Token").leak();
        let mut meter = Meter::default();
        for (kind, hops) in [("Token", 1), ("Other", 2), (twin, 4), ("Third", 8)] {
            meter.sent(kind, hops);
            meter.sent(kind, hops);
        }
        let by_kind: Vec<_> = meter.messages_by_kind().into_iter().collect();
        assert_eq!(by_kind, [("Other", 4), ("Third", 16), ("Token", 10)]);
        assert_eq!(meter.messages(), 30);
    }

    #[test]
    fn confidence_of_six_repetitions_uses_students_t() {
        let half = confidence(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!((half - 2.571 * (3.5f64 / 6.0).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn fairness_is_one_when_equal_and_one_nth_when_one_has_all() {
        let meter = |entries: &[u32]| Meter {
            entries_by_node: entries.to_vec(),
            ..Meter::default()
        };
        assert_eq!(meter(&[5, 5, 5, 5]).fairness(), 1.0);
        assert_eq!(meter(&[8, 0, 0, 0]).fairness(), 0.25);
    }
}
