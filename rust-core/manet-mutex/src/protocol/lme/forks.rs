//! Forks: the rules by which all algorithms of the paper ask for them, keep them and give them
//! away.
//!
//! A neighbour is *before* this node or *after* it: low or high in Algorithm 1, higher or lower in
//! Algorithm 2. A node that competes asks for the forks it shares with those before it; meanwhile
//! it gives away every fork it is asked for, and says of one shared with somebody before it that it
//! wants it back. Once it has all of those it asks for the others and suspends requests of those
//! after it, but still gives way to those before it. [LME 4.1]
//!
//! # Deviations from the paper
//! * A node knows what it has asked for and does not ask again [LME 4.2, lines 22 to 29, ask for
//!   every missing fork at every fork that comes] (erratum E10). A request that crosses the fork it
//!   asks for finds no fork and is ignored: links are in order, so the fork was on its way already.
//! * What a node does with a fork depends on whether it competes ([`Stance`]): the paper's rules
//!   for a fork that comes look at the forks only (E2), and its rule for a fork that goes only at
//!   the doorway (E9).

use crate::ids::NodeId;
use crate::machine::{Actions, Message, ProtocolError};
use crate::peers::{AboutPeer, Peers};
use std::cmp::Ordering;

/// Where the fork of a link is, as one end knows it: `at[j]`, `j` in `S`, and what has been asked
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fork {
    /// Here.
    Here,
    /// Here, and the peer's request for it is suspended: `j` in `S`.
    Suspended,
    /// At the peer or on its way.
    Away,
    /// The same, and the peer knows or will know that this node wants it.
    Asked,
}

impl Fork {
    /// `at[j]`.
    pub const fn is_here(self) -> bool {
        matches!(self, Self::Here | Self::Suspended)
    }
}

/// What a node may do with forks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stance {
    /// Nothing: it does not want to enter, or is not behind the doorway yet.
    Aside,
    /// Collect them.
    Competing,
    /// Keep them: it is inside.
    Eating,
}

/// How a node stands towards its neighbours, of which it knows `A` each.
pub trait View<A> {
    /// What it may do now.
    fn stance(&self) -> Stance;

    /// Whether a neighbour is before this node (`Less`) or after it (`Greater`). Colours as printed
    /// can also be neither (errata E3, E6).
    fn rank(&self, peer: NodeId, about: &A) -> Ordering;

    /// Whether the neighbour may be asked for the fork already.
    fn may_ask(&self, about: &A) -> bool {
        let _ = about;
        true
    }

    /// Whether a fork given to a neighbour before this node is wanted back.
    fn wants_back(&self) -> bool {
        self.stance() == Stance::Competing
    }
}

/// A message type that asks for forks and carries them.
pub trait ForkMessage: Message {
    /// Asks for the fork of the link it travels on.
    fn req() -> Self;

    /// Is that fork, with whether its sender wants it back.
    fn fork(flag: bool) -> Self;
}

/// The links of a node, each with where its fork is and with what the algorithm knows of the
/// neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Forks<A> {
    links: Peers<Link<A>>,
}

/// A link at one end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Link<A> {
    peer: NodeId,
    fork: Fork,
    /// What the algorithm knows of the neighbour.
    pub about: A,
}

impl<A> AboutPeer for Link<A> {
    fn peer(&self) -> NodeId {
        self.peer
    }
}

impl<A> Link<A> {
    /// The neighbour.
    pub const fn peer(&self) -> NodeId {
        self.peer
    }

    /// Where the fork is.
    pub const fn fork(&self) -> Fork {
        self.fork
    }

    /// `send-fork(j)` [LME 4.2, lines 30 to 32].
    fn give<M: ForkMessage>(&mut self, me: &impl View<A>, out: &mut Actions<M>) {
        let flag = me.wants_back() && me.rank(self.peer, &self.about).is_lt();
        self.fork = if flag { Fork::Asked } else { Fork::Away };
        out.send(self.peer, M::fork(flag));
    }
}

impl<A> Default for Forks<A> {
    fn default() -> Self {
        Self {
            links: Peers::new(),
        }
    }
}

impl<A> Forks<A> {
    /// The links that `me` has from the start: each fork is at the end with the smaller id
    /// [LME 4.2, `at[j]`].
    pub fn settled(me: NodeId, neighbours: impl IntoIterator<Item = (NodeId, A)>) -> Self {
        let mut forks = Self::default();
        for (peer, about) in neighbours {
            forks.join(peer, me < peer, about);
        }
        forks.links.shrink_to_fit();
        forks
    }

    /// A link came up, with its fork `here` or not.
    pub fn join(&mut self, peer: NodeId, here: bool, about: A) {
        let fork = if here { Fork::Here } else { Fork::Away };
        self.links.insert(Link { peer, fork, about });
    }

    /// A link went down, and its fork is no more.
    pub fn part(&mut self, peer: NodeId) {
        self.links.remove(peer);
    }

    /// `N`, in order of ids.
    pub fn iter(&self) -> impl Iterator<Item = &Link<A>> + '_ {
        self.links.iter()
    }

    /// The same, to change what is known of them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Link<A>> + '_ {
        self.links.iter_mut()
    }

    /// The link to a neighbour.
    pub fn get(&self, peer: NodeId) -> Option<&Link<A>> {
        self.links.get(peer)
    }

    /// The same, to change what is known of it.
    pub fn get_mut(&mut self, peer: NodeId) -> Option<&mut Link<A>> {
        self.links.get_mut(peer)
    }

    /// `all-forks`.
    pub fn has_all(&self) -> bool {
        self.iter().all(|link| link.fork.is_here())
    }

    /// `all-low-forks`: those shared with neighbours before this node.
    pub fn has_all_before(&self, me: &impl View<A>) -> bool {
        let before = |link: &&Link<A>| me.rank(link.peer, &link.about).is_lt();
        self.iter().filter(before).all(|link| link.fork.is_here())
    }

    /// Asks for what is missing and may be asked for. True if nothing is missing and the node
    /// competes: it enters now. [LME 4.2, lines 1 to 4 and 24 to 29]
    #[must_use]
    pub fn collect<M: ForkMessage>(&mut self, me: &impl View<A>, out: &mut Actions<M>) -> bool {
        if me.stance() != Stance::Competing {
            return false;
        }
        if self.has_all() {
            return true;
        }
        let turn = if self.has_all_before(me) {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        for link in self.links.iter_mut() {
            let due = link.fork == Fork::Away && me.rank(link.peer, &link.about) == turn;
            if due && me.may_ask(&link.about) {
                link.fork = Fork::Asked;
                out.send(link.peer, M::req());
            }
        }
        false
    }

    /// A neighbour asks for the fork [LME 4.2, lines 10 to 16].
    pub fn asked<M: ForkMessage>(&mut self, peer: NodeId, me: &impl View<A>, out: &mut Actions<M>) {
        let has_all_before = self.has_all_before(me);
        let Some(link) = self.links.get_mut(peer) else {
            return;
        };
        if !link.fork.is_here() {
            return; // It is on its way there.
        }
        match me.rank(peer, &link.about) {
            Ordering::Greater if me.stance() == Stance::Aside || !has_all_before => {
                link.give(me, out);
            }
            Ordering::Less if me.stance() != Stance::Eating => {
                link.give(me, out);
                self.release_after(me, out);
            }
            _ => link.fork = Fork::Suspended,
        }
    }

    /// A fork comes, wanted back or not [LME 4.2, lines 17 to 23]. What is missing has to be
    /// [collected](Forks::collect) afterwards.
    ///
    /// # Errors
    /// If there was one already.
    pub fn received<M: ForkMessage>(
        &mut self,
        peer: NodeId,
        flag: bool,
        me: &impl View<A>,
        out: &mut Actions<M>,
    ) -> Result<(), SecondFork> {
        let link = self.links.get_mut(peer).ok_or(SecondFork)?;
        if link.fork.is_here() {
            return Err(SecondFork);
        }
        link.fork = Fork::Here;
        if !flag {
            return Ok(());
        }
        let keep = me.stance() == Stance::Competing && self.has_all_before(me);
        if let Some(link) = self.links.get_mut(peer) {
            if keep {
                link.fork = Fork::Suspended;
            } else {
                link.give(me, out);
            }
        }
        Ok(())
    }

    /// Gives away every fork with a suspended request [LME 4.2, lines 8 and 51].
    pub fn release<M: ForkMessage>(&mut self, me: &impl View<A>, out: &mut Actions<M>) {
        let suspended = |link: &&mut Link<A>| link.fork == Fork::Suspended;
        let links = self.links.iter_mut().filter(suspended);
        links.for_each(|link| link.give(me, out));
    }

    /// `release-high-forks()`: the same for neighbours after this node [LME 4.2, lines 33 to 35].
    fn release_after<M: ForkMessage>(&mut self, me: &impl View<A>, out: &mut Actions<M>) {
        for link in self.links.iter_mut() {
            if link.fork == Fork::Suspended && me.rank(link.peer, &link.about).is_gt() {
                link.give(me, out);
            }
        }
    }
}

/// A fork came on a link whose fork is here, or on none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecondFork;

impl SecondFork {
    /// The same, as a machine says it.
    pub const fn at(self, node: NodeId) -> ProtocolError {
        let what = "received the fork of a link while having it";
        ProtocolError::Broken { node, what }
    }
}

#[cfg(feature = "forge")]
impl<A> Forks<A> {
    /// Sets where the fork of a link is.
    pub fn forge(&mut self, peer: NodeId, fork: Fork) {
        self.links.get_mut(peer).expect("a neighbour").fork = fork;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Action, Cargo};
    use serde::{Deserialize, Serialize};

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    enum Msg {
        Req,
        Fork(bool),
    }

    impl Message for Msg {
        fn kind(&self) -> &'static str {
            "Msg"
        }

        fn cargo(&self) -> Cargo {
            match self {
                Self::Req => Cargo::Nothing,
                Self::Fork(_) => Cargo::Fork,
            }
        }
    }

    impl ForkMessage for Msg {
        fn req() -> Self {
            Self::Req
        }

        fn fork(flag: bool) -> Self {
            Self::Fork(flag)
        }
    }

    /// Node 5, for which a neighbour's rank is what is known about it.
    struct Five(Stance);

    impl View<Ordering> for Five {
        fn stance(&self) -> Stance {
            self.0
        }

        fn rank(&self, _: NodeId, about: &Ordering) -> Ordering {
            *about
        }
    }

    const BEFORE: NodeId = NodeId(1);
    const AFTER: NodeId = NodeId(9);

    /// Node 5 between a neighbour before it and one after it.
    fn between(before: Fork, after: Fork) -> Forks<Ordering> {
        let mut forks = Forks::default();
        forks.join(BEFORE, true, Ordering::Less);
        forks.join(AFTER, true, Ordering::Greater);
        forks.get_mut(BEFORE).expect("joined").fork = before;
        forks.get_mut(AFTER).expect("joined").fork = after;
        forks
    }

    fn places(forks: &Forks<Ordering>) -> Vec<Fork> {
        forks.iter().map(Link::fork).collect()
    }

    fn sent(out: &Actions<Msg>) -> Vec<(NodeId, Msg)> {
        let send = |action: &Action<Msg>| match action {
            Action::Send { to, msg } => Some((*to, *msg)),
            _ => None,
        };
        out.as_slice().iter().filter_map(send).collect()
    }

    #[test]
    fn a_fork_is_at_the_smaller_id_first() {
        let forks = Forks::settled(NodeId(5), [(BEFORE, ()), (AFTER, ())]);
        let here: Vec<bool> = forks.iter().map(|link| link.fork().is_here()).collect();
        assert_eq!(here, [false, true]);
    }

    #[test]
    fn those_before_are_asked_first_and_once() {
        let me = Five(Stance::Competing);
        let mut out = Actions::new();
        let mut forks = between(Fork::Away, Fork::Away);
        assert!(!forks.collect(&me, &mut out));
        assert!(!forks.collect(&me, &mut out));
        assert_eq!(sent(&out), [(BEFORE, Msg::Req)]);

        assert_eq!(forks.received(BEFORE, false, &me, &mut out), Ok(()));
        assert!(!forks.collect(&me, &mut out));
        assert_eq!(sent(&out), [(BEFORE, Msg::Req), (AFTER, Msg::Req)]);

        assert_eq!(forks.received(AFTER, false, &me, &mut out), Ok(()));
        assert!(forks.collect(&me, &mut out));
    }

    #[test]
    fn who_does_not_compete_does_not_ask_and_keeps_nothing_that_is_wanted() {
        let me = Five(Stance::Aside);
        let mut out = Actions::new();
        let mut forks = between(Fork::Here, Fork::Here);
        assert!(!forks.collect(&me, &mut out));
        forks.asked(AFTER, &me, &mut out);
        forks.asked(BEFORE, &me, &mut out);
        assert_eq!(forks.received(AFTER, true, &me, &mut out), Ok(()));
        let no = Msg::Fork(false);
        assert_eq!(sent(&out), [(AFTER, no), (BEFORE, no), (AFTER, no)]);
        assert_eq!(places(&forks), [Fork::Away, Fork::Away]);
    }

    /// [LME 4.1]: while forks of those before are missing, every request is granted.
    #[test]
    fn nothing_is_kept_while_a_fork_of_one_before_is_missing() {
        let me = Five(Stance::Competing);
        let mut out = Actions::new();
        let mut forks = between(Fork::Asked, Fork::Here);
        forks.asked(AFTER, &me, &mut out);
        assert_eq!(forks.received(AFTER, true, &me, &mut out), Ok(()));
        assert_eq!(sent(&out), [(AFTER, Msg::Fork(false)); 2]);
    }

    #[test]
    fn one_before_takes_its_fork_and_frees_those_of_all_after() {
        let me = Five(Stance::Competing);
        let mut out = Actions::new();
        let mut forks = between(Fork::Here, Fork::Here);
        forks.asked(AFTER, &me, &mut out);
        assert_eq!(places(&forks), [Fork::Here, Fork::Suspended]);
        assert_eq!(sent(&out), []);
        forks.asked(BEFORE, &me, &mut out);
        let back = Msg::Fork(true);
        assert_eq!(sent(&out), [(BEFORE, back), (AFTER, Msg::Fork(false))]);
        assert_eq!(places(&forks), [Fork::Asked, Fork::Away]);
    }

    #[test]
    fn who_is_inside_keeps_all_until_it_leaves() {
        let (inside, outside) = (Five(Stance::Eating), Five(Stance::Aside));
        let mut out = Actions::new();
        let mut forks = between(Fork::Here, Fork::Here);
        forks.asked(AFTER, &inside, &mut out);
        forks.asked(BEFORE, &inside, &mut out);
        assert_eq!(sent(&out), []);
        forks.release(&outside, &mut out);
        let no = Msg::Fork(false);
        assert_eq!(sent(&out), [(BEFORE, no), (AFTER, no)]);
    }

    #[test]
    fn a_fork_that_is_wanted_back_is_kept_only_with_all_of_those_before() {
        let me = Five(Stance::Competing);
        let mut out = Actions::<Msg>::new();
        let mut forks = between(Fork::Here, Fork::Asked);
        assert_eq!(forks.received(AFTER, true, &me, &mut out), Ok(()));
        assert_eq!(places(&forks), [Fork::Here, Fork::Suspended]);
    }

    #[test]
    fn a_request_that_crossed_the_fork_is_ignored() {
        let mut out = Actions::new();
        let mut forks = between(Fork::Away, Fork::Asked);
        for peer in [BEFORE, AFTER, NodeId(7)] {
            forks.asked(peer, &Five(Stance::Competing), &mut out);
        }
        assert_eq!(sent(&out), []);
        assert_eq!(places(&forks), [Fork::Away, Fork::Asked]);
    }

    #[test]
    fn a_second_fork_is_refused() {
        let mut out = Actions::<Msg>::new();
        let mut forks = between(Fork::Here, Fork::Suspended);
        for peer in [BEFORE, AFTER, NodeId(7)] {
            let refused = forks.received(peer, true, &Five(Stance::Aside), &mut out);
            assert_eq!(refused, Err(SecondFork));
        }
        assert_eq!(places(&forks), [Fork::Here, Fork::Suspended]);
    }

    #[test]
    fn a_fork_goes_with_its_link() {
        let me = Five(Stance::Competing);
        let mut out = Actions::<Msg>::new();
        let mut forks = between(Fork::Asked, Fork::Here);
        forks.part(BEFORE);
        assert!(forks.collect(&me, &mut out));
        forks.join(BEFORE, false, Ordering::Less);
        assert_eq!(places(&forks), [Fork::Away, Fork::Here]);
    }
}
