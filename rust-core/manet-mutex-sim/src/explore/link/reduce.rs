//! Frames that differ in nothing that matters.
//!
//! Epochs only grow, and within an epoch an end only rises. So much of what a frame says can have
//! no effect any more, and two frames that differ in nothing else are one. That the ends can still
//! do all that they could is tested by exploring both ways.

use super::frames::{Body, Frame, Parcel};
use manet_mutex::link::{Entry, Farewell, Final, Flaw, Pair, Standing, State as Stage};

/// Takes out of a frame what can have no effect at the end that it is for. False if nothing is
/// left.
///
/// An end with a flaw may see a difference where there should be none: for that only what is stale
/// is taken out.
pub(super) fn simplify(pair: &Pair<Parcel>, flaw: Option<Flaw>, frame: &mut Frame) -> bool {
    let now = pair.entry(Standing::default());
    let sound = flaw.is_none();
    match &mut frame.body {
        Body::Hello(entry) if Some(entry.mine) < now.theirs => false,
        Body::Hello(entry) if sound => {
            simplify_last(pair, &now, entry);
            simplify_naming(pair, &now, entry);
            let clears = now.last.is_some_and(|last| last.theirs < entry.mine);
            let news = Some(entry.mine) > now.theirs || entry.last.is_some() || clears;
            if !news {
                entry.doubtful = false;
            }
            // What is left is as good as a hello that does not list the receiver.
            news || entry.theirs.is_some()
        }
        Body::Hello(_) => true,
        Body::Data { epochs, .. } | Body::Ack { epochs, .. }
            if epochs.1 < now.mine || Some(epochs.0) < now.theirs =>
        {
            flaw == Some(Flaw::NoEpochCheck)
        }
        Body::Data { ack, .. } => {
            if sound && *ack <= pair.acknowledged() {
                *ack = 0;
            }
            true
        }
        Body::Ack { ack, .. } => !sound || *ack > pair.acknowledged(),
        Body::Close(farewell) | Body::Flood { farewell, .. } => matters(pair, &now, *farewell),
    }
}

/// Whether what the peer says about an incarnation that it left can have an effect.
fn matters(pair: &Pair<Parcel>, now: &Entry, farewell: Farewell) -> bool {
    let Farewell { last, ask } = farewell;
    let same = |mine: Final| (mine.mine, mine.theirs) == (last.theirs, last.mine);
    let doubted = pair.question().is_some_and(|question| same(question.last));
    last.theirs >= now.mine || doubted || (ask && now.last.is_some_and(same))
}

fn simplify_last(pair: &Pair<Parcel>, now: &Entry, entry: &mut Entry) {
    let ask = entry.doubtful;
    entry.last = entry
        .last
        .filter(|&last| matters(pair, now, Farewell { last, ask }));
}

/// An end rises by a hello that names its epoch; to any other it is all the same how far the
/// peer has come.
fn simplify_naming(pair: &Pair<Parcel>, now: &Entry, entry: &mut Entry) {
    let (same, newer) = (
        Some(entry.mine) == now.theirs,
        Some(entry.mine) > now.theirs,
    );
    let raises = entry.theirs == Some(now.mine)
        && match now.state {
            Stage::Down | Stage::Heard => entry.state >= Stage::Heard,
            // Leaves the epoch that is named.
            Stage::Sym | Stage::Up if newer => false,
            Stage::Sym => entry.state >= Stage::Sym,
            Stage::Up => same && entry.ack > pair.acknowledged(),
        };
    if !raises {
        (entry.state, entry.theirs, entry.ack) = (Stage::Down, None, 0);
    } else if entry.state == Stage::Sym {
        entry.state = Stage::Up;
    }
    if !raises || now.state >= Stage::Sym {
        entry.standing = Standing::default();
    }
}
