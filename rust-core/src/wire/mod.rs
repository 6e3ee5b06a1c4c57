//! Messages as bytes.
