//! Rates of the kernels' twins per second on all cores: the same work as a device's, on the same made-up
//! chain of contacts.

use super::chain::Chain;
use rayon::prelude::*;
use signorini_kernels::block_product::block_product;
use signorini_kernels::body_momentum::BODY;
use signorini_kernels::newton_blocks::newton_blocks;
use signorini_kernels::real::Real;
use signorini_kernels::types::{ContactDerivative, PairRows};
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN};
use std::time::Instant;

/// Time of a measurement (s).
const MEASURING_TIME: f64 = 0.3;
/// Items that a thread takes at a time.
const PORTION: usize = 256;
/// Number of values that are copied.
const COPIED: usize = 1 << 25;

/// Seconds per repetition; the first does not count.
fn seconds(mut work: impl FnMut()) -> f64 {
    work();
    let (start, mut repeats) = (Instant::now(), 0);
    while repeats == 0 || start.elapsed().as_secs_f64() < MEASURING_TIME {
        work();
        repeats += 1;
    }
    start.elapsed().as_secs_f64() / f64::from(repeats)
}

/// Number of 6×6 blocks of the Newton matrix that are gathered per second, for a chain of n contacts.
pub fn blocks_per_second<T: Real + Send + Sync>(n: usize) -> f64 {
    let chain = Chain::new(n);
    let (rows, derivatives) =
        (vec![PairRows::filled(T::one()); n], vec![ContactDerivative::filled(T::one()); n]);
    let (mass, angular) = (vec![T::one(); BODY * n], T::of(2.0));
    let mut blocks = vec![T::zero(); BLOCK_LEN * chain.n_blocks()];
    let taken = seconds(|| {
        let places = blocks.par_chunks_exact_mut(BLOCK_LEN).with_min_len(PORTION).enumerate();
        places.for_each(|(k, out)| {
            let own = (chain.diagonal[k] as usize).checked_sub(1).map(|i| &mass[BODY * i..][..BLOCK_LEN]);
            let terms = &chain.terms[chain.term_start[k] as usize..chain.term_start[k + 1] as usize];
            out.copy_from_slice(&newton_blocks(own, angular, terms, &rows, &derivatives));
        });
    });
    chain.n_blocks() as f64 / taken
}

/// Bytes per second that a product of a matrix of 6×6 blocks moves, vectors aside, for a chain of n contacts.
pub fn product_bandwidth<T: Real + Send + Sync>(n: usize) -> f64 {
    let chain = Chain::new(n);
    let (blocks, x) = (vec![T::one(); BLOCK_LEN * chain.n_blocks()], vec![T::one(); BLOCK * n]);
    let mut y = vec![T::zero(); BLOCK * n];
    let taken = seconds(|| {
        let places = y.par_chunks_exact_mut(BLOCK).with_min_len(PORTION).enumerate();
        places.for_each(|(i, out)| {
            let part = chain.start[i] as usize..chain.start[i + 1] as usize;
            let row = &blocks[BLOCK_LEN * part.start..BLOCK_LEN * part.end];
            out.copy_from_slice(&block_product(&chain.column[part], row, &x));
        });
    });
    std::mem::size_of_val(blocks.as_slice()) as f64 / taken
}

/// Bytes read and written per second by a copy.
pub fn copy_bandwidth() -> f64 {
    let (from, mut to) = (vec![1.0_f32; COPIED], vec![0.0_f32; COPIED]);
    let taken = seconds(|| {
        let parts = to.par_chunks_mut(1 << 16).zip(from.par_chunks(1 << 16));
        parts.for_each(|(to, from)| to.copy_from_slice(from));
    });
    8.0 * COPIED as f64 / taken
}
