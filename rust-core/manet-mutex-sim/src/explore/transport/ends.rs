//! The two ends of a pair, as the code under test has them, and whoever watches them.

use super::Settings;
use super::seen::{Seen, Sometimes};
use crate::check::{Once, Violation};
use crate::explore::link::Parcel;
use crate::network::End;
use manet_mutex::ids::NodeId;
use manet_mutex::time::Time;
use manet_mutex::transport::{Life, Met, Pair, Receipt, Unfit};
use std::fmt;

/// A datagram, as it was when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Datagram {
    /// Whom it is for.
    pub to: End,
    /// The sender's life.
    pub life: Life,
    /// What it says.
    pub body: Body,
}

/// What a datagram says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Body {
    /// Asks for the receiver's life.
    Probe,
    /// A message.
    Data {
        /// The receiver's life.
        theirs: Life,
        /// Its place.
        number: u64,
        /// Which message.
        parcel: u8,
    },
    /// What was received.
    Ack {
        /// The receiver's life.
        theirs: Life,
        /// Which.
        receipt: Receipt,
    },
}

impl fmt::Display for Datagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, life) = (1 - self.to, self.life.0);
        match self.body {
            Body::Probe => write!(f, "the probe of {from} in life {life}"),
            Body::Data {
                theirs,
                number,
                parcel,
            } => write!(
                f,
                "message {parcel} of {from} ({life}>{} #{number})",
                theirs.0
            ),
            Body::Ack { theirs, receipt } => {
                let Receipt { below, beyond } = receipt;
                write!(
                    f,
                    "the ack of {from} ({life}>{}, {below}+{beyond:b})",
                    theirs.0
                )
            }
        }
    }
}

/// Both ends and the checker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Ends {
    pub(super) pairs: [Pair<Parcel>; 2],
    pub(super) checker: Once<Parcel>,
    pub(super) violation: Option<Violation>,
}

/// What comes of a datagram.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Received {
    pub(super) answer: Option<Datagram>,
    /// The message that is delivered.
    pub(super) parcel: Option<u8>,
}

/// The node at an end.
const fn node(end: End) -> NodeId {
    NodeId(end as u32)
}

impl Ends {
    pub(super) fn new(settings: &Settings) -> Self {
        let pair = || Pair::new(Life(1), settings.flaw);
        Self {
            pairs: [pair(), pair()],
            checker: Once::new(),
            violation: None,
        }
    }

    /// A node starts with an empty memory.
    pub(super) fn restart(&mut self, at: End, settings: &Settings) {
        let (Life(life), _) = self.pairs[at].lives();
        self.pairs[at] = Pair::new(Life(life + 1), settings.flaw);
        self.checker.restarted(node(at));
    }

    /// The protocol sends a message; asks for the peer's life if that is unknown.
    pub(super) fn send(&mut self, at: End, number: u8) -> Option<Datagram> {
        let plain = false;
        let msg = Parcel { number, plain };
        self.checker.sent(node(at), node(1 - at), &msg);
        self.pairs[at].send(msg);
        self.probe(at)
    }

    fn probe(&self, at: End) -> Option<Datagram> {
        let (life, theirs) = self.pairs[at].lives();
        theirs.is_none().then_some(Datagram {
            to: 1 - at,
            life,
            body: Body::Probe,
        })
    }

    /// A message goes out.
    pub(super) fn advance(&mut self, at: End, window: usize) -> Option<Datagram> {
        let (life, theirs) = self.pairs[at].lives();
        let theirs = theirs?;
        let (number, msg) = self.pairs[at].advance(Time::ZERO, window)?;
        Some(data(at, life, theirs, number, *msg))
    }

    /// A datagram arrives.
    pub(super) fn receive(&mut self, datagram: &Datagram, seen: &mut Seen) -> Received {
        let at = datagram.to;
        let met = match self.pairs[at].meet(datagram.life) {
            Ok(met) => met,
            Err(_) => {
                seen.add_if(Sometimes::Stale, true);
                return Received::default();
            }
        };
        if let Met::Restarted { in_doubt, unsent } = met {
            seen.add_if(Sometimes::InDoubt, !in_doubt.is_empty());
            seen.add_if(Sometimes::Unsent, !unsent.is_empty());
            let checker = &mut self.checker;
            let told = checker.peer_restarted(node(at), node(1 - at), &in_doubt, &unsent);
            self.report(told);
        }
        let mut received = Received::default();
        match datagram.body {
            Body::Probe => {}
            Body::Data {
                theirs,
                number,
                parcel,
            } => {
                let taken = self.pairs[at].data(theirs, number);
                self.delivered(at, taken, parcel, seen);
                if taken == Err(Unfit::Forged) {
                    return received;
                }
                received.parcel = taken.ok().map(|()| parcel);
            }
            Body::Ack { theirs, receipt } => {
                let acked = self.pairs[at].ack(theirs, receipt);
                seen.add_if(Sometimes::OtherLife, acked == Err(Unfit::OtherLife));
                let any = acked.is_ok_and(|acked| acked.messages > 0);
                seen.add_if(Sometimes::Acked, any);
                return received;
            }
        }
        received.answer = self.ack(at);
        received
    }

    fn delivered(&mut self, at: End, taken: Result<(), Unfit>, number: u8, seen: &mut Seen) {
        seen.add_if(Sometimes::Duplicate, taken == Err(Unfit::Duplicate));
        seen.add_if(Sometimes::OtherLife, taken == Err(Unfit::OtherLife));
        if taken.is_err() {
            return;
        }
        seen.add_if(Sometimes::Delivered, true);
        let beyond = self.pairs[at].receipt().beyond;
        seen.add_if(Sometimes::Overtaken, beyond != 0);
        let plain = false;
        let parcel = Parcel { number, plain };
        let booked = self.checker.received(node(at), node(1 - at), &parcel);
        self.report(booked);
    }

    fn ack(&self, at: End) -> Option<Datagram> {
        let (life, theirs) = self.pairs[at].lives();
        let (theirs, receipt) = (theirs?, self.pairs[at].receipt());
        let body = Body::Ack { theirs, receipt };
        Some(Datagram {
            to: 1 - at,
            life,
            body,
        })
    }

    fn report(&mut self, booked: Result<(), Violation>) {
        if let Err(violation) = booked {
            self.violation.get_or_insert(violation);
        }
    }

    /// Datagrams arrive from now on and nobody restarts: everything has to be delivered or told of.
    /// `carried` gets what arrives.
    pub(super) fn heals(&self, carried: &mut Vec<String>) -> Result<(), Violation> {
        let mut ends = self.clone();
        for _ in 0..ROUNDS {
            for at in 0..2 {
                let mut air = ends.again(at);
                while let Some(datagram) = air.pop() {
                    carried.push(format!("healing: {} receives {datagram}", datagram.to));
                    air.extend(ends.receive(&datagram, &mut Seen::default()).answer);
                }
            }
            if let Some(violation) = &ends.violation {
                return Err(violation.clone());
            }
            if ends.pairs.iter().all(Pair::is_idle) && ends.checker.is_settled() {
                return Ok(());
            }
        }
        let detail = format!("after {ROUNDS} rounds not everything is delivered or told of");
        Err(Violation::named("working routes deliver", detail))
    }

    /// All that an end has to send.
    pub(super) fn again(&mut self, at: End) -> Vec<Datagram> {
        if self.pairs[at].is_idle() {
            return Vec::new();
        }
        let (life, theirs) = self.pairs[at].lives();
        let Some(theirs) = theirs else {
            return self.probe(at).into_iter().collect();
        };
        let mut air: Vec<Datagram> = Vec::new();
        for (number, msg) in self.pairs[at].all_again() {
            air.push(data(at, life, theirs, number, *msg));
        }
        while let Some(datagram) = self.advance(at, usize::MAX) {
            air.push(datagram);
        }
        air
    }
}

/// Rounds of sending everything that must be enough.
const ROUNDS: usize = 4;

const fn data(at: End, life: Life, theirs: Life, number: u64, msg: Parcel) -> Datagram {
    let parcel = msg.number;
    let body = Body::Data {
        theirs,
        number,
        parcel,
    };
    Datagram {
        to: 1 - at,
        life,
        body,
    }
}
