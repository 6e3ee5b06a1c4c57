//! Frames as text, for traces.

use manet_mutex::wire::WireMessage;
use manet_mutex::wire::frame::{self, Frame};

/// What a frame says.
pub(super) fn text<M: WireMessage>(bytes: &[u8]) -> String {
    match frame::decode(M::TAG, bytes) {
        Err(error) => error.to_string(),
        Ok((from, Frame::Hello(hello))) => {
            let entries: Vec<String> = hello
                .entries()
                .map(|(id, entry)| format!("{id:?}: {entry:?}"))
                .collect();
            format!(
                "hello {} of {from:?} [{}]",
                hello.number,
                entries.join(", ")
            )
        }
        Ok((from, Frame::Data(data))) => {
            let (mine, theirs) = (data.mine.0, data.theirs.0);
            let place = format!("{mine}/{theirs} #{} ack {}", data.sequence, data.ack);
            let msg = manet_mutex::wire::decode::<M>(data.message);
            format!("data of {from:?} ({place}): {msg:?}")
        }
        Ok((from, Frame::Ack(ack))) => {
            let (mine, theirs) = (ack.mine.0, ack.theirs.0);
            format!("ack of {from:?} ({mine}/{theirs} ack {})", ack.ack)
        }
        Ok((from, Frame::Close(close))) => format!("close of {from:?}: {close:?}"),
        Ok((from, Frame::Flood(flood))) => format!("flood from {from:?}: {flood:?}"),
    }
}
