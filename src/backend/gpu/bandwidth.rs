//! How fast a device moves numbers from one array to another.

use super::device::Device;
use super::measure::seconds;
use super::program::source;
use crate::backend::{Fault, Precision};

/// Numbers copied at once, at most: far more than a chip's cache holds.
const NUMBERS: u64 = 1 << 27;
/// By a program that stands in for a chip.
const SOFTWARE_NUMBERS: u64 = 1 << 24;

/// Bytes read and written per second by a kernel that copies f32.
///
/// # Errors
/// When the device fails.
pub fn copy_bandwidth(device: &Device) -> Result<f64, Fault> {
    let most = if device.is_software() { SOFTWARE_NUMBERS } else { NUMBERS };
    let n = most.min(device.largest_binding() / 4) as usize;
    let kernel = device.compile(&source("copy", Precision::F32))?;
    let [from, to] = [device.buffer("source", 4 * n as u64)?, device.buffer("target", 4 * n as u64)?];
    let command = device.bind(&kernel, n, [0; 2], &[&from, &to])?;
    Ok(8.0 * n as f64 / seconds(device, &[&command], &to)?)
}
