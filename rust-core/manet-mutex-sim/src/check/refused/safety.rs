//! Exclusion and the ledger.

use super::{A, B, Verdict, deliver, network};
use crate::check::{Audit, Custody, Promise, Safety, Scope};
use crate::network::{Network, Observer, Step};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Cargo, Event, Fate, Message, Outcome, Reach, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::gme::Gme;
use manet_mutex::protocol::hk::Hk;
use manet_mutex::protocol::rl::Rl;
use serde::{Deserialize, Serialize};

/// A message that moves what a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Parcel {
    Token(u64),
    Units(u64),
    Weight(u64),
}

impl Message for Parcel {
    fn kind(&self) -> &'static str {
        "Parcel"
    }

    fn cargo(&self) -> Cargo {
        match *self {
            Self::Token(units) => Cargo::Token { units },
            Self::Units(units) => Cargo::Units(units),
            Self::Weight(weight) => Cargo::Weight(weight),
        }
    }
}

/// A run of three nodes, 0-1 being linked and 0 owning everything.
struct Run(Safety);

impl Run {
    fn new(scope: Scope, custody: Custody) -> Self {
        Self(Safety::new(Promise { scope, custody }, 3, A, [(A, B)]))
    }

    fn enter(mut self, node: u32, demand: Demand) -> Self {
        let action: Action<Parcel> = Action::Enter(demand);
        self.0.action(NodeId(node), &action, None);
        self
    }

    fn send(mut self, from: u32, to: u32, msg: Parcel) -> Self {
        let to = NodeId(to);
        self.0.action(NodeId(from), &Action::Send { to, msg }, None);
        self
    }

    fn event(mut self, node: u32, event: &Event<Parcel>) -> Self {
        self.0.event(NodeId(node), event);
        self
    }

    fn receive(self, node: u32, from: u32, msg: Parcel) -> Self {
        let from = NodeId(from);
        self.event(node, &Event::Message { from, msg })
    }

    /// What was found; nothing may have been found before `last`.
    fn then(self, last: impl FnOnce(Self) -> Self) -> Verdict {
        assert_eq!(self.0.violation(), None, "before the last step");
        match last(self).0.take_violation() {
            Some(violation) => Err(violation),
            None => Ok(()),
        }
    }
}

const ALONE: Demand = Demand::Exclusive;

const fn units(count: u32) -> Demand {
    Demand::Units { count, priority: 0 }
}

fn global() -> Run {
    Run::new(Scope::Global, Custody::Nothing)
}

fn local() -> Run {
    Run::new(Scope::Neighbours, Custody::Nothing)
}

fn token() -> Run {
    Run::new(Scope::Global, Custody::Token)
}

fn weight() -> Run {
    Run::new(Scope::Global, Custody::TokenOrWeight)
}

fn three_units() -> Run {
    Run::new(Scope::Units { total: 3 }, Custody::Units)
}

pub(super) fn enters_twice() -> Verdict {
    global().enter(0, ALONE).then(|run| run.enter(0, ALONE))
}

pub(super) fn two_inside() -> Verdict {
    global().enter(0, ALONE).then(|run| run.enter(2, ALONE))
}

pub(super) fn two_groups_inside() -> Verdict {
    let one = global()
        .enter(0, Demand::Group(1))
        .enter(1, Demand::Group(1));
    one.then(|run| run.enter(2, Demand::Group(2)))
}

pub(super) fn too_many_units() -> Verdict {
    let run = Run::new(Scope::Units { total: 3 }, Custody::Nothing);
    run.enter(0, units(2)).then(|run| run.enter(1, units(2)))
}

pub(super) fn exclusive_among_units() -> Verdict {
    let run = Run::new(Scope::Units { total: 3 }, Custody::Nothing);
    run.then(|run| run.enter(1, ALONE))
}

pub(super) fn neighbours_inside() -> Verdict {
    let apart = local().enter(0, ALONE).enter(2, ALONE);
    apart.then(|run| run.enter(1, ALONE))
}

pub(super) fn neighbours_meet_inside() -> Verdict {
    let role = Role::Moving;
    let met = local()
        .enter(0, ALONE)
        .enter(2, ALONE)
        .event(2, &Event::LinkUp { peer: A, role });
    met.then(|mut run| {
        Observer::<Parcel>::linked(&mut run.0, NodeId(2), A);
        run
    })
}

pub(super) fn neighbour_of_crashed_inside() -> Verdict {
    let mut run = local().enter(0, ALONE);
    Observer::<Parcel>::crash(&mut run.0, A);
    run.then(|run| run.enter(1, ALONE))
}

pub(super) fn sends_no_token() -> Verdict {
    token().then(|run| run.send(1, 0, Parcel::Token(0)))
}

pub(super) fn sends_token_without_custody() -> Verdict {
    global().then(|run| run.send(0, 1, Parcel::Token(0)))
}

pub(super) fn sends_token_with_foreign_units() -> Verdict {
    three_units().then(|run| run.send(0, 1, Parcel::Token(4)))
}

pub(super) fn sends_token_while_weight_is_out() -> Verdict {
    let lent = weight().send(0, 1, Parcel::Weight(8));
    lent.then(|run| run.send(0, 1, Parcel::Token(0)))
}

pub(super) fn sends_foreign_units() -> Verdict {
    three_units().then(|run| run.send(1, 0, Parcel::Units(1)))
}

pub(super) fn sends_foreign_weight() -> Verdict {
    let lent = weight()
        .send(0, 1, Parcel::Weight(8))
        .receive(1, 0, Parcel::Weight(8));
    lent.then(|run| run.send(1, 0, Parcel::Weight(9)))
}

pub(super) fn enters_without_token() -> Verdict {
    token().then(|run| run.enter(1, ALONE))
}

pub(super) fn enters_without_weight() -> Verdict {
    weight().then(|run| run.enter(1, Demand::Group(0)))
}

pub(super) fn enters_without_units() -> Verdict {
    three_units().then(|run| run.enter(1, units(1)))
}

/// All units are free, and it does not ask for units.
pub(super) fn enters_without_demand_for_units() -> Verdict {
    let run = Run::new(Scope::Global, Custody::Units);
    run.then(|run| run.enter(0, ALONE))
}

pub(super) fn gains_token() -> Verdict {
    token().then(|run| run.receive(1, 0, Parcel::Token(0)))
}

fn arrived() -> Run {
    let sent = token().send(0, 1, Parcel::Token(0));
    sent.receive(1, 0, Parcel::Token(0))
}

pub(super) fn gains_returned_token_twice() -> Verdict {
    arrived().then(|run| {
        let unacked = vec![(Parcel::Token(0), Fate::Returned)];
        run.event(0, &Event::LinkDown { peer: B, unacked })
    })
}

pub(super) fn gains_resolved_token_twice() -> Verdict {
    arrived().then(|run| {
        let (peer, msg, outcome) = (B, Parcel::Token(0), Outcome::Returned);
        run.event(0, &Event::Resolved { peer, msg, outcome })
    })
}

pub(super) fn gains_units() -> Verdict {
    three_units().then(|run| run.receive(1, 0, Parcel::Units(1)))
}

pub(super) fn gains_weight() -> Verdict {
    let lent = weight().send(0, 1, Parcel::Weight(8));
    lent.then(|run| run.receive(0, 1, Parcel::Weight(9)))
}

/// A network of two and its ledger after these steps, everything being delivered after each.
fn booked<P: Population>(steps: &[(NodeId, Demand)]) -> (Network<P>, Safety) {
    let config = P::Config::default();
    let network: Network<P> = network(&Graph::path(2), &config);
    let safety = Safety::new(P::promise(&config), 2, A, []);
    let mut run = (network, safety);
    for &(node, demand) in steps {
        let step = Step::Request(node, demand);
        run.0.step(step, &mut run.1).expect("possible");
        deliver(&mut run.0, &mut run.1);
    }
    assert_eq!(run.1.violation(), None);
    assert_eq!(run.1.ledger.audit(&run.0), Ok(()));
    run
}

/// A step that the ledger does not see.
fn hidden<P: Population>((mut network, safety): (Network<P>, Safety), step: Step) -> Verdict {
    network.step(step, &mut ()).expect("possible");
    safety.ledger.audit(&network)
}

/// Node 1 takes a message that the ledger takes to be under way.
fn taken_in_secret<P: Population>(
    (mut network, mut safety): (Network<P>, Safety),
    step: Step,
) -> Verdict {
    network.step(step, &mut safety).expect("possible");
    assert_eq!(safety.ledger.audit(&network), Ok(()));
    deliver(&mut network, &mut ());
    safety.ledger.audit(&network)
}

const G: Demand = Demand::Group(0);

/// Node 1 leaves, so that its weight goes back to node 0.
fn weight_out() -> (Network<Gme>, Safety) {
    booked(&[(A, G), (B, G)])
}

/// Node 0 is inside without the token, so that its units go to node 1 when it leaves.
fn units_out() -> (Network<Hk>, Safety) {
    booked(&[(A, units(1)), (B, units(1))])
}

/// Node 0 holds the token inside, and node 1 waits for it.
fn token_wanted() -> (Network<Rl>, Safety) {
    booked(&[(A, ALONE), (B, ALONE)])
}

pub(super) fn token_vanishes() -> Verdict {
    taken_in_secret(token_wanted(), Step::Release(A))
}

pub(super) fn token_is_copied() -> Verdict {
    hidden(token_wanted(), Step::Release(A))
}

pub(super) fn units_vanish() -> Verdict {
    taken_in_secret(units_out(), Step::Release(A))
}

pub(super) fn units_are_copied() -> Verdict {
    hidden(units_out(), Step::Release(A))
}

pub(super) fn weight_vanishes() -> Verdict {
    taken_in_secret(weight_out(), Step::Release(B))
}

pub(super) fn weight_is_copied() -> Verdict {
    hidden(weight_out(), Step::Release(B))
}

/// Starts node 1 in each of these lives, and stops it where that is said.
fn lives(lives: &[(u16, bool)]) -> Verdict {
    let promise = Rl::promise(&Default::default());
    let mut audit: Audit<Parcel> = Audit::new(Reach::Neighbours, Safety::new(promise, 2, A, []));
    for &(life, stops) in lives {
        audit.start(B, life);
        if stops {
            audit.stop(B, life);
        }
    }
    audit.violation().map_or(Ok(()), |found| Err(found.clone()))
}

pub(super) fn two_lives_at_once() -> Verdict {
    lives(&[(0, true), (1, true), (2, false)]).expect("one after the other");
    lives(&[(0, false), (1, false)])
}

pub(super) fn life_used_again() -> Verdict {
    lives(&[(1, true), (1, false)])
}
