//! The natural map of one contact of a sweep in its unit, or its overlap if that counts more.

use super::sweep_batch::{
    BATCH_BOUNDED, BATCH_FRICTION, BATCH_NORMAL, BATCH_ROW, ENTRIES, LAW_FRICTION, LAW_OVERLAP, LAW_UNIT,
    LAW_WEIGHT, Twelve, WIDTH, bodies, shrink,
};
use super::sweep_contacts::Held;
use crate::real::Real;

/// |x − Proj(x − r y)| of the contact of a lane, normal rows one by one, over its unit; or −y of a normal row
/// times the factor of a negative slip.
pub fn sweep_map<T: Real>(held: &Held<'_, T>, lane: usize, motions: usize, state: &[T]) -> T {
    let batch = held.batch;
    let (first, n) = (batch[BATCH_ROW] as usize, batch[BATCH_NORMAL] as usize);
    let bounded = batch[BATCH_BOUNDED] > 0;
    let at = Twelve::motions(state, motions, bodies(batch, lane));
    let slip =
        |row: usize| Twelve::row(held.rows, ENTRIES, row, lane).slip(&at, held.offset[WIDTH * row + lane]);
    let (mut map, mut overlap, mut sum) = (T::zero(), T::zero(), T::zero());
    for row in first..first + n {
        let (x, y) = (state[WIDTH * row + lane], slip(row));
        let step = held.weight[WIDTH * row + lane] * y;
        let distance = if bounded {
            let at = 2 * WIDTH * row + lane;
            x - (x - step).max(held.bounds[at]).min(held.bounds[at + WIDTH])
        } else {
            x.min(step)
        };
        map = map.max(distance.abs());
        overlap = overlap.max(-y);
        sum += x.max(T::zero());
    }
    let law = |k: usize| held.laws[WIDTH * k + lane];
    let n_friction = if bounded { 0 } else { batch[BATCH_FRICTION] as usize };
    let (mut z, mut square) = ([T::zero(); 3], T::zero());
    for (i, z) in z.iter_mut().enumerate().take(n_friction) {
        let row = first + n + i;
        *z = state[WIDTH * row + lane] - law(LAW_WEIGHT) * slip(row);
        square += *z * *z;
    }
    let shrink = shrink(law(LAW_FRICTION) * sum, square);
    let mut distance = T::zero();
    for (i, z) in z.iter().enumerate().take(n_friction) {
        let off = *z * shrink - state[WIDTH * (first + n + i) + lane];
        distance += off * off;
    }
    (map.max(distance.sqrt()) * law(LAW_UNIT)).max(overlap * law(LAW_OVERLAP))
}

/// Threads of a group.
const GROUP: usize = 64;

/// The largest map of group g, given that of each item.
pub fn sweep_map_group<T: Real>(maps: &[T], g: usize) -> T {
    maps[GROUP * g..].iter().take(GROUP).fold(T::zero(), |worst, map| worst.max(*map))
}
