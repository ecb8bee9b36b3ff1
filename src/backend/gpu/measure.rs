//! How long kernels take, transfers aside.

use super::device::{Bound, Buffer, Device};
use super::program::source;
use crate::backend::{Fault, Precision};
use crate::kernels::body_momentum::BODY;
use crate::kernels::types::{ContactGain, PairRows};
use std::time::Instant;

/// Seconds per repetition of commands; the first, which compiles, does not count.
///
/// # Errors
/// When the device fails.
pub fn seconds(
    device: &Device,
    commands: &[&Bound],
    wait_for: &Buffer,
    repeats: usize,
) -> Result<f64, Fault> {
    device.submit(commands, &[(wait_for, 16)])?;
    let all: Vec<&Bound> = (0..repeats).flat_map(|_| commands).copied().collect();
    let start = Instant::now();
    device.submit(&all, &[(wait_for, 16)])?;
    Ok(start.elapsed().as_secs_f64() / repeats as f64)
}

/// A chain of contacts, each between a body and the next: rows of blocks with three blocks each.
fn chain(n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut start = vec![0];
    let mut column = Vec::new();
    for i in 0..n as u32 {
        column.extend((i.saturating_sub(1)..=(i + 1).min(n as u32 - 1)).collect::<Vec<_>>());
        start.push(column.len() as u32);
    }
    (start, column)
}

/// Bytes per second that a product of a matrix of 6×6 blocks moves, vectors aside.
///
/// # Errors
/// When the device fails or the matrix is too large.
pub fn product_bandwidth(device: &Device, precision: Precision, n: usize) -> Result<f64, Fault> {
    let (start, column) = chain(n);
    let bytes = (36 * column.len() * precision.bytes()) as u64;
    let kernel = device.compile(&source("block_product", precision))?;
    let [x, y] = [0, 1].map(|_| device.buffer("vector", (6 * n * precision.bytes()) as u64));
    let (x, y) = (x?, y?);
    let blocks = device.buffer("matrix", bytes)?;
    let (start, column) = (device.upload("pattern", &start)?, device.upload("pattern", &column)?);
    let command = device.bind(&kernel, n, [0; 2], &[&start, &column, &blocks, &x, &y])?;
    Ok(bytes as f64 / seconds(device, &[&command], &y, 10)?)
}

/// 6×6 blocks of the Newton matrix that are gathered per second, for a chain of n contacts.
///
/// # Errors
/// When the device fails or the rows are too large.
pub fn blocks_per_second(device: &Device, precision: Precision, n: usize) -> Result<f64, Fault> {
    let (start, column) = chain(n);
    let (mut terms, mut term_start, mut diagonal) = (Vec::new(), vec![0], Vec::new());
    for i in 0..n {
        for j in &column[start[i] as usize..start[i + 1] as usize] {
            let (i, j) = (i as u32, *j);
            diagonal.push(if i == j { i + 1 } else { 0 });
            // Contact c lies between bodies c and c + 1; the last body's own contact is with nothing.
            match i.cmp(&j) {
                std::cmp::Ordering::Equal => {
                    terms.push(4 * i);
                    terms.extend((i > 0).then(|| 4 * (i - 1) + 3));
                }
                std::cmp::Ordering::Less => terms.push(4 * i + 1),
                std::cmp::Ordering::Greater => terms.push(4 * j + 2),
            }
            term_start.push(terms.len() as u32);
        }
    }
    let size = |numbers: usize| (numbers * precision.bytes()) as u64;
    let kernel = device.compile(&source("newton_blocks", precision))?;
    let [diagonal, term_start, terms] =
        [&diagonal, &term_start, &terms].map(|words| device.upload("pattern", words));
    let mass = device.buffer("mass", size(BODY * n))?;
    let angular = device.buffer("angular", size(1))?;
    let rows = device.buffer("rows", size(n * PairRows::<f64>::LEN))?;
    let gains = device.buffer("gains", size(n * ContactGain::<f64>::LEN))?;
    let blocks = device.buffer("blocks", size(36 * column.len()))?;
    let buffers = [&diagonal?, &mass, &term_start?, &terms?, &rows, &gains, &angular, &blocks];
    let command = device.bind(&kernel, column.len(), [0; 2], &buffers)?;
    Ok(column.len() as f64 / seconds(device, &[&command], &blocks, 10)?)
}
