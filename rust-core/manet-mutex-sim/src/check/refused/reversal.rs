//! Protocols on link reversal.

use super::{A, B, Verdict, always, deliver, network, play, some_demand, when_quiet};
use crate::check::{Invariants, Turns};
use crate::network::{Network, Step};
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Actions, Event};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Gme;
use manet_mutex::protocol::hk::{Config, Hk, Key, Order};
use manet_mutex::protocol::reversal::{Dag, Status};
use manet_mutex::protocol::rl::Rl;

/// What all of them have, to be forged.
pub(super) trait OnDag: Population + Invariants {
    fn dag(&mut self) -> &mut Dag;
    fn status(&mut self, status: Status);
}

macro_rules! on_dag {
    ($($machine:ty),*) => {
        $(impl OnDag for $machine {
            fn dag(&mut self) -> &mut Dag {
                self.forge_dag()
            }

            fn status(&mut self, status: Status) {
                self.forge_status(status);
            }
        })*
    };
}

on_dag!(Rl, Gme, Hk);

/// A path on which nobody wants anything.
fn path<P: OnDag>(nodes: usize) -> Network<P> {
    network(&Graph::path(nodes), &P::Config::default())
}

/// The same after a request.
fn requested<P: OnDag>(nodes: usize, node: NodeId) -> Network<P> {
    let mut network = path::<P>(nodes);
    let step = Step::Request(node, some_demand::<P>(&P::Config::default()));
    network.step(step, &mut ()).expect("possible");
    network
}

pub(super) fn waits_unqueued<P: OnDag>() -> Verdict {
    always(path::<P>(2), |nodes| nodes[1].status(Status::Waiting))
}

pub(super) fn queued_while_idle<P: OnDag>() -> Verdict {
    always(requested::<P>(2, B), |nodes| {
        nodes[1].status(Status::Remainder);
    })
}

pub(super) fn token_elsewhere<P: OnDag>() -> Verdict {
    always(path::<P>(2), |nodes| {
        nodes[0].dag().forge_next(Some(B));
    })
}

pub(super) fn points_to_itself<P: OnDag>() -> Verdict {
    always(path::<P>(2), |nodes| {
        nodes[1].dag().forge_next(Some(B));
    })
}

pub(super) fn untold<P: OnDag>() -> Verdict {
    always(path::<P>(2), |nodes| {
        let request = Event::Request(some_demand::<P>(&P::Config::default()));
        let done = nodes[1].handle(request, &mut Actions::new());
        assert_eq!(done, Ok(()));
    })
}

pub(super) fn below_holder<P: OnDag>() -> Verdict {
    always(path::<P>(3), |nodes| nodes[2].dag().forge_height(0, -9))
}

pub(super) fn below_token_under_way<P: OnDag>() -> Verdict {
    let mut network = requested::<P>(3, B);
    play(&mut network, "rcv 1>0");
    always(network, |nodes| nodes[2].dag().forge_height(0, -9))
}

pub(super) fn no_lower_neighbour<P: OnDag>() -> Verdict {
    when_quiet(path::<P>(2), |nodes| nodes[1].dag().forge_view(A, 5, 5))
}

pub(super) fn each_below<P: OnDag>() -> Verdict {
    when_quiet(path::<P>(2), |nodes| nodes[0].dag().forge_view(B, 0, -9))
}

pub(super) fn rl_inside_without_token() -> Verdict {
    always(requested::<Rl>(2, A), |nodes| {
        nodes[0].forge_dag().forge_token(false);
        nodes[0].forge_dag().forge_next(Some(B));
    })
}

pub(super) fn rl_idle_holder_with_queue() -> Verdict {
    always(path::<Rl>(2), |nodes| nodes[0].forge_waiter(B))
}

pub(super) fn rl_asked_nobody() -> Verdict {
    always(path::<Rl>(2), |nodes| {
        nodes[1].forge_asked(true);
        nodes[1].forge_dag().forge_next(None);
    })
}

/// Both nodes are inside, in a session that node 0 leads.
fn session() -> Network<Gme> {
    let mut network = path::<Gme>(2);
    play(&mut network, "req 0 g0, req 1 g0");
    deliver(&mut network, &mut ());
    network
}

pub(super) fn gme_weight_outside() -> Verdict {
    always(path::<Gme>(2), |nodes| nodes[1].forge_weight(4))
}

pub(super) fn gme_inside_without_weight() -> Verdict {
    always(session(), |nodes| nodes[1].forge_weight(0))
}

pub(super) fn gme_empty_session() -> Verdict {
    always(path::<Gme>(2), |nodes| nodes[0].forge_session(Some(0)))
}

pub(super) fn gme_inside_without_session() -> Verdict {
    always(session(), |nodes| nodes[0].forge_session(None))
}

pub(super) fn gme_second_session() -> Verdict {
    always(session(), |nodes| nodes[1].forge_session(Some(0)))
}

pub(super) fn gme_other_session() -> Verdict {
    always(session(), |nodes| nodes[0].forge_session(Some(1)))
}

pub(super) fn gme_weight_made() -> Verdict {
    always(path::<Gme>(2), |nodes| nodes[1].forge_pending(3))
}

pub(super) fn gme_weight_owed() -> Verdict {
    always(session(), |nodes| {
        let owed = nodes[0].weight() + 1;
        nodes[0].forge_weight(owed);
    })
}

pub(super) fn gme_weight_kept() -> Verdict {
    when_quiet(path::<Gme>(2), |nodes| nodes[1].forge_pending(3))
}

/// The request of node 1 stays where it is.
pub(super) fn gme_waits_for_open_session() -> Verdict {
    let mut network = path::<Gme>(2);
    play(&mut network, "req 0 g0, req 1 g0");
    Gme::when_quiet(&network)
}

/// Three units under some order.
fn hk(order: Order) -> Network<Hk> {
    let config = Config {
        order,
        ..Config::default()
    };
    network(&Graph::star(3), &config)
}

/// Node 0 holds the token and fewer free units than it waits for.
fn short(order: Order, request: &str) -> Network<Hk> {
    let mut network = hk(order);
    network.nodes_mut()[0].forge_units(2);
    play(&mut network, request);
    network
}

pub(super) fn hk_units_outside() -> Verdict {
    always(path::<Hk>(2), |nodes| nodes[1].forge_held(1))
}

pub(super) fn hk_inside_without_units() -> Verdict {
    always(requested::<Hk>(2, A), |nodes| nodes[0].forge_held(0))
}

pub(super) fn hk_free_units_without_token() -> Verdict {
    always(path::<Hk>(2), |nodes| nodes[1].forge_units(1))
}

pub(super) fn hk_unsorted_queue() -> Verdict {
    let entry = |rank, id| (Key { rank, id }, id);
    always(hk(Order::Priority), |nodes| {
        nodes[0].forge_queue(vec![entry(2, B), entry(1, NodeId(2))]);
    })
}

pub(super) fn hk_units_made() -> Verdict {
    always(path::<Hk>(2), |nodes| nodes[1].forge_pending(1))
}

pub(super) fn hk_units_lost() -> Verdict {
    always(path::<Hk>(2), |nodes| nodes[0].forge_units(1))
}

pub(super) fn hk_units_kept() -> Verdict {
    when_quiet(path::<Hk>(2), |nodes| nodes[1].forge_pending(1))
}

/// The request of node 1 stays where it is.
pub(super) fn hk_holder_idle() -> Verdict {
    Hk::when_quiet(&requested::<Hk>(2, B))
}

/// The same three hops away, and not in another piece of the network.
pub(super) fn hk_holder_idle_far_away() -> Verdict {
    let waits = |links: [(u32, u32); 3]| {
        let graph = Graph::new(4, links).expect("links");
        let mut network: Network<Hk> = network(&graph, &Config::default());
        play(&mut network, "req 2 u1p0");
        network
    };
    let mut apart = waits([(0, 3), (1, 3), (1, 2)]);
    play(&mut apart, "dne 1-2 k, dne 2-1 k");
    assert_eq!(Hk::when_quiet(&apart), Ok(()));
    Hk::when_quiet(&waits([(0, 3), (1, 2), (1, 3)]))
}

pub(super) fn hk_holder_fits() -> Verdict {
    let waits = short(Order::Priority, "req 0 u3p0");
    when_quiet(waits, |nodes| nodes[0].forge_units(3))
}

pub(super) fn hk_other_fits() -> Verdict {
    let fits = "req 0 u3p0, req 1 u1p0";
    assert_eq!(Hk::when_quiet(&short(Order::Priority, fits)), Ok(()));
    Hk::when_quiet(&short(Order::Fewest, fits))
}

pub(super) fn hk_holder_has_larger_key() -> Verdict {
    let waits = |priority| format!("req 0 u3p1, req 1 u3p{priority}");
    assert_eq!(Hk::when_quiet(&short(Order::Priority, &waits(0))), Ok(()));
    Hk::when_quiet(&short(Order::Priority, &waits(2)))
}

/// Node 1, which has the token and waits, swaps its own request with that of node 2.
pub(super) fn enters_before_its_turn() -> Verdict {
    let mut network = hk(Order::Priority);
    let mut turns = Turns::default();
    play(&mut network, "req 0 u3p0, req 1 u3p2, req 2 u3p1");
    deliver(&mut network, &mut ());
    assert_eq!(turns.look(&network), Ok(()));
    let holder = &mut network.nodes_mut()[1];
    let (keys, mut nodes): (Vec<Key>, Vec<NodeId>) = holder.queue().iter().copied().unzip();
    nodes.reverse();
    holder.forge_queue(keys.into_iter().zip(nodes).collect());
    play(&mut network, "rel 0");
    deliver(&mut network, &mut ());
    turns.look(&network)
}
