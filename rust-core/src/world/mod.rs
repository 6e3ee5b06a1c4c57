//! World
pub mod random;
pub mod topology;
