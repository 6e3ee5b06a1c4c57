//! What frames say about a link.

use serde::Serialize;

/// How far a link has come, as one end sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing.
    Down,
    /// The peer is heard well enough.
    Heard,
    /// And hears this end.
    Sym,
    /// Both know that: messages flow.
    Up,
}

/// Counts the attempts of one end to have a link with a peer. It only ever grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Epoch(pub u64);

impl Epoch {
    /// The first one in a node's `life`; every restart of the node is a new life.
    pub const fn first(life: u16) -> Self {
        Self((life as u64) << 32)
    }

    pub(crate) const fn next(self) -> Self {
        // 2^32 attempts with one peer, each of some hellos, take longer than any network lives.
        Self(self.0.saturating_add(1))
    }
}

/// What decides who has to give way when two nodes meet, frozen for an epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Standing {
    /// The node is moving.
    pub moving: bool,
    /// The node is in its critical section.
    pub inside: bool,
}

/// The last word of an end about an incarnation that it has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Final {
    /// The epoch of the end that says this.
    pub mine: Epoch,
    /// The epoch of the other end.
    pub theirs: Epoch,
    /// How many messages the end that says this has received in it.
    pub received: u32,
}

/// How one end sees a peer, as its hellos tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// How far it thinks they are.
    pub state: State,
    /// Its epoch.
    pub mine: Epoch,
    /// The peer's epoch as far as it knows.
    pub theirs: Option<Epoch>,
    /// Its frozen standing; means nothing while `Down`.
    pub standing: Standing,
    /// How many messages it has received in this incarnation; 0 unless `Up`.
    pub ack: u32,
    /// It is in doubt about messages of an earlier incarnation.
    pub doubtful: bool,
    /// The final that the peer may still need.
    pub last: Option<Final>,
}
