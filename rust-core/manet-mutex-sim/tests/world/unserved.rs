//! A request that is not served by the end of a run is reported, by every simulator.

use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::{Demand, NodeId, Time};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::world::radio::{Preset, RadioSetup, RadioWorld};
use manet_mutex_sim::world::routed::{RoutedSetup, RoutedWorld};
use manet_mutex_sim::world::script::Script;
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Doom, Report, Setup, World};

/// Node 0 enters and stays for as long as `stay` says, and node 1 waits.
fn two_requests(stay: Span) -> Workload {
    let request = |at, node| (Time::from_secs(at), NodeId(node), Demand::Exclusive);
    Workload {
        think: Span::Never,
        stay,
        script: vec![request(5.0, 0), request(6.0, 1)],
        ..Workload::default()
    }
}

const BRIEF: Span = Span::Fixed(0.1);

/// Over ideal links.
fn graph<P: Population + Invariants>(stay: Span, nodes: usize, doomed: Option<u32>) -> Report {
    let doom = |node| Doom {
        at: Time::from_secs(1.0),
        node: NodeId(node),
        inside: false,
    };
    let setup = Setup {
        workload: two_requests(stay),
        duration: Time::from_secs(10.0),
        doomed: doomed.map(doom).into_iter().collect(),
        monitor_every: 1,
        ..Setup::new(Graph::path(nodes), 1)
    };
    let mut world = World::<P>::new(setup, &P::Config::default()).expect("connected");
    world.run()
}

#[test]
fn over_ideal_links() {
    assert!(graph::<Rl>(BRIEF, 2, None).is_clean());
    let report = graph::<Rl>(Span::Never, 2, None);
    assert!(report.violations.is_empty() && !report.is_clean());
    assert_eq!((report.unserved, report.waiting), (1, vec![NodeId(1)]));
}

/// The failure locality of `lme2` is 2.
#[test]
fn over_ideal_links_a_crash_excuses_those_near_it() {
    let report = graph::<Lme2>(Span::Never, 5, Some(3));
    assert!(report.is_clean());
    assert_eq!(report.waiting, [NodeId(1)]);
    let report = graph::<Lme2>(Span::Never, 5, Some(4));
    assert!(!report.is_clean());
    assert_eq!((report.unserved, report.waiting), (1, vec![NodeId(1)]));
}

#[test]
fn in_a_scripted_run() {
    let events = [
        r#"{"t":0.5,"node":0,"event":"link_up","peer":1}"#,
        r#"{"t":0.5,"node":1,"event":"link_up","peer":0}"#,
        r#"{"t":5.0,"node":0,"event":"request"}"#,
        r#"{"t":6.0,"node":1,"event":"request"}"#,
    ];
    let script = Script::read(events.join("\n").as_bytes(), None).expect("a script");
    let run = |stay| {
        let mut setup = Setup::scripted(&script, 1);
        setup.workload.stay = stay;
        let world = World::<Rl>::scripted(setup, &script, &Default::default());
        world.expect("a world").run()
    };
    assert!(run(BRIEF).is_clean());
    let report = run(Span::Never);
    assert!(report.violations.is_empty() && !report.is_clean());
    assert_eq!((report.unserved, report.waiting), (1, vec![NodeId(1)]));
}

#[test]
fn over_the_radio() {
    let run = |stay| {
        let setup = RadioSetup {
            nodes: 2,
            workload: two_requests(stay),
            duration: Time::from_secs(10.0),
            grace: Time::from_secs(20.0),
            ..RadioSetup::preset(Preset::Default, 1)
        };
        let world = RadioWorld::<Rl>::new(setup, &Default::default());
        world.expect("a world").run(|_, _| {})
    };
    assert!(run(BRIEF).is_clean());
    let report = run(Span::Never);
    assert!(report.violations.is_empty() && !report.is_clean());
    assert_eq!(report.unserved, 1);
}

#[test]
fn over_routing() {
    let run = |stay| {
        let setup = RoutedSetup {
            workload: two_requests(stay),
            duration: Time::from_secs(10.0),
            ..RoutedSetup::new(Graph::path(2), 1)
        };
        let world = RoutedWorld::<NaimiTrehel>::new(setup, &());
        world.expect("a world").run(|_, _| {})
    };
    assert!(run(BRIEF).is_clean());
    let report = run(Span::Never);
    assert!(report.violations.is_empty() && !report.is_clean());
    assert_eq!(report.unserved, 1);
}
