//! The world of links, with links and requests from a recorded run.

use super::graph::parse_delay;
use super::summary::{self, Summary};
use super::{Args, positive, refuse, refuse_standstill, timed};
use crate::output::{Outcome, bar, tell};
use manet_mutex::Time;
use manet_mutex::protocol::Population;
use manet_mutex::protocol::registry::{self, Visitor};
use manet_mutex::protocol::reversal::Limiter;
use manet_mutex_sim::check::Invariants;
use manet_mutex_sim::scenario::Describe;
use manet_mutex_sim::world::script::{Script, ScriptError};
use manet_mutex_sim::world::trace::Tracer;
use manet_mutex_sim::world::workload::{Span, Workload};
use manet_mutex_sim::world::{Report, Setup, World};
use std::error::Error;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::ExitCode;

/// Runs a script.
pub fn run(args: &Args, path: &Path) -> Outcome {
    refuse_options(args)?;
    let named = |error: ScriptError| format!("{}: {error}", path.display());
    let file = File::open(path)
        .map_err(|error| format!("cannot read the script {}: {error}", path.display()))?;
    let script = Script::read(BufReader::new(file), args.nodes).map_err(named)?;
    let setup = setup(args, &script)?;
    let (nodes, duration) = (script.nodes(), setup.duration.as_secs());
    let progress = bar(duration.ceil() as u64, "simulated seconds");
    let job = Run {
        setup,
        script,
        tracer: args.tracer()?,
        progress: progress.clone(),
    };
    // Recorded runs count in seconds, as the radio does.
    let options = args.options(Limiter::default())?;
    let (report, wall_s) = timed(|| registry::visit(&args.protocol, &options, job));
    progress.finish_and_clear();
    let report = report?.map_err(named)?;
    if let Err(error) = &report.trace {
        return Err(format!("cannot write the trace: {error}").into());
    }
    refuse_standstill(report.violations.first())?;
    let run = summary::Run {
        protocol: &args.protocol,
        world: "graph",
        nodes,
        links: None,
        seed: args.seed,
        duration,
        violations: report.violation_count,
        unserved: report.unserved,
        end: report.end,
        events: report.events,
        wall_s,
        below: None,
    };
    Summary::new(run, &report.meter).print(args.format)?;
    if report.is_clean() {
        return Ok(ExitCode::SUCCESS);
    }
    match report.violations.first() {
        Some(violation) => tell!("FAILED: {violation}"),
        None => tell!(
            "FAILED: {} requests were not served over the links that the script leaves",
            report.unserved
        ),
    }
    tell!("the same command repeats it; add --trace FILE to see every event");
    Ok(ExitCode::FAILURE)
}

fn refuse_options(args: &Args) -> Result<(), String> {
    args.radio.refuse_in_graph()?;
    let network = args.network.instead_of_script();
    let load = [
        ("--think", args.load.think.is_some()),
        ("--closed-loop", args.load.closed_loop),
    ];
    for given in [&network[..], &load, &args.faults.given()] {
        refuse(given, "runs without --script, which has links and requests")?;
    }
    Ok(())
}

fn setup(args: &Args, script: &Script) -> Result<Setup, Box<dyn Error>> {
    let setup = Setup::scripted(script, args.seed);
    let duration = match args.duration {
        Some(duration) => {
            positive("--duration", duration)?;
            Time::from_secs(duration)
        }
        None => setup.duration,
    };
    let workload = Workload {
        think: Span::Never,
        ..args.load.workload(1.0)?
    };
    Ok(Setup {
        delay: parse_delay(args.network.delay.as_deref().unwrap_or("1"))?,
        duration,
        workload,
        ..setup
    })
}

struct Run {
    setup: Setup,
    script: Script,
    tracer: Option<Tracer>,
    progress: indicatif::ProgressBar,
}

impl Visitor for Run {
    type Output = Result<Report, ScriptError>;

    fn visit<P: Population + Invariants + Describe>(self, config: P::Config) -> Self::Output {
        let mut world = World::<P>::scripted(self.setup, &self.script, &config)?;
        if let Some(tracer) = self.tracer {
            world = world.traced(tracer);
        }
        Ok(world.run_watched(|now, _| self.progress.set_position(now.as_secs() as u64)))
    }
}
