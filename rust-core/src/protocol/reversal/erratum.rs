//! The paper's rules that had to be corrected.

use std::fmt;
use std::str::FromStr;

/// A rule of the paper that had to be corrected, to be put back as printed.
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
}

impl Erratum {
    /// All of them, with the names that users type.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::E1, "E1"),
        (Self::E2, "E2"),
        (Self::E2Rejoin, "E2-rejoin"),
        (Self::E3, "E3"),
        (Self::E5, "E5"),
        (Self::E6, "E6"),
        (Self::TakeBackHigh, "take-back-high"),
    ];
}

impl fmt::Display for Erratum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(erratum, _)| erratum == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

/// A name that no erratum has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no erratum: use one of {names}", names = Erratum::ALL.map(|(_, name)| name).join(", "))]
pub struct UnknownErratum(String);

impl FromStr for Erratum {
    type Err = UnknownErratum;

    fn from_str(name: &str) -> Result<Self, UnknownErratum> {
        let known = Self::ALL
            .iter()
            .find(|(_, known)| known.eq_ignore_ascii_case(name));
        known
            .map(|(erratum, _)| *erratum)
            .ok_or_else(|| UnknownErratum(name.to_owned()))
    }
}
