//! Attiya, Kogan, Welch, *Efficient and Robust Local Mutual Exclusion in Mobile Ad Hoc Networks*,
//! the second algorithm: one node, with the test as all its neighbours.

use manet_mutex::graph::Graph;
use manet_mutex::machine::{Action, Actions, Event, Protocol, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::State;
use manet_mutex::protocol::lme::algorithm2::{Lme2, Lme2Message as Msg};
use manet_mutex::protocol::lme::forks::Fork;
use manet_mutex::{Demand, NodeId};

struct Node(Lme2);

impl Node {
    fn hand(&mut self, event: Event<Msg>) -> Vec<Action<Msg>> {
        let mut out = Actions::new();
        self.0.handle(event, &mut out).expect("a legal event");
        out.drain().collect()
    }

    fn hear(&mut self, from: u32, msg: Msg) -> Vec<Action<Msg>> {
        let from = NodeId(from);
        self.hand(Event::Message { from, msg })
    }

    fn fork(&self, peer: u32) -> Fork {
        self.0.links().get(NodeId(peer)).expect("a link").fork()
    }
}

fn send(to: u32, msg: Msg) -> Action<Msg> {
    let to = NodeId(to);
    Action::Send { to, msg }
}

/// Node 0 of the path 0-1 is inside and has suspended the request of node 1.
fn inside_and_asked() -> Node {
    let mut nodes = Lme2::settled(&Graph::path(2), &Default::default()).expect("nodes");
    let mut node = Node(nodes.swap_remove(0));
    let entered = node.hand(Event::Request(Demand::Exclusive));
    assert!(entered.contains(&Action::Enter(Demand::Exclusive)));
    assert_eq!(node.hear(1, Msg::Notify), []);
    assert_eq!(node.hear(1, Msg::Req), []);
    assert_eq!(node.fork(1), Fork::Suspended);
    node
}

/// [LME 2]: a node that comes to another while inside is hungry again. It gives every fork that it
/// was asked for, as when it leaves, and wants it back.
#[test]
fn who_comes_gives_its_suspended_forks() {
    let mut node = inside_and_asked();
    let (peer, role) = (NodeId(2), Role::Moving);
    let actions = node.hand(Event::LinkUp { peer, role });
    assert_eq!(node.0.state(), State::Hungry);
    assert_eq!(
        actions,
        [
            Action::Demoted,
            send(1, Msg::Height(1)),
            send(1, Msg::Fork { flag: true }),
        ]
    );
    assert_eq!(node.fork(1), Fork::Asked);
}

/// The same while it waits: it has all forks of those before it and keeps that of node 1 until it
/// comes to node 2.
#[test]
fn who_comes_while_hungry_gives_its_suspended_forks() {
    let mut nodes = Lme2::settled(&Graph::path(3), &Default::default()).expect("nodes");
    let mut node = Node(nodes.swap_remove(1));
    node.hand(Event::Request(Demand::Exclusive));
    // Node 0 went after it and has kept its fork; node 2 gets none while node 1 may enter first.
    node.hear(0, Msg::Height(1));
    assert_eq!(node.hear(2, Msg::Req), []);
    assert_eq!(node.fork(2), Fork::Suspended);
    let (peer, role) = (NodeId(3), Role::Moving);
    let actions = node.hand(Event::LinkUp { peer, role });
    assert!(actions.contains(&send(2, Msg::Fork { flag: true })));
    assert_eq!(node.fork(2), Fork::Asked);
}

/// [LME 5]: a node that leaves goes after its neighbours and gives every fork that it was asked for.
#[test]
fn who_leaves_gives_its_suspended_forks() {
    let mut node = inside_and_asked();
    let given = Msg::Fork { flag: false };
    assert_eq!(
        node.hand(Event::Release),
        [send(1, Msg::Height(1)), send(1, given)]
    );
    assert_eq!(node.fork(1), Fork::Away);
}
