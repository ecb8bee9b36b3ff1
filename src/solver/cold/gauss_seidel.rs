//! Phase A: nonlinear Gauss–Seidel, every contact solved exactly in turn with the others fixed.
//!
//! Needs block-diagonal A (no coupling); K is left out, the true residual decides. Cheap and quick where
//! contacts are few per body (impacts), hopeless where they are many or masses differ: it stops by itself
//! then.

use crate::linalg::BLOCK;
use crate::problem::contact_problem::{body_vector_mut, vector6};
use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::cold::local_contact::LocalContact;
use crate::solver::iterate::Iterate;
use crate::solver::law::natural_map;
use crate::solver::run::Run;
use nalgebra::{DMatrix, DVector, Vector6};

/// How many sweeps.
#[derive(Debug, Clone, Copy)]
pub struct Sweeps {
    /// Sweeps that are always made: they spread impacts through the contacts.
    pub first: usize,
    /// Sweeps after which the rate is looked at again.
    pub block: usize,
    /// Sweeps at most: what the rate has to predict the tolerance within. What converges more slowly is
    /// quicker in proximal Newton.
    pub most: usize,
}

impl Default for Sweeps {
    fn default() -> Self {
        Self { first: 20, block: 40, most: 60 }
    }
}

/// Workspace: A⁻¹ Jᵀ by contact block and the local problems.
#[derive(Debug, Default)]
pub struct GaussSeidel {
    contacts: Vec<LocalContact>,
    /// A⁻¹ times the transposed rows of every contact block, in the layout of `jacobian`.
    acceleration: Vec<f64>,
    /// Scratch over the bodies: momentum, or a difference of velocities.
    momentum: Vec<f64>,
    slip: Vec<f64>,
    next: Vec<f64>,
}

impl GaussSeidel {
    /// Sweeps while it pays: a first block, and further ones while the rate of the last predicts the
    /// tolerance (of the natural map, in units of `scaling`) in time. Returns sweeps taken; `iterate` ends
    /// momentum-consistent. Does nothing for coupled A, or where the law is not Coulomb's.
    pub fn run(
        &mut self,
        problem: &ContactProblem,
        iterate: &mut Iterate,
        sweeps: &Sweeps,
        run: &Run,
    ) -> usize {
        if !problem.coupling.is_empty() || problem.cones.is_empty() || problem.law != ContactLaw::Coulomb {
            return 0;
        }
        self.prepare(problem);
        self.consistent_velocity(problem, iterate);
        let mut before = self.residual(problem, iterate);
        let mut taken = 0;
        loop {
            let block = if taken == 0 { sweeps.first } else { sweeps.block };
            for _ in 0..block {
                self.sweep_once(problem, iterate);
                taken += 1;
                if run.is_late() {
                    return taken;
                }
            }
            self.consistent_velocity(problem, iterate);
            let reached = self.residual(problem, iterate);
            // Residual left per sweep, to the power of the sweeps still allowed.
            let per_sweep = (reached / before).powf(1.0 / block.max(1) as f64);
            let left = sweeps.most.saturating_sub(taken) as f64;
            if !(reached > run.tolerance && reached * per_sweep.powf(left) <= run.tolerance) {
                return taken;
            }
            before = reached;
        }
    }

    fn prepare(&mut self, problem: &ContactProblem) {
        self.acceleration.clone_from(&problem.at.jacobian);
        self.slip.resize(problem.n_rows(), 0.0);
        self.contacts.resize(problem.cones.len(), LocalContact::default());
        let response = problem.response_values();
        for (c, cone) in problem.cones.iter().enumerate() {
            let n = cone.n_law_rows();
            let local = &mut self.contacts[c];
            if local.offset.len() != n {
                local.delassus = DMatrix::zeros(n, n);
                local.offset = DVector::zeros(n);
            }
            local.n_normal = cone.n_normal;
            local.friction_coefficient = cone.friction_coefficient;
            local.bounds.clear();
            if cone.bounded {
                local.bounds.extend_from_slice(&problem.bounds[cone.normal()]);
            }
            let delassus = &mut local.delassus;
            delassus.fill(0.0);
            for i in 0..n {
                delassus[(i, i)] = problem.compliance.get(cone.row + i).copied().unwrap_or(0.0);
            }
            for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                let inverse = &problem.mass_inverse[problem.block_body[k]];
                let range = problem.value_offsets[k]..problem.value_offsets[k] + BLOCK * n;
                for row in self.acceleration[range.clone()].chunks_exact_mut(BLOCK) {
                    let product = inverse * Vector6::from_column_slice(row);
                    row.copy_from_slice(product.as_slice());
                }
                for (i, y) in response[range.clone()].chunks_exact(BLOCK).enumerate() {
                    for (j, a) in self.acceleration[range.clone()].chunks_exact(BLOCK).enumerate() {
                        delassus[(i, j)] += y.iter().zip(a).map(|(y, a)| y * a).sum::<f64>();
                    }
                }
            }
        }
    }

    /// v := A⁻¹ (b + Jᵀ x).
    fn consistent_velocity(&mut self, problem: &ContactProblem, iterate: &mut Iterate) {
        self.momentum.clone_from(&problem.at.free_momentum);
        problem.add_forces(&iterate.impulse, 1.0, &mut self.momentum);
        for (i, inverse) in problem.mass_inverse.iter().enumerate() {
            let v = inverse * vector6(&self.momentum, i);
            body_vector_mut(&mut iterate.velocity, i).copy_from_slice(v.as_slice());
        }
    }

    fn residual(&mut self, problem: &ContactProblem, iterate: &Iterate) -> f64 {
        self.momentum.clear();
        self.momentum.extend(iterate.velocity.iter().zip(&problem.at.velocity).map(|(v, k)| v - k));
        problem.response(&self.momentum, &mut self.slip);
        self.slip.iter_mut().zip(&problem.at.slip).for_each(|(y, k)| *y += k);
        let (normal, friction) = natural_map(problem, &problem.at.weight, &iterate.impulse, &self.slip);
        crate::math::larger(normal, friction)
    }

    fn sweep_once(&mut self, problem: &ContactProblem, iterate: &mut Iterate) {
        let response = problem.response_values();
        for (c, cone) in problem.cones.iter().enumerate() {
            let n = cone.n_law_rows();
            let local = &mut self.contacts[c];
            let x = &mut iterate.impulse[cone.row..cone.row + n];
            local.offset.copy_from_slice(&problem.at.slip[cone.row..cone.row + n]);
            for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                let body = BLOCK * problem.block_body[k]..BLOCK * (problem.block_body[k] + 1);
                let (v, linearized) = (&iterate.velocity[body.clone()], &problem.at.velocity[body]);
                let rows = response[problem.value_offsets[k]..].chunks_exact(BLOCK);
                for (y, row) in local.offset.iter_mut().zip(rows) {
                    *y +=
                        row.iter().zip(v.iter().zip(linearized)).map(|(a, (v, k))| a * (v - k)).sum::<f64>();
                }
            }
            for i in 0..n {
                // The compliance in W acts on x too: it is not part of y.
                let stiff = problem.compliance.get(cone.row + i).copied().unwrap_or(0.0) * x[i];
                let own: f64 = (0..n).map(|j| local.delassus[(i, j)] * x[j]).sum();
                local.offset[i] -= own - stiff;
            }
            self.next.clear();
            self.next.extend_from_slice(x);
            local.solve(&mut self.next);
            for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                let v = body_vector_mut(&mut iterate.velocity, problem.block_body[k]);
                let rows = self.acceleration[problem.value_offsets[k]..].chunks_exact(BLOCK);
                for ((new, old), row) in self.next.iter().zip(x.iter()).zip(rows) {
                    for (v, a) in v.iter_mut().zip(row) {
                        *v += (new - old) * a;
                    }
                }
            }
            x.copy_from_slice(&self.next);
        }
    }
}
