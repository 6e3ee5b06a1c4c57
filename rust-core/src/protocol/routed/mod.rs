//! Protocols that talk to any node, over routing.

pub mod dgme;
pub mod naimi_trehel;
pub mod raymond;
