//! How traces describe messages and states.

use crate::machine::Protocol;

/// A protocol's own words for its messages and states, for traces. By default what `Debug` says.
pub trait Describe: Protocol {
    /// A message.
    fn message(msg: &Self::Message) -> String {
        format!("{msg:?}")
    }

    /// The state of a node, on one line.
    fn state(&self) -> String {
        format!("{self:?}")
    }
}
