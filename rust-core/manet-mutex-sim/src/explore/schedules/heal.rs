//! The phase in which nothing goes wrong.

use super::case::STRONG;
use super::play::Play;
use crate::check::Violation;
use manet_mutex::ids::NodeId;
use manet_mutex::link::Pair;
use manet_mutex::protocol::rl::RlMessage;
use std::time::Duration;

/// Everything has to be well after so long. The slowest thing is a question that is repeated each
/// few seconds.
const PATIENCE: Duration = Duration::from_secs(12);

/// So often all links have to come up until they stay.
const ATTEMPTS: usize = 4;

impl Play {
    /// From now on the radio carries everything at once and truly.
    pub(super) fn heal(&mut self) -> Result<(), Violation> {
        self.air.clear();
        self.report_truly(true)?;
        self.case.answers = 0.0;
        self.parted = self.case.parted.then_some((0, 1));
        self.say(|_| "from now on nothing goes wrong".to_owned());
        if self.parted.is_some() {
            let what = "nothing stays in doubt between nodes that a third connects";
            self.carry_until(what, |play| play.checker.open_doubts() == 0)?;
            self.parted = None;
        }
        if self.case.cramped {
            // Who gets whom for a neighbour is open.
            return self.carry_until("nothing stays in doubt", |play| {
                play.checker.open_doubts() == 0
            });
        }
        // A link may yet close because of what was lost before.
        for _ in 0..ATTEMPTS {
            self.carry_until("all links come up", Self::is_whole)?;
            let downs = self.stats.downs;
            self.send_everywhere()?;
            self.carry_until("messages flow", Self::is_whole)?;
            if self.stats.downs == downs {
                return Ok(());
            }
        }
        let detail = "a link goes down again and again though nothing is lost";
        Err(Violation::named("links stay up", detail))
    }

    /// Links come up before anything goes wrong.
    pub(super) fn warm_up(&mut self) -> Result<(), Violation> {
        self.carry_until("all links come up at first", Self::is_whole)
    }

    fn send_everywhere(&mut self) -> Result<(), Violation> {
        let nodes = self.links.len();
        for from in 0..nodes {
            for to in (0..nodes).filter(|&to| to != from) {
                if !self.send_now(from, to)? {
                    let detail = format!("{from} cannot send to {to}");
                    return Err(Violation::named("messages flow", detail));
                }
            }
        }
        Ok(())
    }

    /// All links are up at both ends, nothing is under way, in doubt or without acknowledgement.
    fn is_whole(&self) -> bool {
        let nodes = self.links.len();
        let good = |pair: &Pair<RlMessage>| pair.incarnation().is_some() && pair.backlog() == 0;
        let whole = |node: usize, peer: usize| {
            let pair = self.links[node].pair(NodeId::from_index(peer));
            node == peer || pair.is_some_and(good)
        };
        (0..nodes).all(|node| (0..nodes).all(|peer| whole(node, peer))) && self.checker.is_settled()
    }

    fn carry_until(
        &mut self,
        what: &'static str,
        done: impl Fn(&Self) -> bool,
    ) -> Result<(), Violation> {
        let deadline = self.now + PATIENCE;
        loop {
            while !self.air.is_empty() {
                let flight = self.air.remove(0);
                if !self.is_parted(&flight) {
                    self.deliver(&flight, STRONG)?;
                }
                self.report_truly(false)?;
            }
            if done(self) {
                return Ok(());
            }
            let node = self.next_due();
            if self.now > deadline {
                let detail = format!("not within {} s", PATIENCE.as_secs());
                return Err(Violation::named(what, detail));
            }
            self.rouse(node)?;
        }
    }
}
