//! What can happen next.

use super::model::{InTransit, Model, State, component};
use crate::check::Invariants;
use crate::network::{App, End, EndState, Knowledge, Mishap, Pair, Step};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Class, Message, Reach, Role};
use manet_mutex::protocol::Population;
use manet_mutex::protocol::reversal::RETRY;

/// One move: a step, or a link change that both ends learn of at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// A step.
    One(Step),
    /// A link comes up at both ends; the second is the one that moved.
    Up(NodeId, NodeId),
    /// A link goes down at both ends, which know or doubt what became of their messages.
    Down(NodeId, NodeId, Knowledge),
    /// A message is received before so many that were sent earlier.
    Overtakes {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
        /// How many.
        place: u8,
    },
}

impl Move {
    /// The steps it consists of.
    pub fn steps(self) -> impl Iterator<Item = Step> {
        let steps = match self {
            Self::One(step) => [Some(step), None, None],
            Self::Up(stays, moves) => Step::meeting(stays, moves).map(Some),
            Self::Down(a, b, knowledge) => {
                let down = |node, peer| Step::Down {
                    node,
                    peer,
                    knowledge,
                };
                [Some(down(a, b)), Some(down(b, a)), None]
            }
            Self::Overtakes { from, to, place } => {
                let mishap = Mishap::Overtakes(place);
                let overtakes = Step::Mishap { from, to, mishap };
                [Some(overtakes), Some(Step::Receive { from, to }), None]
            }
        };
        steps.into_iter().flatten()
    }

    /// The link that goes down with it, at one end at least.
    pub(super) const fn closes(self) -> Option<(NodeId, NodeId)> {
        match self {
            Self::Down(a, b, _)
            | Self::One(Step::Down {
                node: a, peer: b, ..
            }) => Some((a, b)),
            _ => None,
        }
    }
}

/// Whether one end has left the current incarnation and the other has not.
pub(super) fn is_closing<M: Message>(pair: &Pair<M>) -> bool {
    (pair.end(0) == EndState::Closed) != (pair.end(1) == EndState::Closed)
}

/// Whether neither end has left the current incarnation: a link as far as the outside world,
/// which cuts and joins, is concerned.
fn is_open<M: Message>(pair: &Pair<M>) -> bool {
    pair.end(0) != EndState::Closed && pair.end(1) != EndState::Closed
}

impl<P: Population + Invariants> Model<P> {
    /// What is bound to happen, in some order, if nobody asks for anything and no further link
    /// changes: deliveries, releases, second halves of link changes, doubts resolved, timers.
    ///
    /// Of the timers only [`RETRY`] matters. Where the token can be reached it runs out as often
    /// as needed once nothing else is under way; earlier, or elsewhere, it may run out
    /// [`super::Settings::retries`] times, or there would be no end of states.
    /// [`manet_mutex::protocol::reversal::QUIET`] only grants raises that a larger burst grants as
    /// well, so it never runs out here.
    pub fn inevitable(&self, state: &State<P>, moves: &mut Vec<Move>) {
        if state.violation().is_some() {
            return;
        }
        self.links_and_messages(state, moves);
        for node in nodes(state) {
            let inside = matches!(state.network().app(node), App::Inside(_));
            if inside && !state.network().crashed(node) {
                moves.push(Move::One(Step::Release(node)));
            }
            let armed = state.network().armed(node, RETRY);
            if armed && (state.retries > 0 || self.retry_is_due(state, node)) {
                moves.push(Move::One(Step::Timer(node, RETRY)));
            }
        }
    }

    /// Whether nothing else helps a node that waits to raise itself.
    pub(super) fn retry_is_due(&self, state: &State<P>, node: NodeId) -> bool {
        let mut moves = Vec::new();
        self.links_and_messages(state, &mut moves);
        moves.is_empty() && state.within_reach(self.promise()) & 1 << node.index() != 0
    }

    /// What may or may not happen: requests and link changes.
    pub fn optional(&self, state: &State<P>, moves: &mut Vec<Move>) {
        if state.violation().is_some() {
            return;
        }
        for node in nodes(state) {
            if let Some(demand) = self.wish(state, node) {
                moves.push(Move::One(Step::Request(node, demand)));
            }
        }
        self.mishaps(state, moves);
        if state.crashes > 0 {
            let alive = nodes(state).filter(|&node| !state.network().crashed(node));
            moves.extend(alive.map(|node| Move::One(Step::Crash(node))));
        }
        if state.changes > 0 && P::REACH == Reach::Neighbours {
            for ([a, b], pair) in state.network().pairs() {
                if state.network().crashed(a) || state.network().crashed(b) {
                    continue; // no link comes or goes where nobody answers
                }
                if pair.can_begin() {
                    moves.push(self.link_begins(a, b));
                } else if self.may_fail(state, a, b, pair) {
                    self.link_fails([a, b], pair, moves);
                }
            }
        }
    }

    fn mishaps(&self, state: &State<P>, moves: &mut Vec<Move>) {
        if state.losses == 0 && state.doubles == 0 {
            return;
        }
        let budgets = [
            (state.losses, Mishap::Lost),
            (state.doubles, Mishap::Doubled),
        ];
        for (ends, pair) in state.network().pairs() {
            for end in [0, 1] {
                let (from, to) = (ends[end], ends[1 - end]);
                let any = pair.undelivered(end).next().is_some();
                let may = budgets.iter().filter(|(left, _)| any && *left > 0);
                moves.extend(may.map(|&(_, mishap)| Move::One(Step::Mishap { from, to, mishap })));
            }
        }
    }

    fn links_and_messages(&self, state: &State<P>, moves: &mut Vec<Move>) {
        let dead = |node| state.network().crashed(node);
        for (ends, pair) in state.network().pairs() {
            for end in [0, 1] {
                let (node, peer) = (ends[end], ends[1 - end]);
                if pair.can_take(1 - end) && !dead(peer) {
                    let (from, to) = (node, peer);
                    moves.push(Move::One(Step::Receive { from, to }));
                    if self.settings.routing.unordered {
                        moves.extend(overtaking(from, to, pair.undelivered(end)));
                    }
                }
                if dead(node) {
                    continue;
                }
                if pair.end(end) == EndState::Pending {
                    let role = self.role(node, peer);
                    moves.push(Move::One(Step::Up { node, peer, role }));
                }
                if is_closing(pair) && pair.end(end) != EndState::Closed {
                    self.end_closes(ends, end, pair, moves);
                }
                if pair.can_resolve(end) {
                    moves.push(Move::One(Step::Resolve { node, peer }));
                }
            }
        }
    }

    fn link_begins(&self, a: NodeId, b: NodeId) -> Move {
        if self.settings.skew {
            return Move::One(Step::New(a, b));
        }
        match self.role(b, a) {
            Role::Moving => Move::Up(a, b),
            Role::Static => Move::Up(b, a),
        }
    }

    fn role(&self, node: NodeId, peer: NodeId) -> Role {
        let moves = |node: NodeId| self.settings.movers & 1 << node.index() != 0;
        match (moves(node), moves(peer)) {
            (true, false) => Role::Moving,
            (false, true) => Role::Static,
            _ => Step::default_role(node, peer),
        }
    }

    /// Whether a link may begin to go down.
    fn may_fail(&self, state: &State<P>, a: NodeId, b: NodeId, pair: &Pair<P::Message>) -> bool {
        // An incarnation that neither end has seen is none.
        let seen = pair.end(0) == EndState::Up || pair.end(1) == EndState::Up;
        if !is_open(pair) || !seen {
            return false;
        }
        let in_transit = match self.settings.in_transit {
            InTransit::None => pair.is_idle(),
            InTransit::Plain => !owned(pair, 0) && !owned(pair, 1),
            InTransit::Returned | InTransit::Doubt => true,
        };
        let other = |p: &Pair<P::Message>| is_open(p) && !std::ptr::eq(p, pair);
        in_transit
            && (self.settings.partition
                || component(state.network(), a, other) & 1 << b.index() != 0)
    }

    fn link_fails(&self, ends: [NodeId; 2], pair: &Pair<P::Message>, moves: &mut Vec<Move>) {
        let [a, b] = ends;
        if self.settings.skew {
            self.end_closes(ends, 0, pair, moves);
            self.end_closes(ends, 1, pair, moves);
            return;
        }
        moves.push(Move::Down(a, b, Knowledge::Known));
        if self.settings.in_transit == InTransit::Doubt && (owned(pair, 0) || owned(pair, 1)) {
            moves.push(Move::Down(a, b, Knowledge::Doubt));
        }
    }

    /// One end closes. That it does not know what became of its messages makes a difference if
    /// they may be delivered yet, or if it has to be told.
    fn end_closes(
        &self,
        ends: [NodeId; 2],
        end: End,
        pair: &Pair<P::Message>,
        moves: &mut Vec<Move>,
    ) {
        let down = |knowledge| {
            let (node, peer) = (ends[end], ends[1 - end]);
            Move::One(Step::Down {
                node,
                peer,
                knowledge,
            })
        };
        moves.push(down(Knowledge::Known));
        let doubtful = if owned(pair, end) {
            self.settings.in_transit == InTransit::Doubt
        } else {
            pair.undelivered(end).next().is_some() && is_open(pair)
        };
        if doubtful {
            moves.push(down(Knowledge::Doubt));
        }
    }
}

/// The ways in which a message can overtake others; equal ones do not.
fn overtaking<'a, M: Message>(
    from: NodeId,
    to: NodeId,
    messages: impl Iterator<Item = &'a M>,
) -> Vec<Move> {
    let messages: Vec<&M> = messages.collect();
    let new = |place: &usize| !messages[..*place].contains(&messages[*place]);
    let places = (1..messages.len()).filter(new);
    places
        .map(|place| Move::Overtakes {
            from,
            to,
            place: place as u8,
        })
        .collect()
}

fn owned<M: Message>(pair: &Pair<M>, end: End) -> bool {
    pair.undelivered(end)
        .any(|msg| msg.class() == Class::Ownership)
}

fn nodes<P: Population>(state: &State<P>) -> impl Iterator<Item = NodeId> + use<P> {
    (0..state.network().nodes().len()).map(NodeId::from_index)
}
