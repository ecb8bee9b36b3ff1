//! A⁻¹ of a contact problem: by blocks, or by Cholesky where springs couple its bodies.

use crate::linalg::{BlockPattern, NotPositiveDefinite, SparseCholesky, SymmetricBlocks};
use crate::problem::ContactProblem;
use crate::problem::contact_problem::{body_vector_mut, vector6};

/// A factor of A; block-diagonal A needs none beyond the inverses that the problem holds.
#[derive(Debug, Default)]
pub struct MassFactor(Option<SparseCholesky>);

impl MassFactor {
    /// Factorises where there is something to factorise.
    ///
    /// # Errors
    /// When A is not positive definite in floating point.
    pub fn new(problem: &ContactProblem) -> Result<Self, NotPositiveDefinite> {
        if problem.coupling.is_empty() {
            return Ok(Self(None));
        }
        let pairs = problem.coupling.iter().map(|(i, j, _)| (*i, *j));
        let pattern = BlockPattern::new(problem.n_bodies(), pairs);
        let mut blocks = SymmetricBlocks::default();
        blocks.reset(&pattern);
        for (i, mass) in problem.mass.iter().enumerate() {
            blocks.block(i).copy_from_slice(mass.transpose().as_slice());
        }
        for (i, j, block) in &problem.coupling {
            // Slots hold rows of the lower triangle, one after the other.
            let lower = if i > j { block.transpose() } else { *block };
            for (o, a) in blocks.block(pattern.slot(*i, *j)).iter_mut().zip(lower.as_slice()) {
                *o += a;
            }
        }
        let mut factor = SparseCholesky::default();
        factor.analyse(&pattern);
        factor.factorize(&pattern, &blocks)?;
        Ok(Self(Some(factor)))
    }

    /// x := A⁻¹ x.
    pub fn solve(&mut self, problem: &ContactProblem, x: &mut [f64]) {
        if let Some(factor) = &mut self.0 {
            return factor.solve(x);
        }
        for (i, inverse) in problem.mass_inverse.iter().enumerate() {
            let solved = inverse * vector6(x, i);
            body_vector_mut(x, i).copy_from_slice(solved.as_slice());
        }
    }
}
