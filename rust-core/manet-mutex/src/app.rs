//! The application at a node.

use crate::demand::Demand;

/// What the application at a node is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum App {
    /// Nothing.
    Idle,
    /// Waits to enter.
    Waiting(Demand),
    /// Is inside.
    Inside(Demand),
}
