//! Every interleaving on small networks: the corrected rules keep all promises.

use crate::common::model;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::{Erratum, Limiter};
use manet_mutex::protocol::rl::{Config, Residual, Rl};
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::{Demand, NodeId};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{
    InTransit, Limits, Requests, Settings, VACUOUS, explore, second_opinion, second_opinion_of,
};

/// Explores everything, twice, and finds nothing wrong.
fn clean<P: Population + Invariants>(topology: &str, config: &P::Config, settings: Settings) {
    let model = model::<P>(topology, config, settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    for violation in &report.violations {
        eprintln!(
            "{}: {}\n  {}",
            violation.property,
            violation.detail,
            violation.line()
        );
    }
    assert!(report.violations.is_empty(), "see above");
    assert!(report.complete);
    assert_eq!(second_opinion(model), Ok(report.states), "{topology}");
}

fn burst(burst: u16) -> Config {
    let limiter = Limiter {
        burst: Some(burst),
        ..Limiter::default()
    };
    Config {
        limiter,
        ..Config::default()
    }
}

/// Links change as the paper assumes: at both ends at once, nothing under way, never cutting.
fn paper(requests: Requests, changes: u8) -> Settings {
    Settings {
        requests,
        changes,
        ..Settings::default()
    }
}

/// The number of threads changes neither the states nor the verdict.
#[test]
fn any_number_of_threads_counts_alike() {
    let settings = paper(Requests::any(3, 2), 1);
    let explored = || model::<Rl>("complete:3", &Config::default(), settings.clone());
    let report = explore(&explored(), Limits::default(), &mut |_| {});
    let wrong = || {
        let config = Config {
            as_printed: Some(Erratum::E1),
            ..Config::default()
        };
        let settings = Settings {
            partition: true,
            ..paper(Requests::any(2, 1), 1)
        };
        model::<Rl>("path:2", &config, settings)
    };
    for threads in [1, 2, 3, 8] {
        let states = second_opinion_of(explored(), threads);
        assert_eq!(states, Ok(report.states), "{threads} threads");
        let verdict = second_opinion_of(wrong(), threads);
        assert!(verdict.is_err(), "{threads} threads: {verdict:?}");
    }
}

#[test]
fn static_path_and_triangle() {
    clean::<Rl>("path:3", &Config::default(), paper(Requests::any(3, 5), 0));
    clean::<Rl>(
        "complete:3",
        &Config::default(),
        paper(Requests::any(3, 5), 0),
    );
}

#[test]
fn triangle_with_three_requests_and_two_changes() {
    clean::<Rl>(
        "complete:3",
        &Config::default(),
        paper(Requests::any(3, 3), 2),
    );
}

#[test]
fn triangle_with_the_papers_own_messages() {
    let config = Config {
        residual: Residual::OwnMessage,
        ..Config::default()
    };
    clean::<Rl>("complete:3", &config, paper(Requests::any(3, 3), 2));
}

#[test]
fn ring_of_four_with_three_requests_and_a_change() {
    clean::<Rl>("ring:4", &Config::default(), paper(Requests::any(4, 3), 1));
}

#[test]
fn path_with_lost_messages() {
    let settings = Settings {
        in_transit: InTransit::Plain,
        ..paper(Requests::any(3, 2), 2)
    };
    clean::<Rl>("path:3", &Config::default(), settings);
}

#[test]
fn path_with_a_token_returned() {
    for skew in [false, true] {
        let settings = Settings {
            in_transit: InTransit::Returned,
            skew,
            ..paper(Requests::any(3, 2), 2)
        };
        clean::<Rl>("path:3", &Config::default(), settings);
    }
}

#[test]
fn path_with_a_token_in_doubt() {
    let settings = Settings {
        in_transit: InTransit::Doubt,
        skew: true,
        retries: 1,
        ..paper(Requests::any(3, 2), 2)
    };
    // A small burst spends the limiter's credit, so that its timer is part of this as well.
    clean::<Rl>("path:3", &burst(1), settings);
}

#[test]
fn path_that_falls_apart() {
    let settings = Settings {
        in_transit: InTransit::Doubt,
        skew: true,
        partition: true,
        retries: 1,
        ..paper(Requests::any(3, 2), 2)
    };
    clean::<Rl>("path:3", &burst(1), settings);
}

/// Nodes that never raise themselves without their timer are still served in the end, whether
/// the timer runs out late or early.
#[test]
fn timers_alone_suffice() {
    for retries in [0, 2] {
        let settings = Settings {
            retries,
            ..paper(Requests::any(3, 2), 2)
        };
        clean::<Rl>("path:3", &burst(0), settings);
    }
}

#[test]
fn raymond_on_small_trees() {
    clean::<Raymond>("path:3", &(), paper(Requests::any(3, 6), 0));
    clean::<Raymond>("star:4", &(), paper(Requests::any(4, 4), 0));
    clean::<Raymond>("0-1,1-2,1-3,3-4", &(), paper(Requests::any(5, 5), 0));
}

/// A model that allows too little says so instead of passing.
#[test]
fn vacuity_is_reported() {
    let settings = Settings {
        in_transit: InTransit::Returned,
        ..paper(Requests::by([(NodeId(2), Demand::Exclusive)]), 1)
    };
    // No link of a path can go down without cutting it, so nothing is ever returned.
    let model = model::<Rl>("path:3", &Config::default(), settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    let details: Vec<_> = report
        .violations
        .iter()
        .map(|violation| (violation.property, violation.detail.as_str()))
        .collect();
    let never = |what| format!("it never happens that {what}: allow more requests or changes");
    let lost = never("a plain message is lost");
    let returned = never("an ownership message is returned");
    assert_eq!(
        details,
        [(VACUOUS, lost.as_str()), (VACUOUS, returned.as_str())]
    );
}

/// An exploration that was cut short does not claim to be complete.
#[test]
fn a_limit_is_not_a_result() {
    let model = model::<Rl>(
        "complete:3",
        &Config::default(),
        paper(Requests::any(3, 3), 0),
    );
    let limits = Limits {
        max_states: 100,
        ..Limits::default()
    };
    let report = explore(&model, limits, &mut |_| {});
    assert!(!report.complete);
    assert!(report.violations.is_empty());
}
