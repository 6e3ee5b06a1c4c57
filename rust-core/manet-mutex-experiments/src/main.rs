//! The experiments whose results the documentation shows, each a command with fixed cases.

mod concurrency;
mod link_figures;
mod local;
mod locality;
mod paper_rl;
mod priorities;
mod response;
mod runs;
mod sessions;

use clap::{Parser, Subcommand};
use manet_mutex_cli::output;
use std::process::ExitCode;

/// Repeat the experiments whose results the documentation shows.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// How many are inside together, and entries per time unit: rl, gme and hk on the same worlds.
    Concurrency(concurrency::Args),
    /// How far a crash reaches: lme1a, lme1b and lme2 on lines and grids.
    Locality(locality::Args),
    /// How long lme1a, lme1b and lme2 take to let a node in, by nodes and by neighbours.
    Response(response::Args),
    /// Whether hk lets nodes in in turn, and by how many later requests one is overtaken.
    Priorities(priorities::Args),
    /// What the protocols over routing cost: messages, requests for the token, handovers.
    Sessions(sessions::Args),
    /// Walter, Welch, Vaidya: tables 1 and 2, figures 5 to 8.
    PaperRl(paper_rl::Args),
    /// Measure doubts, frames, airtime and skew over the radio, in scenarios of an earlier study.
    LinkFigures(link_figures::Args),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let cli = Cli::parse();
    output::exit_code(match cli.command {
        Command::Concurrency(args) => concurrency::run(&args),
        Command::Locality(args) => locality::run(&args),
        Command::Response(args) => response::run(&args),
        Command::Priorities(args) => priorities::run(&args),
        Command::Sessions(args) => sessions::run(&args),
        Command::PaperRl(args) => paper_rl::run(&args),
        Command::LinkFigures(args) => link_figures::run(&args),
    })
}
