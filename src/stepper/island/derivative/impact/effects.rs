//! Rows and bounds of an impact that depend on what is before it.

use crate::step::Change;
use crate::stepper::island::derivative::driven_rows::DrivenRows;
use crate::stepper::island::derivative::places::PlaceEffect;
use crate::stepper::island::derivative::sizes::SizeEffect;
use signorini_ncp::linalg::{BLOCK, Lanes};
use signorini_ncp::problem::ContactProblem;

/// The rows of one solve.
#[derive(Debug)]
pub struct PhaseRows {
    /// A problem whose K is that of the impulses.
    pub turned: ContactProblem,
    /// ∂y/∂η⁺ at fixed velocities, in the blocks of J.
    pub moved: Vec<f64>,
    pub rows: Vec<RowEffect>,
    pub bounds: Vec<BoundEffect>,
    pub sizes: SizeEffect,
    pub places: PlaceEffect,
    pub driven: DrivenRows,
    /// cos of normals per cone, by which coefficients of friction count; 0 of joints.
    pub alignment: Vec<f64>,
}

/// A row whose y depends on velocities that the impact does not change.
#[derive(Debug, Clone, Copy)]
pub struct RowEffect {
    pub row: usize,
    pub cone: usize,
    /// Multiples of J of the row: by the velocities before the step, without contacts, and of the position
    /// phase.
    pub by: [f64; 3],
    /// u⁻ of a contact that rebounds (m/s).
    pub restitution: f64,
}

/// An impulse that is on a bound which moves.
#[derive(Debug, Clone, Copy)]
pub struct BoundEffect {
    pub row: usize,
    /// By the impulse before.
    pub by: f64,
    /// Λ_c of a contact that rebounds (N s).
    pub restitution: f64,
}

impl RowEffect {
    /// Adds the change of y by those of the velocities.
    pub fn add(&self, problem: &ContactProblem, speeds: [&[Lanes]; 3], changes: &[Change], y: &mut Lanes) {
        for (body, values) in self.blocks(problem) {
            for (by, speed) in self.by.iter().zip(speeds) {
                for (j, v) in values.iter().zip(&speed[BLOCK * body..][..BLOCK]) {
                    y.iter_mut().zip(v).for_each(|(y, v)| *y += by * j * v);
                }
            }
        }
        y.iter_mut().zip(changes).for_each(|(y, change)| *y += self.restitution * change.restitution);
    }

    /// Adds the gradients of a function whose gradient with y is given.
    pub fn add_transposed(
        &self,
        problem: &ContactProblem,
        y: f64,
        speeds: [&mut Vec<f64>; 3],
        out: &mut Change,
    ) {
        for (by, speed) in self.by.iter().zip(speeds) {
            for (body, values) in self.blocks(problem) {
                let to = speed[BLOCK * body..][..BLOCK].iter_mut();
                to.zip(values).for_each(|(to, j)| *to += by * j * y);
            }
        }
        out.restitution += self.restitution * y;
    }

    /// Bodies of the row, and its J.
    fn blocks<'a>(&self, problem: &'a ContactProblem) -> impl Iterator<Item = (usize, &'a [f64])> + use<'a> {
        let (cone, place) = (self.cone, self.row - problem.cones[self.cone].row);
        let blocks = problem.block_offsets[cone]..problem.block_offsets[cone + 1];
        blocks
            .map(move |k| (problem.block_body[k], &problem.jacobian_block(cone, k)[BLOCK * place..][..BLOCK]))
    }
}

impl BoundEffect {
    /// The change of the bound by those of the impulse before and of the parameters.
    pub fn of(&self, impulse: &Lanes, changes: &[Change]) -> Lanes {
        let mut out = impulse.map(|x| self.by * x);
        out.iter_mut().zip(changes).for_each(|(out, change)| *out += self.restitution * change.restitution);
        out
    }
}
