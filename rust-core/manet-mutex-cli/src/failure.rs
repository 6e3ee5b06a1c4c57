//! What to print when a run breaks a promise: the shortest trace, and how to replay it.

use crate::output::tell;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::registry::Options;
use manet_mutex_sim::network::Step;
use manet_mutex_sim::scenario::Setup;
use manet_mutex_sim::shrink::shrink;
use std::error::Error;
use std::fs;

/// A run that failed, recorded.
pub struct Failure<'a> {
    pub protocol: &'a str,
    pub seed: u64,
    pub graph: Graph,
    pub options: Options,
    pub steps: Vec<Step>,
    /// What was broken.
    pub what: String,
}

impl Failure<'_> {
    /// Shortens the trace, writes it to a file and tells how to replay it.
    pub fn explain(self) -> Result<(), Box<dyn Error>> {
        tell!("FAILED, seed {}: {}", self.seed, self.what);
        tell!("looking for a shorter trace ...");
        let setup = Setup {
            protocol: self.protocol.to_owned(),
            graph: self.graph,
            options: self.options,
        };
        let (steps, note) = match shrink(&setup, &self.steps)? {
            Some(shorter) => (shorter.steps, shorter.violation.to_string()),
            None => (
                self.steps,
                "not reproduced without time; all steps follow".to_owned(),
            ),
        };
        let file = format!("failure-{}-{}.txt", self.protocol, self.seed);
        fs::write(
            &file,
            setup.trace(&steps, &format!("seed {}: {note}", self.seed)),
        )
        .map_err(|error| format!("cannot write {file}: {error}"))?;
        let line: Vec<String> = steps.iter().take(60).map(Step::to_string).collect();
        tell!("{} steps: {}", steps.len(), line.join(", "));
        tell!("replay with: manet-mutex replay {file}");
        Ok(())
    }
}
