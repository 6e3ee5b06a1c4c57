//! Whole numbers in base 128, as postcard writes them, read in their shortest form only.

use super::WireError;

/// Reads from the front of some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reader<'a> {
    pub(super) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline]
    pub(super) const fn byte(&mut self) -> Result<u8, WireError> {
        match self.rest {
            [first, rest @ ..] => {
                self.rest = rest;
                Ok(*first)
            }
            [] => Err(WireError::Truncated),
        }
    }

    #[inline]
    pub(super) fn u64(&mut self) -> Result<u64, WireError> {
        match *self.rest {
            // Most numbers are small.
            [first, ref rest @ ..] if first < 0x80 => {
                self.rest = rest;
                Ok(first.into())
            }
            _ => self.long(),
        }
    }

    fn long(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let digit = u64::from(byte & 0x7f);
            if digit << shift >> shift != digit {
                return Err(too_large());
            }
            value |= digit << shift;
            if byte & 0x80 == 0 {
                if byte == 0 && shift > 0 {
                    let what = "a number is not in its shortest form";
                    return Err(WireError::Malformed { what });
                }
                return Ok(value);
            }
        }
        Err(too_large())
    }

    #[inline]
    pub(super) fn u32(&mut self) -> Result<u32, WireError> {
        u32::try_from(self.u64()?).map_err(|_| too_large())
    }

    pub(super) const fn truth(&mut self) -> Result<bool, WireError> {
        match self.byte() {
            Ok(0) => Ok(false),
            Ok(1) => Ok(true),
            Ok(_) => {
                let what = "a truth value is neither 0 nor 1";
                Err(WireError::Malformed { what })
            }
            Err(error) => Err(error),
        }
    }

    /// That nothing is left.
    pub(super) const fn end(&self) -> Result<(), WireError> {
        match self.rest {
            [] => Ok(()),
            more => Err(WireError::Trailing { count: more.len() }),
        }
    }
}

const fn too_large() -> WireError {
    let what = "a number does not fit its field";
    WireError::Malformed { what }
}

/// Appends a number.
pub(super) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
