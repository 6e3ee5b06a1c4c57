//! The papers' rules that had to be corrected.

use super::routed::dgme::Operators;
use crate::names::name_of;
use std::fmt;
use std::str::FromStr;

/// A rule of a paper that had to be corrected, to be put back as printed: E of Walter, Welch and
/// Vaidya, which `gme` and `hk` share with `rl`, G of Jiang's paper on groups, H of the one on
/// units, L of Attiya, Kogan and Welch; and other readings of what cannot be read in the paper of
/// Thiare, Naimi and Gueroui.
///
/// Tests use it to show that they can fail; `manet-mutex check --as-printed` shows readers of
/// the paper what goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Erratum {
    /// RaiseHeight and ForwardRequest take a minimum over no neighbours.
    E1,
    /// A request is rerouted only when `height[next]` says that the link reversed, though `next`
    /// may have gone with that height left behind.
    E2,
    /// Half of the correction of E2: `next` not being a neighbour counts as stale, but it is not
    /// forgotten when its link fails, and may come back.
    E2Rejoin,
    /// LinkInfo line 9 applies to the token holder too.
    E3,
    /// A node without lower neighbours raises itself at once, for ever.
    E5,
    /// A node is a neighbour from the link's formation on [RL 3], before its height is known.
    E6,
    /// Not in the paper: a token in doubt that comes back is held at the current height instead
    /// of the height it was sent with.
    TakeBackHigh,
    /// `gme`: a leader in its NCS passes the token on at the next request, with weight out.
    G1,
    /// `gme`: a leader that requests sets its weight to 0 and enters, with weight out.
    G2,
    /// `gme`: a SUBTOKEN serves one resource, and nothing asks for the others that wait.
    G3,
    /// `gme`: a leader in its CS answers every request with a SUBTOKEN, whatever it asks for;
    /// whoever cannot use it asks again.
    G4,
    /// `gme`: a SUBTOKEN is split for the node's own request too, though that is for another
    /// resource, and nobody gets that share.
    G5,
    /// `gme`: a SUBTOKEN that finds an empty queue is split into no parts.
    G6,
    /// `gme`: sendRelease() makes its target `next`.
    G7,
    /// `gme`: only the first request of a queue is forwarded.
    G8,
    /// `hk`: a token holder that releases only counts its units, and serves nobody.
    H1,
    /// `hk`: a holder that waits for units has left its own queue.
    H2,
    /// `hk`: what waits where the token leaves is told in a REQUEST after it.
    H3,
    /// `hk`: equal requests of two neighbours are ordered by their ids.
    H4,
    /// `hk`: a holder in its CS keeps the token.
    H5,
    /// `hk`: ageing by the queue of a node that releases, told to nobody.
    H6,
    /// `hk`: an UPDATE only raises.
    H7,
    /// `hk`: `receivedLINK` is never set to false.
    H8,
    /// `hk`: forwardRelease() makes its target `next`.
    H9,
    /// `lme2`: priorities between neighbours are flags, one at each end.
    L1,
    /// `lme1a`, `lme1b`: a fork that completes the set lets the node eat, wherever it is.
    L2,
    /// `lme1a`, `lme1b`: colours alone are compared, though two neighbours may have the same.
    L3,
    /// `lme1a`, `lme1b`, `lme2`: when a link goes down nobody looks whether that was all that was
    /// missing.
    L4,
    /// `lme1a`, `lme1b`: the return path keeps the forks with suspended requests.
    L5,
    /// `lme1a`, `lme1b`: nothing is before or after an unknown colour.
    L6,
    /// `lme1a`, `lme1b`: only a NACK or a link that goes down ends a neighbour's part in a
    /// recolouring.
    L7,
    /// `lme2`: a node lowers itself towards one neighbour only.
    L8,
    /// `lme1a`, `lme1b`: a node that leaves gives its forks away before it leaves the doorway, and
    /// so asks for them back.
    L9,
    /// `dgme`: other operators between the conditions of rules 4 to 6.
    Lost(Operators),
}

impl Erratum {
    /// All of them but [`Erratum::Lost`], with the names that users type.
    pub const ALL: [(Self, &'static str); 33] = [
        (Self::E1, "E1"),
        (Self::E2, "E2"),
        (Self::E2Rejoin, "E2-rejoin"),
        (Self::E3, "E3"),
        (Self::E5, "E5"),
        (Self::E6, "E6"),
        (Self::TakeBackHigh, "take-back-high"),
        (Self::G1, "G1"),
        (Self::G2, "G2"),
        (Self::G3, "G3"),
        (Self::G4, "G4"),
        (Self::G5, "G5"),
        (Self::G6, "G6"),
        (Self::G7, "G7"),
        (Self::G8, "G8"),
        (Self::H1, "H1"),
        (Self::H2, "H2"),
        (Self::H3, "H3"),
        (Self::H4, "H4"),
        (Self::H5, "H5"),
        (Self::H6, "H6"),
        (Self::H7, "H7"),
        (Self::H8, "H8"),
        (Self::H9, "H9"),
        (Self::L1, "L1"),
        (Self::L2, "L2"),
        (Self::L3, "L3"),
        (Self::L4, "L4"),
        (Self::L5, "L5"),
        (Self::L6, "L6"),
        (Self::L7, "L7"),
        (Self::L8, "L8"),
        (Self::L9, "L9"),
    ];

    /// Whether the protocol of that name has the rule.
    pub fn concerns(self, protocol: &str) -> bool {
        match self {
            Self::E3 => protocol == "rl",
            _ if self <= Self::TakeBackHigh => matches!(protocol, "rl" | "gme" | "hk"),
            _ if self <= Self::G8 => protocol == "gme",
            _ if self <= Self::H9 => protocol == "hk",
            Self::Lost(_) => protocol == "dgme",
            Self::L1 | Self::L8 => protocol == "lme2",
            Self::L4 => matches!(protocol, "lme1a" | "lme1b" | "lme2"),
            _ => matches!(protocol, "lme1a" | "lme1b"),
        }
    }
}

impl fmt::Display for Erratum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Lost(operators) = self {
            return operators.fmt(f);
        }
        f.write_str(name_of(&Self::ALL, self))
    }
}

/// A name that no erratum has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no erratum: use one of {names}, or four letters such as oaaa", names = Erratum::ALL.map(|(_, name)| name).join(", "))]
pub struct UnknownErratum(String);

impl FromStr for Erratum {
    type Err = UnknownErratum;

    fn from_str(name: &str) -> Result<Self, UnknownErratum> {
        let known = Self::ALL
            .iter()
            .find(|(_, known)| known.eq_ignore_ascii_case(name));
        let operators = || name.parse().ok().map(Self::Lost);
        known
            .map(|(erratum, _)| *erratum)
            .or_else(operators)
            .ok_or_else(|| UnknownErratum(name.to_owned()))
    }
}
