//! Doorways: who has come late waits outside until those behind have left.
//!
//! A node *crosses* a doorway when it has seen its neighbours outside, and is *behind* it until it
//! *exits*. At an asynchronous doorway it is enough to have seen each of them outside once; at a
//! synchronous one all have to be outside at the same time. A double doorway is an asynchronous one
//! with a synchronous one behind it; a return path leads from behind the inner one back to its
//! entry. [LME 3, Figures 1 and 2]
//!
//! Algorithm 1 has two of them, one behind the other [LME 4, Figure 3]:
//!
//! ```text
//!   moved     -> AD^r -> SD^r -> recolouring --.
//!                                              v       .-- return path --.
//!   otherwise ---------------------------------+-> AD^f -> SD^f -> fork collection -> inside
//! ```
//!
//! The paper prints no code for doorways; this is made from its text.
//!
//! # Deviations from the paper
//! * One message with the sender's whole [`Position`] stands for all `cross` and `exit` messages. A
//!   node that crosses AD^f leaves the first double doorway in the same message, so that nobody
//!   sees it between the two.
//! * That a node does not cross as long as a neighbour is behind [LME 3] is true of what it has
//!   heard: two neighbours may cross at the same time, each before it hears of the other (erratum
//!   L13).
//! * A node that came into a neighbourhood crosses nothing until all new neighbours have told it
//!   where they are. [LME 4.2, line 53] waits for that in a place of its own, where it would wait
//!   for ever if the link broke first (L11).

use serde::{Deserialize, Serialize};

/// One of the four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Doorway {
    /// AD^r: the outer one of recolouring.
    AsyncRecolouring = 1,
    /// SD^r: the inner one of recolouring.
    SyncRecolouring = 2,
    /// AD^f: the outer one of fork collection.
    AsyncForks = 4,
    /// SD^f: the inner one of fork collection.
    SyncForks = 8,
}

impl Doorway {
    /// All of them, with the names that they have in the paper.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::AsyncRecolouring, "ADr"),
        (Self::SyncRecolouring, "SDr"),
        (Self::AsyncForks, "ADf"),
        (Self::SyncForks, "SDf"),
    ];

    const fn bit(self) -> u8 {
        self as u8
    }
}

/// The doorways that a node is behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(u8);

impl Position {
    /// Behind none: `exit_all`.
    pub const OUTSIDE: Self = Self(0);

    /// Behind this one only.
    pub const fn behind(doorway: Doorway) -> Self {
        Self(doorway.bit())
    }

    /// Whether a node there is behind a doorway.
    pub const fn is_behind(self, doorway: Doorway) -> bool {
        self.0 & doorway.bit() != 0
    }

    /// After crossing one more.
    pub const fn crossed(self, doorway: Doorway) -> Self {
        Self(self.0 | doorway.bit())
    }

    /// After leaving one.
    pub const fn left(self, doorway: Doorway) -> Self {
        Self(self.0 & !doorway.bit())
    }
}

/// Where a node is on its way inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nowhere: it is thinking.
    #[default]
    Idle,
    /// In the entry code of a doorway.
    At(Doorway),
    /// Behind SD^r, choosing a colour.
    Recolouring,
    /// Behind SD^f, collecting forks or eating.
    Forks,
}

/// What a node has seen of a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sight {
    /// `L[j]`; unknown until a neighbour newly met has told it.
    position: Option<Position>,
    /// Whether it was outside since this node began to wait at an asynchronous doorway.
    seen: bool,
}

impl Sight {
    /// Of a neighbour that has not said where it is.
    pub const UNKNOWN: Self = Self {
        position: None,
        seen: false,
    };

    /// Of a neighbour outside all doorways.
    pub const OUTSIDE: Self = Self {
        position: Some(Position::OUTSIDE),
        seen: true,
    };

    /// `L[j]`.
    pub const fn position(self) -> Option<Position> {
        self.position
    }

    /// This node begins to wait at a doorway.
    pub fn wait_at(&mut self, doorway: Doorway) {
        self.seen = self.is_outside(doorway);
    }

    /// The neighbour says where it is, while this node is in some phase.
    pub fn hear(&mut self, position: Position, phase: Phase) {
        self.position = Some(position);
        if let Phase::At(doorway) = phase {
            self.seen |= !position.is_behind(doorway);
        }
    }

    /// Whether it lets this node cross an asynchronous doorway.
    pub const fn was_outside(self) -> bool {
        self.seen
    }

    /// Whether it lets this node cross a synchronous doorway.
    pub fn is_outside(self, doorway: Doorway) -> bool {
        self.position.is_some_and(|place| !place.is_behind(doorway))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AD: Doorway = Doorway::AsyncForks;
    const SD: Doorway = Doorway::SyncForks;

    #[test]
    fn a_position_is_a_set() {
        let both = Position::behind(AD).crossed(SD);
        assert!(both.is_behind(AD) && both.is_behind(SD));
        assert_eq!(both.left(SD), Position::behind(AD));
        assert_eq!(both.left(SD).left(AD), Position::OUTSIDE);
        for (doorway, _) in Doorway::ALL {
            assert!(!Position::OUTSIDE.is_behind(doorway));
        }
    }

    /// [LME 3]: at an asynchronous doorway each neighbour is checked independently.
    #[test]
    fn once_outside_is_enough_for_an_asynchronous_doorway_only() {
        let mut sight = Sight::OUTSIDE;
        sight.hear(Position::behind(AD), Phase::Idle);
        sight.wait_at(AD);
        assert!(!sight.was_outside());
        sight.hear(Position::OUTSIDE, Phase::At(AD));
        sight.hear(Position::behind(AD).crossed(SD), Phase::At(AD));
        assert!(sight.was_outside());
        assert!(!sight.is_outside(SD));
    }

    #[test]
    fn waiting_begins_anew_at_each_doorway() {
        let mut sight = Sight::OUTSIDE;
        sight.hear(Position::behind(AD), Phase::Idle);
        sight.wait_at(Doorway::AsyncRecolouring);
        assert!(sight.was_outside());
        sight.wait_at(AD);
        assert!(!sight.was_outside());
    }

    #[test]
    fn nobody_crosses_before_all_have_told_where_they_are() {
        let mut sight = Sight::UNKNOWN;
        for (doorway, _) in Doorway::ALL {
            sight.wait_at(doorway);
            assert!(!sight.was_outside() && !sight.is_outside(doorway));
        }
    }
}
