//! Whether those who wait are served.
//!
//! The question is asked of every state, as if nobody made a request and no link changed from
//! there on: of the moves that are left, every one happens sooner or later.

use super::search::Inevitable;

/// States from which progress fails, the first in order of discovery of each kind.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Failures {
    /// Whatever happens, somebody within reach of the token waits for ever.
    pub(super) doomed: Option<u32>,
    /// In some order of events, somebody within reach of the token waits for ever.
    pub(super) avoidable: Option<u32>,
}

/// Looks for states from which no state can be reached, or not every order of events leads to a
/// state, in which nobody waits in vain.
pub(super) fn failures(graph: &Inevitable) -> Failures {
    let reversed = Reversed::of(graph);
    let first = |good: &[bool]| good.iter().position(|good| !good).map(|i| i as u32);
    let doomed = first(&reversed.spread(graph, |_| true));
    let mut left: Vec<u32> = graph
        .starts
        .windows(2)
        .map(|window| (window[1] - window[0]) as u32)
        .collect();
    let all_lead_there = |state: usize| {
        left[state] -= 1;
        left[state] == 0
    };
    let avoidable = first(&reversed.spread(graph, all_lead_there));
    Failures { doomed, avoidable }
}

struct Reversed {
    starts: Vec<usize>,
    sources: Vec<u32>,
}

impl Reversed {
    fn of(graph: &Inevitable) -> Self {
        let states = graph.settled.len();
        let mut starts = vec![0; states + 1];
        for &target in &graph.targets {
            starts[target as usize + 1] += 1;
        }
        for i in 0..states {
            starts[i + 1] += starts[i];
        }
        let mut free = starts.clone();
        let mut sources = vec![0; graph.targets.len()];
        for (from, window) in graph.starts.windows(2).enumerate() {
            for &target in &graph.targets[window[0]..window[1]] {
                sources[free[target as usize]] = from as u32;
                free[target as usize] += 1;
            }
        }
        Self { starts, sources }
    }

    /// Goes back from the settled states; `join` is told of each move from a state not yet
    /// counted as good to one that is, and says whether that makes it good.
    fn spread(&self, graph: &Inevitable, mut join: impl FnMut(usize) -> bool) -> Vec<bool> {
        let mut good = graph.settled.clone();
        let mut todo: Vec<u32> = (0..good.len())
            .filter(|&i| good[i])
            .map(|i| i as u32)
            .collect();
        while let Some(state) = todo.pop() {
            let state = state as usize;
            for &source in &self.sources[self.starts[state]..self.starts[state + 1]] {
                if !good[source as usize] && join(source as usize) {
                    good[source as usize] = true;
                    todo.push(source);
                }
            }
        }
        good
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(moves: &[&[u32]], settled: &[usize]) -> Inevitable {
        let mut graph = Inevitable::default();
        for targets in moves {
            graph.starts.push(graph.targets.len());
            graph.targets.extend_from_slice(targets);
        }
        graph.starts.push(graph.targets.len());
        graph.settled = (0..moves.len()).map(|i| settled.contains(&i)).collect();
        graph
    }

    #[test]
    fn a_chain_ends_well() {
        let found = failures(&graph(&[&[1], &[2], &[]], &[2]));
        assert_eq!(found, Failures::default());
    }

    #[test]
    fn a_cycle_with_an_exit_may_last() {
        let found = failures(&graph(&[&[1], &[0, 2], &[]], &[2]));
        assert_eq!((found.doomed, found.avoidable), (None, Some(0)));
    }

    #[test]
    fn a_dead_end_dooms_those_who_must_go_there() {
        let found = failures(&graph(&[&[1, 2], &[], &[3], &[]], &[1]));
        assert_eq!((found.doomed, found.avoidable), (Some(2), Some(0)));
    }
}
