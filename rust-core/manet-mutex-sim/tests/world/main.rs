//! Whole networks in the simulator.

mod sink;

mod ideal;
mod radio;
mod routed;
mod scenarios;
mod script;
mod standstill;
mod torture;
mod unserved;
