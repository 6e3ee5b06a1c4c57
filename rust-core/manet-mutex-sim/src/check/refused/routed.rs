//! Protocols over routing.

use super::{A, B, Verdict, always, network, play, some_demand};
use crate::check::Invariants;
use crate::network::{Network, Step};
use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::routed::dgme::Dgme;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehel;
use manet_mutex::protocol::routed::raymond::Raymond;
use std::collections::BTreeSet;

/// Two nodes that want nothing.
fn pair<P: Population + Invariants>() -> Network<P> {
    network(&Graph::path(2), &P::Config::default())
}

/// The same after these steps, of which the last one breaks something.
fn played<P: Population + Invariants>(steps: &str, last: &str) -> Verdict {
    let mut network = pair::<P>();
    play(&mut network, steps);
    assert_eq!(P::always(&network), Ok(()), "before the last step");
    play(&mut network, last);
    P::always(&network)
}

pub(super) fn raymond_two_tokens() -> Verdict {
    always(pair::<Raymond>(), |nodes| nodes[1].forge_holder(B))
}

pub(super) fn raymond_no_token() -> Verdict {
    always(pair::<Raymond>(), |nodes| nodes[0].forge_holder(B))
}

pub(super) fn naimi_trehel_two_tokens() -> Verdict {
    always(pair::<NaimiTrehel>(), |nodes| nodes[1].forge_token(true))
}

pub(super) fn dgme_two_tokens() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[1].forge_session().forge_token(true);
    })
}

pub(super) fn naimi_trehel_lost_request() -> Verdict {
    played::<NaimiTrehel>("req 1", "los 1>0")
}

/// Session 1 is at home at node 1.
pub(super) fn dgme_lost_request() -> Verdict {
    played::<Dgme>("req 1 g1", "los 1>0")
}

pub(super) fn forgotten<P: Population + Invariants>() -> Verdict {
    let waiting = |inside: bool| {
        let mut network = pair::<P>();
        assert_eq!(P::when_quiet(&network), Ok(()));
        let demand = some_demand::<P>(&P::Config::default());
        for node in [A, B].into_iter().skip(usize::from(!inside)) {
            let request = Step::Request(node, demand);
            network.step(request, &mut ()).expect("possible");
        }
        play(&mut network, "los 1>0");
        P::when_quiet(&network)
    };
    assert_eq!(waiting(true), Ok(()), "node 0 is inside");
    waiting(false)
}

pub(super) fn raymond_queued_twice() -> Verdict {
    always(pair::<Raymond>(), |nodes| nodes[0].forge_queue(vec![B, B]))
}

pub(super) fn naimi_trehel_idle_root() -> Verdict {
    always(pair::<NaimiTrehel>(), |nodes| nodes[1].forge_last(None))
}

pub(super) fn naimi_trehel_idle_with_successor() -> Verdict {
    always(pair::<NaimiTrehel>(), |nodes| nodes[1].forge_next(Some(A)))
}

pub(super) fn dgme_inside_without_token() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[1].forge_session().forge_inside(1);
    })
}

pub(super) fn dgme_root_with_successor() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[0].forge_session().forge_next(Some(1));
    })
}

pub(super) fn dgme_root_without_token() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[0].forge_session().forge_token(false);
        nodes[1].forge_session().forge_token(true);
    })
}

pub(super) fn dgme_waiting_without_successor() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[1].forge_session().forge_waiting(BTreeSet::from([B]));
    })
}

pub(super) fn dgme_lost_process() -> Verdict {
    played::<Dgme>("req 1 g0", "los 1>0")
}

pub(super) fn dgme_doubled_process() -> Verdict {
    played::<Dgme>("req 1 g0", "dbl 1>0")
}

pub(super) fn dgme_serves_nobody() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[0].forge_session().forge_waiting(BTreeSet::from([B]));
    })
}

pub(super) fn dgme_counts_too_many() -> Verdict {
    always(pair::<Dgme>(), |nodes| {
        nodes[0].forge_session().forge_inside(1);
    })
}

pub(super) fn dgme_counts_too_few() -> Verdict {
    let mut network = pair::<Dgme>();
    play(&mut network, "req 0 g0");
    always(network, |nodes| {
        nodes[0].forge_session().forge_inside(0);
    })
}
