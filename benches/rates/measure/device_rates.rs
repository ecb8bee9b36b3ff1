//! Rates of the kernels per second on a device, without transfers.

use super::chain::Chain;
use signorini_backend::gpu::bandwidth::seconds;
use signorini_backend::gpu::numbers::{flat, write};
use signorini_backend::gpu::pairs::gathered;
use signorini_backend::gpu::program::source;
use signorini_backend::gpu::{Device, Gpu};
use signorini_backend::{Batch, Fault, Precision};
use signorini_kernels::body_momentum::BODY;
use signorini_kernels::types::{BodyState, ContactDerivative, PairGeometry, PairKey, PairRows, PairState};
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN};

/// Pairs per second, portion by portion: of a whole evaluation, and of closest points alone.
///
/// # Errors
/// When the device fails.
pub fn kernel_rates(gpu: &Gpu, precision: Precision, batch: &Batch) -> Result<[f64; 2], Fault> {
    let device = gpu.device();
    let kernel = |name: &str| device.compile(&source(name, precision));
    let (geometry, rows) = (kernel("pair_geometry")?, kernel("contact_rows")?);
    let size = |numbers: usize| (numbers * precision.bytes()) as u64;
    let upload = |what: &str, numbers: &[f64]| {
        let buffer = device.buffer(what, size(numbers.len()))?;
        write(device, precision, &buffer, numbers);
        Ok(buffer)
    };
    let step = upload("step", &[batch.time_step])?;
    let mut taken = [0.0; 2];
    for first in (0..batch.pairs.len()).step_by(gpu.pairs_at_once()) {
        let range = first..batch.pairs.len().min(first + gpu.pairs_at_once());
        let (bodies, keys) = gathered(&batch.bodies, &batch.keys[range.clone()]);
        let n = range.len();
        let bodies = upload("bodies", &flat(&bodies, BodyState::<f64>::LEN, BodyState::write))?;
        let pairs = upload("pairs", &flat(&batch.pairs[range], PairState::<f64>::LEN, PairState::write))?;
        let words: Vec<[u32; 4]> = keys.iter().map(PairKey::words).collect();
        let keys = device.upload("keys", &words)?;
        let found = device.buffer("geometry", size(n * PairGeometry::<f64>::LEN))?;
        let out = device.buffer("rows", size(n * PairRows::<f64>::LEN))?;
        let closest = device.bind(&geometry, n, [0; 2], &[&bodies, &keys, &pairs, &found])?;
        let all = device.bind(&rows, n, [0; 2], &[&bodies, &keys, &pairs, &found, &step, &out])?;
        taken[0] += seconds(device, &[&closest, &all], &out)?;
        taken[1] += seconds(device, &[&closest], &found)?;
    }
    Ok(taken.map(|s| batch.pairs.len() as f64 / s))
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

/// Number of 6×6 blocks of the Newton matrix that are gathered per second, for a chain of n contacts.
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

/// Number of contacts of a chain whose largest array can be bound, at most n.
pub fn contacts_that_fit(device: &Device, precision: Precision, n: usize) -> usize {
    let longest = (PairRows::<f64>::LEN * precision.bytes()) as u64;
    n.min((device.largest_binding() / longest) as usize)
}
