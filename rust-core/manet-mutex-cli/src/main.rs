//! The command line of `manet-mutex`.

mod check;
mod failure;
mod link;
mod moved;
mod protocol;
mod replay;
mod sim;
mod torture;
mod transport;

use clap::{Parser, Subcommand};
use manet_mutex_cli::output;
use std::process::ExitCode;

/// Mutual exclusion for mobile ad hoc networks: simulate, model-check, replay, reproduce.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run a protocol in a simulated network and report waits, messages and violations.
    Sim(Box<sim::Args>),
    /// Run many random small networks in which everything goes wrong.
    Torture(torture::Args),
    /// Try every interleaving on a small network.
    Check(Box<check::Args>),
    /// Run a trace or scenario file and print each state.
    Replay(replay::Args),
    /// Try and measure the link layer by itself.
    #[command(subcommand)]
    Link(link::Command),
    /// Try the transport by itself.
    #[command(subcommand)]
    Transport(transport::Command),
    #[command(hide = true, disable_help_flag = true)]
    Measure(moved::Args),
    #[command(hide = true, disable_help_flag = true)]
    Paper(moved::Args),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("warn")).init();
    let cli = Cli::parse();
    output::exit_code(match cli.command {
        Command::Sim(args) => sim::run(&args),
        Command::Torture(args) => torture::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Replay(args) => replay::run(&args),
        Command::Link(command) => link::run(&command),
        Command::Transport(command) => transport::run(&command),
        Command::Measure(args) => args.run("measure", ""),
        Command::Paper(args) => args.run("paper", "paper-"),
    })
}
