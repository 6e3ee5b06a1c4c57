//! Every interleaving of small cases: the rules as corrected keep all promises.
#![cfg(feature = "explore")]

#[path = "../common/mod.rs"]
mod common;

mod groups;
mod link;
mod lme;
mod lme2;
mod rl;
mod routed;
mod transport;
