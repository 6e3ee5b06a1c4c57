//! `gme` among peers that send forged messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::gme::Gme;
use manet_mutex_fuzz::forged::play;

fuzz_target!(|bytes: &[u8]| play::<Gme>(bytes));
