//! One schedule.

use super::Stats;
use super::case::{Case, Kind, STRONG, WEAK};
use super::text::text;
use crate::check::{Delivery, Violation};
use crate::random::Random;
use manet_mutex::ids::NodeId;
use manet_mutex::link::{Flaw, FrameId, Link, Outbox, Power};
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::time::{Time, span};
use std::ops::Range;

/// Plays the schedule of a seed.
pub(super) fn play(seed: u64, flaw: Option<Flaw>) -> Result<Stats, Violation> {
    Play::new(seed, flaw, None)?.run()
}

/// What happens in the schedule of a seed, up to where it fails.
pub(super) fn trace(seed: u64, flaw: Option<Flaw>) -> Vec<String> {
    let Ok(mut play) = Play::new(seed, flaw, Some(Vec::new())) else {
        return Vec::new();
    };
    // It ends where it ended before.
    let _ = play.run();
    play.trace.unwrap_or_default()
}

/// The nodes, what is in the air, and who watches.
pub(super) struct Play {
    pub(super) case: Case,
    pub(super) random: Random,
    pub(super) now: Time,
    pub(super) links: Vec<Link<RlMessage>>,
    pub(super) checker: Delivery<RlMessage>,
    pub(super) stats: Stats,
    pub(super) out: Outbox<RlMessage>,
    /// The bytes of all frames that were ever sent.
    bytes: Vec<u8>,
    /// In sending order.
    pub(super) air: Vec<Flight>,
    /// Some that left the air.
    attic: Vec<Flight>,
    /// What radios will report.
    outcomes: Vec<Report>,
    /// Two nodes that do not hear each other at all.
    pub(super) parted: Option<(usize, usize)>,
    moving: [bool; 3],
    inside: [bool; 3],
    number: i64,
    pub(super) trace: Option<Vec<String>>,
}

/// A frame on its way to one node.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    from: usize,
    to: usize,
    bytes: Range<usize>,
    id: Option<FrameId>,
}

struct Report {
    node: usize,
    id: FrameId,
    arrived: bool,
}

/// So many old frames are kept.
const ATTIC: usize = 24;
/// So often a node may have something to do at one moment.
const BUSY: usize = 100;

impl Play {
    fn new(seed: u64, flaw: Option<Flaw>, trace: Option<Vec<String>>) -> Result<Self, Violation> {
        let mut random = Random::stream(seed, "link schedule");
        let case = Case::new(seed, flaw, &mut random);
        let link = |node| Link::new(NodeId::from_index(node), &case.config, Time::ZERO);
        let links: Result<_, _> = (0..case.nodes).map(link).collect();
        let links = links.map_err(|error| Violation::named("configuration", error.to_string()))?;
        Ok(Self {
            case,
            random,
            now: Time::ZERO,
            links,
            checker: Delivery::new(),
            stats: Stats::default(),
            out: Outbox::new(),
            bytes: Vec::new(),
            air: Vec::new(),
            attic: Vec::new(),
            outcomes: Vec::new(),
            parted: None,
            moving: [false; 3],
            inside: [false; 3],
            number: 0,
            trace,
        })
    }

    fn run(&mut self) -> Result<Stats, Violation> {
        if self.case.warm {
            self.warm_up()?;
        }
        for _ in 0..self.case.steps {
            self.step()?;
        }
        self.heal()?;
        self.stats.schedules = 1;
        Ok(self.stats)
    }

    /// Something happens.
    fn step(&mut self) -> Result<(), Violation> {
        match self.case.kind(&mut self.random) {
            Kind::Arrive if !self.air.is_empty() => self.arrive(),
            Kind::Send => self.send_somewhere(),
            Kind::Report if !self.outcomes.is_empty() && !self.case.mute => self.report(),
            Kind::Replay if !self.attic.is_empty() => self.replay(),
            Kind::Turn => {
                self.turn();
                Ok(())
            }
            Kind::Silence => {
                self.pass(self.case.config.dead_after * 0.15);
                self.say(|_| "silence".to_owned());
                Ok(())
            }
            Kind::Part => {
                self.part();
                Ok(())
            }
            Kind::Lose => {
                self.say(|_| "all that is in the air is lost".to_owned());
                while let Some(flight) = self.air.pop() {
                    self.put_away(flight);
                }
                Ok(())
            }
            _ => {
                let node = self.next_due();
                if self.random.chance(self.case.late) {
                    self.pass(0.1);
                }
                self.rouse(node)
            }
        }
    }

    /// A frame in the air arrives, or does not.
    fn arrive(&mut self) -> Result<(), Violation> {
        let any = self.random.chance(self.case.disorder);
        let place = if any {
            self.random.below(self.air.len())
        } else {
            0
        };
        let flight = self.air[place].clone();
        let lost = self.random.chance(self.case.loss) || self.is_parted(&flight);
        if lost || !self.random.chance(self.case.duplication) {
            self.air.remove(place);
            self.put_away(flight.clone());
        }
        if lost {
            return Ok(());
        }
        if self.random.chance(0.5) {
            self.pass(0.005);
        }
        let weak = self.random.chance(self.case.weak);
        self.deliver(&flight, if weak { WEAK } else { STRONG })
    }

    /// An old frame comes again.
    fn replay(&mut self) -> Result<(), Violation> {
        let mut flight = self.attic[self.random.below(self.attic.len())].clone();
        if self.random.chance(0.1) {
            // Somebody else's, or even one's own.
            flight.to = self.random.below(self.links.len());
        }
        self.say(|_| "once more:".to_owned());
        self.deliver(&flight, STRONG)
    }

    fn send_somewhere(&mut self) -> Result<(), Violation> {
        let nodes = self.links.len();
        let from = self.random.below(nodes);
        let to = (from + 1 + self.random.below(nodes - 1)) % nodes;
        self.send_now(from, to).map(|_| ())
    }

    fn report(&mut self) -> Result<(), Violation> {
        let place = self.random.below(self.outcomes.len());
        let report = self.outcomes.swap_remove(place);
        let ok = report.arrived && !self.random.chance(self.case.lies);
        self.outcome(report.node, report.id, ok)
    }

    fn turn(&mut self) {
        let node = self.random.below(self.links.len());
        if self.random.chance(0.5) {
            self.moving[node] ^= true;
            self.links[node].motion(self.now, self.moving[node]);
        } else {
            self.inside[node] ^= true;
            self.links[node].set_inside(self.inside[node]);
        }
        self.say(|play| format!("{node}: moving {:?} inside {:?}", play.moving, play.inside));
    }

    fn part(&mut self) {
        let nodes = self.links.len();
        let a = self.random.below(nodes);
        let pair = (a, (a + 1) % nodes);
        self.parted = self.parted.is_none().then_some(pair);
        self.say(|play| format!("do not hear each other: {:?}", play.parted));
    }

    /// Time passes, up to so many seconds.
    fn pass(&mut self, most: f64) {
        self.now = self.now + span(self.random.within(0.0, most));
    }

    /// The node that is due next; it is that time at least.
    pub(super) fn next_due(&mut self) -> usize {
        let due = |node: &usize| self.links[*node].due();
        let node = (0..self.links.len()).min_by_key(due).unwrap_or(0);
        self.now = self.now.max(self.links[node].due());
        node
    }

    /// A node does what is due.
    pub(super) fn rouse(&mut self, node: usize) -> Result<(), Violation> {
        for _ in 0..BUSY {
            if self.links[node].due() > self.now {
                return Ok(());
            }
            self.out.clear();
            self.say(|_| format!("{node} wakes"));
            self.links[node].wake(self.now, &mut self.out);
            self.settle(node)?;
        }
        let detail = format!("{node} has something to do for ever");
        Err(Violation::named("waking ends", detail))
    }

    pub(super) fn is_parted(&self, flight: &Flight) -> bool {
        let Flight { from, to, .. } = *flight;
        self.parted == Some((from, to)) || self.parted == Some((to, from))
    }

    fn put_away(&mut self, flight: Flight) {
        if self.attic.len() < ATTIC {
            self.attic.push(flight);
        } else {
            let place = self.random.below(ATTIC);
            self.attic[place] = flight;
        }
    }

    pub(super) fn deliver(&mut self, flight: &Flight, power: Power) -> Result<(), Violation> {
        if let Some(id) = flight.id {
            let same = |report: &&mut Report| report.id == id && report.node == flight.from;
            if let Some(report) = self.outcomes.iter_mut().find(same) {
                report.arrived = true;
            }
        }
        let (to, bytes) = (flight.to, flight.bytes.clone());
        self.say(|play| {
            let frame = text::<RlMessage>(&play.bytes[bytes.clone()]);
            format!("{to} receives at {power:?} {frame}")
        });
        self.out.clear();
        self.links[to].frame(self.now, &self.bytes[bytes], power, &mut self.out);
        self.settle(to)
    }

    fn outcome(&mut self, node: usize, id: FrameId, ok: bool) -> Result<(), Violation> {
        self.out.clear();
        self.say(|_| format!("the radio of {node} reports {id:?}: {ok}"));
        self.links[node].sent(self.now, id, ok, &mut self.out);
        self.settle(node)
    }

    /// Radios report truly on what has arrived, or with `all` on everything.
    pub(super) fn report_truly(&mut self, all: bool) -> Result<(), Violation> {
        if self.case.mute {
            self.outcomes.clear();
        }
        let known = |report: &Report| all || report.arrived;
        while let Some(place) = self.outcomes.iter().position(known) {
            let report = self.outcomes.swap_remove(place);
            self.outcome(report.node, report.id, report.arrived)?;
        }
        Ok(())
    }

    /// Sends the next message. False if the link is not up.
    pub(super) fn send_now(&mut self, from: usize, to: usize) -> Result<bool, Violation> {
        self.out.clear();
        let sent = self.send(from, to)?;
        self.emit(from);
        Ok(sent)
    }

    /// The same; its frames are left in the outbox.
    pub(super) fn send(&mut self, from: usize, to: usize) -> Result<bool, Violation> {
        let (me, peer) = (NodeId::from_index(from), NodeId::from_index(to));
        let height = Height {
            h1: self.number,
            h2: 0,
            id: me,
        };
        let msg = if self.random.chance(self.case.plain) {
            RlMessage::LinkInfo(height)
        } else {
            let more = false;
            RlMessage::Token { height, more }
        };
        self.stats.steps += 1;
        let sent = self.links[from].send(self.now, peer, msg, &mut self.out);
        if sent.is_err() {
            return Ok(false);
        }
        self.say(|_| format!("{from} sends {msg:?} to {to}"));
        self.number += 1;
        self.stats.messages += 1;
        self.checker.sent(me, peer, &msg)?;
        Ok(true)
    }

    /// Puts the frames in the outbox into the air.
    pub(super) fn emit(&mut self, from: usize) {
        for (frame, bytes) in self.out.frames() {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(bytes);
            let range = start..self.bytes.len();
            let others = (0..self.links.len()).filter(|&to| to != from);
            let to = others.filter(|&to| frame.to.is_none_or(|only| only.index() == to));
            self.air.extend(to.map(|to| Flight {
                from,
                to,
                bytes: range.clone(),
                id: frame.id,
            }));
            self.outcomes.extend(frame.id.map(|id| Report {
                node: from,
                id,
                arrived: false,
            }));
        }
        self.out.clear();
    }

    /// Adds a line to the trace, if there is one.
    pub(super) fn say(&mut self, line: impl FnOnce(&Self) -> String) {
        if self.trace.is_some() {
            let line = format!("{:.4} {}", self.now.as_secs(), line(self));
            if let Some(trace) = &mut self.trace {
                trace.push(line);
            }
        }
    }
}
