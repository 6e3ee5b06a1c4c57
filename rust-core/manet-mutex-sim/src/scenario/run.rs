//! Carrying out commands.

use super::parse::{Command, Expect, names};
use super::tape::{Pen, Tape, state_line};
use super::watched::Watched;
use super::{Scenario, ScenarioError, SetupError};
use crate::check::{Invariants, Violation};
use crate::network::{Step, StepError};
use manet_mutex::describe::Describe;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::Reach;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

/// Messages after which `deliver` gives up.
const MOST_DELIVERIES: usize = 10_000;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The scenario with the trace of this run.
    pub text: String,
    /// Violations that were not expected, and expectations that were not met.
    pub failures: Vec<Failure>,
}

/// Something that should not have happened, or should have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The line of the scenario.
    pub line: usize,
    /// What was wrong.
    pub what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// A command that has been carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// The line of the scenario; 0 for the start.
    pub line: usize,
    /// The command.
    pub command: String,
    /// What nodes received and did.
    pub trace: Vec<String>,
    /// The states of the nodes that something happened to; at the start, of all nodes.
    pub state: Vec<String>,
    /// Promises broken for the first time.
    pub violations: Vec<Violation>,
}

/// Runs a scenario.
pub(super) fn play(
    scenario: &Scenario,
    each: impl FnMut(&Played),
) -> Result<Report, ScenarioError> {
    let setup = &scenario.setup;
    let player = Player { scenario, each };
    registry::visit(&setup.protocol, &setup.options, player).map_err(SetupError::from)?
}

struct Player<'a, F> {
    scenario: &'a Scenario,
    each: F,
}

impl<F: FnMut(&Played)> Visitor for Player<'_, F> {
    type Output = Result<Report, ScenarioError>;

    fn visit<P: Population + Invariants + Describe>(mut self, config: P::Config) -> Self::Output {
        let watched = Watched::<P>::new(&self.scenario.setup, &config).map_err(SetupError::from)?;
        let mut run = Run {
            watched,
            tape: Tape::default(),
            known: BTreeSet::new(),
            found: Vec::new(),
            open: Open::Nothing,
            stuck: false,
            line: 0,
            failures: Vec::new(),
        };
        let violations = run.watched.start(&mut pen::<P>(&mut run.tape));
        run.note(violations);
        (self.each)(&run.played("start".to_owned()));
        let mut text = String::new();
        let ended = self.lines(&mut run, &mut text);
        let mut failures = run.failures;
        match ended {
            Ok(()) => {}
            // What cannot happen after something went wrong is a consequence.
            Err(ScenarioError::Line { line, what }) if !failures.is_empty() => {
                failures.push(Failure { line, what });
            }
            Err(error) => return Err(error),
        }
        Ok(Report { text, failures })
    }
}

impl<F: FnMut(&Played)> Player<'_, F> {
    fn lines<P: Population + Invariants + Describe>(
        &mut self,
        run: &mut Run<P>,
        text: &mut String,
    ) -> Result<(), ScenarioError> {
        for line in &self.scenario.lines {
            run.line = line.number;
            text.push_str(&line.text);
            text.push('\n');
            for command in &line.commands {
                run.command(command)?;
                let played = run.played(command.to_string());
                for line in &played.trace {
                    text.push_str(format!("  {line}").trim_end());
                    text.push('\n');
                }
                (self.each)(&played);
            }
        }
        run.close()?;
        if let Some(violation) = run.watched.stuck().filter(|_| !run.stuck) {
            run.fail(run.line, format!("{violation}, at the end"));
        }
        Ok(())
    }
}

/// A run under way.
struct Run<P: Population + Invariants> {
    watched: Watched<P>,
    tape: Tape,
    /// Properties reported already: a lost token is missing after every later step, too.
    known: BTreeSet<&'static str>,
    /// What the command under way broke.
    found: Vec<Violation>,
    open: Open,
    /// The network was expected to be stuck.
    stuck: bool,
    line: usize,
    failures: Vec<Failure>,
}

/// What the command before did that has to be expected.
enum Open {
    Nothing,
    Violations(usize, Vec<Violation>),
    Error(usize, String),
}

fn pen<P>(tape: &mut Tape) -> Pen<'_, P> {
    let terms = PhantomData;
    Pen { tape, terms }
}

impl<P: Population + Invariants + Describe> Run<P> {
    fn command(&mut self, command: &Command) -> Result<(), ScenarioError> {
        match command {
            Command::Expect(Expect::Violation(words)) => return self.expect_violation(words),
            Command::Expect(Expect::Error(words)) => return self.expect_error(words),
            _ => self.close()?,
        }
        match command {
            Command::Step(step) => self.step(*step),
            Command::Up(a, b) => self.steps(&Step::both_up(*a, *b)),
            Command::Down(a, b) => self.steps(&Step::both_down(*a, *b)),
            Command::Deliver(None) => self.deliver(MOST_DELIVERIES, true),
            Command::Deliver(Some(count)) => self.deliver(*count, false),
            Command::State(which) => {
                let nodes = self.watched.network().nodes().iter();
                let wanted = nodes.filter(|node| which.is_none_or(|id| id == node.id()));
                self.tape.lines.extend(wanted.map(state_line));
                Ok(())
            }
            Command::Expect(expect) => {
                self.stuck |= *expect == Expect::Stuck;
                if let Err(what) = self.expect(expect) {
                    self.fail(self.line, format!("expected {expect}, but {what}"));
                }
                Ok(())
            }
        }?;
        if !self.found.is_empty() {
            self.open = Open::Violations(self.line, self.found.clone());
        }
        Ok(())
    }

    fn steps(&mut self, steps: &[Step]) -> Result<(), ScenarioError> {
        for step in steps {
            self.step(*step)?;
            if matches!(self.open, Open::Error(..)) {
                break;
            }
        }
        Ok(())
    }

    fn step(&mut self, step: Step) -> Result<(), ScenarioError> {
        let about_links = matches!(
            step,
            Step::New(..) | Step::Up { .. } | Step::Down { .. } | Step::Resolve { .. }
        );
        if about_links && P::REACH == Reach::Anyone {
            let name = P::NAME;
            let what = format!("`{step}`: messages of {name} are routed, remove steps of links");
            return Err(ScenarioError::at(self.line, what));
        }
        match self.watched.step(step, &mut pen::<P>(&mut self.tape)) {
            Ok(violations) => self.note(violations),
            Err(error) => {
                let what = match error {
                    StepError::NotEnabled(step, why) => {
                        format!("`{step}` cannot happen here: {why}")
                    }
                    other => format!("`{step}`: {other}"),
                };
                self.tape.lines.push(format!("! error: {what}"));
                self.open = Open::Error(self.line, what);
            }
        }
        Ok(())
    }

    /// Delivers in turn, one message of each link and direction at a time.
    fn deliver(&mut self, most: usize, all: bool) -> Result<(), ScenarioError> {
        let mut left = most;
        loop {
            let ways = self.watched.deliveries();
            if ways.is_empty() {
                return Ok(());
            }
            for (from, to) in ways {
                if left == 0 && all {
                    let what = format!(
                        "`deliver` did not end with {most} messages: \
                         say how many, as in `deliver 6`"
                    );
                    return Err(ScenarioError::at(self.line, what));
                }
                if left == 0 {
                    return Ok(());
                }
                left -= 1;
                self.step(Step::Receive { from, to })?;
            }
        }
    }

    /// Writes down violations of what has not been violated before.
    fn note(&mut self, violations: Vec<Violation>) {
        for violation in violations {
            if self.known.insert(violation.property) {
                self.tape.lines.push(format!("! violation: {violation}"));
                self.found.push(violation);
            }
        }
    }

    fn expect(&self, expect: &Expect) -> Result<(), String> {
        let exactly = |wanted: &[NodeId], are: Vec<NodeId>, doing: &str| {
            if are == wanted {
                return Ok(());
            }
            Err(format!("{} {doing}", names(&are)))
        };
        match expect {
            Expect::Inside(wanted) => exactly(wanted, self.watched.inside().collect(), "is inside"),
            Expect::Waiting(wanted) => {
                exactly(wanted, self.watched.network().waiting().collect(), "waits")
            }
            Expect::Holder(wanted) => {
                let holder = self.watched.holder();
                exactly(wanted.as_slice(), holder.into_iter().collect(), "holds it")
            }
            Expect::Quiet => match self.watched.when_quiet() {
                None => Err("something is under way, in doubt or half up".to_owned()),
                Some(holds) => holds.map_err(|violation| violation.to_string()),
            },
            Expect::Stuck if self.watched.stuck().is_some() => Ok(()),
            Expect::Stuck => Err("nobody waits there for ever".to_owned()),
            Expect::Violation(_) | Expect::Error(_) => Ok(()), // looked at before
        }
    }

    fn expect_violation(&mut self, words: &str) -> Result<(), ScenarioError> {
        if let Open::Violations(_, violations) = &self.open {
            let mut reports = violations.iter().map(Violation::to_string);
            if reports.any(|report| report.contains(words)) {
                self.open = Open::Nothing;
                return Ok(());
            }
        }
        self.close()?;
        let what = format!("expected violation {words}, but there was none such");
        self.fail(self.line, what);
        Ok(())
    }

    fn expect_error(&mut self, words: &str) -> Result<(), ScenarioError> {
        match &self.open {
            Open::Error(_, what) if what.contains(words) => {
                self.open = Open::Nothing;
                return Ok(());
            }
            _ => self.close()?,
        }
        let what = format!("expected error {words}, but there was none such");
        self.fail(self.line, what);
        Ok(())
    }

    /// Nothing is going to expect what is still open.
    fn close(&mut self) -> Result<(), ScenarioError> {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing => {}
            Open::Error(line, what) => return Err(ScenarioError::at(line, what)),
            Open::Violations(line, violations) => {
                for violation in violations {
                    self.fail(line, violation.to_string());
                }
            }
        }
        Ok(())
    }

    fn fail(&mut self, line: usize, what: String) {
        self.failures.push(Failure { line, what });
    }

    /// What there is to show of the last command.
    fn played(&mut self, command: String) -> Played {
        let Tape { lines, touched } = std::mem::take(&mut self.tape);
        let nodes = self.watched.network().nodes();
        let shown = |node: &&P| self.line == 0 || touched.contains(&node.id());
        Played {
            line: self.line,
            command,
            trace: lines,
            state: nodes.iter().filter(shown).map(state_line).collect(),
            violations: std::mem::take(&mut self.found),
        }
    }
}
