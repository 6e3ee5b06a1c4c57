//! The two ends of the pair, as the code under test has them, and whoever watches them.

use super::frames::{Body, Frame, Parcel};
use super::seen::{Seen, Sometimes};
use crate::check::{Delivery, Violation};
use crate::network::End;
use manet_mutex::ids::NodeId;
use manet_mutex::link::{Epoch, Farewell, Flaw, Pair, Standing, Unfit, Way};
use manet_mutex::machine::{Event, Fate, Outcome, Role};

/// Both ends and the checker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ends {
    pub(super) pairs: [Pair<Parcel>; 2],
    pub(super) standing: [Standing; 2],
    pub(super) checker: Delivery<Parcel>,
    violation: Option<Violation>,
}

/// What a step leaves behind.
#[derive(Debug, Default)]
pub(super) struct Effects {
    /// Frames for the radio.
    pub(super) frames: Vec<Frame>,
    pub(super) seen: Seen,
    events: Vec<Event<Parcel>>,
}

/// The node at an end.
pub(super) const fn node(end: End) -> NodeId {
    NodeId(end as u32)
}

impl Ends {
    pub(super) fn new(flaw: Option<Flaw>) -> Self {
        let pair = |me: End| Pair::new(node(me), node(1 - me), Epoch(0), flaw);
        Self {
            pairs: [pair(0), pair(1)],
            standing: [Standing::default(); 2],
            checker: Delivery::new(),
            violation: None,
        }
    }

    /// The first promise that was broken.
    pub(super) const fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// Whether both ends are up in one incarnation.
    pub(super) fn are_up(&self) -> bool {
        let [a, b] = &self.pairs;
        let swapped = b.incarnation().map(|(mine, theirs)| (theirs, mine));
        a.incarnation().is_some() && a.incarnation() == swapped
    }

    /// Whether nothing is in doubt or under way, as the ends and the checker see it.
    pub(super) fn are_settled(&self) -> bool {
        let settled = |pair: &Pair<Parcel>| !pair.is_doubtful() && pair.backlog() == 0;
        self.pairs.iter().all(settled) && self.checker.is_settled()
    }

    /// What an end's hello says now.
    pub(super) fn hello(&self, from: End) -> Frame {
        let entry = self.pairs[from].entry(self.standing[from]);
        let (to, body) = (1 - from, Body::Hello(entry));
        Frame { to, body }
    }

    /// A frame arrives; `ready` says whether its sender is heard well enough.
    pub(super) fn receive(&mut self, frame: &Frame, ready: bool, effects: &mut Effects) {
        let at = frame.to;
        let (pair, standing) = (&mut self.pairs[at], self.standing[at]);
        let out = &mut effects.events;
        let (way, result) = match frame.body {
            Body::Hello(entry) => (Way::Hello, pair.hello(Some(&entry), ready, standing, out)),
            Body::Data {
                epochs,
                sequence,
                ack,
                msg,
            } => {
                let taken = pair.data(epochs, sequence, ack, standing, msg, out);
                if matches!(taken, Ok(()) | Err(Unfit::Duplicate)) {
                    effects.frames.extend(acknowledgement(pair, at));
                }
                let twice = taken == Err(Unfit::Duplicate);
                effects.seen.add_if(Sometimes::Duplicate, twice);
                (Way::Close, taken.map(|()| None))
            }
            Body::Ack { epochs, ack } => (Way::Close, pair.ack(epochs, ack).map(|()| None)),
            Body::Close(Farewell { last, ask }) => (Way::Close, pair.farewell(last, ask, out)),
            Body::Flood { farewell, .. } => {
                let Farewell { last, ask } = farewell;
                (Way::Flood, pair.farewell(last, ask, out))
            }
        };
        self.watch(at, way, effects);
        if let Ok(Some(farewell)) = result {
            effects.frames.push(said(at, way, farewell));
        }
    }

    /// A hello arrives that does not list the receiver.
    pub(super) fn blank(&mut self, at: End, effects: &mut Effects) {
        let standing = self.standing[at];
        let result = self.pairs[at].hello(None, true, standing, &mut effects.events);
        self.watch(at, Way::Hello, effects);
        if let Ok(Some(farewell)) = result {
            effects.frames.push(said(at, Way::Hello, farewell));
        }
    }

    /// An end leaves by its own decision.
    pub(super) fn close(&mut self, at: End, effects: &mut Effects) {
        let farewell = self.pairs[at].close(&mut effects.events);
        self.watch(at, Way::Close, effects);
        let frame = |farewell| said(at, Way::Close, farewell);
        effects.frames.extend(farewell.map(frame));
    }

    /// The protocol sends a message.
    pub(super) fn send(&mut self, at: End, msg: Parcel) {
        if self.pairs[at].send(msg).is_ok() {
            let booked = self.checker.sent(node(at), node(1 - at), &msg);
            self.report(booked);
        }
    }

    /// The radio takes the next message.
    pub(super) fn take(&mut self, at: End, effects: &mut Effects) {
        let pair = &mut self.pairs[at];
        let Some(((sequence, &msg), epochs)) = pair.outgoing().zip(pair.incarnation()) else {
            return;
        };
        let ack = pair.received();
        pair.taken();
        let body = Body::Data {
            epochs,
            sequence,
            ack,
            msg,
        };
        effects.frames.push(Frame { to: 1 - at, body });
    }

    /// What an end would ask everybody.
    pub(super) fn question(&self, at: End) -> Option<Frame> {
        let farewell = self.pairs[at].question()?;
        Some(said(at, Way::Flood, farewell))
    }

    /// Lets the checker see what an end told its protocol.
    fn watch(&mut self, at: End, way: Way, effects: &mut Effects) {
        let (me, peer) = (node(at), node(1 - at));
        let mut events = std::mem::take(&mut effects.events);
        let promoted = matches!(events[..], [Event::LinkUp { .. }, Event::Message { .. }]);
        effects.seen.add_if(Sometimes::Promoted, promoted);
        for event in events.drain(..) {
            let booked = match event {
                Event::LinkUp { role, .. } => self.came_up(at, role, &mut effects.seen),
                Event::Message { msg, .. } => {
                    effects.seen.add_if(Sometimes::Delivered, true);
                    self.checker.received(me, peer, &msg)
                }
                Event::LinkDown { unacked, .. } => {
                    for (_, fate) in &unacked {
                        effects.seen.add_if(fate_seen(*fate), true);
                    }
                    self.checker.down(me, peer, &unacked)
                }
                Event::Resolved { msg, outcome, .. } => {
                    effects.seen.add_if(outcome_seen(outcome), true);
                    effects.seen.add_if(way_seen(way), true);
                    self.checker.resolved(me, peer, &msg, outcome)
                }
                _ => Ok(()),
            };
            self.report(booked);
        }
        effects.events = events;
    }

    fn came_up(&mut self, at: End, role: Role, seen: &mut Seen) -> Result<(), Violation> {
        let (me, peer) = (node(at), node(1 - at));
        let Some(incarnation) = self.pairs[at].incarnation() else {
            let detail = format!("{me:?} told of a link that is not up");
            return Err(Violation::named("link up", detail));
        };
        let before = self.checker.newest(me, peer);
        seen.add_if(Sometimes::UpAtBoth, self.are_up());
        seen.add_if(
            Sometimes::UpAgain,
            before.is_some_and(|newest| newest != incarnation),
        );
        let smaller = (at == 0) == (role == Role::Moving);
        seen.add_if(Sometimes::SmallerMoves, smaller);
        seen.add_if(Sometimes::LargerMoves, !smaller);
        self.checker.up(me, peer, incarnation, role)
    }

    fn report(&mut self, booked: Result<(), Violation>) {
        if let Err(violation) = booked {
            self.violation.get_or_insert(violation);
        }
    }
}

fn acknowledgement(pair: &Pair<Parcel>, at: End) -> Option<Frame> {
    let epochs = pair.incarnation()?;
    let ack = pair.received();
    let body = Body::Ack { epochs, ack };
    Some(Frame { to: 1 - at, body })
}

/// A farewell goes the way that the question came.
const fn said(at: End, way: Way, farewell: Farewell) -> Frame {
    let body = match way {
        Way::Flood => Body::Flood {
            farewell,
            relayed: false,
        },
        Way::Close | Way::Hello => Body::Close(farewell),
    };
    Frame { to: 1 - at, body }
}

const fn fate_seen(fate: Fate) -> Sometimes {
    match fate {
        Fate::Delivered => Sometimes::DeliveredAtClose,
        Fate::Returned => Sometimes::ReturnedAtClose,
        Fate::InDoubt => Sometimes::InDoubt,
    }
}

const fn outcome_seen(outcome: Outcome) -> Sometimes {
    match outcome {
        Outcome::Delivered => Sometimes::ResolvedDelivered,
        Outcome::Returned => Sometimes::ResolvedReturned,
    }
}

const fn way_seen(way: Way) -> Sometimes {
    match way {
        Way::Close => Sometimes::ByClose,
        Way::Hello => Sometimes::ByHello,
        Way::Flood => Sometimes::ByFlood,
    }
}
