//! What there is to choose about some protocols.

use manet_mutex::protocol::gme::{Admission, Groups};
use manet_mutex::protocol::hk::Order;
use manet_mutex::protocol::lme::colouring::linial::Bounds;
use manet_mutex::protocol::registry::Options;
use manet_mutex_sim::world::workload::Demands;
use std::num::{NonZeroU32, NonZeroU64};

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Protocol")]
pub struct ProtocolArgs {
    /// Number of groups or sessions (gme, dgme).
    #[arg(long, value_name = "N")]
    groups: Option<Groups>,
    /// Who may join a session while another group waits (gme): paper, who comes while the leader
    /// is inside; close-on-conflict, nobody.
    #[arg(long, value_name = "POLICY")]
    admission: Option<Admission>,
    /// Number of units (hk).
    #[arg(long, value_name = "N")]
    k: Option<NonZeroU32>,
    /// Whose turn it is (hk): priority; aged:C, where a step of priority is worth C grants; fewest,
    /// who needs the fewest units.
    #[arg(long, value_name = "ORDER")]
    order: Option<Order>,
    /// Size of the id space (lme1b): ids are smaller than this.
    #[arg(long, value_name = "N")]
    id_space: Option<NonZeroU64>,
    /// How many neighbours a node has at most (lme1b). Where there are more, equal colours are told
    /// apart by ids.
    #[arg(long, value_name = "N")]
    degree_bound: Option<NonZeroU32>,
}

impl ProtocolArgs {
    /// `options` with what was chosen here.
    pub fn choose(&self, protocol: &str, options: &Options) -> Result<Options, String> {
        let given = [
            ("--groups", &["gme", "dgme"][..], self.groups.is_some()),
            ("--admission", &["gme"], self.admission.is_some()),
            ("--k", &["hk"], self.k.is_some()),
            ("--order", &["hk"], self.order.is_some()),
            ("--id-space", &["lme1b"], self.id_space.is_some()),
            ("--degree-bound", &["lme1b"], self.degree_bound.is_some()),
        ];
        let misplaced =
            |&&(_, only, given): &&(&str, &[&str], bool)| given && !only.contains(&protocol);
        if let Some((name, only, _)) = given.iter().find(misplaced) {
            let only = only.join(" and ");
            return Err(format!(
                "{name} is for {only}: leave it out with {protocol}"
            ));
        }
        Ok(Options {
            groups: self.groups.unwrap_or(options.groups),
            admission: self.admission.unwrap_or(options.admission),
            k: self.k.unwrap_or(options.k),
            order: self.order.unwrap_or(options.order),
            bounds: Bounds {
                ids: self.id_space.unwrap_or(options.bounds.ids),
                degree: self.degree_bound.unwrap_or(options.bounds.degree),
            },
            ..options.clone()
        })
    }
}

/// What requests are for.
#[derive(Clone, Copy, Debug, clap::Args)]
#[command(next_help_heading = "Load")]
pub struct DemandArgs {
    /// Most units that a request is for (hk); each number up to it is as likely. All there are if
    /// not given.
    #[arg(long, value_name = "N")]
    most: Option<NonZeroU32>,
    /// Number of priorities (hk), each as likely.
    #[arg(long, value_name = "N")]
    priorities: Option<NonZeroU32>,
}

impl DemandArgs {
    /// What to ask for of a protocol that serves `all`.
    pub fn choose(&self, all: Demands) -> Result<Demands, String> {
        let Demands::Units {
            most: k,
            priorities,
        } = all
        else {
            let given = [("--most", self.most), ("--priorities", self.priorities)];
            return match given.iter().find(|(_, value)| value.is_some()) {
                Some((name, _)) => Err(format!("{name} is for hk: requests here have no units")),
                None => Ok(all),
            };
        };
        let most = self.most.map_or(k, NonZeroU32::get);
        if most > k {
            return Err(format!("--most {most}: there are only {k} units, see --k"));
        }
        let priorities = self.priorities.map_or(priorities, NonZeroU32::get);
        Ok(Demands::Units { most, priorities })
    }
}
