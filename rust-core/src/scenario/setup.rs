//! What a scenario starts from, as data and as text.

use crate::graph::Graph;
use crate::network::Step;
use crate::protocol::PopulationError;
use crate::protocol::registry::{Options, UnknownProtocol};
use crate::protocol::reversal::{Limiter, UnknownErratum};
use crate::protocol::rl::Residual;
use std::fmt::Write;

/// Most nodes of a scenario: a mistyped number must not exhaust the memory.
const MOST_NODES: u64 = 10_000;
/// Most nodes where the number of links grows with its square.
const MOST_COMPLETE: u64 = 1_000;

/// Protocol, network and options: with a list of steps, a whole run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// A name out of [`crate::protocol::registry::NAMES`].
    pub protocol: String,
    /// The links at the start.
    pub graph: Graph,
    /// What else there is to choose.
    pub options: Options,
}

/// Why a setup cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No such protocol.
    #[error(transparent)]
    Protocol(#[from] UnknownProtocol),
    /// No initial configuration.
    #[error(transparent)]
    Population(#[from] PopulationError),
}

impl Setup {
    /// A run as a scenario file: header and one step to a line, after `notes` as comments.
    ///
    /// The file has no trace yet; running it makes one ([`super::Report::text`]).
    pub fn trace(&self, steps: &[Step], notes: &str) -> String {
        let mut text = String::new();
        for line in notes.lines() {
            text.push_str(format!("# {line}").trim_end());
            text.push('\n');
        }
        let _ = writeln!(text, "protocol {}", self.protocol); // a String takes everything
        let _ = writeln!(text, "topology {}", links(&self.graph));
        for (name, value) in self.chosen() {
            let _ = writeln!(text, "option {name} {value}");
        }
        text.push('\n');
        for step in steps {
            let _ = writeln!(text, "{step}");
        }
        text
    }

    /// The options that differ from their defaults, as `option` lines have them.
    fn chosen(&self) -> Vec<(&'static str, String)> {
        // No `..`: a trace without an option that matters would not replay.
        let Options {
            limiter,
            residual,
            as_printed,
        } = &self.options;
        let mut chosen = Vec::new();
        if *residual == Residual::OwnMessage {
            chosen.push(("residual", "own-message".to_owned()));
        }
        if let Some(erratum) = as_printed {
            chosen.push(("as-printed", erratum.to_string()));
        }
        // The limiter's times do not matter here: a scenario says when timers run out.
        if limiter.burst != Limiter::default().burst {
            let burst = limiter.burst.map_or("off".to_owned(), |n| n.to_string());
            chosen.push(("burst", burst));
        }
        chosen
    }
}

/// Sets an option by the words of an `option` line; says which words are allowed if it cannot.
pub(super) fn set_option(options: &mut Options, name: &str, value: &str) -> Result<(), String> {
    match name {
        "residual" => options.residual = residual(value)?,
        "as-printed" => {
            let erratum = value
                .parse()
                .map_err(|error: UnknownErratum| error.to_string());
            options.as_printed = Some(erratum?);
        }
        "burst" => options.limiter.burst = burst(value)?,
        _ => {
            return Err(format!(
                "unknown option `{name}`: use residual, as-printed or burst"
            ));
        }
    }
    Ok(())
}

/// Parses a `topology` line.
pub(super) fn topology(text: &str) -> Result<Graph, String> {
    let most = if text.starts_with("complete") {
        MOST_COMPLETE
    } else {
        MOST_NODES
    };
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    for number in numbers.filter(|digits| !digits.is_empty()) {
        if number.parse::<u64>().map_or(true, |n| n > most) {
            return Err(format!(
                "`{number}` is too large: this topology may have {most} nodes"
            ));
        }
    }
    text.parse::<Graph>().map_err(|error| error.to_string())
}

fn links(graph: &Graph) -> String {
    if graph.links() == 0 {
        return format!("path:{}", graph.len());
    }
    let links: Vec<String> = graph.pairs().map(|(a, b)| format!("{a}-{b}")).collect();
    links.join(",")
}

fn residual(value: &str) -> Result<Residual, String> {
    match value {
        "in-token" => Ok(Residual::InToken),
        "own-message" => Ok(Residual::OwnMessage),
        _ => Err(format!(
            "`{value}` is no residual: use in-token or own-message"
        )),
    }
}

fn burst(value: &str) -> Result<Option<u16>, String> {
    if value == "off" {
        return Ok(None);
    }
    let number = value.parse().map(Some);
    number.map_err(|_| {
        format!(
            "`{value}` is no burst: use off or a number up to {}",
            u16::MAX
        )
    })
}
