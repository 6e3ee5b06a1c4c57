//! What has to happen somewhere: without it, checks that nothing goes wrong say nothing.

use crate::network::{Lane, Observer};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Cargo, Event, Fate, Message, Outcome};

/// Something that has to happen in at least one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sometimes {
    /// A node enters.
    Entered,
    /// All requests have been made, and all who made them have entered and left.
    AllServed,
    /// Several nodes are inside.
    Together,
    /// A node receives the token.
    TokenMoved,
    /// A link comes up or begins to go down.
    LinkChanged,
    /// A plain message is lost with its link.
    PlainLost,
    /// An ownership message comes back when its link goes down.
    Returned,
    /// The sender of an ownership message is in doubt about it.
    InDoubt,
    /// A doubt is resolved: the message was delivered.
    ResolvedDelivered,
    /// A doubt is resolved: the message comes back.
    ResolvedReturned,
    /// A node crashes.
    Crashed,
    /// A message overtakes another.
    Overtaken,
}

impl Sometimes {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 12] = [
        (Self::Entered, "somebody enters"),
        (Self::AllServed, "every requester enters"),
        (Self::Together, "several are inside together"),
        (Self::TokenMoved, "the token moves"),
        (Self::LinkChanged, "a link changes"),
        (Self::PlainLost, "a plain message is lost"),
        (Self::Returned, "an ownership message is returned"),
        (Self::InDoubt, "an ownership message is in doubt"),
        (Self::ResolvedDelivered, "a doubt is resolved as delivered"),
        (Self::ResolvedReturned, "a doubt is resolved as returned"),
        (Self::Crashed, "a node crashes"),
        (Self::Overtaken, "a message overtakes another"),
    ];
}

/// A set of [`Sometimes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u16);

impl Seen {
    /// Adds `what` if it happened.
    pub const fn add_if(&mut self, what: Sometimes, happened: bool) {
        if happened {
            self.0 |= 1 << what as u16;
        }
    }

    /// Adds all of another set.
    pub const fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether it is in the set.
    pub const fn has(self, what: Sometimes) -> bool {
        self.0 & 1 << what as u16 != 0
    }

    /// The names of those in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let within = move |&(what, _): &(Sometimes, _)| self.has(what);
        Sometimes::ALL
            .into_iter()
            .filter(within)
            .map(|(_, name)| name)
    }
}

/// Notes what happens during one move.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    pub(super) seen: Seen,
}

impl<M: Message> Observer<M> for Watch {
    fn event(&mut self, _: NodeId, event: &Event<M>) {
        match event {
            Event::Message { msg, .. } => {
                let token = matches!(msg.cargo(), Cargo::Token { .. });
                self.seen.add_if(Sometimes::TokenMoved, token);
            }
            Event::LinkDown { unacked, .. } => {
                for (_, fate) in unacked {
                    let (returned, doubt) = (*fate == Fate::Returned, *fate == Fate::InDoubt);
                    self.seen.add_if(Sometimes::Returned, returned);
                    self.seen.add_if(Sometimes::InDoubt, doubt);
                }
            }
            Event::Resolved { outcome, .. } => {
                let returned = *outcome == Outcome::Returned;
                self.seen.add_if(Sometimes::ResolvedReturned, returned);
                self.seen.add_if(Sometimes::ResolvedDelivered, !returned);
            }
            _ => {}
        }
    }

    fn action(&mut self, _: NodeId, action: &Action<M>, _: Option<Lane>) {
        let entered = matches!(action, Action::Enter(_));
        self.seen.add_if(Sometimes::Entered, entered);
    }
}
