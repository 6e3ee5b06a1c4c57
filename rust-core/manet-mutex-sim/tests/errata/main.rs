//! Each correction is needed: with the rule as printed something goes wrong.
#![cfg(feature = "explore")]

#[path = "../common/mod.rs"]
mod common;

mod careless;
mod gme;
mod hk;
mod lme;
mod lme2;
mod rl;
