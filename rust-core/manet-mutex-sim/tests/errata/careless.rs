//! `rl` on link layers that break their promise about ownership messages.

use manet_mutex::NodeId;
use manet_mutex::graph::Graph;
use manet_mutex::invariants::GlobalState;
use manet_mutex::machine::{
    Action, Actions, Cargo, Class, Event, Fate, Message, Protocol, ProtocolError, Reach,
};
use manet_mutex::protocol::rl::{Config, Rl, RlMessage};
use manet_mutex::protocol::{Population, PopulationError};
use manet_mutex_sim::check::{Invariants, Promise, Violation};
use serde::{Deserialize, Serialize};

/// What the link layer does wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Care {
    /// A message in doubt is reported as returned.
    #[default]
    TakesBack,
    /// Ownership messages are lost with their link, like any other.
    Drops,
}

/// A node of `rl` with its share of the link layer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Careless {
    rl: Rl,
    care: Care,
}

/// A message as this link layer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Frame {
    msg: RlMessage,
    precious: bool,
}

impl Message for Frame {
    fn kind(&self) -> &'static str {
        self.msg.kind()
    }

    fn class(&self) -> Class {
        if self.precious {
            self.msg.class()
        } else {
            Class::Plain
        }
    }

    fn cargo(&self) -> Cargo {
        self.msg.cargo()
    }
}

impl Careless {
    fn seen_by_rl(&self, event: Event<Frame>) -> Option<Event<RlMessage>> {
        Some(match event {
            Event::Start => Event::Start,
            Event::Request(demand) => Event::Request(demand),
            Event::Release => Event::Release,
            Event::Message { from, msg } => Event::Message { from, msg: msg.msg },
            Event::LinkUp { peer, role } => Event::LinkUp { peer, role },
            Event::LinkDown { peer, unacked } => {
                let fate = |fate| match fate {
                    Fate::InDoubt if self.care == Care::TakesBack => Fate::Returned,
                    fate => fate,
                };
                let told = unacked.into_iter().map(|(frame, f)| (frame.msg, fate(f)));
                Event::LinkDown {
                    peer,
                    unacked: told.collect(),
                }
            }
            Event::Resolved { .. } if self.care == Care::TakesBack => return None,
            Event::Resolved { peer, msg, outcome } => Event::Resolved {
                peer,
                msg: msg.msg,
                outcome,
            },
            Event::Timer(id) => Event::Timer(id),
        })
    }

    fn framed(&self, action: &Action<RlMessage>) -> Action<Frame> {
        match *action {
            Action::Send { to, msg } => {
                let precious = self.care != Care::Drops;
                Action::Send {
                    to,
                    msg: Frame { msg, precious },
                }
            }
            Action::Enter(demand) => Action::Enter(demand),
            Action::Demoted => Action::Demoted,
            Action::SetTimer { id, after } => Action::SetTimer { id, after },
            Action::CancelTimer(id) => Action::CancelTimer(id),
            Action::Note(note) => Action::Note(note),
        }
    }
}

impl Protocol for Careless {
    const NAME: &'static str = "careless rl";
    const REACH: Reach = Reach::Neighbours;
    type Message = Frame;

    fn id(&self) -> NodeId {
        self.rl.id()
    }

    fn handle(
        &mut self,
        event: Event<Frame>,
        out: &mut Actions<Frame>,
    ) -> Result<(), ProtocolError> {
        let Some(event) = self.seen_by_rl(event) else {
            return Ok(());
        };
        let mut inner = Actions::new();
        let result = self.rl.handle(event, &mut inner);
        for action in inner.drain() {
            out.push(self.framed(&action));
        }
        result
    }
}

impl Population for Careless {
    type Config = Care;

    fn settled(graph: &Graph, care: &Care) -> Result<Vec<Self>, PopulationError> {
        let nodes = Rl::settled(graph, &Config::default())?;
        let careless = |rl| Self { rl, care: *care };
        Ok(nodes.into_iter().map(careless).collect())
    }

    fn promise(_: &Care) -> Promise {
        Rl::promise(&Config::default())
    }
}

impl Invariants for Careless {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        let nodes = network.nodes().iter();
        let held = nodes.filter(|node| node.rl.dag().has_token()).count();
        let token = |msg: &Frame| matches!(msg.msg, RlMessage::Token { .. });
        let under_way = network
            .undelivered()
            .filter(|(_, _, msg)| token(msg))
            .count();
        if held + under_way > 1 {
            let detail = format!("{held} tokens are held and {under_way} are under way");
            return Err(Violation::named("one token", detail));
        }
        Ok(())
    }

    fn when_quiet(_: &impl GlobalState<Self>) -> Result<(), Violation> {
        Ok(())
    }
}
