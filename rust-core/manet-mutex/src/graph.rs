//! Who can talk to whom.

use crate::ids::NodeId;
use std::collections::VecDeque;

/// An undirected graph on nodes `0..n`; neighbours are kept sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph {
    adjacent: Vec<Vec<NodeId>>,
    links: usize,
}

/// Why a graph could not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GraphError {
    /// A link to a node that does not exist, or from a node to itself.
    #[error("there is no link {a}-{b} among {nodes} nodes: nodes are 0 to {}", nodes.saturating_sub(1))]
    NoSuchLink {
        /// One end.
        a: u32,
        /// The other end.
        b: u32,
        /// Nodes.
        nodes: usize,
    },
    /// More nodes or links than fit into the memory of most machines.
    #[error(
        "`{0}` is too large: use at most {nodes} nodes and {links} links",
        nodes = Graph::MOST_NODES,
        links = Graph::MOST_LINKS
    )]
    TooLarge(String),
    /// Not one of the known shapes.
    #[error(
        "unknown topology `{0}`: use path:N, ring:N, complete:N, star:N, grid:N (N times N) or \
         a-b,c-d,..."
    )]
    Unknown(String),
}

impl Graph {
    /// Text may ask for so many nodes at most: four times as many as were ever tried.
    pub const MOST_NODES: usize = 1 << 22;
    /// Text may ask for so many links at most.
    pub const MOST_LINKS: usize = 1 << 24;

    /// `n` nodes without links.
    pub fn empty(n: usize) -> Self {
        Self {
            adjacent: vec![Vec::new(); n],
            links: 0,
        }
    }

    /// `n` nodes with these links; a link given twice counts once.
    ///
    /// # Errors
    /// If a link has an end beyond `n` or joins a node to itself.
    pub fn new(n: usize, links: impl IntoIterator<Item = (u32, u32)>) -> Result<Self, GraphError> {
        let mut graph = Self::empty(n);
        for (a, b) in links {
            if a == b || a as usize >= n || b as usize >= n {
                return Err(GraphError::NoSuchLink { a, b, nodes: n });
            }
            graph.add(NodeId(a), NodeId(b));
        }
        Ok(graph)
    }

    /// 0-1-2-...
    pub fn path(n: usize) -> Self {
        Self::joined(n, (1..n).map(|i| (i - 1, i)))
    }

    /// A path whose ends are joined.
    pub fn ring(n: usize) -> Self {
        let mut graph = Self::path(n);
        if n > 2 {
            graph.add(NodeId(0), NodeId::from_index(n - 1));
        }
        graph
    }

    /// Everybody with everybody.
    pub fn complete(n: usize) -> Self {
        Self::joined(n, (0..n).flat_map(|a| (0..a).map(move |b| (b, a))))
    }

    /// Node 0 with everybody.
    pub fn star(n: usize) -> Self {
        Self::joined(n, (1..n).map(|i| (0, i)))
    }

    /// Rows of nodes, each joined to those beside, above and below it.
    pub fn grid(rows: usize, columns: usize) -> Self {
        let place = |row: usize, column: usize| row * columns + column;
        let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let links = cells.flat_map(|(row, column)| {
            let here = place(row, column);
            let right = (column + 1 < columns).then(|| (here, place(row, column + 1)));
            let down = (row + 1 < rows).then(|| (here, place(row + 1, column)));
            [right, down].into_iter().flatten()
        });
        Self::joined(rows * columns, links)
    }

    /// The graph in which each node has these neighbours, sorted; both ends list a link.
    pub fn from_neighbours(adjacent: Vec<Vec<NodeId>>) -> Self {
        let links = adjacent.iter().map(Vec::len).sum::<usize>() / 2;
        Self { adjacent, links }
    }

    fn joined(n: usize, links: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut graph = Self::empty(n);
        for (a, b) in links {
            graph.add(NodeId::from_index(a), NodeId::from_index(b));
        }
        graph
    }

    /// How many nodes.
    pub const fn len(&self) -> usize {
        self.adjacent.len()
    }

    /// Whether there are no nodes.
    pub const fn is_empty(&self) -> bool {
        self.adjacent.is_empty()
    }

    /// How many links.
    pub const fn links(&self) -> usize {
        self.links
    }

    /// All nodes.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.len()).map(NodeId::from_index)
    }

    /// A node's neighbours, sorted.
    pub fn neighbours(&self, node: NodeId) -> &[NodeId] {
        &self.adjacent[node.index()]
    }

    /// All links, smaller id first, sorted.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.nodes().flat_map(|a| {
            self.neighbours(a)
                .iter()
                .filter(move |&&b| a < b)
                .map(move |&b| (a, b))
        })
    }

    /// All pairs of nodes without a link, smaller id first.
    pub fn missing(&self) -> Vec<(NodeId, NodeId)> {
        let after = |a: NodeId| self.nodes().filter(move |&b| a < b).map(move |b| (a, b));
        self.nodes()
            .flat_map(after)
            .filter(|&(a, b)| !self.has(a, b))
            .collect()
    }

    /// Whether a link joins these two.
    pub fn has(&self, a: NodeId, b: NodeId) -> bool {
        self.neighbours(a).binary_search(&b).is_ok()
    }

    /// Adds a link; false if it was there.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> bool {
        let Err(at) = self.adjacent[a.index()].binary_search(&b) else {
            return false;
        };
        self.adjacent[a.index()].insert(at, b);
        if let Err(at) = self.adjacent[b.index()].binary_search(&a) {
            self.adjacent[b.index()].insert(at, a);
        }
        self.links += 1;
        true
    }

    /// Removes a link; false if there was none.
    pub fn remove(&mut self, a: NodeId, b: NodeId) -> bool {
        let Ok(at) = self.adjacent[a.index()].binary_search(&b) else {
            return false;
        };
        self.adjacent[a.index()].remove(at);
        if let Ok(at) = self.adjacent[b.index()].binary_search(&a) {
            self.adjacent[b.index()].remove(at);
        }
        self.links -= 1;
        true
    }

    /// Hops from `from` to every node; `None` where no path leads.
    pub fn distances(&self, from: NodeId) -> Vec<Option<u32>> {
        let mut distance = vec![None; self.len()];
        self.walk(from, |node, hops| {
            distance[node.index()] = Some(hops);
            false
        });
        distance
    }

    /// Hops from node 0 to every node.
    ///
    /// # Errors
    /// If there are no nodes or some cannot be reached.
    pub fn distances_from_zero(&self) -> Result<Vec<u32>, NotConnected> {
        if self.is_empty() {
            return Err(NotConnected::Empty);
        }
        let reached = |(unreached, hops): (usize, Option<u32>)| {
            hops.ok_or(NotConnected::Unreached(unreached))
        };
        self.distances(NodeId(0))
            .into_iter()
            .enumerate()
            .map(reached)
            .collect()
    }

    /// Hops on the shortest path, if there is one.
    pub fn hops(&self, from: NodeId, to: NodeId) -> Option<u32> {
        if self.has(from, to) {
            return Some(1);
        }
        let mut found = None;
        self.walk(from, |node, hops| {
            if node == to {
                found = Some(hops);
            }
            node == to
        });
        found
    }

    /// Whether the ends of a link could still reach each other without it.
    pub fn can_spare(&self, a: NodeId, b: NodeId) -> bool {
        let mut reached = false;
        let beyond = |node: NodeId, next: NodeId| (node, next) != (a, b);
        self.walk_over(beyond, a, |node, _| {
            reached = node == b;
            reached
        });
        reached
    }

    /// Whether every node can reach every other.
    pub fn is_connected(&self) -> bool {
        self.distances_from_zero().is_ok()
    }

    /// Breadth first from a node, until `visit` returns true.
    fn walk(&self, from: NodeId, visit: impl FnMut(NodeId, u32) -> bool) {
        self.walk_over(|_, _| true, from, visit);
    }

    /// The same over some of the links only.
    fn walk_over(
        &self,
        open: impl Fn(NodeId, NodeId) -> bool,
        from: NodeId,
        mut visit: impl FnMut(NodeId, u32) -> bool,
    ) {
        let mut seen = vec![false; self.len()];
        let mut queue = VecDeque::from([(from, 0)]);
        seen[from.index()] = true;
        while let Some((node, hops)) = queue.pop_front() {
            if visit(node, hops) {
                return;
            }
            for &next in self.neighbours(node) {
                if open(node, next) && !std::mem::replace(&mut seen[next.index()], true) {
                    queue.push_back((next, hops + 1));
                }
            }
        }
    }
}

/// Why not every node has a distance from node 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotConnected {
    /// There are no nodes.
    Empty,
    /// No path leads from node 0 to this one.
    Unreached(usize),
}

/// Parses the shapes of the command line: `path:3`, `ring:4`, `complete:3`, `star:4`, `grid:3`, or
/// links such as `0-1,1-2`, among which a node may stand alone.
impl std::str::FromStr for Graph {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let unknown = || GraphError::Unknown(text.to_owned());
        if let Some((shape, n)) = text.split_once(':') {
            let n: usize = n.parse().map_err(|_| unknown())?;
            let (nodes, links) = match shape {
                "path" | "ring" | "star" => (n, n),
                "complete" => (n, n.saturating_mul(n) / 2),
                "grid" => (n.saturating_mul(n), n.saturating_mul(n).saturating_mul(2)),
                _ => return Err(unknown()),
            };
            if nodes > Self::MOST_NODES || links > Self::MOST_LINKS {
                return Err(GraphError::TooLarge(text.to_owned()));
            }
            return Ok(match shape {
                "path" => Self::path(n),
                "ring" => Self::ring(n),
                "complete" => Self::complete(n),
                "star" => Self::star(n),
                _ => Self::grid(n, n),
            });
        }
        let part = |part: &str| {
            let (a, b) = part.trim().split_once('-').unwrap_or((part.trim(), ""));
            let a = a.parse::<u32>().ok()?;
            let b = if b.is_empty() { a } else { b.parse().ok()? };
            Some((a, b, part.contains('-')))
        };
        let parts: Vec<_> = text
            .split(',')
            .map(part)
            .collect::<Option<_>>()
            .ok_or_else(unknown)?;
        let ids = parts.iter().map(|&(a, b, _)| a.max(b) as usize + 1);
        let nodes = ids.max().unwrap_or(0);
        if nodes > Self::MOST_NODES {
            return Err(GraphError::TooLarge(text.to_owned()));
        }
        let links = parts.iter().filter(|&&(.., linked)| linked);
        Self::new(nodes, links.map(|&(a, b, _)| (a, b)))
    }
}
