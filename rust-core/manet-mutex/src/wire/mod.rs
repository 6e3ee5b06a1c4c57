//! Messages as bytes; [`frame`] has the frames that carry them between neighbours, [`datagram`] the
//! datagrams that carry them over routing.
//!
//! | byte | what |
//! |---|---|
//! | 0 | [`VERSION`] of the format |
//! | 1 | [`Tag`]: the protocol |
//! | 2.. | the message in postcard encoding: variant number, then its fields in order |
//!
//! Whole numbers are written in base 128, least significant digits first, seven bits to a byte,
//! the top bit set on all bytes but the last. Signed ones are mapped to unsigned ones first: 0, -1,
//! 1, -2, ... to 0, 1, 2, 3, ... (zigzag). A truth value is a byte 0 or 1. What each protocol's
//! messages look like is written in its module; the order of variants and fields in
//! the message type is the format, and `tests/vectors/messages.txt` holds it fixed.
//!
//! # Contract
//! * **Nothing here panics**, whatever the bytes are. A [`decode`] of anything that no [`encode`]
//!   of the same message type has written is an error.
//! * One message, one byte string: bytes that decode are the bytes that encoding writes. Longer
//!   spellings of a number and trailing bytes are errors.
//! * At most [`MAX_MESSAGE`] bytes, in both directions, and no memory is taken for more.
//! * Every value of a field's type is accepted. What a number may mean is for the protocol to
//!   judge, and protocols compute with forged numbers as with any others.
//!
//! # Adding a protocol
//! The protocol's module has the message type, its layout and the [`impl WireMessage`](WireMessage)
//! with a [`Tag`] of its own. Message fields have at least one byte each, so that a short message
//! cannot stand for a long list.

pub mod datagram;
pub mod frame;
mod receipt;
mod varint;

use crate::machine::Message;

/// The version of the format that this build writes and reads.
pub const VERSION: u8 = 1;

/// No message is longer, its two leading bytes included.
pub const MAX_MESSAGE: usize = 1024;

/// A message that has a byte form.
pub trait WireMessage: Message {
    /// Whose message it is.
    const TAG: Tag;
}

/// The number and the name of the protocol that a message belongs to. Only the number is on the
/// wire.
///
/// Numbers below 128 are for the protocols of this project; one that was used is never used for
/// another protocol. Protocols elsewhere use 128 to 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    byte: u8,
    name: &'static str,
}

impl Tag {
    /// The tag of the protocol of this name.
    pub const fn new(byte: u8, name: &'static str) -> Self {
        Self { byte, name }
    }

    /// The byte on the wire.
    pub const fn byte(self) -> u8 {
        self.byte
    }

    /// The protocol's name.
    pub const fn name(self) -> &'static str {
        self.name
    }
}

/// Why bytes are no message or frame, or a message has no bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// No bytes at all.
    #[error("there are no bytes")]
    Empty,
    /// Longer than any message or frame may be.
    #[error("there are more than {most} bytes")]
    TooLarge {
        /// How many there may be.
        most: usize,
    },
    /// Written by a newer or older build, or not a message.
    #[error("the bytes have version {found}, this build speaks version {VERSION}")]
    Version {
        /// Its first byte.
        found: u8,
    },
    /// A message, but not one of the protocol that runs here.
    #[error("the bytes belong to another protocol (tag {found}), this node runs {expected}")]
    OtherProtocol {
        /// Its second byte.
        found: u8,
        /// The protocol that was expected.
        expected: &'static str,
    },
    /// The bytes end within the message.
    #[error("the bytes are cut short")]
    Truncated,
    /// The bytes mean nothing.
    #[error("the bytes are malformed: {what}")]
    Malformed {
        /// What is wrong.
        what: &'static str,
    },
    /// The message is followed by something.
    #[error("{count} superfluous bytes follow")]
    Trailing {
        /// How many bytes.
        count: usize,
    },
}

/// Appends a message to `out`.
///
/// # Errors
/// [`WireError::TooLarge`]; `out` is then as it was.
pub fn encode<M: WireMessage>(message: &M, out: &mut Vec<u8>) -> Result<(), WireError> {
    let mut buffer = [0; MAX_MESSAGE];
    out.extend_from_slice(write(message, &mut buffer)?);
    Ok(())
}

/// Reads a message that fills all of `bytes`.
///
/// # Errors
/// If `bytes` are anything but one message of this type.
pub fn decode<M: WireMessage>(bytes: &[u8]) -> Result<M, WireError> {
    let body = match *bytes {
        _ if bytes.len() > MAX_MESSAGE => return Err(WireError::TooLarge { most: MAX_MESSAGE }),
        [] => return Err(WireError::Empty),
        [found, ..] if found != VERSION => return Err(WireError::Version { found }),
        [_] => return Err(WireError::Truncated),
        [_, found, ..] if found != M::TAG.byte() => {
            let expected = M::TAG.name();
            return Err(WireError::OtherProtocol { found, expected });
        }
        [_, _, ref body @ ..] => body,
    };
    let (message, rest) =
        postcard::take_from_bytes::<M>(body).map_err(|error| unreadable(&error))?;
    if !rest.is_empty() {
        return Err(WireError::Trailing { count: rest.len() });
    }
    // postcard reads numbers with superfluous leading zeros too.
    let mut buffer = [0; MAX_MESSAGE];
    if write(&message, &mut buffer)? != bytes {
        let what = "a number is not in its shortest form";
        return Err(WireError::Malformed { what });
    }
    Ok(message)
}

/// Writes a message to the front of `buffer` and returns that part.
fn write<'a, M: WireMessage>(
    message: &M,
    buffer: &'a mut [u8; MAX_MESSAGE],
) -> Result<&'a [u8], WireError> {
    let [version, tag, body @ ..] = buffer;
    (*version, *tag) = (VERSION, M::TAG.byte());
    let length = postcard::to_slice(message, body)
        .map_err(|error| unwritable(&error))?
        .len();
    Ok(&buffer[..2 + length])
}

fn unwritable(error: &postcard::Error) -> WireError {
    match error {
        postcard::Error::SerializeBufferFull => WireError::TooLarge { most: MAX_MESSAGE },
        _ => WireError::Malformed {
            what: "its type cannot be written",
        },
    }
}

fn unreadable(error: &postcard::Error) -> WireError {
    let what = match error {
        postcard::Error::DeserializeUnexpectedEnd => return WireError::Truncated,
        postcard::Error::DeserializeBadVarint => "a number does not fit its field",
        postcard::Error::DeserializeBadBool => "a truth value is neither 0 nor 1",
        postcard::Error::DeserializeBadOption => "a presence mark is neither 0 nor 1",
        // All that serde itself finds wrong: there is no variant of that number.
        postcard::Error::SerdeDeCustom => "its kind is unknown",
        _ => "a field has no meaning",
    };
    WireError::Malformed { what }
}
