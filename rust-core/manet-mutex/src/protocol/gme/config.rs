//! What there is to choose about `gme`.

use crate::fixed::Fixed;
use crate::protocol::reversal::{Erratum, Limiter, Rules};
use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// Constants of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// How fast a node without lower neighbours raises itself.
    pub limiter: Limiter,
    /// How many resources there are.
    pub groups: Groups,
    /// Who may join a session.
    pub admission: Admission,
    /// What a new subtoken weighs: the larger, the more often it can be split.
    pub unit: NonZeroU64,
    /// A corrected rule put back as printed, to see it fail.
    pub as_printed: Option<Erratum>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limiter: Limiter::default(),
            groups: Groups::default(),
            admission: Admission::default(),
            // A million million requests can share one; a leader can give away 2^24 at a time.
            unit: NonZeroU64::new(1 << 40).expect("not zero"),
            as_printed: None,
        }
    }
}

/// A number of resources, so small that a token can name them all ([`crate::wire::MAX_MESSAGE`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups(u32);

impl Groups {
    /// At most so many.
    pub const MOST: u32 = 256;

    /// So many resources.
    ///
    /// # Errors
    /// If there are none, or more than [`Groups::MOST`].
    pub const fn new(count: u32) -> Result<Self, BadGroups> {
        match count {
            1..=Self::MOST => Ok(Self(count)),
            _ => Err(BadGroups),
        }
    }

    /// How many.
    pub const fn count(self) -> u32 {
        self.0
    }
}

impl Default for Groups {
    fn default() -> Self {
        Self(4)
    }
}

impl FromStr for Groups {
    type Err = BadGroups;

    fn from_str(text: &str) -> Result<Self, BadGroups> {
        text.parse().map_or(Err(BadGroups), Self::new)
    }
}

/// No number of groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("that is no number of groups: use 1 to {most}", most = Groups::MOST)]
pub struct BadGroups;

/// Who may join a session that is open, while others wait for another resource. Both keep
/// exclusion, serve everybody in the end, and let in who wants the open resource as long as no
/// other is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Whoever asks while the leader is inside [GME 2, Concurrent Entering]. Nobody waits who could
    /// be inside as long as the leader is; others wait until the leader has left, and then those
    /// inside. A leader that stays long keeps the others out with any number of late arrivals.
    #[default]
    Paper,
    /// Nobody, once a request for another resource has reached the leader. Others wait only for
    /// those who were inside or let in by then; late arrivals wait their turn though they could be
    /// inside.
    CloseOnConflict,
}

impl Admission {
    /// Both, with the names that users type.
    pub const ALL: [(Self, &'static str); 2] = [
        (Self::Paper, "paper"),
        (Self::CloseOnConflict, "close-on-conflict"),
    ];
}

impl fmt::Display for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(policy, _)| policy == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

/// A name that no admission policy has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no admission policy: use paper or close-on-conflict")]
pub struct UnknownAdmission(String);

impl FromStr for Admission {
    type Err = UnknownAdmission;

    fn from_str(name: &str) -> Result<Self, UnknownAdmission> {
        let known = Self::ALL.iter().find(|(_, known)| *known == name);
        known
            .map(|(policy, _)| *policy)
            .ok_or_else(|| UnknownAdmission(name.to_owned()))
    }
}

/// What the rules ask for.
#[derive(Clone, Debug)]
pub(super) struct Describe {
    pub groups: u32,
    pub admission: Admission,
    pub unit: u64,
}

impl Config {
    pub(super) fn rules(&self) -> Fixed<Rules> {
        Rules::shared(self.limiter, self.as_printed)
    }

    pub(super) fn terms(&self) -> Fixed<Describe> {
        Fixed::new(Describe {
            groups: self.groups.count(),
            admission: self.admission,
            unit: self.unit.get(),
        })
    }
}
