//! From text to commands.

use super::setup::{self, Setup};
use super::{Scenario, ScenarioError};
use crate::network::Step;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::registry::{NAMES, Options, UnknownProtocol};
use std::fmt;

/// A line that is not part of the trace.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Counted from 1.
    pub(super) number: usize,
    /// As it stands in the file.
    pub(super) text: String,
    /// Empty for comments, blank lines and the header.
    pub(super) commands: Vec<Command>,
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Step(Step),
    Up(NodeId, NodeId),
    Down(NodeId, NodeId),
    /// Everything, or this many messages.
    Deliver(Option<usize>),
    /// Of all nodes, or of one.
    State(Option<NodeId>),
    Expect(Expect),
}

/// What must be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expect {
    Inside(Vec<NodeId>),
    Waiting(Vec<NodeId>),
    Holder(Option<NodeId>),
    Quiet,
    Stuck,
    Violation(String),
    Error(String),
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(step) => step.fmt(f),
            Self::Up(a, b) => write!(f, "up {a}-{b}"),
            Self::Down(a, b) => write!(f, "dn {a}-{b}"),
            Self::Deliver(None) => write!(f, "deliver"),
            Self::Deliver(Some(count)) => write!(f, "deliver {count}"),
            Self::State(None) => write!(f, "state"),
            Self::State(Some(node)) => write!(f, "state {node}"),
            Self::Expect(expect) => write!(f, "expect {expect}"),
        }
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inside(nodes) => write!(f, "inside {}", names(nodes)),
            Self::Waiting(nodes) => write!(f, "waiting {}", names(nodes)),
            Self::Holder(node) => write!(f, "holder {}", names(node.as_slice())),
            Self::Quiet => write!(f, "quiet"),
            Self::Stuck => write!(f, "stuck"),
            Self::Violation(words) => write!(f, "violation {words}"),
            Self::Error(words) => write!(f, "error {words}"),
        }
    }
}

/// Nodes as `expect` lines have them.
pub(super) fn names(nodes: &[NodeId]) -> String {
    if nodes.is_empty() {
        return "nobody".to_owned();
    }
    let names: Vec<String> = nodes.iter().map(NodeId::to_string).collect();
    names.join(" ")
}

/// Reads a whole file.
pub(super) fn scenario(text: &str) -> Result<Scenario, ScenarioError> {
    let mut header = Header::default();
    let mut lines = Vec::new();
    let mut nodes = None;
    for (number, text) in (1..).zip(text.lines()) {
        let words = content(text);
        if !words.is_empty() && text.starts_with(char::is_whitespace) {
            continue; // the trace
        }
        let at = |what: String| ScenarioError::at(number, what);
        let mut commands = Vec::new();
        if words.is_empty() {
        } else if Header::has(words) {
            if nodes.is_some() {
                return Err(at(format!(
                    "`{words}` comes too late: put it before the steps"
                )));
            }
            header.read(words).map_err(at)?;
        } else {
            let nodes = match nodes {
                Some(nodes) => nodes,
                None => *nodes.insert(header.nodes()?),
            };
            commands = self::commands(words, nodes).map_err(at)?;
        }
        let text = text.to_owned();
        lines.push(Line {
            number,
            text,
            commands,
        });
    }
    let setup = header.finish()?;
    Ok(Scenario { setup, lines })
}

/// A line without its comment.
fn content(text: &str) -> &str {
    text.split('#').next().unwrap_or_default().trim()
}

/// The header as far as it has been read.
#[derive(Debug, Default)]
struct Header {
    protocol: Option<String>,
    graph: Option<Graph>,
    options: Options,
}

const PROTOCOL: ScenarioError = ScenarioError::Missing("protocol", "protocol rl");
const TOPOLOGY: ScenarioError = ScenarioError::Missing("topology", "topology path:3");

impl Header {
    fn has(words: &str) -> bool {
        let first = words.split_whitespace().next();
        matches!(first, Some("protocol" | "topology" | "option"))
    }

    fn read(&mut self, line: &str) -> Result<(), String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match *words.as_slice() {
            ["protocol", name] => {
                if !NAMES.contains(&name) {
                    return Err(UnknownProtocol(name.to_owned()).to_string());
                }
                set_once(&mut self.protocol, name.to_owned(), "protocol")
            }
            ["topology", shape] => set_once(&mut self.graph, setup::topology(shape)?, "topology"),
            ["option", name, value] => setup::set_option(&mut self.options, name, value),
            ["protocol", ..] => Err(format!("`{line}`: write `protocol` and one name")),
            ["topology", ..] => Err(format!(
                "`{line}`: write `topology` and one shape without blanks, as in `0-1,1-2`"
            )),
            _ => Err(format!("`{line}`: write `option`, its name and its value")),
        }
    }

    fn nodes(&self) -> Result<usize, ScenarioError> {
        if self.protocol.is_none() {
            return Err(PROTOCOL);
        }
        Ok(self.graph.as_ref().ok_or(TOPOLOGY)?.len())
    }

    fn finish(self) -> Result<Setup, ScenarioError> {
        Ok(Setup {
            protocol: self.protocol.ok_or(PROTOCOL)?,
            graph: self.graph.ok_or(TOPOLOGY)?,
            options: self.options,
        })
    }
}

fn set_once<T>(place: &mut Option<T>, value: T, what: &str) -> Result<(), String> {
    if place.replace(value).is_some() {
        return Err(format!("a second `{what}` line: keep one"));
    }
    Ok(())
}

fn commands(line: &str, nodes: usize) -> Result<Vec<Command>, String> {
    if let Some(rest) = keyword(line, "expect") {
        return Ok(vec![Command::Expect(expect(rest, nodes)?)]);
    }
    line.split(',').map(|part| command(part, nodes)).collect()
}

fn command(text: &str, nodes: usize) -> Result<Command, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends = |link: &str| {
        let both = link.split_once('-').and_then(|(a, b)| {
            let (a, b) = (NodeId(a.parse().ok()?), NodeId(b.parse().ok()?));
            (a != b).then_some((a, b))
        });
        both.ok_or_else(|| format!("`{link}` is no link: name two nodes, as in `0-1`"))
    };
    match *words.as_slice() {
        [] => Err("a step is missing beside a comma: remove the comma".to_owned()),
        ["up", link] => ends(link).map(|(a, b)| Command::Up(a, b)),
        ["dn", link] => ends(link).map(|(a, b)| Command::Down(a, b)),
        ["deliver"] => Ok(Command::Deliver(None)),
        ["deliver", count] => match count.parse() {
            Ok(count) => Ok(Command::Deliver(Some(count))),
            Err(_) => Err(format!("`{count}` is no number of messages to deliver")),
        },
        ["state"] => Ok(Command::State(None)),
        ["state", word] => Ok(Command::State(Some(node(word, nodes)?))),
        _ => text.parse().map(Command::Step).map_err(|_| {
            let step = text.trim();
            format!(
                "`{step}` is not a command: use req, rel, rcv, new, upe, dne, res, tmr, ovt, los, \
                 dbl, crash, up, dn, deliver, state or expect, as in `rcv 0>1`"
            )
        }),
    }
}

fn expect(text: &str, nodes: usize) -> Result<Expect, String> {
    let list = |words: &str| match words {
        "" => Err("name nodes after it, or `nobody`".to_owned()),
        "nobody" => Ok(Vec::new()),
        _ => {
            let list = words.split_whitespace().map(|word| node(word, nodes));
            let mut list = list.collect::<Result<Vec<_>, _>>()?;
            list.sort_unstable();
            list.dedup();
            Ok(list)
        }
    };
    if let Some(words) = keyword(text, "inside") {
        return list(words).map(Expect::Inside);
    }
    if let Some(words) = keyword(text, "waiting") {
        return list(words).map(Expect::Waiting);
    }
    if let Some(words) = keyword(text, "holder") {
        return match list(words)?.as_slice() {
            [] => Ok(Expect::Holder(None)),
            [one] => Ok(Expect::Holder(Some(*one))),
            _ => Err("only one node can be the holder".to_owned()),
        };
    }
    if let Some(words) = keyword(text, "violation").filter(|words| !words.is_empty()) {
        return Ok(Expect::Violation(words.to_owned()));
    }
    if let Some(words) = keyword(text, "error").filter(|words| !words.is_empty()) {
        return Ok(Expect::Error(words.to_owned()));
    }
    match text {
        "quiet" => Ok(Expect::Quiet),
        "stuck" => Ok(Expect::Stuck),
        _ => Err(format!(
            "cannot expect `{text}`: use inside, waiting or holder with nodes, violation or \
             error with words, quiet or stuck"
        )),
    }
}

fn node(word: &str, nodes: usize) -> Result<NodeId, String> {
    let id = word.parse().ok().map(NodeId);
    id.filter(|id| id.index() < nodes).ok_or_else(|| {
        let last = nodes.saturating_sub(1);
        format!("there is no node `{word}`: nodes are 0 to {last}")
    })
}

/// What follows `word` if the text begins with it.
fn keyword<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}
