//! `lme1a` and `lme1b`: local mutual exclusion by colours.
//!
//! Source: see [`super`]. A hungry node that moved since it last ate first finds itself a new
//! colour among those of its neighbours that do the same ([`super::colouring`]), then collects the
//! forks it shares with its neighbours ([`super::forks`]); of two that want the same fork the one
//! with the smaller colour goes first. Both happen behind a double doorway ([`super::doorway`]), so
//! that nobody is overtaken for ever by those who come later.
//!
//! # Cost
//! Without movement, four messages for each neighbour and entry to tell the doorways and the new
//! colour, and up to four for the fork. A recolouring costs two or three more per neighbour with
//! `lme1b`, and with `lme1a` as many as there are nodes that recolour together.
//!
//! # Deviations from the paper
//! Those of the modules above, and these. Each rule can be put back as printed
//! ([`Erratum`]) to see it fail.
//! * L2: a node eats only if it is hungry and behind SD^f; a fork that it is to give back does not
//!   stay with a node outside. [LME 4.2, line 19] lets it eat wherever the last fork finds it, and
//!   lines 12 and 14 then give the fork away.
//! * L3: of two equal colours that of the smaller id counts as the smaller. Forks are compared with
//!   neighbours outside SD^f too, for which [LME, Lemma 3] says nothing.
//! * L4: when a link goes down the node looks whether it has everything now.
//! * L5: on the return path the node gives away the forks with suspended requests, as the text has
//!   it [LME 4.1] and line 60 has not.
//! * L6: a colour that is not known counts as the largest, and a node recolours itself before it
//!   first competes.
//! * L9: a node that leaves is thinking, and so does not ask for the forks back that it gives away
//!   [LME 4.2, lines 8, 31 and 51].
//! * A fork that is on its way when a link closes is no more. The paper's links fail only when
//!   their ends know.

use super::State;
use super::colouring::greedy::Greedy;
use super::colouring::linial::Linial;
use super::colouring::{Colouring, Recolouring};
use super::doorway::{Doorway, Phase, Position, Sight};
use super::forks::{Forks, Stance, View};
use super::message::{Colour, Lme1Message};
use crate::demand::Demand;
use crate::fixed::Fixed;
use crate::graph::Graph;
use crate::ids::NodeId;
use crate::machine::{Action, Actions, Event, Protocol, ProtocolError, Reach, Role};
use crate::promise::{Custody, Promise, Scope};
use crate::protocol::erratum::Erratum;
use crate::protocol::{Population, PopulationError, check_member, check_population};
use std::cmp::Ordering;

/// Algorithm 1 with greedy recolouring.
pub type Lme1a = Algorithm1<Greedy>;
/// Algorithm 1 with Linial's recolouring.
pub type Lme1b = Algorithm1<Linial>;

/// One node running Algorithm 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Algorithm1<C: Colouring> {
    me: NodeId,
    state: State,
    /// `color[i]`.
    colour: Option<Colour>,
    /// `N` with `color[]`, `L[]`, `at[]` and `S`.
    links: Forks<Neighbour>,
    position: Position,
    phase: Phase,
    /// It has come somewhere, or never had a colour.
    must_recolour: bool,
    /// Counts recolourings.
    attempt: u32,
    recolouring: Option<Recolouring<C>>,
    rules: Fixed<Rules<C>>,
}

/// What a node knows of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Neighbour {
    /// `color[j]`.
    pub colour: Option<Colour>,
    /// `L[j]`.
    pub sight: Sight,
}

/// Constants of a run.
#[derive(Clone, Debug)]
struct Rules<C: Colouring> {
    terms: C::Describe,
    as_printed: Option<Erratum>,
}

/// What there is to choose.
#[derive(Clone, Debug)]
pub struct Config<B> {
    /// What the colouring procedure has to know.
    pub bounds: B,
    /// A corrected rule put back as printed, to see it fail.
    pub as_printed: Option<Erratum>,
}

impl<B: Default> Default for Config<B> {
    fn default() -> Self {
        Self {
            bounds: B::default(),
            as_printed: None,
        }
    }
}

/// A node as its fork table sees it.
struct Me {
    id: NodeId,
    colour: Option<Colour>,
    stance: Stance,
    wants_back: bool,
    as_printed: Option<Erratum>,
}

impl View<Neighbour> for Me {
    fn stance(&self) -> Stance {
        self.stance
    }

    /// Low or high [LME 4.1].
    fn rank(&self, peer: NodeId, about: &Neighbour) -> Ordering {
        match (about.colour, self.colour, self.as_printed) {
            (Some(theirs), Some(mine), Some(Erratum::L3)) => theirs.cmp(&mine),
            (None, _, Some(Erratum::L6)) | (_, None, Some(Erratum::L6)) => Ordering::Equal,
            (theirs, mine, _) => {
                let key = |colour: Option<Colour>| (colour.is_none(), colour);
                (key(theirs), peer).cmp(&(key(mine), self.id))
            }
        }
    }

    fn wants_back(&self) -> bool {
        self.wants_back
    }
}

type Out<C> = Actions<Lme1Message<<C as Colouring>::Word>>;

impl<C: Colouring> Algorithm1<C> {
    fn new(me: NodeId, links: Forks<Neighbour>, rules: Fixed<Rules<C>>) -> Self {
        Self {
            me,
            state: State::Thinking,
            colour: None,
            links,
            position: Position::OUTSIDE,
            phase: Phase::Idle,
            must_recolour: true,
            attempt: 0,
            recolouring: None,
            rules,
        }
    }

    /// `state`.
    pub const fn state(&self) -> State {
        self.state
    }

    /// `color[i]`.
    pub const fn colour(&self) -> Option<Colour> {
        self.colour
    }

    /// The node's links.
    pub const fn links(&self) -> &Forks<Neighbour> {
        &self.links
    }

    /// The doorways that it is behind.
    pub const fn position(&self) -> Position {
        self.position
    }

    /// Where it is on its way inside.
    pub const fn phase(&self) -> Phase {
        self.phase
    }

    /// `R`, while it recolours itself.
    pub fn circle(&self) -> impl Iterator<Item = NodeId> + '_ {
        let attempt = self.recolouring.iter();
        attempt.flat_map(|attempt| attempt.circle().members())
    }

    /// The rule that is as printed, if one is.
    pub fn as_printed(&self) -> Option<Erratum> {
        self.rules.as_printed
    }

    fn printed(&self, rule: Erratum) -> bool {
        self.rules.as_printed == Some(rule)
    }

    fn view(&self) -> Me {
        let inside = self.position.is_behind(Doorway::SyncForks);
        let stance = match self.state {
            State::Hungry if inside => Stance::Competing,
            State::Eating if inside => Stance::Eating,
            _ => Stance::Aside,
        };
        let wants_back = match self.rules.as_printed {
            Some(Erratum::L9) => inside,
            _ => stance == Stance::Competing,
        };
        Me {
            id: self.me,
            colour: self.colour,
            stance,
            wants_back,
            as_printed: self.rules.as_printed,
        }
    }

    fn broadcast(&self, msg: &Lme1Message<C::Word>, out: &mut Out<C>) {
        for link in self.links.iter() {
            out.send(link.peer(), msg.clone());
        }
    }

    /// Goes through doorways and modules as far as the neighbours let it.
    fn progress(&mut self, out: &mut Out<C>) {
        loop {
            match self.phase {
                Phase::Idle | Phase::Forks => return,
                Phase::At(doorway) if !self.may_cross(doorway) => return,
                Phase::At(Doorway::AsyncRecolouring) => {
                    self.go_to(self.position.crossed(Doorway::AsyncRecolouring), out);
                    self.phase = Phase::At(Doorway::SyncRecolouring);
                }
                Phase::At(Doorway::SyncRecolouring) => {
                    self.go_to(self.position.crossed(Doorway::SyncRecolouring), out);
                    self.phase = Phase::Recolouring;
                    self.recolour(out);
                }
                Phase::Recolouring => match self.recolouring.as_ref().and_then(Recolouring::colour)
                {
                    Some(colour) => self.recoloured(colour, out),
                    None => return,
                },
                Phase::At(Doorway::AsyncForks) => {
                    // Leaves the first double doorway, if it is behind that.
                    self.go_to(Position::behind(Doorway::AsyncForks), out);
                    self.phase = Phase::At(Doorway::SyncForks);
                }
                Phase::At(Doorway::SyncForks) => {
                    self.go_to(self.position.crossed(Doorway::SyncForks), out);
                    self.phase = Phase::Forks;
                    self.collect(out);
                }
            }
        }
    }

    fn may_cross(&self, doorway: Doorway) -> bool {
        let mut sights = self.links.iter().map(|link| link.about.sight);
        match doorway {
            Doorway::AsyncRecolouring | Doorway::AsyncForks => sights.all(Sight::was_outside),
            _ => sights.all(|sight| sight.is_outside(doorway)),
        }
    }

    /// Crosses or leaves doorways, and tells everybody.
    fn go_to(&mut self, position: Position, out: &mut Out<C>) {
        if self.position != position {
            self.position = position;
            self.broadcast(&Lme1Message::Position(position), out);
        }
    }

    /// Begins the entry code of a doorway.
    fn wait_at(&mut self, doorway: Doorway) {
        self.phase = Phase::At(doorway);
        for link in self.links.iter_mut() {
            link.about.sight.wait_at(doorway);
        }
    }

    /// [LME 4.2, lines 36 to 38].
    fn recolour(&mut self, out: &mut Out<C>) {
        self.attempt = self.attempt.wrapping_add(1);
        let everybody = self.links.iter().map(|link| link.peer());
        let terms = &self.rules.terms;
        let recolouring = Recolouring::start(self.me, self.attempt, everybody, terms, out);
        self.recolouring = Some(recolouring);
    }

    /// [LME 4.2, lines 38 and 39].
    fn recoloured(&mut self, colour: u64, out: &mut Out<C>) {
        let colour = -1 - Colour::try_from(colour).unwrap_or(Colour::MAX);
        self.colour = Some(colour);
        self.must_recolour = false;
        self.recolouring = None;
        self.broadcast(&Lme1Message::UpdateColour(colour), out);
        self.wait_at(Doorway::AsyncForks);
    }

    /// Asks for forks, or enters.
    fn collect(&mut self, out: &mut Out<C>) {
        self.collect_as(&self.view(), out);
    }

    fn collect_as(&mut self, me: &Me, out: &mut Out<C>) {
        if self.links.collect(me, out) {
            self.state = State::Eating;
            out.push(Action::Enter(Demand::Exclusive));
        }
    }

    /// [LME 4.2, lines 5 to 9].
    fn leave(&mut self, out: &mut Out<C>) {
        let taken = |colour: Colour| self.links.iter().any(|l| l.about.colour == Some(colour));
        let free = (0..).find(|&colour| !taken(colour)).unwrap_or(0);
        self.state = State::Thinking;
        self.phase = Phase::Idle;
        self.colour = Some(free);
        self.broadcast(&Lme1Message::UpdateColour(free), out);
        let me = self.view();
        self.links.release(&me, out);
        self.go_to(Position::OUTSIDE, out);
    }

    fn message(
        &mut self,
        from: NodeId,
        msg: Lme1Message<C::Word>,
        out: &mut Out<C>,
    ) -> Result<(), ProtocolError> {
        let Some(link) = self.links.get_mut(from) else {
            return Err(self.misuse("got a message from a node to which no link is up"));
        };
        match msg {
            Lme1Message::Position(position) => self.moved(from, position, out),
            Lme1Message::Welcome { colour, position } => {
                link.about.colour = colour;
                self.moved(from, position, out);
            }
            Lme1Message::UpdateColour(colour) => {
                link.about.colour = Some(colour);
                self.collect(out);
            }
            Lme1Message::Req => self.links.asked(from, &self.view(), out),
            Lme1Message::Fork { flag } => self.fork(from, flag, out)?,
            Lme1Message::NewColour { attempt, word } => self.new_colour(from, attempt, word, out),
            Lme1Message::Nack { attempt } => {
                if self.recolouring.as_ref().map(Recolouring::attempt) == Some(attempt) {
                    self.without(from, out);
                }
            }
        }
        Ok(())
    }

    /// A neighbour tells where it is.
    fn moved(&mut self, from: NodeId, position: Position, out: &mut Out<C>) {
        if let Some(link) = self.links.get_mut(from) {
            link.about.sight.hear(position, self.phase);
        }
        let counts_on_it = |attempt: &Recolouring<C>| attempt.circle().has_heard(from);
        if self.recolouring.as_ref().is_some_and(counts_on_it)
            && !position.is_behind(Doorway::SyncRecolouring)
            && !self.printed(Erratum::L7)
        {
            self.without(from, out);
        }
    }

    /// [LME 4.2, lines 17 to 23].
    fn fork(&mut self, from: NodeId, flag: bool, out: &mut Out<C>) -> Result<(), ProtocolError> {
        let mut me = self.view();
        if self.printed(Erratum::L2) && self.state == State::Hungry {
            me.stance = Stance::Competing;
        }
        let received = self.links.received(from, flag, &me, out);
        received.map_err(|second| second.at(self.me))?;
        self.collect_as(&me, out);
        Ok(())
    }

    /// [LME 4.2, lines 40 and 41], and what the paper leaves to `new-color()`.
    fn new_colour(&mut self, from: NodeId, attempt: u32, word: C::Word, out: &mut Out<C>) {
        match &mut self.recolouring {
            Some(mine) if mine.circle().has(from) => {
                mine.hear(from, word, &self.rules.terms, out);
            }
            // It was out of the circle already: it gave up and came back.
            Some(_) => out.send(from, Lme1Message::Nack { attempt }),
            // Done: all that this node had to say is on its way.
            None if self.position.is_behind(Doorway::SyncRecolouring) => {}
            None => out.send(from, Lme1Message::Nack { attempt }),
        }
    }

    /// Somebody does not take part in the recolouring, if there is one.
    fn without(&mut self, peer: NodeId, out: &mut Out<C>) {
        if let Some(mine) = &mut self.recolouring {
            mine.without(peer, &self.rules.terms, out);
        }
    }

    fn link_up(&mut self, peer: NodeId, role: Role, out: &mut Out<C>) -> Result<(), ProtocolError> {
        if self.links.get(peer).is_some() || peer == self.me {
            return Err(self.misuse("a link came up twice: close it in between"));
        }
        match role {
            // [LME 4.2, lines 44 to 46]
            Role::Static => {
                let (colour, sight) = (None, Sight::OUTSIDE);
                self.links.join(peer, true, Neighbour { colour, sight });
                let (colour, position) = (self.colour, self.position);
                out.send(peer, Lme1Message::Welcome { colour, position });
            }
            // [LME 4.2, lines 47 to 55]
            Role::Moving => {
                let (colour, sight) = (None, Sight::UNKNOWN);
                self.links.join(peer, false, Neighbour { colour, sight });
                self.came(out);
            }
        }
        Ok(())
    }

    /// [LME 4.2, lines 49 to 55].
    fn came(&mut self, out: &mut Out<C>) {
        self.must_recolour = true;
        self.recolouring = None;
        if self.state == State::Eating {
            self.state = State::Hungry;
            out.push(Action::Demoted);
        }
        self.step_back(Position::OUTSIDE, out);
        if self.state == State::Hungry {
            self.wait_at(Doorway::AsyncRecolouring);
        }
    }

    /// Leaves doorways, and gives away the forks that others asked for.
    fn step_back(&mut self, position: Position, out: &mut Out<C>) {
        let behind = self.view();
        let before = std::mem::replace(&mut self.position, position);
        let outside = self.view();
        let printed = self.printed(Erratum::L9);
        let me = if printed { behind } else { outside };
        self.links.release(&me, out);
        if before != position {
            self.broadcast(&Lme1Message::Position(position), out);
        }
    }

    /// [LME 4.2, lines 56 to 61].
    fn link_down(&mut self, peer: NodeId, out: &mut Out<C>) -> Result<(), ProtocolError> {
        let Some(link) = self.links.get(peer) else {
            return Err(self.misuse("a link went down that was not up"));
        };
        let me = self.view();
        let low = me.rank(peer, &link.about).is_lt();
        let returns = me.stance == Stance::Competing && low && !link.fork().is_here();
        self.links.part(peer);
        self.without(peer, out);
        let position = self.position.left(Doorway::SyncForks);
        if returns && self.printed(Erratum::L5) {
            self.go_to(position, out);
        } else if returns {
            self.step_back(position, out);
        } else if !self.printed(Erratum::L4) {
            self.collect(out);
        }
        if returns {
            self.phase = Phase::At(Doorway::SyncForks);
        }
        Ok(())
    }

    const fn misuse(&self, what: &'static str) -> ProtocolError {
        ProtocolError::Misuse {
            node: self.me,
            what,
        }
    }
}

impl<C: Colouring> Protocol for Algorithm1<C> {
    const NAME: &'static str = C::NAME;
    const REACH: Reach = Reach::Neighbours;
    type Message = Lme1Message<C::Word>;

    fn id(&self) -> NodeId {
        self.me
    }

    fn handle(
        &mut self,
        event: Event<Self::Message>,
        out: &mut Actions<Self::Message>,
    ) -> Result<(), ProtocolError> {
        match event {
            Event::Request(demand) => {
                self.state.may_request(Self::NAME, self.me, demand)?;
                self.state = State::Hungry;
                self.wait_at(if self.must_recolour {
                    Doorway::AsyncRecolouring
                } else {
                    Doorway::AsyncForks
                });
            }
            Event::Release => {
                self.state.may_release(self.me)?;
                self.leave(out);
            }
            Event::Message { from, msg } => self.message(from, msg, out)?,
            Event::LinkUp { peer, role } => self.link_up(peer, role, out)?,
            Event::LinkDown { peer, .. } => self.link_down(peer, out)?,
            // Forks are not owned beyond their link, and nothing takes time.
            Event::Start | Event::Resolved { .. } | Event::Timer(_) => return Ok(()),
        }
        self.progress(out);
        Ok(())
    }
}

impl<C: Colouring> Algorithm1<C> {
    fn rules(config: &Config<C::Bounds>) -> Fixed<Rules<C>> {
        Fixed::new(Rules {
            terms: config.bounds.clone().into(),
            as_printed: config.as_printed,
        })
    }

    /// A node that knows no neighbours yet.
    pub fn alone(me: NodeId, config: &Config<C::Bounds>) -> Self {
        Self::new(me, Forks::default(), Self::rules(config))
    }
}

impl<C: Colouring> Population for Algorithm1<C> {
    type Config = Config<C::Bounds>;

    fn promise(_: &Self::Config) -> Promise {
        Promise {
            scope: Scope::Neighbours,
            custody: Custody::Nothing,
        }
    }

    /// Without colours [LME 4.2]; no path from one node to another is needed.
    fn settled(graph: &Graph, config: &Self::Config) -> Result<Vec<Self>, PopulationError> {
        if graph.is_empty() {
            return Err(PopulationError::Empty);
        }
        let rules = Self::rules(config);
        let node = |me: NodeId| {
            let (colour, sight) = (None, Sight::OUTSIDE);
            let neighbours = graph.neighbours(me).iter();
            let links = neighbours.map(|&peer| (peer, Neighbour { colour, sight }));
            Self::new(me, Forks::settled(me, links), rules.clone())
        };
        Ok(graph.nodes().map(node).collect())
    }

    fn apart(nodes: usize, config: &Self::Config) -> Result<Vec<Self>, PopulationError> {
        check_population(nodes)?;
        Self::settled(&Graph::empty(nodes), config)
    }

    fn founding(id: NodeId, nodes: usize, config: &Self::Config) -> Result<Self, PopulationError> {
        check_member(id, nodes)?;
        Ok(Self::alone(id, config))
    }

    /// Forks live and die with links, and it gets new ones.
    fn rejoining(id: NodeId, nodes: usize, config: &Self::Config) -> Result<Self, PopulationError> {
        Self::founding(id, nodes, config)
    }
}

#[cfg(feature = "forge")]
impl<C: Colouring> Algorithm1<C> {
    /// The links, to change them.
    pub const fn forge_links(&mut self) -> &mut Forks<Neighbour> {
        &mut self.links
    }

    /// Sets the position and the phase.
    pub const fn forge_place(&mut self, position: Position, phase: Phase) {
        (self.position, self.phase) = (position, phase);
    }

    /// Sets the colour.
    pub const fn forge_colour(&mut self, colour: Option<Colour>) {
        self.colour = colour;
    }
}
