//! Scenarios as text: what happens, and what comes of it.
//!
//! A scenario file names a protocol and a network, then lists what happens. Indented lines are
//! the trace: what each node received and did. They are written by the machine and read by
//! people; running a file ignores those it has and makes new ones, so a test compares the two.
//!
//! ```text
//! # A request and its answer.
//! protocol rl
//! topology path:2
//!
//! req 1
//!   1 > 0 Request (0,1,1)
//! rcv 1>0
//!   0 < 1 Request (0,1,1)
//!   0 > 1 Token (0,0,0)
//! rcv 0>1
//!   1 < 0 Token (0,0,0)
//!   1 > 0 LinkInfo (0,-1,1)
//!   1 ENTER
//! expect inside 1
//! ```
//!
//! # Header
//! | line | meaning |
//! |---|---|
//! | `protocol rl` | one of [`manet_mutex::protocol::registry::NAMES`] |
//! | `topology path:3` | also `ring:N`, `complete:N`, `star:N`, or links: `0-1,1-2` |
//! | `option residual own-message` | or `in-token`, the default |
//! | `option groups 3` | how many groups or sessions there are (`gme`, `dgme`) |
//! | `option admission close-on-conflict` | or `paper`, the default: [`manet_mutex::protocol::gme::Admission`] |
//! | `option k 5` | how many units there are (`hk`) |
//! | `option order priority` | or `fewest`, `aged:10`: [`manet_mutex::protocol::hk::Order`] |
//! | `option id-space 64` | ids are smaller than this (`lme1b`): [`manet_mutex::protocol::lme::colouring::linial::Bounds`] |
//! | `option degree-bound 2` | how many neighbours a node has, at most (`lme1b`) |
//! | `option as-printed E2` | a corrected rule as the paper has it: [`manet_mutex::protocol::erratum::Erratum`] |
//! | `option burst off` | or a number: [`manet_mutex::protocol::reversal::Limiter`] |
//!
//! Node 0 starts with the token; all links are up and known.
//!
//! # Commands
//! Steps as in [`crate::network::Step`], one to a line or several separated by commas, and:
//!
//! | line | meaning |
//! |---|---|
//! | `up 0-1` | the link begins and comes up at both ends |
//! | `dn 0-1` | it goes down at both ends, which know what became of their messages |
//! | `deliver`, `deliver 6` | everything under way arrives, link by link in turn, until nothing is; or 6 messages do |
//! | `state`, `state 1` | writes the state of all nodes, or of one, into the trace |
//! | `expect inside 1` | exactly these nodes are inside; `nobody` for none |
//! | `expect waiting 1 2` | exactly these nodes wait; `nobody` for none |
//! | `expect holder 1` | this node has the token; `nobody` while it is under way |
//! | `expect quiet` | nothing is under way or in doubt, and the protocol's own claims about such states hold |
//! | `expect stuck` | somebody waits in a connected network (or in any, if there is no token) and nobody ever gets inside, whatever arrives |
//! | `expect violation one token` | the step before broke a promise; the words occur in the report |
//! | `expect error no such node` | the step before could not happen; the words occur in the reason |
//!
//! Every step is watched by the checkers of [`crate::check`]. A violation that is not expected
//! makes the run fail ([`Report::failures`]), and so does an end at which the network is stuck
//! though that is not expected. A step that cannot happen ends it ([`ScenarioError`]).

mod parse;
mod run;
mod setup;
mod tape;
mod watched;

pub use manet_mutex::describe::Describe;
pub use run::{Failure, Played, Report};
pub use setup::{Setup, SetupError};
pub use watched::PROGRESS;
pub(crate) use watched::Watched;

use parse::Line;

/// A scenario that has been read.
#[derive(Clone, Debug)]
pub struct Scenario {
    setup: Setup,
    lines: Vec<Line>,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// # Errors
    /// With the first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, ScenarioError> {
        parse::scenario(text)
    }

    /// Protocol, network and options.
    pub const fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Runs the scenario.
    ///
    /// # Errors
    /// If a step cannot happen, or the network has no initial configuration.
    pub fn run(&self) -> Result<Report, ScenarioError> {
        self.play(|_| {})
    }

    /// Runs the scenario and shows each command as it has been carried out, after a first entry
    /// for the start.
    ///
    /// # Errors
    /// As [`Scenario::run`]; the commands before have been shown.
    pub fn play(&self, each: impl FnMut(&Played)) -> Result<Report, ScenarioError> {
        run::play(self, each)
    }
}

/// Why a scenario cannot be read or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// A line is wrong.
    #[error("line {line}: {what}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong and what to do.
        what: String,
    },
    /// Something is missing.
    #[error("there is no `{0}` line: begin with one, as in `{1}`")]
    Missing(&'static str, &'static str),
    /// No network can be made of the header.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl ScenarioError {
    fn at(line: usize, what: impl Into<String>) -> Self {
        Self::Line {
            line,
            what: what.into(),
        }
    }
}
