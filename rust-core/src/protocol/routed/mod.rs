//! Protocols that talk to any node, over routing.

pub mod raymond;
