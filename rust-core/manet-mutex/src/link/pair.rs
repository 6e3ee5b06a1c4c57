//! One end of a pair of nodes: the rules without clock and radio.
//!
//! # States
//! `Down`, then `Heard` (I hear the peer), `Sym` (it hears me too), `Up` (and it knows that).
//!
//! # Epochs
//! Each end numbers its attempts: its epoch grows at every return to `Down`. A pair of epochs is
//! an *incarnation* of the link. An end is up in at most one incarnation for each of its epochs,
//! comes up only when the peer has named that epoch, and leaves when the peer names a newer one
//! of its own; so nobody comes up before both have left the incarnation before.
//!
//! # Closing
//! An end that leaves fixes how many messages it has received: its [`Final`], which never changes
//! again. With the peer's final in hand an end knows what became of each message it sent;
//! until then those without acknowledgement are in doubt, and it stays `Down`. A final is the
//! same fact whichever way it comes: in a close frame, in a hello, or through others.
//! Whoever is asked for its final while still in the incarnation leaves it first.
//!
//! At most one incarnation of a pair can be in doubt, and only the last one that got beyond
//! `Heard`, so one final for each peer is enough. It is forgotten when the peer says that it has
//! left that incarnation and doubts nothing.
//!
//! # Roles
//! Which end counts as moving ([`Role`]) follows from the [`Standing`] that each end had when it
//! became `Heard`, and from the epochs: all fixed before either end is up, so both conclude the
//! same. If the standings decide nothing, the ends take turns.

use super::flaw::Flaw;
use super::window::Window;
use crate::ids::NodeId;
use crate::machine::{Class, Event, Fate, Message, Outcome, Role};
use crate::wire::frame::{Entry, Epoch, Final, Standing, State};
use std::cmp::Ordering;

/// Something to tell the peer: this end has left an incarnation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Farewell {
    /// What this end has received.
    pub last: Final,
    /// This end needs the peer's final.
    pub ask: bool,
}

/// Why a frame of a peer was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unfit {
    /// Of an incarnation that is over.
    Stale,
    /// Names an epoch or a count that was never reached.
    Forged,
    /// The link is not up here.
    NotUp,
    /// Received before.
    Duplicate,
    /// Something before it is missing.
    Gap,
}

/// Messages whose fate is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Doubt<M> {
    /// This end's final of the incarnation that carried them.
    last: Final,
    messages: Vec<(u32, M)>,
}

/// One end of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(C)] // What hellos look at comes first, up to the window's numbers: 64 bytes.
pub struct Pair<M> {
    mine: Epoch,
    /// The largest heard, if `met`.
    theirs: Epoch,
    last: Option<Box<Final>>,
    doubt: Option<Box<Doubt<M>>>,
    received: u32,
    peer: NodeId,
    state: State,
    met: bool,
    flaw: Option<Flaw>,
    /// Fixed at `Heard`.
    standing: Standing,
    /// Fixed at `Sym`.
    peer_standing: Standing,
    window: Window<M>,
    me: NodeId,
}

impl<M: Message> Pair<M> {
    /// The end at `me`, down.
    pub const fn new(me: NodeId, peer: NodeId, first: Epoch, flaw: Option<Flaw>) -> Self {
        let standing = Standing {
            moving: false,
            inside: false,
        };
        Self {
            mine: first,
            theirs: Epoch(0),
            last: None,
            doubt: None,
            received: 0,
            peer,
            state: State::Down,
            met: false,
            flaw,
            standing,
            peer_standing: standing,
            window: Window::new(),
            me,
        }
    }

    /// The other end's node.
    pub const fn peer(&self) -> NodeId {
        self.peer
    }

    /// How far the link has come.
    pub const fn state(&self) -> State {
        self.state
    }

    /// This end's epoch.
    pub const fn epoch(&self) -> Epoch {
        self.mine
    }

    /// The epochs of the incarnation that this end is up in: its own and the peer's.
    pub fn incarnation(&self) -> Option<(Epoch, Epoch)> {
        let theirs = self.theirs().filter(|_| self.state == State::Up)?;
        Some((self.mine, theirs))
    }

    /// The peer's epoch as far as known.
    fn theirs(&self) -> Option<Epoch> {
        self.met.then_some(self.theirs)
    }

    /// Whether this end waits to hear what became of messages.
    pub const fn is_doubtful(&self) -> bool {
        self.doubt.is_some()
    }

    /// The final that the peer may still need.
    pub fn last(&self) -> Option<Final> {
        self.last.as_deref().copied()
    }

    /// What this end asks for while in doubt.
    pub fn question(&self) -> Option<Farewell> {
        let last = self.doubt.as_ref()?.last;
        Some(Farewell { last, ask: true })
    }

    /// What this end's hello says about the peer.
    pub fn entry(&self, now: Standing) -> Entry {
        let standing = match self.flaw {
            Some(Flaw::LiveRoles) => now,
            _ => self.standing,
        };
        Entry {
            state: self.state,
            mine: self.mine,
            theirs: self.theirs(),
            standing,
            ack: if self.state == State::Up {
                self.received
            } else {
                0
            },
            doubtful: self.is_doubtful(),
            last: self.last(),
        }
    }

    /// Whether the peer says that it has left the incarnation, or the attempt at one, that this
    /// end is in.
    pub fn is_left(&self, entry: &Entry) -> bool {
        Some(entry.mine) > self.theirs()
    }

    /// A hello of the peer, with what it says about this end. `ready`: the peer is heard well
    /// enough and may become a neighbour. `now`: this node's standing.
    ///
    /// # Errors
    /// If it is not of use; nothing has changed then.
    pub fn hello(
        &mut self,
        entry: Option<&Entry>,
        ready: bool,
        now: Standing,
        out: &mut Vec<Event<M>>,
    ) -> Result<Option<Farewell>, Unfit> {
        let Some(entry) = entry else {
            // Beyond `Heard` the peer has listed this end before: it has forgotten it.
            if self.state >= State::Sym {
                return Ok(self.leave(None, out));
            }
            self.become_heard(ready, now);
            return Ok(None);
        };
        if Some(entry.mine) < self.theirs() {
            return Err(Unfit::Stale);
        }
        if entry.theirs > Some(self.mine) {
            return Err(Unfit::Forged);
        }
        let before = self.state;
        let mut farewell = match entry.last {
            // A peer in doubt asks with every hello.
            Some(last) => self.farewell(last, entry.doubtful, out).unwrap_or(None),
            None => None,
        };
        if Some(entry.mine) > self.theirs() {
            if self.state >= State::Sym && self.flaw != Some(Flaw::KeepOnRestart) {
                farewell = self.leave(None, out);
            }
            (self.theirs, self.met) = (entry.mine, true);
        }
        let names_me = entry.theirs == Some(self.mine);
        if self.state == State::Up && names_me {
            // A forged count acknowledges nothing.
            let _ = self.window.acknowledge(entry.ack);
        }
        if !entry.doubtful && self.last().is_some_and(|last| last.theirs < entry.mine) {
            self.last = None;
        }
        // Whoever has just left starts anew with the next hello.
        if self.state >= before {
            self.become_heard(ready, now);
            self.rise(entry, names_me, now, out);
        }
        Ok(farewell)
    }

    fn become_heard(&mut self, ready: bool, now: Standing) {
        if self.state == State::Down && ready && self.doubt.is_none() {
            self.state = State::Heard;
            self.standing = now;
        }
    }

    fn rise(&mut self, entry: &Entry, names_me: bool, now: Standing, out: &mut Vec<Event<M>>) {
        let names_me = names_me || self.flaw == Some(Flaw::Overlap);
        if self.state >= State::Sym
            && matches!(self.flaw, Some(Flaw::LateStanding | Flaw::LiveRoles))
        {
            self.peer_standing = entry.standing;
        }
        if self.state == State::Heard && entry.state >= State::Heard && names_me {
            self.state = State::Sym;
            self.peer_standing = entry.standing;
        }
        if self.state == State::Sym && entry.state >= State::Sym && names_me {
            self.come_up(now, out);
        }
    }

    fn come_up(&mut self, now: Standing, out: &mut Vec<Event<M>>) {
        self.state = State::Up;
        self.window.clear();
        if self.flaw != Some(Flaw::CounterKept) {
            self.received = 0;
        }
        if self.flaw == Some(Flaw::LiveRoles) {
            self.standing = now;
        }
        let (peer, role) = (self.peer, self.role());
        out.push(Event::LinkUp { peer, role });
    }

    fn role(&self) -> Role {
        let larger = self.me > self.peer;
        let smaller_epoch = match self.theirs() {
            Some(theirs) if larger => theirs,
            _ => self.mine,
        };
        let (mine, theirs) = (self.standing, self.peer_standing);
        let moving = if mine.moving != theirs.moving {
            mine.moving
        } else if mine.inside != theirs.inside {
            // Who is not inside has nothing to lose.
            !mine.inside
        } else {
            // One end's epoch, not the sum of both: a flap raises both and keeps the sum even.
            (smaller_epoch.0 % 2 == 0) == larger
        };
        if moving { Role::Moving } else { Role::Static }
    }

    /// Takes a message to send.
    ///
    /// # Errors
    /// If the link is not up here; the message comes back.
    pub fn send(&mut self, msg: M) -> Result<(), M> {
        if self.state != State::Up {
            return Err(msg);
        }
        self.window.push(msg);
        Ok(())
    }

    /// Messages without acknowledgement.
    pub const fn backlog(&self) -> usize {
        self.window.len()
    }

    /// Whether no more messages can be numbered.
    pub const fn is_spent(&self) -> bool {
        self.window.is_spent()
    }

    /// The next message for the radio, with its sequence number.
    pub fn outgoing(&self) -> Option<(u32, &M)> {
        self.window.peek()
    }

    /// [`Pair::outgoing`] and all that comes after it.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &M)> + '_ {
        self.window.waiting()
    }

    /// All messages without acknowledgement, whether the radio had them or not.
    pub fn pending(&self) -> impl Iterator<Item = (u32, &M)> + '_ {
        self.window.pending()
    }

    /// The radio took a message that was [pending](Pair::pending), and all before it.
    pub fn shared(&mut self, sequence: u32) {
        self.window.advance_past(sequence);
    }

    /// The radio took [`Pair::outgoing`].
    pub fn taken(&mut self) {
        self.window.advance();
    }

    /// Everything from `sequence` on without acknowledgement goes out again.
    pub fn resend_from(&mut self, sequence: u32) {
        self.window.rewind_to(sequence);
    }

    /// How many messages the peer has acknowledged.
    pub const fn acknowledged(&self) -> u32 {
        self.window.acknowledged()
    }

    /// What is most urgent among the messages that went out and have no acknowledgement.
    pub fn unacked(&self) -> Option<Class> {
        let mut classes = self.window.aired().map(Message::class);
        let first = classes.next()?;
        Some(classes.fold(first, |most, class| match class {
            Class::Ownership => class,
            Class::Plain => most,
        }))
    }

    /// How many messages have been received in this incarnation.
    pub const fn received(&self) -> u32 {
        self.received
    }

    /// A message of the peer, sent in the incarnation of its epoch and this end's.
    ///
    /// # Errors
    /// If it is not accepted.
    pub fn data(
        &mut self,
        epochs: (Epoch, Epoch),
        sequence: u32,
        ack: u32,
        now: Standing,
        msg: M,
        out: &mut Vec<Event<M>>,
    ) -> Result<(), Unfit> {
        self.check(epochs)?;
        if self.state < State::Sym {
            return Err(Unfit::NotUp);
        }
        self.window.acknowledge(ack).map_err(|_| Unfit::Forged)?;
        if self.state == State::Sym {
            // The peer is up and so knows that this end hears it.
            self.come_up(now, out);
        }
        match sequence.cmp(&self.received) {
            Ordering::Less => Err(Unfit::Duplicate),
            Ordering::Greater => Err(Unfit::Gap),
            Ordering::Equal => {
                // The peer closes before it runs out of numbers.
                self.received = self.received.checked_add(1).ok_or(Unfit::Forged)?;
                let from = self.peer;
                out.push(Event::Message { from, msg });
                Ok(())
            }
        }
    }

    /// An acknowledgement of the peer.
    ///
    /// # Errors
    /// If it is not of use.
    pub fn ack(&mut self, epochs: (Epoch, Epoch), ack: u32) -> Result<(), Unfit> {
        self.check(epochs)?;
        if self.state != State::Up {
            return Err(Unfit::NotUp);
        }
        self.window.acknowledge(ack).map_err(|_| Unfit::Forged)
    }

    /// Whether the sender's and this end's epochs are those of now.
    fn check(&self, (theirs, mine): (Epoch, Epoch)) -> Result<(), Unfit> {
        if self.flaw == Some(Flaw::NoEpochCheck) {
            return Ok(());
        }
        if mine > self.mine {
            Err(Unfit::Forged)
        } else if mine < self.mine || Some(theirs) < self.theirs() {
            Err(Unfit::Stale)
        } else if Some(theirs) > self.theirs() {
            Err(Unfit::NotUp)
        } else {
            Ok(())
        }
    }

    /// Leaves the incarnation, or the attempt at one: the radio no longer carries it.
    pub fn close(&mut self, out: &mut Vec<Event<M>>) -> Option<Farewell> {
        self.leave(None, out)
    }

    /// The peer has left an incarnation, and perhaps asks for this end's final.
    ///
    /// # Errors
    /// If it is not of use.
    pub fn farewell(
        &mut self,
        theirs: Final,
        ask: bool,
        out: &mut Vec<Event<M>>,
    ) -> Result<Option<Farewell>, Unfit> {
        // As this end numbers it.
        let epochs = (theirs.theirs, theirs.mine);
        if epochs.0 > self.mine {
            return Err(Unfit::Forged);
        }
        let current = (Some(epochs.0), Some(epochs.1)) == (Some(self.mine), self.theirs());
        if current && self.state >= State::Sym {
            if self.flaw == Some(Flaw::AnswerWithoutClosing) && ask {
                let last = self.final_of(epochs.1);
                return Ok(Some(Farewell { last, ask: false }));
            }
            self.leave(Some(theirs.received), out);
        } else {
            self.resolve(epochs, theirs.received, out);
        }
        let matching = |last: &Final| (last.mine, last.theirs) == epochs;
        match self.last().filter(matching) {
            Some(last) if ask => Ok(Some(Farewell { last, ask: false })),
            Some(_) => Ok(None),
            None if ask => Err(Unfit::Stale),
            None => Ok(None),
        }
    }

    const fn final_of(&self, theirs: Epoch) -> Final {
        let received = match self.state {
            State::Up => self.received,
            _ => 0,
        };
        Final {
            mine: self.mine,
            theirs,
            received,
        }
    }

    /// Back to `Down`, in a new epoch. With the peer's final count, if known, nothing is in doubt.
    fn leave(&mut self, received: Option<u32>, out: &mut Vec<Event<M>>) -> Option<Farewell> {
        let was = self.state;
        if was == State::Down {
            return None;
        }
        let left = self.theirs().filter(|_| was >= State::Sym);
        if let Some(theirs) = left {
            self.last = Some(Box::new(self.final_of(theirs)));
        }
        self.state = State::Down;
        if self.flaw != Some(Flaw::NoEpochBump) {
            self.mine = self.mine.next();
        }
        let last = self.last().filter(|_| left.is_some())?;
        if was == State::Up {
            self.part(last, received, out);
        }
        let ask = self.is_doubtful();
        Some(Farewell { last, ask })
    }

    /// Tells the protocol that the link is down, and what became of its messages.
    fn part(&mut self, last: Final, received: Option<u32>, out: &mut Vec<Event<M>>) {
        let mut settled = self.window.settle(received);
        if self.flaw == Some(Flaw::TimeoutIsReturned) {
            for (_, _, fate) in settled.iter_mut().filter(|(_, _, f)| *f == Fate::InDoubt) {
                *fate = Fate::Returned;
            }
        }
        let in_doubt = |(_, _, fate): &&(u32, M, Fate)| *fate == Fate::InDoubt;
        let messages: Vec<(u32, M)> = settled
            .iter()
            .filter(in_doubt)
            .map(|(sequence, msg, _)| (*sequence, msg.clone()))
            .collect();
        if !messages.is_empty() {
            self.doubt = Some(Box::new(Doubt { last, messages }));
        }
        let peer = self.peer;
        let unacked = settled
            .into_iter()
            .map(|(_, msg, fate)| (msg, fate))
            .collect();
        out.push(Event::LinkDown { peer, unacked });
    }

    /// The peer's final of the incarnation in doubt.
    fn resolve(&mut self, epochs: (Epoch, Epoch), received: u32, out: &mut Vec<Event<M>>) {
        let same = |doubt: &mut Box<Doubt<M>>| (doubt.last.mine, doubt.last.theirs) == epochs;
        let Some(doubt) = self.doubt.take_if(same) else {
            return;
        };
        let peer = self.peer;
        for (sequence, msg) in doubt.messages {
            let outcome = if sequence < received {
                Outcome::Delivered
            } else {
                Outcome::Returned
            };
            out.push(Event::Resolved { peer, msg, outcome });
        }
    }
}
