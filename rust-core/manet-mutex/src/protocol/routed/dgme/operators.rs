//! The operators that are lost in print.

use std::fmt;
use std::str::FromStr;

/// The four operators between conditions of which print has left a box. As text: a letter for each,
/// in the order of the rules, `a` for AND, `o` for OR.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operators {
    /// Rule 4: a process is let in if the token is here and (?) no other session waits.
    pub admit: Operator,
    /// Rule 4: the token is asked for if no other session waits and (?) no process does.
    pub ask: Operator,
    /// Rule 5: the token is given away if it is here and (?) no process is in.
    pub give: Operator,
    /// Rule 6: the token is passed on if no process is in and (?) another session waits.
    pub pass: Operator,
}

/// What stands between two conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// Both have to hold.
    #[default]
    And,
    /// One is enough.
    Or,
}

impl Operator {
    pub(super) const fn join(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a && b,
            Self::Or => a || b,
        }
    }
}

impl Operators {
    /// The fifteen readings that are wrong.
    pub fn wrong() -> impl Iterator<Item = Self> {
        let operator = |bits: u8, place: u8| match bits >> place & 1 {
            0 => Operator::And,
            _ => Operator::Or,
        };
        (1..16).map(move |bits| Self {
            admit: operator(bits, 3),
            ask: operator(bits, 2),
            give: operator(bits, 1),
            pass: operator(bits, 0),
        })
    }
}

impl fmt::Display for Operators {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        [self.admit, self.ask, self.give, self.pass]
            .iter()
            .try_for_each(|operator| match operator {
                Operator::And => f.write_str("a"),
                Operator::Or => f.write_str("o"),
            })
    }
}

/// No four operators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` are no operators: use four letters a (and) or o (or), such as oaaa")]
pub struct BadOperators(String);

impl FromStr for Operators {
    type Err = BadOperators;

    fn from_str(text: &str) -> Result<Self, BadOperators> {
        let operator = |letter: u8| match letter {
            b'a' => Some(Operator::And),
            b'o' => Some(Operator::Or),
            _ => None,
        };
        let parsed = match *text.as_bytes() {
            [a, b, c, d] => operator(a)
                .zip(operator(b))
                .zip(operator(c).zip(operator(d))),
            _ => None,
        };
        let ((admit, ask), (give, pass)) = parsed.ok_or_else(|| BadOperators(text.to_owned()))?;
        Ok(Self {
            admit,
            ask,
            give,
            pass,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_readings_belong_together() {
        assert_eq!(Operators::default().to_string(), "aaaa");
        assert_eq!(Operators::wrong().count(), 15);
        for reading in Operators::wrong() {
            assert_ne!(reading, Operators::default());
            assert_eq!(reading.to_string().parse(), Ok(reading));
        }
        assert!("aaa".parse::<Operators>().is_err() && "aaax".parse::<Operators>().is_err());
    }
}
