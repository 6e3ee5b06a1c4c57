//! What has to happen somewhere: without it, checks that nothing goes wrong say nothing.

/// Something that has to happen in at least one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sometimes {
    /// A message is delivered.
    Delivered,
    /// A message that was delivered comes again.
    Duplicate,
    /// A message is received before one that was sent earlier.
    Overtaken,
    /// A message is acknowledged.
    Acked,
    /// A message is told of as perhaps delivered.
    InDoubt,
    /// A message is told of as not sent.
    Unsent,
    /// A datagram of an earlier life of its sender is dropped.
    Stale,
    /// A datagram for an earlier life of its receiver is dropped.
    OtherLife,
}

impl Sometimes {
    /// All of them, with their names.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::Delivered, "a message is delivered"),
        (Self::Duplicate, "a message comes twice"),
        (Self::Overtaken, "a message overtakes another"),
        (Self::Acked, "a message is acknowledged"),
        (Self::InDoubt, "a message is in doubt after a restart"),
        (Self::Unsent, "a message is unsent after a restart"),
        (Self::Stale, "a datagram comes from an earlier life"),
        (Self::OtherLife, "a datagram is for an earlier life"),
    ];
}

/// A set of [`Sometimes`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen(u8);

impl Seen {
    /// Adds `what` if it happened.
    pub const fn add_if(&mut self, what: Sometimes, happened: bool) {
        if happened {
            self.0 |= 1 << what as u8;
        }
    }

    /// Adds all of another set.
    pub const fn merge(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether it is in the set.
    pub const fn has(self, what: Sometimes) -> bool {
        self.0 & 1 << what as u8 != 0
    }

    /// The names of those in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let within = move |&(what, _): &(Sometimes, _)| self.has(what);
        let all = Sometimes::ALL.into_iter();
        all.filter(within).map(|(_, name)| name)
    }
}
