//! What a scenario starts from, as data and as text.

use crate::network::Step;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::PopulationError;
use manet_mutex::protocol::registry::{Options, RegistryError};
use manet_mutex::protocol::rl::Residual;
use std::fmt::Write;
use std::str::FromStr;

/// Most nodes of a scenario: a mistyped number must not exhaust the memory.
const MOST_NODES: u64 = 10_000;
/// Most nodes where the number of links grows with its square.
const MOST_COMPLETE: u64 = 1_000;

/// Protocol, network and options: with a list of steps, a whole run.
#[derive(Clone, Debug)]
pub struct Setup {
    /// A name out of [`manet_mutex::protocol::registry::NAMES`].
    pub protocol: String,
    /// The links at the start.
    pub graph: Graph,
    /// What else there is to choose.
    pub options: Options,
}

/// Why a setup cannot be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No such protocol, or not with these options.
    #[error(transparent)]
    Protocol(#[from] RegistryError),
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
            groups,
            admission,
            k,
            order,
            bounds,
            as_printed,
        } = &self.options;
        let default = Options::default();
        let mut chosen = Vec::new();
        if *residual == Residual::OwnMessage {
            chosen.push(("residual", "own-message".to_owned()));
        }
        if *groups != default.groups {
            chosen.push(("groups", groups.count().to_string()));
        }
        if *admission != default.admission {
            chosen.push(("admission", admission.to_string()));
        }
        if *k != default.k {
            chosen.push(("k", k.to_string()));
        }
        if *order != default.order {
            chosen.push(("order", order.to_string()));
        }
        if bounds.ids != default.bounds.ids {
            chosen.push(("id-space", bounds.ids.to_string()));
        }
        if bounds.degree != default.bounds.degree {
            chosen.push(("degree-bound", bounds.degree.to_string()));
        }
        if let Some(erratum) = as_printed {
            chosen.push(("as-printed", erratum.to_string()));
        }
        // The limiter's times do not matter here: a scenario says when timers run out.
        if limiter.burst != default.limiter.burst {
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
        "groups" => options.groups = parsed(value)?,
        "admission" => options.admission = parsed(value)?,
        "k" => {
            let k = value.parse();
            options.k = k.map_err(|_| format!("`{value}` is no number of units: use 1 or more"))?;
        }
        "order" => options.order = parsed(value)?,
        "id-space" => {
            let ids = value.parse();
            let wrong = |_| format!("`{value}` is no number of ids: use 1 or more");
            options.bounds.ids = ids.map_err(wrong)?;
        }
        "degree-bound" => {
            let degree = value.parse();
            let wrong = |_| format!("`{value}` is no number of neighbours: use 1 or more");
            options.bounds.degree = degree.map_err(wrong)?;
        }
        "as-printed" => options.as_printed = Some(parsed(value)?),
        "burst" => options.limiter.burst = burst(value)?,
        _ => {
            return Err(format!(
                "unknown option `{name}`: use residual, groups, admission, k, order, id-space, \
                 degree-bound, as-printed or burst"
            ));
        }
    }
    Ok(())
}

fn parsed<T: FromStr<Err: ToString>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
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
