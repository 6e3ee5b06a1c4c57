//! How traces describe `gme`.

use super::{Gme, GmeMessage};
use crate::describe::Describe;
use crate::machine::Message;
use crate::protocol::reversal::describe::{jiang, on_dag};

/// The names of [GME 3]; a resource is written as a demand for it.
impl Describe for Gme {
    fn message(msg: &GmeMessage) -> String {
        let kind = msg.kind();
        match msg {
            GmeMessage::LinkInfo(height) => format!("{kind} {height:?}"),
            GmeMessage::Request { height, resource } => format!("{kind} {height:?} g{resource}"),
            GmeMessage::Token { height, resources } => {
                let resources: Vec<String> = resources.iter().map(|r| format!(" g{r}")).collect();
                format!("{kind} {height:?}{}", resources.concat())
            }
            GmeMessage::SubToken {
                height,
                resource,
                weight,
            } => format!("{kind} {height:?} g{resource} weight {weight}"),
            GmeMessage::Release { height, weight } => format!("{kind} {height:?} weight {weight}"),
        }
    }

    fn state(&self) -> String {
        let mut more = String::new();
        if let Some(open) = self.session() {
            more += &format!(" session g{open}");
        }
        if self.weight() > 0 {
            more += &format!(" weight {}", self.weight());
        }
        if self.pending() > 0 {
            more += &format!(" pending {}", self.pending());
        }
        let queue: Vec<String> = self
            .queue()
            .iter()
            .map(|(i, r)| format!("{i}:g{r}"))
            .collect();
        on_dag(self.dag(), jiang(self.state()), &queue, &more)
    }
}
