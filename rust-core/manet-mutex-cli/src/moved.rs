//! Commands that are now in `manet-mutex-experiments`.

use manet_mutex_cli::output::Outcome;

/// Any options: they are not used.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

impl Args {
    /// Says which command replaces `manet-mutex OLD EXPERIMENT`: PREFIX and the experiment.
    pub fn run(&self, old: &str, prefix: &str) -> Outcome {
        match self.words.first().filter(|word| !word.starts_with('-')) {
            Some(name) => moved(&format!("{old} {name}"), &format!("{prefix}{name}")),
            None => moved(old, "--help"),
        }
    }
}

/// Says which experiment replaces the command `old`.
pub fn moved(old: &str, new: &str) -> Outcome {
    Err(format!("`{old}` has moved: use `manet-mutex-experiments {new}`").into())
}
