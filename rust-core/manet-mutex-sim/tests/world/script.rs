//! A recorded run, played again.

use crate::sink::Sink;
use manet_mutex::Time;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::time::span;
use manet_mutex_sim::random::Random;
use manet_mutex_sim::world::delay::Delay;
use manet_mutex_sim::world::script::Script;
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::{Report, Setup, World};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;

const HALF: Delay = Delay::Fixed(std::time::Duration::from_millis(500));

fn read(text: &str) -> Script {
    Script::read(text.as_bytes(), None).expect("a script")
}

/// Plays a script; returns the trace too.
fn play(text: &str, delay: Delay) -> (Report, String) {
    let (script, sink) = (read(text), Sink::default());
    let setup = Setup {
        delay,
        ..Setup::scripted(&script, 1)
    };
    let world = World::<Rl>::scripted(setup, &script, &Default::default()).expect("apart");
    let report = world.traced(Tracer::new(Box::new(sink.clone()))).run();
    (report, sink.text())
}

/// Plays a script in which all are served; returns the lines of the trace.
fn lines(text: &str) -> Vec<Value> {
    let (report, trace) = play(text, HALF);
    assert!(report.is_clean(), "{:?}\n{trace}", report.violations);
    let parse = |line: &str| serde_json::from_str(line).expect("one object");
    trace.lines().map(parse).collect()
}

/// `TIME EVENT NODE[-PEER]`, separated by commas, as a script.
fn script(text: &str) -> String {
    let mut lines = String::new();
    for event in text.split(',') {
        let words: Vec<&str> = event.split_whitespace().collect();
        let [t, event, at] = words[..] else {
            panic!("{event}")
        };
        let (node, peer) = at.split_once('-').unwrap_or((at, "null"));
        writeln!(
            lines,
            r#"{{"t":{t},"node":{node},"event":"{event}","peer":{peer}}}"#
        )
        .expect("text takes all");
    }
    lines
}

/// What happened at some nodes at a time, as `EVENT NODE[-PEER]`.
fn at(lines: &[Value], t: f64) -> Vec<String> {
    let told = |line: &Value| {
        let peer = line["peer"].as_u64().map(|peer| format!("-{peer}"));
        let event = line["event"].as_str().expect("a name");
        format!("{event} {}{}", line["node"], peer.unwrap_or_default())
    };
    let then = |line: &&Value| line["t"].as_f64() == Some(t);
    lines.iter().filter(then).map(told).collect()
}

fn time_of(lines: &[Value], event: &str, node: u64) -> Option<f64> {
    let found = lines
        .iter()
        .find(|line| line["event"].as_str() == Some(event) && line["node"].as_u64() == Some(node));
    found?["t"].as_f64()
}

#[test]
fn a_message_that_brings_its_link_up_is_handed_over_at_once() {
    let lines = lines(&script("1 link_up 0-1, 1.5 link_up 1-0, 3 request 1"));
    assert_eq!(at(&lines, 1.0), ["link_up 0-1", "send 0-1"]);
    assert_eq!(
        at(&lines, 1.5),
        ["link_up 1-0", "send 1-0", "recv 1-0"],
        "half a second on its way, and not twice"
    );
    assert_eq!(time_of(&lines, "enter", 1), Some(4.0));
}

/// Node 0 hears two nodes in the same moment, as after one of its hellos.
#[test]
fn two_messages_that_bring_links_up_come_one_by_one() {
    let ups = "1 link_up 1-0, 1 link_up 2-0, 1.5 link_up 0-1, 1.5 link_up 0-2";
    let lines = lines(&script(ups));
    let then: Vec<String> = at(&lines, 1.5);
    let coming = then.iter().filter(|event| !event.starts_with("send"));
    let coming: Vec<&String> = coming.collect();
    assert_eq!(
        coming,
        ["link_up 0-1", "recv 0-1", "link_up 0-2", "recv 0-2"]
    );
}

#[test]
fn a_message_waits_for_its_link_to_come_up() {
    let lines = lines(&script("1 link_up 0-1, 7 link_up 1-0"));
    assert_eq!(at(&lines, 7.0), ["link_up 1-0", "send 1-0", "recv 1-0"]);
}

#[test]
fn a_message_arrives_right_before_its_link_closes() {
    let up = "1 link_up 0-1, 1 link_up 1-0, 3 request 1";
    let both = |t: &str| format!("{t} link_down 0-1, {t} link_down 1-0");
    // The token is due at 4.
    let in_time = lines(&script(&format!("{up}, {}", both("4"))));
    assert_eq!(
        at(&in_time, 4.0)[..4],
        ["recv 1-0", "send 1-0", "enter 1", "link_down 0-1"]
    );
    let back = "6 link_up 0-1, 6 link_up 1-0";
    let late = lines(&script(&format!("{up}, {}, {back}", both("3.999999999"))));
    let entered = time_of(&late, "enter", 1);
    assert!(entered > Some(6.0), "the token went back: {entered:?}");
}

#[test]
fn inputs_of_one_moment_keep_their_order() {
    let lines = lines(&script("1 link_up 0-1, 1 request 1, 1 link_up 1-0"));
    let then: Vec<String> = at(&lines, 1.0);
    assert_eq!(then[0], "link_up 0-1");
    assert!(then[1..].contains(&"request 1".to_owned()));
    let place = |what: &str| then.iter().position(|event| event == what);
    assert!(place("request 1") < place("link_up 1-0"));
}

/// An end that never came up does not stand in the way of the next incarnation.
#[test]
fn a_link_that_came_up_at_one_end_only_begins_anew_from_either() {
    for (first, second) in [("0-1", "1-0"), ("1-0", "0-1")] {
        let lines = lines(&script(&format!(
            "1 link_up 0-1, 2 link_down 0-1, 3 link_up {first}, 3 link_up {second}, 4 request 1"
        )));
        assert_eq!(time_of(&lines, "enter", 1), Some(5.0));
    }
}

#[test]
fn one_end_is_static_and_one_moving() {
    let roles = |text: &str| -> Vec<String> {
        let lines = lines(text);
        let ups = lines.iter().filter(|line| line["event"] == "link_up");
        ups.map(|line| line["role"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        roles(&script("1 link_up 1-0, 1 link_up 0-1")),
        ["moving", "static"]
    );
    let told = script("1 link_up 1-0, 1 link_up 0-1").replacen('}', r#","role":"static"}"#, 1);
    assert_eq!(roles(&told), ["static", "moving"]);
}

#[test]
fn only_inputs_are_taken_from_a_recorded_run() {
    let text = script("1 link_up 0-1, 1 link_up 1-0, 2 request 1");
    let noise = r#"{"t":2.5,"node":7,"event":"enter","speed":[1,2]}
{"t":4,"event":"weather","node":"all"}

{"t":9.25,"node":1,"event":"move","x":3.5}"#;
    let script = read(&format!("{text}{noise}"));
    assert_eq!(
        script.inputs().len(),
        4,
        "a link that begins, two ends, a wish"
    );
    assert_eq!((script.nodes(), script.end()), (2, Time(9_250_000_000)));
    let fields = |line: &manet_mutex_sim::world::script::Input| (line.line, line.at);
    assert_eq!(
        script.inputs().iter().map(fields).next_back(),
        Some((3, Time::from_secs(2.0)))
    );
    assert!(read(r#"{"t":0.123456789,"node":3,"event":"request"}"#).end() == Time(123_456_789));
}

#[test]
fn what_comes_after_the_duration_is_left_out() {
    let script = read(&script(
        "1 link_up 0-1, 1 link_up 1-0, 2 request 1, 9 request 1",
    ));
    let entries = |seconds: f64| {
        let setup = Setup {
            delay: HALF,
            duration: Time::from_secs(seconds),
            ..Setup::scripted(&script, 1)
        };
        let mut world = World::<Rl>::scripted(setup, &script, &Default::default()).unwrap();
        world.run().meter.entries()
    };
    assert_eq!((entries(8.0), entries(9.0)), (1, 2));
}

#[test]
fn a_request_while_its_node_waits_is_skipped() {
    let text = "1 link_up 0-1, 1 link_up 1-0, 2 request 1, 2.25 request 1, 9 request 1";
    assert_eq!(play(&script(text), HALF).0.meter.entries(), 2);
}

#[test]
fn a_protocol_that_needs_a_start_graph_says_so() {
    let script = read(&script("1 request 0"));
    let refused = World::<Raymond>::scripted(Setup::scripted(&script, 1), &script, &());
    let text = refused.expect_err("raymond needs a tree").to_string();
    assert!(text.contains("without a script"), "{text}");
}

/// Links that come and go at random, on quarters of a second: much happens in the same moment.
fn random_script(seed: u64) -> String {
    let random = &mut Random::stream(seed, "script");
    let nodes = 2 + random.below(4);
    let mut links = BTreeMap::<(usize, usize), [bool; 2]>::new();
    let mut waiting = BTreeMap::<(usize, usize), usize>::new();
    let mut events: Vec<String> = Vec::new();
    let mut now = 0.25;
    for _ in 0..60 + random.below(60) {
        now += 0.25 * random.below(3) as f64;
        let (a, b) = (random.below(nodes), random.below(nodes));
        if a == b {
            events.push(format!("{now} request {a}"));
            continue;
        }
        let (pair, end) = ((a.min(b), a.max(b)), usize::from(a > b));
        let up = links.entry(pair).or_default();
        if up[end] {
            up[end] = false;
            waiting.remove(&pair);
            events.push(format!("{now} link_down {a}-{b}"));
        } else if !up[1 - end] || waiting.get(&pair) == Some(&end) {
            waiting.remove(&pair);
            if !up[1 - end] {
                waiting.insert(pair, 1 - end);
            }
            up[end] = true;
            events.push(format!("{now} link_up {a}-{b}"));
        }
    }
    // Everybody can be served at the end.
    for (&(a, b), up) in &links {
        let ends = [(a, b), (b, a)].into_iter().zip(up);
        events.extend(
            ends.filter(|(_, up)| **up)
                .map(|((node, peer), _)| format!("{} link_down {node}-{peer}", now + 1.0)),
        );
    }
    let others = || 1..nodes;
    events.extend(others().map(|node| format!("{} link_up 0-{node}", now + 2.0)));
    events.extend(others().map(|node| format!("{} link_up {node}-0", now + 2.25)));
    script(&events.join(","))
}

/// Everything arrives exactly when it is due, or as soon as its link is up.
fn check_times(trace: &str) -> usize {
    let mut under_way = BTreeMap::<(u64, u64), VecDeque<Time>>::new();
    let mut up = BTreeMap::<(u64, u64), Time>::new();
    let mut received = 0;
    for line in trace.lines() {
        let line: Value = serde_json::from_str(line).expect("one object");
        let t = Time::from_secs(line["t"].as_f64().expect("a time"));
        let node = line["node"].as_u64().expect("a node");
        let peer = line["peer"].as_u64().unwrap_or(node);
        match line["event"].as_str().expect("a name") {
            "link_up" => drop(up.insert((node, peer), t)),
            "link_down" => drop(under_way.remove(&(node, peer))),
            "send" => under_way
                .entry((node, peer))
                .or_default()
                .push_back(t + span(0.5)),
            "recv" => {
                let lane = under_way.get_mut(&(peer, node));
                let due = lane.and_then(VecDeque::pop_front).expect("it was sent");
                assert_eq!(t, due.max(up[&(node, peer)]), "{line}\n{trace}");
                received += 1;
            }
            _ => {}
        }
    }
    received
}

#[test]
fn a_trace_is_the_script_of_the_same_run() {
    let (mut received, mut entries) = (0, 0);
    for seed in 0..300 {
        let (report, trace) = play(&random_script(seed), HALF);
        assert!(report.is_clean(), "seed {seed}: {:?}", report.violations);
        received += check_times(&trace);
        entries += report.meter.entries();
        assert_eq!(play(&trace, HALF).1, trace, "seed {seed}");
        let varied = Delay::Exponential { mean: 0.5 };
        let (report, trace) = play(&random_script(seed), varied);
        assert!(report.is_clean(), "seed {seed}: {:?}", report.violations);
        assert_eq!(play(&trace, varied).1, trace, "seed {seed}");
    }
    assert!(received > 5000 && entries > 1000, "{received}, {entries}");
}

/// No state on the way breaks an invariant of the protocol.
#[test]
fn states_are_looked_into_on_the_way() {
    for seed in 0..50 {
        let script = read(&random_script(seed));
        let setup = Setup {
            delay: HALF,
            monitor_every: 1,
            grace: Time::from_secs(60.0),
            ..Setup::scripted(&script, seed)
        };
        let mut world = World::<Rl>::scripted(setup, &script, &Default::default()).unwrap();
        let report = world.run();
        assert!(report.is_clean(), "seed {seed}: {:?}", report.violations);
    }
}

#[test]
fn wrong_lines_are_told() {
    let up = r#"{"t":1,"node":0,"event":"link_up","peer":1}"#;
    let cases = [
        ("", "no link_up"),
        (r#"{"t":1,"node":0,"event":"enter"}"#, "no link_up"),
        ("{\"t\":1,\n", "line 1: EOF"),
        ("nonsense", "line 1: expected"),
        (r#"{"node":1,"event":"request"}"#, "missing field `t`"),
        (r#"{"t":1,"event":"request"}"#, "missing field `node`"),
        (r#"{"t":-1,"node":1,"event":"request"}"#, "seconds from 0"),
        (r#"{"t":1e7,"node":1,"event":"request"}"#, "seconds from 0"),
        (r#"{"t":1,"node":4000000000,"event":"request"}"#, "--nodes"),
        (r#"{"t":1,"node":0,"event":"link_up"}"#, "needs a peer"),
        (r#"{"t":1,"node":0,"event":"link_up","peer":0}"#, "itself"),
        (
            r#"{"t":1,"node":0,"event":"link_up","peer":1,"role":"x"}"#,
            "`static` or `moving`",
        ),
        (r#"{"t":1,"node":0,"event":"link_down","peer":1}"#, "not up"),
        (
            r#"{"t":1,"node":0,"event":"request","resource":1,"units":1}"#,
            "not for both",
        ),
    ];
    for (text, hint) in cases {
        let error = Script::read(text.as_bytes(), None).expect_err(hint);
        assert!(error.to_string().contains(hint), "{text}: {error}");
    }
    let after_up = [
        (r#"{"t":0.5,"node":0,"event":"enter"}"#, "sort the lines"),
        (r#"{"t":1,"node":0,"event":"link_up","peer":1}"#, "already"),
        (r#"{"t":1,"node":1,"event":"link_down","peer":0}"#, "not up"),
        (
            "{\"t\":1,\"node\":1,\"event\":\"link_up\",\"peer\":0,\"role\":\"static\"}",
            "same role",
        ),
    ];
    for (text, hint) in after_up {
        let error = Script::read(format!("{up}\n{text}").as_bytes(), None).expect_err(hint);
        let error = error.to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(hint),
            "{error}"
        );
    }
    let reopened = script("1 link_up 0-1, 1 link_up 1-0, 2 link_down 0-1, 3 link_up 0-1");
    let error = Script::read(reopened.as_bytes(), None).expect_err("still up at node 1");
    assert!(error.to_string().contains("line 4: ") && error.to_string().contains("still up"));
    assert!(Script::read(up.as_bytes(), Some(1)).is_err(), "node 1 of 1");
    assert!(Script::read(&[0xff, 0xfe][..], None).is_err(), "no text");
}

#[test]
fn demands_come_with_requests() {
    let text = r#"{"t":1,"node":0,"event":"request","units":3,"priority":2}"#;
    let script = read(text);
    assert_eq!(script.inputs()[0].step.to_string(), "req 0 u3p2");
    let group = read(r#"{"t":1,"node":0,"event":"request","resource":4}"#);
    assert_eq!(group.inputs()[0].step.to_string(), "req 0 g4");
    let refused = World::<Rl>::scripted(Setup::scripted(&group, 1), &group, &Default::default());
    let error = refused.expect_err("rl has no groups").to_string();
    assert!(
        error.starts_with("line 1: ") && error.contains("exclusive"),
        "{error}"
    );
}
