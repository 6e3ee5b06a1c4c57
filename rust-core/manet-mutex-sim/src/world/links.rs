//! How the world's links come, go and fail.

use super::World;
use super::host::Plan;
use super::mobility::Mobility;
use crate::check::Invariants;
use crate::network::{App, EndState, Knowledge, Lane, Step, StepError};
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Class, Message, Reach, Role};
use manet_mutex::protocol::Population;
use manet_mutex::time::{Time, span};
use std::borrow::Cow;
use std::time::Duration;

impl<P: Population + Invariants> World<P> {
    /// Plans the first of everything that moves or breaks.
    pub(super) fn plan_accidents(&mut self, duration: Time) {
        self.plan_move();
        self.plan_by_rate(self.faults.flaps, Plan::Flap);
        self.plan_by_rate(self.faults.partitions, Plan::Partition);
        for _ in 0..self.faults.crashes {
            let at = Time::from_secs(self.accidents.within(0.0, duration.as_secs()));
            self.host.queue.push(at, Plan::Crash);
        }
    }

    pub(super) fn links_happen(&mut self, plan: Plan) -> Result<(), StepError> {
        match plan {
            Plan::Up { pair, end, epoch } => self.end_up(Lane { pair, end }, epoch),
            Plan::Down { pair, end, epoch } => {
                if self.host.info(pair).epoch != epoch {
                    return Ok(());
                }
                self.end_down(Lane { pair, end })
            }
            Plan::Resolve { pair, end } => self.resolve(Lane { pair, end }),
            Plan::Move if !self.healed => {
                self.plan_move();
                self.move_nodes()
            }
            Plan::Flap if !self.healed => {
                self.plan_by_rate(self.faults.flaps, Plan::Flap);
                self.flap()
            }
            Plan::FlapEnds { pair } => {
                let (ends, _) = self.network.pair(pair);
                self.flapped.remove(&(ends[0], ends[1]));
                self.refresh(ends[0], ends[1])
            }
            Plan::Partition if !self.healed => {
                self.plan_by_rate(self.faults.partitions, Plan::Partition);
                self.partition()
            }
            Plan::PartitionEnds => self.end_partition(),
            Plan::Crash => self.crash_somebody(),
            Plan::Doom { index } => self.doom(index),
            Plan::Heal => self.heal(),
            Plan::Close => {
                self.close_up();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn plan_move(&mut self) {
        if let Some(at) = self.mobility.next(self.host.books.now, &mut self.moves) {
            self.host.queue.push(at, Plan::Move);
        }
    }

    fn plan_by_rate(&mut self, rate: f64, plan: Plan) {
        if rate > 0.0 {
            let after = span(self.accidents.exponential(1.0 / rate));
            self.host.queue.push(self.host.books.now + after, plan);
        }
    }

    /// Mobility changes links.
    fn move_nodes(&mut self) -> Result<(), StepError> {
        let mut graph = Cow::Borrowed(&self.host.graph);
        for &(a, b) in &self.hidden {
            graph.to_mut().add(a, b);
        }
        let network = &self.network;
        let busy = |a, b| {
            network
                .pair_between(a, b)
                .is_some_and(|pair| !pair.is_idle())
        };
        for change in self.mobility.changes(&graph, busy, &mut self.moves) {
            let (a, b) = change.link;
            if self.network.crashed(a) || self.network.crashed(b) {
                continue;
            }
            self.host.books.meter.link_changes += 1;
            if change.up {
                if !self.host.graph.has(a, b) {
                    self.hidden.insert((a, b));
                    self.refresh(a, b)?;
                }
            } else {
                self.hidden.remove(&(a, b));
                if self.host.graph.remove(a, b) {
                    self.fail(a, b)?;
                }
            }
        }
        Ok(())
    }

    /// Shows or hides a link as partitions and flaps demand.
    fn refresh(&mut self, a: NodeId, b: NodeId) -> Result<(), StepError> {
        let parted = self
            .sides
            .as_ref()
            .is_some_and(|side| side[a.index()] != side[b.index()]);
        let blocked = parted || self.flapped.contains(&(a, b));
        let frozen = self.is_frozen(a, b);
        if blocked && !frozen && self.host.graph.remove(a, b) {
            self.hidden.insert((a, b));
            return self.fail(a, b);
        }
        if !blocked && self.hidden.remove(&(a, b)) {
            self.host.graph.add(a, b);
            return self.form(a, b);
        }
        Ok(())
    }

    /// The radio link between two nodes is gone: their ends learn it in a while.
    fn fail(&mut self, a: NodeId, b: NodeId) -> Result<(), StepError> {
        if self.host.reach == Reach::Anyone {
            return Ok(());
        }
        let pair = self.network.ensure_pair(a, b);
        if std::mem::replace(&mut self.host.info(pair).closing, true) {
            return Ok(());
        }
        let epoch = self.host.info(pair).epoch;
        for end in [0, 1] {
            if self.accidents.chance(self.faults.loss) {
                self.host.info(pair).cut |= 1 << end;
            }
        }
        for end in [0, 1] {
            match self.skew() {
                None => self.end_down(Lane { pair, end })?,
                Some(after) => {
                    self.host
                        .queue
                        .push(self.host.books.now + after, Plan::Down { pair, end, epoch });
                }
            }
        }
        Ok(())
    }

    /// Two nodes can hear each other: a new incarnation begins as soon as it may.
    fn form(&mut self, a: NodeId, b: NodeId) -> Result<(), StepError> {
        if self.host.reach == Reach::Anyone || self.network.crashed(a) || self.network.crashed(b) {
            return Ok(());
        }
        let pair = self.network.ensure_pair(a, b);
        if !self.network.pair(pair).1.can_begin() {
            return Ok(()); // `settle_pair` comes back to it
        }
        let epoch = self.begin(pair);
        self.host.info(pair).mover = self.mover(a.min(b), a.max(b), epoch);
        for end in [0, 1] {
            match self.skew() {
                None => self.end_up(Lane { pair, end }, epoch)?,
                Some(after) => {
                    self.host
                        .queue
                        .push(self.host.books.now + after, Plan::Up { pair, end, epoch });
                }
            }
        }
        Ok(())
    }

    /// Begins an incarnation of a pair that can begin one; returns its epoch.
    pub(super) fn begin(&mut self, pair: u32) -> u16 {
        let (ends, _) = self.network.pair(pair);
        self.keep(Step::New(ends[0], ends[1]));
        self.network.begin(pair, &mut self.host);
        self.host.begin(pair)
    }

    fn skew(&mut self) -> Option<Duration> {
        let mean = self.faults.skew;
        (mean > 0.0 && !self.healed).then(|| span(self.accidents.exponential(mean)))
    }

    fn end_up(&mut self, lane: Lane, epoch: u16) -> Result<(), StepError> {
        let end = usize::from(lane.end);
        let (ends, _) = self.network.pair(lane.pair);
        let info = self.host.known(lane.pair);
        let pending = self.network.end(lane) == EndState::Pending;
        if info.epoch != epoch || !pending || self.network.crashed(ends[end]) {
            return Ok(());
        }
        let role = if info.mover == lane.end {
            Role::Moving
        } else {
            Role::Static
        };
        self.come_up(lane, role)
    }

    /// A link comes up at a pending end, which then gets at once what arrived for it before. What
    /// is still on its way arrives when it was going to.
    pub(super) fn come_up(&mut self, lane: Lane, role: Role) -> Result<(), StepError> {
        let end = usize::from(lane.end);
        let (ends, _) = self.network.pair(lane.pair);
        let (node, peer) = (ends[end], ends[1 - end]);
        self.keep(Step::Up { node, peer, role });
        self.turns.link_changed();
        self.network.up(lane, role, &mut self.host)?;
        let other = Lane {
            pair: lane.pair,
            end: 1 - lane.end,
        };
        let epoch = self.host.known(lane.pair).epoch;
        for _ in 0..self.host.admit(other) {
            self.receive(other, epoch)?;
        }
        Ok(())
    }

    /// Which end of a link that begins is `Moving`: the one that moves, or else each in turn, so
    /// that neither always loses (Attiya, Kogan, Welch leave this open). It is decided once for
    /// both ends, since they may learn of the link when one of them has stopped.
    fn mover(&self, smaller: NodeId, larger: NodeId, epoch: u16) -> u8 {
        let moving = |node| self.mobility.is_moving(node);
        match (moving(smaller), moving(larger)) {
            (true, false) => 0,
            (false, true) => 1,
            _ => u8::from(epoch.is_multiple_of(2)),
        }
    }

    fn end_down(&mut self, lane: Lane) -> Result<(), StepError> {
        let end = usize::from(lane.end);
        let (ends, _) = self.network.pair(lane.pair);
        let (node, peer) = (ends[end], ends[1 - end]);
        if self.network.end(lane) == EndState::Closed {
            return Ok(());
        }
        let doubt = self.accidents.chance(self.faults.doubt) && !self.network.crashed(peer);
        let knowledge = if doubt {
            Knowledge::Doubt
        } else {
            Knowledge::Known
        };
        if !self.network.crashed(node) {
            self.keep(Step::Down {
                node,
                peer,
                knowledge,
            });
        }
        self.turns.link_changed();
        self.network.down(lane, knowledge, &mut self.host)?;
        self.settle_pair(lane.pair)
    }

    /// Goes on with a pair when an end has closed: resolve what is in doubt, then begin anew if
    /// the nodes can hear each other.
    fn settle_pair(&mut self, pair: u32) -> Result<(), StepError> {
        let (ends, state) = self.network.pair(pair);
        if state.end(0) != EndState::Closed || state.end(1) != EndState::Closed {
            return Ok(());
        }
        if state.can_begin() {
            self.host.info(pair).closing = false;
            let wanted = self.host.graph.has(ends[0], ends[1]);
            return if wanted {
                self.form(ends[0], ends[1])
            } else {
                Ok(())
            };
        }
        for end in [0, 1] {
            if self.network.pair(pair).1.in_doubt(end) {
                self.plan_resolve(pair, end as u8);
            }
        }
        Ok(())
    }

    fn plan_resolve(&mut self, pair: u32, end: u8) {
        let after = span(self.accidents.exponential(self.faults.resolve.max(0.001)));
        self.host
            .queue
            .push(self.host.books.now + after, Plan::Resolve { pair, end });
    }

    fn resolve(&mut self, lane: Lane) -> Result<(), StepError> {
        let end = usize::from(lane.end);
        let (ends, pair) = self.network.pair(lane.pair);
        let (node, peer) = (ends[end], ends[1 - end]);
        if !pair.can_resolve(end) {
            return Ok(());
        }
        // The pair itself in range counts as a way to communicate.
        if self.host.graph.hops(node, peer).is_none() {
            self.plan_resolve(lane.pair, lane.end);
            return Ok(());
        }
        self.keep(Step::Resolve { node, peer });
        self.network.resolve(lane, &mut self.host)?;
        self.settle_pair(lane.pair)
    }

    fn flap(&mut self) -> Result<(), StepError> {
        let links: Vec<_> = self.host.graph.pairs().collect();
        let Some(&(a, b)) = self.accidents.pick(&links) else {
            return Ok(());
        };
        let pair = self.network.ensure_pair(a, b);
        let after = span(self.accidents.exponential(self.faults.flap_time));
        self.host
            .queue
            .push(self.host.books.now + after, Plan::FlapEnds { pair });
        self.host.books.meter.link_changes += 1;
        self.flapped.insert((a, b));
        self.refresh(a, b)
    }

    fn partition(&mut self) -> Result<(), StepError> {
        if self.sides.is_some() {
            return Ok(());
        }
        let sides = (0..self.host.graph.len())
            .map(|_| self.accidents.chance(0.5))
            .collect();
        self.sides = Some(sides);
        log::info!("{}: the network falls apart", self.host.books.now);
        let after = span(self.accidents.exponential(self.faults.partition_time));
        self.host
            .queue
            .push(self.host.books.now + after, Plan::PartitionEnds);
        let links: Vec<_> = self.host.graph.pairs().collect();
        links.into_iter().try_for_each(|(a, b)| self.refresh(a, b))
    }

    fn end_partition(&mut self) -> Result<(), StepError> {
        self.sides = None;
        log::info!("{}: the network is whole again", self.host.books.now);
        self.show_hidden()
    }

    fn show_hidden(&mut self) -> Result<(), StepError> {
        let links: Vec<_> = self.hidden.iter().copied().collect();
        links.into_iter().try_for_each(|(a, b)| self.refresh(a, b))
    }

    /// A random node falls silent.
    fn crash_somebody(&mut self) -> Result<(), StepError> {
        if self.host.reach == Reach::Anyone {
            return Ok(());
        }
        let node = NodeId::from_index(self.accidents.below(self.host.graph.len()));
        if self.network.crashed(node) || self.is_needed(node) {
            return Ok(());
        }
        self.crash(node)
    }

    /// A node that is doomed crashes, or is looked at again soon if its time has not come.
    fn doom(&mut self, index: u32) -> Result<(), StepError> {
        let super::Doom { node, inside, .. } = self.doomed[index as usize];
        if self.network.crashed(node) {
            return Ok(());
        }
        if inside && !matches!(self.network.app(node), App::Inside(_)) {
            if !self.closed {
                let soon = self.host.books.now + span(0.125);
                self.host.queue.push(soon, Plan::Doom { index });
            }
            return Ok(());
        }
        self.crash(node)
    }

    /// A node falls silent. Its neighbours lose their links to it; but where only neighbours are
    /// excluded the links that both ends know stay up (Attiya, Kogan, Welch, section 2), and those
    /// at the other end may wait for ever.
    pub(super) fn crash(&mut self, node: NodeId) -> Result<(), StepError> {
        if self.network.app(node) != App::Idle {
            self.host.books.pending -= 1;
        }
        log::info!("{}: {node:?} crashes", self.host.books.now);
        self.keep(Step::Crash(node));
        self.network.crash(node, &mut self.host);
        let neighbours = self.host.graph.neighbours(node).to_vec();
        for peer in neighbours {
            let pair = self.network.pair_between(node, peer);
            let known =
                pair.is_some_and(|pair| [0, 1].map(|end| pair.end(end)) == [EndState::Up; 2]);
            if !(self.local && known) {
                self.host.graph.remove(node, peer);
                self.fail(node.min(peer), node.max(peer))?;
            }
        }
        self.hidden.retain(|&(a, b)| a != node && b != node);
        Ok(())
    }

    /// Whether a link stays as it is because an end has crashed.
    fn is_frozen(&self, a: NodeId, b: NodeId) -> bool {
        self.local && (self.network.crashed(a) || self.network.crashed(b))
    }

    /// Whether a node owns something, or something it would own is under way or in doubt.
    fn is_needed(&self, node: NodeId) -> bool {
        let owned = |msg: &P::Message| msg.class() == Class::Ownership;
        let awaited = self
            .network
            .undelivered()
            .any(|(from, to, msg)| (from == node || to == node) && owned(msg));
        let doubted = self
            .network
            .pairs()
            .any(|(ends, pair)| ends.contains(&node) && (pair.in_doubt(0) || pair.in_doubt(1)));
        awaited || doubted || self.host.books.safety.ledger.owns_anything(node)
    }

    /// Faults and motion stop; parts of the network that have drifted apart are joined.
    pub(super) fn heal(&mut self) -> Result<(), StepError> {
        log::info!(
            "{}: the faults stop, {} pending",
            self.host.books.now,
            self.host.books.pending
        );
        self.healed = true;
        self.calm_begins();
        if matches!(self.mobility, Mobility::Still) && self.faults.keeps_links() {
            return Ok(());
        }
        self.faults = super::FaultPlan {
            resolve: self.faults.resolve,
            ..Default::default()
        };
        self.sides = None;
        self.flapped.clear();
        self.show_hidden()?;
        if self.local {
            return Ok(()); // nobody needs more than its neighbours
        }
        let alive: Vec<NodeId> = self
            .host
            .graph
            .nodes()
            .filter(|&node| !self.network.crashed(node))
            .collect();
        let Some(&first) = alive.first() else {
            return Ok(());
        };
        loop {
            let reached = self.host.graph.distances(first);
            let lonely = alive.iter().find(|node| reached[node.index()].is_none());
            let Some(&node) = lonely else { return Ok(()) };
            self.host.graph.add(first, node);
            self.form(first, node)?;
        }
    }
}
