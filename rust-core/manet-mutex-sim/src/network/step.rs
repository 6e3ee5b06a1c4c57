//! What can happen next, as data and as text.

use super::pair::{Knowledge, Mishap};
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Role, TimerId};
use std::fmt;
use std::str::FromStr;

/// One thing that happens in a network. Traces of the model checker, recorded runs of the
/// simulator and scenario files are lists of these.
///
/// | text | step |
/// |---|---|
/// | `req 1`, `req 1 g2`, `req 1 u3p5` | node 1 requests: exclusively, group 2, 3 units at priority 5 |
/// | `rel 1` | node 1 releases |
/// | `rcv 0>1` | node 1 receives the oldest message from node 0 |
/// | `new 0-1` | a new incarnation of the link begins |
/// | `upe 0-1`, `upe 0-1 m` | it comes up at node 0, which is static (the default for the smaller id) or moving |
/// | `dne 0-1 k`, `dne 0-1 d` | it goes down at node 0, which knows (k) or doubts (d) what became of its messages |
/// | `res 0-1` | node 0 learns what became of the messages it doubted |
/// | `tmr 1 0` | timer 0 of node 1 runs out |
/// | `ovt 0>1 2` | of what node 0 sent to node 1, the third oldest comes first (routing without a transport) |
/// | `los 0>1`, `dbl 0>1` | the oldest is lost, or comes once more after the others |
/// | `crash 1` | node 1 falls silent for ever |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The application at a node requests.
    Request(NodeId, Demand),
    /// The application at a node releases.
    Release(NodeId),
    /// A node receives the oldest message from a peer.
    Receive {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
    },
    /// A new incarnation of a link begins.
    New(NodeId, NodeId),
    /// A link comes up at a node.
    Up {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
        /// The node's part.
        role: Role,
    },
    /// A link goes down at a node.
    Down {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
        /// What it knows of the messages it sent last.
        knowledge: Knowledge,
    },
    /// A node learns what became of the messages to a peer that it doubted.
    Resolve {
        /// Who learns.
        node: NodeId,
        /// To whom they were sent.
        peer: NodeId,
    },
    /// A timer runs out.
    Timer(NodeId, TimerId),
    /// Routing does something to what is under way, which no transport mends.
    Mishap {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// What it does.
        mishap: Mishap,
    },
    /// A node falls silent for ever.
    Crash(NodeId),
}

impl Step {
    /// The default roles: the larger id is the one that came.
    pub fn default_role(node: NodeId, peer: NodeId) -> Role {
        if node < peer {
            Role::Static
        } else {
            Role::Moving
        }
    }

    /// The same thing told to both ends at once: `up a-b` and `dn a-b` of a scenario.
    pub fn both_up(a: NodeId, b: NodeId) -> [Self; 3] {
        let up = |node, peer| Self::Up {
            node,
            peer,
            role: Self::default_role(node, peer),
        };
        [Self::New(a, b), up(a, b), up(b, a)]
    }

    /// The same for a meeting with a node that moved.
    pub fn meeting(stays: NodeId, moves: NodeId) -> [Self; 3] {
        let up = |node, peer, role| Self::Up { node, peer, role };
        [
            Self::New(stays, moves),
            up(stays, moves, Role::Static),
            up(moves, stays, Role::Moving),
        ]
    }

    /// The link goes down at both ends, and both know what became of their messages.
    pub fn both_down(a: NodeId, b: NodeId) -> [Self; 2] {
        let down = |node, peer| Self::Down {
            node,
            peer,
            knowledge: Knowledge::Known,
        };
        [down(a, b), down(b, a)]
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Request(node, Demand::Exclusive) => write!(f, "req {node}"),
            Self::Request(node, Demand::Group(group)) => write!(f, "req {node} g{group}"),
            Self::Request(node, Demand::Units { count, priority }) => {
                write!(f, "req {node} u{count}p{priority}")
            }
            Self::Release(node) => write!(f, "rel {node}"),
            Self::Receive { from, to } => write!(f, "rcv {from}>{to}"),
            Self::New(a, b) => write!(f, "new {a}-{b}"),
            Self::Up { node, peer, role } if role == Self::default_role(node, peer) => {
                write!(f, "upe {node}-{peer}")
            }
            Self::Up {
                node,
                peer,
                role: Role::Moving,
            } => write!(f, "upe {node}-{peer} m"),
            Self::Up {
                node,
                peer,
                role: Role::Static,
            } => write!(f, "upe {node}-{peer} s"),
            Self::Down {
                node,
                peer,
                knowledge: Knowledge::Known,
            } => {
                write!(f, "dne {node}-{peer} k")
            }
            Self::Down {
                node,
                peer,
                knowledge: Knowledge::Doubt,
            } => {
                write!(f, "dne {node}-{peer} d")
            }
            Self::Resolve { node, peer } => write!(f, "res {node}-{peer}"),
            Self::Timer(node, id) => write!(f, "tmr {node} {}", id.0),
            Self::Mishap { from, to, mishap } => match mishap {
                Mishap::Overtakes(place) => write!(f, "ovt {from}>{to} {place}"),
                Mishap::Lost => write!(f, "los {from}>{to}"),
                Mishap::Doubled => write!(f, "dbl {from}>{to}"),
            },
            Self::Crash(node) => write!(f, "crash {node}"),
        }
    }
}

/// A line that is not a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a step: use req, rel, rcv, new, upe, dne, res, tmr, ovt, los, dbl or crash, as in \
     `rcv 0>1`"
)]
pub struct NotAStep(String);

impl FromStr for Step {
    type Err = NotAStep;

    fn from_str(text: &str) -> Result<Self, NotAStep> {
        parse(text).ok_or_else(|| NotAStep(text.trim().to_owned()))
    }
}

fn parse(text: &str) -> Option<Step> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let node = |word: &str| word.parse().ok().map(NodeId);
    let ends = |word: &str, mark: char| {
        let (a, b) = word.split_once(mark)?;
        let (a, b) = (node(a)?, node(b)?);
        (a != b).then_some((a, b))
    };
    Some(match *words.as_slice() {
        ["req", i] => Step::Request(node(i)?, Demand::Exclusive),
        ["req", i, demand] => Step::Request(node(i)?, parse_demand(demand)?),
        ["rel", i] => Step::Release(node(i)?),
        ["rcv", lane] => {
            let (from, to) = ends(lane, '>')?;
            Step::Receive { from, to }
        }
        ["new", link] => {
            let (a, b) = ends(link, '-')?;
            Step::New(a, b)
        }
        ["upe", link, ref role @ ..] => {
            let (node, peer) = ends(link, '-')?;
            let role = match role {
                [] => Step::default_role(node, peer),
                ["m"] => Role::Moving,
                ["s"] => Role::Static,
                _ => return None,
            };
            Step::Up { node, peer, role }
        }
        ["dne", link, knowledge] => {
            let (node, peer) = ends(link, '-')?;
            let knowledge = match knowledge {
                "k" => Knowledge::Known,
                "d" => Knowledge::Doubt,
                _ => return None,
            };
            Step::Down {
                node,
                peer,
                knowledge,
            }
        }
        ["res", link] => {
            let (node, peer) = ends(link, '-')?;
            Step::Resolve { node, peer }
        }
        ["tmr", i, id] => {
            let id = id.parse().ok().filter(|&id| id < TimerId::LIMIT)?;
            Step::Timer(node(i)?, TimerId(id))
        }
        ["ovt", lane, place] => mishap(ends(lane, '>')?, Mishap::Overtakes(place.parse().ok()?)),
        ["los", lane] => mishap(ends(lane, '>')?, Mishap::Lost),
        ["dbl", lane] => mishap(ends(lane, '>')?, Mishap::Doubled),
        ["crash", i] => Step::Crash(node(i)?),
        _ => return None,
    })
}

const fn mishap((from, to): (NodeId, NodeId), mishap: Mishap) -> Step {
    Step::Mishap { from, to, mishap }
}

fn parse_demand(text: &str) -> Option<Demand> {
    if let Some(group) = text.strip_prefix('g') {
        return Some(Demand::Group(group.parse().ok()?));
    }
    let (count, priority) = text.strip_prefix('u')?.split_once('p')?;
    Some(Demand::Units {
        count: count.parse().ok()?,
        priority: priority.parse().ok()?,
    })
}
