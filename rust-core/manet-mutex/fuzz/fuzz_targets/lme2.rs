//! `lme2` among peers that send forged messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::lme::algorithm2::Lme2;
use manet_mutex_fuzz::forged::play;

fuzz_target!(|bytes: &[u8]| play::<Lme2>(bytes));
