//! `gme`: group mutual exclusion with one token and shares of it.
//!
//! Source: Jehn-Ruey Jiang, *A Group Mutual Exclusion Algorithm for Ad Hoc Mobile Networks*, 2002,
//! cited as `[GME section, rule]`; what it takes over from Walter, Welch and Vaidya is in
//! [`super::reversal`].
//!
//! # System model
//! As in [`super::rl`]. Each request names one of a number of resources; those inside together all
//! use the same one. A share under way when its link fails comes back to its sender or is in
//! doubt, like the token: one that is lost would keep the session open for ever, one that is
//! doubled would end it too early.
//!
//! # Messages
//! `Request` asks the lowest neighbour for a resource; `Token` makes its receiver the leader;
//! `SubToken` lets those inside who want its resource, each with a part of its weight; `Release`
//! brings weight back to the leader; `LinkInfo` tells a neighbour one's height. Each carries the
//! sender's height.
//!
//! # Rules
//! A node queues its own wish and those of higher neighbours, and asks once for each resource in
//! its queue. When the leader's own request comes first in its queue it enters and opens a session
//! with that resource: it sends a `SubToken` to everybody in its queue who wants the same, and adds
//! its weight to `weight`. Who gets one shares it among those in its queue that want the resource;
//! what finds nobody goes back. Who leaves sends its part back. The session ends when the leader
//! has left and all weight is back; only then does the token move, to whoever is first.
//!
//! Who may still join a session is a matter of [`Admission`].
//!
//! # Cost
//! Within a session, for each hop between the leader and whoever enters, a request, a subtoken and
//! a release, of which neighbours share the common part of the way. Between sessions as
//! [`super::rl`].
//!
//! # Deviations from the paper
//! Those of [`super::reversal`], and:
//! * The token moves only when no weight is out: the paper's leader in its NCS passes it on at the
//!   next request, and two resources are in use at once (G1).
//! * A leader's own request waits in its queue like any other while weight is out; the paper's sets
//!   the weight to 0 and enters (G2).
//! * One request for each resource in the queue, instead of one for the queue: a subtoken serves
//!   one of them, and nothing would ask for the rest (G3), nor let a request for the open resource
//!   overtake one for another (G8).
//! * Subtokens go to requests for their resource only. Sent to all, they come back at once and are
//!   asked for again, for ever (G4).
//! * Weight that nobody uses goes back to the leader: the share of a node that wants another
//!   resource (G5) and a subtoken that finds no request (G6) otherwise vanish, and the session
//!   never ends.
//! * `Release` leaves `next` alone (G7).
//! * Weights are whole numbers ([`Config::unit`]); halves of halves of real numbers need not add up
//!   again (G9). Where a subtoken weighs less than there are requests, the rest ask again.
//! * What waits where the token leaves is told in the token. The paper sends a request after it,
//!   of which there would be several.
//! * Nothing happens at an empty queue, and a leader books a subtoken as a release; the paper
//!   leaves both open (G10).

mod config;
mod describe;
mod invariants;
mod message;
mod sharing;

pub use config::{Admission, BadGroups, Config, Groups, UnknownAdmission};
pub use message::GmeMessage;

use super::reversal::{Dag, Erratum, Height, Sharing, Status};
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
pub struct Gme {
    dag: Dag,
    /// NCS, ES or CS.
    state: Status,
    /// `Q`: who wants what, this node and higher neighbours, each pair once, in order of arrival.
    queue: Vec<(NodeId, u32)>,
    /// The resources that a request to `next` stands for.
    asked: Vec<u32>,
    /// Of the leader: what is out. Of anybody else: its part while inside, else 0.
    weight: u64,
    pending: u64,
    /// Of the leader: the resource in use.
    session: Option<u32>,
    terms: Fixed<Describe>,
}

impl Gme {
    /// A node that knows no neighbours yet. Exactly one node of a network starts with the token.
    pub fn new(me: NodeId, token: bool, config: &Config) -> Self {
        Self::on(Dag::alone(me, token, config.rules()), &config.terms())
    }

    fn on(dag: Dag, terms: &Fixed<Describe>) -> Self {
        Self {
            dag,
            state: Status::Remainder,
            queue: Vec::new(),
            asked: Vec::new(),
            weight: 0,
            pending: 0,
            session: None,
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

    /// `Q`.
    pub fn queue(&self) -> &[(NodeId, u32)] {
        &self.queue
    }

    /// `weight`: of the leader, what is out; of anybody else, its part.
    pub const fn weight(&self) -> u64 {
        self.weight
    }

    /// Weight that has to go back to the leader and could not be sent yet.
    pub const fn pending(&self) -> u64 {
        self.pending
    }

    /// The resource of the session that this node leads.
    pub const fn session(&self) -> Option<u32> {
        self.session
    }

    /// Whether this node lets in who asks for the resource of its session.
    pub fn is_admitting(&self) -> bool {
        let Some(open) = self.session else {
            return false;
        };
        let late = self.terms.admission == Admission::Paper && self.state == Status::Critical;
        late || self.queue.iter().all(|&(_, resource)| resource == open)
    }

    fn message(
        &mut self,
        from: NodeId,
        msg: GmeMessage,
        out: &mut Actions<GmeMessage>,
    ) -> Result<(), ProtocolError> {
        if msg.height().id != from {
            return Err(self.broken("a peer sent a height that is not its own"));
        }
        match msg {
            GmeMessage::LinkInfo(height) => {
                if !self.dag.link_info(height, out)? {
                    self.forget(from);
                }
            }
            GmeMessage::Request { height, resource } => {
                self.dag.heard_from(from)?;
                self.check_known(&[resource])?;
                if self.dag.request_from(height)? {
                    self.enqueue(from, resource);
                }
                if self.printed(Erratum::G1) && self.state == Status::Remainder {
                    self.session = None;
                }
            }
            GmeMessage::Token { height, resources } => {
                self.token(height, &resources, out)?;
            }
            GmeMessage::SubToken {
                resource, weight, ..
            } => {
                self.dag.heard_from(from)?;
                self.subtoken(resource, weight, out);
            }
            GmeMessage::Release { weight, .. } => {
                self.dag.heard_from(from)?;
                self.pending = self.pending.saturating_add(weight);
            }
        }
        self.settle(out)
    }

    /// [GME 3, Receiving the token message].
    fn token(
        &mut self,
        height: Height,
        resources: &[u32],
        out: &mut Actions<GmeMessage>,
    ) -> Result<(), ProtocolError> {
        self.dag.heard_from(height.id)?;
        self.check_known(resources)?;
        if self.weight > 0 && !self.printed(Erratum::G1) {
            return Err(self.broken("received the token while weight is out"));
        }
        self.dag.token_from(height, out)?;
        self.asked.clear();
        self.forget(height.id);
        for &resource in resources {
            self.enqueue(height.id, resource);
        }
        Ok(())
    }

    /// [GME 3, Receiving a subtoken message], with G3, G5 and G6.
    fn subtoken(&mut self, resource: u32, weight: u64, out: &mut Actions<GmeMessage>) {
        self.dag.refill();
        if self.printed(Erratum::G4) {
            self.asked.clear();
        } else if !self.printed(Erratum::G3) {
            self.asked.retain(|&asked| asked != resource);
        }
        let wanting = self.queue.iter().filter(|&&(_, wanted)| wanted == resource);
        let most = usize::try_from(weight).unwrap_or(usize::MAX);
        let takers: Vec<NodeId> = wanting.map(|&(who, _)| who).take(most).collect();
        if self.dag.has_token() || takers.is_empty() {
            let kept = if self.printed(Erratum::G6) { 0 } else { weight };
            self.pending = self.pending.saturating_add(kept);
            return;
        }
        let me = self.dag.me();
        let waits_for_another = self.state == Status::Waiting && !takers.contains(&me);
        let idle = u64::from(waits_for_another && self.printed(Erratum::G5));
        let parts = takers.len() as u64 + idle;
        let height = self.dag.height();
        for (i, who) in (0..).zip(takers) {
            let part = weight / parts + u64::from(i < weight % parts);
            self.dequeue(who, resource);
            if who == me {
                self.weight = part;
                self.enter(resource, out);
            } else {
                let weight = part;
                out.send(
                    who,
                    GmeMessage::SubToken {
                        height,
                        resource,
                        weight,
                    },
                );
            }
        }
    }

    fn enter(&mut self, resource: u32, out: &mut Actions<GmeMessage>) {
        self.state = Status::Critical;
        out.push(Action::Enter(Demand::Group(resource)));
    }

    /// Lets in everybody who wants the resource of the session.
    fn admit(&mut self, open: u32, out: &mut Actions<GmeMessage>) {
        let height = self.dag.height();
        let (me, unit) = (self.dag.me(), self.terms.unit);
        let everybody = self.printed(Erratum::G4);
        let (mut entering, mut given) = (false, 0_u64);
        self.queue.retain(|&(who, resource)| {
            if who == me {
                entering |= resource == open;
                return resource != open;
            }
            if resource != open && !everybody {
                return true;
            }
            given = given.saturating_add(unit);
            let (resource, weight) = (open, unit);
            out.send(
                who,
                GmeMessage::SubToken {
                    height,
                    resource,
                    weight,
                },
            );
            false
        });
        self.weight = self.weight.saturating_add(given);
        if entering {
            self.enter(open, out);
        }
    }

    /// [GME 3, transmitToken], for a neighbour that is first in the queue.
    fn pass_on(&mut self, next: NodeId, out: &mut Actions<GmeMessage>) {
        let height = self.dag.height();
        self.forget(next);
        let resources = self.resources();
        self.dag.give(next);
        self.asked.clone_from(&resources);
        out.send(next, GmeMessage::Token { height, resources });
    }

    /// What is wanted here, each resource once.
    fn resources(&self) -> Vec<u32> {
        let mut resources = Vec::new();
        for &(_, resource) in &self.queue {
            if !resources.contains(&resource) {
                resources.push(resource);
            }
        }
        resources
    }

    fn enqueue(&mut self, who: NodeId, resource: u32) {
        if !self.queue.contains(&(who, resource)) {
            self.queue.push((who, resource));
        }
    }

    fn dequeue(&mut self, who: NodeId, resource: u32) {
        self.queue.retain(|&entry| entry != (who, resource));
    }

    fn check_known(&self, resources: &[u32]) -> Result<(), ProtocolError> {
        if resources.iter().all(|&r| r < self.terms.groups) {
            return Ok(());
        }
        Err(self.broken("a peer asked for a group that does not exist"))
    }

    fn request(
        &mut self,
        demand: Demand,
        out: &mut Actions<GmeMessage>,
    ) -> Result<(), ProtocolError> {
        let refused = |hint| ProtocolError::Refused {
            protocol: Self::NAME,
            demand,
            hint,
        };
        let Demand::Group(resource) = demand else {
            return Err(refused("ask for a group, as in `req 1 g0`"));
        };
        if resource >= self.terms.groups {
            return Err(refused(
                "groups are counted from 0: raise the number of groups",
            ));
        }
        if self.state != Status::Remainder {
            return Err(self.misuse("requested while waiting or inside: release first"));
        }
        self.state = Status::Waiting;
        self.enqueue(self.dag.me(), resource);
        if self.printed(Erratum::G2) && self.dag.has_token() {
            (self.weight, self.session) = (0, Some(resource));
            self.admit(resource, out);
        }
        self.settle(out)
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

impl Protocol for Gme {
    const NAME: &'static str = "gme";
    const REACH: Reach = Reach::Neighbours;
    type Message = GmeMessage;

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
        event: Event<GmeMessage>,
        out: &mut Actions<GmeMessage>,
    ) -> Result<(), ProtocolError> {
        match event {
            // [GME 3, Requesting the resource R]
            Event::Request(demand) => self.request(demand, out),
            // [GME 3, Releasing the resource R]
            Event::Release => {
                if self.state != Status::Critical {
                    return Err(self.misuse("released while not inside: wait for Enter"));
                }
                self.state = Status::Remainder;
                if !self.dag.has_token() {
                    let part = std::mem::take(&mut self.weight);
                    self.pending = self.pending.saturating_add(part);
                }
                self.settle(out)
            }
            Event::Message { from, msg } => self.message(from, msg, out),
            _ => self.around(event, out),
        }
    }
}

impl Population for Gme {
    type Config = Config;

    fn promise(_: &Config) -> Promise {
        Promise {
            scope: Scope::Global,
            custody: Custody::TokenOrWeight,
        }
    }

    fn demands(config: &Config) -> Demands {
        Demands::Groups(config.groups.count())
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
forgeable!(Gme {
    forge_status => state: Status,
    forge_weight => weight: u64,
    forge_pending => pending: u64,
    forge_session => session: Option<u32>,
});

#[cfg(feature = "forge")]
impl Gme {
    /// The DAG, to change it.
    pub const fn forge_dag(&mut self) -> &mut Dag {
        &mut self.dag
    }
}
