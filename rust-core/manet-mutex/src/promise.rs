//! What a protocol promises.

/// What a protocol promises, for the checkers to hold it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Promise {
    /// Who may be inside together.
    pub scope: Scope,
    /// What a node must own to be inside.
    pub custody: Custody,
}

/// Who may be inside together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// In the whole network: those whose demands agree ([`Demand::shares_with`](crate::Demand::shares_with)).
    Global,
    /// In the whole network: as many as their units allow.
    Units {
        /// k.
        total: u64,
    },
    /// No two neighbours; what a neighbour is while a link forms is for the checker to say.
    Neighbours,
}

/// What a node must own to be inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Custody {
    /// Nothing that is counted.
    Nothing,
    /// The token.
    Token,
    /// The token or a share of the session's weight.
    TokenOrWeight,
    /// The units it was granted.
    Units,
    /// Nothing itself: a server that owns the token lets it in.
    Server,
}
