//! Random networks to start from.

use crate::random::Random;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;

/// Why a topology could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TopologyError {
    /// Too few or too many links.
    #[error(
        "{nodes} nodes cannot be joined by {links} links: \
         a connected graph has {least} to {most} of them"
    )]
    Links {
        /// Nodes.
        nodes: usize,
        /// Links asked for.
        links: usize,
        /// Fewest.
        least: usize,
        /// Most.
        most: usize,
    },
    /// Random placement kept falling apart.
    #[error(
        "{tries} random placements of {nodes} nodes were all disconnected: \
         ask for a larger mean degree"
    )]
    NeverConnected {
        /// Nodes.
        nodes: usize,
        /// Placements tried.
        tries: usize,
    },
}

/// A position on the plane; in units of the radio range for unit disks, in metres for radios.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// East.
    pub x: f64,
    /// North.
    pub y: f64,
}

impl Point {
    fn near(self, other: Self, range: f64) -> bool {
        let (dx, dy) = (self.x - other.x, self.y - other.y);
        dx * dx + dy * dy <= range * range
    }
}

/// A random connected graph with this many links: a random tree, then random links.
///
/// # Errors
/// If that many links are too few to connect the nodes or more than there are.
pub fn random_connected(
    n: usize,
    links: usize,
    random: &mut Random,
) -> Result<Graph, TopologyError> {
    let (least, most) = (n.saturating_sub(1), n * n.saturating_sub(1) / 2);
    if links < least || links > most {
        return Err(TopologyError::Links {
            nodes: n,
            links,
            least,
            most,
        });
    }
    let mut order: Vec<usize> = (0..n).collect();
    random.shuffle(&mut order);
    let mut graph = Graph::empty(n);
    for i in 1..n {
        let other = order[random.below(i)];
        graph.add(NodeId::from_index(order[i]), NodeId::from_index(other));
    }
    if links * 2 > most {
        // Dense: draw from the links still missing.
        let mut missing = graph.missing();
        random.shuffle(&mut missing);
        for (a, b) in missing.into_iter().take(links - least) {
            graph.add(a, b);
        }
    }
    while graph.links() < links {
        let (a, b) = (random.below(n), random.below(n));
        if a != b {
            graph.add(NodeId::from_index(a), NodeId::from_index(b));
        }
    }
    Ok(graph)
}

/// The unit disk graph of these points: nodes within `range` are linked.
pub fn disk(points: &[Point], range: f64) -> Graph {
    let n = points.len();
    let cell = |p: &Point| ((p.x / range).floor() as i64, (p.y / range).floor() as i64);
    let mut order: Vec<((i64, i64), u32)> = (0..n).map(|i| (cell(&points[i]), i as u32)).collect();
    order.sort_unstable();
    let in_cell = |c: (i64, i64)| {
        let from = order.partition_point(|&(cell, _)| cell < c);
        order[from..]
            .iter()
            .take_while(move |&&(cell, _)| cell == c)
            .map(|&(_, i)| i)
    };
    let mut adjacent = Vec::with_capacity(n);
    for (i, point) in points.iter().enumerate() {
        let (cx, cy) = cell(point);
        let around = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (cx + dx, cy + dy)));
        let mut near: Vec<NodeId> = around
            .flat_map(in_cell)
            .filter(|&j| j as usize != i && points[j as usize].near(*point, range))
            .map(NodeId)
            .collect();
        near.sort_unstable();
        near.shrink_to_fit();
        adjacent.push(near);
    }
    Graph::from_neighbours(adjacent)
}

/// Random points on a square with this mean number of neighbours in range 1, drawn again until
/// their disk graph is connected.
///
/// # Errors
/// If it never is.
pub fn connected_disk(
    n: usize,
    degree: f64,
    random: &mut Random,
) -> Result<(Vec<Point>, Graph), TopologyError> {
    const TRIES: usize = 200;
    let side = side_for_degree(n, degree);
    for _ in 0..TRIES {
        let mut point = || Point {
            x: random.within(0.0, side),
            y: random.within(0.0, side),
        };
        let points: Vec<Point> = (0..n).map(|_| point()).collect();
        let graph = disk(&points, 1.0);
        if n <= 1 || graph.is_connected() {
            return Ok((points, graph));
        }
    }
    Err(TopologyError::NeverConnected {
        nodes: n,
        tries: TRIES,
    })
}

/// The side of the square on which `n` random points have this many neighbours in range 1, away
/// from the border.
pub fn side_for_degree(n: usize, degree: f64) -> f64 {
    let area_per_node = std::f64::consts::PI / degree;
    libm::sqrt(n as f64 * area_per_node)
}
