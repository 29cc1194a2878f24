//! The bytes of a frame, before they are handed to the writer.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError},
};

/// Collects one frame's bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct Page(Arc<Mutex<Vec<u8>>>);

impl Page {
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
