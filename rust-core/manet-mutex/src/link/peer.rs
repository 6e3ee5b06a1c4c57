//! All that a node keeps about another.

use super::config::Rules;
use super::hearing::Hearing;
use super::outbox::Cause;
use super::pair::Pair;
use crate::machine::{Class, Message};
use crate::time::Time;
use crate::wire::frame::Gist;
use crate::wire::frame::{Entry, Standing, State};
use std::time::Duration;

/// A peer: the pair's rules, how well it is heard, and when to do what.
///
/// What every hello looks at comes first and fits a line of the processor's cache: a simulator takes
/// the hellos of many pairs in turn, and much of what that costs is fetching this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[repr(C, align(64))]
pub(super) struct Peer<M> {
    pub(super) hearing: Hearing,
    /// The gist of this node's entry in the peer's last hello, if another like it changes nothing
    /// unless the power does.
    settled: Option<Gist>,
    /// Those below that rode on a hello should be acknowledged at once.
    hurried: u32,
    /// Too many messages wait.
    pub(super) overflow: bool,
    /// The link has come up since the last hello, so that what the protocol has to say can wait
    /// for the next one.
    pub(super) fresh: bool,
    /// Something that rode on a hello was lost: until all is acknowledged, messages are for it
    /// alone.
    alone: bool,
    /// It has been reported that there is no room for it.
    pub(super) crowded: bool,
    /// The pair was down at that hello, as its state says, which is in another line.
    apart: bool,
    pub(super) pair: Pair<M>,
    /// The frame that the radio is busy with, with its message's sequence number.
    pub(super) carried: Option<Carried>,
    /// Not before then, because the radio failed.
    retry_at: Option<Time>,
    /// When to send again what is not acknowledged.
    resend_at: Option<Time>,
    /// When to ask others about what is in doubt, and how long to wait after that.
    pub(super) query_at: Option<Time>,
    pub(super) query_gap: Duration,
    /// When the link closed last.
    pub(super) left_at: Time,
}

/// A frame at the radio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Carried {
    pub(super) number: u32,
    pub(super) sequence: u32,
    since: Time,
}

/// A radio that has not reported on a frame for so long is not going to.
const LOST: Duration = Duration::from_secs(1);

impl<M: Message> Peer<M> {
    pub(super) const fn new(pair: Pair<M>, hearing: Hearing) -> Self {
        Self {
            hearing,
            settled: None,
            pair,
            carried: None,
            retry_at: None,
            resend_at: None,
            query_at: None,
            query_gap: Duration::ZERO,
            left_at: Time::ZERO,
            crowded: false,
            apart: true,
            overflow: false,
            fresh: false,
            alone: false,
            hurried: 0,
        }
    }

    /// Whether a hello with this entry of this node would change nothing.
    pub(super) fn is_settled(&self, gist: Option<Gist>, rules: &Rules) -> bool {
        gist.is_some()
            && gist == self.settled
            && if self.apart {
                !self.hearing.is_good(rules)
            } else {
                !self.hearing.is_fading(rules)
            }
    }

    /// A hello had this entry of this node and came when the pair was in this state.
    pub(super) fn settle(&mut self, entry: &Entry, gist: Option<Gist>, before: State) {
        let state = self.pair.state();
        let over = entry.last.is_none() && !entry.doubtful && self.pair.backlog() == 0;
        self.settled = gist.filter(|_| over && state == before);
        self.apart = state == State::Down;
    }

    /// A hello like the last one may change something.
    pub(super) const fn unsettle(&mut self) {
        self.settled = None;
    }

    /// The earliest moment at which its silence may make a difference, to a neighbour for whom
    /// nothing waits.
    pub(super) fn quiet_until(&self, rules: &Rules) -> Time {
        self.hearing.loss_at(rules).min(self.hearing.dead_at(rules))
    }

    /// The earliest moment at which its silence may make a difference: what waits stops riding at
    /// the first miss.
    pub(super) fn miss_at(&self, rules: &Rules) -> Time {
        match self.pair.state() {
            State::Down => Time::NEVER,
            _ if self.pair.backlog() > 0 => self.hearing.miss_at().min(self.hearing.dead_at(rules)),
            _ => self.quiet_until(rules),
        }
    }

    /// The earliest moment at which there may be anything else to do.
    pub(super) fn errand_at(&self) -> Option<Time> {
        if self.overflow {
            return Some(Time::ZERO);
        }
        let lost = self.carried.map(|carried| carried.since + LOST);
        [lost, self.retry_at, self.resend_at, self.query_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// Why a link, or an attempt at one, has to end now.
    pub(super) fn end(&mut self, now: Time, rules: &Rules) -> Option<Cause> {
        if self.overflow {
            return Some(Cause::Backlog);
        }
        if self.hearing.is_silent(now, rules) {
            return Some(Cause::Silent);
        }
        self.hearing.miss(now, rules);
        self.hearing.is_fading(rules).then_some(Cause::Weak)
    }

    /// Whether its messages go with a hello.
    pub(super) fn rides(&self, now: Time, rules: &Rules) -> bool {
        rules.sharing && !self.alone && (self.fresh || self.hearing.is_steady(now))
    }

    /// Whether there is something for a hello to carry, for the first time or again.
    pub(super) fn has_riders(&self, rules: &Rules) -> bool {
        self.pair.state() == State::Up
            && self.pair.backlog() > 0
            && rules.sharing
            && !self.alone
            && self.is_free()
    }

    /// Whether the radio may get the next message.
    pub(super) const fn is_free(&self) -> bool {
        self.carried.is_none() && self.retry_at.is_none()
    }

    /// The radio got a message.
    pub(super) fn carry(
        &mut self,
        number: u32,
        sequence: u32,
        class: Class,
        now: Time,
        rules: &Rules,
    ) {
        let since = now;
        self.carried = Some(Carried {
            number,
            sequence,
            since,
        });
        self.resend_by(now + patience(class, rules));
    }

    /// A hello carried a message.
    pub(super) fn shared(&mut self, sequence: u32, urgent: bool, now: Time, rules: &Rules) {
        if urgent {
            self.hurried = sequence + 1;
        }
        let patience = if urgent {
            rules.retry_after
        } else {
            rules.resend_after
        };
        self.resend_by(now + patience);
    }

    fn resend_by(&mut self, at: Time) {
        self.resend_at = Some(self.resend_at.map_or(at, |earlier| earlier.min(at)));
    }

    /// Whatever is not acknowledged goes out again, to it alone.
    pub(super) fn repeat(&mut self, now: Time, rules: &Rules) {
        self.alone = true;
        self.pair.resend_from(0);
        self.acknowledged(now, rules);
    }

    /// What comes now does not ride. It must not overtake what did, and perhaps was lost.
    pub(super) fn stop_riding(&mut self, now: Time, rules: &Rules) {
        if rules.sharing && !self.alone && self.pair.outgoing().is_some() {
            self.repeat(now, rules);
        }
    }

    /// The radio reported on the frame that it was busy with.
    pub(super) fn carried(&mut self, carried: Carried, ok: bool, now: Time, rules: &Rules) {
        self.carried = None;
        if !ok {
            self.alone = true;
            self.pair.resend_from(carried.sequence);
            self.retry_at = Some(now + rules.retry_after);
        }
    }

    /// Something was acknowledged, and perhaps what the radio is busy with.
    pub(super) fn acknowledged(&mut self, now: Time, rules: &Rules) {
        let waiting = |carried: &Carried| carried.sequence >= self.pair.acknowledged();
        self.carried = self.carried.filter(waiting);
        if self.pair.backlog() == 0 {
            self.alone = false;
        }
        let hurried = !self.alone && self.pair.acknowledged() < self.hurried;
        let patience = |class| match class {
            _ if hurried => rules.retry_after,
            class => patience(class, rules),
        };
        self.resend_at = self.pair.unacked().map(|class| now + patience(class));
    }

    /// Time to try again what the radio failed to carry, or what was not acknowledged.
    pub(super) fn try_again(&mut self, now: Time, rules: &Rules) {
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
        }
        let lost = |carried: Carried| now - carried.since >= LOST;
        if self.carried.is_some_and(lost) {
            // Newer ones must not overtake what perhaps never went out.
            self.carried = None;
            self.resend_at = Some(now);
        }
        if self.resend_at.is_none_or(|at| at > now) {
            return;
        }
        if self.carried.is_some() {
            self.resend_at = Some(now + rules.resend_urgent);
            return;
        }
        self.repeat(now, rules);
    }

    /// The link closed: nothing goes out again.
    pub(super) fn closed(&mut self, now: Time, rules: &Rules) {
        self.left_at = now;
        self.hearing.start_over();
        (self.overflow, self.fresh, self.alone) = (false, false, false);
        self.hurried = 0;
        (self.carried, self.retry_at, self.resend_at) = (None, None, None);
        if self.pair.is_doubtful() {
            self.query_at = Some(now + rules.query_after);
            self.query_gap = rules.query_every;
        }
    }

    /// Until when hellos should list it.
    pub(super) fn listed_until(&self, rules: &Rules) -> Time {
        let heard = self.hearing.dead_at(rules);
        match self.pair.last() {
            _ if self.pair.state() >= State::Heard => Time::NEVER,
            Some(_) => heard.max(self.left_at + rules.remember),
            None => heard,
        }
    }

    /// The gist of its entry in a hello, if there is one and the hello has nothing else to do with
    /// this peer.
    pub(super) fn gist(&self, rules: &Rules) -> Option<Gist> {
        if self.fresh || self.pair.backlog() > 0 || rules.flaw.is_some() {
            return None;
        }
        // Without a flaw an entry tells the standing that the pair keeps.
        Gist::of(self.pair.peer(), &self.pair.entry(Standing::default()))
    }

    /// Whether nothing would be lost by forgetting it.
    pub(super) fn is_idle(&self, now: Time, rules: &Rules) -> bool {
        self.pair.state() == State::Down
            && !self.pair.is_doubtful()
            && self.pair.last().is_none()
            && self.hearing.is_silent(now, rules)
    }
}

const fn patience(class: Class, rules: &Rules) -> Duration {
    match class {
        Class::Ownership => rules.resend_urgent,
        Class::Plain => rules.resend_after,
    }
}
