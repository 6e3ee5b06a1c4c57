//! A node as its host sees it: inputs that make no sense are errors and change nothing.

use manet_mutex::graph::Graph;
use manet_mutex::link::{Config, FrameId, Power};
use manet_mutex::machine::ProtocolError;
use manet_mutex::node::{Happening, Input, Node, NodeError, Outputs};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::rl::{Rl, RlMessage};
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::{Demand, NodeId, Time};

fn node() -> Node<Rl> {
    let rl = Rl::new(NodeId(0), true, &Default::default());
    Node::new(rl, &Config::default(), Time::ZERO).expect("sound")
}

fn handle(node: &mut Node<Rl>, now: u64, input: Input<'_>) -> Result<Vec<Happening>, String> {
    let mut out: Outputs<RlMessage> = Outputs::new();
    match node.handle(Time(now), input, &mut out, &mut ()) {
        Ok(()) => Ok(out.happenings),
        Err(error) => Err(error.to_string()),
    }
}

const REQUEST: Input<'_> = Input::Request(Demand::Exclusive);

#[test]
fn misuse_is_told_and_changes_nothing() {
    let mut node = node();
    let misuse = |node: &mut Node<Rl>, now, input: Input<'_>, what: &str| {
        let before = format!("{node:?}");
        let error = handle(node, now, input).expect_err("misuse");
        assert!(error.contains(what), "{error}");
        assert_eq!(before, format!("{node:?}"));
    };
    misuse(&mut node, 0, REQUEST, "the first input is Start");
    handle(&mut node, 5, Input::Start).expect("first");
    misuse(&mut node, 5, Input::Start, "start a node once");
    misuse(&mut node, 4, Input::Wake, "time goes backwards");
    misuse(&mut node, u64::MAX, Input::Wake, "time has run out");
    misuse(&mut node, 5, Input::Release, "released while not inside");
    handle(&mut node, 5, REQUEST).expect("idle");
    misuse(&mut node, 5, REQUEST, "requested while waiting or inside");
    handle(&mut node, 5, Input::Release).expect("inside");
}

#[test]
fn a_demand_that_the_protocol_cannot_serve_is_refused_and_leaves_the_node_idle() {
    let mut node = node();
    handle(&mut node, 0, Input::Start).expect("first");
    let wish = Input::Request(Demand::Group(3));
    let mut out = Outputs::new();
    let refused = node.handle(Time(1), wish, &mut out, &mut ());
    assert!(matches!(refused, Err(ProtocolError::Refused { .. })));
    let entered = handle(&mut node, 2, REQUEST).expect("idle again");
    assert_eq!(entered, [Happening::Enter(Demand::Exclusive)]);
}

#[test]
fn noise_is_not_a_frame() {
    let mut node = node();
    handle(&mut node, 0, Input::Start).expect("first");
    let power = Power::from_dbm(-60.0);
    for bytes in [&[][..], &[1], &[1, 1, 9, 0], &[0xff; 4000]] {
        let frame = Input::Frame { bytes, power };
        assert_eq!(handle(&mut node, 1, frame), Ok(Vec::new()));
    }
    let stray = Input::Sent {
        id: FrameId(u64::MAX),
        ok: true,
    };
    assert_eq!(handle(&mut node, 1, stray), Ok(Vec::new()));
}

#[test]
fn a_protocol_over_routing_needs_more_than_neighbours() {
    let mut machines = Raymond::settled(&Graph::path(2), &()).expect("connected");
    let made = Node::new(machines.remove(0), &Config::default(), Time::ZERO);
    assert_eq!(
        made.map(|_| ()).expect_err("no routing"),
        NodeError::NeedsRouting("raymond")
    );
}
