//! How traces describe `rl`.

use super::{Rl, RlMessage};
use crate::describe::Describe;
use crate::protocol::reversal::Status;
use crate::protocol::reversal::describe::on_dag;

/// The names of [RL 4.1].
impl Describe for Rl {
    fn message(msg: &RlMessage) -> String {
        match msg {
            RlMessage::LinkInfo(height) => format!("LinkInfo {height:?}"),
            RlMessage::Request(height) => format!("Request {height:?}"),
            RlMessage::Token { height, more } => {
                let request = if *more { " with Request" } else { "" };
                format!("Token {height:?}{request}")
            }
        }
    }

    fn state(&self) -> String {
        let status = match self.status() {
            Status::Remainder => "REMAINDER",
            Status::Waiting => "WAITING",
            Status::Critical => "CRITICAL",
        };
        on_dag(self.dag(), status, self.queue(), "")
    }
}
