//! What the checker says if a protocol breaks its promise. Events are handed in by hand, through
//! the recorder that sees those of real nodes.

use super::settings;
use crate::checker::{self, Checker};
use crate::ffi::Effects;
use crate::station::Recorder;
use manet_mutex::link::{Cause, Epoch, Note};
use manet_mutex::machine::{Action, Event, Role};
use manet_mutex::node::Watcher;
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::wire::WireMessage;
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::network::Observer;

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

/// A run of two nodes, told step by step.
struct Story {
    checker: Checker,
}

impl Story {
    fn new(protocol: &str) -> Self {
        let checker = checker::new(&settings(protocol, 0, 2, 0)).expect("a checker");
        Self { checker }
    }

    fn tell<M: WireMessage>(&self, what: impl FnOnce(&mut Recorder<'_, M>)) {
        let checks = self
            .checker
            .checks::<M>()
            .expect("messages of the protocol");
        let mut effects = Effects::default();
        what(&mut Recorder {
            effects: &mut effects,
            checks: Some(&mut checks.borrow_mut()),
            busy: false,
        });
    }

    /// A link comes up at both ends, of which `a` is the moving one; `steps_back`: it leaves.
    fn meet(&self, epoch: u64, steps_back: bool) {
        for (node, peer, role) in [(B, A, Role::Static), (A, B, Role::Moving)] {
            self.tell::<Lme2Message>(|recorder| {
                let incarnation = (Epoch(epoch), Epoch(epoch));
                recorder.note(
                    node,
                    &Note::Up {
                        peer,
                        incarnation,
                        role,
                    },
                );
                recorder.event(node, &Event::LinkUp { peer, role });
                if role == Role::Moving && steps_back {
                    recorder.action(node, &Action::Demoted, None);
                }
                recorder.linked(node, peer);
            });
        }
    }

    fn part(&self, epoch: u64) {
        for (node, peer) in [(A, B), (B, A)] {
            self.tell::<Lme2Message>(|recorder| {
                let incarnation = (Epoch(epoch), Epoch(epoch));
                let cause = Cause::Silent;
                recorder.note(
                    node,
                    &Note::Down {
                        peer,
                        incarnation,
                        cause,
                    },
                );
                let unacked = Vec::new();
                recorder.event(node, &Event::LinkDown { peer, unacked });
            });
        }
    }

    fn enter<M: WireMessage>(&self, node: NodeId) {
        self.tell::<M>(|recorder| {
            recorder.action(node, &Action::Enter(Demand::Exclusive), None);
        });
    }

    fn leave<M: WireMessage>(&self, node: NodeId) {
        self.tell::<M>(|recorder| recorder.event(node, &Event::Release));
    }

    fn start<M: WireMessage>(&self, node: NodeId, life: u16) {
        let checks = self
            .checker
            .checks::<M>()
            .expect("messages of the protocol");
        checks.borrow_mut().start(node, life);
    }

    fn stop<M: WireMessage>(&self, node: NodeId, life: u16) {
        let checks = self
            .checker
            .checks::<M>()
            .expect("messages of the protocol");
        checks.borrow_mut().stop(node, life);
    }

    fn expect(&self, violations: u64, text: &str) {
        let first = self.checker.first_violation();
        assert_eq!(self.checker.violations(), violations, "{first}");
        assert!(first.contains(text), "{first}");
    }
}

#[test]
fn neighbours_inside_after_a_link_closed_and_came_up_again_are_noticed() {
    let story = Story::new("lme2");
    story.meet(1, false);
    story.part(1);
    story.meet(2, false);
    story.enter::<Lme2Message>(A);
    story.expect(0, "");
    story.enter::<Lme2Message>(B);
    story.expect(1, "neighbours");
}

#[test]
fn a_moving_end_that_stays_inside_is_noticed() {
    for (steps_back, violations) in [(true, 0), (false, 1)] {
        let story = Story::new("lme2");
        story.enter::<Lme2Message>(A);
        story.enter::<Lme2Message>(B);
        story.expect(0, "");
        story.meet(1, steps_back);
        story.expect(violations, "");
    }
}

#[test]
fn nodes_that_parted_may_be_inside_together() {
    let story = Story::new("lme2");
    story.meet(1, false);
    story.enter::<Lme2Message>(A);
    story.part(1);
    story.enter::<Lme2Message>(B);
    story.expect(0, "");
}

#[test]
fn a_neighbour_of_a_node_that_stopped_inside_must_not_enter_over_their_link() {
    let story = Story::new("lme2");
    for node in [A, B] {
        story.start::<Lme2Message>(node, 0);
    }
    story.meet(1, false);
    story.enter::<Lme2Message>(B);
    story.stop::<Lme2Message>(B, 0);
    story.enter::<Lme2Message>(A);
    story.expect(1, "neighbours");
}

#[test]
fn a_new_life_is_not_inside() {
    let story = Story::new("lme2");
    for node in [A, B] {
        story.start::<Lme2Message>(node, 0);
    }
    story.meet(1, false);
    story.enter::<Lme2Message>(B);
    story.stop::<Lme2Message>(B, 0);
    story.start::<Lme2Message>(B, 1);
    story.enter::<Lme2Message>(A);
    story.expect(0, "");
    story.leave::<Lme2Message>(A);
}

#[test]
fn a_token_that_a_new_life_makes_again_is_noticed() {
    let story = Story::new("rl");
    story.start::<RlMessage>(A, 0);
    story.enter::<RlMessage>(A);
    story.leave::<RlMessage>(A);
    story.expect(0, "");
    story.stop::<RlMessage>(A, 0);
    story.start::<RlMessage>(A, 1);
    story.enter::<RlMessage>(A);
    story.expect(1, "custody");
}

#[test]
fn an_entry_after_the_owner_of_the_token_stopped_is_noticed() {
    let story = Story::new("rl");
    for node in [A, B] {
        story.start::<RlMessage>(node, 0);
    }
    story.stop::<RlMessage>(A, 0);
    story.enter::<RlMessage>(B);
    story.expect(1, "custody");
}

#[test]
fn a_message_on_a_link_of_an_earlier_life_is_noticed() {
    let story = Story::new("rl");
    for node in [A, B] {
        story.start::<RlMessage>(node, 0);
        story.tell::<RlMessage>(|recorder| {
            let (peer, role) = match node {
                A => (B, Role::Moving),
                _ => (A, Role::Static),
            };
            let incarnation = (Epoch(1), Epoch(1));
            recorder.note(
                node,
                &Note::Up {
                    peer,
                    incarnation,
                    role,
                },
            );
        });
    }
    let msg = RlMessage::LinkInfo(Height {
        h1: 0,
        h2: 0,
        id: B,
    });
    let sends = Action::Send { to: A, msg };
    story.tell::<RlMessage>(|recorder| recorder.action(B, &sends, None));
    story.stop::<RlMessage>(B, 0);
    // What was under way arrives, whether its sender lives or not.
    let arrives = Event::Message { from: B, msg };
    story.tell::<RlMessage>(|recorder| recorder.event(A, &arrives));
    story.expect(0, "");
    story.start::<RlMessage>(B, 1);
    story.tell::<RlMessage>(|recorder| recorder.action(B, &sends, None));
    story.expect(1, "where no link is up");
}
