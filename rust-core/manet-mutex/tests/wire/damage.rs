//! Damage that every form of bytes has to notice alike.

use manet_mutex::wire::{VERSION, WireError};
use std::fmt::Debug;

/// Something that has bytes, which begin with a version and a protocol.
pub trait Sample: Debug {
    fn bytes(&self) -> Vec<u8>;

    /// Whether `bytes` can be read as something of the same kind.
    fn check(&self, bytes: &[u8]) -> Result<(), WireError>;
}

pub fn truncations(samples: &[impl Sample]) {
    for sample in samples {
        let bytes = sample.bytes();
        assert_eq!(sample.check(&[]), Err(WireError::Empty));
        for length in 1..bytes.len() {
            let cut = &bytes[..length];
            assert_eq!(sample.check(cut), Err(WireError::Truncated), "{cut:02x?}");
        }
    }
}

pub fn trailing_bytes(samples: &[impl Sample]) {
    for sample in samples {
        for extra in 0..=u8::MAX {
            let mut bytes = sample.bytes();
            bytes.push(extra);
            let expected = Err(WireError::Trailing { count: 1 });
            assert_eq!(sample.check(&bytes), expected, "{bytes:02x?}");
        }
    }
}

pub fn other_versions(samples: &[impl Sample]) {
    for sample in samples {
        let mut bytes = sample.bytes();
        for found in (0..=u8::MAX).filter(|&byte| byte != VERSION) {
            bytes[0] = found;
            assert_eq!(sample.check(&bytes), Err(WireError::Version { found }));
        }
    }
}

pub fn other_protocols(samples: &[impl Sample]) {
    for sample in samples {
        let mut bytes = sample.bytes();
        let own = bytes[1];
        for tag in (0..=u8::MAX).filter(|&byte| byte != own) {
            bytes[1] = tag;
            let refused = matches!(
                sample.check(&bytes),
                Err(WireError::OtherProtocol { found, .. }) if found == tag
            );
            assert!(refused, "tag {tag}: {sample:?}");
        }
    }
}
