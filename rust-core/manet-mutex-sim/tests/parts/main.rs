//! Parts by themselves, fed by hand.

mod checkers;
mod delivery;
mod node;
mod transport;
