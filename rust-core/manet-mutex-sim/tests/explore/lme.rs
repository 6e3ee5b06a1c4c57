//! Every interleaving of `lme1a` and `lme1b` on small networks: the corrected rules keep all
//! promises, and everybody who is not held up by a crash is served. Larger ones are ignored by
//! default; see CONTRIBUTING.

use crate::common::{model, requests};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::lme::algorithm1::{Lme1a, Lme1b};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{InTransit, Limits, Settings, explore, second_opinion};

/// Explores everything and finds nothing wrong.
fn clean<P: Population + Invariants>(topology: &str, settings: Settings) {
    let model = model::<P>(topology, &P::Config::default(), settings);
    let report = explore(&model, Limits::default(), &mut |_| {});
    for violation in &report.violations {
        let (property, detail) = (violation.property, &violation.detail);
        eprintln!("{property}: {detail}\n  {}", violation.line());
    }
    println!(
        "{} on {topology}: {} states, depth {}",
        P::NAME,
        report.states,
        report.depth
    );
    assert!(report.violations.is_empty(), "see above");
    assert!(report.complete);
    if report.states < 20_000 {
        assert_eq!(second_opinion(model), Ok(report.states), "{topology}");
    }
}

/// Explores both variants.
fn both(topology: &str, settings: &Settings) {
    clean::<Lme1a>(topology, settings.clone());
    clean::<Lme1b>(topology, settings.clone());
}

/// Link changes that both ends learn of at once, with anything under way.
fn paper(wishes: &str, changes: u8) -> Settings {
    Settings {
        requests: requests(wishes),
        changes,
        in_transit: InTransit::Plain,
        partition: true,
        ..Settings::default()
    }
}

/// Link changes at different times at the two ends.
fn skewed(wishes: &str, changes: u8) -> Settings {
    Settings {
        skew: true,
        ..paper(wishes, changes)
    }
}

fn crash(settings: Settings) -> Settings {
    Settings {
        crashes: 1,
        ..settings
    }
}

/// Node 0 is the one that moves, as the smaller id it would not be otherwise.
fn zero_moves(settings: Settings) -> Settings {
    Settings {
        movers: 1,
        ..settings
    }
}

#[test]
fn two_nodes() {
    both("path:2", &paper("0, 1, 0, 1", 0));
    both("path:2", &crash(paper("0, 1", 0)));
}

/// They meet, part and meet again.
#[test]
fn two_nodes_that_flap() {
    both("path:2", &paper("0, 1, 1", 3));
    both("path:2", &skewed("0, 1", 3));
    both("path:2", &zero_moves(skewed("0, 1", 2)));
    both("path:2", &crash(skewed("0, 1", 1)));
}

#[test]
fn a_line_of_three() {
    both("path:3", &paper("0, 1, 2", 0));
    both("path:3", &crash(paper("0, 1", 0)));
}

/// Node 2 goes, comes, or goes from one to the other, as any of the three may.
#[test]
fn an_end_of_a_line_moves() {
    both("path:3", &paper("0, 1", 1));
    both("path:3", &paper("0, 2", 1));
    both("0-1,1-2", &paper("2", 2));
    both("0-2", &paper("0, 2", 1));
}

#[test]
fn a_triangle_with_two_hungry() {
    both("complete:3", &paper("0, 1", 0));
    both("complete:3", &paper("1, 2", 1));
}

#[test]
fn three_nodes_with_skew() {
    both("0-2", &skewed("2", 2));
    both("0-2", &zero_moves(skewed("0, 2", 1)));
}

#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn three_nodes_long() {
    both("path:3", &paper("0, 2", 2));
    both("path:3", &zero_moves(paper("0, 2", 2)));
    both("path:3", &skewed("0, 2", 1));
    both("0-2", &skewed("0, 2", 1));
    both("complete:3", &paper("0, 1, 2", 0));
    both("complete:3", &crash(paper("0, 1", 0)));
    both("path:3", &crash(paper("0, 2", 1)));
    both("0-2", &crash(paper("0, 2", 1)));
}
