//! One contact of a sweep: its rows in turn with all others held (theory §6.9).

use super::sweep_batch::{
    BATCH_BOUNDED, BATCH_FRICTION, BATCH_NORMAL, BATCH_ROW, ENTRIES, LAW_FRICTION, LAW_STEP, Twelve, WIDTH,
    bodies, shrink,
};
use crate::real::Real;

/// Data of one batch that a sweep does not change.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a, T> {
    /// Its words.
    pub batch: &'a [u32],
    /// Its laws, lane by lane.
    pub laws: &'a [T],
    /// Rows of all batches.
    pub rows: &'a [T],
    /// y₀ of all rows.
    pub offset: &'a [T],
    /// r of all rows.
    pub weight: &'a [T],
    /// Lowest and highest impulses of all rows; of no use without bounded ones.
    pub bounds: &'a [T],
}

/// Solves the contact of a lane: normal rows one by one, then friction on the ball they allow, or rows of a
/// joint within their bounds. The state holds impulses, then motions from `motions` on.
pub fn sweep_contacts<T: Real>(held: &Held<'_, T>, lane: usize, motions: usize, state: &mut [T]) {
    let batch = held.batch;
    let (first, n) = (batch[BATCH_ROW] as usize, batch[BATCH_NORMAL] as usize);
    let bounded = batch[BATCH_BOUNDED] > 0;
    let bodies = bodies(batch, lane);
    let mut moved = Twelve::motions(state, motions, bodies);
    let mut sum = T::zero();
    for row in first..first + n {
        let k = WIDTH * row + lane;
        let entries = Twelve::row(held.rows, ENTRIES, row, lane);
        let z = state[k] - held.weight[k] * entries.slip(&moved, held.offset[k]);
        let next = if bounded {
            let at = 2 * WIDTH * row + lane;
            z.max(held.bounds[at]).min(held.bounds[at + WIDTH])
        } else {
            z.max(T::zero())
        };
        moved = entries.pushed(next - state[k], &moved);
        state[k] = next;
        sum += next;
    }
    let n_friction = batch[BATCH_FRICTION] as usize;
    if !bounded && n_friction > 0 {
        let (mut z, mut square) = ([T::zero(); 3], T::zero());
        let step = held.laws[WIDTH * LAW_STEP + lane];
        for (i, z) in z.iter_mut().enumerate().take(n_friction) {
            let k = WIDTH * (first + n + i) + lane;
            let entries = Twelve::row(held.rows, ENTRIES, first + n + i, lane);
            *z = state[k] - step * entries.slip(&moved, held.offset[k]);
            square += *z * *z;
        }
        let shrink = shrink(held.laws[WIDTH * LAW_FRICTION + lane] * sum, square);
        for (i, z) in z.iter().enumerate().take(n_friction) {
            let k = WIDTH * (first + n + i) + lane;
            let next = *z * shrink;
            moved = Twelve::row(held.rows, ENTRIES, first + n + i, lane).pushed(next - state[k], &moved);
            state[k] = next;
        }
    }
    moved.put_motions(state, motions, bodies);
}
