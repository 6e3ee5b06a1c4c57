//! What `sim` prints.

use super::radio::RadioSummary;
use super::routed::RoutedSummary;
use crate::output::{Format, estimate, number, resident_bytes, say, table};
use manet_mutex::Time;
use manet_mutex_sim::world::meter::Meter;
use serde::Serialize;
use std::collections::BTreeMap;

/// The result of a run, in either world.
#[derive(Debug, Serialize)]
pub struct Summary {
    protocol: String,
    nodes: usize,
    world: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<usize>,
    seed: u64,
    duration: f64,
    requests: u64,
    entries: u64,
    wait_mean: f64,
    wait_ci: f64,
    wait_p50: f64,
    wait_p95: f64,
    wait_p99: f64,
    messages: u64,
    messages_per_entry: f64,
    messages_by_kind: BTreeMap<&'static str, u64>,
    /// How many are inside, averaged over the run.
    inside_mean: f64,
    inside_most: u32,
    entries_per_time: f64,
    fairness: f64,
    link_changes: u64,
    doubts: u64,
    violations: u64,
    unserved: u64,
    events: u64,
    wall_s: f64,
    events_per_s: f64,
    rss_bytes: u64,
    #[serde(flatten)]
    below: Option<Below>,
}

/// What there is to say about what carried the messages.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Below {
    Radio(RadioSummary),
    Routed(RoutedSummary),
}

/// What a run was and how it ended.
#[derive(Debug)]
pub struct Run<'a> {
    pub protocol: &'a str,
    pub world: &'static str,
    pub nodes: usize,
    /// Links at the start, where they are given.
    pub links: Option<usize>,
    pub seed: u64,
    pub duration: f64,
    pub violations: u64,
    pub unserved: u64,
    pub events: u64,
    pub wall_s: f64,
    /// When the run ended.
    pub end: Time,
    pub below: Option<Below>,
}

impl Summary {
    pub fn new(run: Run<'_>, meter: &Meter) -> Self {
        let wait = meter.wait();
        Self {
            protocol: run.protocol.to_owned(),
            nodes: run.nodes,
            world: run.world,
            links: run.links,
            seed: run.seed,
            duration: run.duration,
            requests: meter.requests,
            entries: meter.entries(),
            wait_mean: wait.mean,
            wait_ci: wait.ci,
            wait_p50: wait.p50,
            wait_p95: wait.p95,
            wait_p99: wait.p99,
            messages: meter.messages(),
            messages_per_entry: meter.messages_per_entry(),
            messages_by_kind: meter.messages_by_kind(),
            inside_mean: meter.mean_inside(run.end),
            inside_most: meter.inside_most,
            entries_per_time: meter.entries() as f64 / run.end.as_secs(),
            fairness: meter.fairness(),
            link_changes: meter.link_changes,
            doubts: meter.doubts,
            violations: run.violations,
            unserved: run.unserved,
            events: run.events,
            wall_s: run.wall_s,
            events_per_s: run.events as f64 / run.wall_s,
            rss_bytes: resident_bytes(),
            below: run.below,
        }
    }

    pub fn print(&self, format: Format) -> Result<(), serde_json::Error> {
        match format {
            Format::Json => say!("{}", serde_json::to_string(self)?),
            Format::Table => print_table(self),
        }
        Ok(())
    }
}

fn print_table(summary: &Summary) {
    let kinds = summary.messages_by_kind.iter().map(|(kind, count)| {
        (
            format!("  {kind}"),
            number(*count as f64 / summary.entries as f64, 2),
        )
    });
    let mut rows = vec![
        ("protocol".to_owned(), summary.protocol.clone()),
        ("world".into(), summary.world.to_owned()),
        ("nodes".into(), summary.nodes.to_string()),
        (
            "seed, duration".into(),
            format!("{}, {}", summary.seed, summary.duration),
        ),
        (
            "requests, entries".into(),
            format!("{}, {}", summary.requests, summary.entries),
        ),
        (
            "wait, mean".into(),
            estimate(summary.wait_mean, summary.wait_ci, 3),
        ),
        (
            "wait, p50 p95 p99".into(),
            [summary.wait_p50, summary.wait_p95, summary.wait_p99]
                .map(|wait| number(wait, 3))
                .join(" "),
        ),
        (
            "messages per entry".into(),
            number(summary.messages_per_entry, 2),
        ),
    ];
    if let Some(links) = summary.links {
        rows.insert(3, ("links".into(), links.to_string()));
    }
    rows.extend(kinds);
    rows.extend([
        (
            "inside, mean and most".to_owned(),
            format!(
                "{}, {}",
                number(summary.inside_mean, 3),
                summary.inside_most
            ),
        ),
        (
            "entries per time unit".to_owned(),
            number(summary.entries_per_time, 4),
        ),
        ("fairness (Jain)".to_owned(), number(summary.fairness, 4)),
        (
            "link changes, doubts".into(),
            format!("{}, {}", summary.link_changes, summary.doubts),
        ),
        (
            "violations, unserved".into(),
            format!("{}, {}", summary.violations, summary.unserved),
        ),
        (
            "events".into(),
            format!("{} ({:.0}/s)", summary.events, summary.events_per_s),
        ),
        (
            "memory".into(),
            format!("{:.1} MiB", summary.rss_bytes as f64 / (1 << 20) as f64),
        ),
    ]);
    rows.extend(match &summary.below {
        Some(Below::Radio(radio)) => radio.rows(),
        Some(Below::Routed(routed)) => routed.rows(),
        None => Vec::new(),
    });
    say!(
        "{}",
        table(
            &["", "value"],
            rows.into_iter().map(|(name, value)| vec![name, value])
        )
    );
}
