//! What machines and their drivers must not do.

use super::{A, B, Verdict, network};
use crate::check::Violation;
use crate::network::{Network, Step};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::machine::{Actions, Event, Protocol};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::Height;
use manet_mutex::protocol::rl::{Config, Rl, RlMessage};

fn pair() -> Network<Rl> {
    network(&Graph::path(2), &Config::default())
}

fn handled(node: usize, event: Event<RlMessage>) -> Verdict {
    let done = pair().nodes_mut()[node].handle(event, &mut Actions::new());
    done.map_err(|error| Violation::from(&error))
}

pub(super) fn impossible_step() -> Verdict {
    let done = pair().step(Step::Release(A), &mut ());
    done.map_err(|error| Violation::from(&error))
}

pub(super) fn send_without_link() -> Verdict {
    let nodes = Rl::settled(&Graph::path(2), &Config::default()).expect("connected");
    let mut network = Network::new(nodes, &Graph::empty(2));
    let done = network.step(Step::Request(B, Demand::Exclusive), &mut ());
    done.map_err(|error| Violation::from(&error))
}

pub(super) fn second_token() -> Verdict {
    let height = Height {
        h1: 0,
        h2: 1,
        id: B,
    };
    let more = false;
    let msg = RlMessage::Token { height, more };
    handled(0, Event::Message { from: B, msg })
}

pub(super) fn release_outside() -> Verdict {
    handled(0, Event::Release)
}
