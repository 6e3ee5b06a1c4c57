//! Protocols over unreliable routing, with the transport in between.

use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::dgme::Dgme;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex::transport::{Config, Flaw};
use manet_mutex::wire::WireMessage;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::world::routed::{
    RoutedFaults, RoutedReport, RoutedSetup, RoutedWorld, torture,
};
use manet_mutex_sim::world::workload::{Demands, Workload};
use std::time::Duration;

fn run<P: Population + Invariants>(mut setup: RoutedSetup) -> RoutedReport
where
    P::Message: WireMessage,
    P::Config: Default,
{
    let config = P::Config::default();
    setup.workload.demands = P::demands(&config);
    let world = RoutedWorld::<P>::new(setup, &config);
    world.expect("a world").run(|_, _| {})
}

fn faulty(seed: u64) -> RoutedSetup {
    RoutedSetup {
        faults: RoutedFaults {
            loss: 0.3,
            doubles: 0.2,
            late: 5.0,
            breaks: 0.2,
            break_time: 5.0,
            hints: 0.5,
            partitions: 0.02,
            partition_time: 40.0,
        },
        transport: Config {
            unreachable: Duration::from_secs(5),
            seed,
            ..Config::default()
        },
        ..RoutedSetup::new(Graph::ring(6), seed)
    }
}

/// Everybody is served, and all that goes wrong does.
fn survives<P: Population + Invariants>()
where
    P::Message: WireMessage,
{
    let report = run::<P>(faulty(1));
    assert!(report.is_clean(), "{:?}", report.violations);
    assert!(report.meter.entries() > 20, "{}", report.meter.entries());
    let counters = report.counters;
    assert!(counters.again > 0 && report.unreachable > 0);
    assert!(counters.delivered == counters.sent && counters.most < 20);
}

#[test]
fn raymond_survives() {
    survives::<Raymond>();
}

#[test]
fn naimi_trehel_survives() {
    survives::<NaimiTrehel>();
}

#[test]
fn dgme_survives() {
    survives::<Dgme>();
}

#[test]
fn random_worlds_are_clean() {
    for seed in 0..20 {
        let clean = [
            run::<Raymond>(torture::setup(seed, Demands::Exclusive)).is_clean(),
            run::<NaimiTrehel>(torture::setup(seed, Demands::Exclusive)).is_clean(),
            run::<Dgme>(torture::setup(seed, Demands::Exclusive)).is_clean(),
        ];
        assert_eq!(clean, [true; 3], "seed {seed}");
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let tell = |report: RoutedReport| (report.events, report.end, report.counters);
    let [a, b] = [faulty(3), faulty(3)].map(|setup| tell(run::<Dgme>(setup)));
    assert_eq!(a, b);
    assert_ne!(a, tell(run::<Dgme>(faulty(4))));
}

#[test]
fn ideal_routing_needs_nothing_twice() {
    let report = run::<NaimiTrehel>(RoutedSetup::new(Graph::ring(6), 1));
    assert!(report.is_clean());
    assert_eq!((report.counters.again, report.unreachable), (0, 0));
    // A message and its acknowledgement; a probe for each pair that ever spoke.
    assert_eq!(report.counters.data, report.counters.sent);
    assert!(report.counters.probes <= 30);
}

#[test]
fn a_rule_of_the_transport_left_out_is_noticed() {
    for flaw in [
        Flaw::NoDuplicateCheck,
        Flaw::SackIsCumulative,
        Flaw::NeverAgain,
    ] {
        let broken = (0..10).any(|seed| {
            let setup = faulty(seed);
            let transport = Config {
                flaw: Some(flaw),
                ..setup.transport.clone()
            };
            !run::<Dgme>(RoutedSetup { transport, ..setup }).is_clean()
        });
        assert!(broken, "{flaw}: nothing goes wrong");
    }
}

#[test]
fn what_makes_no_world_is_refused() {
    let setup = RoutedSetup::new(Graph::ring(3), 1);
    let error = RoutedWorld::<Rl>::new(setup, &Default::default()).map(|_| ());
    assert_eq!(
        error.expect_err("rl needs neighbours").to_string(),
        "rl needs to know its neighbours, which routing hides: use a link layer"
    );
    let setup = RoutedSetup {
        workload: Workload::default(),
        ..RoutedSetup::new(Graph::empty(2), 1)
    };
    assert!(RoutedWorld::<Raymond>::new(setup, &()).is_err());
}
