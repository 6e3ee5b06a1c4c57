//! `manet-mutex-experiments link-figures`.
//!
//! The scenarios, and the figures to compare with, are those of a prototype of the link layer that
//! ran on ns-3.44: 802.11g at 6 Mb/s, nodes in random directions, thirty tokens that wander. Here
//! `rl` runs at high load, so the tokens are fewer; frames, skew and airtime compare, the shares in
//! doubt only roughly: most of the prototype's runs had no acknowledgement at once.

use crate::runs::mean_and_interval;
use manet_mutex::Time;
use manet_mutex::link;
use manet_mutex::link::Way;
use manet_mutex::protocol::rl::{self, Rl};
use manet_mutex_cli::output::{
    Format, Outcome, bar, estimate, json_lines, number, say, table, tell,
};
use manet_mutex_sim::world::radio::channel::{ChannelConfig, Fading, PathLoss};
use manet_mutex_sim::world::radio::motion::Model;
use manet_mutex_sim::world::radio::{LinkMeter, Preset, RadioReport, RadioSetup, RadioWorld};
use manet_mutex_sim::world::workload::{Demands, Span, Workload};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;

/// Options of `link-figures`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Runs of each scenario; the seeds are 1, 2, ...
    #[arg(long, default_value_t = 10)]
    runs: u64,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    duration: f64,
    /// Let messages ride on hellos, as everywhere else; the prototype did not.
    #[arg(long)]
    sharing: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// A scenario, and what the prototype had in it.
struct Scenario {
    name: &'static str,
    nodes: usize,
    /// Side of the field in radio ranges.
    side: f64,
    speed: f64,
    /// Hello interval in milliseconds.
    hello: u64,
    margin: f64,
    hysteresis: f64,
    smoothing: f64,
    radio: Radio,
    /// Whether the received power may close links.
    warned: bool,
    /// The prototype's tokens in doubt, in percent of those sent.
    doubt: f64,
    /// The prototype's data frames for each message.
    frames: f64,
}

#[derive(Clone, Copy)]
enum Radio {
    Steady,
    Fading,
    Range,
}

const BASE: Scenario = Scenario {
    name: "steady, 5 m/s, hello 0.1 s",
    nodes: 30,
    side: 2.0,
    speed: 5.0,
    hello: 100,
    margin: 2.0,
    hysteresis: 1.5,
    smoothing: 0.3,
    radio: Radio::Steady,
    warned: true,
    doubt: 0.31,
    frames: 1.0,
};

#[rustfmt::skip]
const SCENARIOS: [Scenario; 12] = [
    BASE,
    Scenario { name: "steady, 20 m/s, 0.1 s", speed: 20.0, doubt: 1.5, ..BASE },
    Scenario { name: "steady, 20 m/s, 0.1 s, 3 dB", speed: 20.0, margin: 3.0, smoothing: 0.6, doubt: 2.2, ..BASE },
    Scenario { name: "steady, 20 m/s, 0.1 s, no warning", speed: 20.0, warned: false, doubt: 8.1, frames: 1.505, ..BASE },
    Scenario { name: "fading, 5 m/s, 0.1 s", hysteresis: 3.0, radio: Radio::Fading, doubt: 1.9, frames: 1.003, ..BASE },
    Scenario { name: "fading, 20 m/s, 0.1 s", speed: 20.0, hysteresis: 3.0, radio: Radio::Fading, doubt: 4.4, frames: 1.009, ..BASE },
    Scenario { name: "fading, 20 m/s, 0.1 s, no warning", speed: 20.0, radio: Radio::Fading, warned: false, doubt: 8.4, frames: 1.322, ..BASE },
    Scenario { name: "range, 20 m/s, 0.1 s", speed: 20.0, radio: Radio::Range, doubt: 6.5, frames: 1.411, ..BASE },
    Scenario { name: "steady, 5 m/s, 0.5 s", hello: 500, smoothing: 0.6, doubt: 1.7, ..BASE },
    Scenario { name: "steady, 20 m/s, 0.5 s, 6 dB", speed: 20.0, hello: 500, margin: 6.0, smoothing: 0.6, doubt: 9.9, frames: 1.012, ..BASE },
    Scenario { name: "100 nodes, steady, 5 m/s, 0.1 s", nodes: 100, side: 3.3, doubt: 0.5, ..BASE },
    Scenario { name: "sparse, fading, 20 m/s, 0.2 s, no warning", side: 5.0, speed: 20.0, hello: 200, radio: Radio::Fading, warned: false, doubt: 14.6, frames: 2.66, ..BASE },
];

impl Scenario {
    fn setup(&self, seed: u64, duration: f64, sharing: bool) -> RadioSetup {
        let base = RadioSetup::preset(Preset::Default, seed);
        let channel = base.channel;
        let channel = match self.radio {
            Radio::Steady => channel,
            Radio::Fading => ChannelConfig {
                fading: Fading::nakagami(1.5),
                ..channel
            },
            Radio::Range => ChannelConfig {
                path_loss: PathLoss::Range { metres: 85.6 },
                ..channel
            },
        };
        let hello_interval = Duration::from_millis(self.hello);
        RadioSetup {
            nodes: self.nodes,
            side: self.side * base.channel.range(),
            motion: Model::RandomDirection {
                speed: self.speed,
                pause: 0.0,
            },
            channel,
            link: link::Config {
                hello_interval,
                margin: self.margin,
                hysteresis: self.hysteresis,
                smoothing: self.smoothing,
                // Nothing is that weak.
                sensitivity: if self.warned { -82.0 } else { -190.0 },
                dead_after: if self.hello < 500 { 6.0 } else { 3.5 },
                sharing,
                ..base.link
            },
            workload: Workload {
                think: Span::Exponential(0.5),
                stay: Span::Exponential(0.02),
                demands: Demands::Exclusive,
                script: Vec::new(),
            },
            duration: Time::from_secs(duration),
            ..base
        }
    }
}

/// What the runs of a scenario came to.
#[derive(Debug, Serialize)]
struct Row {
    scenario: &'static str,
    runs: u64,
    tokens: u64,
    doubt_percent: f64,
    doubt_percent_ci: f64,
    prototype_doubt_percent: f64,
    by_close: u64,
    by_hello: u64,
    by_flood: u64,
    doubt_p50: f64,
    doubt_p99: f64,
    frames_per_message: f64,
    frames_per_message_ci: f64,
    prototype_frames_per_message: f64,
    half_up_percent: f64,
    half_up_percent_ci: f64,
    up_skew_p50: f64,
    up_skew_p99: f64,
    down_skew_p50: f64,
    down_skew_p99: f64,
    hello_bytes: f64,
    hello_airtime_percent: f64,
    mean_degree: f64,
    clean: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if args.runs == 0 || args.duration.is_nan() || args.duration <= 0.0 {
        return Err("--runs and --duration must be above 0".into());
    }
    let progress = bar(SCENARIOS.len() as u64 * args.runs, "runs");
    let mut rows = Vec::new();
    for scenario in &SCENARIOS {
        let mut reports = Vec::new();
        for seed in 1..=args.runs {
            let setup = scenario.setup(seed, args.duration, args.sharing);
            reports.push(RadioWorld::<Rl>::new(setup, &rl::Config::default())?.run(|_, _| {}));
            progress.inc(1);
        }
        rows.push(row(scenario, &reports));
    }
    progress.finish_and_clear();
    print(&rows, args.format)?;
    if rows.iter().all(|row| row.clean) {
        return Ok(ExitCode::SUCCESS);
    }
    tell!("FAILED: a run broke a promise; `manet-mutex torture --world radio` tells more");
    Ok(ExitCode::FAILURE)
}

fn row(scenario: &Scenario, reports: &[RadioReport]) -> Row {
    let over = |figure: &dyn Fn(&RadioReport) -> f64| mean_and_interval(reports.iter().map(figure));
    let doubt = over(&|r| 100.0 * r.meter.doubts as f64 / r.counters.owned as f64);
    let frames = over(&|r| r.counters.data as f64 / r.counters.delivered as f64);
    let half_up = over(&|r| 100.0 * r.links.half_up_share());
    let mut links = LinkMeter::default();
    for report in reports {
        links.add(&report.links);
    }
    let way = |way| links.resolved.get(&way).copied().unwrap_or(0);
    let doubts = LinkMeter::summary(&links.doubt_time);
    let (up, down) = (
        LinkMeter::summary(&links.up_skew),
        LinkMeter::summary(&links.down_skew),
    );
    Row {
        scenario: scenario.name,
        runs: reports.len() as u64,
        tokens: reports.iter().map(|r| r.counters.owned).sum(),
        doubt_percent: doubt[0],
        doubt_percent_ci: doubt[1],
        prototype_doubt_percent: scenario.doubt,
        by_close: way(Way::Close),
        by_hello: way(Way::Hello),
        by_flood: way(Way::Flood),
        doubt_p50: doubts.p50,
        doubt_p99: doubts.p99,
        frames_per_message: frames[0],
        frames_per_message_ci: frames[1],
        prototype_frames_per_message: scenario.frames,
        half_up_percent: half_up[0],
        half_up_percent_ci: half_up[1],
        up_skew_p50: up.p50,
        up_skew_p99: up.p99,
        down_skew_p50: down.p50,
        down_skew_p99: down.p99,
        hello_bytes: over(&|r| r.counters.hello_bytes as f64 / r.counters.hellos as f64)[0],
        hello_airtime_percent: over(&|r| 100.0 * r.hello_airtime())[0],
        mean_degree: over(&RadioReport::mean_degree)[0],
        clean: reports.iter().all(RadioReport::is_clean),
    }
}

fn print(rows: &[Row], format: Format) -> Result<(), serde_json::Error> {
    if format == Format::Json {
        return json_lines(rows);
    }
    let heading = [
        "scenario",
        "tokens",
        "in doubt, % (prototype)",
        "close/hello/flood",
        "doubt p50 p99, s",
        "frames/msg (prototype)",
        "half up, %",
        "up skew p50 p99, ms",
        "down skew p50 p99, ms",
        "hello, bytes",
        "airtime, %",
        "degree",
        "clean",
    ];
    let milli = |p50: f64, p99: f64| format!("{} {}", number(1e3 * p50, 1), number(1e3 * p99, 1));
    let cells = |row: &Row| {
        vec![
            row.scenario.to_owned(),
            row.tokens.to_string(),
            format!(
                "{} ({})",
                estimate(row.doubt_percent, row.doubt_percent_ci, 2),
                row.prototype_doubt_percent
            ),
            format!("{}/{}/{}", row.by_close, row.by_hello, row.by_flood),
            format!("{} {}", number(row.doubt_p50, 3), number(row.doubt_p99, 3)),
            format!(
                "{} ({})",
                estimate(row.frames_per_message, row.frames_per_message_ci, 3),
                row.prototype_frames_per_message
            ),
            estimate(row.half_up_percent, row.half_up_percent_ci, 2),
            milli(row.up_skew_p50, row.up_skew_p99),
            milli(row.down_skew_p50, row.down_skew_p99),
            format!("{:.0}", row.hello_bytes),
            format!("{:.1}", row.hello_airtime_percent),
            format!("{:.1}", row.mean_degree),
            if row.clean { "yes" } else { "NO" }.to_owned(),
        ]
    };
    say!("{}", table(&heading, rows.iter().map(cells)));
    Ok(())
}
