//! `raymond` among peers that send forged messages.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::routed::raymond::Raymond;
use manet_mutex_fuzz::forged::play;

fuzz_target!(|bytes: &[u8]| play::<Raymond>(bytes));
