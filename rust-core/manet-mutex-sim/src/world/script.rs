//! A recorded run as input: its links and requests, played again over ideal links.
//!
//! A script is JSON lines in time order, as [`super::trace`] or an ns-3 run writes them:
//!
//! ```text
//! {"t":0.25,"node":0,"event":"link_up","peer":1,"role":"static"}
//! {"t":0.26,"node":1,"event":"link_up","peer":0,"role":"moving"}
//! {"t":1.5,"node":1,"event":"request"}
//! {"t":7.0,"node":0,"event":"link_down","peer":1}
//! {"t":7.0,"node":1,"event":"link_down","peer":0}
//! ```
//!
//! Only what a world does not decide itself is taken from it: `link_up` and `link_down`, each for
//! one end, and `request` with `resource`, or `units` and `priority`, where it has them. All other
//! events and fields are passed over; their times still count for the order of lines and for the
//! end of the script. An end without `role` is what its peer is not, and of two without the node
//! with the larger id is the one that moves.
//!
//! A link begins when it comes up at an end while it is up at neither. The peer comes up later in
//! the same incarnation or, if the first end closes before, not at all. When an end closes, what
//! its peer has not received belongs to it again ([`Knowledge::Known`]).
//!
//! # Of one moment
//!
//! Nanoseconds are exact, so that much can happen in the same one. Requests come first: a host
//! plans them long before. Then comes what was planned on the way: messages, timers, releases. Link
//! events come last, since a message may be what opens or what precedes them: one that
//! arrives in the moment in which its receiver's end comes up is handed over right after that, and
//! one that arrives in the moment in which the end closes, right before. Inputs never overtake each
//! other: a request that stands behind a link event of the same moment waits with it.

use crate::network::{EndState, Knowledge, Step};
use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{ProtocolError, Role};
use manet_mutex::protocol::PopulationError;
use manet_mutex::time::Time;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, BufRead};

/// What a recorded run puts into a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    inputs: Vec<Input>,
    nodes: usize,
    end: Time,
}

/// One thing that happens from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// The line that says so, the first being 1.
    pub line: usize,
    /// When.
    pub at: Time,
    /// What: a request, or a link that begins, comes up or goes down.
    pub step: Step,
}

/// Why a script cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// A line is wrong.
    #[error("line {line}: {fault}")]
    At {
        /// Which, the first being 1.
        line: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// Nothing to do.
    #[error(
        "no link_up, link_down or request in it: use a recorded run as `sim --trace` writes it"
    )]
    Empty,
    /// The protocol cannot start like this.
    #[error(transparent)]
    Population(#[from] PopulationError),
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Not text.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// Not an event.
    #[error("{0}: write one JSON object with `t`, `node` and `event`")]
    NotAnEvent(String),
    /// Beyond what a number holds to the nanosecond.
    #[error("t is {0}: use seconds from 0 to {LATEST}")]
    NoTime(f64),
    /// Out of order.
    #[error("t is {t}, before that of an earlier line ({before}): sort the lines by time")]
    Backwards {
        /// The line's time.
        t: Time,
        /// The time of a line before it.
        before: Time,
    },
    /// A node that there is not.
    #[error("there is no node {node} among {nodes}: numbers start at 0, --nodes gives more nodes")]
    UnknownNode {
        /// The node.
        node: NodeId,
        /// How many there are.
        nodes: usize,
    },
    /// A link event without its other end.
    #[error("a link event needs a peer: add the node at the other end")]
    NoPeer,
    /// A link from a node to itself.
    #[error("node {0} has a link to itself: the peer must be another node")]
    OwnPeer(NodeId),
    /// Two kinds of demand in one.
    #[error("a request is for a resource or for units, not for both: leave one out")]
    MixedDemand,
    /// It is up there already.
    #[error("the link to {peer} is up at node {node} already: a link_down comes first")]
    UpTwice {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
    },
    /// The last incarnation is not over.
    #[error(
        "the link to {peer} cannot begin anew at node {node}: it is still up at node {peer}, where \
         a link_down comes first"
    )]
    StillUp {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
    },
    /// It is not up there.
    #[error("the link to {peer} is not up at node {node}: a link_up comes first")]
    NotUp {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
    },
    /// Both ends moved, or none.
    #[error("nodes {node} and {peer} have the same role: one end of a link is static, one moving")]
    SameRole {
        /// Where.
        node: NodeId,
        /// The other end.
        peer: NodeId,
    },
    /// The protocol has no such demand.
    #[error(transparent)]
    Refused(ProtocolError),
}

/// Up to here a time in seconds has its nanoseconds right.
const LATEST: f64 = 1e6;

/// A larger id is more likely a slip than a network; `--nodes` allows for more.
const MOST_NODES: usize = 1 << 20;

impl Script {
    /// Reads a script for so many nodes, or as many as occur in it.
    ///
    /// # Errors
    /// If a line cannot be read or cannot happen, or there is no input at all.
    pub fn read(lines: impl BufRead, nodes: Option<usize>) -> Result<Self, ScriptError> {
        let mut reader = Reader {
            limit: nodes.unwrap_or(MOST_NODES),
            ..Reader::default()
        };
        for (number, line) in (1..).zip(lines.lines()) {
            let taken = line
                .map_err(Fault::Unreadable)
                .and_then(|line| reader.line(number, &line));
            taken.map_err(|fault| ScriptError::At {
                line: number,
                fault,
            })?;
        }
        if reader.inputs.is_empty() {
            return Err(ScriptError::Empty);
        }
        Ok(Self {
            inputs: reader.inputs,
            nodes: nodes.unwrap_or(reader.nodes),
            end: reader.now,
        })
    }

    /// What happens, in order.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// How many nodes there are.
    pub const fn nodes(&self) -> usize {
        self.nodes
    }

    /// The time of the last line.
    pub const fn end(&self) -> Time {
        self.end
    }
}

/// What there is to know while a script is read.
#[derive(Debug, Default)]
struct Reader {
    inputs: Vec<Input>,
    links: BTreeMap<[NodeId; 2], Link>,
    /// Ids are below.
    limit: usize,
    /// As many as have occurred.
    nodes: usize,
    now: Time,
}

/// A link as the lines so far have left it.
#[derive(Debug)]
struct Link {
    ends: [EndState; 2],
    /// The role of the end that came up first.
    first: Role,
}

/// What every line has.
#[derive(Debug, Deserialize)]
struct Head<'a> {
    t: f64,
    #[serde(borrow)]
    event: Cow<'a, str>,
}

/// What the lines have that matter.
#[derive(Debug, Deserialize)]
struct Body {
    node: NodeId,
    peer: Option<NodeId>,
    role: Option<Role>,
    resource: Option<u32>,
    units: Option<u32>,
    priority: Option<u32>,
}

impl Reader {
    fn line(&mut self, number: usize, text: &str) -> Result<(), Fault> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let head: Head<'_> = parse(text)?;
        self.advance(head.t)?;
        let steps = match &*head.event {
            "request" => self.request(&parse(text)?)?,
            "link_up" => self.up(&parse(text)?)?,
            "link_down" => self.down(&parse(text)?)?,
            _ => Vec::new(),
        };
        let at = self.now;
        self.inputs.extend(steps.into_iter().map(|step| Input {
            line: number,
            at,
            step,
        }));
        Ok(())
    }

    fn advance(&mut self, seconds: f64) -> Result<(), Fault> {
        if !(0.0..=LATEST).contains(&seconds) {
            return Err(Fault::NoTime(seconds));
        }
        let (t, before) = (Time::from_secs(seconds), self.now);
        if t < before {
            return Err(Fault::Backwards { t, before });
        }
        self.now = t;
        Ok(())
    }

    fn request(&mut self, body: &Body) -> Result<Vec<Step>, Fault> {
        let node = self.known(body.node)?;
        let demand = match (body.resource, body.units) {
            (None, None) => Demand::Exclusive,
            (Some(group), None) => Demand::Group(group),
            (None, Some(count)) => Demand::Units {
                count,
                priority: body.priority.unwrap_or(0),
            },
            (Some(_), Some(_)) => return Err(Fault::MixedDemand),
        };
        Ok(vec![Step::Request(node, demand)])
    }

    fn up(&mut self, body: &Body) -> Result<Vec<Step>, Fault> {
        let (node, peer) = self.ends(body)?;
        let role = body.role.unwrap_or(Step::default_role(node, peer));
        let (pair, end) = place(node, peer);
        let link = self.links.entry(pair).or_insert(Link {
            ends: [EndState::Closed; 2],
            first: role,
        });
        match (link.ends[end], link.ends[1 - end]) {
            (EndState::Up, _) => Err(Fault::UpTwice { node, peer }),
            (EndState::Pending, _) => {
                link.ends[end] = EndState::Up;
                let role = body.role.unwrap_or(opposite(link.first));
                if role == link.first {
                    return Err(Fault::SameRole { node, peer });
                }
                Ok(vec![Step::Up { node, peer, role }])
            }
            (EndState::Closed, EndState::Closed) => {
                link.ends[end] = EndState::Up;
                link.ends[1 - end] = EndState::Pending;
                link.first = role;
                let begin = Step::New(pair[0], pair[1]);
                Ok(vec![begin, Step::Up { node, peer, role }])
            }
            (EndState::Closed, _) => Err(Fault::StillUp { node, peer }),
        }
    }

    fn down(&mut self, body: &Body) -> Result<Vec<Step>, Fault> {
        let (node, peer) = self.ends(body)?;
        let (pair, end) = place(node, peer);
        let up = |link: &&mut Link| link.ends[end] == EndState::Up;
        let Some(link) = self.links.get_mut(&pair).filter(up) else {
            return Err(Fault::NotUp { node, peer });
        };
        let close = |node, peer| Step::Down {
            node,
            peer,
            knowledge: Knowledge::Known,
        };
        let mut steps = vec![close(node, peer)];
        if link.ends[1 - end] == EndState::Pending {
            // It never comes up: a link_up there would be that of the next incarnation.
            link.ends[1 - end] = EndState::Closed;
            steps.push(close(peer, node));
        }
        link.ends[end] = EndState::Closed;
        Ok(steps)
    }

    fn ends(&mut self, body: &Body) -> Result<(NodeId, NodeId), Fault> {
        let node = self.known(body.node)?;
        let peer = self.known(body.peer.ok_or(Fault::NoPeer)?)?;
        if node == peer {
            return Err(Fault::OwnPeer(node));
        }
        Ok((node, peer))
    }

    fn known(&mut self, node: NodeId) -> Result<NodeId, Fault> {
        if node.index() >= self.limit {
            let nodes = self.limit;
            return Err(Fault::UnknownNode { node, nodes });
        }
        self.nodes = self.nodes.max(node.index() + 1);
        Ok(node)
    }
}

/// The two ends, smaller id first, and which of them the node is.
fn place(node: NodeId, peer: NodeId) -> ([NodeId; 2], usize) {
    ([node.min(peer), node.max(peer)], usize::from(node > peer))
}

const fn opposite(role: Role) -> Role {
    match role {
        Role::Static => Role::Moving,
        Role::Moving => Role::Static,
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Fault> {
    serde_json::from_str(text).map_err(|error| {
        // It counts lines within this one.
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        Fault::NotAnEvent(format!("{what} at column {}", error.column()))
    })
}
