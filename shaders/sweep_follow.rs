//! Friction rows of one manifold follow its load: J_t + Σ (λ_j − λ̂_j) S_j, and the motions with them.

use super::sweep_batch::{
    BATCH_NORMAL, BATCH_ROW, BATCH_SHIFT, ENTRIES, LOAD_FRACTIONS, SHIFT_ENTRIES, TANGENTIAL, Twelve, WIDTH,
    bodies,
};
use crate::real::Real;

/// Rows, offsets and motions that follow the load of a manifold.
#[derive(Debug)]
pub struct Following<'a, T> {
    /// S of all shift rows, and their y₀.
    pub shifts: &'a [T],
    /// Rows of all batches.
    pub rows: &'a mut [T],
    /// y₀ of all rows.
    pub offset: &'a mut [T],
    /// Of all normal rows the load fraction they were made for, and that of now less this one.
    pub load_fractions: &'a mut [T],
    /// Impulses and motions, the search direction, the last change: motions begin at `motions`.
    pub vectors: [&'a mut [T]; 3],
    /// Index at which the motions begin in `vectors`.
    pub motions: usize,
}

/// Moves the friction rows of a lane of a batch whose rows move.
pub fn sweep_follow<T: Real>(batch: &[u32], lane: usize, at: &mut Following<'_, T>) {
    let (first, n) = (batch[BATCH_ROW] as usize, batch[BATCH_NORMAL] as usize);
    let bodies = bodies(batch, lane);
    let mut sum = T::zero();
    for row in first..first + n {
        sum += at.vectors[0][WIDTH * row + lane].max(T::zero());
    }
    let (mut moved, mut raised) = ([Twelve::zero(); TANGENTIAL], [T::zero(); TANGENTIAL]);
    for j in 0..n {
        let row = first + j;
        let index = LOAD_FRACTIONS * WIDTH * row + lane;
        let x = at.vectors[0][WIDTH * row + lane].max(T::zero());
        let excess = if sum > T::zero() { x / sum - at.load_fractions[index] } else { T::zero() };
        let change = excess - at.load_fractions[index + WIDTH];
        at.load_fractions[index + WIDTH] = excess;
        for i in 0..TANGENTIAL {
            let shift = batch[BATCH_SHIFT] as usize + j * TANGENTIAL + i;
            moved[i] = Twelve::row(at.shifts, SHIFT_ENTRIES, shift, lane).pushed(change, &moved[i]);
            raised[i] += change * at.shifts[WIDTH * (SHIFT_ENTRIES * shift + ENTRIES) + lane];
        }
    }
    for (row, (moved, raised)) in (first + n..).zip(moved.iter().zip(raised)) {
        moved.pushed(T::one(), &Twelve::row(at.rows, ENTRIES, row, lane)).put_row(at.rows, row, lane);
        at.offset[WIDTH * row + lane] += raised;
    }
    for vector in &mut at.vectors {
        let mut motions = Twelve::motions(vector, at.motions, bodies);
        for (i, moved) in moved.iter().enumerate() {
            motions = moved.pushed(vector[WIDTH * (first + n + i) + lane], &motions);
        }
        motions.put_motions(vector, at.motions, bodies);
    }
}
