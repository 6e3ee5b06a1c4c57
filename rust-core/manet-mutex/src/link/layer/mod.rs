//! The link layer of one node.

mod hear;
mod say;

use super::config::{Config, ConfigError, Rules};
use super::flood::Floods;
use super::hearing::Hearing;
use super::outbox::{Cause, Counters, Drop, FrameId, Note, Outbox, Way};
use super::pair::{Farewell, Pair};
use super::peer::Peer;
use super::power::Power;
use super::share::Load;
use super::table::Table;
use crate::fixed::Fixed;
use crate::hash::{mix, unit};
use crate::ids::NodeId;
use crate::machine::{Class, Event};
use crate::time::Time;
use crate::wire::WireMessage;
use crate::wire::frame::{self, Frame};
use crate::wire::frame::{Epoch, Standing, State};

/// Reliable links with agreed beginnings and ends, made of a lossy radio. See [`super`].
///
/// Every input takes the time and an [`Outbox`]; afterwards the host
/// 1. hands the outbox's events to the protocol, each answer going back through [`Link::send`],
/// 2. gives its frames to the radio,
/// 3. sees to it that [`Link::wake`] is called at [`Link::due`].
///
/// Time must not go backwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(C)] // What every hello looks at comes first, as in `Peer`.
pub struct Link<M> {
    rules: Fixed<Rules>,
    peers: Table<M>,
    /// Nothing is due before.
    due: Time,
    me: NodeId,
    counters: Counters,
    /// How many are at least heard.
    neighbours: usize,
    standing: Standing,
    /// When a node that stopped counts as static.
    still_at: Option<Time>,
    /// Nobody waits for what the protocol says, awaited messages apart.
    calm: bool,
    /// Messages wait for the next hello only because of that.
    patient: bool,
    hellos: u64,
    hello_at: Time,
    /// It comes before its time.
    early: bool,
    floods: Floods,
    flood_number: u64,
    frames: u32,
    /// Epochs below this were used with peers that are forgotten.
    floor: Epoch,
    seed: u64,
    draws: u64,
    load: Box<Load>,
}

impl<M: WireMessage> Link<M> {
    /// The link layer of node `me`; its first hello comes within a hello interval of `now`.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn new(me: NodeId, config: &Config, now: Time) -> Result<Self, ConfigError> {
        let rules = config.rules()?;
        let numbers = Epoch::first(rules.life);
        let mut link = Self {
            me,
            peers: Table::new(),
            neighbours: 0,
            standing: Standing::default(),
            still_at: None,
            calm: false,
            patient: false,
            hellos: numbers.0,
            hello_at: now,
            early: false,
            floods: Floods::new(),
            flood_number: numbers.0,
            frames: 0,
            floor: numbers,
            due: now,
            seed: mix(config.seed ^ mix(me.0.into())),
            draws: 0,
            counters: Counters::default(),
            load: Box::default(),
            rules: Fixed::new(rules),
        };
        link.hello_at = now + link.rules.hello_interval.mul_f64(link.vary());
        link.due = link.hello_at;
        Ok(link)
    }

    /// This node.
    pub const fn me(&self) -> NodeId {
        self.me
    }

    /// When [`Link::wake`] has to be called next: at once if that is past.
    pub const fn due(&self) -> Time {
        self.due
    }

    /// What it did so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The ends of the pairs with all known peers, in order of their ids.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair<M>> + '_ {
        self.peers.iter().map(|peer| &peer.pair)
    }

    /// The end of the pair with a peer.
    pub fn pair(&self, peer: NodeId) -> Option<&Pair<M>> {
        let place = self.peers.place(peer).ok()?;
        Some(&self.peers[place].pair)
    }

    /// The node began to move or stopped. A stop counts only if it lasts: at a waypoint a node
    /// stops and goes on at the same moment.
    pub fn motion(&mut self, now: Time, moving: bool) {
        if moving {
            self.standing.moving = true;
            self.still_at = None;
        } else if self.standing.moving {
            let at = now + self.rules.hello_interval;
            self.still_at = Some(at);
            self.due = self.due.min(at);
        }
    }

    /// The node entered its critical section or left it.
    pub const fn set_inside(&mut self, inside: bool) {
        self.standing.inside = inside;
    }

    /// Whether messages that nobody awaits may wait for the next hello, from now on. Of use where
    /// messages ride on hellos.
    pub fn set_calm(&mut self, now: Time, calm: bool) {
        self.calm = calm;
        if self.patient && !calm {
            self.speak(now);
        }
    }

    /// Sends a message on a link that is up here.
    ///
    /// # Errors
    /// If it is not; the message comes back.
    pub fn send(&mut self, now: Time, to: NodeId, msg: M, out: &mut Outbox<M>) -> Result<(), M> {
        let Ok(place) = self.peers.place(to) else {
            return Err(msg);
        };
        let peer = &mut self.peers[place];
        let owned = msg.class() == Class::Ownership;
        peer.pair.send(msg)?;
        peer.unsettle();
        self.counters.owned += u64::from(owned);
        // The link closes, but not here: the protocol is in the middle of something.
        peer.overflow |= peer.pair.backlog() > self.rules.backlog || peer.pair.is_spent();
        let overflow = peer.overflow;
        self.plan(place);
        if !overflow {
            self.pump(place, now, out);
        }
        Ok(())
    }

    /// A frame arrived, with this power. Returns false if the state is unchanged.
    #[inline(never)] // See `news`.
    pub fn frame(&mut self, now: Time, bytes: &[u8], power: Power, out: &mut Outbox<M>) -> bool {
        let result = match frame::decode_for(self.me, M::TAG, bytes) {
            Err(error) => Err(Drop::from(&error)),
            Ok((from, _)) if from == self.me => Err(Drop::Myself),
            Ok((from, Frame::Hello(hello))) => match self.heard(now, from, &hello, power) {
                Ok(None) => return false,
                Ok(Some((place, settled))) => self.news(now, place, hello, settled, out),
                Err(why) => Err(why),
            },
            Ok((from, Frame::Data(data))) => self.data(now, from, &data, out),
            Ok((from, Frame::Ack(ack))) => self.ack(now, from, &ack, out),
            Ok((from, Frame::Close(close))) => self.close(now, from, &close, out),
            Ok((_, Frame::Flood(flood))) => self.flood(now, &flood, out),
        };
        if let Err(why) = result {
            self.counters.drop(why);
        }
        true
    }

    /// The radio has carried a frame (the receiver's radio confirmed it), or given it up. Giving up
    /// does not mean that it was not received.
    #[inline(never)] // See `news`.
    pub fn sent(&mut self, now: Time, id: FrameId, ok: bool, out: &mut Outbox<M>) {
        let Ok(place) = self.peers.place(id.to()) else {
            return;
        };
        let peer = &mut self.peers[place];
        let same = |number: u32| FrameId::new(id.to(), number) == id;
        let Some(carried) = peer.carried.filter(|carried| same(carried.number)) else {
            return;
        };
        peer.carried(carried, ok, now, &self.rules);
        self.plan(place);
        self.pump(place, now, out);
    }

    /// Does one of the things that are due. The host calls it again, with an empty outbox, as
    /// long as [`Link::due`] is not after `now`.
    #[inline(never)] // See `news`.
    pub fn wake(&mut self, now: Time, out: &mut Outbox<M>) {
        for place in 0..self.peers.len() {
            if self.peers.is_due(place, now) {
                self.wake_peer(place, now, out);
                self.plan(place);
                if !out.events.is_empty() {
                    return;
                }
            }
        }
        while let Some(flood) = self.floods.take(now) {
            self.transmit_flood(&flood, out);
        }
        if self.still_at.is_some_and(|at| at <= now) {
            self.standing.moving = false;
            self.still_at = None;
        }
        if self.hello_at <= now {
            self.say_hello(now, out);
        }
        let rest = [self.still_at, self.floods.due()];
        self.due = rest
            .into_iter()
            .flatten()
            .fold(self.hello_at, Time::min)
            .min(self.peers.due(&self.rules));
    }

    /// Something happened to a peer: there may be something to do sooner or later.
    fn plan(&mut self, place: usize) {
        self.due = self.due.min(self.peers.plan(place, &self.rules));
    }

    fn wake_peer(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let rules = &self.rules;
        let peer = &mut self.peers[place];
        if peer.pair.state() >= State::Heard
            && let Some(cause) = peer.end(now, rules)
        {
            self.leave(place, cause, now, out);
            return;
        }
        peer.try_again(now, rules);
        self.pump(place, now, out);
        let peer = &mut self.peers[place];
        if peer.query_at.is_some_and(|at| at <= now) {
            self.query(place, now, out);
        }
    }

    /// Leaves a link by this end's own decision.
    fn leave(&mut self, place: usize, cause: Cause, now: Time, out: &mut Outbox<M>) {
        let before = Before::of(&self.peers[place]);
        let rides = self.peers[place].rides(now, &self.rules);
        let farewell = self.peers[place].pair.close(&mut out.events);
        self.settle(place, before, cause, Way::Close, now, out);
        match farewell {
            // The next hello tells it.
            Some(Farewell { ask: false, .. }) if rides => {}
            _ => self.say_farewell(place, farewell, out),
        }
    }

    /// Lets the rules of a pair work on something of the peer's that came this way.
    fn with_pair<E>(
        &mut self,
        place: usize,
        now: Time,
        way: Way,
        out: &mut Outbox<M>,
        work: impl FnOnce(&mut Pair<M>, &mut Vec<Event<M>>) -> Result<Option<Farewell>, E>,
    ) -> Result<(), Drop>
    where
        Drop: From<E>,
    {
        let before = Before::of(&self.peers[place]);
        let result = work(&mut self.peers[place].pair, &mut out.events);
        self.settle(place, before, Cause::Left, way, now, out);
        let farewell = result?;
        match (way, farewell) {
            (Way::Flood, Some(farewell)) => self.start_flood(place, farewell, out),
            _ => self.say_farewell(place, farewell, out),
        }
        Ok(())
    }

    /// Draws the consequences of what happened to a pair.
    fn settle(
        &mut self,
        place: usize,
        before: Before,
        cause: Cause,
        way: Way,
        now: Time,
        out: &mut Outbox<M>,
    ) {
        let rules = &self.rules;
        let peer = &mut self.peers[place];
        let (id, state) = (peer.pair.peer(), peer.pair.state());
        let doubtful = peer.pair.is_doubtful();
        if peer.pair.backlog() != before.backlog {
            peer.acknowledged(now, rules);
        }
        if before.state != state {
            peer.unsettle();
        }
        if before.state >= State::Heard && state == State::Down {
            self.neighbours -= 1;
            peer.closed(now, rules);
            if let Some(incarnation) = before.incarnation {
                out.notes.push(Note::Down {
                    peer: id,
                    incarnation,
                    cause,
                });
            }
        } else if before.state == State::Down && state >= State::Heard {
            self.neighbours += 1;
            peer.crowded = false;
        }
        if before.doubtful && !doubtful {
            let resolved = |event: &&Event<M>| matches!(event, Event::Resolved { .. });
            let messages = out.events.iter().filter(resolved).count();
            let after = now - peer.left_at;
            peer.query_at = None;
            out.notes.push(Note::Resolved {
                peer: id,
                way,
                messages,
                after,
            });
        }
        let up = peer
            .pair
            .incarnation()
            .filter(|_| before.state != State::Up);
        let role = out.events.iter().find_map(|event| match event {
            Event::LinkUp { role, .. } => Some(*role),
            _ => None,
        });
        if let (Some(incarnation), Some(role)) = (up, role) {
            out.notes.push(Note::Up {
                peer: id,
                incarnation,
                role,
            });
            peer.fresh = true;
            self.hurry_queries(now);
        }
        self.plan(place);
    }

    /// There is a new link: perhaps it leads to an answer.
    fn hurry_queries(&mut self, now: Time) {
        let soon = now + self.rules.query_after;
        for place in 0..self.peers.len() {
            let peer = &mut self.peers[place];
            if let Some(at) = &mut peer.query_at {
                *at = soon.min(*at);
                peer.query_gap = self.rules.query_every;
                self.plan(place);
            }
        }
    }

    /// The place of the peer that sent a frame to this node.
    fn addressed(&self, from: NodeId, to: NodeId) -> Result<usize, Drop> {
        if to != self.me {
            return Err(Drop::NotForMe);
        }
        self.peers.place(from).map_err(|_| Drop::Stranger)
    }

    /// The place of a peer whose hello came, in the table from now on.
    fn find_or_add(
        &mut self,
        now: Time,
        from: NodeId,
        number: u64,
        power: Power,
    ) -> Result<usize, Drop> {
        let Ok(place) = self.peers.guess(from, self.me) else {
            return self.add(now, from, number, power);
        };
        let neighbour = self.peers.is_neighbour(place);
        let hearing = &mut self.peers[place].hearing;
        let new = hearing.hello(now, number, power, neighbour, &self.rules);
        new.then_some(place).ok_or(Drop::Replayed)
    }

    #[cold]
    fn add(&mut self, now: Time, from: NodeId, number: u64, power: Power) -> Result<usize, Drop> {
        if self.peers.len() >= self.rules.peers {
            self.forget_one(now)?;
        }
        let place = self.peers.place(from).unwrap_or_else(|place| place);
        let pair = Pair::new(self.me, from, self.floor, self.rules.flaw);
        let hearing = Hearing::new(now, number, power, &self.rules);
        self.peers
            .insert(place, Peer::new(pair, hearing), &self.rules);
        Ok(place)
    }

    /// Makes room for another peer.
    fn forget_one(&mut self, now: Time) -> Result<(), Drop> {
        let idle = |peer: &&Peer<M>| peer.is_idle(now, &self.rules);
        let oldest = self
            .peers
            .iter()
            .filter(idle)
            .min_by_key(|peer| peer.hearing.last());
        let id = oldest.map(|peer| peer.pair.peer()).ok_or(Drop::NoRoom)?;
        let place = self.peers.place(id).map_err(|_| Drop::NoRoom)?;
        // Should it come back, its epochs go on.
        let used = self.peers.remove(place).pair.epoch();
        self.floor = self.floor.max(Epoch(used.0.saturating_add(1)));
        Ok(())
    }

    /// The next of this node's own scattered numbers, from 0 to 1.
    fn vary(&mut self) -> f64 {
        self.draws += 1;
        unit(mix(self.seed ^ mix(self.draws)))
    }
}

/// What matters of a peer before something happened to it.
#[derive(Clone, Copy, Debug)]
struct Before {
    state: State,
    incarnation: Option<(Epoch, Epoch)>,
    doubtful: bool,
    backlog: usize,
}

impl Before {
    fn of<M: WireMessage>(peer: &Peer<M>) -> Self {
        Self {
            state: peer.pair.state(),
            incarnation: peer.pair.incarnation(),
            doubtful: peer.pair.is_doubtful(),
            backlog: peer.pair.backlog(),
        }
    }
}
