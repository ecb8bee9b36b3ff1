//! Scalars of a device.

use super::device::{Buffer, Device};
use crate::backend::{Fault, Precision};

/// A scalar of a device.
pub trait Number: bytemuck::Pod + Send + Sync {
    /// Rounded.
    fn from_f64(x: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
}

impl Number for f32 {
    fn from_f64(x: f64) -> Self {
        x as f32
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Number for f64 {
    fn from_f64(x: f64) -> Self {
        x
    }
    fn to_f64(self) -> f64 {
        self
    }
}

/// Writes numbers from the beginning of a buffer, in the precision of its kernels.
pub fn write(device: &Device, precision: Precision, buffer: &Buffer, values: &[f64]) {
    match precision {
        Precision::F64 => device.write(buffer, values),
        Precision::F32 => {
            let narrow: Vec<f32> = values.iter().map(|x| *x as f32).collect();
            device.write(buffer, &narrow);
        }
    }
}

/// The numbers of what was read.
pub fn read(precision: Precision, bytes: &[u8]) -> Vec<f64> {
    match precision {
        Precision::F64 => super::device::numbers(bytes),
        Precision::F32 => super::device::numbers::<f32>(bytes).into_iter().map(f64::from).collect(),
    }
}

/// Buffers that are kept, by place, and grow when they must: contents are lost then.
#[derive(Debug, Default)]
pub struct Pool {
    buffers: Vec<Option<Buffer>>,
    /// Counts how often a buffer was replaced: commands that were recorded before are of no use.
    pub replaced: usize,
}

impl Pool {
    /// The buffer of a place with at least so many bytes.
    ///
    /// # Errors
    /// When a kernel could not see it whole.
    pub fn grow(&mut self, device: &Device, place: usize, what: &str, bytes: u64) -> Result<Buffer, Fault> {
        if self.buffers.len() <= place {
            self.buffers.resize(place + 1, None);
        }
        if let Some(buffer) = self.buffers[place].as_ref().filter(|b| b.size >= bytes) {
            return Ok(buffer.clone());
        }
        // Half as much again, unless that is more than can be bound.
        let roomy = (bytes + bytes / 2).min(device.largest_binding()).max(bytes);
        let buffer = device.buffer(what, roomy)?;
        self.buffers[place] = Some(buffer.clone());
        self.replaced += 1;
        Ok(buffer)
    }
}
