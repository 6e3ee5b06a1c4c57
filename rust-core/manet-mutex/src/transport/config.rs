//! Constants of the transport.

use super::flaw::Flaw;
use crate::wire::datagram::{Life, Receipt};
use std::time::Duration;

/// Constants of a run, in natural units. Checked when a transport is made
/// ([`super::Transport::new`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The most messages to one peer that are under way at a time, at most 64. Protocols that wait
    /// for answers have few.
    pub window: u8,
    /// The most messages to one peer that wait behind those. With more, sending is refused.
    pub backlog: u16,
    /// The most peers. Those with which a message was exchanged are remembered for ever: what was
    /// received must not be taken again. Others, such as made-up ids, make room for new ones.
    pub peers: u16,
    /// How many nodes there are, if that is known: datagrams of other ids are dropped.
    pub nodes: Option<u32>,
    /// How long to wait for an acknowledgement before anything is known of the round trips.
    pub first: Duration,
    /// The shortest such wait. Shorter than the time that routes take to be found: everything goes
    /// out twice.
    pub shortest: Duration,
    /// The longest such wait, to which it doubles. Longer: fewer datagrams into the void; but after
    /// a break of seconds, as routes have them, so much more time is lost, and a route that is
    /// there for a few seconds only may be missed. See [`super::Transport::route_up`].
    pub longest: Duration,
    /// By which share a wait is shorter or longer, at random, so that nodes that were cut off
    /// together do not all come at once.
    pub jitter: f64,
    /// Silence of a peer that owes an answer after which it is reported as unreachable.
    pub unreachable: Duration,
    /// Must be larger in every life of the node: a count that survives restarts, or the time of the
    /// start.
    pub life: u64,
    /// Where the jitter comes from.
    pub seed: u64,
    /// A rule to leave out, to see the checkers notice.
    pub flaw: Option<Flaw>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            window: 8,
            backlog: 256,
            peers: 4096,
            nodes: None,
            first: Duration::from_secs(1),
            shortest: Duration::from_millis(200),
            longest: Duration::from_secs(2),
            jitter: 0.25,
            unreachable: Duration::from_secs(30),
            life: 1,
            seed: 0,
            flaw: None,
        }
    }
}

impl Config {
    /// Checks all values.
    pub(super) fn rules(&self) -> Result<Rules, ConfigError> {
        let ensure = |good: bool, what, hint| {
            if good {
                Ok(())
            } else {
                Err(ConfigError { what, hint })
            }
        };
        ensure(
            (1..=Receipt::AHEAD).contains(&u32::from(self.window)),
            "window",
            "use 1 to 64: more do not fit an acknowledgement",
        )?;
        ensure(self.backlog > 0, "backlog", "use 1 or more, such as 256")?;
        ensure(self.peers > 0, "peers", "use 1 or more, such as 4096")?;
        ensure(
            self.shortest >= Duration::from_millis(1),
            "shortest",
            "use at least 1 ms, such as 0.2 s",
        )?;
        ensure(
            self.longest <= Duration::from_secs(3600),
            "longest",
            "use at most 1 h, such as 2 s",
        )?;
        ensure(
            self.shortest <= self.first && self.first <= self.longest,
            "first",
            "use a wait between the shortest and the longest, such as 1 s",
        )?;
        ensure(
            (0.0..=0.5).contains(&self.jitter),
            "jitter",
            "use 0 to 0.5, such as 0.25",
        )?;
        Ok(Rules {
            window: usize::from(self.window),
            backlog: usize::from(self.backlog),
            peers: usize::from(self.peers),
            nodes: self.nodes,
            first: nanos(self.first),
            shortest: nanos(self.shortest),
            longest: nanos(self.longest),
            jitter: self.jitter,
            unreachable: self.unreachable,
            life: Life(self.life),
            flaw: self.flaw,
        })
    }
}

const fn nanos(span: Duration) -> u64 {
    span.as_nanos() as u64
}

/// [`Config`], checked and in the units of the machine: waits in nanoseconds.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    pub(super) window: usize,
    pub(super) backlog: usize,
    pub(super) peers: usize,
    pub(super) nodes: Option<u32>,
    pub(super) first: u64,
    pub(super) shortest: u64,
    pub(super) longest: u64,
    pub(super) jitter: f64,
    pub(super) unreachable: Duration,
    pub(super) life: Life,
    pub(super) flaw: Option<Flaw>,
}

/// An invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid transport configuration: {what}: {hint}")]
pub struct ConfigError {
    /// Which.
    pub what: &'static str,
    /// What to use.
    pub hint: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_sound() {
        assert!(Config::default().rules().is_ok());
    }

    #[test]
    fn values_that_cannot_be_meant_are_named() {
        let config = Config {
            window: 65,
            ..Config::default()
        };
        let error = config.rules().expect_err("more than a receipt can name");
        assert_eq!(
            error.to_string(),
            "invalid transport configuration: window: use 1 to 64: more do not fit an acknowledgement"
        );
        let config = Config {
            first: Duration::from_secs(3),
            ..Config::default()
        };
        assert_eq!(config.rules().map(|_| ()).map_err(|e| e.what), Err("first"));
    }

    #[test]
    fn every_bound_is_accepted_and_nothing_beyond() {
        fn refused(change: impl FnOnce(&mut Config)) -> Option<&'static str> {
            let mut config = Config::default();
            change(&mut config);
            config.rules().err().map(|error| error.what)
        }
        let (ms, hour) = (Duration::from_millis(1), Duration::from_secs(3600));
        let ns = Duration::from_nanos(1);
        for (backlog, error) in [(1, None), (0, Some("backlog"))] {
            assert_eq!(refused(|config| config.backlog = backlog), error);
        }
        for (peers, error) in [(1, None), (0, Some("peers"))] {
            assert_eq!(refused(|config| config.peers = peers), error);
        }
        for (shortest, error) in [(ms, None), (ms - ns, Some("shortest"))] {
            assert_eq!(refused(|config| config.shortest = shortest), error);
        }
        for (longest, error) in [(hour, None), (hour + ns, Some("longest"))] {
            assert_eq!(refused(|config| config.longest = longest), error);
        }
        for first in [Config::default().shortest, Config::default().longest] {
            assert_eq!(refused(|config| config.first = first), None);
        }
        for jitter in [0.0, 0.5] {
            assert_eq!(refused(|config| config.jitter = jitter), None);
        }
        for jitter in [-0.01, 0.51, f64::NAN] {
            assert_eq!(refused(|config| config.jitter = jitter), Some("jitter"));
        }
    }
}
