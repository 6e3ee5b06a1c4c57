//! What a frame of another node does.

use super::Link;
use crate::ids::NodeId;
use crate::link::outbox::{Cause, Drop, Note, Outbox, Way};
use crate::link::power::Power;
use crate::time::{Time, span};
use crate::wire::frame::{Ack, Close, Data, Flood, Hello, Place};
use crate::wire::frame::{Entry, Epoch, State};
use crate::wire::{self, WireMessage};

/// The longest a flood waits before it is passed on, so that not all neighbours do so at once.
const RELAY: f64 = 0.02;

impl<M: WireMessage> Link<M> {
    /// A hello came: whose, and whether it is settled how that peer sees this node. None if there
    /// is no more to it.
    pub(super) fn heard(
        &mut self,
        now: Time,
        from: NodeId,
        hello: &Hello<'_>,
        power: Power,
    ) -> Result<Option<(usize, bool)>, Drop> {
        let place = self.find_or_add(now, from, hello.number, power)?;
        self.counters.hellos_heard += 1;
        let gist = hello.mine.and_then(Place::gist);
        let settled = self.peers[place].is_settled(gist, &self.rules);
        if settled {
            self.peers.plan_heard(place, &self.rules);
        }
        Ok((!settled || hello.for_me).then_some((place, settled)))
    }

    /// A hello that may change something, if only by a message.
    #[inline(never)] // Most hellos change nothing: what they need stays close together.
    pub(super) fn news(
        &mut self,
        now: Time,
        place: usize,
        hello: Hello<'_>,
        settled: bool,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let mine = hello.mine;
        let entry = mine.and_then(Place::entry);
        let before = self.peers[place].pair.state();
        if !settled {
            self.see(now, place, entry.as_ref(), out)?;
        }
        if let (Some(mine), Some(entry)) = (mine, entry) {
            self.shared(now, place, mine.number, &entry, hello, out);
            self.peers[place].settle(&entry, mine.gist(), before);
        }
        self.pump(place, now, out);
        Ok(())
    }

    /// Takes in that a peer was heard and how it sees this node.
    fn see(
        &mut self,
        now: Time,
        place: usize,
        entry: Option<&Entry>,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let peer = &mut self.peers[place];
        let state = peer.pair.state();
        let left = entry.is_some_and(|entry| peer.pair.is_left(entry));
        if state >= State::Heard && !left && peer.hearing.is_fading(&self.rules) {
            self.leave(place, Cause::Weak, now, out);
        }
        let peer = &mut self.peers[place];
        let good = peer.hearing.is_good(&self.rules);
        let room = self.neighbours < self.rules.neighbours;
        if good && !room && state == State::Down && !peer.crowded {
            peer.crowded = true;
            out.notes.push(Note::Crowded {
                peer: peer.pair.peer(),
                most: self.rules.neighbours,
            });
        }
        let standing = self.standing;
        self.with_pair(place, now, Way::Hello, out, |pair, events| {
            pair.hello(entry, good && room, standing, events)
        })
    }

    /// Takes the messages out of a hello that are for the entry of this number.
    fn shared(
        &mut self,
        now: Time,
        place: usize,
        number: u8,
        entry: &Entry,
        hello: Hello<'_>,
        out: &mut Outbox<M>,
    ) {
        let (Some(theirs), State::Up) = (entry.theirs, entry.state) else {
            return;
        };
        let epochs = (entry.mine, theirs);
        for shared in hello.shared() {
            let mut receivers = shared.receivers();
            let Some((_, sequence)) = receivers.find(|&(to, _)| to == number) else {
                continue;
            };
            let taken = self.message(
                now,
                place,
                (epochs, sequence, entry.ack),
                shared.urgent,
                shared.message,
                out,
            );
            match taken {
                // Hellos repeat what is not acknowledged yet.
                Ok(()) | Err(Drop::Duplicate) => {}
                Err(why) => {
                    self.counters.drop(why);
                    if why == Drop::Stale && shared.urgent {
                        self.speak(now);
                    }
                }
            }
        }
    }

    #[inline(never)] // See `news`.
    pub(super) fn data(
        &mut self,
        now: Time,
        from: NodeId,
        data: &Data<'_>,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let place = self.addressed(from, data.to)?;
        let numbers = ((data.mine, data.theirs), data.sequence, data.ack);
        let taken = self.message(now, place, numbers, data.urgent, data.message, out);
        match taken {
            // It was perhaps not acknowledged in time.
            Err(Drop::Duplicate) if data.urgent => self.say_ack(place, out),
            // The peer does not know yet that this end has left.
            Err(Drop::Stale) if self.rules.sharing => self.speak(now),
            _ => {}
        }
        self.pump(place, now, out);
        taken
    }

    /// A message of a peer, with the sender's and this end's epochs, its sequence number and the
    /// acknowledgement that came with it.
    fn message(
        &mut self,
        now: Time,
        place: usize,
        (epochs, sequence, ack): ((Epoch, Epoch), u32, u32),
        urgent: bool,
        message: &[u8],
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let msg: M = wire::decode(message).map_err(|_| Drop::Message)?;
        let standing = self.standing;
        let taken = self.with_pair(place, now, Way::Close, out, |pair, events| {
            pair.data(epochs, sequence, ack, standing, msg, events)
                .map(|()| None)
        });
        self.counters.delivered += u64::from(taken.is_ok());
        match taken {
            Ok(()) if urgent && self.peers[place].rides(now, &self.rules) => self.speak(now),
            Ok(()) if urgent => self.say_ack(place, out),
            _ => {}
        }
        taken
    }

    #[inline(never)] // See `news`.
    pub(super) fn ack(
        &mut self,
        now: Time,
        from: NodeId,
        ack: &Ack,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let place = self.addressed(from, ack.to)?;
        let epochs = (ack.mine, ack.theirs);
        self.with_pair(place, now, Way::Close, out, |pair, _| {
            pair.ack(epochs, ack.ack).map(|()| None)
        })?;
        self.pump(place, now, out);
        Ok(())
    }

    #[inline(never)] // See `news`.
    pub(super) fn close(
        &mut self,
        now: Time,
        from: NodeId,
        close: &Close,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        let place = self.addressed(from, close.to)?;
        self.with_pair(place, now, Way::Close, out, |pair, events| {
            pair.farewell(close.last, close.ask, events)
        })
    }

    #[inline(never)] // See `news`.
    pub(super) fn flood(
        &mut self,
        now: Time,
        flood: &Flood,
        out: &mut Outbox<M>,
    ) -> Result<(), Drop> {
        if flood.origin == self.me {
            return Err(Drop::Myself);
        }
        if !self.floods.is_new(flood) {
            return Err(Drop::Seen);
        }
        if flood.target != self.me {
            let at = now + span(RELAY * self.vary());
            self.floods.pass_on(at, *flood);
            self.due = self.due.min(at);
            return Ok(());
        }
        let place = self.peers.place(flood.origin).map_err(|_| Drop::Stranger)?;
        self.with_pair(place, now, Way::Flood, out, |pair, events| {
            pair.farewell(flood.last, flood.ask, events)
        })
    }
}
