//! A short torture run; the long one is a command (see CONTRIBUTING).

use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{NAMES, Visitor, visit};
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::world::{Report, torture};

struct Run(u64);

impl Visitor for Run {
    type Output = Report;

    fn visit<P: Population + Invariants>(self, config: P::Config) -> Report {
        torture::world::<P>(self.0, &config, false)
            .expect("torture starts connected")
            .run()
    }
}

#[test]
fn random_worlds_keep_their_promises() {
    for name in NAMES {
        let mut events = 0;
        let mut entries = 0;
        let mut doubts = 0;
        for seed in 0..60 {
            let report = visit(name, &torture::options(seed), Run(seed)).unwrap();
            assert!(
                report.is_clean(),
                "seed {seed}: {:?}, {} unserved; replay: manet-mutex torture --protocol {name} --seeds {seed}",
                report.violations,
                report.unserved
            );
            events += report.events;
            entries += report.meter.entries();
            doubts += report.meter.doubts;
        }
        println!("{name}: {events} events {entries} entries {doubts} doubts");
        assert!(entries > 1000, "{name}: only {entries} entries");
    }
}
