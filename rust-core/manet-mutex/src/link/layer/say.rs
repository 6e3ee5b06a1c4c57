//! What goes to the radio.

use super::Link;
use crate::link::config::varied;
use crate::link::outbox::{FrameId, Outbox};
use crate::link::pair::Farewell;
use crate::machine::Class;
use crate::time::Time;
use crate::wire::frame::{
    Ack, Close, Data, Flood, MAX_ENTRIES, MAX_ENTRY, MAX_FINAL, SPARE, Writer,
};
use crate::wire::{self, WireMessage};

impl<M: WireMessage> Link<M> {
    /// The next hello comes now.
    pub(super) fn speak(&mut self, now: Time) {
        self.early |= now < self.hello_at;
        self.hello_at = self.hello_at.min(now);
        self.due = self.due.min(now);
    }

    /// Sees to the next message for a peer: a hello carries it, or a frame of its own.
    pub(super) fn pump(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let peer = &mut self.peers[place];
        if peer.rides(now, &self.rules) {
            let patient = self.calm && !peer.fresh;
            let hurries = |(_, msg): (u32, &M)| !(peer.fresh || patient) || msg.is_awaited();
            if peer.is_free() && peer.pair.waiting().any(hurries) {
                self.speak(now);
            } else if patient && peer.pair.outgoing().is_some() {
                self.patient = true;
            }
            return;
        }
        peer.stop_riding(now, &self.rules);
        self.send_next(place, now, out);
        self.plan(place);
    }

    /// Gives the radio the next message for a peer alone, if it can take one.
    fn send_next(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let peer = &mut self.peers[place];
        let Some((mine, theirs)) = peer.pair.incarnation().filter(|_| peer.is_free()) else {
            return;
        };
        let Some((sequence, msg)) = peer.pair.outgoing() else {
            return;
        };
        let class = msg.class();
        let to = peer.pair.peer();
        let start = out.bytes.len();
        Writer::new(&mut out.bytes, M::TAG, self.me).data(&Data {
            to,
            mine,
            theirs,
            sequence,
            ack: peer.pair.received(),
            urgent: class == Class::Ownership,
            message: &[],
        });
        if let Err(error) = wire::encode(msg, &mut out.bytes) {
            // The link closes, and the message goes back to the protocol that made it so long.
            log::error!("{:?} cannot send {msg:?} to {to:?}: {error}", self.me);
            out.bytes.truncate(start);
            peer.overflow = true;
            return;
        }
        self.frames = self.frames.wrapping_add(1);
        out.frame(start, Some(to), Some(FrameId::new(to, self.frames)));
        self.counters.data += 1;
        peer.pair.taken();
        peer.carry(self.frames, sequence, class, now, &self.rules);
    }

    /// Says hello to all, with what waits for those whose messages ride on hellos.
    pub(super) fn say_hello(&mut self, now: Time, out: &mut Outbox<M>) {
        let mut unit = self.vary();
        if std::mem::take(&mut self.early) {
            // After one that came early the next takes its time, as far as jitter lets it. Not all
            // of it: nodes that spoke at the same moment should not do so again.
            unit = 0.8 + 0.2 * unit;
        }
        self.hello_at = now + varied(self.rules.hello_interval, self.rules.jitter, unit);
        self.patient = false;
        self.hellos += 1;
        debug_assert!(self.peers.is_planned(&self.rules));
        let peers = &self.peers;
        // Neighbours always have their entry; others and finals get the room that is left.
        let mut others = MAX_ENTRIES - self.neighbours;
        let listed = move |place: &usize| {
            let neighbour = peers.is_neighbour(*place);
            let listed = neighbour || (others > 0 && peers.is_listed(*place, now));
            others -= usize::from(listed && !neighbour);
            listed
        };
        let places = || (0..peers.len()).filter(listed);
        let mut room = SPARE + (MAX_ENTRIES - places().count()) * MAX_ENTRY;
        let start = out.bytes.len();
        let mut hello = Writer::new(&mut out.bytes, M::TAG, self.me).begin_hello(self.hellos);
        let load = &mut *self.load;
        for (number, place) in (0..).zip(places()) {
            if let Some(gist) = peers.gist(place) {
                hello.add_gist(gist);
                continue;
            }
            let peer = &peers[place];
            let mut entry = peer.pair.entry(self.standing);
            if entry.last.is_some() {
                match room.checked_sub(MAX_FINAL) {
                    Some(rest) => room = rest,
                    None => entry.last = None,
                }
            }
            hello.add(peer.pair.peer(), &entry);
            if peer.has_riders(&self.rules) {
                load.add(place, number, &peer.pair);
            }
        }
        load.write(&mut out.bytes, start);
        out.frame(start, None, None);
        self.counters.hellos += 1;
        self.counters.hello_bytes += (out.bytes.len() - start) as u64;
        for ride in load.rides() {
            let peer = &mut self.peers[ride.place];
            peer.pair.shared(ride.sequence);
            peer.shared(ride.sequence, ride.urgent, now, &self.rules);
            self.peers.plan(ride.place, &self.rules);
            self.counters.shared += 1;
        }
        load.clear();
        for place in 0..self.peers.len() {
            if self.peers.gist(place).is_some() {
                continue;
            }
            let peer = &mut self.peers[place];
            let fresh = std::mem::take(&mut peer.fresh);
            if peer.has_riders(&self.rules) && peer.pair.outgoing().is_some() {
                // The hello was full.
                peer.repeat(now, &self.rules);
                self.pump(place, now, out);
            } else if fresh {
                self.peers.plan(place, &self.rules);
            }
        }
    }

    pub(super) fn say_ack(&mut self, place: usize, out: &mut Outbox<M>) {
        let pair = &self.peers[place].pair;
        let Some((mine, theirs)) = pair.incarnation() else {
            return;
        };
        let (to, ack) = (pair.peer(), pair.received());
        let start = out.bytes.len();
        Writer::new(&mut out.bytes, M::TAG, self.me).ack(&Ack {
            to,
            mine,
            theirs,
            ack,
        });
        self.frames = self.frames.wrapping_add(1);
        out.frame(start, Some(to), Some(FrameId::new(to, self.frames)));
        self.counters.acks += 1;
    }

    pub(super) fn say_farewell(
        &mut self,
        place: usize,
        farewell: Option<Farewell>,
        out: &mut Outbox<M>,
    ) {
        let Some(Farewell { last, ask }) = farewell else {
            return;
        };
        let to = self.peers[place].pair.peer();
        let start = out.bytes.len();
        Writer::new(&mut out.bytes, M::TAG, self.me).close(&Close { to, ask, last });
        self.frames = self.frames.wrapping_add(1);
        out.frame(start, Some(to), Some(FrameId::new(to, self.frames)));
        self.counters.closes += 1;
    }

    /// Asks everybody about what is in doubt with a peer.
    pub(super) fn query(&mut self, place: usize, now: Time, out: &mut Outbox<M>) {
        let Some(question) = self.peers[place].pair.question() else {
            self.peers[place].query_at = None;
            return;
        };
        let vary = self.vary();
        let peer = &mut self.peers[place];
        peer.query_at = Some(now + varied(peer.query_gap, 0.25, vary));
        peer.query_gap = (peer.query_gap * 2).min(self.rules.query_every * 4);
        self.start_flood(place, question, out);
    }

    pub(super) fn start_flood(&mut self, place: usize, farewell: Farewell, out: &mut Outbox<M>) {
        let Farewell { last, ask } = farewell;
        self.flood_number += 1;
        let flood = Flood {
            origin: self.me,
            number: self.flood_number,
            hops: self.rules.query_hops,
            target: self.peers[place].pair.peer(),
            ask,
            last,
        };
        self.transmit_flood(&flood, out);
    }

    pub(super) fn transmit_flood(&mut self, flood: &Flood, out: &mut Outbox<M>) {
        let start = out.bytes.len();
        Writer::new(&mut out.bytes, M::TAG, self.me).flood(flood);
        out.frame(start, None, None);
        self.counters.floods += 1;
    }
}
