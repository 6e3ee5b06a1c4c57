//! Every interleaving of `gme` and `hk` on small networks: the corrected rules keep all promises.
//! Larger ones are ignored by default; see CONTRIBUTING.

use crate::common::{model, requests};
use manet_mutex::protocol::gme::{self, Admission, Gme};
use manet_mutex::protocol::hk::{self, Hk, Order};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex::protocol::{Population, rl::Rl};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{InTransit, Limits, Settings, explore, second_opinion};
use std::num::{NonZeroU32, NonZeroU64};

/// Explores everything and finds nothing wrong; says how many states there are.
fn clean<P: Population + Invariants>(
    topology: &str,
    config: &P::Config,
    settings: Settings,
) -> usize {
    let model = model::<P>(topology, config, settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    for violation in &report.violations {
        let (property, detail) = (violation.property, &violation.detail);
        eprintln!("{property}: {detail}\n  {}", violation.line());
    }
    println!(
        "{topology}: {} states, depth {}",
        report.states, report.depth
    );
    assert!(report.violations.is_empty(), "see above");
    assert!(report.complete);
    if report.states < 100_000 {
        assert_eq!(second_opinion(model), Ok(report.states), "{topology}");
    }
    report.states
}

fn paper(wishes: &str, changes: u8) -> Settings {
    Settings {
        requests: requests(wishes),
        changes,
        ..Settings::default()
    }
}

/// Link changes at different times at the two ends, with anything under way.
fn real(wishes: &str, changes: u8) -> Settings {
    Settings {
        skew: true,
        in_transit: InTransit::Doubt,
        retries: 1,
        ..paper(wishes, changes)
    }
}

fn partition(wishes: &str, changes: u8) -> Settings {
    Settings {
        partition: true,
        ..real(wishes, changes)
    }
}

fn burst(burst: u16) -> Limiter {
    Limiter {
        burst: Some(burst),
        ..Limiter::default()
    }
}

fn gme(admission: Admission, unit: u64) -> gme::Config {
    gme::Config {
        admission,
        unit: NonZeroU64::new(unit).expect("some weight"),
        limiter: burst(1),
        ..gme::Config::default()
    }
}

fn both() -> [gme::Config; 2] {
    [Admission::Paper, Admission::CloseOnConflict].map(|policy| gme(policy, 1 << 40))
}

fn hk(k: u32, order: Order) -> hk::Config {
    hk::Config {
        k: NonZeroU32::new(k).expect("units"),
        order,
        limiter: burst(1),
        ..hk::Config::default()
    }
}

const MIXED: &str = "0 u1p0, 1 u2p1, 2 u1p2";

#[test]
fn gme_static() {
    for config in both() {
        clean::<Gme>("path:3", &config, paper("0 g0, 1 g0, 2 g1, 0 g1", 0));
        clean::<Gme>("complete:3", &config, paper("0 g0, 1 g0, 2 g1, 1 g1", 0));
        clean::<Gme>("0-1,1-2,1-3", &config, paper("0 g0, 2 g0, 3 g1", 0));
        clean::<Gme>("path:4", &config, paper("0 g0, 1 g1, 2 g0, 3 g1", 0));
    }
}

/// With weights too small to be split the rest ask again.
#[test]
fn gme_with_the_least_weight() {
    let config = gme(Admission::Paper, 1);
    clean::<Gme>("0-1,1-2,1-3", &config, paper("0 g0, 2 g0, 3 g0", 0));
    clean::<Gme>("complete:3", &config, paper("0 g0, 1 g0, 2 g0", 1));
}

#[test]
fn gme_triangle_with_two_changes() {
    for admission in [Admission::Paper, Admission::CloseOnConflict] {
        let config = gme::Config {
            admission,
            ..gme::Config::default()
        };
        clean::<Gme>("complete:3", &config, paper("0 g0, 1 g0, 2 g1", 2));
    }
}

#[test]
fn gme_ring_of_four_with_a_change() {
    let config = gme::Config::default();
    clean::<Gme>("ring:4", &config, paper("0 g0, 1 g1, 2 g0", 1));
}

#[test]
fn gme_with_messages_in_doubt() {
    clean::<Gme>("complete:3", &both()[0], real("0 g0, 1 g0, 2 g1", 1));
}

#[test]
#[ignore = "a minute; see CONTRIBUTING"]
fn gme_long() {
    for config in both() {
        clean::<Gme>("complete:3", &config, real("0 g0, 1 g0, 2 g1", 1));
        clean::<Gme>("path:3", &config, partition("0 g0, 1 g1, 2 g0", 2));
        clean::<Gme>("ring:4", &config, paper("0 g0, 1 g1, 2 g0", 1));
    }
}

#[test]
fn hk_static() {
    for order in [Order::Priority, Order::Aged(2), Order::Fewest] {
        clean::<Hk>("path:3", &hk(2, order), paper(MIXED, 0));
        clean::<Hk>(
            "complete:3",
            &hk(3, order),
            paper("0 u3p0, 1 u2p1, 2 u1p2, 1 u1p0", 0),
        );
        clean::<Hk>(
            "star:4",
            &hk(3, order),
            paper("0 u2p0, 1 u2p1, 2 u1p2, 3 u1p0", 0),
        );
    }
}

#[test]
fn hk_triangle_with_a_change() {
    for order in [Order::Priority, Order::Aged(2), Order::Fewest] {
        clean::<Hk>("complete:3", &hk(2, order), paper(MIXED, 1));
    }
}

#[test]
fn hk_ring_of_four_with_a_change() {
    clean::<Hk>("ring:4", &hk(2, Order::Priority), paper(MIXED, 1));
}

#[test]
fn hk_with_messages_in_doubt() {
    let two = "0 u1p0, 1 u2p1";
    clean::<Hk>("complete:3", &hk(2, Order::Priority), real(two, 1));
    clean::<Hk>("path:3", &hk(2, Order::Priority), partition(two, 1));
}

#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn hk_long() {
    clean::<Hk>("complete:3", &hk(2, Order::Aged(2)), real(MIXED, 1));
    clean::<Hk>("ring:4", &hk(2, Order::Aged(2)), paper(MIXED, 1));
    clean::<Hk>("ring:4", &hk(2, Order::Fewest), paper(MIXED, 1));
    clean::<Hk>("path:3", &hk(2, Order::Priority), partition(MIXED, 2));
}

/// One unit, one request at a time: as many states as `rl`, since each does what that does.
#[test]
fn one_request_is_served_as_by_rl() {
    for topology in ["path:4", "complete:4", "ring:5"] {
        let rl = clean::<Rl>(topology, &Default::default(), paper("3", 0));
        let one = hk(1, Order::Priority);
        assert_eq!(clean::<Hk>(topology, &one, paper("3 u1p0", 0)), rl);
        assert_eq!(clean::<Gme>(topology, &both()[0], paper("3 g0", 0)), rl);
    }
}
