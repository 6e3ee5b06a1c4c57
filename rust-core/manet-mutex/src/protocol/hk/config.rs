//! What there is to choose about `hk`.

use super::message::Key;
use crate::fixed::Fixed;
use crate::ids::NodeId;
use crate::protocol::reversal::{Erratum, Limiter, Rules};
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// Constants of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// How fast a node without lower neighbours raises itself.
    pub limiter: Limiter,
    /// `k`: how many units there are.
    pub k: NonZeroU32,
    /// Whose turn it is.
    pub order: Order,
    /// A corrected rule put back as printed, to see it fail.
    pub as_printed: Option<Erratum>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            limiter: Limiter::default(),
            k: NonZeroU32::new(3).expect("not zero"),
            order: Order::default(),
            as_printed: None,
        }
    }
}

/// Whose turn it is among those that wait. Whoever is first keeps all others waiting until there
/// are units enough for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The larger priority first [HK II, Highest Priority First Serve]. Who has little of it may
    /// wait for ever.
    Priority,
    /// The same, with ageing: one step of priority is worth this many grants. A request is ranked
    /// when it is made, by the number of grants its node has heard of less this many for each step
    /// of its priority, so that later ones get worse ranks in time. No timer and no message is
    /// needed for it.
    Aged(u32),
    /// The fewest units first [HK II, Maximum Degree of Concurrency]. In a settled network nobody
    /// waits who could be inside. Who needs many may wait for ever.
    Fewest,
}

impl Default for Order {
    fn default() -> Self {
        Self::Aged(10)
    }
}

impl Order {
    /// The key of a new request by a node that knows of so many grants.
    pub(super) fn key(self, count: u32, priority: u32, grants: u64, id: NodeId) -> Key {
        let priority = i64::from(priority);
        let rank = match self {
            Self::Priority => -priority,
            Self::Aged(step) => {
                let grants = i64::try_from(grants).unwrap_or(i64::MAX);
                grants.saturating_sub(i64::from(step).saturating_mul(priority))
            }
            Self::Fewest => i64::from(count),
        };
        Key { rank, id }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Priority => f.write_str("priority"),
            Self::Aged(step) => write!(f, "aged:{step}"),
            Self::Fewest => f.write_str("fewest"),
        }
    }
}

/// A word that is no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no order: use priority, aged:C (grants to one step of priority) or fewest")]
pub struct UnknownOrder(String);

impl FromStr for Order {
    type Err = UnknownOrder;

    fn from_str(text: &str) -> Result<Self, UnknownOrder> {
        let unknown = || UnknownOrder(text.to_owned());
        match text.split_once(':') {
            None if text == "priority" => Ok(Self::Priority),
            None if text == "fewest" => Ok(Self::Fewest),
            Some(("aged", step)) => step.parse().map(Self::Aged).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

/// What the rules ask for.
#[derive(Clone, Debug)]
pub(super) struct Describe {
    pub k: u32,
    pub order: Order,
}

impl Config {
    pub(super) fn rules(&self) -> Fixed<Rules> {
        Rules::shared(self.limiter, self.as_printed)
    }

    pub(super) fn terms(&self) -> Fixed<Describe> {
        let k = self.k.get();
        // The paper's own ageing starts from plain priorities.
        let order = match self.as_printed {
            Some(Erratum::H6) => Order::Priority,
            _ => self.order,
        };
        Fixed::new(Describe { k, order })
    }
}
