//! What has to happen somewhere: without it, checks that nothing goes wrong say nothing.

/// Something that has to happen in at least one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sometimes {
    /// The link is up at both ends.
    UpAtBoth,
    /// A second incarnation comes up.
    UpAgain,
    /// The end with the smaller id is told that it moves.
    SmallerMoves,
    /// The end with the larger id is told that it moves.
    LargerMoves,
    /// A message is delivered.
    Delivered,
    /// A message that was delivered comes again.
    Duplicate,
    /// A message brings up the end that it arrives at.
    Promoted,
    /// A message without acknowledgement is known to be delivered when its link closes.
    DeliveredAtClose,
    /// A message comes back when its link closes.
    ReturnedAtClose,
    /// A message is in doubt when its link closes.
    InDoubt,
    /// A doubt is resolved: the message was delivered.
    ResolvedDelivered,
    /// A doubt is resolved: the message comes back.
    ResolvedReturned,
    /// A doubt is resolved by a close of the peer.
    ByClose,
    /// A doubt is resolved by a hello of the peer.
    ByHello,
    /// A doubt is resolved through the relay.
    ByFlood,
}

impl Sometimes {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 15] = [
        (Self::UpAtBoth, "the link is up at both ends"),
        (Self::UpAgain, "a second incarnation comes up"),
        (Self::SmallerMoves, "the smaller id moves"),
        (Self::LargerMoves, "the larger id moves"),
        (Self::Delivered, "a message is delivered"),
        (Self::Duplicate, "a message comes twice"),
        (Self::Promoted, "a message brings an end up"),
        (Self::DeliveredAtClose, "a message is delivered at close"),
        (Self::ReturnedAtClose, "a message is returned at close"),
        (Self::InDoubt, "a message is in doubt"),
        (Self::ResolvedDelivered, "a doubt is resolved as delivered"),
        (Self::ResolvedReturned, "a doubt is resolved as returned"),
        (Self::ByClose, "a doubt is resolved by a close"),
        (Self::ByHello, "a doubt is resolved by a hello"),
        (Self::ByFlood, "a doubt is resolved through the relay"),
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
