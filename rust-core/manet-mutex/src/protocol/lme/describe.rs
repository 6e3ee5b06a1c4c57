//! How traces describe local mutual exclusion.

use crate::describe::Describe;
use crate::machine::Message;
use crate::protocol::lme::State;
use crate::protocol::lme::algorithm1::{Algorithm1, Lme1a, Lme1b, Neighbour};
use crate::protocol::lme::algorithm2::{self, Lme2, Lme2Message};
use crate::protocol::lme::colouring::Colouring;
use crate::protocol::lme::colouring::greedy::GreedyWord;
use crate::protocol::lme::colouring::linial::LinialWord;
use crate::protocol::lme::doorway::{Doorway, Phase, Position};
use crate::protocol::lme::forks::{Fork, Link};
use crate::protocol::lme::message::{Colour, Lme1Message};

/// The names of [LME 4.2].
impl Describe for Lme1a {
    fn message(msg: &Lme1Message<GreedyWord>) -> String {
        lme1_message(msg, |word| match word {
            GreedyWord::Hello => String::new(),
            GreedyWord::Links { of, joined } => {
                let to: Vec<String> = joined.to.iter().map(|peer| peer.to_string()).collect();
                let (attempt, lost) = joined.version;
                format!(" {of}: {} (version {attempt}.{lost})", to.join(" "))
            }
        })
    }

    fn state(&self) -> String {
        lme1_state(self)
    }
}

/// The names of [LME 4.2].
impl Describe for Lme1b {
    fn message(msg: &Lme1Message<LinialWord>) -> String {
        lme1_message(msg, |word| {
            format!(" {} colour {}", word.round, word.colour)
        })
    }

    fn state(&self) -> String {
        lme1_state(self)
    }
}

fn lme1_message<W: Message>(msg: &Lme1Message<W>, said: impl Fn(&W) -> String) -> String {
    let kind = msg.kind();
    match msg {
        Lme1Message::Position(at) => format!("{kind} {}", doorways(*at)),
        Lme1Message::Welcome { colour, position } => {
            format!("{kind} {} {}", shade(*colour), doorways(*position))
        }
        Lme1Message::UpdateColour(colour) => format!("{kind} {colour}"),
        Lme1Message::Req => kind.to_owned(),
        Lme1Message::Fork { flag: true } => format!("{kind} wanted back"),
        Lme1Message::Fork { flag: false } => kind.to_owned(),
        Lme1Message::NewColour { attempt, word } => {
            format!("{kind}{} (attempt {attempt})", said(word))
        }
        Lme1Message::Nack { attempt } => format!("{kind} (attempt {attempt})"),
    }
}

fn lme1_state<C: Colouring>(node: &Algorithm1<C>) -> String {
    let state = doing(node.state());
    let phase = match node.phase() {
        Phase::Idle => String::new(),
        Phase::At(doorway) => format!(" at {}", name(doorway)),
        Phase::Recolouring => {
            let with: Vec<String> = node.circle().map(|peer| peer.to_string()).collect();
            format!(" recolouring with [{}]", with.join(" "))
        }
        Phase::Forks => " collecting".to_owned(),
    };
    let links: Vec<String> = node.links().iter().map(neighbour).collect();
    let (colour, behind) = (shade(node.colour()), doorways(node.position()));
    format!(
        "{state} colour {colour} behind {behind}{phase}{}",
        links.concat()
    )
}

/// A neighbour with its colour, and where the fork is.
fn neighbour(link: &Link<Neighbour>) -> String {
    let fork = whereabouts(link.fork());
    let place = link.about.sight.position();
    let place = place.map_or("?".to_owned(), doorways);
    format!(
        "; {} {} {place} {fork}",
        link.peer(),
        shade(link.about.colour)
    )
}

/// The names of [LME 5]; a node's height stands where the paper has its flags.
impl Describe for Lme2 {
    fn message(msg: &Lme2Message) -> String {
        let kind = msg.kind();
        match msg {
            Lme2Message::Req | Lme2Message::Notify => kind.to_owned(),
            Lme2Message::Fork { flag: true } => format!("{kind} wanted back"),
            Lme2Message::Fork { flag: false } => kind.to_owned(),
            Lme2Message::Height(height) | Lme2Message::Welcome(height) => {
                format!("{kind} {height}")
            }
        }
    }

    fn state(&self) -> String {
        let neighbour = |link: &Link<algorithm2::Neighbour>| {
            let order = match link.about {
                algorithm2::Neighbour::Awaited => "awaited".to_owned(),
                algorithm2::Neighbour::Unknown => "unknown".to_owned(),
                algorithm2::Neighbour::At(height) => format!("at {height}"),
                algorithm2::Neighbour::Flag { higher: true } => "higher".to_owned(),
                algorithm2::Neighbour::Flag { higher: false } => "lower".to_owned(),
            };
            format!("; {} {order} {}", link.peer(), whereabouts(link.fork()))
        };
        let links: Vec<String> = self.links().iter().map(neighbour).collect();
        let (state, height) = (doing(self.state()), self.height());
        format!("{state} at {height}{}", links.concat())
    }
}

const fn doing(state: State) -> &'static str {
    match state {
        State::Thinking => "thinking",
        State::Hungry => "hungry",
        State::Eating => "eating",
    }
}

const fn whereabouts(fork: Fork) -> &'static str {
    match fork {
        Fork::Here => "fork",
        Fork::Suspended => "fork suspended",
        Fork::Away => "no fork",
        Fork::Asked => "fork asked for",
    }
}

fn shade(colour: Option<Colour>) -> String {
    colour.map_or("none".to_owned(), |colour| colour.to_string())
}

fn doorways(position: Position) -> String {
    let behind = Doorway::ALL.iter().filter(|(d, _)| position.is_behind(*d));
    let names: Vec<&str> = behind.map(|(_, name)| *name).collect();
    format!("[{}]", names.join(" "))
}

fn name(doorway: Doorway) -> &'static str {
    let known = Doorway::ALL.iter().find(|(known, _)| *known == doorway);
    known.map_or("", |(_, name)| *name)
}
