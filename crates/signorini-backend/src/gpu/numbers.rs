//! Scalars of a device.

use super::device::{Buffer, Device, in_place};
use crate::{Fault, Precision};
use rayon::prelude::*;
use std::sync::Mutex;

/// Items that a thread lays out or reads at a time.
const PORTION: usize = 1024;

/// A scalar of a device.
pub trait Number: bytemuck::Pod + Send + Sync {
    /// Rounds a number to the scalar.
    fn from_f64(x: f64) -> Self;
    /// Converts the scalar, exactly.
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

/// Lays out items of `length` numbers each, one after another.
pub fn flat<I: Sync>(items: &[I], length: usize, write: impl Fn(&I, &mut [f64]) + Sync) -> Vec<f64> {
    let mut out = vec![0.0; items.len() * length];
    lay_out(items, length, &mut out, write);
    out
}

/// Lays out items of `length` numbers each in existing memory.
pub fn lay_out<T: Number, I: Sync>(
    items: &[I],
    length: usize,
    out: &mut [T],
    write: impl Fn(&I, &mut [T]) + Sync,
) {
    let places = out.par_chunks_exact_mut(length).with_min_len(PORTION);
    items.par_iter().zip(places).for_each(|(item, out)| write(item, out));
}

/// Appends items of `length` numbers each that were read.
pub fn read_items<T: Number, I: Send>(
    bytes: &[u8],
    length: usize,
    out: &mut Vec<I>,
    read: impl Fn(&[T]) -> I + Sync,
) {
    let numbers = in_place::<T>(bytes);
    out.par_extend(numbers.par_chunks_exact(length).with_min_len(PORTION).map(&read));
}

/// Checks that all items are finite.
///
/// # Errors
/// When an item is not, with the first one.
pub fn check_finite<I: Sync>(
    what: &'static str,
    items: &[I],
    is_finite: impl Fn(&I) -> bool + Sync,
) -> Result<(), Fault> {
    let bad = items.par_iter().with_min_len(PORTION).position_first(|item| !is_finite(item));
    bad.map_or(Ok(()), |item| Err(Fault::NonFinite { what, item }))
}

/// Returns the numbers of bytes that were read.
pub fn read(precision: Precision, bytes: &[u8]) -> Vec<f64> {
    match precision {
        Precision::F64 => super::device::numbers(bytes),
        Precision::F32 => super::device::numbers::<f32>(bytes).into_iter().map(f64::from).collect(),
    }
}

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
    /// Number of times that a buffer was replaced: commands recorded before a replacement are of no use.
    pub replaced: usize,
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
        self.replaced += 1;
        Ok(buffer)
    }
}
