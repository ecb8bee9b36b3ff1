//! Problems that have no solution, recognised by how impulses grow (Farkas' lemma).
//!
//! Normal impulses d ≥ 0 that move nothing, Jᵀ d = 0, and would do work all the same, d·w < 0 with
//! y = J v + w, prove that no v opens all contacts: d·y = d·(J v + w) = d·w < 0, while y ≥ 0 asks for
//! d·y ≥ 0. Where no solution exists the proximal method's impulses grow without end along such a d: a vice
//! that closes on a block.

use crate::linalg::BLOCK;
use crate::problem::ContactProblem;
use crate::solver::parameters::proximal::{
    CERTIFICATE_BALANCE, CERTIFICATE_NOISE, CERTIFICATE_WORK, CERTIFICATES_IN_A_ROW,
};
use crate::solver::residual::offset_of;
use nalgebra::Vector3;

/// Infeasibility certificate, checked now and then in the course of one attempt.
#[derive(Debug, Default)]
pub struct InfeasibilityCertificate {
    impulse: Vec<f64>,
    growth: Vec<f64>,
    force: Vec<f64>,
    acting: Vec<f64>,
    n_proofs: usize,
}

impl InfeasibilityCertificate {
    /// Starts anew.
    pub fn begin(&mut self) {
        self.impulse.clear();
        self.n_proofs = 0;
    }

    /// Compares with the impulses of the last check; returns whether it is proven by now that there is no
    /// solution.
    pub fn check(&mut self, problem: &ContactProblem, impulse: &[f64]) -> bool {
        let comparable = self.impulse.len() == impulse.len();
        let proven = comparable && self.is_proof(problem, impulse);
        self.n_proofs = if proven { self.n_proofs + 1 } else { 0 };
        self.impulse.clear();
        self.impulse.extend_from_slice(impulse);
        self.n_proofs >= CERTIFICATES_IN_A_ROW
    }

    fn is_proof(&mut self, problem: &ContactProblem, impulse: &[f64]) -> bool {
        self.grow(problem, impulse);
        let d = &self.growth;
        let offset = offset_of(problem);
        let normal = || problem.cones.iter().flat_map(|cone| cone.normal());
        let work: f64 = normal().map(|row| d[row] * offset[row]).sum();
        let size: f64 = normal().map(|row| (d[row] * offset[row]).abs()).sum();
        work < -CERTIFICATE_WORK * size && self.is_balanced(problem)
    }

    /// d: by how much normal impulses grew since the last check, joints' where they are equations.
    fn grow(&mut self, problem: &ContactProblem, impulse: &[f64]) {
        let d = &mut self.growth;
        d.clear();
        d.resize(impulse.len(), 0.0);
        for cone in &problem.cones {
            for row in cone.normal() {
                let grown = impulse[row] - self.impulse[row];
                let is_soft = problem.compliance.get(row).is_some_and(|r| *r > 0.0);
                let is_equation =
                    cone.bounded && !is_soft && problem.bounds[row] == [f64::NEG_INFINITY, f64::INFINITY];
                if is_equation || (!cone.bounded && grown > 0.0) {
                    d[row] = grown;
                }
            }
        }
        let largest = d.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        d.iter_mut().filter(|x| x.abs() < CERTIFICATE_NOISE * largest).for_each(|x| *x = 0.0);
    }

    /// Whether d moves no body.
    fn is_balanced(&mut self, problem: &ContactProblem) -> bool {
        let Self { growth: d, force, acting, .. } = self;
        let n_bodies = problem.n_bodies();
        force.clear();
        force.resize(BLOCK * n_bodies, 0.0);
        problem.add_forces(d, 1.0, force);
        acting.clear();
        acting.resize(n_bodies, 0.0);
        for (c, cone) in problem.cones.iter().enumerate() {
            let grown: f64 = cone.normal().map(|row| d[row].abs()).sum();
            for i in problem.bodies_of(c) {
                acting[*i] += grown;
            }
        }
        force.chunks_exact(BLOCK).zip(&problem.at.units.bodies).zip(&*acting).all(|((rows, unit), acting)| {
            let [linear, angular] = [0, 3].map(|k| Vector3::from_column_slice(&rows[k..k + 3]));
            linear.norm().max(unit.turned(&angular)) <= CERTIFICATE_BALANCE * acting
        })
    }
}
