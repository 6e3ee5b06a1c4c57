//! How traces describe the protocols over routing.

use super::dgme::{Dgme, DgmeMessage, Session};
use super::naimi_trehel::{NaimiTrehel, NaimiTrehelMessage};
use super::raymond::Raymond;
use crate::describe::Describe;
use crate::ids::NodeId;
use crate::machine::Message;

impl Describe for Raymond {}

/// The names of [NTA 3].
impl Describe for NaimiTrehel {
    fn message(msg: &NaimiTrehelMessage) -> String {
        match msg {
            NaimiTrehelMessage::Request(who) => format!("Request {who}"),
            NaimiTrehelMessage::Token => "Token".to_owned(),
        }
    }

    fn state(&self) -> String {
        let name = |node: Option<NodeId>| node.map_or("-".to_owned(), |node| node.to_string());
        let marks = [
            (self.is_requesting(), " requesting"),
            (self.has_token(), " token"),
        ];
        let marks: String = marks
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, name)| *name)
            .collect();
        format!(
            "last {} next {}{marks}",
            name(self.last()),
            name(self.next())
        )
    }
}

/// The names of the paper on `dgme`; a session is written as a demand for it.
impl Describe for Dgme {
    fn message(msg: &DgmeMessage) -> String {
        let kind = msg.kind();
        match msg {
            DgmeMessage::Open(x) | DgmeMessage::Ok(x) => format!("{kind} g{x}"),
            DgmeMessage::Rel(x) | DgmeMessage::Token(x) => format!("{kind} g{x}"),
            DgmeMessage::Req { at, by } => format!("{kind} g{by} at g{at}"),
        }
    }

    fn state(&self) -> String {
        let name = |session: Option<u32>| session.map_or("-".to_owned(), |x| format!("g{x}"));
        let session = |x: &Session| {
            let token = if x.has_token() { " HT" } else { "" };
            let waiting: Vec<String> = x.waiting().iter().map(ToString::to_string).collect();
            let (leader, next) = (name(x.leader()), name(x.next()));
            let (waiting, inside) = (waiting.join(" "), x.inside());
            let lists = format!("RS [{waiting}] Nrel {inside}");
            format!(" | g{}{token} Leader {leader} Next {next} {lists}", x.id())
        };
        let sessions: String = self.sessions().iter().map(session).collect();
        let (wanted, inside) = self.process();
        let does = match wanted {
            None => "idle".to_owned(),
            Some(x) if inside => format!("in g{x}"),
            Some(x) => format!("wants g{x}"),
        };
        format!("{does}{sessions}")
    }
}
