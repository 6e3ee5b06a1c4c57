//! What link layers tell their protocols, and whether it is true.

use super::Stats;
use super::play::Play;
use crate::check::Violation;
use manet_mutex::ids::NodeId;
use manet_mutex::link::{Epoch, Note, Way};
use manet_mutex::machine::{Event, Fate, Outcome};
use manet_mutex::protocol::rl::RlMessage;

impl Play {
    /// Carries out what a node left in the outbox.
    pub(super) fn settle(&mut self, node: usize) -> Result<(), Violation> {
        self.stats.steps += 1;
        let events = std::mem::take(&mut self.out.events);
        let notes = std::mem::take(&mut self.out.notes);
        let up = notes.iter().find_map(|note| match note {
            Note::Up { incarnation, .. } => Some(*incarnation),
            _ => None,
        });
        for event in &events {
            self.say(|_| format!("  {node}: {event:?}"));
            self.watch(node, event, up)?;
            if let Event::LinkUp { peer, .. } | Event::Message { from: peer, .. } = event
                && self.random.chance(self.case.answers)
            {
                self.send(node, peer.index())?;
            }
        }
        for note in &notes {
            if let Note::Resolved { way, messages, .. } = note {
                *self.stats.by(*way) += *messages as u64;
            }
        }
        self.emit(node);
        compare(&events, &notes)
    }

    fn watch(
        &mut self,
        node: usize,
        event: &Event<RlMessage>,
        up: Option<(Epoch, Epoch)>,
    ) -> Result<(), Violation> {
        let me = NodeId::from_index(node);
        let stats = &mut self.stats;
        match event {
            Event::LinkUp { peer, role } => {
                stats.ups += 1;
                let missing = || Violation::named("notes", "a link came up without a note");
                self.checker.up(me, *peer, up.ok_or_else(missing)?, *role)
            }
            Event::Message { from, msg } => {
                stats.delivered += 1;
                self.checker.received(me, *from, msg)
            }
            Event::LinkDown { peer, unacked } => {
                stats.downs += 1;
                for (_, fate) in unacked {
                    *match fate {
                        Fate::Delivered => &mut stats.known_delivered,
                        Fate::Returned => &mut stats.known_returned,
                        Fate::InDoubt => &mut stats.doubts,
                    } += 1;
                }
                self.checker.down(me, *peer, unacked)
            }
            Event::Resolved { peer, msg, outcome } => {
                *match outcome {
                    Outcome::Delivered => &mut stats.resolved_delivered,
                    Outcome::Returned => &mut stats.resolved_returned,
                } += 1;
                self.checker.resolved(me, *peer, msg, *outcome)
            }
            _ => Ok(()),
        }
    }
}

/// Observers are told what the protocol is told.
fn compare(events: &[Event<RlMessage>], notes: &[Note]) -> Result<(), Violation> {
    let (mut told, mut noted) = ([0; 3], [0; 3]);
    for event in events {
        match event {
            Event::LinkUp { .. } => told[0] += 1,
            Event::LinkDown { .. } => told[1] += 1,
            Event::Resolved { .. } => told[2] += 1,
            _ => {}
        }
    }
    for note in notes {
        match note {
            Note::Up { .. } => noted[0] += 1,
            Note::Down { .. } => noted[1] += 1,
            Note::Resolved { messages, .. } => noted[2] += messages,
            Note::Crowded { .. } => {}
        }
    }
    if told == noted {
        return Ok(());
    }
    let detail = format!("links up, down, resolved: {told:?} in events, {noted:?} in notes");
    Err(Violation::named("notes", detail))
}

impl Stats {
    const fn by(&mut self, way: Way) -> &mut u64 {
        match way {
            Way::Close => &mut self.by_close,
            Way::Hello => &mut self.by_hello,
            Way::Flood => &mut self.by_flood,
        }
    }
}
