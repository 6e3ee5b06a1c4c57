//! `manet-mutex-experiments priorities`.

use manet_mutex::protocol::hk::{Config, Order};
use manet_mutex::protocol::reversal::Erratum;
use manet_mutex_cli::output::{Outcome, bar, say, table, tell};
use manet_mutex_sim::world::settled::{in_turn, overtaking};
use std::num::NonZeroU32;
use std::process::ExitCode;

/// Options of `priorities`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Random static networks in which the order of entries is checked.
    #[arg(long, default_value_t = 10_000)]
    runs: u64,
    /// Networks for each way of ageing, in which everybody asks again at once.
    #[arg(long, default_value_t = 20)]
    crowds: u64,
    /// Entries in each of these.
    #[arg(long, default_value_t = 5_000)]
    grants: u64,
    /// Put a corrected rule back as the paper prints it, to see it fail.
    #[arg(long, value_name = "ERRATUM")]
    as_printed: Option<Erratum>,
}

const ORDERS: [Order; 4] = [
    Order::Priority,
    Order::Aged(2),
    Order::Aged(10),
    Order::Fewest,
];
const PRIORITIES: u32 = 5;
const NODES: usize = 8;

/// Runs the command.
pub fn run(args: &Args) -> Outcome {
    if let Some(rule) = args.as_printed.filter(|rule| !rule.concerns("hk")) {
        return Err(format!("--as-printed {rule}: hk has no such rule").into());
    }
    let turns = args.turns()?;
    let bounds = args.bounds()?;
    Ok(ExitCode::from(u8::from(!(turns && bounds))))
}

impl Args {
    fn config(&self, k: u64, order: Order) -> Config {
        Config {
            k: NonZeroU32::new(k as u32).unwrap_or(NonZeroU32::MIN),
            order,
            as_printed: self.as_printed,
            ..Config::default()
        }
    }

    /// Whether grants follow the keys; the seeds are 0, 1, ...
    fn turns(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let progress = bar(self.runs, "networks");
        let (mut grants, mut broken) = (0, 0);
        for seed in 0..self.runs {
            let order = ORDERS[(seed % 4) as usize];
            let config = self.config(1 + seed / 4 % 5, order);
            let run = in_turn(3 + (seed / 20 % 10) as usize, &config, seed)?;
            progress.inc(1);
            grants += run.grants;
            if run.violation.is_some() || run.unserved > 0 {
                broken += 1;
                if broken == 1 {
                    let waiting = run.unserved;
                    tell!("seed {seed}: {:?}, {waiting} not served", run.violation);
                }
            }
        }
        progress.finish_and_clear();
        let runs = self.runs;
        say!("order of entries: {runs} networks, {grants} entries, {broken} networks wrong");
        Ok(broken == 0)
    }

    /// How often settled requests are overtaken; the seeds are 0, 1, ... in each row.
    fn bounds(&self) -> Result<bool, Box<dyn std::error::Error>> {
        let steps = [Some(1), Some(2), Some(5), Some(10), Some(50), None];
        let progress = bar(self.crowds * steps.len() as u64, "crowds");
        let mut rows = Vec::new();
        let mut kept = true;
        for step in steps {
            let order = step.map_or(Order::Priority, Order::Aged);
            let mut most = vec![0; PRIORITIES as usize];
            for seed in 0..self.crowds {
                let config = self.config(1 + seed % 3, order);
                let run = overtaking(NODES, &config, PRIORITIES, self.grants, seed)?;
                progress.inc(1);
                kept &= run.violation.is_none();
                for (most, seen) in most.iter_mut().zip(run.overtaken) {
                    *most = seen.max(*most);
                }
            }
            let cells = (0..).zip(&most).map(|(priority, seen): (u32, &u32)| {
                let Some(step) = step else {
                    return format!("{seen}");
                };
                let bound = NODES as u32 - 1 + step * (PRIORITIES - 1 - priority);
                kept &= *seen <= bound;
                format!("{seen} of {bound}")
            });
            let row: Vec<String> = std::iter::once(order.to_string()).chain(cells).collect();
            rows.push(row);
        }
        progress.finish_and_clear();
        let heading = ["order", "priority 0", "1", "2", "3", "4"];
        say!("overtaken by later requests, most seen of the bound:");
        say!("{}", table(&heading, rows));
        Ok(kept)
    }
}
