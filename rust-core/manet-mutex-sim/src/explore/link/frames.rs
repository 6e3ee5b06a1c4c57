//! What is in the air between the two ends.

use crate::network::End;
use manet_mutex::link::{Entry, Epoch, Farewell, Final, State as Stage};
use manet_mutex::machine::{Class, Message};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::fmt;

/// A message, told apart by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Parcel {
    /// Counts what its sender has sent.
    pub number: u8,
    /// Whether it may vanish with its link.
    pub plain: bool,
}

impl Message for Parcel {
    fn kind(&self) -> &'static str {
        "Parcel"
    }

    fn class(&self) -> Class {
        if self.plain {
            Class::Plain
        } else {
            Class::Ownership
        }
    }
}

impl fmt::Debug for Parcel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let class = if self.plain { "note" } else { "token" };
        write!(f, "{class} {}", self.number)
    }
}

/// A frame, as it was when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// Whom it is for.
    pub to: End,
    /// What it says.
    pub body: Body,
}

/// What a frame says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Body {
    /// How the sender sees the receiver.
    Hello(Entry),
    /// A message.
    Data {
        /// The sender's and the receiver's epoch.
        epochs: (Epoch, Epoch),
        /// The message's place.
        sequence: u32,
        /// How many the sender has received.
        ack: u32,
        /// The message.
        msg: Parcel,
    },
    /// How many the sender has received.
    Ack {
        /// The sender's and the receiver's epoch.
        epochs: (Epoch, Epoch),
        /// How many.
        ack: u32,
    },
    /// The sender has left an incarnation.
    Close(Farewell),
    /// The same, through the relay.
    Flood {
        /// What it says.
        farewell: Farewell,
        /// Whether the relay has passed it on.
        relayed: bool,
    },
}

impl Frame {
    /// All of it as numbers: a set of frames has one order.
    fn key(&self) -> [u64; 8] {
        let to = self.to as u64;
        match self.body {
            Body::Hello(entry) => {
                let marks = [
                    entry.standing.moving,
                    entry.standing.inside,
                    entry.doubtful,
                    entry.last.is_some(),
                ];
                let bits = marks
                    .iter()
                    .fold(0, |bits, &mark| bits << 1 | u64::from(mark));
                let [mine, theirs, received] = entry.last.map_or([0; 3], last_key);
                let state = entry.state as u64 | bits << 8 | u64::from(entry.ack) << 32;
                let names = entry.theirs.map_or(0, |theirs| theirs.0 + 1);
                [0, to, entry.mine.0, names, state, mine, theirs, received]
            }
            Body::Data {
                epochs: (mine, theirs),
                sequence,
                ack,
                msg,
            } => {
                let counts = u64::from(sequence) << 32 | u64::from(ack);
                let msg = u64::from(msg.number) << 1 | u64::from(msg.plain);
                [1, to, mine.0, theirs.0, counts, msg, 0, 0]
            }
            Body::Ack {
                epochs: (mine, theirs),
                ack,
            } => [2, to, mine.0, theirs.0, ack.into(), 0, 0, 0],
            Body::Close(farewell) => farewell_key(3, to, farewell),
            Body::Flood { farewell, relayed } => farewell_key(4 + u64::from(relayed), to, farewell),
        }
    }
}

const fn last_key(last: Final) -> [u64; 3] {
    [last.mine.0, last.theirs.0, last.received as u64]
}

const fn farewell_key(kind: u64, to: u64, farewell: Farewell) -> [u64; 8] {
    let [mine, theirs, received] = last_key(farewell.last);
    [kind, to, mine, theirs, received, farewell.ask as u64, 0, 0]
}

impl PartialOrd for Frame {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Frame {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from = 1 - self.to;
        match self.body {
            Body::Hello(entry) => write!(f, "the hello of {from} ({})", Said(&entry)),
            Body::Data {
                epochs: (mine, theirs),
                sequence,
                ack,
                msg,
            } => {
                let place = format_args!("{}/{} #{sequence}", mine.0, theirs.0);
                write!(f, "{msg:?} of {from} ({place}, ack {ack})")
            }
            Body::Ack {
                epochs: (mine, theirs),
                ack,
            } => write!(f, "the ack of {from} ({}/{}, ack {ack})", mine.0, theirs.0),
            Body::Close(farewell) => write!(f, "the close of {from} ({})", Left(farewell)),
            Body::Flood { farewell, relayed } => {
                let what = if farewell.ask { "question" } else { "answer" };
                let by = if relayed { "relayed " } else { "" };
                write!(f, "the {by}{what} of {from} ({})", Left(farewell))
            }
        }
    }
}

struct Said<'a>(&'a Entry);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entry = self.0;
        let state = match entry.state {
            Stage::Down => "down",
            Stage::Heard => "heard",
            Stage::Sym => "sym",
            Stage::Up => "up",
        };
        write!(f, "{state} {}/", entry.mine.0)?;
        match entry.theirs {
            Some(theirs) => write!(f, "{}", theirs.0)?,
            None => f.write_str("-")?,
        }
        let marks = [
            (entry.standing.moving, " moving"),
            (entry.standing.inside, " inside"),
            (entry.doubtful, " doubtful"),
        ];
        for (_, mark) in marks.iter().filter(|(set, _)| *set) {
            f.write_str(mark)?;
        }
        if entry.state == Stage::Up {
            write!(f, ", ack {}", entry.ack)?;
        }
        if let Some(last) = entry.last {
            let (mine, theirs) = (last.mine.0, last.theirs.0);
            write!(f, ", left {mine}/{theirs} with {}", last.received)?;
        }
        Ok(())
    }
}

struct Left(Farewell);

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Farewell { last, ask } = self.0;
        let (mine, theirs) = (last.mine.0, last.theirs.0);
        let asks = if ask { ", asks" } else { "" };
        write!(f, "left {mine}/{theirs} with {}{asks}", last.received)
    }
}
