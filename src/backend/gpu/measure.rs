//! How long kernels take, transfers aside.

use super::device::{Bound, Buffer, Device};
use super::program::source;
use crate::backend::sample::Chain;
use crate::backend::{Fault, Precision};
use crate::kernels::body_momentum::BODY;
use crate::kernels::types::{ContactDerivative, PairRows};
use crate::linalg::{BLOCK, BLOCK_LEN};
use std::time::Instant;

/// A measurement takes about this long (s), and so many repetitions at most.
const PATIENCE: f64 = 0.3;
const MOST_REPEATS: f64 = 1000.0;

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
    let repeats = (PATIENCE / once.max(1e-9)).clamp(1.0, MOST_REPEATS) as usize;
    let all: Vec<&Bound> = (0..repeats).flat_map(|_| commands).copied().collect();
    Ok(timed(&all)? / repeats as f64)
}

/// Bytes per second that a product of a matrix of 6×6 blocks moves, vectors aside, for a chain of n contacts.
///
/// # Errors
/// When the device fails or the matrix is too large.
pub fn product_bandwidth(device: &Device, precision: Precision, n: usize) -> Result<f64, Fault> {
    let chain = Chain::new(n);
    let bytes = (BLOCK_LEN * chain.n_blocks() * precision.bytes()) as u64;
    let kernel = device.compile(&source("block_product", precision))?;
    let [x, y] = [0, 1].map(|_| device.buffer("vector", (BLOCK * n * precision.bytes()) as u64));
    let (x, y) = (x?, y?);
    let blocks = device.buffer("matrix", bytes)?;
    let [start, column] = [&chain.start, &chain.column].map(|words| device.upload("pattern", words));
    let command = device.bind(&kernel, n, [0; 2], &[&start?, &column?, &blocks, &x, &y])?;
    Ok(bytes as f64 / seconds(device, &[&command], &y)?)
}

/// 6×6 blocks of the Newton matrix that are gathered per second, for a chain of n contacts.
///
/// # Errors
/// When the device fails or the rows are too large.
pub fn blocks_per_second(device: &Device, precision: Precision, n: usize) -> Result<f64, Fault> {
    let chain = Chain::new(n);
    let size = |numbers: usize| (numbers * precision.bytes()) as u64;
    let kernel = device.compile(&source("newton_blocks", precision))?;
    let [first, start] = [&chain.start, &chain.body_start].map(|words| device.upload("pattern", words));
    let terms = device.upload("pattern", &chain.body_terms);
    let mass = device.buffer("mass", size(BODY * n))?;
    let angular = device.buffer("angular", size(1))?;
    let rows = device.buffer("rows", size(n * PairRows::<f64>::LEN))?;
    let gains = device.buffer("gains", size(n * ContactDerivative::<f64>::LEN))?;
    let blocks = device.buffer("blocks", size(BLOCK_LEN * chain.n_blocks()))?;
    let buffers = [&first?, &mass, &start?, &terms?, &rows, &gains, &angular, &blocks];
    let command = device.bind(&kernel, n, [0; 2], &buffers)?;
    Ok(chain.n_blocks() as f64 / seconds(device, &[&command], &blocks)?)
}

/// Contacts of a chain whose largest array can be bound, at most n.
pub fn contacts_that_fit(device: &Device, precision: Precision, n: usize) -> usize {
    let longest = (PairRows::<f64>::LEN * precision.bytes()) as u64;
    n.min((device.largest_binding() / longest) as usize)
}
