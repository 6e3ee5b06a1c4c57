//! What the applications do.

pub use manet_mutex::demand::Demands;

use crate::random::Random;
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::time::{Time, span};
use std::time::Duration;

/// When applications request, what they ask for, and how long they stay inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Workload {
    /// Time between leaving the critical section and the next request.
    pub think: Span,
    /// Time inside.
    pub stay: Span,
    /// What to ask for.
    pub demands: Demands,
    /// Requests at fixed times, besides or instead of thinking. One that falls while its node
    /// still waits or is inside is skipped.
    pub script: Vec<(Time, NodeId, Demand)>,
}

/// How long something takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Span {
    /// Always this long. As think time this is the closed loop.
    Fixed(f64),
    /// Exponentially distributed with this mean. As think time this is the Poisson process.
    Exponential(f64),
    /// It never ends; as think time: nobody requests but by the script.
    Never,
}

impl Span {
    /// Draws one.
    pub fn draw(&self, random: &mut Random) -> Option<Duration> {
        match *self {
            Self::Fixed(seconds) => Some(span(seconds)),
            Self::Exponential(mean) => Some(span(random.exponential(mean))),
            Self::Never => None,
        }
    }
}

impl Workload {
    /// Draws a demand, each as likely as any other.
    pub fn draw_demand(&self, random: &mut Random) -> Demand {
        let below = |bound: u32, random: &mut Random| random.below(bound.max(1) as usize) as u32;
        match self.demands {
            Demands::Exclusive => Demand::Exclusive,
            Demands::Groups(groups) => Demand::Group(below(groups, random)),
            Demands::Units { most, priorities } => Demand::Units {
                count: 1 + below(most, random),
                priority: below(priorities, random),
            },
        }
    }
}

impl Default for Workload {
    /// As in Walter, Welch, Vaidya, section 6: one time unit inside, Poisson requests.
    fn default() -> Self {
        Self {
            think: Span::Exponential(10.0),
            stay: Span::Fixed(1.0),
            demands: Demands::Exclusive,
            script: Vec::new(),
        }
    }
}
