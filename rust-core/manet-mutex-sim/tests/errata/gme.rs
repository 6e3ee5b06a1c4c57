//! Each correction of `gme` is needed: with the rule as printed exploration finds what goes wrong.

use crate::common::{caught, model, requests};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::{Config, Gme};
use manet_mutex::protocol::reversal::Erratum;
use manet_mutex_sim::explore::{
    InTransit, Limits, Report, STUCK, Settings, WILL_BE_SERVED, explore,
};
use manet_mutex_sim::world::{World, torture};

fn as_printed(rule: Erratum, topology: &str, wishes: &str, changes: u8) -> Report {
    let config = Config {
        as_printed: Some(rule),
        ..Config::default()
    };
    let settings = Settings {
        requests: requests(wishes),
        changes,
        ..Settings::default()
    };
    let model = model::<Gme>(topology, &config, settings);
    explore(&model, Limits::default(), &mut |_| {})
}

/// A leader that is not inside gives the token away while somebody else is.
#[test]
fn g1_token_moves_while_weight_is_out() {
    let report = as_printed(Erratum::G1, "path:3", "0 g0, 1 g0, 2 g1", 0);
    let found = caught(&report, "custody");
    assert_eq!(
        found.line(),
        "req 0 g0, req 1 g0, rcv 1>0, rel 0, req 2 g1, rcv 2>1, rcv 1>0"
    );
}

/// The leader forgets who is inside, and enters with another group.
#[test]
fn g2_leader_sets_its_weight_to_zero() {
    let report = as_printed(Erratum::G2, "path:3", "0 g0, 0 g1, 1 g0", 0);
    let found = caught(&report, "exclusion");
    assert_eq!(
        found.line(),
        "req 0 g0, req 1 g0, rcv 1>0, rcv 0>1, rel 0, req 0 g1"
    );
    caught(&report, "conservation of weight");
}

/// Node 1 is served, and does not ask for node 2, which wants another group.
#[test]
fn g3_nothing_asks_for_the_rest() {
    let report = as_printed(Erratum::G3, "path:3", "0 g0, 1 g0, 2 g1", 0);
    let found = caught(&report, STUCK);
    assert!(found.trace.len() <= 12, "{}", found.line());
    let star = as_printed(Erratum::G3, "0-1,1-2,1-3", "0 g0, 2 g0, 3 g1", 0);
    caught(&star, STUCK);
}

/// Request, subtoken and release go round without end.
#[test]
fn g4_every_request_gets_a_subtoken() {
    let report = as_printed(Erratum::G4, "path:3", "0 g0, 1 g1", 0);
    caught(&report, WILL_BE_SERVED);
}

/// Node 1 wants another group than the subtoken that it passes on.
#[test]
fn g5_a_share_for_nobody() {
    let report = as_printed(Erratum::G5, "path:3", "0 g0, 1 g1, 2 g0", 0);
    let found = caught(&report, "conservation of weight");
    assert_eq!(
        found.line(),
        "req 0 g0, req 2 g0, rcv 2>1, rcv 1>0, req 1 g1, rcv 0>1"
    );
}

/// Node 2 has asked two neighbours; a subtoken comes for it where it is not known any more.
#[test]
fn g6_a_subtoken_that_finds_nobody() {
    let report = as_printed(Erratum::G6, "complete:3", "1 g0, 2 g0", 1);
    let found = caught(&report, "conservation of weight");
    assert_eq!(
        found.line(),
        "req 1 g0, rcv 1>0, rcv 0>1, rcv 1>0, req 2 g0, rcv 2>0, rcv 0>1, dne 0-2 k, dne 2-0 k, \
         rcv 1>0"
    );
}

/// A random world in which a release hides that nobody has been asked for those who wait, and what
/// becomes of it with the corrected rule.
#[test]
fn g7_release_moves_next() {
    const SEED: u64 = 14;
    let run = |as_printed| {
        let options = torture::options(SEED);
        let config = Config {
            limiter: options.limiter,
            groups: options.groups,
            admission: options.admission,
            as_printed,
            ..Config::default()
        };
        let setup = torture::setup(SEED, Gme::demands(&config));
        World::<Gme>::new(setup, &config).expect("connected").run()
    };
    assert!(run(Some(Erratum::G7)).unserved > 0);
    assert!(run(None).is_clean());
}

/// Node 3 could be inside, but its request is behind one for another group.
#[test]
fn g8_only_the_first_request_is_forwarded() {
    let report = as_printed(Erratum::G8, "path:4", "0 g0, 2 g1, 3 g0", 0);
    let found = caught(&report, "concurrent entering");
    assert_eq!(
        found.line(),
        "req 0 g0, req 2 g1, rcv 2>1, rcv 1>0, req 3 g0, rcv 3>2"
    );
}

/// The rules of link reversal are those of `rl`, and fail alike.
#[test]
fn rules_of_link_reversal() {
    let report = as_printed(Erratum::E1, "path:3", "2 g0", 2);
    caught(&report, "assumption");
    let report = as_printed(Erratum::E2, "path:3", "2 g0", 2);
    caught(&report, STUCK);
    let config = Config {
        as_printed: Some(Erratum::TakeBackHigh),
        ..Config::default()
    };
    let settings = Settings {
        requests: requests("1 g0"),
        changes: 1,
        skew: true,
        in_transit: InTransit::Doubt,
        ..Settings::default()
    };
    let model = model::<Gme>("complete:3", &config, settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    caught(&report, "token is lowest");
}
