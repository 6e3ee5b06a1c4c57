//! Constants of the link layer.

use super::flaw::Flaw;
use super::power::Power;
use crate::time::span;
use crate::wire::frame::MAX_ENTRIES;
use std::time::Duration;

/// Constants of a run, in natural units. Checked when a link layer is made ([`super::Link::new`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Time between two hellos of a node. Shorter: links are found and lost sooner, and a smaller
    /// [`margin`](Config::margin) is enough; but airtime and, in a simulator, computing time grow
    /// with its inverse. 0.5 s for people on foot or bicycles (5 m/s), 0.1 s for cars (20 m/s).
    pub hello_interval: Duration,
    /// By which share a hello comes earlier or later, at random, so that neighbours do not
    /// collide for ever.
    pub jitter: f64,
    /// The weakest power in dBm that the radio receives. For ns-3's 802.11 that is the threshold
    /// of preamble detection, -82, not the lower sensitivity of the radio.
    pub sensitivity: f64,
    /// How far above the sensitivity, in dB, the average must stay for a link to be kept. Larger:
    /// more time to close a link in good order before the radio fails; but range is lost, with
    /// 2 dB a seventh of it and with 6 dB more than a third. See [`margin_for`].
    pub margin: f64,
    /// How far above the margin, in dB, the average must be for a link to form. Larger: fewer
    /// links that come and go, and fewer links. 1.5 dB where the power is steady, 3 with fading.
    pub hysteresis: f64,
    /// Weight of the newest hello in the average power, above 0 up to 1. Larger follows motion
    /// sooner, smaller follows fading less.
    pub smoothing: f64,
    /// Hellos in a row that it takes to hear a peer. More: fewer links that do not last; later
    /// links.
    pub hellos_to_form: u8,
    /// Hellos missed in a row before misses count as weak power. With 0 every collision closes a
    /// link; where many nodes send often 2 are not too many.
    pub misses_tolerated: u8,
    /// Silence after which a link closes, in hello intervals. Longer: fewer links lost to bad
    /// luck; but whoever sends to a node that is gone waits so long.
    pub dead_after: f64,
    /// Time after which a message goes out again that the radio carried but the peer has not
    /// acknowledged, in hello intervals. Hellos acknowledge, so it should be more than two.
    pub resend_after: f64,
    /// The same for messages that are acknowledged at once: tokens and the like.
    pub resend_urgent: Duration,
    /// Time after which a message goes out again that the radio failed to carry or that, sent with
    /// a hello, should have been acknowledged at once.
    pub retry_after: Duration,
    /// Doubt that lasts so long is asked about through other nodes. By then the peer's close or
    /// hello would have come if it could.
    pub query_after: Duration,
    /// Time between such questions; each costs up to two frames of every node. It doubles, up to
    /// four times this, while there is no answer and no new link.
    pub query_every: Duration,
    /// How many nodes may pass a question on, one after the other.
    pub query_hops: u8,
    /// Time for which hellos tell an absent peer what was received of it.
    pub remember: Duration,
    /// Messages for peers that are heard well ride on hellos, which then come earlier: one frame
    /// for all instead of one frame and one confirmation for each. Later hellos repeat what is not
    /// acknowledged; what is awaited goes out again soon, to its peer alone. Without it every
    /// message is a frame for one peer.
    pub sharing: bool,
    /// The most neighbours, at most 64. With more in reach, the late ones stay strangers; that is
    /// reported.
    pub neighbours: u8,
    /// The most peers remembered, present or not.
    pub peers: u16,
    /// The most messages without acknowledgement on a link; with more it closes.
    pub backlog: u16,
    /// Counts the node's restarts. Must be larger in every life: peers take a node that comes back
    /// in the same one for what it was before, and promises break.
    pub life: u16,
    /// Where the jitter comes from.
    pub seed: u64,
    /// A rule to leave out, to see the checkers notice.
    pub flaw: Option<Flaw>,
}

impl Default for Config {
    /// For speeds up to 5 m/s.
    fn default() -> Self {
        Self {
            hello_interval: Duration::from_millis(500),
            jitter: 0.1,
            sensitivity: -82.0,
            margin: 2.0,
            hysteresis: 1.5,
            smoothing: 0.6,
            hellos_to_form: 3,
            misses_tolerated: 2,
            dead_after: 3.5,
            resend_after: 2.6,
            resend_urgent: Duration::from_millis(100),
            retry_after: Duration::from_millis(10),
            query_after: Duration::from_millis(300),
            query_every: Duration::from_secs(1),
            query_hops: 32,
            remember: Duration::from_secs(2),
            sharing: true,
            neighbours: MAX_ENTRIES as u8,
            peers: 4096,
            backlog: 256,
            life: 0,
            seed: 0,
            flaw: None,
        }
    }
}

impl Config {
    /// For speeds up to 20 m/s, with fading.
    pub fn fast() -> Self {
        Self {
            hello_interval: Duration::from_millis(100),
            hysteresis: 3.0,
            smoothing: 0.3,
            dead_after: 6.0,
            ..Self::default()
        }
    }

    /// Checks all values.
    pub(super) fn rules(&self) -> Result<Rules, ConfigError> {
        let ensure = |good: bool, what, hint| {
            if good {
                Ok(())
            } else {
                Err(ConfigError { what, hint })
            }
        };
        let dbm = |value: f64| (-200.0..=100.0).contains(&value);
        ensure(
            (Duration::from_millis(1)..=Duration::from_secs(3600)).contains(&self.hello_interval),
            "hello_interval",
            "use 1 ms to 1 h, such as 0.5 s",
        )?;
        ensure(
            (0.0..=0.5).contains(&self.jitter),
            "jitter",
            "use 0 to 0.5, such as 0.1",
        )?;
        ensure(dbm(self.sensitivity), "sensitivity", "use dBm, such as -82")?;
        ensure(
            (0.0..=60.0).contains(&self.margin),
            "margin",
            "use 0 to 60 dB, such as 2",
        )?;
        ensure(
            (0.0..=60.0).contains(&self.hysteresis),
            "hysteresis",
            "use 0 to 60 dB, such as 1.5",
        )?;
        ensure(
            (0.001..=1.0).contains(&self.smoothing),
            "smoothing",
            "use 0.001 to 1, such as 0.6",
        )?;
        ensure(
            self.hellos_to_form > 0,
            "hellos_to_form",
            "use 1 or more, such as 3",
        )?;
        ensure(
            (1.5..=1000.0).contains(&self.dead_after),
            "dead_after",
            "use 1.5 to 1000 hello intervals, such as 3.5",
        )?;
        ensure(
            (1.5..=1000.0).contains(&self.resend_after),
            "resend_after",
            "use 1.5 to 1000 hello intervals, such as 2.6",
        )?;
        let spans = [
            (self.resend_urgent, "resend_urgent"),
            (self.retry_after, "retry_after"),
            (self.query_after, "query_after"),
            (self.query_every, "query_every"),
        ];
        for (value, what) in spans {
            ensure(value >= Duration::from_millis(1), what, "use at least 1 ms")?;
        }
        ensure(
            self.query_hops > 0,
            "query_hops",
            "use 1 or more, such as 32",
        )?;
        ensure(
            (1..=MAX_ENTRIES).contains(&usize::from(self.neighbours)),
            "neighbours",
            "use 1 to 64: more do not fit a hello",
        )?;
        ensure(
            self.peers >= u16::from(self.neighbours),
            "peers",
            "use at least as many as neighbours",
        )?;
        ensure(self.backlog > 0, "backlog", "use 1 or more, such as 256")?;
        Ok(self.convert())
    }

    fn convert(&self) -> Rules {
        let hello = self.hello_interval;
        // Hellos that are late by jitter twice over are not missed yet.
        let miss_after = hello.mul_f64(1.0 + 2.0 * self.jitter);
        Rules {
            hello_interval: hello,
            jitter: self.jitter,
            up_at: Power::from_dbm(self.sensitivity + self.margin + self.hysteresis),
            down_at: Power::from_dbm(self.sensitivity + self.margin),
            miss_power: Power::from_dbm(self.sensitivity - MISS),
            smoothing: (self.smoothing * 1000.0).round() as u16,
            hellos_to_form: self.hellos_to_form,
            misses_tolerated: self.misses_tolerated,
            miss_after,
            loss_after: miss_after + hello * self.misses_tolerated.into(),
            dead_after: hello.mul_f64(self.dead_after),
            resend_after: hello.mul_f64(self.resend_after),
            resend_urgent: self.resend_urgent,
            retry_after: self.retry_after,
            query_after: self.query_after,
            query_every: self.query_every,
            query_hops: self.query_hops,
            remember: self.remember,
            sharing: self.sharing,
            neighbours: usize::from(self.neighbours),
            peers: usize::from(self.peers),
            backlog: usize::from(self.backlog),
            life: self.life,
            flaw: self.flaw,
        }
    }
}

/// A missed hello counts as this many dB below the sensitivity.
const MISS: f64 = 6.0;

/// [`Config`], checked and in the units of the machine.
#[derive(Clone, Debug)]
#[repr(C)] // What every hello looks at comes first.
pub(super) struct Rules {
    pub(super) hello_interval: Duration,
    pub(super) miss_after: Duration,
    /// The first miss that is not tolerated.
    pub(super) loss_after: Duration,
    pub(super) dead_after: Duration,
    pub(super) up_at: Power,
    pub(super) down_at: Power,
    pub(super) miss_power: Power,
    pub(super) smoothing: u16,
    pub(super) hellos_to_form: u8,
    pub(super) misses_tolerated: u8,
    pub(super) jitter: f64,
    pub(super) resend_after: Duration,
    pub(super) resend_urgent: Duration,
    pub(super) retry_after: Duration,
    pub(super) query_after: Duration,
    pub(super) query_every: Duration,
    pub(super) query_hops: u8,
    pub(super) remember: Duration,
    pub(super) sharing: bool,
    pub(super) neighbours: usize,
    pub(super) peers: usize,
    pub(super) backlog: usize,
    pub(super) life: u16,
    pub(super) flaw: Option<Flaw>,
}

/// An invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid link-layer configuration: {what}: {hint}")]
pub struct ConfigError {
    /// Which.
    pub what: &'static str,
    /// What to use.
    pub hint: &'static str,
}

/// The radio that a margin is for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surroundings {
    /// The fastest node's speed, in metres per second. Two nodes may part at twice that.
    pub speed: f64,
    /// The distance in metres at which the power falls to the sensitivity.
    pub range: f64,
    /// The path loss exponent: 2 in free space, 3 outdoors with obstacles.
    pub exponent: f64,
}

/// The least [`Config::margin`], in dB, with which a link that nodes leave at full speed closes
/// before the radio fails.
///
/// The average lags behind the power by half a hello interval until the next hello and by
/// `(1 - smoothing) / smoothing` intervals of averaging. While it lags, the nodes part by twice
/// their speed; the margin is what the power falls on the way from there to the edge of range.
/// It leaves no time to exchange anything, so add 1 dB, and fading needs about 3 dB more.
///
/// # Errors
/// If the nodes cross the whole range before the average notices: use a shorter hello interval.
pub fn margin_for(config: &Config, place: Surroundings) -> Result<f64, ConfigError> {
    let Surroundings {
        speed,
        range,
        exponent,
    } = place;
    if !(speed >= 0.0 && range > 0.0 && exponent > 0.0) {
        return Err(ConfigError {
            what: "surroundings",
            hint: "speed must not be negative, range and exponent must be positive",
        });
    }
    config.rules()?;
    let hello = config.hello_interval.as_secs_f64();
    let lag = hello / 2.0 + hello * (1.0 - config.smoothing) / config.smoothing;
    let left = 1.0 - 2.0 * speed * lag / range;
    if left <= 0.0 {
        return Err(ConfigError {
            what: "hello_interval",
            hint: "nodes are out of range before a hello tells: use a shorter one",
        });
    }
    Ok(-10.0 * exponent * libm::log10(left))
}

/// A span of `share` of `whole`, varied by up to `jitter` of it; `unit` is from 0 to 1.
pub(super) fn varied(whole: Duration, jitter: f64, unit: f64) -> Duration {
    span(whole.as_secs_f64() * (1.0 + jitter * (2.0 * unit - 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_sound() {
        assert!(Config::default().rules().is_ok());
        assert!(Config::fast().rules().is_ok());
    }

    #[test]
    fn margins_grow_with_speed_and_hello_interval() {
        let margin = |hello: u64, smoothing, speed| {
            let config = Config {
                hello_interval: Duration::from_millis(hello),
                smoothing,
                ..Config::default()
            };
            let place = Surroundings {
                speed,
                range: 51.5,
                exponent: 3.0,
            };
            margin_for(&config, place)
        };
        let near = |margin: Result<f64, _>, expected: f64| {
            let margin = margin.expect("there is one");
            assert!((margin - expected).abs() < 0.05, "{margin} dB");
        };
        // Receding at 40 m/s with hellos each 0.1 s: 2 and 3 dB warned too late, 6 in time.
        near(margin(100, 0.3, 20.0), 3.21);
        near(margin(100, 0.3, 5.0), 0.74);
        near(margin(500, 0.6, 5.0), 1.56);
        assert!(margin(1000, 0.3, 20.0).is_err());
    }

    #[test]
    fn values_that_cannot_be_meant_are_named() {
        let config = Config {
            smoothing: 0.0,
            ..Config::default()
        };
        let error = config.rules().expect_err("no average without weight");
        assert_eq!(
            error.to_string(),
            "invalid link-layer configuration: smoothing: use 0.001 to 1, such as 0.6"
        );
    }

    #[test]
    fn each_bound_is_allowed_and_nothing_beyond() {
        type Set = fn(&mut Config, f64);
        let cases: [(&str, Set, f64, f64); 19] = [
            ("jitter", |c, v| c.jitter = v, 0.0, -0.01),
            ("jitter", |c, v| c.jitter = v, 0.5, 0.51),
            ("sensitivity", |c, v| c.sensitivity = v, -200.0, -201.0),
            ("sensitivity", |c, v| c.sensitivity = v, 100.0, 101.0),
            ("margin", |c, v| c.margin = v, 0.0, -0.1),
            ("margin", |c, v| c.margin = v, 60.0, 60.1),
            ("hysteresis", |c, v| c.hysteresis = v, 0.0, -0.1),
            ("hysteresis", |c, v| c.hysteresis = v, 60.0, 60.1),
            (
                "hellos_to_form",
                |c, v| c.hellos_to_form = v as u8,
                1.0,
                0.0,
            ),
            ("resend_after", |c, v| c.resend_after = v, 1.5, 1.4),
            ("resend_after", |c, v| c.resend_after = v, 1000.0, 1001.0),
            (
                "resend_urgent",
                |c, v| c.resend_urgent = millis(v),
                1.0,
                0.9,
            ),
            ("retry_after", |c, v| c.retry_after = millis(v), 1.0, 0.9),
            ("query_after", |c, v| c.query_after = millis(v), 1.0, 0.9),
            ("query_hops", |c, v| c.query_hops = v as u8, 1.0, 0.0),
            ("neighbours", |c, v| c.neighbours = v as u8, 1.0, 0.0),
            ("neighbours", |c, v| c.neighbours = v as u8, 64.0, 65.0),
            ("peers", |c, v| c.peers = v as u16, 64.0, 63.0),
            ("backlog", |c, v| c.backlog = v as u16, 1.0, 0.0),
        ];
        for (name, set, bound, beyond) in cases {
            let with = |value| {
                let mut config = Config::default();
                set(&mut config, value);
                config.rules().map(|_| ()).map_err(|error| error.what)
            };
            assert_eq!(with(bound), Ok(()), "{name}: {bound}");
            assert_eq!(with(beyond), Err(name), "{beyond}");
        }
    }

    fn millis(value: f64) -> Duration {
        Duration::from_secs_f64(value / 1e3)
    }

    #[test]
    fn a_margin_needs_sound_surroundings() {
        let config = Config {
            hello_interval: Duration::from_secs(1),
            smoothing: 1.0, // so the average lags by half a second
            ..Config::default()
        };
        let margin = |config, speed, range, exponent| {
            let place = Surroundings {
                speed,
                range,
                exponent,
            };
            margin_for(config, place).map_err(|error| error.what)
        };
        assert_eq!(margin(&config, 0.0, 10.0, 3.0).map(f64::abs), Ok(0.0));
        for (speed, range, exponent) in [(-1.0, 10.0, 3.0), (0.0, 0.0, 3.0), (1.0, 10.0, 0.0)] {
            assert_eq!(margin(&config, speed, range, exponent), Err("surroundings"));
        }
        assert_eq!(margin(&config, 10.0, 10.0, 3.0), Err("hello_interval"));
        let jitter = Config {
            jitter: 1.0,
            ..config
        };
        assert_eq!(margin(&jitter, 1.0, 10.0, 3.0), Err("jitter"));
    }
}
