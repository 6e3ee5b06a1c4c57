//! What is on the air, and who hears it.

use super::channel::{Channel, ChannelConfig, ChannelError};
use crate::world::topology::Point;
use manet_mutex::ids::NodeId;
use manet_mutex::link::Power;

/// Frames and acknowledgements that a node they were meant for did not get, by what became of
/// them. A broadcast is meant for all that are in range or notice it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Too weak: out of range, faded, or lost for no reason.
    pub weak: u64,
    /// Another frame was there before or came too close in strength.
    pub collided: u64,
    /// The receiver was sending itself.
    pub half_duplex: u64,
    /// A blackout or a wall.
    pub blocked: u64,
}

/// The transmissions on the air and what each node makes of them.
///
/// A node that is not sending locks onto the first frame it notices, if that is well above what
/// else there is, and stays with it to its end. It gets the frame if nothing came too close in
/// strength meanwhile.
#[derive(Clone, Debug)]
pub(super) struct Air {
    channel: Channel,
    ears: Vec<Ear>,
    faults: Faults,
    transmissions: Vec<Transmission>,
    free: Vec<u32>,
    pub losses: Losses,
    /// After [`Air::begin`]: who now knows that the air is busy.
    pub sensing: Vec<NodeId>,
    /// After [`Air::finish`]: who got the frame, and how strong.
    pub got: Vec<(NodeId, Power)>,
}

#[derive(Clone, Debug, Default)]
struct Ear {
    lock: Option<Lock>,
    /// The strength of all transmissions that arrive, and their number.
    energy: f64,
    arriving: u32,
    sending: Option<u32>,
    silent: bool,
}

/// The transmission that a node follows.
#[derive(Clone, Copy, Debug)]
struct Lock {
    id: u32,
    meant: bool,
    strength: f64,
    /// The most that all others had together meanwhile.
    others: f64,
}

#[derive(Clone, Debug)]
struct Transmission {
    from: NodeId,
    /// The sender crashed meanwhile.
    cut: bool,
    /// Where it arrives, and how strong.
    heard: Vec<(u32, f64)>,
}

/// What no frame passes.
#[derive(Clone, Debug)]
struct Faults {
    nodes: usize,
    /// A bit for each ordered pair, and how many are set.
    pairs: Vec<u64>,
    blocked: usize,
    sides: Option<Vec<bool>>,
}

/// From 20 dB above the sensitivity on a radio knows that the air is busy without making out a
/// frame (IEEE 802.11-2016, 17.3.10.6).
const ENERGY: f64 = 100.0;

impl Air {
    pub(super) fn new(
        config: &ChannelConfig,
        nodes: usize,
        seed: u64,
    ) -> Result<Self, ChannelError> {
        Ok(Self {
            channel: Channel::new(config, nodes, seed)?,
            ears: vec![Ear::default(); nodes],
            faults: Faults::new(nodes),
            transmissions: Vec::new(),
            free: Vec::new(),
            losses: Losses::default(),
            sensing: Vec::new(),
            got: Vec::new(),
        })
    }

    /// A node begins to send, to all if `to` is `None`. Fills `sensing`.
    pub(super) fn begin(
        &mut self,
        from: NodeId,
        to: Option<NodeId>,
        place: impl Fn(NodeId) -> Point,
    ) -> u32 {
        self.sensing.clear();
        let id = self.free.pop().unwrap_or_else(|| {
            self.transmissions.push(Transmission::new());
            self.transmissions.len() as u32 - 1
        });
        self.transmissions[id as usize].from = from;
        self.transmissions[id as usize].cut = false;
        let ear = &mut self.ears[from.index()];
        ear.sending = Some(id);
        if let Some(Lock { meant, .. }) = ear.lock.take() {
            self.losses.half_duplex += u64::from(meant);
        }
        let here = place(from);
        let reach2 = self.channel.reach2(from.index());
        for index in 0..self.ears.len() {
            let node = NodeId(index as u32);
            if node == from || self.ears[index].silent {
                continue;
            }
            let there = place(node);
            let (dx, dy) = (there.x - here.x, there.y - here.y);
            let distance2 = dx * dx + dy * dy;
            if distance2 > reach2 {
                self.losses.weak += u64::from(to == Some(node));
            } else if self.faults.stop(from, node) {
                let near = || self.channel.mean(from.index(), distance2) >= 1.0;
                self.losses.blocked += u64::from(to.map_or_else(near, |to| to == node));
            } else {
                self.arrive(id, to, node, distance2);
            }
        }
        id
    }

    /// A transmission reaches a node.
    fn arrive(&mut self, id: u32, to: Option<NodeId>, node: NodeId, distance2: f64) {
        let transmission = &mut self.transmissions[id as usize];
        let mean = self.channel.mean(transmission.from.index(), distance2);
        let strength = mean * self.channel.fade(distance2);
        let noticed = self.channel.notices(strength);
        transmission.heard.push((node.0, strength));
        let meant = to.map_or(mean >= 1.0 || noticed, |to| to == node);
        let ear = &mut self.ears[node.index()];
        let others = ear.energy;
        ear.energy += strength;
        ear.arriving += 1;
        let senses = strength >= ENERGY && ear.sending.is_none();
        let cause = if ear.sending.is_some() {
            &mut self.losses.half_duplex
        } else if let Some(lock) = &mut ear.lock {
            lock.others = lock.others.max(ear.energy - lock.strength);
            &mut self.losses.collided
        } else if !noticed {
            &mut self.losses.weak
        } else if strength < others * self.channel.margin() {
            &mut self.losses.collided
        } else {
            ear.lock = Some(Lock {
                id,
                meant,
                strength,
                others,
            });
            self.sensing.push(node);
            return;
        };
        *cause += u64::from(meant);
        if senses {
            self.sensing.push(node);
        }
    }

    /// A transmission ends. Fills `got`.
    pub(super) fn finish(&mut self, id: u32) {
        self.got.clear();
        let Transmission { from, cut, heard } = &mut self.transmissions[id as usize];
        for (node, strength) in heard.drain(..) {
            let ear = &mut self.ears[node as usize];
            ear.arriving -= 1;
            // Exactly nothing once all are over, whatever was rounded before.
            ear.energy = if ear.arriving > 0 {
                ear.energy - strength
            } else {
                0.0
            };
            let Some(lock) = ear.lock.take_if(|lock| lock.id == id) else {
                continue;
            };
            if strength < lock.others * self.channel.margin() {
                self.losses.collided += u64::from(lock.meant);
            } else if *cut || self.channel.loses() {
                self.losses.weak += u64::from(lock.meant);
            } else if lock.meant {
                self.got.push((NodeId(node), self.channel.power(strength)));
            }
        }
        let sending = &mut self.ears[from.index()].sending;
        // A node that crashed and recovered meanwhile may send something else by now.
        sending.take_if(|sending| *sending == id);
        self.free.push(id);
    }

    pub(super) fn is_sending(&self, node: NodeId) -> bool {
        self.ears[node.index()].sending.is_some()
    }

    pub(super) fn is_silent(&self, node: NodeId) -> bool {
        self.ears[node.index()].silent
    }

    /// A node neither hears nor is heard from now on, or does again.
    pub(super) fn set_silent(&mut self, node: NodeId, silent: bool) {
        let ear = &mut self.ears[node.index()];
        ear.silent = silent;
        ear.lock = None;
        if let Some(id) = ear.sending.take() {
            self.transmissions[id as usize].cut = true;
        }
    }

    pub(super) fn set_blocked(&mut self, from: NodeId, to: NodeId, blocked: bool) {
        self.faults.set(from, to, blocked);
    }

    pub(super) fn set_sides(&mut self, sides: Option<Vec<bool>>) {
        self.faults.sides = sides;
    }
}

impl Transmission {
    const fn new() -> Self {
        Self {
            from: NodeId(0),
            cut: false,
            heard: Vec::new(),
        }
    }
}

impl Faults {
    fn new(nodes: usize) -> Self {
        Self {
            nodes,
            pairs: vec![0; (nodes * nodes).div_ceil(64)],
            blocked: 0,
            sides: None,
        }
    }

    fn stop(&self, from: NodeId, to: NodeId) -> bool {
        let walled = |sides: &Vec<bool>| sides[from.index()] != sides[to.index()];
        let (word, bit) = self.pair(from, to);
        self.blocked > 0 && self.pairs[word] & bit != 0 || self.sides.as_ref().is_some_and(walled)
    }

    fn set(&mut self, from: NodeId, to: NodeId, blocked: bool) {
        let (word, bit) = self.pair(from, to);
        if (self.pairs[word] & bit != 0) != blocked {
            self.pairs[word] ^= bit;
            if blocked {
                self.blocked += 1;
            } else {
                self.blocked -= 1;
            }
        }
    }

    const fn pair(&self, from: NodeId, to: NodeId) -> (usize, u64) {
        let pair = from.index() * self.nodes + to.index();
        (pair / 64, 1 << (pair % 64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: f64 = 85.5;

    /// Nodes on a line, at these multiples of the range.
    fn air(places: &[f64]) -> (Air, impl Fn(NodeId) -> Point + Copy) {
        let air = Air::new(&ChannelConfig::default(), places.len(), 1).unwrap();
        let place = |node: NodeId| Point {
            x: places[node.index()] * RANGE,
            y: 0.0,
        };
        (air, place)
    }

    fn got(air: &mut Air, id: u32) -> Vec<u32> {
        air.finish(id);
        air.got.iter().map(|&(node, _)| node.0).collect()
    }

    #[test]
    fn a_frame_reaches_those_in_range_and_no_others() {
        let (mut air, place) = air(&[0.0, 0.5, 1.0, 1.01, 3.0]);
        let id = air.begin(NodeId(0), None, place);
        assert_eq!(air.sensing, [NodeId(1), NodeId(2)]);
        assert_eq!(got(&mut air, id), [1, 2]);
        assert_eq!(air.losses, Losses::default());
    }

    #[test]
    fn of_two_hidden_from_each_other_neither_is_heard_in_the_middle() {
        let (mut air, place) = air(&[0.0, 0.9, 1.8]);
        let left = air.begin(NodeId(0), None, place);
        let right = air.begin(NodeId(2), None, place);
        assert!(got(&mut air, left).is_empty());
        assert!(got(&mut air, right).is_empty());
        assert_eq!(air.losses.collided, 2);
        let again = air.begin(NodeId(0), None, place);
        assert_eq!(got(&mut air, again), [1]);
    }

    #[test]
    fn the_first_frame_survives_one_that_is_far_weaker() {
        let (mut air, place) = air(&[0.0, 0.3, 1.3]);
        let near = air.begin(NodeId(0), None, place);
        let far = air.begin(NodeId(2), None, place);
        assert_eq!(got(&mut air, near), [1]);
        assert!(got(&mut air, far).is_empty());
    }

    #[test]
    fn who_sends_hears_nothing() {
        let (mut air, place) = air(&[0.0, 0.5]);
        let first = air.begin(NodeId(0), None, place);
        let second = air.begin(NodeId(1), None, place);
        assert!(got(&mut air, first).is_empty());
        assert!(got(&mut air, second).is_empty());
        assert_eq!(air.losses.half_duplex, 2);
    }

    #[test]
    fn a_blackout_has_one_direction_and_a_wall_has_both() {
        let (mut air, place) = air(&[0.0, 0.5]);
        let heard = |air: &mut Air, from| {
            let id = air.begin(NodeId(from), None, place);
            !got(air, id).is_empty()
        };
        air.set_blocked(NodeId(0), NodeId(1), true);
        assert_eq!([heard(&mut air, 0), heard(&mut air, 1)], [false, true]);
        air.set_blocked(NodeId(0), NodeId(1), false);
        air.set_sides(Some(vec![true, false]));
        assert_eq!([heard(&mut air, 0), heard(&mut air, 1)], [false, false]);
        air.set_sides(Some(vec![true, true]));
        assert_eq!([heard(&mut air, 0), heard(&mut air, 1)], [true, true]);
        assert_eq!(air.losses.blocked, 3);
    }

    #[test]
    fn a_crash_cuts_a_frame_short_and_a_recovered_node_sends_again() {
        let (mut air, place) = air(&[0.0, 0.5]);
        let cut = air.begin(NodeId(0), None, place);
        air.set_silent(NodeId(0), true);
        air.set_silent(NodeId(0), false);
        assert!(!air.is_sending(NodeId(0)));
        assert!(got(&mut air, cut).is_empty());
        let whole = air.begin(NodeId(0), None, place);
        assert_eq!(got(&mut air, whole), [1]);
        air.set_silent(NodeId(1), true);
        let unheard = air.begin(NodeId(0), None, place);
        assert!(got(&mut air, unheard).is_empty());
    }
}
