//! What goes wrong.

/// What goes wrong in a run, all from the run's seed. Nothing does by default: links then close
/// at both ends at once, and what was under way is given back to its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FaultPlan {
    /// Chance that what is under way in one direction when a link fails never arrives. Otherwise
    /// it still arrives if the receiver learns of the failure late enough.
    pub loss: f64,
    /// Chance that an end does not know, when its link closes, what became of its messages.
    pub doubt: f64,
    /// Mean time, in seconds, that it takes to resolve a doubt once the ends can communicate.
    pub resolve: f64,
    /// Mean time, in seconds, after which an end learns of its link's failure or formation.
    pub skew: f64,
    /// Links that fail for a moment, in the whole network per second.
    pub flaps: f64,
    /// Mean length of such a moment, in seconds.
    pub flap_time: f64,
    /// Partitions of the network into two random parts, per second.
    pub partitions: f64,
    /// Mean length of a partition, in seconds.
    pub partition_time: f64,
    /// How many nodes crash, at random times. A node is spared while it owns anything or
    /// anything is on its way to it, since no protocol for one token could then go on; protocols
    /// over routing rely on every node, so theirs are all spared. Where only neighbours are
    /// excluded nobody is spared, and the links of a crashed node stay up.
    pub crashes: u32,
}

impl FaultPlan {
    /// Whether no link ever fails because of it.
    pub fn keeps_links(&self) -> bool {
        self.flaps <= 0.0 && self.partitions <= 0.0 && self.crashes == 0
    }

    /// Everything at once, at a pace for links of about one second's delay.
    pub const fn all() -> Self {
        Self {
            loss: 0.5,
            doubt: 0.5,
            resolve: 5.0,
            skew: 1.5,
            flaps: 0.2,
            flap_time: 3.0,
            partitions: 0.01,
            partition_time: 30.0,
            crashes: 0,
        }
    }
}
