//! Every check refuses what it must: a check that never reports fails here.
//!
//! Each check has one or more states or runs that it must refuse. States that no event leads to are
//! forged: a network runs up to some point, must be accepted there, and then one value is changed.

mod forks;
mod links;
mod machines;
mod progress;
mod reversal;
mod routed;
mod safety;

use super::{Check, Invariants, Violation};
use crate::network::{Network, Observer, Step};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Gme;
use manet_mutex::protocol::hk::Hk;
use manet_mutex::protocol::lme::algorithm1::{Lme1a, Lme1b};
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::dgme::Dgme;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use std::fs;
use std::path::PathBuf;

/// What a check says about a state or a run.
type Verdict = Result<(), Violation>;

/// Lists the states and runs that each check must refuse. A check that is missing is an error of
/// the compiler.
macro_rules! refused {
    ($($check:ident: $($run:expr),+;)*) => {
        fn refused(check: Check) -> Vec<Verdict> {
            match check {
                $(Check::$check => vec![$($run),+],)*
            }
        }
    };
}

refused! {
    Schedule: machines::impossible_step();
    OpenLink: machines::send_without_link();
    Assumption: machines::second_token();
    Contract: machines::release_outside();

    EnterOnce: safety::enters_twice();
    AgreeInside: safety::two_inside(), safety::two_groups_inside();
    UnitsInside: safety::too_many_units(), safety::exclusive_among_units();
    NeighboursInside: safety::neighbours_inside(), safety::neighbours_meet_inside(),
        safety::neighbour_of_crashed_inside();
    SendToken: safety::sends_no_token(), safety::sends_token_without_custody();
    SendTokenUnits: safety::sends_token_with_foreign_units();
    SendTokenAfterWeight: safety::sends_token_while_weight_is_out();
    SendUnits: safety::sends_foreign_units();
    SendWeight: safety::sends_foreign_weight();
    EnterEntitled: safety::enters_without_token(), safety::enters_without_weight(),
        safety::enters_without_units(), safety::enters_without_demand_for_units();
    GainToken: safety::gains_token(), safety::gains_returned_token_twice(),
        safety::gains_resolved_token_twice();
    GainUnits: safety::gains_units();
    GainWeight: safety::gains_weight();
    AuditToken: safety::token_vanishes(), safety::token_is_copied();
    AuditUnits: safety::units_vanish(), safety::units_are_copied();
    AuditWeight: safety::weight_vanishes(), safety::weight_is_copied();

    LinkOpen: links::sent_without_link(), links::received_without_link(),
        links::received_before_up(), links::received_after_down(), links::down_without_link(),
        links::down_twice();
    LinkOrder: links::out_of_order(), links::delivered_twice();
    LinkLoss: links::ownership_lost();
    LinkTruth: links::wrong_fate(), links::received_after_return(), links::wrong_message(),
        links::told_too_often(), links::old_message_returned(), links::resolved_without_doubt(), links::wrong_outcome();
    LinkApart: links::overlap(), links::epoch_used_again(), links::up_again(), links::up_in_doubt();
    LinkRoles: links::same_roles();
    TransportOnce: links::transport_doubles();
    TransportUnsent: links::transport_denies_delivery();
    TransportTold: links::transport_forgets(),
        links::transport_forgets_after_another_restart();

    Turns: reversal::enters_before_its_turn();
    Starvation: progress::starves(), progress::starves_far_from_a_crash();
    Lives: safety::two_lives_at_once(), safety::life_used_again();
    Standstill: progress::stands_still();
    Progress: progress::deadlock(), progress::deadlock_in_pieces(),
        progress::deadlock_far_from_a_crash();

    ReversalQueue: reversal::waits_unqueued::<Rl>(), reversal::waits_unqueued::<Gme>(),
        reversal::waits_unqueued::<Hk>(), reversal::queued_while_idle::<Rl>();
    ReversalNext: reversal::token_elsewhere::<Rl>(), reversal::token_elsewhere::<Gme>(),
        reversal::token_elsewhere::<Hk>(), reversal::points_to_itself::<Rl>();
    ReversalStatus: reversal::untold::<Rl>(), reversal::untold::<Gme>(), reversal::untold::<Hk>();
    ReversalLowest: reversal::below_holder::<Rl>(), reversal::below_holder::<Gme>(),
        reversal::below_holder::<Hk>(), reversal::below_token_under_way::<Rl>(),
        reversal::below_token_under_way::<Gme>(), reversal::below_token_under_way::<Hk>();
    ReversalOriented: reversal::no_lower_neighbour::<Rl>(), reversal::no_lower_neighbour::<Gme>(),
        reversal::no_lower_neighbour::<Hk>();
    ReversalDirections: reversal::each_below::<Rl>(), reversal::each_below::<Gme>(),
        reversal::each_below::<Hk>();
    RlInside: reversal::rl_inside_without_token();
    RlIdleHolder: reversal::rl_idle_holder_with_queue();
    RlAsked: reversal::rl_asked_nobody();
    GmeWeight: reversal::gme_weight_outside(), reversal::gme_inside_without_weight();
    GmeSession: reversal::gme_empty_session(), reversal::gme_inside_without_session();
    GmeLeader: reversal::gme_second_session();
    GmeOneSession: reversal::gme_other_session();
    GmeWeightSum: reversal::gme_weight_made(), reversal::gme_weight_owed();
    GmeReturned: reversal::gme_weight_kept();
    GmeConcurrent: reversal::gme_waits_for_open_session();
    HkUnits: reversal::hk_units_outside(), reversal::hk_inside_without_units();
    HkFreeUnits: reversal::hk_free_units_without_token();
    HkQueue: reversal::hk_unsorted_queue();
    HkUnitSum: reversal::hk_units_made(), reversal::hk_units_lost();
    HkReturned: reversal::hk_units_kept();
    HkConcurrency: reversal::hk_holder_idle(), reversal::hk_holder_idle_far_away(), reversal::hk_holder_fits(),
        reversal::hk_other_fits();
    HkPriority: reversal::hk_holder_has_larger_key();

    ForksState: forks::untold::<Lme1a>(), forks::untold::<Lme1b>(), forks::untold::<Lme2>();
    ForksEating: forks::eats_without_fork();
    ForksThinking: forks::thinks_and_suspends(), forks::thinks_and_asks();
    ForksLinks: forks::unknown_link::<Lme1a>(), forks::unknown_link::<Lme2>(),
        forks::link_kept::<Lme1a>(), forks::link_kept::<Lme2>();
    ForksOne: forks::no_fork::<Lme1a>(), forks::no_fork::<Lme2>(), forks::two_forks::<Lme1a>(),
        forks::two_forks::<Lme2>(), forks::second_fork_under_way();
    ForksServed: forks::hungry::<Lme1a>(), forks::hungry::<Lme1b>(), forks::hungry::<Lme2>(),
        forks::hungry_far_from_a_crash::<Lme1b>(), forks::hungry_far_from_a_crash::<Lme2>(),
        forks::hungry_behind_a_closed_link();
    Lme1Nested: forks::behind_inner_only();
    Lme1OneInner: forks::behind_both_inner();
    Lme1Collects: forks::behind_without_collecting();
    Lme1Eats: forks::eats_outside();
    Lme1Suspends: forks::suspends_outside();
    Lme1Phase: forks::thinks_on_its_way();
    Lme1Views: forks::wrong_position(), forks::wrong_colour();
    Lme2First: forks::both_first();
    Lme2Heights: forks::wrong_height(), forks::falling_heights();
    Lme2Circle: forks::circle();

    RoutedToken: routed::raymond_two_tokens(), routed::raymond_no_token(),
        routed::naimi_trehel_two_tokens(), routed::dgme_two_tokens();
    RoutedRoots: routed::naimi_trehel_lost_request(), routed::dgme_lost_request();
    RoutedServed: routed::forgotten::<Raymond>(), routed::forgotten::<NaimiTrehel>(),
        routed::forgotten::<Dgme>();
    RaymondQueue: routed::raymond_queued_twice();
    NaimiTrehelRoot: routed::naimi_trehel_idle_root();
    NaimiTrehelNext: routed::naimi_trehel_idle_with_successor();
    DgmeInside: routed::dgme_inside_without_token();
    DgmeRootNext: routed::dgme_root_with_successor();
    DgmeRootToken: routed::dgme_root_without_token();
    DgmeWaiting: routed::dgme_waiting_without_successor();
    DgmeKnown: routed::dgme_lost_process(), routed::dgme_doubled_process();
    DgmeServes: routed::dgme_serves_nobody();
    DgmeCounts: routed::dgme_counts_too_many(), routed::dgme_counts_too_few();
}

#[test]
fn every_check_refuses_what_it_must() {
    for &check in Check::ALL {
        for (run, verdict) in refused(check).into_iter().enumerate() {
            let violation = verdict.expect_err(&format!("{check:?} accepts run {run}"));
            let found = violation.check();
            assert_eq!(found, Some(check), "run {run} of {check:?}: {violation}");
        }
    }
}

#[test]
fn every_check_is_listed_once() {
    let mut all = Check::ALL.to_vec();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), Check::ALL.len());
}

/// Only searches report what is not in the list.
#[test]
fn checkers_and_simulators_report_listed_checks_only() {
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut folders = [
        "src/check",
        "src/network",
        "src/scenario",
        "src/world",
        "../manet-mutex/src/node",
        "../manet-mutex/src/protocol",
    ]
    .map(|folder| source.join(folder))
    .to_vec();
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).expect("text");
            let name = concat!("Violation::", "named(");
            assert!(!text.contains(name), "{}: use a Check", path.display());
            files += 1;
        }
    }
    assert!(files > 50, "{files} files");
}

/// A network in its initial configuration.
fn network<P: Population>(graph: &Graph, config: &P::Config) -> Network<P> {
    let nodes = P::settled(graph, config).expect("connected");
    Network::new(nodes, graph)
}

/// A demand that every protocol of this kind understands.
fn some_demand<P: Population>(config: &P::Config) -> Demand {
    use manet_mutex::demand::Demands;
    match P::demands(config) {
        Demands::Exclusive => Demand::Exclusive,
        Demands::Groups(_) => Demand::Group(0),
        Demands::Units { .. } => Demand::Units {
            count: 1,
            priority: 0,
        },
    }
}

/// Takes steps given as text, without any checker.
fn play<P: Population>(network: &mut Network<P>, steps: &str) {
    for step in steps.split(", ") {
        let step: Step = step.parse().expect("a step");
        network.step(step, &mut ()).expect("possible");
    }
}

/// Delivers everything, in any order.
fn deliver<P: Population>(network: &mut Network<P>, watch: &mut impl Observer<P::Message>) {
    loop {
        let mut ways = network.undelivered().map(|(from, to, _)| (from, to));
        let open = |&(from, to): &(NodeId, NodeId)| {
            let lane = network.lane(from, to);
            lane.is_some_and(|lane| network.can_receive(lane))
        };
        let Some((from, to)) = ways.find(open) else {
            return;
        };
        drop(ways);
        let step = Step::Receive { from, to };
        network.step(step, watch).expect("possible");
    }
}

/// What holds after every step, once `forge` has changed a state in which it does.
fn always<P: Population + Invariants>(
    mut network: Network<P>,
    forge: impl FnOnce(&mut [P]),
) -> Verdict {
    assert_eq!(P::always(&network), Ok(()), "before the forgery");
    forge(network.nodes_mut());
    P::always(&network)
}

/// The same in a quiet network.
fn when_quiet<P: Population + Invariants>(
    mut network: Network<P>,
    forge: impl FnOnce(&mut [P]),
) -> Verdict {
    assert_eq!(P::when_quiet(&network), Ok(()), "before the forgery");
    forge(network.nodes_mut());
    P::when_quiet(&network)
}

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);
