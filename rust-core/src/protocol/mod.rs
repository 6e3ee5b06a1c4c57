//! The protocols: one paper, one module.
//!
//! | name | module | talks to |
//! |---|---|---|
//! | `rl` | [`rl`], on [`reversal`] | neighbours |
//! | `gme` | [`gme`], on [`reversal`] | neighbours |
//! | `hk` | [`hk`], on [`reversal`] | neighbours |
//! | `lme1a`, `lme1b` | [`lme::algorithm1`] | neighbours |
//! | `lme2` | [`lme::algorithm2`] | neighbours |
//! | `raymond` | [`routed::raymond`] | anyone, over routing |
//! | `naimi-trehel` | [`routed::naimi_trehel`] | anyone, over routing |
//! | `dgme` | [`routed::dgme`] | anyone, over routing |

/// Setters for tests: they lead to states that no event leads to, which a check has to refuse.
#[cfg(test)]
macro_rules! forgeable {
    ($machine:ty { $($setter:ident => $field:ident: $value:ty,)* }) => {
        impl $machine {
            $(pub(crate) fn $setter(&mut self, value: $value) {
                self.$field = value;
            })*
        }
    };
}

pub mod erratum;
pub mod gme;
pub mod hk;
pub(crate) mod line;
pub mod lme;
pub(crate) mod peers;
pub mod registry;
pub mod reversal;
pub mod rl;
pub mod routed;

use crate::check::Promise;
use crate::demand::Demands;
use crate::graph::Graph;
use crate::machine::Protocol;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A protocol of which a whole network can be made in a consistent initial configuration.
pub trait Population: Protocol {
    /// Constants of a run.
    type Config: Clone + Default;

    /// One machine for each node of `graph`, with all its links up and known.
    ///
    /// # Errors
    /// If the graph has no nodes or is not connected.
    fn settled(graph: &Graph, config: &Self::Config) -> Result<Vec<Self>, PopulationError>;

    /// One machine for each of so many nodes, none of which knows any link yet.
    ///
    /// # Errors
    /// If there are none, or the protocol has to know the network beforehand.
    fn apart(nodes: usize, config: &Self::Config) -> Result<Vec<Self>, PopulationError> {
        let _ = (nodes, config);
        Err(PopulationError::NeedsLinks(Self::NAME))
    }

    /// What applications may ask for in a run with this configuration.
    fn demands(config: &Self::Config) -> Demands {
        let _ = config;
        Demands::Exclusive
    }

    /// What a run with this configuration promises. Node 0 starts with the token, if there is one.
    fn promise(config: &Self::Config) -> Promise;
}

/// Why a network has no initial configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PopulationError {
    /// No node.
    #[error("the network has no nodes: give at least one")]
    Empty,
    /// A protocol that is set up along known links.
    #[error(
        "{0} is set up along the links of a start graph: use the world of links without a script"
    )]
    NeedsLinks(&'static str),
    /// A node that the token cannot reach.
    #[error(
        "the start graph is not connected (no path from node 0 to node {unreached}): \
         add links, or more range or density"
    )]
    Disconnected {
        /// One of the nodes beyond reach.
        unreached: usize,
    },
}

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
