//! What the fuzz targets of the protocols share.

#[path = "../../tests/common/forged.rs"]
pub mod forged;
