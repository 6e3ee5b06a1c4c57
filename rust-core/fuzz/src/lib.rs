//! What the fuzz targets of the protocols share.

#[path = "../../manet-mutex/tests/common/forged.rs"]
pub mod forged;
