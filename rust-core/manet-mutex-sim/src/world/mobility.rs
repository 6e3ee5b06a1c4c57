//! How the network changes.

use super::topology::{Point, disk};
use crate::random::Random;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::time::{Time, span};

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
        let may_go = |a, b| (self.may_carry || !busy(a, b)) && graph.can_spare(a, b);
        let Some(gone) = random_pair(graph, random, |a, b| graph.has(a, b) && may_go(a, b)) else {
            return Vec::new();
        };
        let may_come = |a, b| self.may_exist || !graph.has(a, b);
        // In a complete graph the link that goes is the only one that can come.
        let formed = random_pair(graph, random, may_come).unwrap_or(gone);
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

/// A random pair of nodes that fits: by trying, and if that takes long by looking at all of them.
fn random_pair(
    graph: &Graph,
    random: &mut Random,
    fits: impl Fn(NodeId, NodeId) -> bool,
) -> Option<(NodeId, NodeId)> {
    let n = graph.len();
    if n < 2 {
        return None;
    }
    for _ in 0..4 * n {
        let a = random.below(n);
        let b = (a + 1 + random.below(n - 1)) % n;
        let (a, b) = (NodeId::from_index(a.min(b)), NodeId::from_index(a.max(b)));
        if fits(a, b) {
            return Some((a, b));
        }
    }
    let after = |a: NodeId| graph.nodes().filter(move |&b| a < b).map(move |b| (a, b));
    let all: Vec<_> = graph
        .nodes()
        .flat_map(after)
        .filter(|&(a, b)| fits(a, b))
        .collect();
    random.pick(&all).copied()
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

    /// The same with these nodes staying where they are.
    #[must_use]
    pub fn but(mut self, still: impl IntoIterator<Item = NodeId>) -> Self {
        for node in still {
            self.walkers[node.index()].pause = f64::INFINITY;
        }
        self
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
        let now = disk(&points, 1.0);
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
