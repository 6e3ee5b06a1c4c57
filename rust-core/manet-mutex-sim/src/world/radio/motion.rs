//! Where nodes are, in continuous time.
//!
//! A node walks along straight legs at constant speed. Its position at any moment follows from
//! its leg, so nothing happens between two turns.

use crate::random::Random;
use crate::world::topology::Point;
use manet_mutex::ids::NodeId;
use manet_mutex::time::{Time, span};

/// How nodes choose their legs. Speeds in metres per second, pauses in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// They stay.
    Still,
    /// Walk to a random point, pause, repeat.
    RandomWaypoint {
        /// How fast.
        speed: f64,
        /// How long it rests at each point.
        pause: f64,
    },
    /// Walk in a random direction up to the wall, pause, repeat.
    RandomDirection {
        /// How fast.
        speed: f64,
        /// How long it rests at each wall.
        pause: f64,
    },
}

/// Why nodes cannot move like this.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// Too small, infinite or not a number.
    #[error("a field of {0} m x {1} m: both sides have to be finite and at least 1 m")]
    Field(f64, f64),
    /// A model that never gets anywhere, or never leaves.
    #[error(
        "speed {speed} m/s, pause {pause} s: both have to be finite, the speed above 0, \
         the pause not below"
    )]
    Pace {
        /// How fast.
        speed: f64,
        /// How long it rests.
        pause: f64,
    },
    /// A node that starts outside.
    #[error("node {0} starts outside the field")]
    Outside(NodeId),
}

/// Nodes on a rectangle with a corner at the origin.
///
/// The driver plans a turn for each node at [`next_turn`](Self::next_turn), calls
/// [`turn`](Self::turn) then, and plans the one after it. A turn that is not due does nothing, so
/// one that was planned before [`go_to`](Self::go_to) does no harm.
#[derive(Clone, Debug)]
pub struct Motion {
    model: Model,
    /// The corner opposite the origin.
    corner: Point,
    legs: Vec<Leg>,
}

/// A straight way from one point to another, or a rest if both are the same.
#[derive(Clone, Copy, Debug)]
struct Leg {
    from: Point,
    goal: Point,
    /// In metres per nanosecond.
    velocity: Point,
    since: Time,
    until: Time,
    /// Whether the model goes on afterwards.
    leads_on: bool,
}

const NEVER: Time = Time(u64::MAX);

impl Motion {
    /// Nodes that stand at these points of a field. Their first turn is due at once.
    ///
    /// # Errors
    /// If the field, the model or the points make no sense.
    pub fn new(
        model: Model,
        width: f64,
        height: f64,
        points: &[Point],
    ) -> Result<Self, MotionError> {
        let long = |side: f64| side.is_finite() && side >= 1.0;
        if !long(width) || !long(height) {
            return Err(MotionError::Field(width, height));
        }
        if let Model::RandomWaypoint { speed, pause } | Model::RandomDirection { speed, pause } =
            model
            && !(speed.is_finite() && speed > 0.0 && pause.is_finite() && pause >= 0.0)
        {
            return Err(MotionError::Pace { speed, pause });
        }
        let inside = |p: &Point| (0.0..=width).contains(&p.x) && (0.0..=height).contains(&p.y);
        if let Some(lost) = points.iter().position(|point| !inside(point)) {
            return Err(MotionError::Outside(NodeId::from_index(lost)));
        }
        let moves = model != Model::Still;
        let until = if moves { Time::ZERO } else { NEVER };
        let leg = |&point: &Point| Leg::rest(point, Time::ZERO, until, moves);
        Ok(Self {
            model,
            corner: Point {
                x: width,
                y: height,
            },
            legs: points.iter().map(leg).collect(),
        })
    }

    /// How many nodes there are.
    pub const fn len(&self) -> usize {
        self.legs.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.legs.is_empty()
    }

    /// Where a node is, in metres. `now` is not before its last turn.
    pub fn position(&self, node: NodeId, now: Time) -> Point {
        self.legs[node.index()].position(now)
    }

    /// Whether a node is walking.
    pub fn is_moving(&self, node: NodeId) -> bool {
        let velocity = self.legs[node.index()].velocity;
        velocity.x != 0.0 || velocity.y != 0.0
    }

    /// When a node next starts, stops or changes direction; `None` if it stays for ever.
    pub fn next_turn(&self, node: NodeId) -> Option<Time> {
        let until = self.legs[node.index()].until;
        (until < NEVER).then_some(until)
    }

    /// The node's leg is over: draws the next one. Does nothing if it is not.
    pub fn turn(&mut self, node: NodeId, now: Time, random: &mut Random) {
        let leg = self.legs[node.index()];
        if now < leg.until || leg.until == NEVER {
            return;
        }
        let moved = self.is_moving(node);
        let next = match self.model {
            _ if !leg.leads_on => Leg::rest(leg.goal, now, NEVER, false),
            Model::Still => Leg::rest(leg.goal, now, NEVER, false),
            Model::RandomWaypoint { pause, .. } | Model::RandomDirection { pause, .. }
                if moved && pause > 0.0 =>
            {
                Leg::rest(leg.goal, now, now + span(pause), true)
            }
            Model::RandomWaypoint { speed, .. } => {
                let goal = Point {
                    x: random.within(0.0, self.corner.x),
                    y: random.within(0.0, self.corner.y),
                };
                Leg::walk(leg.goal, goal, now, speed, true)
            }
            Model::RandomDirection { speed, .. } => {
                let goal = self.wall_from(leg.goal, random);
                Leg::walk(leg.goal, goal, now, speed, true)
            }
        };
        self.legs[node.index()] = next;
    }

    /// Whatever the model says, the node walks to `goal` from now on, or to the point of the field
    /// nearest to it, and stays there. `speed` is positive.
    pub fn go_to(&mut self, node: NodeId, now: Time, goal: Point, speed: f64) {
        let goal = Point {
            x: goal.x.clamp(0.0, self.corner.x),
            y: goal.y.clamp(0.0, self.corner.y),
        };
        let from = self.position(node, now);
        self.legs[node.index()] = Leg::walk(from, goal, now, speed, false);
    }

    /// Where a random direction meets the wall.
    fn wall_from(&self, from: Point, random: &mut Random) -> Point {
        loop {
            let angle = random.within(0.0, std::f64::consts::TAU);
            let (dx, dy) = (libm::cos(angle), libm::sin(angle));
            let far = along(from.x, dx, self.corner.x).min(along(from.y, dy, self.corner.y));
            // From the wall half of all directions lead out of the field, from a corner three
            // quarters; some may lead along the wall by no more than a rounding error.
            if far > 1e-3 {
                return Point {
                    x: (from.x + dx * far).clamp(0.0, self.corner.x),
                    y: (from.y + dy * far).clamp(0.0, self.corner.y),
                };
            }
        }
    }
}

/// How far one can go from `at` with this slope before leaving `0..=end`.
fn along(at: f64, slope: f64, end: f64) -> f64 {
    if slope > 0.0 {
        (end - at) / slope
    } else if slope < 0.0 {
        at / -slope
    } else {
        f64::INFINITY
    }
}

impl Leg {
    const fn rest(at: Point, since: Time, until: Time, leads_on: bool) -> Self {
        Self {
            from: at,
            goal: at,
            velocity: Point { x: 0.0, y: 0.0 },
            since,
            until,
            leads_on,
        }
    }

    fn walk(from: Point, goal: Point, since: Time, speed: f64, leads_on: bool) -> Self {
        let (dx, dy) = (goal.x - from.x, goal.y - from.y);
        let seconds = libm::sqrt(dx * dx + dy * dy) / speed;
        if seconds <= 0.0 {
            return Self::rest(goal, since, since, leads_on);
        }
        Self {
            from,
            goal,
            velocity: Point {
                x: dx / seconds / 1e9,
                y: dy / seconds / 1e9,
            },
            since,
            until: since + span(seconds),
            leads_on,
        }
    }

    fn position(&self, now: Time) -> Point {
        if now >= self.until {
            return self.goal;
        }
        let nanos = now.0.saturating_sub(self.since.0) as f64;
        Point {
            x: self.from.x + self.velocity.x * nanos,
            y: self.from.y + self.velocity.y * nanos,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: NodeId = NodeId(0);

    fn one(model: Model) -> Motion {
        Motion::new(model, 100.0, 50.0, &[Point { x: 10.0, y: 40.0 }]).unwrap()
    }

    fn distance(a: Point, b: Point) -> f64 {
        libm::hypot(a.x - b.x, a.y - b.y)
    }

    /// Turns for `seconds`, looking at the node ten times on each leg.
    fn walk(motion: &mut Motion, seconds: f64, mut look: impl FnMut(&Motion, Time)) -> usize {
        let mut random = Random::stream(1, "motion");
        let mut now = Time::ZERO;
        for turns in 0.. {
            motion.turn(NODE, now, &mut random);
            let next = motion.next_turn(NODE).expect("it moves on");
            if next > Time::from_secs(seconds) {
                return turns;
            }
            for tenth in 0..=10 {
                look(motion, Time(now.0 + (next.0 - now.0) / 10 * tenth));
            }
            now = next;
        }
        unreachable!("it moves on");
    }

    #[test]
    fn a_still_node_never_turns() {
        let motion = one(Model::Still);
        assert_eq!(motion.next_turn(NODE), None);
        assert!(!motion.is_moving(NODE));
        let at = motion.position(NODE, Time::from_secs(1e6));
        assert_eq!((at.x, at.y), (10.0, 40.0));
    }

    #[test]
    fn nobody_leaves_the_field() {
        let (speed, pause) = (20.0, 0.5);
        for model in [
            Model::RandomWaypoint { speed, pause },
            Model::RandomDirection { speed, pause },
        ] {
            let (mut west, mut east) = (f64::MAX, f64::MIN);
            let turns = walk(&mut one(model), 2000.0, |motion, now| {
                let at = motion.position(NODE, now);
                assert!((-1e-6..=100.0 + 1e-6).contains(&at.x), "{model:?}: {at:?}");
                assert!((-1e-6..=50.0 + 1e-6).contains(&at.y), "{model:?}: {at:?}");
                (west, east) = (west.min(at.x), east.max(at.x));
            });
            assert!(turns > 500, "{model:?}: {turns} turns");
            assert!(west < 5.0 && east > 95.0, "{model:?}: only {west}..{east}");
        }
    }

    #[test]
    fn a_walk_keeps_its_speed_and_does_not_jump() {
        let (speed, pause) = (4.0, 0.0);
        let mut last = None;
        walk(
            &mut one(Model::RandomDirection { speed, pause }),
            500.0,
            |motion, now| {
                assert!(motion.is_moving(NODE));
                let at = motion.position(NODE, now);
                if let Some((before, then)) = last.replace((at, now)) {
                    let walked = distance(at, before);
                    assert!((walked - speed * (now - then).as_secs_f64()).abs() < 1e-5);
                }
            },
        );
    }

    #[test]
    fn after_a_walk_it_rests_for_the_pause() {
        let mut motion = one(Model::RandomDirection {
            speed: 5.0,
            pause: 2.0,
        });
        let mut random = Random::stream(1, "motion");
        motion.turn(NODE, Time::ZERO, &mut random);
        let wall = motion.next_turn(NODE).unwrap();
        motion.turn(NODE, wall, &mut random);
        assert!(!motion.is_moving(NODE));
        let rest = motion.next_turn(NODE).unwrap();
        assert_eq!((rest - wall).as_secs(), 2);
        motion.turn(NODE, rest, &mut random);
        assert!(motion.is_moving(NODE));
    }

    #[test]
    fn sent_somewhere_it_goes_there_and_stays() {
        let mut motion = one(Model::RandomWaypoint {
            speed: 5.0,
            pause: 0.0,
        });
        let mut random = Random::stream(1, "motion");
        motion.turn(NODE, Time::ZERO, &mut random);
        let stale = motion.next_turn(NODE).unwrap();
        let now = Time::from_secs(1.0);
        let goal = Point { x: 50.0, y: 25.0 };
        let way = distance(motion.position(NODE, now), goal);
        motion.go_to(NODE, now, goal, 2.0);
        motion.turn(NODE, Time(stale.0.min(now.0 + 1)), &mut random);
        let there = motion.next_turn(NODE).unwrap();
        assert!(((there - now).as_secs_f64() - way / 2.0).abs() < 1e-6);
        assert!(motion.is_moving(NODE));
        motion.turn(NODE, there, &mut random);
        assert!(!motion.is_moving(NODE));
        assert_eq!(motion.next_turn(NODE), None);
        assert_eq!(motion.position(NODE, Time::from_secs(1e5)), goal);
    }

    #[test]
    fn nonsense_is_refused() {
        let origin = [Point { x: 0.0, y: 0.0 }];
        let new = |model, width| Motion::new(model, width, 10.0, &origin).err();
        assert_eq!(new(Model::Still, 0.0), Some(MotionError::Field(0.0, 10.0)));
        let (speed, pause) = (0.0, 0.0);
        let stuck = Model::RandomWaypoint { speed, pause };
        assert_eq!(new(stuck, 10.0), Some(MotionError::Pace { speed, pause }));
        let outside = Motion::new(Model::Still, 10.0, 10.0, &[Point { x: 11.0, y: 0.0 }]);
        assert_eq!(outside.err(), Some(MotionError::Outside(NODE)));
    }
}
