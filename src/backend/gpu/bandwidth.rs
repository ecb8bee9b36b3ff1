//! How fast a device moves numbers from one array to another.

use super::device::Device;
use super::program::source;
use crate::backend::{Fault, Precision};
use std::time::Instant;

/// Numbers copied at once, at most.
const NUMBERS: u64 = 1 << 24;
/// Copies timed together.
const COPIES: usize = 20;

/// Bytes read and written per second by a kernel that copies f32.
///
/// # Errors
/// When the device fails.
pub fn copy_bandwidth(device: &Device) -> Result<f64, Fault> {
    let n = NUMBERS.min(device.largest_binding() / 4) as usize;
    let kernel = device.compile(&source("copy", Precision::F32))?;
    let [from, to] = [device.buffer("source", 4 * n as u64)?, device.buffer("target", 4 * n as u64)?];
    let command = device.bind(&kernel, n, [0; 2], &[&from, &to])?;
    // The first dispatch compiles.
    device.submit(&[&command], &[(&to, 16)])?;
    let start = Instant::now();
    device.submit(&[&command; COPIES], &[(&to, 16)])?;
    Ok(8.0 * n as f64 * COPIES as f64 / start.elapsed().as_secs_f64())
}
