//! Constants of a run.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A constant of a run, shared by all nodes. It is no part of a state: any two are equal.
#[derive(Clone, Debug, Default)]
pub struct Fixed<T>(Arc<T>);

impl<T> Fixed<T> {
    /// Shares `value`.
    pub fn new(value: T) -> Self {
        Self(Arc::new(value))
    }
}

impl<T> Deref for Fixed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> PartialEq for Fixed<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> Eq for Fixed<T> {}

impl<T> Hash for Fixed<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
