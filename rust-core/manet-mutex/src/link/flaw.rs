//! The link layer with one rule left out.

use crate::names::{by_name, name_of};
use std::fmt;
use std::str::FromStr;

/// A rule to leave out, to see that the checkers notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// What was not acknowledged when a link closed is taken back without asking.
    TimeoutIsReturned,
    /// The epoch stays when a link closes.
    NoEpochBump,
    /// Messages are accepted whatever their epochs.
    NoEpochCheck,
    /// A new incarnation goes on counting where the old one stopped.
    CounterKept,
    /// A question about an incarnation is answered without leaving it.
    AnswerWithoutClosing,
    /// Roles follow the standing of the moment instead of the one that was frozen.
    LiveRoles,
    /// An end comes up although the other may still be in the last incarnation.
    Overlap,
    /// The peer's standing is taken from its last hello instead of the first that counts.
    LateStanding,
    /// An end that prepares to come up does not start anew when the peer does.
    KeepOnRestart,
}

impl Flaw {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 9] = [
        (Self::TimeoutIsReturned, "timeout-is-returned"),
        (Self::NoEpochBump, "no-epoch-bump"),
        (Self::NoEpochCheck, "no-epoch-check"),
        (Self::CounterKept, "counter-kept"),
        (Self::AnswerWithoutClosing, "answer-without-closing"),
        (Self::LiveRoles, "live-roles"),
        (Self::Overlap, "overlap"),
        (Self::LateStanding, "late-standing"),
        (Self::KeepOnRestart, "keep-on-restart"),
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
