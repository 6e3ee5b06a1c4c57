//! What holds of the protocols over routing.

use crate::app::App;
use crate::demand::Demand;
use crate::ids::NodeId;
use crate::invariants::GlobalState;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation};
use crate::machine::Protocol;
use crate::protocol::routed::dgme::{Dgme, DgmeMessage, Session};
use crate::protocol::routed::naimi_trehel::{NaimiTrehel, NaimiTrehelMessage};
use crate::protocol::routed::raymond::{Raymond, RaymondMessage};
use std::collections::BTreeMap;

impl Invariants for Raymond {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        let holders = network.nodes().iter().filter(|node| node.is_holder());
        let is_token = |msg: &RaymondMessage| matches!(msg, RaymondMessage::Privilege);
        one_token(holders.count(), under_way(network, is_token))?;
        for node in network.nodes() {
            let queue = node.queue();
            let twice = |at: usize| queue[at + 1..].contains(&queue[at]);
            if (0..queue.len()).any(twice) {
                let what = "has nobody twice in its queue";
                return Err(untrue(node, Check::RaymondQueue, what));
            }
        }
        Ok(())
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        nobody_waits_for_nothing(network)
    }
}

impl Invariants for NaimiTrehel {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        let holders = network.nodes().iter().filter(|node| node.has_token());
        let is_token = |msg: &NaimiTrehelMessage| *msg == NaimiTrehelMessage::Token;
        one_token(holders.count(), under_way(network, is_token))?;
        for node in network.nodes() {
            if node.last().is_none() && !node.is_requesting() && !node.has_token() {
                let what = "waits or has the token if it is a root";
                return Err(untrue(node, Check::NaimiTrehelRoot, what));
            }
            if node.next().is_some() && !node.is_requesting() {
                let what = "has a successor only if it waits or is inside";
                return Err(untrue(node, Check::NaimiTrehelNext, what));
            }
        }
        let roots = network.nodes().iter().filter(|node| node.last().is_none());
        roots_and_requests(roots.count(), under_way(network, |msg| !is_token(msg)))
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        nobody_waits_for_nothing(network)
    }
}

impl Invariants for Dgme {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        let sessions = || network.nodes().iter().flat_map(Self::sessions);
        let holders = sessions().filter(|session| session.has_token()).count();
        let is_token = |msg: &DgmeMessage| matches!(msg, DgmeMessage::Token(_));
        one_token(holders, under_way(network, is_token))?;
        sessions().try_for_each(locally)?;
        let roots = sessions().filter(|session| session.leader().is_none());
        let is_request = |msg: &DgmeMessage| matches!(msg, DgmeMessage::Req { .. });
        roots_and_requests(roots.count(), under_way(network, is_request))?;
        processes_and_sessions_agree(network)
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        nobody_waits_for_nothing(network)
    }
}

fn under_way<P: Invariants>(
    network: &impl GlobalState<P>,
    kind: impl Fn(&P::Message) -> bool,
) -> usize {
    let messages = network.undelivered();
    messages.filter(|(_, _, msg)| kind(msg)).count()
}

fn one_token(held: usize, under_way: usize) -> Result<(), Violation> {
    if held + under_way == 1 {
        return Ok(());
    }
    let detail = format!("{held} tokens are held and {under_way} under way");
    Err(Violation::new(Check::RoutedToken, detail))
}

/// [DGME lemma 5]; the same holds of the other protocol that reverses paths.
fn roots_and_requests(roots: usize, requests: usize) -> Result<(), Violation> {
    if roots == 1 + requests {
        return Ok(());
    }
    let detail = format!("{roots} roots and {requests} requests under way: not one root more");
    Err(Violation::new(Check::RoutedRoots, detail))
}

fn untrue<P: Invariants>(node: &P, check: Check, what: &str) -> Violation {
    let detail = format!("it is not true that {:?} {what}", node.id());
    Violation::new(check, detail)
}

/// If nothing is under way, somebody inside keeps the others waiting.
fn nobody_waits_for_nothing<P: Invariants>(network: &impl GlobalState<P>) -> Result<(), Violation> {
    let inside = |node: &P| matches!(network.app(node.id()), App::Inside(_));
    let Some(waiting) = network.waiting().next() else {
        return Ok(());
    };
    if network.nodes().iter().any(inside) {
        return Ok(());
    }
    let detail = format!("{waiting:?} waits, though nothing is under way and nobody is inside");
    Err(Violation::new(Check::RoutedServed, detail))
}

/// What holds of a session by itself. [DGME lemma 8] and its like.
fn locally(session: &Session) -> Result<(), Violation> {
    let root = session.leader().is_none();
    let (empty, next) = (session.waiting().is_empty(), session.next().is_some());
    let held = [
        (
            session.inside() == 0 || session.has_token(),
            Check::DgmeInside,
            "has the token while processes are in",
        ),
        (
            !root || !next,
            Check::DgmeRootNext,
            "has no successor while it is a root",
        ),
        (
            !root || !empty || session.has_token(),
            Check::DgmeRootToken,
            "has the token if it is a root and nobody waits",
        ),
        (
            root || empty || next,
            Check::DgmeWaiting,
            "has a successor if processes wait and it is no root",
        ),
    ];
    match held.iter().find(|(holds, ..)| !holds) {
        None => Ok(()),
        Some(&(_, check, what)) => {
            let detail = format!("it is not true that session {} {what}", session.id());
            Err(Violation::new(check, detail))
        }
    }
}

/// Every process that waits is known to its session or a message is under way about it; every
/// session counts those that are in it.
fn processes_and_sessions_agree(network: &impl GlobalState<Dgme>) -> Result<(), Violation> {
    let mut known: BTreeMap<(NodeId, u32), u32> = BTreeMap::new();
    let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
    for session in network.nodes().iter().flat_map(Dgme::sessions) {
        for &process in session.waiting() {
            *known.entry((process, session.id())).or_default() += 1;
        }
        *counts.entry(session.id()).or_default() += i64::from(session.inside());
    }
    for (from, to, msg) in network.undelivered() {
        match *msg {
            DgmeMessage::Open(session) => *known.entry((from, session)).or_default() += 1,
            DgmeMessage::Ok(session) => {
                *known.entry((to, session)).or_default() += 1;
                *counts.entry(session).or_default() -= 1;
            }
            DgmeMessage::Rel(session) => *counts.entry(session).or_default() -= 1,
            DgmeMessage::Req { .. } | DgmeMessage::Token(_) => {}
        }
    }
    for node in network.nodes() {
        match network.app(node.id()) {
            App::Inside(Demand::Group(group)) => *counts.entry(group).or_default() -= 1,
            App::Waiting(Demand::Group(group)) if known.remove(&(node.id(), group)) != Some(1) => {
                let what = "is known once to the session that it waits for";
                return Err(untrue(node, Check::DgmeKnown, what));
            }
            _ => {}
        }
    }
    if let Some(((process, session), _)) = known.first_key_value() {
        let detail = format!("session {session} serves {process:?}, which does not wait for it");
        return Err(Violation::new(Check::DgmeServes, detail));
    }
    match counts.iter().find(|&(_, count)| *count != 0) {
        None => Ok(()),
        Some((session, count)) => {
            let detail = format!("session {session} counts {count} too many inside");
            Err(Violation::new(Check::DgmeCounts, detail))
        }
    }
}
