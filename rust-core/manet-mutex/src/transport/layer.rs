//! The transport of one node.

use super::config::{Config, ConfigError, Rules};
use super::outbox::{Counters, Drop, Note, Outbox};
use super::pace::Pace;
use super::pair::{Met, Pair, Unfit};
use crate::fixed::Fixed;
use crate::hash::{mix, unit};
use crate::ids::NodeId;
use crate::machine::Event;
use crate::time::Time;
use crate::wire::datagram::Life;
use crate::wire::datagram::{self, Body, Datagram, Head};
use crate::wire::{self, WireMessage};

/// Messages to any node, exactly once, made of datagrams that may do anything. See [`super`].
///
/// Every input takes the time and an [`Outbox`]; afterwards the host
/// 1. hands the outbox's events to the protocol, each answer going back through
///    [`Transport::send`],
/// 2. gives its frames, each of which is a datagram to one node, to routing,
/// 3. sees to it that [`Transport::wake`] is called at [`Transport::due`].
///
/// Time must not go backwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transport<M> {
    me: NodeId,
    rules: Fixed<Rules>,
    /// In order of their ids.
    peers: Vec<Peer<M>>,
    /// Nothing is due before.
    due: Option<Time>,
    seed: u64,
    draws: u64,
    counters: Counters,
}

/// A node that this one has heard of or has something for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Peer<M> {
    id: NodeId,
    pair: Pair<M>,
    pace: Pace,
    /// A message was sent to it or delivered from it. Its numbers must not be forgotten: messages
    /// would be delivered twice, or taken for old ones.
    in_use: bool,
}

impl<M: WireMessage> Transport<M> {
    /// The transport of node `me`.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn new(me: NodeId, config: &Config) -> Result<Self, ConfigError> {
        Ok(Self {
            me,
            rules: Fixed::new(config.rules()?),
            peers: Vec::new(),
            due: None,
            seed: mix(config.seed ^ mix(me.0.into())),
            draws: 0,
            counters: Counters::default(),
        })
    }

    /// This node.
    pub const fn me(&self) -> NodeId {
        self.me
    }

    /// When [`Transport::wake`] has to be called next, if at all: at once if that is past.
    pub const fn due(&self) -> Option<Time> {
        self.due
    }

    /// What it did so far.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The end of the pair with a peer.
    pub fn pair(&self, peer: NodeId) -> Option<&Pair<M>> {
        let place = self.place(peer).ok()?;
        Some(&self.peers[place].pair)
    }

    /// Whether nothing waits to be sent or acknowledged.
    pub fn is_idle(&self) -> bool {
        self.peers.iter().all(|peer| peer.pair.is_idle())
    }

    /// Sends a message to another node.
    ///
    /// # Errors
    /// If too much waits for that node already, or there is no room for one more peer; the message
    /// comes back. Protocols that wait for answers never get there.
    pub fn send(&mut self, now: Time, to: NodeId, msg: M, out: &mut Outbox<M>) -> Result<(), M> {
        let Some(place) = self.find_or_add(now, to).filter(|_| to != self.me) else {
            return Err(msg);
        };
        let peer = &mut self.peers[place];
        let (under_way, waiting) = peer.pair.load();
        if waiting >= self.rules.backlog {
            return Err(msg);
        }
        self.counters.sent += 1;
        self.counters.most = self.counters.most.max((under_way + waiting + 1) as u64);
        peer.in_use = true;
        peer.pair.send(msg);
        peer.pace.begin(now);
        self.pump(place, now, out);
        Ok(())
    }

    /// A datagram arrived.
    pub fn datagram(&mut self, now: Time, bytes: &[u8], out: &mut Outbox<M>) {
        let result = match datagram::decode(M::TAG, bytes) {
            Err(error) => Err(Drop::from(&error)),
            Ok(datagram) => self.take(now, &datagram, out),
        };
        if let Err(why) = result {
            self.counters.drop(why);
        }
    }

    /// A hint: there may be a new route to a node. What waits for an answer goes out again at once.
    pub fn route_up(&mut self, now: Time, to: NodeId) {
        if let Ok(place) = self.place(to)
            && !self.peers[place].pair.is_idle()
        {
            self.peers[place].pace.hurry(now);
            self.due = Some(self.due.map_or(now, |due| due.min(now)));
        }
    }

    /// Does what is due.
    pub fn wake(&mut self, now: Time, out: &mut Outbox<M>) {
        for place in 0..self.peers.len() {
            if self.peers[place].pace.due.is_some_and(|due| due <= now) {
                self.time_out(place, now, out);
            }
        }
        self.due = self.next_due();
    }

    fn time_out(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let peer = &mut self.peers[place];
        if peer.pace.time_out(&self.rules, now) {
            out.notes.push(Note::Unreachable { peer: peer.id });
        }
        let (mine, theirs) = peer.pair.lives();
        match theirs {
            None => self.probe(place, out),
            Some(theirs) => {
                let head = head(self.me, peer.id, mine);
                if let Some((number, msg)) = peer.pair.again() {
                    write_data(head, theirs, number, msg, &mut self.counters, out);
                    self.counters.again += 1;
                }
            }
        }
        self.arm(place, now);
    }

    fn take(
        &mut self,
        now: Time,
        datagram: &Datagram<'_>,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let Head { from, to, life } = datagram.head;
        if to != self.me {
            return Err(Drop::NotForMe);
        }
        if from == self.me {
            return Err(Drop::Myself);
        }
        // Read before anything changes: what cannot be read was not received.
        let msg: Option<M> = match datagram.body {
            Body::Data { message, .. } => Some(wire::decode(message).map_err(|_| Drop::Message)?),
            _ => None,
        };
        let place = self.find_or_add(now, from).ok_or(Drop::NoRoom)?;
        self.meet(place, life, now, out)?;
        match (datagram.body, msg) {
            (Body::Data { theirs, number, .. }, Some(msg)) => {
                self.data(place, theirs, number, msg, out)
            }
            (Body::Ack { theirs, receipt }, _) => {
                let taken = self.peers[place].pair.ack(theirs, receipt)?;
                self.acked(place, now, taken.messages, taken.sent_at, out);
                Ok(())
            }
            _ => {
                self.ack(place, out);
                Ok(())
            }
        }
    }

    fn meet(
        &mut self,
        place: usize,
        life: Life,
        now: Time,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let peer = &mut self.peers[place];
        let met = peer.pair.meet(life)?;
        if met == Met::Same {
            return Ok(());
        }
        let id = peer.id;
        if let Met::Restarted { in_doubt, unsent } = met {
            out.notes.push(Note::PeerRestarted {
                peer: id,
                in_doubt,
                unsent,
            });
        }
        self.relax(place);
        let peer = &mut self.peers[place];
        peer.pace.start_anew(&self.rules);
        if peer.pace.answer(&self.rules, now, None) {
            out.notes.push(Note::Reachable { peer: id });
        }
        self.pump(place, now, out);
        Ok(())
    }

    fn data(
        &mut self,
        place: usize,
        theirs: Life,
        number: u64,
        msg: M,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let peer = &mut self.peers[place];
        let from = peer.id;
        let taken = peer.pair.data(theirs, number);
        if taken.is_ok() {
            self.counters.delivered += 1;
            peer.in_use = true;
            out.events.push(Event::Message { from, msg });
        }
        // What was meant for an earlier life is answered as well: the answer names this one.
        if taken != Err(Unfit::Forged) {
            self.ack(place, out);
        }
        Ok(taken?)
    }

    /// The peer acknowledged so many messages, the latest of which went out once, then.
    fn acked(
        &mut self,
        place: usize,
        now: Time,
        messages: usize,
        sent_at: Option<Time>,
        out: &mut Outbox<M>,
    ) {
        let peer = &mut self.peers[place];
        let took = sent_at.map(|at| now.0.saturating_sub(at.0));
        if peer.pace.answer(&self.rules, now, took) {
            out.notes.push(Note::Reachable { peer: peer.id });
        }
        let flowed = peer.pace.flows();
        if messages == 0 && flowed {
            return;
        }
        self.relax(place);
        if !flowed {
            self.send_all_again(place, out);
        }
        self.pump(place, now, out);
    }

    fn send_all_again(&mut self, place: usize, out: &mut Outbox<M>) {
        let peer = &mut self.peers[place];
        let (mine, Some(theirs)) = peer.pair.lives() else {
            return;
        };
        let head = head(self.me, peer.id, mine);
        for (number, msg) in peer.pair.all_again() {
            write_data(head, theirs, number, msg, &mut self.counters, out);
            self.counters.again += 1;
        }
    }

    /// Sends what may be sent and sets the timer if that is not set.
    fn pump(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let peer = &mut self.peers[place];
        let (mine, theirs) = peer.pair.lives();
        if peer.pair.is_idle() {
            self.rest(place);
            return;
        }
        match theirs {
            None if peer.pace.due.is_none() => self.probe(place, out),
            None => return,
            Some(theirs) if peer.pace.flows() => {
                let head = head(self.me, peer.id, mine);
                while let Some((number, msg)) = peer.pair.advance(now, self.rules.window) {
                    write_data(head, theirs, number, msg, &mut self.counters, out);
                }
            }
            Some(_) => {}
        }
        if self.peers[place].pace.due.is_none() {
            self.arm(place, now);
        }
    }

    /// Nothing waits for an answer of the peer any more.
    fn rest(&mut self, place: usize) {
        self.relax(place);
        self.peers[place].pace.rest();
    }

    /// Stops the timer and forgets that it ever ran out.
    fn relax(&mut self, place: usize) {
        let pace = &mut self.peers[place].pace;
        let was = pace.due;
        pace.relax();
        if was.is_some() && was == self.due {
            self.due = self.next_due();
        }
    }

    fn next_due(&self) -> Option<Time> {
        self.peers.iter().filter_map(|peer| peer.pace.due).min()
    }

    fn arm(&mut self, place: usize, now: Time) {
        self.draws += 1;
        let unit = unit(mix(self.seed ^ self.draws));
        let pace = &mut self.peers[place].pace;
        pace.arm(&self.rules, now, unit);
        self.due = self.due.into_iter().chain(pace.due).min();
    }

    fn probe(&mut self, place: usize, out: &mut Outbox<M>) {
        self.counters.probes += 1;
        self.write(place, Body::Probe, out);
    }

    fn ack(&mut self, place: usize, out: &mut Outbox<M>) {
        let pair = &self.peers[place].pair;
        let (_, Some(theirs)) = pair.lives() else {
            return;
        };
        let receipt = pair.receipt();
        self.counters.acks += 1;
        self.write(place, Body::Ack { theirs, receipt }, out);
    }

    fn write(&mut self, place: usize, body: Body<'_>, out: &mut Outbox<M>) {
        let peer = &self.peers[place];
        let head = head(self.me, peer.id, peer.pair.lives().0);
        let start = out.bytes.len();
        datagram::encode(M::TAG, &Datagram { head, body }, &mut out.bytes);
        finish(head, start, &mut self.counters, out);
    }

    fn place(&self, peer: NodeId) -> Result<usize, usize> {
        self.peers.binary_search_by_key(&peer, |peer| peer.id)
    }

    fn find_or_add(&mut self, now: Time, id: NodeId) -> Option<usize> {
        if let Ok(place) = self.place(id) {
            return Some(place);
        }
        if self.rules.nodes.is_some_and(|nodes| id.0 >= nodes) {
            return None;
        }
        if self.peers.len() >= self.rules.peers {
            let unused = self.peers.iter().position(|peer| !peer.in_use)?;
            self.peers.remove(unused);
        }
        let place = self.place(id).unwrap_or_else(|place| place);
        let peer = Peer {
            id,
            pair: Pair::new(self.rules.life, self.rules.flaw),
            pace: Pace::new(&self.rules, now),
            in_use: false,
        };
        self.peers.insert(place, peer);
        Some(place)
    }
}

const fn head(from: NodeId, to: NodeId, life: Life) -> Head {
    Head { from, to, life }
}

fn write_data<M: WireMessage>(
    head: Head,
    theirs: Life,
    number: u64,
    msg: &M,
    counters: &mut Counters,
    out: &mut Outbox<M>,
) {
    counters.data += 1;
    let start = out.bytes.len();
    let body = Body::Data {
        theirs,
        number,
        message: &[],
    };
    datagram::encode(M::TAG, &Datagram { head, body }, &mut out.bytes);
    if wire::encode(msg, &mut out.bytes).is_err() {
        // No protocol here has a message that is too long; a peer would not read it.
        log::error!("{:?}: {} is too long to be sent", head.from, msg.kind());
    }
    finish(head, start, counters, out);
}

/// The bytes from `start` on are a datagram.
fn finish<M>(head: Head, start: usize, counters: &mut Counters, out: &mut Outbox<M>) {
    counters.bytes += (out.bytes.len() - start) as u64;
    out.frame(start, Some(head.to), None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::routed::raymond::RaymondMessage::{self, Request};

    fn node(id: u32, peers: u16) -> Transport<RaymondMessage> {
        let config = Config {
            peers,
            ..Config::default()
        };
        Transport::new(NodeId(id), &config).expect("sound")
    }

    /// A node hears what another one wrote.
    fn hear(
        node: &mut Transport<RaymondMessage>,
        now: Time,
        out: &Outbox<RaymondMessage>,
    ) -> Outbox<RaymondMessage> {
        let mut answer = Outbox::new();
        for (_, bytes) in out.frames() {
            node.datagram(now, bytes, &mut answer);
        }
        answer
    }

    #[test]
    fn counters_tell_the_load_and_the_bytes() {
        let (mut a, mut out) = (node(0, 8), Outbox::new());
        for to in [1, 1, 2] {
            let sent = a.send(Time::ZERO, NodeId(to), Request, &mut out);
            assert_eq!(sent, Ok(()));
        }
        assert_eq!(a.counters().most, 2);
        assert_eq!(a.counters().bytes, out.bytes.len() as u64);
    }

    #[test]
    fn an_idle_spell_is_no_silence() {
        let (mut a, mut b) = (node(0, 8), node(1, 8));
        let mut out = Outbox::new();
        let sent = a.send(Time::ZERO, NodeId(1), Request, &mut out);
        assert_eq!(sent, Ok(()));
        while out.frames().next().is_some() {
            out = hear(&mut b, Time::ZERO, &out);
            out = hear(&mut a, Time::ZERO, &out);
        }
        assert!(a.is_idle());
        let later = Time::from_secs(100.0);
        let sent = a.send(later, NodeId(1), Request, &mut Outbox::new());
        assert_eq!(sent, Ok(()));
        let mut out = Outbox::new();
        a.wake(a.due().expect("it waits for an answer"), &mut out);
        assert_eq!(out.notes, []);
    }

    #[test]
    fn a_peer_that_is_first_heard_of_is_reachable_again() {
        let (mut a, mut b) = (node(0, 8), node(1, 8));
        let mut out = Outbox::new();
        let sent = a.send(Time::ZERO, NodeId(1), Request, &mut out);
        assert_eq!(sent, Ok(()));
        let peer = NodeId(1);
        let late = Time::from_secs(60.0);
        let mut out = Outbox::new();
        a.wake(late, &mut out);
        assert_eq!(out.notes, [Note::Unreachable { peer }]);
        let out = hear(&mut b, late, &out);
        let out = hear(&mut a, late, &out);
        assert_eq!(out.notes, [Note::Reachable { peer }]);
    }

    #[test]
    fn made_up_peers_take_no_more_room_than_there_is() {
        let mut a = node(0, 2);
        for id in 1..10 {
            let mut out = Outbox::new();
            let mut stranger = node(id, 2);
            let sent = stranger.send(Time::ZERO, NodeId(0), Request, &mut out);
            assert_eq!(sent, Ok(()));
            hear(&mut a, Time::ZERO, &out);
            assert!(a.peers.len() <= 2);
        }
    }
}
