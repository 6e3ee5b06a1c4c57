//! Which state is which.

use std::hash::{Hash, Hasher};

/// 128 bits that stand for a state. That two of a billion states share one has a probability of
/// about 2^-69.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fingerprint(u64, u64);

impl Fingerprint {
    pub(super) fn of(state: &impl Hash) -> Self {
        let mut mixer = Mixer {
            a: 0x243f_6a88_85a3_08d3,
            b: 0x1319_8a2e_0370_7344,
        };
        state.hash(&mut mixer);
        Self(mixer.a, mixer.b)
    }
}

/// Two independent folded multiplications of each word.
struct Mixer {
    a: u64,
    b: u64,
}

impl Mixer {
    const fn mix(&mut self, word: u64) {
        self.a = fold(self.a ^ word, 0x9e37_79b9_7f4a_7c15).wrapping_add(word);
        self.b = fold(self.b.rotate_left(23) ^ word, 0xd6e8_feb8_6659_fd93) ^ self.a;
    }
}

const fn fold(a: u64, b: u64) -> u64 {
    let product = a as u128 * b as u128;
    product as u64 ^ (product >> 64) as u64
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.mix(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.mix(n.into());
    }

    fn write_u32(&mut self, n: u32) {
        self.mix(n.into());
    }

    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }

    fn finish(&self) -> u64 {
        self.a ^ self.b
    }
}
