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

/// Setters for tests of checkers: they lead to states that no event leads to, which a check has to
/// refuse.
#[cfg(feature = "forge")]
macro_rules! forgeable {
    ($machine:ty { $($setter:ident => $field:ident: $value:ty,)* }) => {
        impl $machine {
            $(#[doc = concat!("Sets `", stringify!($field), "`.")]
            pub fn $setter(&mut self, value: $value) {
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
pub mod registry;
pub mod reversal;
pub mod rl;
pub mod routed;

use crate::demand::Demands;
use crate::graph::{Graph, NotConnected};
use crate::ids::NodeId;
use crate::machine::Protocol;
use crate::promise::Promise;

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
    /// If there are none or more than [`MOST_NODES`], or the protocol has to know the network
    /// beforehand.
    fn apart(nodes: usize, config: &Self::Config) -> Result<Vec<Self>, PopulationError> {
        check_population(nodes)?;
        let ids = (0..nodes).map(NodeId::from_index);
        ids.map(|id| Self::founding(id, nodes, config)).collect()
    }

    /// The machine of one of so many nodes in its first life, as in [`Population::apart`].
    /// [`FOUNDER`] owns the token, all units or session 0; the others own nothing.
    ///
    /// # Errors
    /// As [`Population::apart`], or if there is no such node.
    fn founding(id: NodeId, nodes: usize, config: &Self::Config) -> Result<Self, PopulationError> {
        let _ = (id, nodes, config);
        Err(PopulationError::NeedsLinks(Self::NAME))
    }

    /// The machine of one of so many nodes in a later life: the node crashed, lost its memory and
    /// starts again. It owns nothing and knows no link, whichever node it is.
    ///
    /// # Errors
    /// If there is no such node, or the protocol is not safe with a node that lost its memory.
    fn rejoining(id: NodeId, nodes: usize, config: &Self::Config) -> Result<Self, PopulationError> {
        let _ = (id, nodes, config);
        Err(PopulationError::NoRestart {
            protocol: Self::NAME,
            lost: "its state",
        })
    }

    /// What applications may ask for in a run with this configuration.
    fn demands(config: &Self::Config) -> Demands {
        let _ = config;
        Demands::Exclusive
    }

    /// What a run with this configuration promises. [`FOUNDER`] starts with the token, if there is
    /// one.
    fn promise(config: &Self::Config) -> Promise;
}

/// The node that starts with the token, all units or session 0. It does so in its first life only:
/// nothing is ever made again.
pub const FOUNDER: NodeId = NodeId(0);

/// The most nodes of a network.
pub const MOST_NODES: usize = 1 << 20;

/// Checks the size of a network.
///
/// # Errors
/// If there are no nodes, or more than [`MOST_NODES`].
pub const fn check_population(nodes: usize) -> Result<(), PopulationError> {
    match nodes {
        0 => Err(PopulationError::Empty),
        1..=MOST_NODES => Ok(()),
        _ => Err(PopulationError::TooMany { nodes }),
    }
}

/// Checks the size of a network and that a node belongs to it.
pub(crate) fn check_member(id: NodeId, nodes: usize) -> Result<(), PopulationError> {
    check_population(nodes)?;
    if id.index() < nodes {
        return Ok(());
    }
    Err(PopulationError::NoSuchNode { id: id.0, nodes })
}

/// Why a network has no initial configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PopulationError {
    /// No node.
    #[error("the network has no nodes: give at least one")]
    Empty,
    /// More nodes than a network can have.
    #[error("a network of {nodes} nodes is too large: use at most {MOST_NODES}")]
    TooMany {
        /// How many.
        nodes: usize,
    },
    /// An id that no node of the network has.
    #[error("node {id} of {nodes}: ids are 0 to {last}", last = nodes - 1)]
    NoSuchNode {
        /// The id.
        id: u32,
        /// How many nodes there are.
        nodes: usize,
    },
    /// A node of a protocol that cannot go on after a node lost its memory.
    #[error(
        "{protocol} cannot restart a node, which has lost {lost}: leave it stopped, or use a \
         protocol between neighbours (rl, gme, hk, lme1a, lme1b, lme2)"
    )]
    NoRestart {
        /// The protocol.
        protocol: &'static str,
        /// What the node would need.
        lost: &'static str,
    },
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

impl From<NotConnected> for PopulationError {
    fn from(error: NotConnected) -> Self {
        match error {
            NotConnected::Empty => Self::Empty,
            NotConnected::Unreached(unreached) => Self::Disconnected { unreached },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gme::Gme;
    use hk::Hk;
    use rl::Rl;
    use routed::dgme::Dgme;
    use routed::naimi_trehel::NaimiTrehel;
    use routed::raymond::Raymond;

    /// Whether a node in its first and in a later life has the token.
    fn owns<P: Population>(id: u32, has_token: impl Fn(&P) -> bool) -> [bool; 2] {
        let config = P::Config::default();
        let first = P::founding(NodeId(id), 3, &config).expect("a first life");
        let later = P::rejoining(NodeId(id), 3, &config).expect("a later life");
        [has_token(&first), has_token(&later)]
    }

    #[test]
    fn only_the_first_life_of_the_founder_owns_the_token() {
        for (id, expected) in [(0, [true, false]), (1, [false, false]), (2, [false, false])] {
            assert_eq!(owns::<Rl>(id, |node| node.dag().has_token()), expected);
            assert_eq!(owns::<Gme>(id, |node| node.dag().has_token()), expected);
            assert_eq!(owns::<Hk>(id, |node| node.dag().has_token()), expected);
        }
    }

    #[test]
    fn one_node_is_made_as_all_are() {
        fn compare<P: Population + PartialEq + std::fmt::Debug>() {
            let config = P::Config::default();
            for (i, node) in P::apart(5, &config).expect("nodes").iter().enumerate() {
                let alone = P::founding(NodeId::from_index(i), 5, &config).expect("a node");
                assert_eq!(*node, alone, "{}", P::NAME);
            }
        }
        compare::<Rl>();
        compare::<Gme>();
        compare::<Hk>();
        compare::<lme::algorithm1::Lme1a>();
        compare::<lme::algorithm1::Lme1b>();
        compare::<lme::algorithm2::Lme2>();
        compare::<Raymond>();
        compare::<NaimiTrehel>();
        compare::<Dgme>();
    }

    #[test]
    fn nodes_over_routing_do_not_restart() {
        fn refused<P: Population + std::fmt::Debug>() {
            for id in 0..3 {
                let refused = P::rejoining(NodeId(id), 3, &P::Config::default());
                let error = refused.expect_err("no memory, no pointers").to_string();
                assert!(error.contains("cannot restart a node"), "{error}");
            }
        }
        refused::<Raymond>();
        refused::<NaimiTrehel>();
        refused::<Dgme>();
    }

    #[test]
    fn a_network_has_a_bound() {
        assert_eq!(check_population(MOST_NODES), Ok(()));
        let nodes = MOST_NODES + 1;
        assert_eq!(
            Rl::apart(nodes, &rl::Config::default()),
            Err(PopulationError::TooMany { nodes })
        );
        assert_eq!(check_population(0), Err(PopulationError::Empty));
        let stranger = Raymond::founding(NodeId(3), 3, &());
        let expected = PopulationError::NoSuchNode { id: 3, nodes: 3 };
        assert_eq!(stranger, Err(expected));
    }
}
