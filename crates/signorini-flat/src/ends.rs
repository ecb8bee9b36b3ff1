//! Bodies at the end of the step.

use crate::bodies::{End, FourBodies, PlacedBody, records};
use crate::parameters::FLOWN_TOGETHER;
use crate::simd::{HALF, Simd, Work, dispatch};
use rayon::prelude::*;

/// Takes bodies to the end of a step of `time_step` seconds at their velocities; returns those that turn so
/// far that their turn is found to third order in h only, in their order.
pub fn find_ends(placed: &[PlacedBody], time_step: f64, ends: &mut [End]) -> Vec<usize> {
    let portions = placed.par_chunks(FLOWN_TOGETHER).zip(ends.par_chunks_mut(FLOWN_TOGETHER)).enumerate();
    let far = portions.flat_map_iter(|(portion, (placed, ends))| {
        let fours = placed.chunks(HALF).zip(ends.chunks_mut(HALF)).enumerate();
        fours.flat_map(move |(k, (four, ends))| {
            let pick = |l: usize| four.get(l).unwrap_or(&four[0]);
            let (found, far) = ends_of([pick(0), pick(1), pick(2), pick(3)], time_step);
            ends.copy_from_slice(&found[..ends.len()]);
            let first = FLOWN_TOGETHER * portion + HALF * k;
            (0..ends.len()).filter(move |l| far >> l & 1 == 1).map(move |l| first + l)
        })
    });
    far.collect()
}

/// Four bodies at the end, and which of them turn too far, as bits.
pub fn ends_of(bodies: [&PlacedBody; HALF], time_step: f64) -> ([End; HALF], u32) {
    dispatch(EndsOf { bodies, time_step })
}

struct EndsOf<'a> {
    bodies: [&'a PlacedBody; HALF],
    time_step: f64,
}

impl Work for EndsOf<'_> {
    type Output = ([End; HALF], u32);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> ([End; HALF], u32) {
        let (four, h) = (FourBodies::gather(s, self.bodies), self.time_step);
        let (turn, is_far) = four.turn_to_rounding(h);
        let (poses, q) = (four.poses_after(&turn, h), four.ellipsoids_after(&turn, h).q);
        let [a, b] = [records([q[0], q[1], q[2]]), records([q[3], q[4], q[5]])];
        let ends = [0, 1, 2, 3].map(|l: usize| {
            let (a, b) = (a[l], b[l]);
            End::new(&poses[l], &[a[0], a[1], a[2], b[0], b[1], b[2]])
        });
        (ends, is_far.bits())
    }
}
