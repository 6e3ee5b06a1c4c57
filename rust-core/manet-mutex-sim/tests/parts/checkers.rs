//! The checkers catch what they are for. They are fed by hand with what a broken protocol would do.

use manet_mutex::machine::{Action, Cargo, Event, Fate, Message, Outcome, Role};
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::check::{Custody, Promise, Safety, Scope};
use manet_mutex_sim::network::Observer;
use serde::{Deserialize, Serialize};

/// A message that moves whatever a test wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Parcel {
    Token(u64),
    Units(u64),
    Weight(u64),
}

impl Message for Parcel {
    fn kind(&self) -> &'static str {
        "Parcel"
    }

    fn cargo(&self) -> Cargo {
        match *self {
            Self::Token(units) => Cargo::Token { units },
            Self::Units(units) => Cargo::Units(units),
            Self::Weight(weight) => Cargo::Weight(weight),
        }
    }
}

/// A run of five nodes, told step by step.
struct Story(Safety);

impl Story {
    fn new(scope: Scope, custody: Custody) -> Self {
        let links = [(NodeId(0), NodeId(1)), (NodeId(1), NodeId(2))];
        Self(Safety::new(Promise { scope, custody }, 5, NodeId(0), links))
    }

    fn event(mut self, node: u32, event: &Event<Parcel>) -> Self {
        self.0.event(NodeId(node), event);
        self
    }

    fn action(mut self, node: u32, action: &Action<Parcel>) -> Self {
        self.0.action(NodeId(node), action, None);
        self
    }

    fn enters(self, node: u32, demand: Demand) -> Self {
        self.action(node, &Action::Enter(demand))
    }

    fn leaves(self, node: u32) -> Self {
        self.event(node, &Event::Release)
    }

    fn sends(self, node: u32, to: u32, msg: Parcel) -> Self {
        self.action(
            node,
            &Action::Send {
                to: NodeId(to),
                msg,
            },
        )
    }

    fn gets(self, node: u32, from: u32, msg: Parcel) -> Self {
        self.event(
            node,
            &Event::Message {
                from: NodeId(from),
                msg,
            },
        )
    }

    fn loses_link(self, node: u32, peer: u32, unacked: Vec<(Parcel, Fate)>) -> Self {
        self.event(
            node,
            &Event::LinkDown {
                peer: NodeId(peer),
                unacked,
            },
        )
    }

    fn begins(mut self, a: u32, b: u32) -> Self {
        Observer::<Parcel>::link_begins(&mut self.0, NodeId(a), NodeId(b));
        self
    }

    fn linked(mut self, node: u32, peer: u32) -> Self {
        Observer::<Parcel>::linked(&mut self.0, NodeId(node), NodeId(peer));
        self
    }

    fn crashes(mut self, node: u32) -> Self {
        Observer::<Parcel>::crash(&mut self.0, NodeId(node));
        self
    }

    fn breaks_nothing(self) {
        assert_eq!(self.0.violation(), None);
    }

    fn breaks(self, property: &str) {
        assert_eq!(
            self.0.violation().map(|violation| violation.property),
            Some(property)
        );
    }
}

const ALONE: Demand = Demand::Exclusive;

fn global() -> Story {
    Story::new(Scope::Global, Custody::Nothing)
}

#[test]
fn two_inside_at_once_break_global_exclusion() {
    global()
        .enters(0, ALONE)
        .leaves(0)
        .enters(3, ALONE)
        .breaks_nothing();
    global()
        .enters(0, ALONE)
        .enters(3, ALONE)
        .breaks("exclusion");
    global()
        .enters(0, ALONE)
        .enters(0, ALONE)
        .breaks("exclusion");
}

#[test]
fn a_demoted_node_is_outside() {
    global()
        .enters(0, ALONE)
        .action(0, &Action::Demoted)
        .enters(3, ALONE)
        .breaks_nothing();
}

#[test]
fn groups_share_with_their_own_only() {
    let a = Demand::Group(1);
    global()
        .enters(0, a)
        .enters(1, a)
        .enters(4, a)
        .breaks_nothing();
    global()
        .enters(0, a)
        .enters(1, a)
        .enters(4, Demand::Group(2))
        .breaks("exclusion");
    global().enters(0, a).enters(4, ALONE).breaks("exclusion");
}

#[test]
fn units_are_limited_by_their_sum() {
    let story = || Story::new(Scope::Units { total: 5 }, Custody::Nothing);
    let units = |count| Demand::Units { count, priority: 0 };
    story()
        .enters(0, units(2))
        .enters(1, units(3))
        .breaks_nothing();
    story()
        .enters(0, units(2))
        .enters(1, units(3))
        .enters(2, units(1))
        .breaks("exclusion");
    story()
        .enters(0, units(2))
        .enters(1, ALONE)
        .breaks("exclusion");
}

fn local() -> Story {
    Story::new(Scope::Neighbours, Custody::Nothing)
}

fn meets(story: Story, node: u32, peer: u32, role: Role) -> Story {
    story.event(
        node,
        &Event::LinkUp {
            peer: NodeId(peer),
            role,
        },
    )
}

#[test]
fn neighbours_exclude_each_other_and_others_do_not() {
    local()
        .enters(0, ALONE)
        .enters(2, ALONE)
        .enters(4, ALONE)
        .breaks_nothing();
    local()
        .enters(0, ALONE)
        .enters(1, ALONE)
        .breaks("exclusion");
    local()
        .loses_link(1, 0, vec![])
        .enters(0, ALONE)
        .enters(1, ALONE)
        .breaks_nothing();
}

#[test]
fn a_link_counts_from_the_moving_ends_link_up() {
    let both_inside = |story: Story| story.enters(0, ALONE).enters(4, ALONE);
    both_inside(meets(local(), 0, 4, Role::Static)).breaks_nothing();
    both_inside(meets(local(), 4, 0, Role::Moving)).breaks("exclusion");
    let meet_inside = || meets(both_inside(local()), 4, 0, Role::Moving);
    meet_inside().linked(4, 0).breaks("exclusion");
    meet_inside()
        .action(4, &Action::Demoted)
        .linked(4, 0)
        .breaks_nothing();
}

/// A moving end that comes up only when the other has left has no neighbour there, but it has one
/// in the next incarnation.
#[test]
fn a_link_that_an_end_has_left_counts_no_more() {
    let left = || meets(local(), 0, 4, Role::Static).loses_link(0, 4, vec![]);
    let both_inside = |story: Story| story.enters(0, ALONE).enters(4, ALONE);
    both_inside(meets(left(), 4, 0, Role::Moving)).breaks_nothing();
    both_inside(meets(left().begins(0, 4), 4, 0, Role::Moving)).breaks("exclusion");
}

/// Its links stay up, so nobody near it may enter.
#[test]
fn who_crashes_inside_stays_there() {
    local()
        .enters(0, ALONE)
        .crashes(0)
        .enters(1, ALONE)
        .breaks("exclusion");
    let global = Story::new(Scope::Global, Custody::Nothing);
    global
        .enters(0, ALONE)
        .crashes(0)
        .enters(1, ALONE)
        .breaks_nothing();
}

fn token() -> Story {
    Story::new(Scope::Global, Custody::Token)
}

#[test]
fn only_the_owner_of_the_token_enters() {
    token().enters(0, ALONE).breaks_nothing();
    token().enters(1, ALONE).breaks("custody");
    let passed = || token().sends(0, 1, Parcel::Token(0));
    passed().enters(1, ALONE).breaks("custody");
    passed()
        .gets(1, 0, Parcel::Token(0))
        .enters(1, ALONE)
        .breaks_nothing();
}

#[test]
fn a_token_is_neither_copied_nor_made() {
    token().sends(1, 2, Parcel::Token(0)).breaks("custody");
    token()
        .sends(0, 1, Parcel::Token(0))
        .sends(0, 2, Parcel::Token(0))
        .breaks("custody");
    token().gets(2, 1, Parcel::Token(0)).breaks("one token");
    let twice = token()
        .sends(0, 1, Parcel::Token(0))
        .gets(1, 0, Parcel::Token(0));
    twice.gets(1, 0, Parcel::Token(0)).breaks("one token");
}

#[test]
fn a_returned_token_is_the_senders_and_a_doubtful_one_is_not() {
    let unacked = |fate| vec![(Parcel::Token(0), fate)];
    let sent = || token().sends(0, 1, Parcel::Token(0));
    sent()
        .loses_link(0, 1, unacked(Fate::Returned))
        .enters(0, ALONE)
        .breaks_nothing();
    sent()
        .loses_link(0, 1, unacked(Fate::InDoubt))
        .enters(0, ALONE)
        .breaks("custody");
    let resolved = |outcome| {
        let (peer, msg) = (NodeId(1), Parcel::Token(0));
        let doubted = sent().loses_link(0, 1, unacked(Fate::InDoubt));
        doubted.event(0, &Event::Resolved { peer, msg, outcome })
    };
    resolved(Outcome::Returned)
        .enters(0, ALONE)
        .breaks_nothing();
    resolved(Outcome::Delivered)
        .enters(0, ALONE)
        .breaks("custody");
    // Delivered and returned: that would be two.
    let delivered = sent().gets(1, 0, Parcel::Token(0));
    delivered
        .loses_link(0, 1, unacked(Fate::Returned))
        .breaks("one token");
}

#[test]
fn units_are_conserved() {
    let story = || Story::new(Scope::Units { total: 3 }, Custody::Units);
    let two = Demand::Units {
        count: 2,
        priority: 0,
    };
    let passed = || {
        story()
            .enters(0, two)
            .sends(0, 1, Parcel::Token(1))
            .gets(1, 0, Parcel::Token(1))
    };
    passed()
        .enters(
            1,
            Demand::Units {
                count: 1,
                priority: 0,
            },
        )
        .breaks_nothing();
    passed().enters(1, two).breaks("exclusion");
    story().sends(0, 1, Parcel::Token(4)).breaks("custody");
    passed()
        .leaves(0)
        .sends(0, 1, Parcel::Units(2))
        .gets(1, 0, Parcel::Units(2))
        .breaks_nothing();
    passed().sends(0, 1, Parcel::Units(3)).breaks("custody");
    passed()
        .gets(1, 0, Parcel::Units(1))
        .breaks("conservation of units");
}

#[test]
fn weight_is_conserved_and_holds_the_token_back() {
    let story = || Story::new(Scope::Global, Custody::TokenOrWeight);
    let group = Demand::Group(0);
    let lent = || {
        story()
            .sends(0, 1, Parcel::Weight(8))
            .gets(1, 0, Parcel::Weight(8))
    };
    lent().enters(0, group).enters(1, group).breaks_nothing();
    lent().enters(2, group).breaks("custody");
    lent().sends(0, 2, Parcel::Token(0)).breaks("custody");
    lent().sends(1, 2, Parcel::Weight(9)).breaks("custody");
    let back = || {
        lent()
            .sends(1, 0, Parcel::Weight(8))
            .gets(0, 1, Parcel::Weight(8))
    };
    back().sends(0, 2, Parcel::Token(0)).breaks_nothing();
    back()
        .gets(0, 1, Parcel::Weight(1))
        .breaks("conservation of weight");
}
