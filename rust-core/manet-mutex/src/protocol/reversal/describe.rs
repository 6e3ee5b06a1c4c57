//! How traces describe protocols on link reversal.

use super::{Dag, Status};

/// The names that Jiang's papers have for a status.
pub(crate) const fn jiang(status: Status) -> &'static str {
    match status {
        Status::Remainder => "NCS",
        Status::Waiting => "ES",
        Status::Critical => "CS",
    }
}

/// The state of a node on link reversal.
pub(crate) fn on_dag<T: ToString>(
    dag: &Dag,
    status: &str,
    queue: impl IntoIterator<Item = T>,
    more: &str,
) -> String {
    let token = if dag.has_token() { "token " } else { "" };
    let next = dag.next().map_or("-".to_owned(), |next| next.to_string());
    let queue: Vec<String> = queue.into_iter().map(|entry| entry.to_string()).collect();
    let mine = dag.height();
    let side = |name: &str, outgoing: bool| {
        let heights = dag.neighbours().filter(|&h| (h < mine) == outgoing);
        let heights: Vec<String> = heights.map(|h| format!(" {h:?}")).collect();
        if heights.is_empty() {
            return String::new();
        }
        format!(" {name}{}", heights.concat())
    };
    let (out, into) = (side("outgoing", true), side("incoming", false));
    let queue = queue.join(" ");
    format!("{mine:?} {status} {token}next {next} Q [{queue}]{more}{out}{into}")
}
