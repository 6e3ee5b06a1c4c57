//! A node as its host sees it: inputs that make no sense are errors and change nothing.

use manet_mutex::graph::Graph;
use manet_mutex::link::{Config, FrameId, Power};
use manet_mutex::machine::ProtocolError;
use manet_mutex::node::{Happening, Input, Node, NodeError, Outputs};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::rl::{Rl, RlMessage};
use manet_mutex::protocol::routed::raymond::{Raymond, RaymondMessage};
use manet_mutex::{Demand, NodeId, Time};

fn node() -> Node<Rl> {
    let rl = Rl::new(NodeId(0), true, &Default::default());
    Node::new(rl, &Config::default(), Time::ZERO).expect("sound")
}

fn handle(node: &mut Node<Rl>, now: u64, input: Input<'_>) -> Result<Vec<Happening>, String> {
    let mut out: Outputs<RlMessage> = Outputs::new();
    match node.handle(Time(now), input, &mut out, &mut ()) {
        Ok(came) => {
            assert!(came || out.is_empty(), "something came of it");
            Ok(out.happenings)
        }
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

fn routed() -> [Node<Raymond>; 2] {
    let machines = Raymond::settled(&Graph::path(2), &()).expect("connected");
    let config = manet_mutex::transport::Config::default();
    let node = |machine| Node::routed(machine, &config, Time::ZERO).expect("sound");
    let nodes: Vec<_> = machines.into_iter().map(node).collect();
    nodes.try_into().expect("two")
}

#[test]
fn a_protocol_of_neighbours_needs_more_than_routing() {
    let rl = Rl::new(NodeId(0), true, &Default::default());
    let made = Node::routed(rl, &Default::default(), Time::ZERO);
    assert_eq!(
        made.map(|_| ()).expect_err("no neighbours"),
        NodeError::NeedsLinks("rl")
    );
}

#[test]
fn over_routing_a_request_is_served() {
    let mut nodes = routed();
    let mut out: Outputs<RaymondMessage> = Outputs::new();
    let mut air: Vec<(NodeId, Vec<u8>)> = Vec::new();
    let mut entered = Vec::new();
    let inputs = [Input::Start, Input::Start, REQUEST];
    for (place, input) in [0, 1, 1].into_iter().zip(inputs) {
        nodes[place]
            .handle(Time::ZERO, input, &mut out, &mut ())
            .expect("in order");
    }
    loop {
        let sent = out
            .frames()
            .map(|(frame, bytes)| (frame.to.expect("one"), bytes.to_vec()));
        air.extend(sent);
        entered.extend(out.happenings.iter().copied());
        out.clear();
        if air.is_empty() {
            break;
        }
        let (to, bytes) = air.remove(0);
        let input = Input::Datagram { bytes: &bytes };
        nodes[to.index()]
            .handle(Time(1), input, &mut out, &mut ())
            .expect("true");
    }
    assert_eq!(entered, [Happening::Enter(Demand::Exclusive)]);
    assert_eq!(
        nodes.each_ref().map(Node::due),
        [manet_mutex::node::NEVER; 2]
    );
}

#[test]
fn frames_and_datagrams_are_told_apart() {
    let mut neighbour = node();
    handle(&mut neighbour, 0, Input::Start).expect("first");
    let error = handle(&mut neighbour, 1, Input::Datagram { bytes: &[] }).expect_err("misuse");
    assert!(error.contains("hand in frames"), "{error}");
    let [mut far, _] = routed();
    let mut out = Outputs::new();
    let mut tell = |input| far.handle(Time::ZERO, input, &mut out, &mut ());
    tell(Input::Start).expect("first");
    let power = Power::from_dbm(-60.0);
    let error = tell(Input::Frame { bytes: &[], power }).expect_err("misuse");
    assert!(error.to_string().contains("hand in datagrams"), "{error}");
    tell(Input::RouteUp { peer: NodeId(1) }).expect("a hint");
    tell(Input::Motion { moving: true }).expect("all the same");
}
