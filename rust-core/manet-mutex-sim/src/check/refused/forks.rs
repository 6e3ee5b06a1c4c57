//! Protocols with forks.

use super::{A, B, Verdict, always, deliver, network, play};
use crate::check::Invariants;
use crate::network::Network;
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Actions, Event};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::erratum::Erratum;
use manet_mutex::protocol::lme::algorithm1::{Lme1a, Lme1b, Neighbour as Neighbour1};
use manet_mutex::protocol::lme::algorithm2::{Config, Lme2, Neighbour};
use manet_mutex::protocol::lme::doorway::{Doorway, Phase, Position, Sight};
use manet_mutex::protocol::lme::forks::{Fork, Forks};

/// What all of them have, to be forged.
pub(super) trait OnForks: Population + Invariants {
    type About;

    fn forks(&mut self) -> &mut Forks<Self::About>;

    /// What a node may know of a neighbour.
    fn about() -> Self::About;
}

macro_rules! on_forks {
    ($($machine:ty, $about:ty, $value:expr;)*) => {
        $(impl OnForks for $machine {
            type About = $about;

            fn forks(&mut self) -> &mut Forks<$about> {
                self.forge_links()
            }

            fn about() -> $about {
                $value
            }
        })*
    };
}

const UNKNOWN: Neighbour1 = Neighbour1 {
    colour: None,
    sight: Sight::OUTSIDE,
};

on_forks! {
    Lme1a, Neighbour1, UNKNOWN;
    Lme1b, Neighbour1, UNKNOWN;
    Lme2, Neighbour, Neighbour::At(0);
}

/// A path on which all think.
fn path<P: OnForks>(nodes: usize) -> Network<P> {
    network(&Graph::path(nodes), &P::Config::default())
}

/// Two nodes of which node 0 eats.
fn eating<P: OnForks>() -> Network<P> {
    let mut network = path::<P>(2);
    play(&mut network, "req 0");
    deliver(&mut network, &mut ());
    network
}

pub(super) fn untold<P: OnForks>() -> Verdict {
    always(path::<P>(2), |nodes| {
        let request = Event::Request(Demand::Exclusive);
        let done = nodes[1].handle(request, &mut Actions::new());
        assert_eq!(done, Ok(()));
    })
}

pub(super) fn eats_without_fork() -> Verdict {
    always(eating::<Lme1a>(), |nodes| {
        nodes[0].forks().forge(B, Fork::Away);
    })
}

pub(super) fn thinks_and_suspends() -> Verdict {
    always(path::<Lme1a>(2), |nodes| {
        nodes[0].forks().forge(B, Fork::Suspended);
    })
}

pub(super) fn thinks_and_asks() -> Verdict {
    always(path::<Lme1a>(2), |nodes| {
        nodes[1].forks().forge(A, Fork::Asked);
    })
}

pub(super) fn unknown_link<P: OnForks>() -> Verdict {
    always(path::<P>(2), |nodes| nodes[1].forks().part(A))
}

pub(super) fn link_kept<P: OnForks>() -> Verdict {
    let mut network = path::<P>(2);
    play(&mut network, "dne 0-1 k, dne 1-0 k");
    always(network, |nodes| nodes[1].forks().join(A, false, P::about()))
}

pub(super) fn no_fork<P: OnForks>() -> Verdict {
    always(path::<P>(2), |nodes| nodes[0].forks().forge(B, Fork::Away))
}

pub(super) fn two_forks<P: OnForks>() -> Verdict {
    always(path::<P>(2), |nodes| nodes[1].forks().forge(A, Fork::Here))
}

/// Node 0 gives its fork and keeps it.
pub(super) fn second_fork_under_way() -> Verdict {
    let mut network = path::<Lme2>(2);
    play(&mut network, "req 1, rcv 1>0, rcv 1>0");
    let fork = |network: &Network<Lme2>| network.nodes()[0].links().get(B).map(|l| l.fork());
    assert_eq!(fork(&network), Some(Fork::Away));
    always(network, |nodes| nodes[0].forks().forge(B, Fork::Here))
}

/// The messages of node 1 stay where they are.
pub(super) fn hungry<P: OnForks>() -> Verdict {
    let mut waits = eating::<P>();
    play(&mut waits, "req 1");
    assert_eq!(P::when_quiet(&waits), Ok(()), "node 0 eats");
    let mut network = path::<P>(2);
    assert_eq!(P::when_quiet(&network), Ok(()));
    play(&mut network, "req 1");
    P::when_quiet(&network)
}

/// Node 1 has closed its link to a crashed node, which does not know it.
pub(super) fn hungry_behind_a_closed_link() -> Verdict {
    let hungry = |close: &str| {
        let mut network = path::<Lme2>(3);
        play(&mut network, &format!("crash 0, {close}req 2"));
        Lme2::when_quiet(&network)
    };
    assert_eq!(hungry(""), Ok(()));
    hungry("dne 1-0 k, ")
}

/// The same at both sides of the failure locality: who is near a crash may wait.
pub(super) fn hungry_far_from_a_crash<P: OnForks>() -> Verdict {
    let near = P::locality(20);
    let hungry = |node: usize| {
        let mut network = path::<P>(20);
        play(&mut network, &format!("crash 0, req {node}"));
        P::when_quiet(&network)
    };
    assert_eq!(hungry(near), Ok(()));
    hungry(near + 1)
}

/// A node of two that thinks is put somewhere.
fn placed(position: Position, phase: Phase) -> Verdict {
    always(path::<Lme1a>(2), |nodes| {
        nodes[0].forge_place(position, phase);
    })
}

pub(super) fn behind_inner_only() -> Verdict {
    placed(Position::behind(Doorway::SyncForks), Phase::Idle)
}

pub(super) fn behind_both_inner() -> Verdict {
    let all = Doorway::ALL.iter();
    let position = all.fold(Position::OUTSIDE, |place, (doorway, _)| {
        place.crossed(*doorway)
    });
    placed(position, Phase::Idle)
}

pub(super) fn behind_without_collecting() -> Verdict {
    let outer = Position::behind(Doorway::AsyncForks);
    placed(outer.crossed(Doorway::SyncForks), Phase::Idle)
}

pub(super) fn eats_outside() -> Verdict {
    always(eating::<Lme1a>(), |nodes| {
        let phase = Phase::At(Doorway::SyncForks);
        nodes[0].forge_place(Position::behind(Doorway::AsyncForks), phase);
    })
}

/// Node 0 recolours itself.
pub(super) fn suspends_outside() -> Verdict {
    let mut network = path::<Lme1a>(2);
    play(&mut network, "req 0");
    assert_eq!(network.nodes()[0].phase(), Phase::Recolouring);
    always(network, |nodes| {
        nodes[0].forks().forge(B, Fork::Suspended);
    })
}

pub(super) fn thinks_on_its_way() -> Verdict {
    placed(Position::OUTSIDE, Phase::At(Doorway::AsyncForks))
}

pub(super) fn wrong_position() -> Verdict {
    placed(Position::behind(Doorway::AsyncForks), Phase::Idle)
}

pub(super) fn wrong_colour() -> Verdict {
    let mut network = eating::<Lme1a>();
    play(&mut network, "rel 0");
    deliver(&mut network, &mut ());
    always(network, |nodes| nodes[0].forge_colour(Some(77)))
}

/// What a node knows of another.
fn known(nodes: &mut [Lme2], node: usize, peer: usize, about: Neighbour) {
    let link = nodes[node].forks().get_mut(NodeId::from_index(peer));
    link.expect("a neighbour").about = about;
}

pub(super) fn both_first() -> Verdict {
    always(path::<Lme2>(2), |nodes| {
        known(nodes, 1, 0, Neighbour::At(100));
    })
}

pub(super) fn wrong_height() -> Verdict {
    always(path::<Lme2>(2), |nodes| nodes[1].forge_height(5))
}

/// Node 0 tells node 1 its new height, which is below the one that node 1 knows.
pub(super) fn falling_heights() -> Verdict {
    let mut network = eating::<Lme2>();
    play(&mut network, "rel 0");
    always(network, |nodes| known(nodes, 1, 0, Neighbour::At(9)))
}

/// Rule L1 as printed: flags that contradict each other.
pub(super) fn circle() -> Verdict {
    let config = Config {
        as_printed: Some(Erratum::L1),
    };
    let triangle: Network<Lme2> = network(&Graph::complete(3), &config);
    always(triangle, |nodes| {
        for node in 0..3 {
            let (before, after) = ((node + 1) % 3, (node + 2) % 3);
            known(nodes, node, before, Neighbour::Flag { higher: true });
            known(nodes, node, after, Neighbour::Flag { higher: false });
        }
    })
}
