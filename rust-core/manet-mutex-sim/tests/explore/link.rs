//! The link layer against an adversary: everything that can happen to one pair, and random
//! schedules of whole nodes. Each rule left out is noticed.

use manet_mutex::link::Flaw;
use manet_mutex_sim::explore::link::{Report, Settings, explore_link, second_opinion};
use manet_mutex_sim::explore::schedules::{Stats, run, run_all};
use manet_mutex_sim::explore::seeds::Summary;
use manet_mutex_sim::explore::{Limits, VACUOUS};
use std::ops::Range;

/// Explores everything and finds nothing wrong.
fn clean(settings: Settings) -> Report {
    let report = explore_link(settings, Limits::default(), &mut |_| {});
    for violation in &report.violations {
        let trace = violation.trace.join("\n  ");
        eprintln!("{}: {}\n  {trace}", violation.property, violation.detail);
    }
    assert!(report.violations.is_empty(), "see above");
    assert!(report.complete);
    eprintln!(
        "{} states, {} of the ends, depth {}: {settings:?}",
        report.states, report.ends, report.depth
    );
    report
}

/// The same, and stateright counts the same states.
fn clean_twice(settings: Settings) {
    let report = clean(settings);
    assert_eq!(second_opinion(settings), Ok(report.states));
}

/// Everything that can happen to messages.
fn messages(closes: u8, messages: u8) -> Settings {
    Settings {
        closes,
        messages,
        weak: true,
        relay: true,
        ..Settings::default()
    }
}

/// Everything that can happen to roles.
fn roles(closes: u8, turns: Option<u8>) -> Settings {
    Settings {
        closes,
        turns,
        weak: true,
        ..Settings::default()
    }
}

#[test]
fn two_messages_and_two_closes() {
    clean_twice(Settings {
        plain: true,
        ..messages(2, 2)
    });
}

#[test]
fn two_messages_and_three_closes() {
    clean(messages(3, 2));
}

#[test]
fn three_messages_and_a_close() {
    clean_twice(messages(1, 3));
}

#[test]
fn roles_with_standings_that_change() {
    clean_twice(roles(2, Some(2)));
}

#[test]
fn roles_with_standings_that_change_at_any_time() {
    clean(roles(1, None));
}

#[test]
fn roles_and_messages() {
    clean(Settings {
        turns: Some(2),
        ..messages(1, 1)
    });
}

/// 511 354 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn three_messages_and_three_closes() {
    clean(messages(3, 3));
}

/// 527 722 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn two_messages_and_four_closes() {
    clean(messages(4, 2));
}

/// 527 616 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn four_messages_and_two_closes() {
    clean(messages(2, 4));
}

/// 2 437 968 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn roles_at_any_time_with_two_closes() {
    clean(roles(2, None));
}

/// 1 598 464 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn roles_with_three_closes() {
    clean(roles(3, Some(3)));
}

/// 510 342 states.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn roles_and_messages_with_two_closes() {
    clean(Settings {
        turns: Some(2),
        ..messages(2, 1)
    });
}

/// Fewer frames in the air, and still everything happens at the two ends.
fn loses_nothing_when_reduced(settings: Settings) {
    let reduced = clean(settings);
    let full = clean(Settings {
        reduce: false,
        ..settings
    });
    assert_eq!(reduced.ends, full.ends);
    assert_eq!(reduced.seen, full.seen);
    assert!(reduced.states < full.states);
}

#[test]
fn the_reduction_loses_nothing() {
    loses_nothing_when_reduced(Settings {
        closes: 1,
        messages: 1,
        ..Settings::default()
    });
    loses_nothing_when_reduced(Settings {
        closes: 1,
        turns: Some(1),
        ..Settings::default()
    });
}

/// 1 648 444 states without the reduction, 2315 with it.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn the_reduction_loses_nothing_of_two_messages() {
    loses_nothing_when_reduced(Settings {
        closes: 1,
        messages: 2,
        ..Settings::default()
    });
}

/// What never happens is reported, unless there was no time to see it.
#[test]
fn vacuity_is_reported() {
    // Without doubt there is nothing to resolve.
    let settings = Settings {
        flaw: Some(Flaw::TimeoutIsReturned),
        ..messages(1, 1)
    };
    let never = |limits| {
        let report = explore_link(settings, limits, &mut |_| {});
        let vacuous = report
            .violations
            .into_iter()
            .filter(|found| found.property == VACUOUS);
        vacuous.map(|found| found.detail).collect::<Vec<_>>()
    };
    let details = never(Limits::default());
    assert!(
        details.contains(&"it never happens that a message is in doubt: allow more".to_owned())
    );
    let limits = Limits {
        max_states: 100,
        ..Limits::default()
    };
    assert!(never(limits).is_empty());
}

/// The first promise that breaks without a rule.
fn broken(flaw: Flaw, settings: Settings) -> &'static str {
    let settings = Settings {
        flaw: Some(flaw),
        ..settings
    };
    let limits = Limits {
        first_violation: true,
        ..Limits::default()
    };
    let report = explore_link(settings, limits, &mut |_| {});
    let found = report.violations.first().expect("the flaw is noticed");
    let trace = found.trace.join("\n  ");
    eprintln!("{flaw}: {}: {}\n  {trace}", found.property, found.detail);
    found.property
}

const TRUTH: &str = "truth about messages";
const ONCE: &str = "delivery once and in order";
const APART: &str = "incarnations apart";
const ROLES: &str = "complementary roles";
const HEALS: &str = "a working radio heals";

#[test]
fn every_flaw_is_noticed_by_the_exploration() {
    let standings = roles(1, Some(1));
    let both = Settings {
        turns: Some(1),
        ..messages(1, 1)
    };
    let cases = [
        (Flaw::TimeoutIsReturned, messages(1, 2), TRUTH),
        (Flaw::NoEpochBump, messages(1, 2), APART),
        (Flaw::NoEpochCheck, messages(1, 2), ONCE),
        (Flaw::CounterKept, messages(1, 2), HEALS),
        (Flaw::AnswerWithoutClosing, messages(1, 2), TRUTH),
        (Flaw::LiveRoles, standings, ROLES),
        (Flaw::Overlap, messages(1, 2), APART),
        (Flaw::LateStanding, both, ROLES),
        (Flaw::KeepOnRestart, standings, ROLES),
    ];
    assert_eq!(cases.len(), Flaw::ALL.len());
    for (flaw, settings, property) in cases {
        assert_eq!(broken(flaw, settings), property, "{flaw}");
    }
}

fn schedules(seeds: Range<u64>, flaw: Option<Flaw>) -> Summary<Stats> {
    let summary = run_all(seeds, flaw, flaw.is_some(), &|_| {});
    eprintln!("{flaw:?}: {summary:?}");
    summary
}

/// Plays them and finds nothing wrong.
fn clean_schedules(seeds: Range<u64>) {
    let summary = schedules(seeds, None);
    if let Some(&(seed, _)) = summary.failures.first() {
        let failure = run(seed, None).expect_err("it failed before");
        panic!("{failure}");
    }
    let stats = summary.stats;
    assert!(stats.by_close > 0 && stats.by_hello > 0 && stats.by_flood > 0);
    assert!(stats.resolved_delivered > 0 && stats.resolved_returned > 0);
    let resolved = stats.resolved_delivered + stats.resolved_returned;
    assert_eq!(stats.doubts, resolved);
}

#[test]
fn schedules_are_clean() {
    clean_schedules(0..60_000);
}

/// Ten million; six minutes of one processor with `cargo test --release`.
#[test]
#[ignore = "some minutes; see CONTRIBUTING"]
fn many_schedules_are_clean() {
    clean_schedules(0..10_000_000);
}

/// All flaws but one. That the peer's standing is taken late does no harm here, for hellos come in
/// order: those after the first that counts say the same.
#[test]
fn flaws_are_noticed_by_the_schedules() {
    let expected = |flaw| match flaw {
        Flaw::TimeoutIsReturned | Flaw::AnswerWithoutClosing => Some(TRUTH),
        Flaw::NoEpochBump | Flaw::Overlap => Some(APART),
        Flaw::NoEpochCheck => Some(ONCE),
        Flaw::CounterKept => Some("messages flow"),
        Flaw::LiveRoles | Flaw::KeepOnRestart => Some(ROLES),
        Flaw::LateStanding => None,
    };
    for (flaw, name) in Flaw::ALL {
        let summary = schedules(0..20_000, Some(flaw));
        match expected(flaw) {
            None => assert_eq!(summary.failed, 0, "{name}"),
            Some(property) => {
                let mut found = summary.failures.iter().map(|(_, found)| found.property);
                assert!(found.any(|found| found == property), "{name}: {property}");
            }
        }
    }
}
