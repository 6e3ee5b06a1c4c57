//! Protocols by the names that users type.

use super::Population;
use super::reversal::{Erratum, Limiter};
use super::rl::{self, Residual, Rl};
use super::routed::raymond::Raymond;
use crate::check::Monitor;
use crate::machine::Protocol;
use crate::scenario::Terms;
use crate::wire::WireMessage;

/// All names, in the order in which they are shown.
pub const NAMES: [&str; 2] = [Rl::NAME, Raymond::NAME];

/// What a user can choose about a protocol. A protocol takes what concerns it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How fast nodes without lower neighbours raise themselves (`rl`).
    pub limiter: Limiter,
    /// How a node that passes the token on asks for it back (`rl`).
    pub residual: Residual,
    /// A corrected rule put back as printed (`rl`).
    pub as_printed: Option<Erratum>,
}

/// Something to do with a protocol that is known by name only.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it with the protocol of that name.
    fn visit<P: Population + Monitor + Terms>(self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage;
}

/// A name that no protocol has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`: use one of {names}", names = NAMES.join(", "))]
pub struct UnknownProtocol(pub String);

/// Finds the protocol called `name` and hands it to `visitor`.
///
/// # Errors
/// If there is none.
pub fn visit<V: Visitor>(
    name: &str,
    options: &Options,
    visitor: V,
) -> Result<V::Output, UnknownProtocol> {
    match name {
        Rl::NAME => Ok(visitor.visit::<Rl>(rl::Config {
            limiter: options.limiter,
            residual: options.residual,
            as_printed: options.as_printed,
        })),
        Raymond::NAME => Ok(visitor.visit::<Raymond>(())),
        _ => Err(UnknownProtocol(name.to_owned())),
    }
}
