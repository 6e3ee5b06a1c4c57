//! What the link layer promises, with two or three nodes and a radio that fails where a test wants
//! it to.

mod closing;
mod delivery;
mod forming;
mod memory;
mod net;
mod refused;
mod sharing;
