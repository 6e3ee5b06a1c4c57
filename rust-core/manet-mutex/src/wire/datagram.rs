//! Datagrams of the transport as bytes.
//!
//! | byte | what |
//! |---|---|
//! | 0 | [`VERSION`] of the format |
//! | 1 | [`Tag`]: the protocol that the node runs |
//! | 2 | the kind of datagram |
//! | 3.. | the sender's id, the receiver's id, the sender's life, then: |
//!
//! | kind | datagram | fields |
//! |---|---|---|
//! | `10` | `Probe` | none |
//! | `11` | `Data` | the receiver's life, number, the message |
//! | `12` | `Ack` | the receiver's life, below, beyond |
//!
//! Numbers are written as in [`super`]; ids have 32 bits, the rest 64. The kinds are none of those
//! of [`super::frame`], so that neither is ever taken for the other.
//!
//! The contract is that of [`super`]: nothing panics, one datagram has one byte string, none is
//! longer than [`MAX_DATAGRAM`], and every value that fits its field is accepted. What a datagram
//! may mean is for [`crate::transport`] to judge.

pub use super::receipt::{Life, Receipt};

use super::frame::{begin, end_message};
use super::varint::{Reader, put};
use super::{MAX_MESSAGE, Tag, VERSION, WireError};
use crate::ids::NodeId;

/// No datagram is longer: it fits UDP over 802.11 without fragments.
pub const MAX_DATAGRAM: usize = 3 + 2 * 5 + 3 * 10 + MAX_MESSAGE;

/// A datagram, with the message that it contains still in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// What all of them have.
    pub head: Head,
    /// The rest.
    pub body: Body<'a>,
}

/// What every datagram says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// The sender's life.
    pub life: Life,
}

/// What a datagram is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// Asks for the receiver's life.
    Probe,
    /// A message.
    Data {
        /// The life of the receiver that it is meant for.
        theirs: Life,
        /// Its place among those from life to life.
        number: u64,
        /// The message, encoded.
        message: &'a [u8],
    },
    /// What has been received.
    Ack {
        /// The life of the receiver whose messages these are.
        theirs: Life,
        /// Which.
        receipt: Receipt,
    },
}

impl Body<'_> {
    /// For traces and counts.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Probe => "probe",
            Self::Data { .. } => "data",
            Self::Ack { .. } => "ack",
        }
    }
}

const PROBE: u8 = 0x10;
const DATA: u8 = 0x11;
const ACK: u8 = 0x12;

/// What kind of datagram it is, and who says to have sent it: all that a host needs to know.
///
/// # Errors
/// If `bytes` do not begin like a datagram.
pub fn glance(bytes: &[u8]) -> Result<(&'static str, NodeId), WireError> {
    let [version, _, kind, body @ ..] = bytes else {
        return Err(WireError::Truncated);
    };
    if *version != VERSION {
        return Err(WireError::Version { found: *version });
    }
    let name = match *kind {
        PROBE => "probe",
        DATA => "data",
        ACK => "ack",
        _ => return Err(unknown()),
    };
    Ok((name, NodeId(Reader { rest: body }.u32()?)))
}

/// Reads a datagram that fills all of `bytes` and was sent by a node that runs the protocol of
/// `tag`.
///
/// # Errors
/// If `bytes` are anything else.
pub fn decode(tag: Tag, bytes: &[u8]) -> Result<Datagram<'_>, WireError> {
    let (kind, mut reader) = begin(tag, bytes, MAX_DATAGRAM)?;
    let head = Head {
        from: NodeId(reader.u32()?),
        to: NodeId(reader.u32()?),
        life: Life(reader.u64()?),
    };
    let body = match kind {
        PROBE => Body::Probe,
        DATA => Body::Data {
            theirs: Life(reader.u64()?),
            number: reader.u64()?,
            message: end_message(&mut reader)?,
        },
        ACK => Body::Ack {
            theirs: Life(reader.u64()?),
            receipt: Receipt {
                below: reader.u64()?,
                beyond: reader.u64()?,
            },
        },
        _ => return Err(unknown()),
    };
    reader.end()?;
    Ok(Datagram { head, body })
}

const fn unknown() -> WireError {
    let what = "its kind is unknown";
    WireError::Malformed { what }
}

/// Appends a datagram of a node that runs the protocol of `tag` to `out`. Behind one with an empty
/// message the caller appends the message.
pub fn encode(tag: Tag, datagram: &Datagram<'_>, out: &mut Vec<u8>) {
    let Datagram { head, body } = datagram;
    let kind = match body {
        Body::Probe => PROBE,
        Body::Data { .. } => DATA,
        Body::Ack { .. } => ACK,
    };
    out.extend([VERSION, tag.byte(), kind]);
    put(out, head.from.0.into());
    put(out, head.to.0.into());
    put(out, head.life.0);
    match *body {
        Body::Probe => {}
        Body::Data {
            theirs,
            number,
            message,
        } => {
            put(out, theirs.0);
            put(out, number);
            out.extend_from_slice(message);
        }
        Body::Ack { theirs, receipt } => {
            put(out, theirs.0);
            put(out, receipt.below);
            put(out, receipt.beyond);
        }
    }
}
