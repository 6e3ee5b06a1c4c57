//! Stations on an ideal channel: every frame reaches all others after a millisecond.

use super::{settings, station};
use crate::checker::{self, Checker};
use crate::ffi::{DemandKind, Effects, Kind, Wish};
use crate::station::{self, Station};
use std::collections::{BTreeMap, BTreeSet};

const DELAY: u64 = 1_000_000;

/// A simulated second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// All stations of a run, and a checker that watches them.
pub(super) struct Net {
    protocol: &'static str,
    pub now: u64,
    stations: Vec<Option<(Station, u64)>>,
    /// By time and order: the receiver and the bytes.
    air: BTreeMap<(u64, u64), (usize, Vec<u8>)>,
    frames: u64,
    /// Pairs that hear nothing of each other, each way.
    deaf: BTreeSet<(usize, usize)>,
    pub checker: Checker,
    /// Nodes that entered, in this order.
    pub entries: Vec<usize>,
    /// Nodes that got the token or made it, in this order.
    pub tokens: Vec<usize>,
}

impl Net {
    pub fn new(protocol: &'static str, nodes: u32) -> Self {
        let mut net = Self {
            protocol,
            now: 0,
            stations: (0..nodes).map(|_| None).collect(),
            air: BTreeMap::new(),
            frames: 0,
            deaf: BTreeSet::new(),
            checker: checker::new(&settings(protocol, 0, nodes, 0)).expect("a checker"),
            entries: Vec::new(),
            tokens: Vec::new(),
        };
        for id in 0..nodes {
            net.start(id, 0);
        }
        net
    }

    /// Starts a node in a life.
    pub fn start(&mut self, id: u32, life: u16) {
        let nodes = self.stations.len() as u32;
        let mut station = station(self.protocol, id, nodes, life);
        station.watch(&self.checker).expect("the same protocol");
        let report = station.start(self.now).expect("a start");
        self.stations[id as usize] = Some((station, report.due));
        self.carry_out(id as usize);
    }

    /// A node falls silent.
    pub fn stop(&mut self, id: usize) {
        if let Some((mut station, _)) = self.stations[id].take() {
            station.stop(self.now);
        }
    }

    /// Makes two nodes deaf to each other, or not.
    pub fn separate(&mut self, a: usize, b: usize, deaf: bool) {
        for pair in [(a, b), (b, a)] {
            if deaf {
                self.deaf.insert(pair);
            } else {
                self.deaf.remove(&pair);
            }
        }
    }

    pub fn request(&mut self, id: usize) {
        let kind = match self.protocol {
            "gme" => DemandKind::Group,
            "hk" => DemandKind::Units,
            _ => DemandKind::Exclusive,
        };
        let wish = Wish {
            kind,
            resource: 0,
            units: u32::from(self.protocol == "hk"),
            priority: 0,
        };
        let wish = station::wish(station::demand(&wish));
        self.input(id, |station, now| station.request(now, &wish));
    }

    pub fn release(&mut self, id: usize) {
        self.input(id, Station::release);
    }

    /// Runs for so many nanoseconds.
    pub fn run(&mut self, span: u64) {
        let end = self.now + span;
        loop {
            let wakes = self.stations.iter().enumerate();
            let wakes = wakes.filter_map(|(id, known)| Some((known.as_ref()?.1, id)));
            let wake = wakes.min().filter(|&(due, _)| due <= end);
            let frame = self.air.first_key_value().map(|(&(at, _), _)| at);
            match (wake, frame.filter(|&at| at <= end)) {
                (None, None) => break,
                (Some((due, id)), at) if at.is_none_or(|at| due < at) => {
                    self.now = self.now.max(due);
                    self.input(id, Station::wake);
                }
                _ => self.receive(),
            }
        }
        self.now = end;
    }

    fn receive(&mut self) {
        if let Some(((at, _), (to, bytes))) = self.air.pop_first() {
            self.now = self.now.max(at);
            if self.stations[to].is_some() {
                self.input(to, |station, now| station.frame(now, &bytes, 0.0));
            }
        }
    }

    fn input(
        &mut self,
        id: usize,
        work: impl FnOnce(&mut Station, u64) -> Result<crate::ffi::Report, crate::BoxError>,
    ) {
        let (station, due) = self.stations[id].as_mut().expect("it runs");
        *due = work(station, self.now).expect("nothing is misused").due;
        self.carry_out(id);
    }

    fn carry_out(&mut self, id: usize) {
        let mut effects = Effects::default();
        let (station, _) = self.stations[id].as_mut().expect("it runs");
        station.take(&mut effects);
        let mut sent = Vec::new();
        for effect in &effects.list {
            match effect.kind {
                Kind::Enter => self.entries.push(id),
                Kind::Token => self.tokens.push(id),
                Kind::Frame => {
                    let start = effect.start as usize;
                    let bytes = effects.bytes[start..start + effect.size as usize].to_vec();
                    sent.push((effect.peer, effect.number, bytes));
                }
                _ => {}
            }
        }
        for (peer, number, bytes) in sent {
            for to in (0..self.stations.len()).filter(|&to| to != id) {
                let meant = peer == crate::everybody() || peer as usize == to;
                if meant && !self.deaf.contains(&(id, to)) {
                    self.frames += 1;
                    let place = (self.now + DELAY, self.frames);
                    self.air.insert(place, (to, bytes.clone()));
                }
            }
            if number != 0 {
                self.input(id, |station, now| station.sent(now, number, true));
            }
        }
    }
}
