//! A world that follows a script.

use super::host::Plan;
use super::script::{Fault, Input, Script, ScriptError};
use super::workload::{Span, Workload};
use super::{Setup, World};
use crate::check::Invariants;
use crate::network::{EndState, Knowledge, Lane, Step, StepError};
use manet_mutex::graph::Graph;
use manet_mutex::machine::{Actions, Event, ProtocolError, Reach};
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex::time::Time;
use std::collections::BTreeSet;

impl Setup {
    /// A world for a script: all nodes apart, nobody thinks, and it lasts as long as the script.
    pub fn scripted(script: &Script, seed: u64) -> Self {
        Self {
            duration: script.end(),
            workload: Workload {
                think: Span::Never,
                ..Workload::default()
            },
            ..Self::new(Graph::empty(script.nodes()), seed)
        }
    }
}

impl<P: Population + Invariants> World<P> {
    /// A world in which links come and go and nodes request as a script says, up to the setup's
    /// duration. The setup is [`Setup::scripted`], with delay, stay and duration as wanted; the
    /// links stay as the script leaves them while everything pending is served.
    ///
    /// # Errors
    /// If the protocol cannot start with all nodes apart or refuses a demand of the script.
    pub fn scripted(
        setup: Setup,
        script: &Script,
        config: &P::Config,
    ) -> Result<Self, ScriptError> {
        if P::REACH == Reach::Anyone {
            return Err(PopulationError::NeedsLinks(P::NAME).into());
        }
        let nodes = P::apart(script.nodes(), config)?;
        check_demands(&nodes, script)?;
        let (duration, graph) = (setup.duration, Graph::empty(script.nodes()));
        let setup = Setup { graph, ..setup };
        let mut world = Self::put_together(nodes, P::promise(config), setup);
        world.start_nodes();
        world.plan_inputs(script.inputs(), duration);
        Ok(world)
    }

    fn plan_inputs(&mut self, inputs: &[Input], duration: Time) {
        let mut link_event = None;
        for input in inputs.iter().take_while(|input| input.at <= duration) {
            if !matches!(input.step, Step::Request(..)) {
                link_event = Some(input.at);
            }
            let waits = link_event == Some(input.at);
            self.plan_input(input.at, waits);
            self.script.push(input.step);
        }
        self.plan_input(duration, true); // the end
    }

    /// Plans the next input. What is planned now comes before all else of its moment, unless it
    /// waits.
    fn plan_input(&mut self, at: Time, waits: bool) {
        let index = self.script.len() as u32;
        self.host.queue.push(at, Plan::Input { index, waits });
    }

    pub(super) fn input(&mut self, index: u32, waits: bool) -> Result<(), StepError> {
        if waits {
            let (now, waits) = (self.host.books.now, false);
            self.host.queue.push(now, Plan::Input { index, waits });
            return Ok(());
        }
        match self.script.get(index as usize) {
            Some(&step) => self.follow(step),
            None => self.heal(),
        }
    }

    fn follow(&mut self, step: Step) -> Result<(), StepError> {
        match step {
            Step::Request(node, demand) => self.request(node, demand),
            Step::New(a, b) => {
                let pair = self.network.ensure_pair(a, b);
                self.host.books.meter.link_changes += 1;
                self.begin(pair);
                Ok(())
            }
            Step::Up { node, peer, role } => match self.network.lane(node, peer) {
                Some(lane) => self.come_up(lane, role),
                None => Err(StepError::NotEnabled(step, "the link has not begun")),
            },
            Step::Down { node, peer, .. } => match self.network.lane(node, peer) {
                Some(lane) => self.close(step, lane),
                None => Err(StepError::NotEnabled(step, "the link has not begun")),
            },
            _ => Err(StepError::NotEnabled(step, "a script has no such step")),
        }
    }

    fn close(&mut self, step: Step, lane: Lane) -> Result<(), StepError> {
        let other = Lane {
            end: 1 - lane.end,
            ..lane
        };
        if self.network.end(other) != EndState::Closed {
            self.host.books.meter.link_changes += 1;
        }
        self.keep(step);
        self.turns.link_changed();
        self.network.down(lane, Knowledge::Known, &mut self.host)
    }
}

/// A demand that the protocol refuses is a fault of the script, better found before the run.
fn check_demands<P: Population>(nodes: &[P], script: &Script) -> Result<(), ScriptError> {
    let mut asked = BTreeSet::new();
    for &Input { line, step, .. } in script.inputs() {
        let Step::Request(node, demand) = step else {
            continue;
        };
        if asked.insert(demand) {
            let mut machine = nodes[node.index()].clone();
            let out = &mut Actions::new();
            let answer = machine
                .handle(Event::Start, out)
                .and_then(|()| machine.handle(Event::Request(demand), out));
            if let Err(error @ ProtocolError::Refused { .. }) = answer {
                let fault = Fault::Refused(error);
                return Err(ScriptError::At { line, fault });
            }
        }
    }
    Ok(())
}
