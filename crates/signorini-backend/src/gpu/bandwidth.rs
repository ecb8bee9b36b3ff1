//! Rate at which a device moves numbers from one array to another.

use super::device::{Bound, Buffer, Device};
use super::program::source;
use crate::{Fault, Precision};
use std::time::Instant;

/// Most numbers copied at once: far more than a chip's cache holds.
const NUMBERS: u64 = 1 << 27;
/// Most numbers copied at once by a program that stands in for a chip.
const SOFTWARE_NUMBERS: u64 = 1 << 24;
/// Numbers that a thread of the kernel copies.
const OF_A_THREAD: usize = 16;
/// Time of a measurement, about (s).
const MEASURING_TIME: f64 = 0.3;
/// Most repetitions of a measurement.
const MAX_REPEATS: f64 = 1000.0;

/// Seconds per repetition of commands; the first, which compiles, does not count.
///
/// # Errors
/// When the device fails.
pub fn seconds(device: &Device, commands: &[&Bound], wait_for: &Buffer) -> Result<f64, Fault> {
    device.submit(commands, &[(wait_for, 16)])?;
    let timed = |commands: &[&Bound]| {
        let start = Instant::now();
        device.submit(commands, &[(wait_for, 16)])?;
        Ok(start.elapsed().as_secs_f64())
    };
    let once: f64 = timed(commands)?;
    let repeats = (MEASURING_TIME / once.max(1e-9)).clamp(1.0, MAX_REPEATS) as usize;
    let all: Vec<&Bound> = (0..repeats).flat_map(|_| commands).copied().collect();
    Ok(timed(&all)? / repeats as f64)
}

/// Bytes read and written per second by a kernel that copies f32.
///
/// # Errors
/// When the device fails.
pub fn copy_bandwidth(device: &Device) -> Result<f64, Fault> {
    let most = if device.is_software() { SOFTWARE_NUMBERS } else { NUMBERS };
    let threads = most.min(device.largest_binding() / 4) as usize / OF_A_THREAD;
    let n = OF_A_THREAD * threads;
    let kernel = device.compile(&source("copy", Precision::F32))?;
    let [from, to] = [device.buffer("source", 4 * n as u64)?, device.buffer("target", 4 * n as u64)?];
    let command = device.bind(&kernel, threads, [0; 2], &[&from, &to])?;
    Ok(8.0 * n as f64 / seconds(device, &[&command], &to)?)
}
