//! Each correction of `hk` is needed: with the rule as printed exploration, or a random world,
//! finds what goes wrong.

use crate::common::{caught, model, requests};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::hk::{Config, Hk, Order};
use manet_mutex::protocol::reversal::Erratum;
use manet_mutex_sim::explore::{Limits, Report, Settings, explore};
use manet_mutex_sim::world::{World, torture};
use std::num::NonZeroU32;

fn config(k: u32, order: Order, as_printed: Erratum) -> Config {
    Config {
        k: NonZeroU32::new(k).expect("units"),
        order,
        as_printed: Some(as_printed),
        ..Config::default()
    }
}

fn explored(config: &Config, topology: &str, wishes: &str, limits: Limits) -> Report {
    let settings = Settings {
        requests: requests(wishes),
        ..Settings::default()
    };
    let model = model::<Hk>(topology, config, settings);
    explore(&model, limits, &mut |_| {})
}

fn as_printed(rule: Erratum, k: u32, topology: &str, wishes: &str) -> Report {
    let config = config(k, Order::Priority, rule);
    explored(&config, topology, wishes, Limits::default())
}

/// A holder that does not serve its queue when it has released has to have kept the token while
/// it was inside (H5); `hk_h1_as_printed.txt` goes on from there until nothing happens any more.
#[test]
fn h1_holder_only_counts() {
    let report = as_printed(Erratum::H1, 2, "path:3", "0 u2p0, 1 u1p0");
    let found = caught(&report, "concurrency");
    assert_eq!(found.line(), "req 0 u2p0, req 1 u1p0, rcv 1>0");
}

/// A holder that waits is in no queue, and the token goes on.
#[test]
fn h2_holder_waits_outside_its_queue() {
    let report = as_printed(Erratum::H2, 2, "path:3", "0 u1p5, 1 u1p1, 2 u2p1");
    let found = caught(&report, "local invariant");
    assert_eq!(
        found.line(),
        "req 0 u1p5, req 2 u2p1, rcv 2>1, rcv 1>0, rcv 0>1, rcv 1>2"
    );
}

/// Node 2 is let in before node 4, which has more priority and has waited as long.
#[test]
fn h3_token_comes_before_what_waits() {
    let wishes = "0 u1p10, 1 u1p9, 2 u1p1, 3 u3p0, 4 u1p5";
    let links = "0-1,1-2,0-3,0-4";
    let limits = Limits {
        max_states: 400_000,
        first_violation: true,
    };
    let broken = explored(
        &config(3, Order::Priority, Erratum::H3),
        links,
        wishes,
        limits,
    );
    caught(&broken, "priority order");
}

/// Nodes 1 and 2 could be inside beside node 0.
#[test]
fn h5_holder_inside_keeps_the_token() {
    let report = as_printed(Erratum::H5, 5, "path:3", "0 u2p0, 1 u2p1, 2 u1p1");
    let found = caught(&report, "concurrency");
    assert_eq!(found.line(), "req 0 u2p0, req 1 u2p1, rcv 1>0");
}

/// A random world in which the token goes to and fro between two nodes that have the same request,
/// and what becomes of it with the corrected rule.
#[test]
fn h4_equal_keys_by_neighbour() {
    const SEED: u64 = 264;
    let run = |as_printed| {
        let options = torture::options(SEED);
        let config = Config {
            limiter: options.limiter,
            k: options.k,
            order: options.order,
            as_printed,
        };
        let demands = Hk::demands(&config);
        let setup = torture::setup(SEED, demands);
        World::<Hk>::new(setup, &config).expect("connected").run()
    };
    assert!(run(Some(Erratum::H4)).unserved > 0);
    assert!(run(None).is_clean());
}
