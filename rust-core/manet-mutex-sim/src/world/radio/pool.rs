//! The bytes of frames on their way.

/// A frame's bytes, kept by the [`Medium`](super::medium::Medium).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame(u32);

/// Buffers, used again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    buffers: Vec<Vec<u8>>,
    free: Vec<Frame>,
    /// Free once those who received them have read them.
    retired: Vec<Frame>,
}

impl Pool {
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Frame {
        let frame = self.free.pop().unwrap_or_else(|| {
            self.buffers.push(Vec::new());
            Frame(self.buffers.len() as u32 - 1)
        });
        let buffer = &mut self.buffers[frame.0 as usize];
        buffer.clear();
        buffer.extend_from_slice(bytes);
        frame
    }

    pub(super) fn bytes(&self, frame: Frame) -> &[u8] {
        &self.buffers[frame.0 as usize]
    }

    /// Nobody needs the frame after [`Pool::recycle`].
    pub(super) fn retire(&mut self, frame: Frame) {
        self.retired.push(frame);
    }

    pub(super) fn recycle(&mut self) {
        self.free.append(&mut self.retired);
    }
}
