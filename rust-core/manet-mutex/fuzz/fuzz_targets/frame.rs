//! Any bytes, read as a frame of each protocol: refused, or written back as the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::NodeId;
use manet_mutex::protocol::registry::TAGS;
use manet_mutex::wire::Tag;
use manet_mutex::wire::frame::{self, Frame, MAX_ENTRIES, MAX_FRAME, Sharer, Writer};

fuzz_target!(|bytes: &[u8]| {
    for tag in TAGS {
        match frame::decode(tag, bytes) {
            Ok((from, frame)) => {
                assert!(bytes.len() <= MAX_FRAME);
                assert_eq!(written(tag, from, &frame), bytes, "{frame:?}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

fn written(tag: Tag, from: NodeId, frame: &Frame<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let writer = Writer::new(&mut out, tag, from);
    match frame {
        Frame::Hello(hello) => {
            assert!(hello.entries().count() <= MAX_ENTRIES);
            writer.hello(hello.number, hello.entries());
            let mut sharer = Sharer::new(&mut out, 0);
            for shared in hello.shared() {
                assert!(sharer.add(shared.receivers(), shared.urgent, shared.message));
            }
        }
        Frame::Data(data) => writer.data(data),
        Frame::Ack(ack) => writer.ack(ack),
        Frame::Close(close) => writer.close(close),
        Frame::Flood(flood) => writer.flood(flood),
    }
    out
}
