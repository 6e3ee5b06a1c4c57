//! Which mutant is active. This file goes into the crates that are rewritten, as `mutants.rs`.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The number of the active mutant; 0 for none.
static ACTIVE: AtomicU32 = AtomicU32::new(UNKNOWN);
/// The environment has not been looked at.
const UNKNOWN: u32 = u32::MAX;
/// No mutant is active: the numbers of those that are reached go to a file.
const RECORD: u32 = u32::MAX - 1;
/// Every number is below this.
const MOST: usize = 1 << 16;

/// Whether the mutant of this number is active.
#[inline(always)]
pub fn active(number: u32) -> bool {
    let active = ACTIVE.load(Ordering::Relaxed);
    active == number || (active >= RECORD && look(number, active))
}

#[cold]
#[inline(never)]
fn look(number: u32, active: u32) -> bool {
    if active == RECORD {
        record(number);
        return false;
    }
    let chosen = std::env::var("MUTANT").ok();
    let chosen = match chosen.as_deref() {
        Some("record") => RECORD,
        Some(text) => text.parse().unwrap_or(0),
        None => 0,
    };
    ACTIVE.store(chosen, Ordering::Relaxed);
    self::active(number)
}

/// Appends a number to the file in `MUTANTS_REACHED`, once for each process.
fn record(number: u32) {
    static REACHED: [AtomicBool; MOST] = [const { AtomicBool::new(false) }; MOST];
    let reached = &REACHED[number as usize];
    if reached.load(Ordering::Relaxed) || reached.swap(true, Ordering::Relaxed) {
        return;
    }
    let Ok(path) = std::env::var("MUTANTS_REACHED") else {
        return;
    };
    let file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    if let Ok(mut file) = file {
        let _ = writeln!(file, "{number}");
    }
}
