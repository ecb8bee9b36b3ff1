//! The slices of the step problem that the rows of one pair go to.

use crate::contact::Placed;
use crate::stepper::island::assemble::pair_rows::{PairMotion, PairRows};
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{Cone, Stiffness};

/// Slices of the step problem that belong to one pair.
pub struct PairOut<'a> {
    pub slip: &'a mut [f64],
    /// Values of J, and in `response` of Y, first those of A if it moves.
    pub jacobian: &'a mut [f64],
    pub response: &'a mut [f64],
    /// Index of K in the stiffness, or none.
    pub start: &'a mut usize,
    /// Index that K would have, and its values.
    pub place: usize,
    pub stiffness: &'a mut [f64],
}

impl PairOut<'_> {
    /// Takes slip, stiffness at impulses x of the pair, force directions and response, the bodies being
    /// placed at the end of the step. The cone's rows are counted from the pair's first.
    pub fn fill(
        self,
        rows: &PairRows<'_>,
        motion: &PairMotion<'_>,
        cone: &Cone,
        bodies: [&Placed<'_>; 2],
        x: &[f64],
    ) {
        rows.write_slip(motion, self.slip);
        let n = BLOCK * cone.n_rows();
        let loaded = x[cone.normal()].iter().any(|x| *x > 0.0);
        let is_stiff = loaded && !rows.acts_at_start();
        *self.start = if is_stiff { self.place } else { Stiffness::NONE };
        let stiffness = is_stiff.then(|| {
            self.stiffness.fill(0.0);
            self.stiffness
        });
        let tangent = loaded.then(|| rows.add_stiffness(bodies, motion, &x[..cone.n_law_rows()], stiffness));
        let moving = (0..2).filter(|side| motion.turn[*side].is_some());
        let values = self.jacobian.chunks_exact_mut(n).zip(self.response.chunks_exact_mut(n));
        for (side, (jacobian, response)) in moving.zip(values) {
            rows.write_jacobian(side, jacobian);
            rows.write_response(side, jacobian, motion, tangent.as_ref(), response);
        }
    }
}
