//! The checker of links catches what it is for. It is fed by hand with what a broken link layer
//! would do.

use manet_mutex::NodeId;
use manet_mutex::link::Epoch;
use manet_mutex::machine::{Class, Fate, Message, Outcome, Role};
use manet_mutex_sim::check::{Delivery, Violation};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Letter {
    Token(u8),
    Note(u8),
}
use Letter::{Note, Token};

impl Message for Letter {
    fn kind(&self) -> &'static str {
        "Letter"
    }

    fn class(&self) -> Class {
        match self {
            Token(_) => Class::Ownership,
            Note(_) => Class::Plain,
        }
    }
}

const A: NodeId = NodeId(3);
const B: NodeId = NodeId(7);

/// What happens between two nodes, told step by step.
#[derive(Clone)]
struct Story(Delivery<Letter>, Result<(), Violation>);

fn other(node: NodeId) -> NodeId {
    if node == A { B } else { A }
}

impl Story {
    fn new() -> Self {
        Self(Delivery::new(), Ok(()))
    }

    /// Both ends are up in the first incarnation.
    fn linked() -> Self {
        Self::new()
            .up(A, (5, 9), Role::Moving)
            .up(B, (9, 5), Role::Static)
    }

    fn then(mut self, step: impl FnOnce(&mut Delivery<Letter>) -> Result<(), Violation>) -> Self {
        if self.1.is_ok() {
            self.1 = step(&mut self.0);
        }
        self
    }

    fn up(self, node: NodeId, (mine, theirs): (u64, u64), role: Role) -> Self {
        let epochs = (Epoch(mine), Epoch(theirs));
        self.then(|links| links.up(node, other(node), epochs, role))
    }

    fn sent(self, node: NodeId, msg: Letter) -> Self {
        self.then(|links| links.sent(node, other(node), &msg))
    }

    fn got(self, node: NodeId, msg: Letter) -> Self {
        self.then(|links| links.received(node, other(node), &msg))
    }

    fn down(self, node: NodeId, unacked: &[(Letter, Fate)]) -> Self {
        self.then(|links| links.down(node, other(node), unacked))
    }

    fn told(self, node: NodeId, msg: Letter, outcome: Outcome) -> Self {
        self.then(|links| links.resolved(node, other(node), &msg, outcome))
    }

    #[track_caller]
    fn fine(self) -> Delivery<Letter> {
        assert_eq!(self.1, Ok(()));
        self.0
    }

    #[track_caller]
    fn breaks(self, property: &str, detail: &str) {
        let violation = self.1.expect_err("a promise is broken");
        assert_eq!(violation.property, property, "{violation}");
        assert!(violation.detail.contains(detail), "{violation}");
    }
}

const OPEN: &str = "messages between link up and link down";
const ONCE: &str = "delivery once and in order";
const LOSS: &str = "no ownership lost";
const TRUTH: &str = "truth about messages";
const APART: &str = "incarnations apart";
const ROLES: &str = "complementary roles";

#[test]
fn messages_come_once_and_in_order() {
    let sent = Story::linked()
        .sent(A, Token(1))
        .sent(A, Note(2))
        .sent(A, Token(3));
    let links = sent
        .clone()
        .got(B, Token(1))
        .got(B, Note(2))
        .got(B, Token(3))
        .fine();
    assert!(links.is_settled());
    assert!(!sent.clone().got(B, Token(1)).fine().is_settled());
    sent.clone().got(B, Note(2)).breaks(ONCE, "out of order");
    sent.clone()
        .got(B, Token(1))
        .got(B, Token(1))
        .breaks(ONCE, "twice");
    sent.clone().got(A, Token(1)).breaks(ONCE, "not sent");
    sent.got(B, Token(4)).breaks(ONCE, "not sent");
}

#[test]
fn equal_messages_are_told_apart_by_their_order() {
    let two = Story::linked().sent(A, Token(1)).sent(A, Token(1));
    let in_doubt = [(Token(1), Fate::InDoubt), (Token(1), Fate::InDoubt)];
    let parted = two.clone().got(B, Token(1)).down(A, &in_doubt).down(B, &[]);
    assert_eq!(parted.clone().fine().open_doubts(), 2);
    let first = parted.told(A, Token(1), Outcome::Delivered);
    first.clone().told(A, Token(1), Outcome::Returned).fine();
    first
        .told(A, Token(1), Outcome::Delivered)
        .breaks(TRUTH, "not delivered");
    two.got(B, Token(1))
        .got(B, Token(1))
        .got(B, Token(1))
        .breaks(ONCE, "twice");
}

#[test]
fn nothing_comes_before_link_up_or_after_link_down() {
    let half = Story::new().up(A, (5, 9), Role::Moving).sent(A, Token(1));
    half.clone().got(B, Token(1)).breaks(OPEN, "before link up");
    half.clone()
        .up(B, (9, 5), Role::Static)
        .got(B, Token(1))
        .fine();
    let left = half.up(B, (9, 5), Role::Static).down(B, &[]);
    left.clone()
        .got(B, Token(1))
        .breaks(OPEN, "after link down");
    left.clone().sent(B, Note(1)).breaks(OPEN, "no link is up");
    left.clone().down(B, &[]).breaks(OPEN, "not up");
    Story::new().got(B, Token(1)).breaks(OPEN, "without a link");
    // The end that has not closed may still send, and gets it back.
    let returned = [(Token(1), Fate::Returned), (Token(2), Fate::Returned)];
    left.sent(A, Token(2)).down(A, &returned).fine();
}

#[test]
fn ownership_does_not_vanish() {
    let sent = Story::linked().sent(A, Token(1)).sent(A, Note(2));
    sent.clone().down(A, &[]).breaks(LOSS, "told nothing");
    sent.clone().got(B, Token(1)).down(A, &[]).fine();
    // Plain ones do.
    sent.down(A, &[(Token(1), Fate::Returned)]).fine();
}

#[test]
fn what_a_sender_is_told_is_true() {
    let sent = Story::linked().sent(A, Token(1));
    let arrived = sent.clone().got(B, Token(1));
    let fate = |fate| [(Token(1), fate)];
    sent.clone()
        .down(A, &fate(Fate::Delivered))
        .breaks(TRUTH, "was not delivered");
    arrived
        .clone()
        .down(A, &fate(Fate::Returned))
        .breaks(TRUTH, "was delivered");
    arrived.clone().down(A, &fate(Fate::Delivered)).fine();
    let back = sent.clone().down(A, &fate(Fate::Returned));
    back.got(B, Token(1)).breaks(TRUTH, "after it was returned");
    let twice = [fate(Fate::Delivered), fate(Fate::Delivered)].concat();
    arrived.clone().down(A, &twice).breaks(TRUTH, "too often");
    arrived
        .down(A, &[(Token(2), Fate::Delivered)])
        .breaks(TRUTH, "had sent");

    let doubt = sent.down(A, &fate(Fate::InDoubt));
    doubt
        .clone()
        .told(A, Token(1), Outcome::Delivered)
        .breaks(TRUTH, "not delivered");
    let late = doubt.clone().got(B, Token(1));
    late.clone()
        .told(A, Token(1), Outcome::Returned)
        .breaks(TRUTH, "was delivered");
    let links = late
        .told(A, Token(1), Outcome::Delivered)
        .down(B, &[])
        .fine();
    assert!(links.is_settled());
    let returned = doubt.told(A, Token(1), Outcome::Returned);
    returned
        .clone()
        .got(B, Token(1))
        .breaks(TRUTH, "after it was returned");
    returned
        .told(A, Token(1), Outcome::Returned)
        .breaks(TRUTH, "not in doubt");
    Story::linked()
        .told(A, Token(1), Outcome::Returned)
        .breaks(TRUTH, "not in doubt");
}

#[test]
fn incarnations_do_not_overlap() {
    let half = Story::linked().down(A, &[]);
    half.clone()
        .up(A, (6, 9), Role::Static)
        .breaks(APART, "is up in another");
    let over = half.clone().down(B, &[]);
    over.clone()
        .up(A, (6, 10), Role::Static)
        .up(B, (10, 6), Role::Moving)
        .fine();
    over.clone()
        .up(A, (5, 9), Role::Moving)
        .breaks(APART, "again");
    over.clone()
        .up(A, (6, 9), Role::Moving)
        .breaks(APART, "one of these epochs");
    over.up(B, (10, 5), Role::Moving)
        .breaks(APART, "one of these epochs");
    half.up(A, (5, 9), Role::Moving).breaks(APART, "again");
    let doubt = Story::linked()
        .sent(A, Token(1))
        .down(A, &[(Token(1), Fate::InDoubt)]);
    let doubt = doubt.down(B, &[]);
    doubt
        .clone()
        .up(A, (6, 10), Role::Moving)
        .breaks(APART, "in doubt");
    doubt.up(B, (10, 6), Role::Moving).breaks(APART, "in doubt");
    // Only one end ever came up.
    let once = Story::new().up(A, (5, 9), Role::Moving).down(A, &[]);
    once.clone().up(B, (10, 6), Role::Moving).fine();
    once.up(A, (6, 10), Role::Moving)
        .up(B, (9, 5), Role::Static)
        .breaks(APART, "is up in");
}

#[test]
fn roles_differ() {
    let moving = Story::new().up(A, (5, 9), Role::Moving);
    moving
        .up(B, (9, 5), Role::Moving)
        .breaks(ROLES, "same role");
}

/// A link that lives long takes no more memory than a young one.
#[test]
fn what_is_over_is_forgotten() {
    let mut story = Story::linked();
    for i in 0..100_u8 {
        story = story.sent(A, Token(i)).got(B, Token(i));
    }
    let (young, old) = (format!("{:?}", Story::linked().0), format!("{:?}", story.0));
    assert!(old.len() < young.len() + 32 * 60, "{old}");
    // More may be reported than is remembered, but not more than was sent.
    let all: Vec<_> = (0..100).map(|i| (Token(i), Fate::InDoubt)).collect();
    let mut parted = story.clone().down(A, &all).down(B, &[]);
    for i in 0..100 {
        parted = parted.told(A, Token(i), Outcome::Delivered);
    }
    assert!(parted.fine().is_settled());
    let more = [&all[..], &all[..1]].concat();
    story.down(A, &more).breaks(TRUTH, "had sent");
}
