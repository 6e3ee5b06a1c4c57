//! The papers, statement by statement.

mod gme;
mod hk;
mod lme;
mod lme2;
mod rl;
