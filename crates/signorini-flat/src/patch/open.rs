//! Pairs of polytopes that nothing presses together, seen anew at the end of a solution.

use crate::patch::apart::Apart;
use crate::patch::axis::Separations;
use crate::patch::batch::{PatchBatch, PatchLane, PatchSeen, of_side};
use crate::patch::check::{PatchCheckBy, PatchEnded};
use crate::patch::response::Moving;
use crate::patch::turn::placed_pair;
use crate::simd::WIDTH;

/// Sees the pairs of a batch that nothing presses together along their widest axes, as records need it.
pub fn see_open(
    bodies: &PatchEnded<'_>,
    (batch, lanes, seen): (&PatchBatch, &[PatchLane; WIDTH], &mut [PatchSeen; WIDTH]),
    separations: &mut Separations,
    by: &PatchCheckBy<'_>,
) {
    let is_of_polytopes = |pair: &PatchLane| pair.is_used && pair.plane.is_none() && pair.callers.is_none();
    for (lane, pair) in lanes.iter().enumerate().filter(|(_, pair)| is_of_polytopes(pair)) {
        if seen[lane].impulse[0] > 0.0 {
            continue;
        }
        let rows = (batch, pair, lane);
        let end = |side: usize| of_side([bodies.ends, by.given_ends], rows, side).pose();
        let placed = placed_pair(end, rows, (by.solids, bodies.placed, by.given));
        let moving = [0, 1].map(|side| Moving::of(of_side([bodies.placed, by.given], rows, side)));
        if let Some(apart) = Apart::widest([&placed[0], &placed[1]], separations) {
            seen[lane] = apart.seen(&placed, [&moving[0], &moving[1]], seen[lane].radius);
        }
    }
}
