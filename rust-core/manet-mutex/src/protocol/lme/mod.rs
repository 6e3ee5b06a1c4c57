//! Local mutual exclusion: no two neighbours inside at once.
//!
//! Source: Hagit Attiya, Alex Kogan, Jennifer L. Welch, *Efficient and Robust Local Mutual
//! Exclusion in Mobile Ad Hoc Networks*, cited as `[LME 4.2, line 19]`. The extended abstract
//! prints the code of its first algorithm only, and of that neither the doorways nor the colouring
//! procedures; what it leaves out is reconstructed from its text, and said to be so where it is.
//!
//! | name | module | conflicts are decided by |
//! |---|---|---|
//! | `lme1a` | [`algorithm1`] with [`colouring::greedy`] | colours, behind two double doorways |
//! | `lme1b` | [`algorithm1`] with [`colouring::linial`] | the same |
//! | `lme2` | [`algorithm2`] | heights, no doorways |
//!
//! # Where the rules of the paper are
//! | rules | module |
//! |---|---|
//! | doorways [LME 3] | [`doorway`] |
//! | fork collection [LME 4.2, lines 1 to 35] | [`forks`], called from [`algorithm1`] |
//! | recolouring [LME 4.2, lines 36 to 43; 4.4] | [`colouring`] |
//! | links [LME 4.2, lines 44 to 61] | [`algorithm1`] |
//!
//! # Forks
//! All three collect forks ([`forks`]): one for each link, at one of its ends or on its way between
//! them. A node that has all its forks may be inside. They differ in who of two neighbours goes
//! first and in what a node has to wait for before it competes.
//!
//! # The link contract
//! It is that of [`crate::machine`], which promises less than [LME 2]: the two ends of a link learn
//! of it at different times, in either order, and links between two nodes that stand still come and
//! go. A link lives in incarnations that do not overlap; what was sent in one is delivered in it,
//! in order, or never. Of the two ends exactly one is told that it is the [`Role::Moving`] one [LME
//! 2, two types of link creation notification].
//!
//! A fork lives and dies with its link's incarnation [LME 4]: the end that is told [`Role::Static`]
//! makes it, and at each end it ceases to exist when that end is told that the link is down,
//! wherever it was.
//!
//! # What is promised
//! Let M be the `Moving` and S the `Static` end of an incarnation. From the moment M has been told
//! that the link is up until the first of the two has been told that it is down, M and S are never
//! both inside, whether S knows of the link yet or not: M stepped back and has no fork, the only
//! one is made at S, and S gives it away only when it is not inside. Before and after, one of the
//! two does not know of the other, and both may be inside.
//!
//! A node that is inside when it is told that it moved into another's neighbourhood is inside no
//! longer ([`Action::Demoted`](crate::machine::Action::Demoted)); its request waits again [LME 2].
//!
//! [`Role::Moving`]: crate::machine::Role::Moving
//! [`Role::Static`]: crate::machine::Role::Static

pub mod algorithm1;
pub mod algorithm2;
pub mod colouring;
mod describe;
pub mod doorway;
pub mod forks;
mod invariants;
pub mod message;

use crate::demand::Demand;
use crate::ids::NodeId;
use crate::machine::ProtocolError;

/// `state` [LME 2].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Not interested.
    #[default]
    Thinking,
    /// Wants to enter.
    Hungry,
    /// Inside.
    Eating,
}

impl State {
    /// Whether a node in this state may ask for `demand`.
    ///
    /// # Errors
    /// If the demand is invalid, or the node waits or is inside.
    pub(crate) fn may_request(
        self,
        protocol: &'static str,
        node: NodeId,
        demand: Demand,
    ) -> Result<(), ProtocolError> {
        if demand != Demand::Exclusive {
            let hint = "ask for exclusive access";
            return Err(ProtocolError::Refused {
                protocol,
                demand,
                hint,
            });
        }
        if self != Self::Thinking {
            let what = "requested while waiting or inside: release first";
            return Err(ProtocolError::Misuse { node, what });
        }
        Ok(())
    }

    /// Whether a node in this state may release.
    ///
    /// # Errors
    /// If it is not inside.
    pub(crate) fn may_release(self, node: NodeId) -> Result<(), ProtocolError> {
        if self == Self::Eating {
            return Ok(());
        }
        let what = "released while not inside: wait for Enter, and do not release after Demoted";
        Err(ProtocolError::Misuse { node, what })
    }
}
