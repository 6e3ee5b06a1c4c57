//! What holds of `lme1a` and `lme1b`.

use super::{OnForks, local, nobody_hungry, one_fork_per_link, orderly};
use crate::ids::NodeId;
use crate::invariants::Invariants;
use crate::invariants::{Check, Violation};
use crate::invariants::{EndState, GlobalState, LinkState};
use crate::machine::Protocol;
use crate::protocol::erratum::Erratum;
use crate::protocol::lme::State;
use crate::protocol::lme::algorithm1::{Algorithm1, Neighbour};
use crate::protocol::lme::colouring::Colouring;
use crate::protocol::lme::doorway::{Doorway, Phase, Position};
use crate::protocol::lme::forks::{Fork, Forks};
use crate::protocol::lme::message::{Colour, Lme1Message};
use crate::protocol::reversal::invariants::untrue;

impl<C: Colouring> OnForks for Algorithm1<C> {
    type About = Neighbour;

    fn state(&self) -> State {
        Self::state(self)
    }

    fn forks(&self) -> &Forks<Neighbour> {
        self.links()
    }
}

impl<C: Colouring> Invariants for Algorithm1<C> {
    fn always(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        for node in network.nodes() {
            local(node, network.app(node.id()))?;
            doorways(node)?;
            // With another rule as printed the outcome is to show, not what leads to it.
            if matches!(node.as_printed(), None | Some(Erratum::L9)) {
                orderly(node)?;
                inside(node)?;
            }
        }
        one_fork_per_link(network)?;
        views(network)
    }

    fn locality(nodes: usize) -> usize {
        C::locality(nodes)
    }

    fn when_quiet(network: &impl GlobalState<Self>) -> Result<(), Violation> {
        match network.nodes().first().and_then(Algorithm1::as_printed) {
            Some(_) => Ok(()),
            None => nobody_hungry(network),
        }
    }
}

/// Each inner doorway is behind its outer one, and nobody is behind both inner ones.
fn doorways<C: Colouring>(node: &Algorithm1<C>) -> Result<(), Violation> {
    let behind = |doorway| node.position().is_behind(doorway);
    let nested = [
        (Doorway::SyncRecolouring, Doorway::AsyncRecolouring),
        (Doorway::SyncForks, Doorway::AsyncForks),
    ];
    if nested.iter().any(|&(s, a)| behind(s) && !behind(a)) {
        let what = "is behind an inner doorway only if it is behind the outer one";
        return Err(untrue(node, Check::Lme1Nested, what));
    }
    if behind(Doorway::SyncRecolouring) && behind(Doorway::SyncForks) {
        let what = "does not recolour and collect forks at once";
        return Err(untrue(node, Check::Lme1OneInner, what));
    }
    Ok(())
}

/// Who eats or keeps a fork that is asked for is behind SD^f.
fn inside<C: Colouring>(node: &Algorithm1<C>) -> Result<(), Violation> {
    let behind = node.position().is_behind(Doorway::SyncForks);
    if behind != (node.phase() == Phase::Forks) {
        let what = "collects forks exactly behind SD^f";
        return Err(untrue(node, Check::Lme1Collects, what));
    }
    if node.state() == State::Eating && !behind {
        return Err(untrue(node, Check::Lme1Eats, "eats only behind SD^f"));
    }
    let mut forks = node.links().iter().map(|link| link.fork());
    if !behind && forks.any(|fork| fork == Fork::Suspended) {
        let what = "suspends requests only behind SD^f";
        return Err(untrue(node, Check::Lme1Suspends, what));
    }
    if (node.state() == State::Thinking) != (node.phase() == Phase::Idle) {
        let what = "is on its way exactly if it is not thinking";
        return Err(untrue(node, Check::Lme1Phase, what));
    }
    Ok(())
}

/// What a node knows of a neighbour is what that told last, up to what is under way.
fn views<C: Colouring>(network: &impl GlobalState<Algorithm1<C>>) -> Result<(), Violation> {
    for (ends, pair) in network.pairs() {
        if [pair.end(0), pair.end(1)] != [EndState::Up; 2] {
            continue;
        }
        for end in [0, 1] {
            let (node, peer) = (ends[1 - end], ends[end]);
            let told = pair.undelivered(end).fold(known(network, node, peer), hear);
            let truth = &network.nodes()[peer.index()];
            let colour_is_old = told.colour.is_some() && told.colour != truth.colour();
            if told.position != Some(truth.position()) || colour_is_old {
                let detail = format!("{node:?} will be wrong about {peer:?}");
                return Err(Violation::new(Check::Lme1Views, detail));
            }
        }
    }
    Ok(())
}

struct Told {
    colour: Option<Colour>,
    position: Option<Position>,
}

fn known<C: Colouring>(
    network: &impl GlobalState<Algorithm1<C>>,
    node: NodeId,
    peer: NodeId,
) -> Told {
    let link = network.nodes()[node.index()].links().get(peer);
    Told {
        colour: link.and_then(|link| link.about.colour),
        position: link.and_then(|link| link.about.sight.position()),
    }
}

fn hear<W>(told: Told, msg: &Lme1Message<W>) -> Told {
    match *msg {
        Lme1Message::Position(position) => Told {
            position: Some(position),
            ..told
        },
        Lme1Message::Welcome { colour, position } => Told {
            colour,
            position: Some(position),
        },
        Lme1Message::UpdateColour(colour) => Told {
            colour: Some(colour),
            ..told
        },
        _ => told,
    }
}
