//! Rows of a pair from the step's backend where it evaluated them, else from the pair's own geometry.

use crate::contact::Placed;
use crate::stepper::device::pair_batch::PairBatch;
use crate::stepper::island::assemble::pair_rows::{PairMotion, PairRows};
use signorini_kernels::pair_tangent::PairTangent;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::{Cone, Stiffness};

/// Source of the rows of pair `c`: the backend or the pair's own geometry.
pub struct PairSource<'a> {
    /// Index of the pair, and of its cone.
    pub c: usize,
    /// Batch that the backend evaluated.
    pub batch: &'a PairBatch,
    /// Whether the geometry of the batch is good enough for the residual.
    pub is_exact: bool,
    /// Rows by the pair's own geometry.
    pub rows: PairRows<'a>,
    /// Motion of the bodies.
    pub motion: PairMotion<'a>,
}

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

impl PairSource<'_> {
    /// Writes slip, stiffness at impulses x of the pair, force directions and response, the bodies being
    /// placed at the end of the step. The cone's rows are counted from the pair's first.
    pub fn write(&self, cone: &Cone, bodies: [&Placed<'_>; 2], x: &[f64], out: PairOut<'_>) {
        self.write_slip(out.slip);
        let n = BLOCK * cone.n_rows();
        let loaded = x[cone.normal()].iter().any(|x| *x > 0.0);
        let is_stiff = loaded && !self.rows.acts_at_start();
        *out.start = if is_stiff { out.place } else { Stiffness::NONE };
        let stiffness = is_stiff.then_some(out.stiffness);
        let tangent = self.write_stiffness(loaded, bodies, &x[..cone.n_law_rows()], stiffness);
        let moving = (0..2).filter(|side| self.motion.turn[*side].is_some());
        let values = out.jacobian.chunks_exact_mut(n).zip(out.response.chunks_exact_mut(n));
        for (side, (jacobian, response)) in moving.zip(values) {
            self.write_jacobian(side, jacobian);
            match self.batch.holds(self.c) {
                true => self.batch.write_response(self.c, side, jacobian, response),
                false => self.rows.write_response(side, jacobian, &self.motion, tangent.as_ref(), response),
            }
        }
    }

    fn write_slip(&self, slip: &mut [f64]) {
        match self.is_exact {
            true => self.batch.write_slip(self.c, slip),
            false => self.rows.write_slip(&self.motion, slip),
        }
    }

    fn write_jacobian(&self, side: usize, jacobian: &mut [f64]) {
        match self.is_exact {
            true => self.batch.write_jacobian(self.c, side, jacobian),
            false => self.rows.write_jacobian(side, jacobian),
        }
    }

    /// Writes K, if it has a slice. Returns how the pair turns with its bodies, if it is loaded and the
    /// backend does not know.
    fn write_stiffness(
        &self,
        loaded: bool,
        bodies: [&Placed<'_>; 2],
        x: &[f64],
        mut out: Option<&mut [f64]>,
    ) -> Option<PairTangent<f64>> {
        if let Some(out) = &mut out {
            out.fill(0.0);
        }
        match out {
            Some(out) if self.batch.holds(self.c) => {
                let sides = self.motion.turn.map(|turn| turn.is_some());
                self.batch.write_stiffness(self.c, sides, out);
                None
            }
            out => loaded.then(|| self.rows.add_stiffness(bodies, &self.motion, x, out)),
        }
    }
}
