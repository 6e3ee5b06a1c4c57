//! Every protocol among peers that send forged messages: see [`harness`].

#[path = "../common/forged.rs"]
mod harness;

use harness::play;
use manet_mutex::NodeId;
use manet_mutex::graph::Graph;
use manet_mutex::machine::{Actions, Event, Protocol, ProtocolError, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::{Gme, Groups};
use manet_mutex::protocol::hk::Hk;
use manet_mutex::protocol::lme::algorithm1::{Lme1a, Lme1b};
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex::protocol::rl::Rl;
use manet_mutex::protocol::routed::dgme::{Config, Dgme, DgmeMessage};
use manet_mutex::protocol::routed::naimi_trehel::{NaimiTrehel, NaimiTrehelMessage};
use manet_mutex::protocol::routed::raymond::{Raymond, RaymondMessage};
use proptest::prelude::*;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Inputs of each protocol.
const CASES: u32 = 3000;
/// Far longer than any input takes.
const MOST: Duration = Duration::from_secs(30);

/// Works in a thread of its own: work that hangs fails instead of holding up the tests.
fn in_time<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, TestCaseError> {
    let (done, finished) = mpsc::channel();
    let worker = thread::spawn(move || {
        let result = work();
        let _ = done.send(());
        result
    });
    match finished.recv_timeout(MOST) {
        Err(mpsc::RecvTimeoutError::Timeout) => Err(TestCaseError::fail("hangs")),
        _ => worker.join().map_err(|_| TestCaseError::fail("panics")),
    }
}

fn inputs() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400)
}

macro_rules! among_liars {
    ($($test:ident: $protocol:ty,)*) => {
        proptest! {
            #![proptest_config(ProptestConfig::with_cases(CASES))]
            $(
                #[test]
                fn $test(bytes in inputs()) {
                    in_time(move || play::<$protocol>(&bytes))?;
                }
            )*
        }
    };
}

among_liars! {
    rl_among_liars: Rl,
    gme_among_liars: Gme,
    hk_among_liars: Hk,
    lme1a_among_liars: Lme1a,
    lme1b_among_liars: Lme1b,
    lme2_among_liars: Lme2,
    raymond_among_liars: Raymond,
    naimi_trehel_among_liars: NaimiTrehel,
    dgme_among_liars: Dgme,
}

/// Hands node 1 of two, home of sessions 1, 3 and 5, these messages of node 0; tells what came of
/// the last.
fn dgme_asked(messages: &[DgmeMessage]) -> Result<(), ProtocolError> {
    let messages = messages.to_vec();
    let last = in_time(move || {
        let groups = Groups::new(6).expect("six groups");
        let config = Config {
            groups,
            ..Config::default()
        };
        let mut node = Dgme::new(NodeId(1), 2, &config);
        let mut out = Actions::new();
        let mut last = Ok(());
        for msg in messages {
            let from = NodeId(0);
            last = node.handle(Event::Message { from, msg }, &mut out);
        }
        last
    });
    last.expect("every message is handled in time")
}

const fn req(at: u32, by: u32) -> DgmeMessage {
    DgmeMessage::Req { at, by }
}

#[test]
fn a_dgme_session_that_asks_itself_is_broken() {
    let broken = dgme_asked(&[req(1, 1), req(1, 1)]);
    assert!(matches!(broken, Err(ProtocolError::Broken { .. })));
}

#[test]
fn dgme_sessions_that_ask_each_other_in_a_circle_are_broken() {
    for circle in [
        &[req(1, 3), req(3, 1), req(1, 5)][..],
        &[req(1, 3), req(3, 5), req(5, 1), req(1, 3)],
        &[req(5, 1), req(3, 5), req(1, 3), req(5, 3), req(5, 3)],
    ] {
        let broken = dgme_asked(circle);
        assert!(
            matches!(broken, Err(ProtocolError::Broken { .. })),
            "{circle:?}"
        );
    }
}

/// A driver that hands a node its own message, or a link to itself, is told so.
#[test]
fn a_node_is_no_peer_of_its_own() {
    fn misused<P: Population>(event: Event<P::Message>) {
        let graph = Graph::complete(2);
        let nodes = P::settled(&graph, &P::Config::default());
        let mut node = nodes.expect("a complete graph").remove(0);
        let mut out = Actions::new();
        let done = node.handle(event, &mut out);
        assert!(
            matches!(done, Err(ProtocolError::Misuse { .. })),
            "{done:?}"
        );
        assert!(out.as_slice().is_empty());
    }
    let from = NodeId(0);
    let (peer, role) = (from, Role::Static);
    misused::<Raymond>(Event::Message {
        from,
        msg: RaymondMessage::Request,
    });
    misused::<NaimiTrehel>(Event::Message {
        from,
        msg: NaimiTrehelMessage::Token,
    });
    misused::<Dgme>(Event::Message {
        from,
        msg: DgmeMessage::Open(0),
    });
    misused::<Rl>(Event::LinkUp { peer, role });
    misused::<Gme>(Event::LinkUp { peer, role });
    misused::<Hk>(Event::LinkUp { peer, role });
    misused::<Lme1a>(Event::LinkUp { peer, role });
    misused::<Lme1b>(Event::LinkUp { peer, role });
    misused::<Lme2>(Event::LinkUp { peer, role });
}
