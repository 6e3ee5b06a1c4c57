//! The transport with one rule left out.

use crate::names::{by_name, name_of};
use std::fmt;
use std::str::FromStr;

/// A rule to leave out, to see that the checkers notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// What was received before is taken again.
    NoDuplicateCheck,
    /// What is meant for an earlier life is taken.
    NoLifeCheck,
    /// What an earlier life of the peer sent is taken for what the present one sent.
    StaleAccepted,
    /// An acknowledgement counts for whatever life it is meant.
    AckForAnyLife,
    /// A message received beyond a gap acknowledges the gap: those in it are forgotten.
    SackIsCumulative,
    /// What had gone out to the old life of a peer that restarted goes out to the new one.
    KeptAfterRestart,
    /// What had gone out to the old life of a peer that restarted is forgotten.
    RestartForgets,
    /// Nothing is sent again.
    NeverAgain,
}

impl Flaw {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::NoDuplicateCheck, "no-duplicate-check"),
        (Self::NoLifeCheck, "no-life-check"),
        (Self::StaleAccepted, "stale-accepted"),
        (Self::AckForAnyLife, "ack-for-any-life"),
        (Self::SackIsCumulative, "sack-is-cumulative"),
        (Self::KeptAfterRestart, "kept-after-restart"),
        (Self::RestartForgets, "restart-forgets"),
        (Self::NeverAgain, "never-again"),
    ];
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(&Self::ALL, self))
    }
}

impl FromStr for Flaw {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        by_name(&Self::ALL, "flaw", text)
    }
}
