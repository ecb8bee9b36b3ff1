//! Rate at which all cores move numbers from one array to another.

use rayon::prelude::*;
use std::time::Instant;

/// Time of a measurement (s).
const MEASURING_TIME: f64 = 0.3;
/// Number of values that are copied.
const COPIED: usize = 1 << 25;

/// Bytes read and written per second by a copy.
pub fn bandwidth() -> f64 {
    let (from, mut to) = (vec![1.0_f32; COPIED], vec![0.0_f32; COPIED]);
    let mut copy = || {
        let parts = to.par_chunks_mut(1 << 16).zip(from.par_chunks(1 << 16));
        parts.for_each(|(to, from)| to.copy_from_slice(from));
    };
    // The first copy does not count: its pages are new.
    copy();
    let (start, mut repeats) = (Instant::now(), 0);
    while repeats == 0 || start.elapsed().as_secs_f64() < MEASURING_TIME {
        copy();
        repeats += 1;
    }
    8.0 * COPIED as f64 * f64::from(repeats) / start.elapsed().as_secs_f64()
}
