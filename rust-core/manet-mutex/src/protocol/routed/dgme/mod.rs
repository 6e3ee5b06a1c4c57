//! `dgme`: group mutual exclusion with one token among sessions, which are servers.
//!
//! Source: Ousmane Thiare, Mohamed Naimi, Mourad Gueroui, *Distributed Groups Mutual Exclusion
//! Based on Dynamical Data Structures*, cited as `[DGME rule]`.
//!
//! # System model
//! Processes want to be in sessions; processes in one session may be there together. Processes and
//! sessions can send to each other; messages are delivered exactly once, in any order. Nothing
//! fails. Here every node is a process, and session x is an object at its *home*, the node
//! x mod n. What a node says to itself happens at once and is no message.
//!
//! # Messages
//! | message | from | to | means |
//! |---|---|---|---|
//! | `OPEN` | process | session | let me in |
//! | `OK` | session | process | you are in |
//! | `REL` | process | session | I am out |
//! | `REQ` | session | session | a session wants the token |
//! | `TOKEN` | session | session | the token |
//!
//! # Rules
//! Sessions pass the token among themselves as the nodes of [`super::naimi_trehel`] do, `Leader`
//! being `last`. The session with the token lets processes in until another session asks (`Next`);
//! from then on newcomers wait in `RS`, and when the last process has left (`Nrel`), the token goes
//! on. Rules 1 to 3 are those of a process, 4 to 7 those of a session.
//!
//! # Cost
//! `OPEN`, `OK` and `REL` for each entry, and for each change of session a `TOKEN` and O(log m)
//! `REQ` among m sessions, shared by all that enter then. From the last exit of a session to the
//! first entry of the next: `REL`, `TOKEN`, `OK`, three messages.
//!
//! # Deviations from the paper
//! * Four operators between conditions are lost in print ([`Operators`]). All of them have to be
//!   AND: with any other choice two sessions are open together or a message goes to nobody (G1).
//! * `REQ` of rule 4 is printed without a name; without one nobody knows whom to send the token
//!   (G5).
//! * Lemma 9 holds in one direction only: a session may have a `Next` while nobody waits for it
//!   (G2).
//! * Theorem 10 and the count of messages leave out `OPEN`, `OK` and `REL`: three message times
//!   from one session to the next, not two, and three messages more for each entry (G3, G4).
//! * What sections 3.3 and 3.4 say of broadcasts along a tree contradicts the rules and is left
//!   out (G6).
//! * Messages must not be lost or doubled, nodes must not fail, as the paper assumes; see
//!   [`crate::transport`] for the former (G7). A crash of a home with the token or of a process in
//!   a session stops everything (G8).
//! * A process takes `OK` only while it waits for that session; rule 2 takes any.

mod operators;
mod session;

pub use operators::{BadOperators, Operators};
pub use session::Session;

use super::self_sent;
use crate::demand::{Demand, Demands};
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Cargo, Event, Message, Protocol, ProtocolError, Reach};
use crate::promise::{Custody, Promise, Scope};
use crate::protocol::gme::Groups;
use crate::protocol::{Population, PopulationError, check_member};
use crate::wire::{Tag, WireMessage};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What `dgme` says to a process or a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DgmeMessage {
    /// The sender's process wants to be in this session.
    Open(u32),
    /// The receiver's process is in this session.
    Ok(u32),
    /// The sender's process has left this session.
    Rel(u32),
    /// A session wants the token.
    Req {
        /// The session that is asked.
        at: u32,
        /// The session that asks.
        by: u32,
    },
    /// The token, for this session.
    Token(u32),
}

impl Message for DgmeMessage {
    fn kind(&self) -> &'static str {
        match self {
            Self::Open(_) => "OPEN",
            Self::Ok(_) => "OK",
            Self::Rel(_) => "REL",
            Self::Req { .. } => "REQ",
            Self::Token(_) => "TOKEN",
        }
    }

    fn cargo(&self) -> Cargo {
        match self {
            Self::Token(_) => Cargo::Token { units: 0 },
            _ => Cargo::Nothing,
        }
    }
}

/// Messages of `dgme` as bytes.
///
/// | bytes after version and tag | message |
/// |---|---|
/// | `00` session | `OPEN` |
/// | `01` session | `OK` |
/// | `02` session | `REL` |
/// | `03` session session | `REQ`: who is asked, who asks |
/// | `04` session | `TOKEN` |
///
/// A session is a number of at most 5 bytes.
impl WireMessage for DgmeMessage {
    const TAG: Tag = Tag::new(6, Dgme::NAME);
}

/// Constants of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// How many sessions there are.
    pub groups: Groups,
    /// The operators of the rules, to see the other ones fail.
    pub operators: Operators,
}

/// One node: a process, and the sessions at home here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dgme {
    me: NodeId,
    nodes: u32,
    groups: u32,
    operators: Operators,
    /// `CS`: the session that the process waits for or is in.
    wanted: Option<u32>,
    /// `Open_Session`.
    inside: bool,
    /// Sessions me, me + n, me + 2 n, ...
    sessions: Vec<Session>,
}

/// What a node says: to others, and to itself.
#[derive(Debug)]
struct Said<'a> {
    out: &'a mut Actions<DgmeMessage>,
    here: VecDeque<DgmeMessage>,
}

impl Dgme {
    /// A node of so many, which must not be 0. Session 0 has the token.
    pub fn new(me: NodeId, nodes: u32, config: &Config) -> Self {
        let groups = config.groups.count();
        let own = (me.0..groups).step_by(nodes.max(1) as usize);
        Self {
            me,
            nodes,
            groups,
            operators: config.operators,
            wanted: None,
            inside: false,
            sessions: own.map(Session::new).collect(),
        }
    }

    /// The sessions at home here.
    pub fn sessions(&self) -> &[Session] {
        &self.sessions
    }

    /// The session that the process waits for or is in, and whether it is in.
    pub const fn process(&self) -> (Option<u32>, bool) {
        (self.wanted, self.inside)
    }

    const fn home(&self, session: u32) -> NodeId {
        NodeId(session % self.nodes)
    }

    fn say(&self, to: NodeId, msg: DgmeMessage, said: &mut Said<'_>) {
        if to == self.me {
            said.here.push_back(msg);
        } else {
            said.out.send(to, msg);
        }
    }

    /// How many messages a node says to itself because of one event, at most: an OPEN or REL,
    /// a TOKEN that leaves, a REQ once at each session, as leaders are a tree, the TOKEN that
    /// answers it, and an OK. Forged messages can make a circle of the leaders.
    const fn most_handed_over(&self) -> usize {
        self.sessions.len() + 4
    }

    /// [DGME rule 1].
    fn request(&mut self, session: u32, said: &mut Said<'_>) -> Result<(), ProtocolError> {
        if self.wanted.is_some() {
            return Err(self.misuse("requested while waiting or inside: release first"));
        }
        self.wanted = Some(session);
        self.say(self.home(session), DgmeMessage::Open(session), said);
        Ok(())
    }

    /// [DGME rule 3].
    fn release(&mut self, said: &mut Said<'_>) -> Result<(), ProtocolError> {
        let Some(session) = self.wanted.filter(|_| self.inside) else {
            return Err(self.misuse("released while not inside: wait for Enter"));
        };
        (self.wanted, self.inside) = (None, false);
        self.say(self.home(session), DgmeMessage::Rel(session), said);
        Ok(())
    }

    fn receive(
        &mut self,
        from: NodeId,
        msg: DgmeMessage,
        said: &mut Said<'_>,
    ) -> Result<(), ProtocolError> {
        let at = match msg {
            DgmeMessage::Ok(session) => {
                self.entered(session, said);
                return Ok(());
            }
            DgmeMessage::Open(at)
            | DgmeMessage::Rel(at)
            | DgmeMessage::Req { at, .. }
            | DgmeMessage::Token(at) => at,
        };
        if from.0 >= self.nodes {
            return Err(self.broken("heard of a node that does not exist"));
        }
        let (groups, operators) = (self.groups, self.operators);
        let here = at < groups && self.home(at) == self.me;
        let session = self.sessions.get_mut((at / self.nodes) as usize);
        let Some(session) = session.filter(|_| here) else {
            return Err(self.broken("was sent a message for a session that is not here"));
        };
        let mut sent = Vec::new();
        let done = match msg {
            DgmeMessage::Open(_) => session.open(from, operators, &mut sent),
            DgmeMessage::Rel(_) => session.rel(operators, &mut sent),
            DgmeMessage::Req { by, .. } if by >= groups => Err("was asked by no session"),
            DgmeMessage::Req { by, .. } => session.req(by, operators, &mut sent),
            DgmeMessage::Token(_) | DgmeMessage::Ok(_) => session.token(&mut sent),
        };
        for post in sent {
            let (to, msg) = match post {
                session::Post::Ok(process) => (process, DgmeMessage::Ok(at)),
                session::Post::Req { at, by } => (self.home(at), DgmeMessage::Req { at, by }),
                session::Post::Token(to) => (self.home(to), DgmeMessage::Token(to)),
            };
            self.say(to, msg, said);
        }
        done.map_err(|what| self.broken(what))
    }

    /// [DGME rule 2].
    fn entered(&mut self, session: u32, said: &mut Said<'_>) {
        if self.wanted == Some(session) && !self.inside {
            self.inside = true;
            said.out.push(Action::Enter(Demand::Group(session)));
        }
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        let node = self.me;
        ProtocolError::Misuse { node, what }
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        let node = self.me;
        ProtocolError::Broken { node, what }
    }
}

impl Protocol for Dgme {
    const NAME: &'static str = "dgme";
    const REACH: Reach = Reach::Anyone;
    type Message = DgmeMessage;

    fn id(&self) -> NodeId {
        self.me
    }

    fn handle(
        &mut self,
        event: Event<DgmeMessage>,
        out: &mut Actions<DgmeMessage>,
    ) -> Result<(), ProtocolError> {
        let mut said = Said {
            out,
            here: VecDeque::new(),
        };
        let mut done = match event {
            Event::Request(Demand::Group(session)) if session < self.groups => {
                self.request(session, &mut said)
            }
            Event::Request(demand) => Err(ProtocolError::Refused {
                protocol: Self::NAME,
                demand,
                hint: "ask for one of the groups there are",
            }),
            Event::Release => self.release(&mut said),
            Event::Message { from, .. } if from == self.me => Err(self_sent(self.me)),
            Event::Message { from, msg } => self.receive(from, msg, &mut said),
            // Routing hides the links.
            Event::Start
            | Event::LinkUp { .. }
            | Event::LinkDown { .. }
            | Event::Resolved { .. }
            | Event::Timer(_) => Ok(()),
        };
        let mut left = self.most_handed_over();
        while let Some(msg) = said.here.pop_front() {
            if left == 0 {
                return done.and(Err(self.broken("its sessions ask each other in a circle")));
            }
            left -= 1;
            done = done.and(self.receive(self.me, msg, &mut said));
        }
        done
    }
}

impl Population for Dgme {
    type Config = Config;

    fn demands(config: &Config) -> Demands {
        Demands::Groups(config.groups.count())
    }

    fn promise(_: &Config) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::Server,
        }
    }

    fn settled(graph: &Graph, config: &Config) -> Result<Vec<Self>, PopulationError> {
        graph.distances_from_zero()?;
        Self::apart(graph.len(), config)
    }

    fn founding(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, NodeId::from_index(nodes).0, config))
    }

    /// Refused. The sessions at home here are forgotten, with their leaders and the processes in
    /// them, and a session elsewhere waits for ever for a process that was in it.
    fn rejoining(id: NodeId, nodes: usize, _: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Err(PopulationError::NoRestart {
            protocol: Self::NAME,
            lost: "its sessions and the session it was in",
        })
    }
}

#[cfg(feature = "forge")]
impl Dgme {
    /// The first session at home here, to change it.
    pub fn forge_session(&mut self) -> &mut Session {
        self.sessions
            .first_mut()
            .expect("a session is at home here")
    }
}
