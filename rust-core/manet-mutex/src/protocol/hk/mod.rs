//! `hk`: prioritized h-out-of-k mutual exclusion with one token that counts free units.
//!
//! Source: Jehn-Ruey Jiang, *A Prioritized h-out of-k Mutual Exclusion Algorithm with Maximum
//! Degree of Concurrency for Mobile Ad Hoc Networks and Distributed Systems*, PDCAT 2003, cited as
//! `[HK section, rule]`; what it takes over from Walter, Welch and Vaidya is in
//! [`super::reversal`].
//!
//! # System model
//! As in [`super::rl`]. There are k identical units; each request is for some of them, at a
//! priority. Units under way when a link fails come back to their sender or are in doubt, like the
//! token. With k = 1 this is `rl` with priorities, with one unit to a request k-mutual exclusion.
//!
//! # Messages
//! `Request` tells the lowest neighbour the first key that waits here, and again when that changes,
//! which the paper calls UPDATE; `Token` passes the token with all free units; `Release` brings
//! units back to it; `LinkInfo` tells a neighbour one's height. Each carries the sender's height.
//!
//! # Rules
//! Each request has a key that says whose turn it is ([`Order`]). A node queues its own key and,
//! for each higher neighbour that asked, the first key there. The holder serves the smallest key: a
//! neighbour by passing the token on, itself by entering as soon as there are units enough, while
//! it keeps the token. After that it goes on with the next key, so that the token leaves while its
//! last holder is inside.
//!
//! What can be said of the order: a holder serves its first key; so in a settled network (nothing
//! under way, nobody new asks) all are let in in the order of their keys. A request still under
//! way is not known to the holder and cannot be honoured.
//!
//! With [`Order::Aged`] a settled request is overtaken by at most `n - 1 + C * d` later ones, where
//! n nodes take part and nobody's priority is more than d above its own. For each grant to a later
//! request is the first one that its node gets meanwhile, of which there are n - 1 at most, or its
//! node has had an earlier one of these grants and knows how many there were; who knows of more
//! than C * d of them has a larger key.
//!
//! # Cost
//! As [`super::rl`], with a request more for each node on the way whose first key changes, and a
//! `Release` for each hop between who leaves and the holder.
//!
//! # Deviations from the paper
//! Those of [`super::reversal`], of which the paper leaves out some (H8), and:
//! * A holder that releases serves its queue at once: the paper's only counts its units, and nobody
//!   is served until something else happens (H1).
//! * A holder that waits for units stays in its own queue; the paper's has left it, and if the
//!   token has to go on to somebody else it never comes back (H2).
//! * The first key that waits where the token leaves is in the token: in a message after it, it
//!   comes too late to be compared (H3).
//! * Of equal keys, which are one request that came two ways, the one that came first goes first,
//!   and that of the node which the token came from last. Ordered by neighbour, the token can go to
//!   and fro between them for ever (H4).
//! * A holder inside serves its queue as well; the paper's keeps the token and units that others
//!   could use (H5).
//! * Ageing is in the key ([`Order::Aged`]). The paper ages the queue of the node that releases
//!   and tells nobody, so that at a node which only passes requests on nothing ever ages (H6).
//! * A changed key is told whether it is smaller or larger (H7). The paper only raises; what has
//!   gone elsewhere is still asked for.
//! * `Release` leaves `next` alone (H9).
//! * A request for no unit, or for more than there are, is refused (H10): it would wait for ever.
//! * Always a maximum number inside [HK II] cannot be had: who is inside with all units stays
//!   there. With [`Order::Fewest`], in a settled network, nobody waits for whom there are units
//!   enough.

mod config;
mod describe;
mod invariants;
mod message;
mod sharing;

pub use config::{Config, Order, UnknownOrder};
pub use message::{HkMessage, Key};

use super::reversal::{Dag, Erratum, Sharing, Status};
use super::{FOUNDER, Population, PopulationError, check_member};
use crate::demand::{Demand, Demands};
use crate::fixed::Fixed;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Event, Protocol, ProtocolError, Reach};
use crate::promise::{Custody, Promise, Scope};
use config::Describe;

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hk {
    dag: Dag,
    /// NCS, ES or CS.
    state: Status,
    /// `Q`: this node and higher neighbours, each once, by key and then by arrival.
    queue: Vec<(Key, NodeId)>,
    /// The key that `next` knows of.
    asked: Option<Key>,
    /// `t`: free units; 0 without the token.
    units: u64,
    /// How often anybody has been let in, as far as known here.
    grants: u64,
    /// What this node waits for: `h` and `p`.
    wish: Option<(u32, u32)>,
    /// Units that this node has while inside.
    held: u64,
    pending: u64,
    terms: Fixed<Describe>,
}

impl Hk {
    /// A node that knows no neighbours yet. Exactly one node of a network starts with the token.
    pub fn new(me: NodeId, token: bool, config: &Config) -> Self {
        Self::on(Dag::alone(me, token, config.rules()), &config.terms())
    }

    fn on(dag: Dag, terms: &Fixed<Describe>) -> Self {
        let units = if dag.has_token() { terms.k.into() } else { 0 };
        Self {
            dag,
            state: Status::Remainder,
            queue: Vec::new(),
            asked: None,
            units,
            grants: 0,
            wish: None,
            held: 0,
            pending: 0,
            terms: terms.clone(),
        }
    }

    /// The node's height, neighbours and token.
    pub const fn dag(&self) -> &Dag {
        &self.dag
    }

    /// `state`.
    pub const fn state(&self) -> Status {
        self.state
    }

    /// `Q`, first come first.
    pub fn queue(&self) -> &[(Key, NodeId)] {
        &self.queue
    }

    /// `t`: free units that travel with the token.
    pub const fn units(&self) -> u64 {
        self.units
    }

    /// Units that this node has while inside.
    pub const fn held(&self) -> u64 {
        self.held
    }

    /// Units that have to go back to the token and could not be sent yet.
    pub const fn pending(&self) -> u64 {
        self.pending
    }

    /// How many units this node waits for.
    pub fn need(&self) -> Option<u32> {
        self.wish.map(|(count, _)| count)
    }

    /// The key of this node's own request while it waits.
    pub fn key(&self) -> Option<Key> {
        let own = self.queue.iter().find(|&&(_, who)| who == self.dag.me());
        own.map(|&(key, _)| key)
    }

    /// `k`.
    pub fn k(&self) -> u32 {
        self.terms.k
    }

    /// Whose turn it is.
    pub fn order(&self) -> Order {
        self.terms.order
    }

    fn message(
        &mut self,
        from: NodeId,
        msg: HkMessage,
        out: &mut Actions<HkMessage>,
    ) -> Result<(), ProtocolError> {
        if msg.height().id != from {
            return Err(self.broken("a peer sent a height that is not its own"));
        }
        match msg {
            HkMessage::LinkInfo(height) => {
                if !self.dag.link_info(height, out)? {
                    self.forget(from);
                }
            }
            HkMessage::Request { height, key } => {
                if self.dag.request_from(height)? {
                    self.upsert(from, key);
                }
            }
            // [HK II, Receiving the token message]
            HkMessage::Token {
                height,
                units,
                grants,
                residual,
            } => {
                self.dag.token_from(height, out)?;
                (self.units, self.grants) = (units, grants);
                self.asked = None;
                self.forget(from);
                if let Some(key) = residual {
                    self.upsert(from, key);
                }
            }
            // [HK II, Receiving a release message]
            HkMessage::Release { units, .. } => {
                self.dag.heard_from(from)?;
                self.pending = self.pending.saturating_add(units);
            }
        }
        self.settle(out)
    }

    /// Puts a request in its place; one that is there already keeps it.
    fn upsert(&mut self, who: NodeId, key: Key) {
        if self.queue.contains(&(key, who)) {
            return;
        }
        self.forget(who);
        let by_id = self.printed(Erratum::H4);
        let before = |&&(other, peer): &&(Key, NodeId)| {
            other < key || other == key && (!by_id || peer < who)
        };
        let at = self.queue.iter().take_while(before).count();
        self.queue.insert(at, (key, who));
    }

    /// Lets this node in if it waits and there are units enough.
    fn try_enter(&mut self, out: &mut Actions<HkMessage>) -> bool {
        let Some((count, priority)) = self.wish else {
            return false;
        };
        let need = u64::from(count);
        if self.units < need {
            return false;
        }
        self.forget(self.dag.me());
        self.wish = None;
        self.units -= need;
        self.held = need;
        self.grants = self.grants.saturating_add(1);
        self.state = Status::Critical;
        out.push(Action::Enter(Demand::Units { count, priority }));
        true
    }

    /// [HK II, giveTokenToFrontOfQ], for a neighbour, which has been taken out of the queue.
    fn pass_on(&mut self, next: NodeId, out: &mut Actions<HkMessage>) {
        let height = self.dag.height();
        let first = self.queue.first().map(|&(key, _)| key);
        let own_message = self.printed(Erratum::H3);
        self.dag.give(next);
        let token = HkMessage::Token {
            height,
            units: std::mem::take(&mut self.units),
            grants: self.grants,
            residual: first.filter(|_| !own_message),
        };
        out.send(next, token);
        if let Some(key) = first.filter(|_| own_message) {
            out.send(next, HkMessage::Request { height, key });
        }
        self.asked = first;
    }

    fn request(
        &mut self,
        demand: Demand,
        out: &mut Actions<HkMessage>,
    ) -> Result<(), ProtocolError> {
        let refused = |hint| ProtocolError::Refused {
            protocol: Self::NAME,
            demand,
            hint,
        };
        let Demand::Units { count, priority } = demand else {
            return Err(refused("ask for units at a priority, as in `req 1 u2p0`"));
        };
        if count == 0 {
            return Err(refused("ask for at least one unit")); // H10
        }
        if count > self.terms.k {
            return Err(refused("there are not so many units: ask for at most k")); // H10
        }
        if self.state != Status::Remainder {
            return Err(self.misuse("requested while waiting or inside: release first"));
        }
        self.state = Status::Waiting;
        self.wish = Some((count, priority));
        let me = self.dag.me();
        let key = self.terms.order.key(count, priority, self.grants, me);
        self.upsert(me, key);
        self.settle(out)
    }

    /// [HK II, Releasing r copies of resources].
    fn release(&mut self, out: &mut Actions<HkMessage>) -> Result<(), ProtocolError> {
        if self.state != Status::Critical {
            return Err(self.misuse("released while not inside: wait for Enter"));
        }
        self.state = Status::Remainder;
        let held = std::mem::take(&mut self.held);
        self.pending = self.pending.saturating_add(held);
        if self.printed(Erratum::H6) {
            self.age_as_printed();
        }
        if self.printed(Erratum::H1) && self.dag.has_token() {
            self.units = self.units.saturating_add(std::mem::take(&mut self.pending));
            return Ok(());
        }
        self.settle(out)
    }

    /// H6: everybody in this node's queue gets older, and nobody hears of it.
    fn age_as_printed(&mut self) {
        for (key, _) in &mut self.queue {
            key.rank = key.rank.saturating_sub(1);
        }
        if let Some(asked) = &mut self.asked {
            asked.rank = asked.rank.saturating_sub(1);
        }
    }

    fn printed(&self, rule: Erratum) -> bool {
        self.dag.printed(rule)
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        let node = self.dag.me();
        ProtocolError::Misuse { node, what }
    }

    const fn broken(&self, what: &'static str) -> ProtocolError {
        let node = self.dag.me();
        ProtocolError::Broken { node, what }
    }
}

impl Protocol for Hk {
    const NAME: &'static str = "hk";
    const REACH: Reach = Reach::Neighbours;
    type Message = HkMessage;

    fn id(&self) -> NodeId {
        self.dag.me()
    }

    fn towards(&self) -> Option<NodeId> {
        self.dag.towards()
    }

    fn is_calm(&self) -> bool {
        self.queue.is_empty()
    }

    fn handle(
        &mut self,
        event: Event<HkMessage>,
        out: &mut Actions<HkMessage>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Request(demand) => self.request(demand, out),
            Event::Release => self.release(out),
            Event::Message { from, msg } => self.message(from, msg, out),
            _ => self.around(event, out),
        }
    }
}

impl Population for Hk {
    type Config = Config;

    fn promise(config: &Config) -> Promise {
        let total = config.k.get().into();
        Promise {
            scope: Scope::Units { total },
            custody: Custody::Units,
        }
    }

    fn demands(config: &Config) -> Demands {
        Demands::Units {
            most: config.k.get(),
            priorities: 4,
        }
    }

    fn settled(graph: &Graph, config: &Config) -> Result<Vec<Self>, PopulationError> {
        let dags = Dag::all_settled(graph, &config.rules())?;
        let terms = config.terms();
        Ok(dags.into_iter().map(|dag| Self::on(dag, &terms)).collect())
    }

    fn apart(nodes: usize, config: &Config) -> Result<Vec<Self>, PopulationError> {
        let dags = Dag::all_alone(nodes, &config.rules())?;
        let terms = config.terms();
        Ok(dags.into_iter().map(|dag| Self::on(dag, &terms)).collect())
    }

    fn founding(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, id == FOUNDER, config))
    }

    /// What it asked for and was asked for went with its links, and it gets new ones.
    fn rejoining(id: NodeId, nodes: usize, config: &Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::new(id, false, config))
    }
}

#[cfg(feature = "forge")]
forgeable!(Hk {
    forge_status => state: Status,
    forge_queue => queue: Vec<(Key, NodeId)>,
    forge_units => units: u64,
    forge_held => held: u64,
    forge_pending => pending: u64,
});

#[cfg(feature = "forge")]
impl Hk {
    /// The DAG, to change it.
    pub const fn forge_dag(&mut self) -> &mut Dag {
        &mut self.dag
    }
}
