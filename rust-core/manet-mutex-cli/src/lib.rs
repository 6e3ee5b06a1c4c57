//! How the commands of the project print: tables, JSON lines, progress bars, exit codes.
//!
//! The `manet-mutex` command and the experiments of the documentation share it.

pub mod output;
