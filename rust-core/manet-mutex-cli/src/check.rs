//! `manet-mutex check`: every interleaving on a small network.

use crate::output::{self, Format, Outcome};
use crate::protocol::ProtocolArgs;
use comfy_table::Table;
use manet_mutex::graph::Graph;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Options, Visitor};
use manet_mutex::protocol::reversal::{Erratum, Limiter};
use manet_mutex::protocol::rl::Residual;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::explore::{
    CAN_BE_SERVED, InTransit, Limits, Model, Report, Requests, Routing, STUCK, Settings, Sometimes,
    VACUOUS, WILL_BE_SERVED, explore, second_opinion,
};
use manet_mutex_sim::network::Step;
use manet_mutex_sim::scenario::Describe;
use serde::Serialize;
use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Options of `check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which protocol.
    #[arg(long, default_value = "rl")]
    protocol: String,
    /// The links at the start: path:N, ring:N, complete:N, star:N or a-b,c-d,...
    #[arg(long, default_value = "path:3")]
    topology: String,
    /// N: that many requests in all, by any nodes, none making more than its share (rounded up),
    /// so that 3 requests on 3 nodes are one by each. With commas: the nodes that request, each
    /// as often as it is listed, as in `1,2,2`; or `1,` for one request by node 1. What to ask
    /// for can be added, as in `1:g2,2:u3p5`.
    #[arg(long, default_value = "2", value_name = "N|LIST")]
    requests: String,
    /// How many links may come up or go down.
    #[arg(long, default_value_t = 0, value_name = "K")]
    changes: u8,
    /// The two ends of a link may learn of a change at different times.
    #[arg(long)]
    skew: bool,
    /// What may be under way on a link that goes down: nothing; plain messages, which are lost;
    /// ownership messages, which are returned; or ones in doubt.
    #[arg(long, value_enum, default_value = "none", value_name = "WHAT")]
    in_transit: Transit,
    /// Link changes may cut the network in two.
    #[arg(long)]
    partition: bool,
    /// How many retry timers in all may run out early, or at nodes cut off from the token.
    #[arg(long, default_value_t = 1, value_name = "N")]
    retries: u8,
    /// How many nodes may crash, with their links staying up (protocols that exclude neighbours).
    #[arg(long, default_value_t = 0, value_name = "N")]
    crashes: u8,
    /// Who moves, as in `0,2`: of a link that comes up, this end steps back. If both move or
    /// neither, the larger id does.
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    movers: Vec<u8>,
    /// Messages may overtake each other (raymond, naimi-trehel, dgme).
    #[arg(long)]
    unordered: bool,
    /// How many messages routing may lose without a transport (raymond, naimi-trehel, dgme).
    #[arg(long, default_value_t = 0, value_name = "N")]
    losses: u8,
    /// How many messages routing may double without a transport (raymond, naimi-trehel, dgme).
    #[arg(long, default_value_t = 0, value_name = "N")]
    doubles: u8,
    /// Put a corrected rule back as the paper prints it, to see it fail.
    #[arg(long, value_name = "ERRATUM")]
    as_printed: Option<Erratum>,
    /// How a node that passes the token on asks for it back (rl).
    #[arg(long, value_enum, default_value = "in-token")]
    residual: Asks,
    /// How many times in a row a node may raise itself (rl, gme, hk).
    #[arg(long, value_name = "N")]
    burst: Option<u16>,
    #[command(flatten)]
    choice: ProtocolArgs,
    /// Stop after this many states; the result is not complete then.
    #[arg(long, default_value_t = 20_000_000, value_name = "N")]
    max_states: usize,
    /// Stop at the first violation.
    #[arg(long)]
    first: bool,
    /// Do not have the states counted a second time, by stateright.
    #[arg(long)]
    no_cross_check: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Transit {
    None,
    Plain,
    Returned,
    Doubt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Asks {
    InToken,
    OwnMessage,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    let graph: Graph = args.topology.parse()?;
    let job = Job {
        settings: settings(args, &graph)?,
        graph,
        args,
    };
    let options = args.choice.choose(&args.protocol, &options(args))?;
    let result = registry::visit(&args.protocol, &options, job)??;
    let text = match args.format {
        Format::Json => serde_json::to_string_pretty(&result)? + "\n",
        Format::Table => table(&result),
    };
    output::print(format_args!("{text}"));
    let clean = result.report.violations.is_empty() && result.agrees();
    Ok(ExitCode::from(u8::from(!clean)))
}

fn settings(args: &Args, graph: &Graph) -> Result<Settings, Box<dyn Error>> {
    Ok(Settings {
        requests: requests(&args.requests, graph.len())?,
        changes: args.changes,
        skew: args.skew,
        in_transit: match args.in_transit {
            Transit::None => InTransit::None,
            Transit::Plain => InTransit::Plain,
            Transit::Returned => InTransit::Returned,
            Transit::Doubt => InTransit::Doubt,
        },
        partition: args.partition,
        retries: args.retries,
        crashes: args.crashes,
        movers: movers(&args.movers, graph.len())?,
        routing: Routing {
            unordered: args.unordered,
            losses: args.losses,
            doubles: args.doubles,
        },
    })
}

fn movers(nodes: &[u8], count: usize) -> Result<u16, String> {
    match nodes.iter().find(|&&node| usize::from(node) >= count) {
        Some(node) => Err(format!("--movers {node}: nodes are 0 to {}", count - 1)),
        None => Ok(nodes.iter().fold(0, |set, &node| {
            set | 1_u16.checked_shl(node.into()).unwrap_or(0)
        })),
    }
}

fn requests(text: &str, nodes: usize) -> Result<Requests, String> {
    let wrong = || format!("`{text}` are no requests: use a number, or a list such as 1,2,2 or 1,");
    if !text.contains([',', ':']) {
        let total: u8 = text.parse().map_err(|_| wrong())?;
        return Ok(Requests::any(nodes, total.into()));
    }
    let request = |part: &str| {
        let step: Step = format!("req {}", part.replace(':', " ")).parse().ok()?;
        match step {
            Step::Request(node, demand) => Some((node, demand)),
            _ => None,
        }
    };
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    let list: Option<Vec<_>> = parts.map(request).collect();
    list.map(Requests::by).ok_or_else(wrong)
}

fn options(args: &Args) -> Options {
    let limiter = Limiter::default();
    Options {
        limiter: Limiter {
            burst: args.burst.or(limiter.burst),
            ..limiter
        },
        residual: match args.residual {
            Asks::InToken => Residual::InToken,
            Asks::OwnMessage => Residual::OwnMessage,
        },
        as_printed: args.as_printed,
        ..Options::default()
    }
}

/// What is printed.
#[derive(Serialize)]
struct Checked {
    #[serde(flatten)]
    report: Report,
    /// The states that stateright counts; none if the exploration was cut short or went wrong.
    stateright_states: Option<usize>,
    seconds: f64,
}

impl Checked {
    fn agrees(&self) -> bool {
        self.stateright_states
            .is_none_or(|states| states == self.report.states)
    }
}

struct Job<'a> {
    graph: Graph,
    settings: Settings,
    args: &'a Args,
}

impl Visitor for Job<'_> {
    type Output = Result<Checked, Box<dyn Error>>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output {
        let args = self.args;
        let model = Model::<P>::new(&self.graph, &config, self.settings)?;
        let limits = Limits {
            max_states: args.max_states,
            first_violation: args.first,
        };
        let clock = Clock::start();
        let spinner = output::spinner("states");
        let mut report = explore(&model, limits, &mut |states| {
            if clock.elapsed() > Duration::from_secs(2) {
                spinner.set_position(states as u64);
            }
        });
        report.topology.clone_from(&args.topology);
        let ask_again = !args.no_cross_check && report.complete && report.violations.is_empty();
        let stateright_states = if ask_again {
            spinner.set_message("counting again");
            let missed = |trace| format!("stateright finds a violation that was missed: {trace}");
            Some(second_opinion(model).map_err(missed)?)
        } else {
            None
        };
        spinner.finish_and_clear();
        Ok(Checked {
            report,
            stateright_states,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }
}

struct Clock(Instant);

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "how long the command took; nothing in the exploration depends on it"
    )]
    fn start() -> Self {
        Self(Instant::now())
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

fn table(result: &Checked) -> String {
    let report = &result.report;
    let complete = if report.complete { "all" } else { "not all" };
    let mut lines = vec![format!(
        "{} on {}: {} states ({complete}), depth {}, {:.1} s",
        report.protocol, report.topology, report.states, report.depth, result.seconds
    )];
    if !result.agrees() {
        let theirs = result.stateright_states.unwrap_or_default();
        lines.push(format!(
            "stateright counts {theirs} states: one of the two searches is wrong"
        ));
    }
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    for (property, verdict) in verdicts(report) {
        table.add_row([property, verdict]);
    }
    lines.push(table.trim_fmt());
    for violation in &report.violations {
        lines.push(format!("{}: {}", violation.property, violation.detail));
        if !violation.trace.is_empty() {
            lines.push(format!("  {}", violation.line()));
        }
    }
    lines.join("\n") + "\n"
}

fn verdicts(report: &Report) -> Vec<(String, String)> {
    let progress = [STUCK, CAN_BE_SERVED, WILL_BE_SERVED];
    let verdict = |broken: bool| if broken { "violated" } else { "ok" };
    let names = |property: &str| report.violations.iter().any(|v| v.property == property);
    let safety = |property: &str| property != VACUOUS && !progress.contains(&property);
    let mut rows: Vec<(String, String)> = Vec::new();
    let unsafe_ = report.violations.iter().any(|v| safety(v.property));
    rows.push((
        "always: no promise is broken".into(),
        verdict(unsafe_).into(),
    ));
    for v in report.violations.iter().filter(|v| safety(v.property)) {
        rows.push((format!("  {}", v.property), "violated".into()));
    }
    for property in progress {
        rows.push((property.into(), verdict(names(property)).into()));
    }
    for (what, name) in Sometimes::ALL {
        if report.expected.has(what) {
            let reached = if report.seen.has(what) {
                "reached"
            } else {
                "never"
            };
            rows.push((format!("sometimes: {name}"), reached.into()));
        }
    }
    rows
}
