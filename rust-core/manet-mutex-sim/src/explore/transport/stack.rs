//! Two nodes with a protocol on the transport, under the same adversary.

use super::ends::{Datagram, Ends};
use super::seen::{Seen, Sometimes};
use super::{Report, Settings};
use crate::check::{Invariants, Safety, Violation};
use crate::explore::Limits;
use crate::explore::breadth::{self, System};
use crate::explore::fingerprint::Fingerprint;
use crate::network::{App, End, Mishap, Network, Step};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::protocol::{Population, PopulationError};
use std::fmt;

/// Goes through all states of two nodes that run a protocol over a transport and request as
/// `wishes` say, each in this order.
///
/// # Errors
/// If the protocol has no initial configuration.
pub fn explore_stack<P: Population + Invariants>(
    config: &P::Config,
    wishes: [Vec<Demand>; 2],
    settings: Settings,
    limits: Limits,
) -> Result<Report, PopulationError> {
    let graph = Graph::complete(2);
    let safety = Safety::new(P::promise(config), 2, NodeId(0), graph.pairs());
    let start = State {
        network: Network::new(P::settled(&graph, config)?, &graph),
        safety,
        ends: Ends::new(&settings),
        air: Vec::new(),
        under_way: [Vec::new(), Vec::new()],
        sent: 0,
        asked: [0; 2],
        violation: None,
    };
    let stack = Stack {
        settings,
        wishes,
        start,
    };
    let found = breadth::search(&stack, limits, &mut |_| {});
    let mut expected = Seen::default();
    expected.add_if(Sometimes::Delivered, true);
    expected.add_if(Sometimes::Acked, true);
    expected.add_if(Sometimes::Duplicate, true);
    Ok(Report::new(&stack, &found, expected))
}

#[derive(Clone, Debug)]
struct Stack<P: Population> {
    settings: Settings,
    wishes: [Vec<Demand>; 2],
    start: State<P>,
}

/// The machines, with what they have sent; below them the ends of the transport, which know the
/// messages by numbers; and what is under way between these.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State<P: Population> {
    network: Network<P>,
    safety: Safety,
    ends: Ends,
    air: Vec<Datagram>,
    /// The numbers of the messages that each node has sent and the other not got, as the network
    /// has them.
    under_way: [Vec<u8>; 2],
    sent: u8,
    asked: [u8; 2],
    violation: Option<Violation>,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Receive(Datagram),
    Advance(End),
    Step(Step),
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Receive(datagram) => write!(f, "{} receives {datagram}", datagram.to),
            Self::Advance(at) => write!(f, "the next message of {at} goes out"),
            Self::Step(step) => step.fmt(f),
        }
    }
}

const fn node(end: End) -> NodeId {
    NodeId(end as u32)
}

impl<P: Population + Invariants> State<P> {
    /// A machine takes a step; what it sends goes to the transport.
    fn step(&mut self, step: Step) {
        if let Err(error) = self.network.step(step, &mut self.safety) {
            self.report(Violation::from(&error));
        }
        for at in 0..2 {
            let known = self.under_way[at].len();
            let pair = self.network.pair_between(node(0), node(1));
            let now = pair.map_or(0, |pair| pair.undelivered(at).count());
            for _ in known..now {
                self.sent += 1;
                self.under_way[at].push(self.sent);
                self.air.extend(self.ends.send(at, self.sent));
            }
        }
        let audit = self.safety.ledger.audit(&self.network);
        let checked = audit.and_then(|()| P::always(&self.network));
        let broken = self.safety.violation().cloned();
        if let Some(violation) = broken.or(checked.err()) {
            self.report(violation);
        }
    }

    fn receive(&mut self, datagram: &Datagram, seen: &mut Seen) {
        let received = self.ends.receive(datagram, seen);
        self.air.extend(received.answer);
        if let Some(violation) = self.ends.violation.clone() {
            self.report(violation);
        }
        let (to, from) = (datagram.to, 1 - datagram.to);
        let Some(parcel) = received.parcel else {
            return;
        };
        let place = self.under_way[from].iter().position(|&id| id == parcel);
        // One that is not there has been found by the checker of the transport.
        let Some(place) = place else { return };
        self.under_way[from].remove(place);
        let (from, to) = (node(from), node(to));
        let mishap = Mishap::Overtakes(place as u8);
        if let Err(error) = self
            .network
            .step(Step::Mishap { from, to, mishap }, &mut ())
        {
            self.report(Violation::from(&error));
        }
        self.step(Step::Receive { from, to });
    }

    fn report(&mut self, violation: Violation) {
        self.violation.get_or_insert(violation);
    }

    fn inside(&self, at: End) -> bool {
        matches!(self.network.app(node(at)), App::Inside(_))
    }

    /// Everything arrives and everybody leaves; tells whether nobody waits in the end.
    fn settles(&mut self, carried: &mut Vec<String>) -> bool {
        for _ in 0..ROUNDS {
            self.air.clear();
            for at in 0..2 {
                let again = self.ends.again(at);
                self.air.extend(again);
            }
            while let Some(datagram) = self.air.pop() {
                carried.push(Move::Receive(datagram).to_string());
                self.receive(&datagram, &mut Seen::default());
            }
            for at in (0..2).filter(|&at| self.inside(at)).collect::<Vec<_>>() {
                carried.push(Step::Release(node(at)).to_string());
                self.step(Step::Release(node(at)));
            }
        }
        self.network.waiting().next().is_none() && self.ends.checker.is_settled()
    }
}

/// Rounds of sending everything that must be enough.
const ROUNDS: usize = 12;

impl<P: Population + Invariants> System for Stack<P> {
    type State = State<P>;
    type Move = Move;
    type Seen = Seen;

    fn start(&self) -> State<P> {
        self.start.clone()
    }

    fn moves(&self, state: &State<P>, moves: &mut Vec<Move>) {
        if state.violation.is_some() {
            return;
        }
        moves.extend(state.air.iter().copied().map(Move::Receive));
        for at in 0..2 {
            let pair = &state.ends.pairs[at];
            if pair.lives().1.is_some() && pair.load().1 > 0 {
                moves.push(Move::Advance(at));
            }
            if state.inside(at) {
                moves.push(Move::Step(Step::Release(node(at))));
            }
            let idle = state.network.app(node(at)) == App::Idle;
            let wish = self.wishes[at].get(usize::from(state.asked[at]));
            if let Some(&demand) = wish.filter(|_| idle) {
                moves.push(Move::Step(Step::Request(node(at), demand)));
            }
        }
    }

    fn after(&self, state: &State<P>, step: Move) -> (State<P>, Seen) {
        let mut next = state.clone();
        let mut seen = Seen::default();
        match step {
            Move::Receive(datagram) => next.receive(&datagram, &mut seen),
            Move::Advance(at) => {
                let said = next.ends.advance(at, self.settings.window);
                next.air.extend(said);
            }
            Move::Step(step) => {
                if let Step::Request(node, _) = step {
                    next.asked[node.index()] += 1;
                }
                next.step(step);
            }
        }
        next.air.sort_unstable();
        next.air.dedup();
        (next, seen)
    }

    fn merge(all: &mut Seen, more: Seen) {
        all.merge(more);
    }

    fn violation(state: &State<P>) -> Option<&Violation> {
        state.violation.as_ref()
    }

    /// What is under way may be lost, so it does not matter.
    fn core(state: &State<P>) -> Fingerprint {
        Fingerprint::of(&(&state.network, &state.ends, &state.under_way))
    }

    fn ends_well(state: &State<P>, carried: &mut Vec<String>) -> Result<(), Violation> {
        let mut later = state.clone();
        let settled = later.settles(carried);
        if let Some(violation) = later.violation {
            return Err(violation);
        }
        if settled {
            return Ok(());
        }
        let detail = "everything arrives, and somebody waits for ever";
        Err(Violation::named("working routes serve", detail))
    }
}
