//! Violations of promises.

use super::Check;
use crate::machine::ProtocolError;
use serde::Serialize;
use std::fmt;

/// A promise not kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Violation {
    /// Which promise.
    pub property: &'static str,
    /// How it was broken.
    pub detail: String,
    /// Which check found it, if it is one of those listed.
    #[serde(skip)]
    check: Option<Check>,
}

impl Violation {
    /// What `check` found.
    pub fn new(check: Check, detail: impl Into<String>) -> Self {
        Self {
            property: check.property(),
            detail: detail.into(),
            check: Some(check),
        }
    }

    /// A violation of a property that is no [`Check`]: of a protocol elsewhere, or of a search of
    /// the link layer or the transport, which are tested with rules left out (`Flaw`).
    pub fn named(property: &'static str, detail: impl Into<String>) -> Self {
        Self {
            property,
            detail: detail.into(),
            check: None,
        }
    }

    /// The check that found it, if it is one of [`Check`].
    pub const fn check(&self) -> Option<Check> {
        self.check
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.property, self.detail)
    }
}

impl From<&ProtocolError> for Violation {
    fn from(error: &ProtocolError) -> Self {
        let check = match error {
            ProtocolError::Broken { .. } => Check::Assumption,
            _ => Check::Contract,
        };
        Self::new(check, error.to_string())
    }
}
