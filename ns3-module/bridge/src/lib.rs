//! The whole border between the core and C++, in one file: what crosses it, in which form, and how
//! a panic becomes an error. There is no logic here; [`station`] and [`checker`] say what the calls
//! mean.
//!
//! Inputs are methods that return a `Result`, an exception in C++. What follows from an input is
//! taken afterwards ([`Station::take`]), if there is anything, so that no C++ runs while a machine
//! is borrowed. A panic poisons the station: every later call is an error too.

mod checker;
mod station;
#[cfg(test)]
mod tests;

use checker::Checker;
use ffi::Report;
use log::{LevelFilter, Log, Metadata, Record};
use manet_mutex::Time;
use manet_mutex::node::Input;
use station::Station;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

#[cxx::bridge(namespace = "manet_mutex")]
mod ffi {
    /// What a station is made of. Times are in nanoseconds, powers in dB and dBm.
    #[derive(Clone, Debug)]
    struct Settings {
        protocol: String,
        /// Below `nodes`; node 0 starts with the token, in life 0.
        id: u32,
        nodes: u32,
        seed: u64,
        /// Counts the node's restarts. In a life above 0 a node starts without the token.
        life: u16,
        hello_interval: u64,
        jitter: f64,
        sensitivity: f64,
        margin: f64,
        hysteresis: f64,
        smoothing: f64,
        sharing: bool,
        hellos_to_form: u8,
        misses_tolerated: u8,
        dead_after: f64,
        query_after: u64,
        query_every: u64,
        /// How long the transport waits before it sends again, and when a peer is unreachable.
        resend_first: u64,
        resend_shortest: u64,
        resend_longest: u64,
        unreachable_after: u64,
        /// Raises in a row; 0 never waits.
        raise_burst: u16,
        raise_retry: u64,
        raise_quiet: u64,
        /// How many groups there are, and who may join (`gme`).
        groups: u32,
        admission: String,
        /// How many units there are, and whose turn it is (`hk`).
        k: u32,
        order: String,
    }

    #[derive(Debug)]
    enum DemandKind {
        Exclusive,
        Group,
        Units,
    }

    /// What an application asks for; fields that its kind has no use for are 0.
    #[derive(Clone, Copy, Debug)]
    struct Wish {
        kind: DemandKind,
        resource: u32,
        units: u32,
        priority: u32,
    }

    /// What a host has to know of a protocol.
    #[derive(Clone, Copy, Debug)]
    struct Nature {
        /// What may be asked for: the numbers of groups, units and priorities to choose from.
        most: Wish,
        /// Only neighbours keep each other out.
        local: bool,
        /// It speaks to any node, over routing, and not to neighbours.
        routed: bool,
    }

    #[derive(Debug)]
    enum Kind {
        /// Give a frame to the radio: `peer` (`everybody()` for all), `number`, `start`, `size`,
        /// `label`.
        Frame,
        /// The application is inside: `wish`.
        Enter,
        /// The application is not inside any more and waits again.
        Demoted,
        /// `peer`; `flag`: this end is the moving one.
        LinkUp,
        /// `peer`; `label`: why.
        LinkDown,
        /// The protocol sent a message: `peer`, `label`, `size`; `flag`: the token with it.
        Sent,
        /// The protocol got a message: `peer`, `label`, `size`.
        Received,
        /// The token is here now; `peer`: whence, or this node.
        Token,
        /// The node would ask `peer` for the critical section; itself if it need not ask, or has
        /// nobody to ask.
        Towards,
        /// The fate of a message is unknown: `peer`, `label`.
        Doubt,
        /// It is known; `flag`: it was delivered.
        Resolved,
        /// `peer` owes an answer and has been silent for long; `flag`: it answers again.
        Reach,
        /// A promise that all rests on was broken: `label`.
        Broken,
    }

    /// Something that follows from an input, in the order in which it happened; frames come last.
    #[derive(Clone, Debug)]
    struct Effect {
        kind: Kind,
        peer: u32,
        /// Names a frame for one node, for `sent`; 0 for all others.
        number: u64,
        /// Where a frame's bytes are.
        start: u32,
        size: u32,
        flag: bool,
        wish: Wish,
        label: String,
    }

    /// All that follows from an input. Reuse it; it keeps its memory.
    #[derive(Debug, Default)]
    struct Effects {
        list: Vec<Effect>,
        bytes: Vec<u8>,
    }

    /// What an input left behind.
    #[derive(Clone, Copy, Debug)]
    struct Report {
        /// When `wake` has to be called next, unless there is another input before; `never()` if
        /// not at all.
        due: u64,
        /// Who sent a frame that the link layer accepted from a neighbour; `everybody()` after any
        /// other input. A host may learn the sender's address from such a frame only.
        sender: u32,
        /// There are effects to be taken.
        effects: bool,
    }

    extern "Rust" {
        type Station;
        type Checker;

        /// The core's own defaults.
        fn default_settings() -> Settings;
        /// What kind of protocol it is.
        fn nature(settings: &Settings) -> Result<Nature>;
        /// All protocols, in the order in which they are shown.
        fn protocol_names() -> Vec<String>;
        /// Stands for a time that does not come.
        fn never() -> u64;
        /// Stands for all nodes in range.
        fn everybody() -> u32;
        /// Sends log records up to this level (0: none ... 5: trace) to the host.
        fn log_up_to(level: u8);

        fn new_station(settings: &Settings) -> Result<Box<Station>>;
        fn start(self: &mut Station, now: u64) -> Result<Report>;
        fn request(self: &mut Station, now: u64, wish: &Wish) -> Result<Report>;
        fn release(self: &mut Station, now: u64) -> Result<Report>;
        fn frame(self: &mut Station, now: u64, bytes: &[u8], dbm: f64) -> Result<Report>;
        fn datagram(self: &mut Station, now: u64, bytes: &[u8]) -> Result<Report>;
        fn sent(self: &mut Station, now: u64, number: u64, ok: bool) -> Result<Report>;
        fn wake(self: &mut Station, now: u64) -> Result<Report>;
        fn motion(self: &mut Station, now: u64, moving: bool) -> Result<Report>;
        /// The node stops without a word to anybody. Last; a new life is a new station.
        fn stop(self: &mut Station, now: u64);
        /// Frames and datagrams that were dropped because their sender is none of the nodes.
        fn unknown_senders(self: &Station) -> u64;
        /// Takes what followed from the inputs since the last call.
        fn take(self: &mut Station, into: &mut Effects);
        /// From now on the checker sees all that this station does. Before the start.
        fn watch(self: &mut Station, checker: &Checker) -> Result<()>;
        /// Panics inside, to see what becomes of it.
        fn panic(self: &mut Station) -> Result<Report>;

        fn new_checker(settings: &Settings) -> Result<Box<Checker>>;
        /// How often a promise was broken.
        fn violations(self: &Checker) -> u64;
        /// The first of them, or nothing.
        fn first_violation(self: &Checker) -> String;
        /// Messages in doubt whose fate is not known yet.
        fn open_doubts(self: &Checker) -> u64;
    }

    unsafe extern "C++" {
        include!("mutex-host.h");

        #[rust_name = "host_log_enabled"]
        fn HostLogEnabled(level: u8) -> bool;
        #[rust_name = "host_log"]
        fn HostLog(level: u8, target: &str, message: &str) -> Result<()>;
    }
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

fn default_settings() -> ffi::Settings {
    station::default_settings()
}

fn protocol_names() -> Vec<String> {
    manet_mutex::protocol::registry::NAMES
        .map(str::to_owned)
        .into()
}

fn nature(settings: &ffi::Settings) -> Result<ffi::Nature, BoxError> {
    guarded(|| station::nature(settings))
}

const fn never() -> u64 {
    manet_mutex::node::NEVER.0
}

const fn everybody() -> u32 {
    u32::MAX
}

fn new_station(settings: &ffi::Settings) -> Result<Box<Station>, BoxError> {
    guarded(|| station::new(settings)).map(Box::new)
}

fn new_checker(settings: &ffi::Settings) -> Result<Box<Checker>, BoxError> {
    guarded(|| checker::new(settings)).map(Box::new)
}

impl Station {
    fn start(&mut self, now: u64) -> Result<Report, BoxError> {
        self.input(now, Input::Start)
    }

    fn request(&mut self, now: u64, wish: &ffi::Wish) -> Result<Report, BoxError> {
        self.input(now, Input::Request(station::demand(wish)))
    }

    fn release(&mut self, now: u64) -> Result<Report, BoxError> {
        self.input(now, Input::Release)
    }

    fn frame(&mut self, now: u64, bytes: &[u8], dbm: f64) -> Result<Report, BoxError> {
        let power = manet_mutex::link::Power::from_dbm(dbm);
        self.input(now, Input::Frame { bytes, power })
    }

    fn datagram(&mut self, now: u64, bytes: &[u8]) -> Result<Report, BoxError> {
        self.input(now, Input::Datagram { bytes })
    }

    fn sent(&mut self, now: u64, number: u64, ok: bool) -> Result<Report, BoxError> {
        let id = manet_mutex::link::FrameId(number);
        self.input(now, Input::Sent { id, ok })
    }

    fn wake(&mut self, now: u64) -> Result<Report, BoxError> {
        self.input(now, Input::Wake)
    }

    fn motion(&mut self, now: u64, moving: bool) -> Result<Report, BoxError> {
        self.input(now, Input::Motion { moving })
    }

    fn input(&mut self, now: u64, input: Input<'_>) -> Result<Report, BoxError> {
        self.sound(|station| station.handle(Time(now), input))
    }

    fn panic(&mut self) -> Result<Report, BoxError> {
        self.sound(|_| panic!("on demand, to see what becomes of it"))
    }

    fn stop(&mut self, now: u64) {
        // A panic here would be that of a checker, which can say nothing more then.
        let _ = guarded(|| {
            self.halt(Time(now));
            Ok(())
        });
    }

    /// Calls `work`, unless an earlier call panicked.
    fn sound(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<Report, BoxError>,
    ) -> Result<Report, BoxError> {
        if self.poisoned {
            return Err("the core panicked earlier and is not used any more".into());
        }
        self.poisoned = true;
        let result = guarded(|| Ok(work(self)))?;
        self.poisoned = false;
        result
    }
}

/// A panic becomes an error: it must not get into C++, where it would end the process.
fn guarded<T>(work: impl FnOnce() -> Result<T, BoxError>) -> Result<T, BoxError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let cause = text_of(&*panic);
        Err(format!("the core panicked, please report this: {cause}").into())
    })
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no cause given")
}

/// The host's log.
struct HostLog;

impl Log for HostLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        ffi::host_log_enabled(metadata.level() as u8)
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let text = record.args().to_string();
            // An exception of the host is no reason to stop.
            let _ = ffi::host_log(record.level() as u8, record.target(), &text);
        }
    }

    fn flush(&self) {}
}

fn log_up_to(level: u8) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else's logger stays.
        let _ = log::set_logger(&HostLog);
        // The error that a panic becomes says all; the default hook would print to the terminal.
        std::panic::set_hook(Box::new(|info| log::error!("{info}")));
    });
    log::set_max_level(match level {
        0 => LevelFilter::Off,
        1 => LevelFilter::Error,
        2 => LevelFilter::Warn,
        3 => LevelFilter::Info,
        4 => LevelFilter::Debug,
        _ => LevelFilter::Trace,
    });
}
