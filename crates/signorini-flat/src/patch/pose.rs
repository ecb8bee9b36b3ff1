//! Poses at the end of the step, of all bodies of a batch.

use crate::bodies::{FourBodies, PlacedBody, Pose, records};
use crate::flight::Turns;
use crate::patch::batch::{PatchBatch, PatchLane, of_side};
use crate::simd::{HALF, Simd, WIDTH, Work, dispatch};

/// Poses of bodies A and B of eight pairs.
pub type Ends = [[Pose; WIDTH]; 2];

/// Poses of a batch's bodies at the end of a step of h seconds, at their velocities.
pub fn ends_of_batch(
    [placed, given]: [&[PlacedBody]; 2],
    (batch, lanes): (&PatchBatch, &[PatchLane; WIDTH]),
    h: f64,
) -> Ends {
    [0, 1].map(|side: usize| {
        let body = |lane: usize| of_side([placed, given], (batch, &lanes[lane], lane), side);
        let [a, b, c, d] = poses([body(0), body(1), body(2), body(3)], h);
        let [e, f, g, i] = poses([body(4), body(5), body(6), body(7)], h);
        [a, b, c, d, e, f, g, i]
    })
}

/// Poses of four bodies at the end of a step.
pub fn poses(bodies: [&PlacedBody; HALF], h: f64) -> [Pose; HALF] {
    dispatch(Poses { bodies, h })
}

struct Poses<'a> {
    bodies: [&'a PlacedBody; HALF],
    h: f64,
}

impl Work for Poses<'_> {
    type Output = [Pose; HALF];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [Pose; HALF] {
        FourBodies::gather(s, self.bodies).poses(self.h)
    }
}

impl<S: Simd> FourBodies<S> {
    /// Poses at the end of a step of h seconds, with turns to third order.
    #[inline(always)]
    pub fn poses(&self, h: f64) -> [Pose; HALF] {
        self.poses_after(&self.turn_to_third_order(h), h)
    }

    /// Poses after a step of h seconds with these turns.
    #[inline(always)]
    pub fn poses_after(&self, turn: &Turns<S>, h: f64) -> [Pose; HALF] {
        let (centre, r) = self.pose_after(turn, h);
        let centre = records(centre);
        let rows = [records([r[0], r[1], r[2]]), records([r[3], r[4], r[5]]), records([r[6], r[7], r[8]])];
        [0, 1, 2, 3].map(|l: usize| {
            let (c, [x, y, z]) = (centre[l], [rows[0][l], rows[1][l], rows[2][l]]);
            ([c[0], c[1], c[2]], [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]])
        })
    }
}
