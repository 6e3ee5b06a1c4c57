//! Any bytes, read as a message of each protocol: refused, or written back as the same bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use manet_mutex::protocol::gme::GmeMessage;
use manet_mutex::protocol::hk::HkMessage;
use manet_mutex::protocol::lme::algorithm2::Lme2Message;
use manet_mutex::protocol::lme::colouring::greedy::GreedyWord;
use manet_mutex::protocol::lme::colouring::linial::LinialWord;
use manet_mutex::protocol::lme::message::Lme1Message;
use manet_mutex::protocol::rl::RlMessage;
use manet_mutex::protocol::routed::dgme::DgmeMessage;
use manet_mutex::protocol::routed::naimi_trehel::NaimiTrehelMessage;
use manet_mutex::protocol::routed::raymond::RaymondMessage;
use manet_mutex::wire::{self, WireMessage};

fuzz_target!(|bytes: &[u8]| {
    refused_or_written_alike::<RlMessage>(bytes);
    refused_or_written_alike::<RaymondMessage>(bytes);
    refused_or_written_alike::<GmeMessage>(bytes);
    refused_or_written_alike::<HkMessage>(bytes);
    refused_or_written_alike::<Lme1Message<GreedyWord>>(bytes);
    refused_or_written_alike::<Lme1Message<LinialWord>>(bytes);
    refused_or_written_alike::<Lme2Message>(bytes);
    refused_or_written_alike::<NaimiTrehelMessage>(bytes);
    refused_or_written_alike::<DgmeMessage>(bytes);
});

fn refused_or_written_alike<M: WireMessage>(bytes: &[u8]) {
    let message = match wire::decode::<M>(bytes) {
        Ok(message) => message,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let mut again = Vec::new();
    wire::encode(&message, &mut again).expect("what was read can be written");
    assert_eq!(again, bytes, "{message:?}");
}
