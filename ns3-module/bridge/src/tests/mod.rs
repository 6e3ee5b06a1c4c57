//! The bridge without ns-3: stations over an ideal channel, and what checkers make of them.

mod checks;
mod network;
mod restarts;
mod senders;

use crate::ffi::{Effects, Kind, Settings};
use crate::station::Station;

// What the bridge calls of its host. The whole archive, wherever the linker looks for it.
#[link(
    name = "manet_mutex_test_host",
    kind = "static",
    modifiers = "+whole-archive"
)]
unsafe extern "C" {}

const LINKED: [&str; 6] = ["rl", "gme", "hk", "lme1a", "lme1b", "lme2"];
const ROUTED: [&str; 3] = ["raymond", "naimi-trehel", "dgme"];

/// A node in a life.
fn settings(protocol: &str, id: u32, nodes: u32, life: u16) -> Settings {
    Settings {
        protocol: protocol.to_owned(),
        id,
        nodes,
        life,
        seed: 1,
        ..crate::default_settings()
    }
}

fn station(protocol: &str, id: u32, nodes: u32, life: u16) -> Station {
    crate::station::new(&settings(protocol, id, nodes, life)).expect("a station")
}

/// The text of an error.
fn error_of<T>(result: Result<T, crate::BoxError>) -> String {
    result.map_or_else(|error| error.to_string(), |_| String::new())
}

/// The kinds of all that followed since the last call.
fn kinds(station: &mut Station) -> Vec<Kind> {
    let mut effects = Effects::default();
    station.take(&mut effects);
    effects.list.iter().map(|effect| effect.kind).collect()
}
