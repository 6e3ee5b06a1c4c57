//! Any bytes, read as a datagram of each protocol: refused, or written back as the same bytes; and
//! taken by a transport without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::registry::TAGS;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::transport::{Config, Outbox, Transport};
use manet_mutex::wire::datagram::{self, MAX_DATAGRAM};
use manet_mutex::{NodeId, Time};

fuzz_target!(|bytes: &[u8]| {
    for tag in TAGS {
        match datagram::decode(tag, bytes) {
            Ok(read) => {
                assert!(bytes.len() <= MAX_DATAGRAM);
                let mut written = Vec::new();
                datagram::encode(tag, &read, &mut written);
                assert_eq!(written, bytes, "{read:?}");
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let mut node: Transport<RaymondMessage> =
        Transport::new(NodeId(0), &Config::default()).expect("defaults are sound");
    let mut out = Outbox::new();
    let mut now = Time::ZERO;
    // Datagrams one after the other, each after its length.
    let mut rest = bytes;
    while let [length, more @ ..] = rest {
        let (next, behind) = more.split_at(usize::from(*length).min(more.len()));
        let _ = node.send(
            now,
            NodeId(u32::from(*length) % 3),
            RaymondMessage::Request,
            &mut out,
        );
        node.datagram(now, next, &mut out);
        if let Some(due) = node.due() {
            now = now.max(due);
            node.wake(now, &mut out);
        }
        out.clear();
        rest = behind;
    }
});
