//! Rows of a pair from the step's backend where it evaluated them, else from the pair's own geometry.

use crate::contact::Placed;
use crate::kernels::pair_tangent::PairTangent;
use crate::linalg::BLOCK;
use crate::problem::{Cone, ContactProblem, Stiffness};
use crate::stepper::island::pair_batch::{PairBatch, reserve_stiffness};
use crate::stepper::island::pair_rows::{PairMotion, PairRows};

/// Who knows the rows of pair `c`.
pub struct PairSource<'a> {
    /// Index of the pair, and of its cone.
    pub c: usize,
    /// What the backend evaluated.
    pub batch: &'a PairBatch,
    /// Whether its geometry is good enough for the residual.
    pub is_exact: bool,
    /// The rows by the pair's own geometry.
    pub rows: PairRows<'a>,
    /// How the bodies move.
    pub motion: PairMotion<'a>,
}

impl PairSource<'_> {
    /// Writes slip, stiffness at impulses x, force directions and response of the pair, the bodies being
    /// placed at the end of the step.
    pub fn write(&self, cone: &Cone, bodies: [&Placed<'_>; 2], x: &[f64], problem: &mut ContactProblem) {
        self.write_slip(&mut problem.at.slip[cone.row..cone.row + cone.n_rows()]);
        let tangent = self.write_stiffness(cone, bodies, x, &mut problem.at.stiffness);
        let moving = (0..2).filter(|side| self.motion.turn[*side].is_some());
        for (k, side) in (problem.block_offsets[self.c]..).zip(moving) {
            let range = problem.value_offsets[k]..problem.value_offsets[k] + BLOCK * cone.n_rows();
            self.write_jacobian(side, &mut problem.at.jacobian[range.clone()]);
            let (jacobian, response) = (&problem.at.jacobian[range.clone()], &mut problem.at.response[range]);
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

    /// How the pair turns with its bodies, if it is loaded and the backend does not know.
    fn write_stiffness(
        &self,
        cone: &Cone,
        bodies: [&Placed<'_>; 2],
        x: &[f64],
        stiffness: &mut Stiffness,
    ) -> Option<PairTangent<f64>> {
        stiffness.start[self.c] = Stiffness::NONE;
        let loaded = x[cone.normal()].iter().any(|x| *x > 0.0);
        let range = (loaded && !self.rows.acts_at_start()).then(|| {
            let n_bodies = self.motion.turn.iter().flatten().count();
            reserve_stiffness(stiffness, self.c, n_bodies)
        });
        let out = range.map(|range| &mut stiffness.blocks[range]);
        match out {
            Some(out) if self.batch.holds(self.c) => {
                let sides = self.motion.turn.map(|turn| turn.is_some());
                self.batch.write_stiffness(self.c, sides, out);
                None
            }
            out => loaded.then(|| {
                let x = &x[cone.row..cone.row + cone.n_law_rows()];
                self.rows.add_stiffness(bodies, &self.motion, x, out)
            }),
        }
    }
}
