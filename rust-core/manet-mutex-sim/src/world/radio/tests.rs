//! The medium as those above it see it.

mod calibration;

use super::channel::{ChannelConfig, Fading};
use super::medium::{Happening, Medium};
use super::motion::{Model, Motion};
use crate::random::Random;
use crate::world::topology::Point;
use manet_mutex::ids::NodeId;
use manet_mutex::time::Time;

const A: NodeId = NodeId(0);
const B: NodeId = NodeId(1);

/// Nodes that stay where they are, and what happened to them.
struct Lab {
    medium: Medium,
    places: Vec<Point>,
    log: Vec<(Time, Happening)>,
    /// The bytes of everything received.
    arrived: Vec<Vec<u8>>,
}

impl Lab {
    fn new(config: ChannelConfig, places: Vec<Point>, seed: u64) -> Self {
        Self {
            medium: Medium::new(&config, places.len(), seed).unwrap(),
            places,
            log: Vec::new(),
            arrived: Vec::new(),
        }
    }

    /// Two nodes, this many ranges apart.
    fn pair(config: ChannelConfig, ranges: f64) -> Self {
        let x = config.range() * ranges;
        let places = vec![Point { x: 0.0, y: 0.0 }, Point { x, y: 0.0 }];
        Self::new(config, places, 1)
    }

    /// This many nodes somewhere on a square with sides of this many ranges.
    fn crowd(config: ChannelConfig, nodes: usize, ranges: f64, seed: u64) -> Self {
        let mut random = Random::stream(seed, "places");
        let side = config.range() * ranges;
        let mut place = || Point {
            x: random.within(0.0, side),
            y: random.within(0.0, side),
        };
        let places = (0..nodes).map(|_| place()).collect();
        Self::new(config, places, seed)
    }

    fn run(&mut self, until: Time) {
        let mut out = Vec::new();
        while self.medium.next().is_some_and(|time| time <= until) {
            let places = &self.places;
            let now = self
                .medium
                .advance(|node, _| places[node.index()], &mut out);
            let now = now.expect("there was an event");
            for what in out.drain(..) {
                if let Happening::Received { frame, .. } = what {
                    self.arrived.push(self.medium.bytes(frame).to_vec());
                }
                self.log.push((now, what));
            }
        }
    }

    /// All nodes say hello every 0.1 s, give or take a tenth.
    fn hellos(&mut self, seconds: f64, bytes: usize) {
        let mut random = Random::stream(7, "hellos");
        let nodes = self.places.len();
        let mut due: Vec<f64> = (0..nodes).map(|_| random.within(0.0, 0.1)).collect();
        loop {
            let node = (0..nodes)
                .min_by(|&a, &b| due[a].total_cmp(&due[b]))
                .unwrap();
            if due[node] > seconds {
                return self.run(Time::from_secs(seconds + 1.0));
            }
            let now = Time::from_secs(due[node]);
            self.run(now);
            self.medium
                .enqueue(now, NodeId(node as u32), None, 0, &vec![0; bytes]);
            due[node] += random.within(0.09, 0.11);
        }
    }

    fn received(&self) -> usize {
        let received = |(_, what): &&(Time, Happening)| matches!(what, Happening::Received { .. });
        self.log.iter().filter(received).count()
    }
}

fn ms(millis: u64) -> Time {
    Time(millis * 1_000_000)
}

/// Sends a unicast frame and waits for the verdict: how long it took in ms, whether it was
/// acknowledged, and whether it arrived.
fn probe(lab: &mut Lab, now: Time) -> (f64, bool, bool) {
    lab.log.clear();
    lab.medium.enqueue(now, A, Some(B), now.0, &[0; 100]);
    lab.run(Time(u64::MAX));
    let mut delivered = false;
    let mut verdict = None;
    for &(time, what) in &lab.log {
        match what {
            Happening::Received { at, from, .. } => {
                assert_eq!((at, from, delivered), (B, A, false), "{time}");
                delivered = true;
            }
            Happening::Sent { from, id, ok } => {
                assert_eq!((from, id, verdict), (A, now.0, None), "{time}");
                verdict = Some(((time - now).as_secs_f64() * 1e3, ok));
            }
        }
    }
    let (took, ok) = verdict.expect("a verdict");
    (took, ok, delivered)
}

#[test]
fn a_unicast_takes_a_quarter_of_a_millisecond() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.9);
    for i in 1..100 {
        let (took, ok, delivered) = probe(&mut lab, ms(100 * i));
        assert!(ok && delivered);
        assert!((0.2..0.35).contains(&took), "{took} ms");
    }
}

#[test]
fn a_unicast_to_nobody_takes_some_twenty_milliseconds() {
    let mut lab = Lab::pair(ChannelConfig::default(), 1.1);
    let mut times: Vec<f64> = (1..1000).map(|i| probe(&mut lab, ms(100 * i)).0).collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let (least, most) = (times[0], times[times.len() - 1]);
    println!("a failing unicast takes {mean:.1} ms ({least:.1}-{most:.1}); measured 22-25 (5-55)");
    assert!((20.0..27.0).contains(&mean) && least > 4.0 && most < 56.0);
    assert!(most - least > 25.0, "{least}-{most}");
    assert_eq!(lab.medium.counters().transmissions, 7 * 999);
    assert_eq!(lab.medium.counters().losses.weak, 7 * 999);
}

/// Everything at once on a crowded field: walkers, hellos, unicasts, blackouts, walls, fading.
fn turmoil(seed: u64) -> (Lab, u64) {
    let config = ChannelConfig {
        fading: Fading::nakagami(1.5),
        grey_zone: 2.0,
        loss: 0.01,
        ..Default::default()
    };
    let nodes = 12;
    let mut lab = Lab::crowd(config, nodes, 1.5, seed);
    let side = 1.5 * config.range();
    let (speed, pause) = (20.0, 0.0);
    let model = Model::RandomDirection { speed, pause };
    let mut motion = Motion::new(model, side, side, &lab.places).unwrap();
    let mut random = Random::stream(seed, "turmoil");
    let mut sent = 0;
    for step in 0..4000 {
        let now = ms(step);
        for node in (0..nodes).map(NodeId::from_index) {
            motion.turn(node, now, &mut random);
            lab.places[node.index()] = motion.position(node, now);
        }
        lab.run(now);
        let mut node = || NodeId::from_index(random.below(nodes));
        let (from, to, a, b) = (node(), node(), node(), node());
        match random.below(20) {
            0..5 => lab.medium.enqueue(now, from, None, 0, &[1; 200]),
            5..10 if from != to => {
                sent += 1;
                lab.medium
                    .enqueue(now, from, Some(to), sent, &sent.to_le_bytes());
            }
            10 => lab.medium.block(a, b),
            11 => lab.medium.unblock(a, b),
            12 if step % 100 == 0 => {
                lab.medium
                    .set_sides(Some((0..nodes).map(|i| i % 3 == 0).collect()));
            }
            13 => lab.medium.set_sides(None),
            _ => {}
        }
    }
    lab.run(Time(u64::MAX));
    (lab, sent)
}

#[test]
fn the_same_seed_gives_the_same_run() {
    assert_eq!(turmoil(1).0.log, turmoil(1).0.log);
    assert_ne!(turmoil(1).0.log, turmoil(2).0.log);
}

#[test]
fn every_unicast_has_one_verdict_and_is_received_at_most_once() {
    for seed in 0..10 {
        let (lab, sent) = turmoil(seed);
        let mut arrived = vec![0; sent as usize + 1];
        for bytes in &lab.arrived {
            if let Ok(id) = bytes[..].try_into().map(u64::from_le_bytes) {
                arrived[id as usize] += 1;
            }
        }
        let mut verdicts = vec![0; sent as usize + 1];
        let mut acked = 0;
        for (_, what) in lab.log {
            if let Happening::Sent { id, ok, .. } = what {
                verdicts[id as usize] += 1;
                acked += u64::from(ok);
                assert!(arrived[id as usize] <= 1, "seed {seed}: {id} twice");
                assert!(
                    arrived[id as usize] == 1 || !ok,
                    "seed {seed}: {id} not at all"
                );
            }
        }
        assert!(verdicts[1..].iter().all(|&count| count == 1), "seed {seed}");
        assert!(
            acked > sent / 4 && acked < sent,
            "seed {seed}: {acked} of {sent}"
        );
        let counters = lab.medium.counters();
        let losses = counters.losses;
        for loss in [
            losses.weak,
            losses.collided,
            losses.half_duplex,
            losses.blocked,
        ] {
            assert!(loss > 0, "seed {seed}: {losses:?}");
        }
    }
}

#[test]
fn a_dead_neighbour_blocks_the_queue_and_what_waits_too_long_is_dropped() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.5);
    lab.medium.silence(B);
    for id in 0..40 {
        lab.medium.enqueue(ms(1), A, Some(B), id, b"anyone?");
    }
    lab.run(Time(u64::MAX));
    let last = lab.log.last().unwrap().0;
    assert!(last > ms(500) && last < ms(560), "{last}");
    assert_eq!(lab.log.len(), 40);
    let counters = lab.medium.counters();
    // The one in service then had less than its 7 attempts.
    assert_eq!(counters.transmissions / 7, 40 - counters.dropped);
    assert!((10..30).contains(&counters.dropped), "{counters:?}");
}

#[test]
fn a_full_queue_refuses_with_a_verdict() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.5);
    for id in 0..501 {
        lab.medium.enqueue(ms(1), A, Some(B), id, b"");
    }
    lab.run(ms(1));
    let sent = |id, ok| Happening::Sent { from: A, id, ok };
    assert_eq!(lab.log, [(ms(1), sent(500, false))]);
}

#[test]
fn receivers_share_the_bytes_until_the_next_event() {
    let at = |x| Point { x, y: 0.0 };
    let places = vec![at(0.0), at(10.0), at(20.0)];
    let mut lab = Lab::new(ChannelConfig::default(), places, 1);
    lab.medium.enqueue(ms(1), B, None, 0, b"hello");
    lab.run(ms(1));
    let mut out = Vec::new();
    let places = &lab.places;
    lab.medium.advance(|node, _| places[node.index()], &mut out);
    // What is enqueued in answer does not get the buffer that is still read.
    lab.medium.enqueue(ms(2), A, None, 0, b"world");
    let [
        Happening::Received {
            at: A,
            frame,
            power,
            ..
        },
        Happening::Received { frame: same, .. },
    ] = out[..]
    else {
        panic!("{out:?}");
    };
    assert_eq!(frame, same);
    assert_eq!(lab.medium.bytes(frame), b"hello");
    // 16.02 - 40.05 - 30 log10(10)
    assert_eq!(power.dbm(), -54.03);
}

#[test]
fn who_hears_a_unicast_keeps_quiet_for_the_acknowledgement_it_cannot_hear() {
    let config = ChannelConfig::default();
    let at = |ranges: f64| Point {
        x: ranges * config.range(),
        y: 0.0,
    };
    let mut lab = Lab::new(config, vec![at(0.0), at(0.9), at(-0.9)], 1);
    let rounds = 300;
    for round in 1..=rounds {
        let now = ms(10 * round);
        lab.medium.enqueue(now, A, Some(B), 0, &[0; 100]);
        lab.run(now);
        lab.medium
            .enqueue(Time(now.0 + 50_000), NodeId(2), None, 0, &[0; 100]);
        lab.run(Time(u64::MAX));
    }
    assert_eq!(lab.medium.counters().transmissions, 2 * rounds);
}

#[test]
fn a_one_way_blackout_lets_a_frame_through_but_not_its_acknowledgement() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.5);
    lab.medium.block(B, A);
    let (_, ok, delivered) = probe(&mut lab, ms(1));
    assert!(!ok && delivered);
    lab.medium.block(A, B);
    let (_, ok, delivered) = probe(&mut lab, ms(100));
    assert!(!ok && !delivered);
    assert_eq!(lab.medium.counters().losses.blocked, 14);
    lab.medium.unblock(A, B);
    lab.medium.unblock(B, A);
    let (_, ok, delivered) = probe(&mut lab, ms(200));
    assert!(ok && delivered);
}

#[test]
fn a_wall_stops_everything_until_it_falls() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.5);
    lab.medium.set_sides(Some(vec![false, true]));
    assert!(!probe(&mut lab, ms(1)).2);
    lab.medium.set_sides(None);
    assert!(probe(&mut lab, ms(100)).1);
}

#[test]
fn a_crashed_node_forgets_what_it_had_to_send() {
    let mut lab = Lab::pair(ChannelConfig::default(), 0.5);
    for id in 0..3 {
        lab.medium.enqueue(ms(1), A, Some(B), id, b"last words");
    }
    lab.run(ms(1));
    lab.medium.silence(A);
    lab.medium.enqueue(ms(1), A, Some(B), 3, b"unsaid");
    lab.run(Time(u64::MAX));
    assert_eq!(lab.log, []);
    lab.medium.wake(A);
    assert!(probe(&mut lab, ms(100)).1);
}
