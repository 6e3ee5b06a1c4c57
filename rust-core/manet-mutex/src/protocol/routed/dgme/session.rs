//! A session: the rules of a server, without knowing who is where.

use super::operators::Operators;
use crate::ids::NodeId;
use std::collections::BTreeSet;

/// A session, with the paper's variables.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Session {
    /// x.
    id: u32,
    /// `Leader`: the session that asked last as far as known; none at a root.
    leader: Option<u32>,
    /// `Next`: the session that gets the token after this one.
    next: Option<u32>,
    /// `HT`: the token is here.
    token: bool,
    /// `RS`: processes that wait.
    waiting: BTreeSet<NodeId>,
    /// `Nrel`: processes that were let in and have not left, as far as known.
    inside: u32,
}

/// What a session says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Post {
    Ok(NodeId),
    Req { at: u32, by: u32 },
    Token(u32),
}

/// What cannot be.
type Broken = &'static str;

const NOBODY: Broken = "had to send a request or the token to nobody";

impl Session {
    pub(super) fn new(id: u32) -> Self {
        Self {
            id,
            leader: (id != 0).then_some(0),
            next: None,
            token: id == 0,
            waiting: BTreeSet::new(),
            inside: 0,
        }
    }

    /// Its number.
    pub const fn id(&self) -> u32 {
        self.id
    }

    /// The session that asked last as far as known.
    pub const fn leader(&self) -> Option<u32> {
        self.leader
    }

    /// The session that gets the token after this one.
    pub const fn next(&self) -> Option<u32> {
        self.next
    }

    /// Whether the token is here.
    pub const fn has_token(&self) -> bool {
        self.token
    }

    /// Processes that wait.
    pub const fn waiting(&self) -> &BTreeSet<NodeId> {
        &self.waiting
    }

    /// Processes that were let in and have not left, as far as known.
    pub const fn inside(&self) -> u32 {
        self.inside
    }

    /// [DGME rule 4].
    pub(super) fn open(
        &mut self,
        process: NodeId,
        operators: Operators,
        sent: &mut Vec<Post>,
    ) -> Result<(), Broken> {
        if operators.admit.join(self.token, self.next.is_none()) {
            let inside = self.inside.checked_add(1);
            self.inside = inside.ok_or("let in more processes than there can be")?;
            sent.push(Post::Ok(process));
            return Ok(());
        }
        let none_waits = self.waiting.is_empty();
        self.waiting.insert(process);
        if operators.ask.join(self.next.is_none(), none_waits) {
            self.ask(sent)?;
        }
        Ok(())
    }

    /// [DGME rule 5].
    pub(super) fn req(
        &mut self,
        by: u32,
        operators: Operators,
        sent: &mut Vec<Post>,
    ) -> Result<(), Broken> {
        if by == self.id {
            return Err("was asked by itself");
        }
        match self.leader.replace(by) {
            Some(leader) => {
                let at = leader;
                sent.push(Post::Req { at, by });
            }
            None if operators.give.join(self.token, self.inside == 0) => {
                self.token = false;
                sent.push(Post::Token(by));
            }
            None => self.next = Some(by),
        }
        Ok(())
    }

    /// [DGME rule 6].
    pub(super) fn rel(&mut self, operators: Operators, sent: &mut Vec<Post>) -> Result<(), Broken> {
        self.inside = self
            .inside
            .checked_sub(1)
            .ok_or("was left by a process that was not in")?;
        if !operators.pass.join(self.inside == 0, self.next.is_some()) {
            return Ok(());
        }
        self.token = false;
        sent.push(Post::Token(self.next.take().ok_or(NOBODY)?));
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.ask(sent)
    }

    /// [DGME rule 7].
    pub(super) fn token(&mut self, sent: &mut Vec<Post>) -> Result<(), Broken> {
        if self.token {
            return Err("received a second token");
        }
        self.token = true;
        let waiting = std::mem::take(&mut self.waiting);
        self.inside = waiting.len() as u32;
        sent.extend(waiting.into_iter().map(Post::Ok));
        Ok(())
    }

    /// Becomes a root that waits for the token.
    fn ask(&mut self, sent: &mut Vec<Post>) -> Result<(), Broken> {
        let at = self.leader.take().ok_or(NOBODY)?;
        sent.push(Post::Req { at, by: self.id });
        Ok(())
    }
}

#[cfg(feature = "forge")]
forgeable!(Session {
    forge_next => next: Option<u32>,
    forge_token => token: bool,
    forge_waiting => waiting: BTreeSet<NodeId>,
    forge_inside => inside: u32,
});
