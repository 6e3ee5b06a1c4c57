//! What comes over the air: fixed to the byte, refused when damaged, and harmless if forged.

mod damage;
mod vectors;

mod datagrams;
mod forged;
mod frames;
mod messages;
