#![doc = "Mutual exclusion for mobile ad hoc networks."]

pub mod check;
pub mod demand;
#[cfg(feature = "explore")]
pub mod explore;
pub mod ids;
pub mod machine;
pub mod network;
pub mod protocol;
pub mod scenario;
pub mod time;
pub mod wire;
pub mod world;

pub use demand::Demand;
pub use ids::NodeId;
pub use time::Time;
