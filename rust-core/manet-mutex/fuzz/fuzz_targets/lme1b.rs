//! `lme1b` among peers that send forged messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::lme::algorithm1::Lme1b;
use manet_mutex_fuzz::forged::play;

fuzz_target!(|bytes: &[u8]| play::<Lme1b>(bytes));
