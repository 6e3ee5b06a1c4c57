//! How the network changes.

use super::random::Random;
use super::topology::{Graph, Point};
use crate::ids::NodeId;
use crate::time::{Time, span};

/// How links come and go.
#[derive(Clone, Debug)]
pub enum Mobility {
    /// They stay.
    Still,
    /// Links are replaced at random.
    LinkChanges(LinkChanges),
    /// Nodes walk about; those within range are linked.
    Waypoint(Waypoint),
}

/// A link that came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The ends.
    pub link: (NodeId, NodeId),
    /// Whether it came.
    pub up: bool,
}

/// Random link changes as in Walter, Welch, Vaidya, section 6: a Poisson process; each change
/// deletes a random link whose loss does not disconnect the graph and forms a random link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkChanges {
    /// Changes per second.
    pub rate: f64,
    /// The formed link is drawn among all pairs, so that it may exist already, rather than among
    /// those without a link.
    pub may_exist: bool,
    /// The deleted link may carry messages; the paper's model forbids that [RL 3].
    pub may_carry: bool,
}

impl LinkChanges {
    /// The next change. `busy` tells whether a link carries messages.
    fn draw(
        &self,
        graph: &Graph,
        busy: impl Fn(NodeId, NodeId) -> bool,
        random: &mut Random,
    ) -> Vec<Change> {
        let mut links: Vec<_> = graph.pairs().collect();
        random.shuffle(&mut links);
        let mut without = graph.clone();
        let gone = links.into_iter().find(|&(a, b)| {
            if !self.may_carry && busy(a, b) {
                return false;
            }
            without.remove(a, b);
            let connected = without.hops(a, b).is_some();
            without.add(a, b);
            connected
        });
        let Some(gone) = gone else { return Vec::new() };
        let formed = if self.may_exist {
            let a = random.below(graph.len());
            let b = (a + 1 + random.below(graph.len() - 1)) % graph.len();
            (NodeId::from_index(a.min(b)), NodeId::from_index(a.max(b)))
        } else {
            *random.pick(&graph.missing()).unwrap_or(&gone)
        };
        vec![
            Change {
                link: gone,
                up: false,
            },
            Change {
                link: formed,
                up: true,
            },
        ]
    }
}

/// Random waypoint on a square: walk to a random point at constant speed, pause, repeat. Nodes
/// within distance 1 are linked.
#[derive(Clone, Debug)]
pub struct Waypoint {
    side: f64,
    speed: f64,
    pause: f64,
    tick: f64,
    walkers: Vec<Walker>,
}

#[derive(Clone, Copy, Debug)]
struct Walker {
    at: Point,
    goal: Point,
    pause: f64,
}

impl Waypoint {
    /// Nodes at these points of a square with this side; speed in ranges per second. Links are
    /// looked at every `tick` seconds.
    pub fn new(points: &[Point], side: f64, speed: f64, pause: f64, tick: f64) -> Self {
        let walker = |&at: &Point| Walker {
            at,
            goal: at,
            pause: 0.0,
        };
        Self {
            side,
            speed,
            pause,
            tick,
            walkers: points.iter().map(walker).collect(),
        }
    }

    /// Whether a node is walking.
    pub fn is_moving(&self, node: NodeId) -> bool {
        self.walkers[node.index()].pause <= 0.0 && self.speed > 0.0
    }

    fn advance(&mut self, random: &mut Random) {
        for walker in &mut self.walkers {
            let mut left = self.tick;
            while left > 0.0 {
                if walker.pause > 0.0 {
                    let rest = walker.pause.min(left);
                    walker.pause -= rest;
                    left -= rest;
                    continue;
                }
                let (dx, dy) = (walker.goal.x - walker.at.x, walker.goal.y - walker.at.y);
                let far = libm::sqrt(dx * dx + dy * dy);
                let reach = self.speed * left;
                if far > reach {
                    walker.at.x += dx / far * reach;
                    walker.at.y += dy / far * reach;
                    break;
                }
                if self.speed > 0.0 {
                    left -= far / self.speed;
                }
                walker.at = walker.goal;
                walker.pause = self.pause;
                let mut coordinate = || random.within(0.0, self.side);
                walker.goal = Point {
                    x: coordinate(),
                    y: coordinate(),
                };
                if self.speed <= 0.0 {
                    break;
                }
            }
        }
    }

    fn changes(&mut self, graph: &Graph, random: &mut Random) -> Vec<Change> {
        self.advance(random);
        let points: Vec<Point> = self.walkers.iter().map(|walker| walker.at).collect();
        let now = Graph::disk(&points, 1.0);
        let gone = graph.pairs().filter(|&(a, b)| !now.has(a, b));
        let come = now.pairs().filter(|&(a, b)| !graph.has(a, b));
        gone.map(|link| Change { link, up: false })
            .chain(come.map(|link| Change { link, up: true }))
            .collect()
    }
}

impl Mobility {
    /// When the network changes next, after `now`.
    pub fn next(&self, now: Time, random: &mut Random) -> Option<Time> {
        match self {
            Self::Still => None,
            Self::LinkChanges(changes) => Some(now + span(random.exponential(1.0 / changes.rate))),
            Self::Waypoint(waypoint) => Some(now + span(waypoint.tick)),
        }
    }

    /// How it changes then. `graph` has the links there are.
    pub fn changes(
        &mut self,
        graph: &Graph,
        busy: impl Fn(NodeId, NodeId) -> bool,
        random: &mut Random,
    ) -> Vec<Change> {
        match self {
            Self::Still => Vec::new(),
            Self::LinkChanges(changes) => changes.draw(graph, busy, random),
            Self::Waypoint(waypoint) => waypoint.changes(graph, random),
        }
    }

    /// Whether a node is on the move, for the roles of a meeting.
    pub fn is_moving(&self, node: NodeId) -> bool {
        match self {
            Self::Waypoint(waypoint) => waypoint.is_moving(node),
            _ => false,
        }
    }
}
