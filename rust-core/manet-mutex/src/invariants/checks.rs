//! The list of all checks.

/// Declares [`Check`], its list, and the property that each check reports.
macro_rules! checks {
    ($($(#[$doc:meta])* $check:ident => $property:literal,)*) => {
        /// One check: a condition that is reported as a [`Violation`](super::Violation) when it
        /// does not hold. Several checks can report the same property.
        ///
        /// Every check has at least one state or run that it must refuse, in `check/refused`. A
        /// check without one does not compile.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Check {
            $($(#[$doc])* $check,)*
        }

        impl Check {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$check),*];

            /// The name under which it is reported.
            pub const fn property(self) -> &'static str {
                match self {
                    $(Self::$check => $property,)*
                }
            }
        }
    };
}

checks! {
    // Steps and machines.
    /// A step is possible in the state in which it is taken.
    Schedule => "schedule",
    /// A machine sends on links that are up at its end only.
    OpenLink => "send on an open link",
    /// What a protocol assumes about its peers holds.
    Assumption => "assumption",
    /// A driver keeps the contract of a machine.
    Contract => "contract",

    // Exclusion.
    /// A node enters only while it is outside.
    EnterOnce => "exclusion",
    /// The demands of all nodes inside agree.
    AgreeInside => "exclusion",
    /// The units held do not exceed k.
    UnitsInside => "exclusion",
    /// No two neighbours are inside.
    NeighboursInside => "exclusion",

    // The ledger.
    /// A node that sends a token owns one.
    SendToken => "custody",
    /// A node that sends units with the token owns them.
    SendTokenUnits => "custody",
    /// The token stays while weight is out.
    SendTokenAfterWeight => "custody",
    /// A node that sends units owns them.
    SendUnits => "custody",
    /// A node that sends weight owns it.
    SendWeight => "custody",
    /// A node that enters owns what its demand needs.
    EnterEntitled => "custody",
    /// A token that arrives was sent.
    GainToken => "one token",
    /// Units that arrive were sent.
    GainUnits => "conservation of units",
    /// Weight that arrives at the holder was issued.
    GainWeight => "conservation of weight",
    /// One token is held or under way.
    AuditToken => "one token",
    /// k units are held or under way.
    AuditUnits => "conservation of units",
    /// The weight issued is held or under way.
    AuditWeight => "conservation of weight",

    // Links.
    /// Messages are sent and received between link up and link down.
    LinkOpen => "messages between link up and link down",
    /// Messages of a link arrive once and in order.
    LinkOrder => "delivery once and in order",
    /// The sender is told of every ownership message that did not arrive.
    LinkLoss => "no ownership lost",
    /// What the sender is told of its messages is true.
    LinkTruth => "truth about messages",
    /// Incarnations of a link do not overlap and use new epochs.
    LinkApart => "incarnations apart",
    /// The ends of a link have different roles.
    LinkRoles => "complementary roles",

    // The transport.
    /// Messages of a transport arrive once.
    TransportOnce => "delivery exactly once",
    /// A message that was delivered is not reported as unsent.
    TransportUnsent => "nothing vanishes with a restart",
    /// The sender is told of every message that the peer's restart concerns.
    TransportTold => "nothing vanishes with a restart",

    // Restarts.
    /// A node starts again only after it stopped, in a larger life.
    Lives => "one life after the other",

    // Order and progress.
    /// Of two requests known to all the one with the smaller key enters first.
    Turns => "priority order",
    /// Nobody waits throughout the calm phase.
    Starvation => "starvation",
    /// Nobody waits forever in a network that delivers everything.
    Progress => "progress",
    /// A bounded number of events happens at one instant.
    Standstill => "time stands still",

    // Protocols on link reversal.
    /// A node waits exactly while its own request is in its queue.
    ReversalQueue => "local invariant",
    /// A node points to itself exactly while it holds the token.
    ReversalNext => "local invariant",
    /// The application knows the node's status.
    ReversalStatus => "local invariant",
    /// The token's height is the lowest.
    ReversalLowest => "token is lowest",
    /// In a quiet network every node but the holder has a lower neighbour.
    ReversalOriented => "token oriented",
    /// In a quiet network at most one end of a link sees the other below.
    ReversalDirections => "directions",
    /// `rl`: a node inside holds the token.
    RlInside => "local invariant",
    /// `rl`: the queue of an idle holder is empty.
    RlIdleHolder => "local invariant",
    /// `rl`: a request stands with a lower neighbour only.
    RlAsked => "local invariant",
    /// `gme`: a node that does not lead has weight exactly while it is inside.
    GmeWeight => "local invariant",
    /// `gme`: a leader has a session exactly while a node is inside.
    GmeSession => "local invariant",
    /// `gme`: only a leader has a session.
    GmeLeader => "local invariant",
    /// `gme`: nobody is inside but with the resource of the session.
    GmeOneSession => "one session",
    /// `gme`: the weight that the leader gave out is held or under way.
    GmeWeightSum => "conservation of weight",
    /// `gme`: in a quiet network no weight waits to be sent back.
    GmeReturned => "local invariant",
    /// `gme`: in a quiet network nobody waits for the group of an open session.
    GmeConcurrent => "concurrent entering",
    /// `hk`: a node has units exactly while it is inside.
    HkUnits => "local invariant",
    /// `hk`: free units are with the token.
    HkFreeUnits => "local invariant",
    /// `hk`: a queue is sorted by key.
    HkQueue => "local invariant",
    /// `hk`: k units are free, held or under way.
    HkUnitSum => "conservation of units",
    /// `hk`: in a quiet network no units wait to be sent back.
    HkReturned => "local invariant",
    /// `hk`: in a quiet network nobody waits for units that it could have.
    HkConcurrency => "concurrency",
    /// `hk`: in a quiet network the holder has the smallest key.
    HkPriority => "priority order",

    // Protocols with forks.
    /// The application knows the node's state.
    ForksState => "local invariant",
    /// A node that eats has all forks.
    ForksEating => "local invariant",
    /// A node that thinks asks for no fork and suspends no request.
    ForksThinking => "local invariant",
    /// A node knows exactly the links that are up at its end.
    ForksLinks => "knows its links",
    /// A link has one fork.
    ForksOne => "one fork per link",
    /// In a quiet network where nobody eats nobody is hungry, crashes apart.
    ForksServed => "local invariant",
    /// `lme1`: a node behind an inner doorway is behind the outer one.
    Lme1Nested => "local invariant",
    /// `lme1`: a node is not behind both inner doorways.
    Lme1OneInner => "local invariant",
    /// `lme1`: a node collects forks exactly behind SD^f.
    Lme1Collects => "local invariant",
    /// `lme1`: a node eats behind SD^f only.
    Lme1Eats => "local invariant",
    /// `lme1`: a node suspends requests behind SD^f only.
    Lme1Suspends => "local invariant",
    /// `lme1`: a node is in a phase exactly while it does not think.
    Lme1Phase => "local invariant",
    /// `lme1`: what a node knows of a neighbour is what the neighbour told last.
    Lme1Views => "views of neighbours",
    /// `lme2`: of two neighbours at least one takes the other to be before it.
    Lme2First => "one of two goes first",
    /// `lme2`: heights told never fall and end with the true one.
    Lme2Heights => "heights as told",
    /// `lme2`: no cycle of nodes that are before each other.
    Lme2Circle => "no circle of priorities",

    // Protocols over routing.
    /// One token is held or under way.
    RoutedToken => "one token",
    /// There is one root more than requests under way.
    RoutedRoots => "one root more than requests",
    /// In a quiet network where nobody is inside nobody waits.
    RoutedServed => "no waiter is forgotten",
    /// `raymond`: no node is twice in a queue.
    RaymondQueue => "local state",
    /// `naimi-trehel`: a root waits or has the token.
    NaimiTrehelRoot => "local state",
    /// `naimi-trehel`: a node with a successor waits or is inside.
    NaimiTrehelNext => "local state",
    /// `dgme`: a session with processes in it has the token.
    DgmeInside => "local state",
    /// `dgme`: a root has no successor.
    DgmeRootNext => "local state",
    /// `dgme`: a root for which nobody waits has the token.
    DgmeRootToken => "local state",
    /// `dgme`: a session that is no root has a successor if processes wait.
    DgmeWaiting => "local state",
    /// `dgme`: a process that waits is known to its session once.
    DgmeKnown => "local state",
    /// `dgme`: a session knows only processes that wait for it.
    DgmeServes => "local state",
    /// `dgme`: a session counts the processes in it.
    DgmeCounts => "sessions count",
}
