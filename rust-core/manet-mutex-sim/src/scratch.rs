//! Memory kept for reuse.

use std::hash::{Hash, Hasher};

/// Something kept for its memory only. It is no part of a state: any two are equal, and a copy
/// starts afresh.
#[derive(Debug, Default)]
pub struct Scratch<T>(pub T);

impl<T: Default> Clone for Scratch<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Scratch<T> {}

impl<T> Hash for Scratch<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
