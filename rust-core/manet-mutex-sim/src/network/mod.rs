//! Nodes and the links between them, without time.
//!
//! A [`Network`] holds one machine for each node, what is under way between them, and what each
//! application is doing. It changes by [`Step`]s only, each of which hands one event to one node
//! (or only touches a link). Three drivers choose the steps: the simulator by time and chance
//! ([`crate::world`]), the model checker by trying them all ([`crate::explore`]), scenarios by
//! script. [`Observer`]s see every event and action.

mod fabric;
mod outbox;
mod pair;
mod step;

pub use manet_mutex::app::App;
pub use manet_mutex::invariants::EndState;
pub use manet_mutex::observer::{Lane, Observer};
pub use pair::{End, Knowledge, Mishap, Pair};

mod global_state;
pub use step::{NotAStep, Step};

use crate::scratch::Scratch;
use fabric::{Ends, Fabric};
use manet_mutex::demand::Demand;
use manet_mutex::graph::Graph;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Actions, Event, Protocol, ProtocolError, Reach, Role, TimerId};

/// Why a step could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// Nothing of the kind can happen now; the network is unchanged.
    #[error("`{0}` cannot happen here: {1}")]
    NotEnabled(Step, &'static str),
    /// The protocol reported an error.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The protocol sent on a link that is not up at its end.
    #[error("{from:?} sent to {to:?}, to which it has no link")]
    NoLink {
        /// The sender.
        from: NodeId,
        /// The receiver.
        to: NodeId,
    },
}

/// Nodes, links and applications.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Network<P: Protocol> {
    nodes: Vec<P>,
    fabric: Fabric<P::Message>,
    out: Scratch<Actions<P::Message>>,
}

impl<P: Protocol> Network<P> {
    /// Machines joined by the links of `graph`, which they know already.
    pub fn new(nodes: Vec<P>, graph: &Graph) -> Self {
        let mut fabric = Fabric::new(nodes.len());
        if P::REACH == Reach::Neighbours {
            fabric.join(graph);
        }
        Self {
            fabric,
            out: Scratch::default(),
            nodes,
        }
    }

    /// The machines.
    pub fn nodes(&self) -> &[P] {
        &self.nodes
    }

    /// The machines, to forge states that no step leads to.
    #[cfg(test)]
    pub(crate) fn nodes_mut(&mut self) -> &mut [P] {
        &mut self.nodes
    }

    /// What the application at a node is doing.
    pub fn app(&self, node: NodeId) -> App {
        self.fabric.sites[node.index()].app
    }

    /// Whether a node has fallen silent.
    pub fn crashed(&self, node: NodeId) -> bool {
        self.fabric.crashed[node.index()]
    }

    /// Nodes whose application waits.
    pub fn waiting(&self) -> impl Iterator<Item = NodeId> + '_ {
        let waits = |&node: &NodeId| matches!(self.app(node), App::Waiting(_));
        (0..self.nodes.len())
            .map(NodeId::from_index)
            .filter(move |node| waits(node) && !self.crashed(*node))
    }

    /// Whether a timer runs.
    pub fn armed(&self, node: NodeId, id: TimerId) -> bool {
        self.fabric.sites[node.index()].timers & (1 << id.0) != 0
    }

    /// All pairs of nodes that ever had a link, smaller id first.
    pub fn pairs(&self) -> impl Iterator<Item = (Ends, &Pair<P::Message>)> + '_ {
        self.fabric.pairs.iter().map(|(ends, pair)| (*ends, pair))
    }

    /// A pair by its number.
    pub fn pair(&self, pair: u32) -> (Ends, &Pair<P::Message>) {
        let (ends, pair) = &self.fabric.pairs[pair as usize];
        (*ends, pair)
    }

    /// The pair between two nodes, if they ever had a link.
    pub fn pair_between(&self, a: NodeId, b: NodeId) -> Option<&Pair<P::Message>> {
        self.lane(a, b)
            .map(|lane| &self.fabric.pairs[lane.pair as usize].1)
    }

    /// The way from one node to another, if they ever had a link.
    pub fn lane(&self, from: NodeId, to: NodeId) -> Option<Lane> {
        self.fabric.lane(from, to)
    }

    /// The pair between two nodes, made if there never was one.
    pub fn ensure_pair(&mut self, a: NodeId, b: NodeId) -> u32 {
        match self.lane(a, b) {
            Some(lane) => lane.pair,
            None => {
                let pair = match P::REACH {
                    Reach::Neighbours => Pair::down_pair(),
                    Reach::Anyone => Pair::up_pair(), // as on first use
                };
                self.fabric.add_pair(a.min(b), a.max(b), pair)
            }
        }
    }

    /// Everything sent and not taken: sender, receiver, message. Includes what is in doubt.
    pub fn undelivered(&self) -> impl Iterator<Item = (NodeId, NodeId, &P::Message)> + '_ {
        self.fabric.pairs.iter().flat_map(|(ends, pair)| {
            [0, 1].into_iter().flat_map(move |end| {
                pair.undelivered(end)
                    .map(move |msg| (ends[end], ends[1 - end], msg))
            })
        })
    }

    /// Takes one step.
    ///
    /// # Errors
    /// If the step cannot happen now, or the protocol fails.
    pub fn step(
        &mut self,
        step: Step,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let no = |why| Err(StepError::NotEnabled(step, why));
        if let Err(why) = self.check_nodes(step) {
            return no(why);
        }
        match step {
            Step::Request(node, demand) => {
                if self.app(node) != App::Idle {
                    return no("the node is waiting or inside");
                }
                self.request(node, demand, watch)
            }
            Step::Release(node) => {
                if !matches!(self.app(node), App::Inside(_)) {
                    return no("the node is not inside");
                }
                self.release(node, watch)
            }
            Step::Receive { from, to } => match self.lane(from, to) {
                Some(lane) if self.can_receive(lane) => self.receive(lane, watch),
                _ => no("nothing is under way there, or the link is not up at the receiver"),
            },
            Step::New(a, b) => {
                let pair = self.ensure_pair(a, b);
                if !self.fabric.pairs[pair as usize].1.can_begin() {
                    return no("the link is up at an end, or a message of it is in doubt");
                }
                self.begin(pair, watch);
                Ok(())
            }
            Step::Up { .. } | Step::Down { .. } | Step::Resolve { .. } => {
                self.step_at_end(step, watch)
            }
            Step::Timer(node, id) => {
                if !self.armed(node, id) {
                    return no("the timer is not running");
                }
                self.timer(node, id, watch)
            }
            Step::Mishap { from, to, mishap } => match self.lane(from, to) {
                Some(lane) if P::REACH == Reach::Anyone && self.mishap(lane, mishap) => Ok(()),
                _ => no("nothing of the kind is under way there over routing"),
            },
            Step::Crash(node) => {
                self.crash(node, watch);
                Ok(())
            }
        }
    }

    /// A step at one end of a link.
    fn step_at_end(
        &mut self,
        step: Step,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let no = |why| Err(StepError::NotEnabled(step, why));
        match step {
            Step::Up { node, peer, role } => match self.lane(node, peer) {
                Some(lane) if self.end(lane) == EndState::Pending => self.up(lane, role, watch),
                _ => no("no incarnation of the link is about to come up there"),
            },
            Step::Down {
                node,
                peer,
                knowledge,
            } => match self.lane(node, peer) {
                Some(lane) if self.end(lane) != EndState::Closed => {
                    self.down(lane, knowledge, watch)
                }
                _ => no("the link is not up there"),
            },
            Step::Resolve { node, peer } => match self.lane(node, peer) {
                Some(lane)
                    if self.fabric.pairs[lane.pair as usize]
                        .1
                        .can_resolve(lane.end.into()) =>
                {
                    self.resolve(lane, watch)
                }
                _ => no("nothing is in doubt there, or the other end has not closed"),
            },
            _ => no("it is no step at an end of a link"),
        }
    }

    fn check_nodes(&self, step: Step) -> Result<(), &'static str> {
        let (acting, other) = match step {
            Step::Request(node, _)
            | Step::Release(node)
            | Step::Timer(node, _)
            | Step::Crash(node) => (node, node),
            Step::Receive { from, to } | Step::Mishap { from, to, .. } => (to, from),
            Step::New(a, b) => (a, b),
            Step::Up { node, peer, .. }
            | Step::Down { node, peer, .. }
            | Step::Resolve { node, peer } => (node, peer),
        };
        if acting.index().max(other.index()) >= self.nodes.len() {
            return Err("there is no such node");
        }
        if self.crashed(acting) {
            return Err("the node has crashed");
        }
        Ok(())
    }

    /// Tells a node that the run begins.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn start(
        &mut self,
        node: NodeId,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        self.hand(node, Event::Start, watch)
    }

    /// An idle application requests.
    ///
    /// # Errors
    /// If the protocol refuses the demand; the application is idle again then.
    pub fn request(
        &mut self,
        node: NodeId,
        demand: Demand,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        self.fabric.sites[node.index()].app = App::Waiting(demand);
        let result = self.hand(node, Event::Request(demand), watch);
        if matches!(
            result,
            Err(StepError::Protocol(ProtocolError::Refused { .. }))
        ) {
            self.fabric.sites[node.index()].app = App::Idle;
        }
        result
    }

    /// An application that is inside releases.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn release(
        &mut self,
        node: NodeId,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        self.fabric.sites[node.index()].app = App::Idle;
        self.hand(node, Event::Release, watch)
    }

    /// Whether the receiver of a lane has something to take.
    pub fn can_receive(&self, lane: Lane) -> bool {
        let (ends, pair) = &self.fabric.pairs[lane.pair as usize];
        let to = 1 - usize::from(lane.end);
        pair.can_take(to) && !self.crashed(ends[to])
    }

    /// The receiver of a lane takes the oldest message. Does nothing if there is none, if the link
    /// is not up there, or if the receiver has crashed.
    ///
    /// # Errors
    /// If the protocol fails.
    #[inline]
    pub fn receive(
        &mut self,
        lane: Lane,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let fabric = &mut self.fabric;
        let (ends, pair) = &mut fabric.pairs[lane.pair as usize];
        let from = usize::from(lane.end);
        let (sender, receiver) = (ends[from], ends[1 - from]);
        if fabric.crashed[receiver.index()] {
            return Ok(());
        }
        let Some(msg) = pair.next(1 - from) else {
            return Ok(());
        };
        let event = Event::Message {
            from: sender,
            msg: msg.clone(),
        };
        pair.taken(1 - from, &mut fabric.spare);
        self.hand_here(receiver, event, watch)
    }

    /// The state of the sending end of a lane.
    pub fn end(&self, lane: Lane) -> EndState {
        self.fabric.pairs[lane.pair as usize].1.end(lane.end.into())
    }

    /// Begins an incarnation of a pair that can begin one.
    pub fn begin(&mut self, pair: u32, watch: &mut impl Observer<P::Message>) {
        let ([a, b], pair) = &mut self.fabric.pairs[pair as usize];
        pair.begin();
        watch.link_begins(*a, *b);
    }

    /// A link comes up at the sending end of `lane`, if it was about to.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn up(
        &mut self,
        lane: Lane,
        role: Role,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let (ends, pair) = &mut self.fabric.pairs[lane.pair as usize];
        let end = usize::from(lane.end);
        let (node, peer) = (ends[end], ends[1 - end]);
        if !pair.up(end) || self.crashed(node) {
            return Ok(());
        }
        let handled = self.hand(node, Event::LinkUp { peer, role }, watch);
        watch.linked(node, peer);
        handled
    }

    /// A link goes down at the sending end of `lane`, if it was up.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn down(
        &mut self,
        lane: Lane,
        knowledge: Knowledge,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let (ends, pair) = &mut self.fabric.pairs[lane.pair as usize];
        let end = usize::from(lane.end);
        let (node, peer) = (ends[end], ends[1 - end]);
        match pair.down(end, knowledge) {
            Some(unacked) => self.hand(node, Event::LinkDown { peer, unacked }, watch),
            None => Ok(()),
        }
    }

    /// The sending end of `lane` learns what became of what it doubted.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn resolve(
        &mut self,
        lane: Lane,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        let (ends, pair) = &mut self.fabric.pairs[lane.pair as usize];
        let end = usize::from(lane.end);
        let (node, peer) = (ends[end], ends[1 - end]);
        for (msg, outcome) in pair.resolve(end) {
            self.hand(node, Event::Resolved { peer, msg, outcome }, watch)?;
        }
        Ok(())
    }

    /// Routing does something to what is under way on a lane. False if nothing of the kind is.
    pub fn mishap(&mut self, lane: Lane, mishap: Mishap) -> bool {
        let fabric = &mut self.fabric;
        let (_, pair) = &mut fabric.pairs[lane.pair as usize];
        pair.mishap(lane.end.into(), mishap, &mut fabric.spare)
    }

    /// A timer runs out.
    ///
    /// # Errors
    /// If the protocol fails.
    pub fn timer(
        &mut self,
        node: NodeId,
        id: TimerId,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        self.fabric.sites[node.index()].timers &= !(1 << id.0);
        self.hand(node, Event::Timer(id), watch)
    }

    /// A node falls silent; its links stay as they are until the others close them. Those that it
    /// did not know yet never come up there.
    pub fn crash(&mut self, node: NodeId, watch: &mut impl Observer<P::Message>) {
        self.fabric.crashed[node.index()] = true;
        self.fabric.sites[node.index()].timers = 0;
        for (ends, pair) in &mut self.fabric.pairs {
            let end = ends.iter().position(|&end| end == node);
            if let Some(end) = end.filter(|&end| pair.end(end) == EndState::Pending) {
                pair.down(end, Knowledge::Known);
            }
        }
        watch.crash(node);
    }

    /// Hands an event to a node and carries out its actions.
    fn hand(
        &mut self,
        node: NodeId,
        event: Event<P::Message>,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        if self.crashed(node) {
            return Ok(());
        }
        self.hand_here(node, event, watch)
    }

    /// The same for a node that has not crashed, once more for each caller: most events are
    /// messages, and where the compiler knows that, it leaves out what the others need.
    #[inline(always)]
    fn hand_here(
        &mut self,
        node: NodeId,
        event: Event<P::Message>,
        watch: &mut impl Observer<P::Message>,
    ) -> Result<(), StepError> {
        watch.event(node, &event);
        let mut result = self.nodes[node.index()]
            .handle(event, &mut self.out.0)
            .map_err(StepError::Protocol);
        if self.out.0.as_slice().is_empty() {
            return result;
        }
        for action in self.out.0.as_slice() {
            if let Err(error) = self.fabric.carry_out::<P>(node, action, watch)
                && result.is_ok()
            {
                result = Err(error);
            }
        }
        self.out.0.clear();
        result
    }
}
