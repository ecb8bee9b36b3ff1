//! Objects and buffers that are kept from solve to solve.

use super::device::{Buffer, Device};
use crate::Fault;
use std::sync::Mutex;

/// Objects that are kept between calls, as many as there were callers at once. A caller that works with one
/// holds no lock: a thread that waits for others may take up another island, and call again.
#[derive(Debug, Default)]
pub struct ObjectPool<P>(Mutex<Vec<P>>);

impl<P: Default> ObjectPool<P> {
    /// Returns an object that is kept, or a new one.
    pub fn take(&self) -> P {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).pop().unwrap_or_default()
    }

    /// Keeps an object.
    pub fn put(&self, kept: P) {
        self.0.lock().unwrap_or_else(|e| e.into_inner()).push(kept);
    }
}

/// Buffers that are kept, by place, and grow when they must; their contents are then lost.
#[derive(Debug, Default)]
pub struct BufferPool {
    buffers: Vec<Option<Buffer>>,
}

impl BufferPool {
    /// Returns the buffer of a place with at least so many bytes.
    ///
    /// # Errors
    /// When a kernel could not see the buffer whole.
    pub fn grow(&mut self, device: &Device, place: usize, what: &str, bytes: u64) -> Result<Buffer, Fault> {
        if self.buffers.len() <= place {
            self.buffers.resize(place + 1, None);
        }
        if let Some(buffer) = self.buffers[place].as_ref().filter(|b| b.size >= bytes) {
            return Ok(buffer.clone());
        }
        // The new size is half as much again, unless that is more than can be bound.
        let roomy = (bytes + bytes / 2).min(device.largest_binding()).max(bytes);
        let buffer = device.buffer(what, roomy)?;
        self.buffers[place] = Some(buffer.clone());
        Ok(buffer)
    }
}
