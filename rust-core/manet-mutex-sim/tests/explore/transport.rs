//! Everything that can happen between two ends of a transport, and random schedules of whole ones.

use manet_mutex::Demand;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Groups;
use manet_mutex::protocol::routed::dgme::{Config, Dgme};
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::transport::Flaw;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::Limits;
use manet_mutex_sim::explore::transport::schedules::{run, run_all};
use manet_mutex_sim::explore::transport::{
    Report, Settings, Sometimes, explore_stack, explore_transport,
};

fn explored(messages: u8, restarts: u8, flaw: Option<Flaw>) -> Report {
    let settings = Settings {
        messages,
        restarts,
        flaw,
        ..Settings::default()
    };
    let limits = Limits {
        first_violation: flaw.is_some(),
        ..Limits::default()
    };
    explore_transport(settings, limits, &mut |_| {})
}

fn clean(messages: u8, restarts: u8) {
    let report = explored(messages, restarts, None);
    println!(
        "{messages} messages, {restarts} restarts: {} states",
        report.states
    );
    assert!(report.violations.is_empty(), "{:#?}", report.violations);
    assert!(report.complete);
}

#[test]
fn without_restarts_everything_arrives_once() {
    clean(3, 0);
}

#[test]
fn across_a_restart_nothing_is_doubled_or_vanishes() {
    clean(2, 1);
}

#[test]
#[ignore = "minutes"]
fn larger_ones() {
    clean(4, 0);
    clean(3, 1);
    clean(2, 2);
}

#[test]
fn everything_that_can_happen_does() {
    let report = explored(2, 1, None);
    assert!(
        Sometimes::ALL
            .iter()
            .all(|&(what, _)| report.seen.has(what))
    );
}

/// Each rule is there for a reason.
#[test]
fn every_flaw_is_noticed_by_exploration() {
    for (flaw, name) in Flaw::ALL {
        let report = explored(2, 1, Some(flaw));
        let broken = report.violations.iter().find(|v| !v.trace.is_empty());
        let broken = broken.unwrap_or_else(|| panic!("{name}: nothing goes wrong"));
        println!("{name}: {} ({} steps)", broken.property, broken.trace.len());
    }
}

#[test]
fn random_schedules_keep_every_promise() {
    let summary = run_all(0..3000, None, false, &|_| {});
    assert_eq!(summary.failures, []);
    let stats = summary.stats;
    assert_eq!(stats.schedules, 3000);
    let happened = [
        stats.delivered,
        stats.refused,
        stats.restarts,
        stats.in_doubt,
        stats.unsent,
        stats.unreachable,
        stats.again,
    ];
    assert!(happened.iter().all(|&count| count > 0), "{stats:?}");
}

#[test]
fn every_flaw_is_noticed_by_random_schedules() {
    for (flaw, name) in Flaw::ALL {
        let summary = run_all(0..3000, Some(flaw), false, &|_| {});
        let (seed, _) = summary
            .failures
            .first()
            .unwrap_or_else(|| panic!("{name}: nothing goes wrong"));
        assert!(run(*seed, Some(flaw)).is_err() && run(*seed, None).is_ok());
        println!("{name}: {} of 3000, first {seed}", summary.failed);
    }
}

fn stack<P: Population + Invariants>(
    config: &P::Config,
    wishes: [&str; 2],
    flaw: Option<Flaw>,
) -> Report {
    let demands = |text: &str| {
        let demand = |word: &str| match word.strip_prefix('g') {
            Some(group) => Demand::Group(group.parse().expect("a number")),
            None => Demand::Exclusive,
        };
        text.split_whitespace().map(demand).collect()
    };
    let settings = Settings {
        flaw,
        ..Settings::default()
    };
    let limits = Limits {
        first_violation: flaw.is_some(),
        ..Limits::default()
    };
    let report =
        explore_stack::<P>(config, wishes.map(demands), settings, limits).expect("two nodes");
    println!("{} {wishes:?} {flaw:?}: {} states", P::NAME, report.states);
    report
}

/// Loss, doubles and disorder below the transport: the protocol above keeps its promises.
#[test]
fn protocols_on_the_transport_keep_theirs() {
    let two = Config {
        groups: Groups::new(2).expect("two"),
        ..Config::default()
    };
    for report in [
        stack::<Raymond>(&(), ["x x", "x x"], None),
        stack::<NaimiTrehel>(&(), ["x x", "x x"], None),
        stack::<Dgme>(&two, ["g1", "g0 g1"], None),
    ] {
        assert!(report.violations.is_empty(), "{:#?}", report.violations);
        assert!(report.complete);
    }
}

#[test]
fn protocols_on_a_transport_with_a_flaw_do_not() {
    for flaw in [
        Flaw::NoDuplicateCheck,
        Flaw::SackIsCumulative,
        Flaw::NeverAgain,
    ] {
        let report = stack::<NaimiTrehel>(&(), ["x x", "x x"], Some(flaw));
        assert!(!report.violations.is_empty(), "{flaw}: nothing goes wrong");
    }
}
