//! Where tests let a trace be written to.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Keeps all that was written to it or to one of its clones.
#[derive(Clone, Debug, Default)]
pub struct Sink(Arc<Mutex<Vec<u8>>>);

impl Sink {
    pub fn text(&self) -> String {
        let bytes = self.0.lock().expect("nobody panicked");
        String::from_utf8(bytes.clone()).expect("a trace is text")
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("nobody panicked").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
