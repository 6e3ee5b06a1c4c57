//! Those who wait.

use crate::ids::NodeId;
use std::collections::VecDeque;

/// Nodes that wait, each once, first come first served.
///
/// Most messages ask whether their sender waits, and mostly it does not: a bit for each who does
/// says so without a search.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    nodes: VecDeque<NodeId>,
    /// Those of all nodes.
    marks: u64,
}

impl Line {
    pub const fn new() -> Self {
        Self {
            nodes: VecDeque::new(),
            marks: 0,
        }
    }

    pub const fn nodes(&self) -> &VecDeque<NodeId> {
        &self.nodes
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Puts a node at the end, unless it waits already.
    #[inline]
    pub fn push(&mut self, node: NodeId) {
        if !self.may_hold(node) || !self.nodes.contains(&node) {
            self.nodes.push_back(node);
            self.marks |= mark(node);
        }
    }

    /// Takes out the first.
    #[inline]
    pub fn pop(&mut self) -> Option<NodeId> {
        let first = self.nodes.pop_front();
        self.mark();
        first
    }

    /// Takes out a node, if it waits.
    #[inline]
    pub fn remove(&mut self, node: NodeId) {
        if self.may_hold(node) {
            self.retain(|waiting| waiting != node);
        }
    }

    /// Keeps some only.
    pub fn retain(&mut self, keep: impl Fn(NodeId) -> bool) {
        self.nodes.retain(|&node| keep(node));
        self.mark();
    }

    #[inline]
    const fn may_hold(&self, node: NodeId) -> bool {
        self.marks & mark(node) != 0
    }

    #[inline]
    fn mark(&mut self) {
        self.marks = self.nodes.iter().fold(0, |marks, &node| marks | mark(node));
    }
}

const fn mark(node: NodeId) -> u64 {
    1 << (node.0 % 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(nodes: impl IntoIterator<Item = u32>) -> Line {
        let mut line = Line::new();
        nodes.into_iter().for_each(|node| line.push(NodeId(node)));
        line
    }

    /// Nodes 3, 67 and 131 have the same mark.
    #[test]
    fn each_waits_once_and_in_order() {
        let mut line = line([3, 67, 5, 3, 131, 67]);
        assert_eq!(*line.nodes(), [3, 67, 5, 131].map(NodeId));
        line.remove(NodeId(195));
        line.remove(NodeId(67));
        assert_eq!(line.pop(), Some(NodeId(3)));
        line.push(NodeId(3));
        assert_eq!(*line.nodes(), [5, 131, 3].map(NodeId));
    }

    #[test]
    fn the_past_leaves_no_trace() {
        let mut past = line([1, 2, 3, 4, 5]);
        past.remove(NodeId(3));
        past.retain(|node| node.0 != 5);
        assert_eq!(past.pop(), Some(NodeId(1)));
        assert_eq!(past, line([2, 4]));
        while past.pop().is_some() {}
        assert_eq!(past, Line::new());
    }
}
