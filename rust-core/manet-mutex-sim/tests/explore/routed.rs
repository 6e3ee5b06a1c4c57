//! Every interleaving of the protocols over routing: in order and in any order, and what becomes of
//! them without a transport. Larger ones are ignored by default.

use crate::common::{model, requests};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Groups;
use manet_mutex::protocol::routed::dgme::{Config, Dgme, Operators};
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{
    Limits, Model, Report, Requests, Routing, Settings, Sometimes, explore, second_opinion,
};

const ORDERED: Routing = Routing {
    unordered: false,
    losses: 0,
    doubles: 0,
};
const UNORDERED: Routing = Routing {
    unordered: true,
    ..ORDERED
};

fn routed<P: Population + Invariants>(
    topology: &str,
    config: &P::Config,
    requests: Requests,
    routing: Routing,
) -> Model<P> {
    let settings = Settings {
        requests,
        routing,
        ..Settings::default()
    };
    model::<P>(topology, config, settings)
}

fn explored<P: Population + Invariants>(model: &Model<P>, first: bool) -> Report {
    let limits = Limits {
        first_violation: first,
        ..Limits::default()
    };
    explore(model, limits, &mut |_| {})
}

/// All states are good, in order and in any order, and stateright counts as many.
fn clean<P: Population + Invariants>(topology: &str, config: &P::Config, requests: &Requests) {
    let mut counts = Vec::new();
    for routing in [ORDERED, UNORDERED] {
        let model = routed::<P>(topology, config, requests.clone(), routing);
        let report = explored(&model, false);
        assert!(report.violations.is_empty(), "{:?}", report.violations);
        assert!(report.complete);
        let second = second_opinion(model).expect("no violation");
        assert_eq!(second, report.states);
        counts.push((report.states, report.seen.has(Sometimes::Overtaken)));
    }
    println!("{} on {topology}: {counts:?}", P::NAME);
    assert!(!counts[0].1, "in order nothing overtakes");
    assert!(counts[0].0 <= counts[1].0);
}

fn groups(count: u32) -> Config {
    Config {
        groups: Groups::new(count).expect("a few"),
        ..Config::default()
    }
}

#[test]
fn raymond_in_any_order() {
    clean::<Raymond>("path:3", &(), &Requests::any(3, 6));
    clean::<Raymond>("star:4", &(), &Requests::any(4, 4));
}

#[test]
fn naimi_trehel_in_any_order() {
    clean::<NaimiTrehel>("complete:2", &(), &Requests::any(2, 6));
    clean::<NaimiTrehel>("complete:3", &(), &Requests::any(3, 6));
    clean::<NaimiTrehel>("complete:4", &(), &Requests::any(4, 4));
}

#[test]
fn dgme_in_any_order() {
    clean::<Dgme>(
        "complete:2",
        &groups(2),
        &requests("0 g0, 1 g1, 0 g1, 1 g0"),
    );
    clean::<Dgme>(
        "complete:3",
        &groups(2),
        &requests("0 g0, 1 g1, 2 g1, 2 g0"),
    );
    clean::<Dgme>(
        "complete:3",
        &groups(3),
        &requests("0 g1, 1 g2, 2 g0, 0 g2"),
    );
    // More sessions than nodes: some share a home.
    clean::<Dgme>("complete:2", &groups(5), &requests("0 g4, 1 g3, 0 g2"));
}

#[test]
fn messages_do_overtake_each_other() {
    let model = routed::<Dgme>(
        "complete:2",
        &groups(2),
        requests("0 g0, 1 g0, 1 g1, 0 g1"),
        UNORDERED,
    );
    let report = explored(&model, false);
    assert!(report.seen.has(Sometimes::Overtaken) && report.seen.has(Sometimes::Together));
}

#[test]
#[ignore = "minutes"]
fn larger_ones() {
    clean::<Raymond>("path:4", &(), &Requests::any(4, 8));
    clean::<NaimiTrehel>("complete:4", &(), &Requests::any(4, 7));
    clean::<NaimiTrehel>("complete:5", &(), &Requests::any(5, 5));
    clean::<Dgme>(
        "complete:3",
        &groups(3),
        &requests("0 g0, 1 g1, 2 g2, 0 g1, 1 g2, 2 g0"),
    );
    clean::<Dgme>(
        "complete:4",
        &groups(4),
        &requests("0 g1, 1 g2, 2 g3, 3 g0, 0 g2"),
    );
}

/// [DGME, lost operators]: of the sixteen readings one is right.
#[test]
fn every_other_reading_of_the_operators_fails() {
    let cases = [
        ("complete:2", "0 g0, 1 g1, 0 g1, 1 g0"),
        ("complete:3", "0 g0, 1 g1, 2 g1, 2 g0"),
        ("complete:3", "0 g1, 1 g1, 2 g0, 0 g0"),
    ];
    for operators in Operators::wrong() {
        let config = Config {
            operators,
            ..groups(2)
        };
        let broken = cases.iter().any(|(topology, wishes)| {
            let model = routed::<Dgme>(topology, &config, requests(wishes), ORDERED);
            let report = explored(&model, true);
            report.violations.iter().any(|v| !v.trace.is_empty())
        });
        assert!(broken, "{operators}: nothing goes wrong");
    }
}

/// Without a transport a lost or doubled message breaks each of them (erratum G7 of DGME).
#[test]
fn without_a_transport_losses_and_doubles_break_them() {
    let mishaps = [
        Routing {
            losses: 1,
            ..ORDERED
        },
        Routing {
            doubles: 1,
            ..ORDERED
        },
    ];
    for routing in mishaps {
        let any = Requests::any(3, 3);
        assert!(breaks::<Raymond>("path:3", &(), &any, routing));
        assert!(breaks::<NaimiTrehel>("complete:3", &(), &any, routing));
        let wishes = requests("0 g1, 1 g0, 2 g1");
        assert!(breaks::<Dgme>("complete:3", &groups(2), &wishes, routing));
    }
}

fn breaks<P: Population + Invariants>(
    topology: &str,
    config: &P::Config,
    requests: &Requests,
    routing: Routing,
) -> bool {
    let report = explored(
        &routed::<P>(topology, config, requests.clone(), routing),
        true,
    );
    report.violations.iter().any(|v| !v.trace.is_empty())
}
