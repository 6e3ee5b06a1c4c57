//! The medium against what was measured with ns-3's 802.11g. `--nocapture` shows the tables.

use super::{A, Lab, ms, probe};
use crate::world::radio::channel::{ChannelConfig, Fading};
use crate::world::radio::medium::Happening;
use manet_mutex::ids::NodeId;
use manet_mutex::time::Time;
use std::collections::BTreeMap;

/// Distance in ranges; shares of hellos received, unicasts acknowledged, failed though delivered,
/// failed and lost, in ns-3 under Nakagami fading with shape 1.5.
const MEASURED: [(f64, [f64; 4]); 8] = [
    (0.725, [0.76, 0.9992, 0.0008, 0.0]),
    (0.825, [0.66, 0.980, 0.019, 0.001]),
    (0.875, [0.56, 0.941, 0.056, 0.004]),
    (0.925, [0.48, 0.876, 0.116, 0.009]),
    (0.975, [0.46, 0.758, 0.221, 0.021]),
    (1.075, [0.28, 0.470, 0.456, 0.075]),
    (1.175, [0.20, 0.201, 0.534, 0.265]),
    (1.325, [0.09, 0.026, 0.368, 0.606]),
];

#[test]
fn verdicts_differ_from_the_truth_as_measured() {
    let fading = Fading::nakagami(1.5);
    println!("  d/R    hello        acked        but arrived  lost         (model measured)");
    for (ranges, measured) in MEASURED {
        let config = ChannelConfig {
            fading,
            ..Default::default()
        };
        let mut lab = Lab::pair(config, ranges);
        let many = 4000;
        let mut count = [0; 4];
        for i in 1..=many {
            let (_, ok, delivered) = probe(&mut lab, ms(100 * i));
            assert!(delivered || !ok, "acknowledged, but not delivered");
            let column = match (ok, delivered) {
                (true, _) => 1,
                (false, true) => 2,
                (false, false) => 3,
            };
            count[column] += 1;
        }
        lab.log.clear();
        for i in 1..=many {
            lab.medium
                .enqueue(ms(100 * (many + i)), A, None, 0, &[0; 100]);
            lab.run(Time(u64::MAX));
        }
        count[0] = lab.received();
        let model = count.map(|count| count as f64 / many as f64);
        let row = model.iter().zip(measured);
        let row = row.map(|(model, measured)| format!("  {model:.3} {measured:.3}"));
        println!("{ranges:>6}{}", row.collect::<String>());
        for (model, measured) in model.into_iter().zip(measured) {
            assert!(
                (model - measured).abs() < 0.05,
                "at {ranges}: {model} for {measured}"
            );
        }
    }
}

/// Shares of hellos received by distance, in tenths of the range.
fn by_distance(config: ChannelConfig, seeds: u64, seconds: f64) -> (Vec<f64>, f64) {
    let mut sums = vec![(0.0, 0.0); 14];
    let mut within = (0.0, 0.0);
    for seed in 0..seeds {
        let mut lab = Lab::crowd(config, 30, 2.0, seed);
        lab.hellos(seconds, 230);
        let mut heard: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
        for (_, what) in &lab.log {
            if let Happening::Received { at, from, .. } = *what {
                *heard.entry((from, at)).or_default() += 1.0;
            }
        }
        let sent = lab.medium.counters().broadcasts as f64 / 30.0;
        let range = config.range();
        for (i, a) in lab.places.iter().enumerate() {
            for (j, b) in lab.places.iter().enumerate().filter(|&(j, _)| j != i) {
                let ranges = libm::hypot(a.x - b.x, a.y - b.y) / range;
                let pair = (NodeId(i as u32), NodeId(j as u32));
                let got = heard.get(&pair).copied().unwrap_or_default();
                let count = |sum: &mut (f64, f64)| {
                    sum.0 += got;
                    sum.1 += sent;
                };
                if ranges <= 1.0 {
                    count(&mut within);
                }
                if let Some(sum) = sums.get_mut((ranges * 10.0) as usize) {
                    count(sum);
                }
            }
        }
    }
    let share = |(got, sent): (f64, f64)| got / sent;
    (sums.into_iter().map(share).collect(), share(within))
}

/// Shares measured in a live network, at 0.25, 0.45 and so on.
const TENTHS: [usize; 8] = [2, 4, 6, 7, 8, 9, 10, 12];

fn compare(what: &str, config: ChannelConfig, measured: [f64; 8], tolerance: f64) -> f64 {
    let (shares, within) = by_distance(config, 8, 10.0);
    println!("{what}: d/R, hellos received in the model, measured");
    for (tenth, measured) in TENTHS.into_iter().zip(measured) {
        let (ranges, model) = (tenth as f64 / 10.0 + 0.05, shares[tenth]);
        println!("  {ranges:.2}  {model:.3}  {measured:.3}");
        assert!(
            (model - measured).abs() < tolerance,
            "{what}, {ranges}: {model}"
        );
    }
    within
}

#[test]
fn hidden_nodes_cost_hellos_as_measured() {
    let measured = [0.992, 0.985, 0.972, 0.962, 0.945, 0.927, 0.0, 0.0];
    let within = compare("collisions", ChannelConfig::default(), measured, 0.02);
    assert!((0.93..0.99).contains(&within), "{within} of all in range");
}

#[test]
fn fading_costs_hellos_as_measured() {
    let fading = Fading::nakagami(1.5);
    let config = ChannelConfig {
        fading,
        ..Default::default()
    };
    let measured = [0.984, 0.942, 0.813, 0.704, 0.577, 0.430, 0.300, 0.110];
    compare("Nakagami 1.5", config, measured, 0.02);
}

#[test]
fn unequal_senders_cost_hellos_as_measured() {
    let config = ChannelConfig {
        deviation: 3.0,
        ..Default::default()
    };
    // Few nodes, so that much depends on which of them are the strong ones.
    let measured = [0.993, 0.983, 0.968, 0.857, 0.668, 0.587, 0.406, 0.145];
    compare("deviation 3 dB", config, measured, 0.08);
}
