//! Protocols by the names that users type.

use super::Population;
use super::erratum::Erratum;
use super::gme::{self, Admission, Gme, Groups};
use super::hk::{self, Hk, Order};
use super::lme::algorithm1::{self, Lme1a, Lme1b};
use super::lme::algorithm2::{self, Lme2};
use super::lme::colouring::linial::Bounds;
use super::reversal::Limiter;
use super::rl::{self, Residual, Rl};
use super::routed::dgme::{self, Dgme};
use super::routed::naimi_trehel::NaimiTrehel;
use super::routed::raymond::Raymond;
use crate::describe::Describe;
use crate::invariants::Invariants;
use crate::machine::Protocol;
use crate::wire::{Tag, WireMessage};
use std::num::NonZeroU32;

/// All names, in the order in which they are shown.
pub const NAMES: [&str; 9] = [
    Rl::NAME,
    Gme::NAME,
    Hk::NAME,
    Lme1a::NAME,
    Lme1b::NAME,
    Lme2::NAME,
    Raymond::NAME,
    NaimiTrehel::NAME,
    Dgme::NAME,
];

/// The tags of all protocols on the wire, by number.
pub const TAGS: [Tag; 9] = [
    <Rl as Protocol>::Message::TAG,
    <Raymond as Protocol>::Message::TAG,
    <Gme as Protocol>::Message::TAG,
    <Hk as Protocol>::Message::TAG,
    <NaimiTrehel as Protocol>::Message::TAG,
    <Dgme as Protocol>::Message::TAG,
    <Lme1a as Protocol>::Message::TAG,
    <Lme1b as Protocol>::Message::TAG,
    <Lme2 as Protocol>::Message::TAG,
];

/// What a user can choose about a protocol. A protocol takes what concerns it.
#[derive(Clone, Debug)]
pub struct Options {
    /// How fast nodes without lower neighbours raise themselves (`rl`, `gme`, `hk`).
    pub limiter: Limiter,
    /// How a node that passes the token on asks for it back (`rl`).
    pub residual: Residual,
    /// How many groups or sessions there are (`gme`, `dgme`).
    pub groups: Groups,
    /// Who may join a session (`gme`).
    pub admission: Admission,
    /// How many units there are (`hk`).
    pub k: NonZeroU32,
    /// Whose turn it is (`hk`).
    pub order: Order,
    /// What all nodes know of the network (`lme1b`).
    pub bounds: Bounds,
    /// A corrected rule put back as printed or read otherwise (all but `raymond`, `naimi-trehel`).
    pub as_printed: Option<Erratum>,
}

impl Default for Options {
    /// The defaults of the protocols themselves.
    fn default() -> Self {
        let (rl, gme, hk) = (
            rl::Config::default(),
            gme::Config::default(),
            hk::Config::default(),
        );
        Self {
            limiter: rl.limiter,
            residual: rl.residual,
            groups: gme.groups,
            admission: gme.admission,
            k: hk.k,
            order: hk.order,
            bounds: Bounds::default(),
            as_printed: None,
        }
    }
}

/// Something to do with a protocol that is known by name only.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Does it with the protocol of that name.
    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output
    where
        P::Message: WireMessage;
}

/// A name that no protocol has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol `{0}`: use one of {names}", names = NAMES.join(", "))]
pub struct UnknownProtocol(pub String);

/// Why there is no such protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// No protocol has that name.
    #[error(transparent)]
    Unknown(#[from] UnknownProtocol),
    /// It has no such rule.
    #[error("{protocol} has no rule {erratum} to put back: its errata are {known}")]
    OtherErratum {
        /// The protocol.
        protocol: String,
        /// A rule of another protocol.
        erratum: Erratum,
        /// The protocol's own.
        known: String,
    },
}

/// Finds the protocol called `name` and hands it to `visitor`.
///
/// # Errors
/// If there is none, or it does not have the rule that is to be as printed.
pub fn visit<V: Visitor>(
    name: &str,
    options: &Options,
    visitor: V,
) -> Result<V::Output, RegistryError> {
    let Options {
        limiter,
        residual,
        groups,
        admission,
        k,
        order,
        bounds,
        as_printed,
    } = *options;
    if let Some(erratum) = as_printed.filter(|rule| NAMES.contains(&name) && !rule.concerns(name)) {
        return Err(other_erratum(name, erratum));
    }
    match name {
        Rl::NAME => Ok(visitor.visit::<Rl>(rl::Config {
            limiter,
            residual,
            as_printed,
        })),
        Gme::NAME => Ok(visitor.visit::<Gme>(gme::Config {
            limiter,
            groups,
            admission,
            as_printed,
            ..gme::Config::default()
        })),
        Hk::NAME => Ok(visitor.visit::<Hk>(hk::Config {
            limiter,
            k,
            order,
            as_printed,
        })),
        Lme1a::NAME => Ok(visitor.visit::<Lme1a>(algorithm1::Config {
            bounds: (),
            as_printed,
        })),
        Lme1b::NAME => Ok(visitor.visit::<Lme1b>(algorithm1::Config { bounds, as_printed })),
        Lme2::NAME => Ok(visitor.visit::<Lme2>(algorithm2::Config { as_printed })),
        Raymond::NAME => Ok(visitor.visit::<Raymond>(())),
        NaimiTrehel::NAME => Ok(visitor.visit::<NaimiTrehel>(())),
        Dgme::NAME => Ok(visitor.visit::<Dgme>(dgme::Config {
            groups,
            operators: match as_printed {
                Some(Erratum::Lost(operators)) => operators,
                _ => dgme::Config::default().operators,
            },
        })),
        _ => Err(UnknownProtocol(name.to_owned()).into()),
    }
}

fn other_erratum(name: &str, erratum: Erratum) -> RegistryError {
    let own = Erratum::ALL.iter().filter(|(rule, _)| rule.concerns(name));
    let own: Vec<&str> = own.map(|(_, text)| *text).collect();
    let known = if name == Dgme::NAME {
        "other readings of its operators, such as oaaa".to_owned()
    } else if own.is_empty() {
        "none".to_owned()
    } else {
        own.join(", ")
    };
    RegistryError::OtherErratum {
        protocol: name.to_owned(),
        erratum,
        known,
    }
}
