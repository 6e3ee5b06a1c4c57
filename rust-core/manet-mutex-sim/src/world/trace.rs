//! A run as JSON lines, one event each.

use manet_mutex::demand::Demand;
use manet_mutex::ids::NodeId;
use manet_mutex::machine::{Action, Event, Message, Role};
use manet_mutex::time::Time;
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// Writes what happens, in time order. The first failure to write is kept and ends the trace.
pub struct Tracer {
    sink: Box<dyn Write>,
    error: Option<io::Error>,
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tracer")
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}

/// One line.
#[derive(Debug, Serialize)]
struct Line {
    t: f64,
    node: NodeId,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    peer: Option<NodeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    priority: Option<u32>,
}

impl Line {
    fn new(now: Time, node: NodeId, event: &'static str) -> Self {
        let t = now.as_secs();
        let (peer, kind, role, resource, units, priority) = (None, None, None, None, None, None);
        Self {
            t,
            node,
            event,
            peer,
            kind,
            role,
            resource,
            units,
            priority,
        }
    }

    fn with(mut self, demand: Demand) -> Self {
        match demand {
            Demand::Exclusive => {}
            Demand::Group(group) => self.resource = Some(group),
            Demand::Units { count, priority } => {
                (self.units, self.priority) = (Some(count), Some(priority));
            }
        }
        self
    }
}

impl Tracer {
    /// Writes to `sink`; buffer it.
    pub fn new(sink: Box<dyn Write>) -> Self {
        Self { sink, error: None }
    }

    /// Writes what is still buffered.
    ///
    /// # Errors
    /// If anything could not be written.
    pub fn finish(mut self) -> io::Result<()> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.sink.flush(),
        }
    }

    pub(super) fn event<M: Message>(&mut self, now: Time, node: NodeId, event: &Event<M>) {
        let line = |event| Line::new(now, node, event);
        match event {
            Event::Request(demand) => self.write(&line("request").with(*demand)),
            Event::Release => self.write(&line("release")),
            Event::Message { from, msg } => {
                let (peer, kind) = (Some(*from), Some(msg.kind()));
                self.write(&Line {
                    peer,
                    kind,
                    ..line("recv")
                });
            }
            Event::LinkUp { peer, role } => {
                let (peer, role) = (Some(*peer), Some(*role));
                self.write(&Line {
                    peer,
                    role,
                    ..line("link_up")
                });
            }
            Event::LinkDown { peer, .. } => {
                self.write(&Line {
                    peer: Some(*peer),
                    ..line("link_down")
                });
            }
            Event::Start | Event::Resolved { .. } | Event::Timer(_) => {}
        }
    }

    pub(super) fn action<M: Message>(&mut self, now: Time, node: NodeId, action: &Action<M>) {
        let line = |event| Line::new(now, node, event);
        match action {
            Action::Send { to, msg } => {
                let (peer, kind) = (Some(*to), Some(msg.kind()));
                self.write(&Line {
                    peer,
                    kind,
                    ..line("send")
                });
            }
            Action::Enter(demand) => self.write(&line("enter").with(*demand)),
            Action::Demoted => self.write(&line("demote")),
            Action::SetTimer { .. } | Action::CancelTimer(_) | Action::Note(_) => {}
        }
    }

    pub(super) fn crash(&mut self, now: Time, node: NodeId) {
        self.write(&Line::new(now, node, "crash"));
    }

    fn write(&mut self, line: &Line) {
        if self.error.is_some() {
            return;
        }
        let written = serde_json::to_writer(&mut self.sink, line)
            .map_err(io::Error::from)
            .and_then(|()| self.sink.write_all(b"\n"));
        self.error = written.err();
    }
}
