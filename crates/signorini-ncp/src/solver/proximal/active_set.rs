//! Newton on the statuses of the natural map: a finish for iterates near a solution.
//!
//! The proximal iteration is attracted by some solutions only. Where sliding couples normal and friction
//! impulses, the linearised contact problem may have a negative eigenvalue, and a fixed point is then left at
//! the rate 1/(1 − ρλ) instead of approached. Newton's method knows no such preference. Here statuses are
//! read off the natural map at its own scale, x − r y, not at x − ρ r y; for these statuses the equations are
//! solved in (v, x) at once, and the statuses are read again (primal–dual active sets: Alart, Curnier 1991;
//! Hüeber, Stadler, Wohlmuth 2008). Far from a solution it cycles, so it is only ever tried, for a few
//! iterations, and what it finds is kept if the true residual fell.

use crate::problem::{ContactLaw, ContactProblem};
use crate::solver::info::Info;
use crate::solver::iterate::Best;
use crate::solver::iterate::Iterate;
use crate::solver::law::{ContactStatus, Law, ProjectionDerivative, Proximal};
use crate::solver::linear_system::{FactorizationFailed, Matrix, Precision, accuracy};
use crate::solver::parameters::proximal::{ACTIVE_SET_ACCURACY, ACTIVE_SET_MAX_GROWTH, ACTIVE_SET_RHO};
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::inner::InnerNewton;
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// Workspace of the attempts.
#[derive(Debug, Default)]
pub struct ActiveSet {
    /// Impulses before they are moved into the cones: what the next statuses are read from.
    raw: Vec<f64>,
    /// x(v_k) − x̂ + G y: what the new impulses have beyond G.
    constant: Vec<f64>,
    change: Vec<f64>,
    applied: Vec<f64>,
    trial: Iterate,
    lowest: Best,
    candidate: Iterate,
}

impl ActiveSet {
    /// Tries to lower the true residual from `iterate`, where the problem is linearized with the residual
    /// `before`. If it fell to a half, `iterate` moves there. Ends with the problem linearized at `iterate`;
    /// returns its residual.
    pub fn run(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        before: Residual,
        context: &mut Context<'_>,
    ) -> Residual {
        let Context { options, info, newton } = context;
        self.raw.clone_from(&iterate.impulse);
        self.trial.copy_from(iterate);
        self.lowest.residual = before;
        for _ in 0..options.methods.active_set_iterations {
            if options.limit(info).is_some() {
                break;
            }
            if newton.newton_on_statuses(problem.linearized(), self, info).is_err() {
                break;
            }
            let reached = problem.refresh(&self.trial.velocity, &mut self.trial.impulse);
            info.count_refreshes(problem);
            tracing::trace!(reached = reached.max(), "statuses");
            self.drop_idle(problem.linearized());
            self.lowest.keep_if_better(&self.trial, reached);
            if reached.max() <= options.tolerance || reached.exceeds(ACTIVE_SET_MAX_GROWTH * before.max()) {
                break;
            }
        }
        if self.lowest.residual.max() <= 0.5 * before.max() {
            iterate.copy_from(&self.lowest.iterate);
        }
        problem.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// Tries to finish from a `point` of the central path, where the problem is linearized with the residual
    /// `reached`; `iterate` moves to what it finds if that is better than `best`. Ends with the problem
    /// linearized at `point` again, unless it is solved. Returns the better residual.
    pub fn finish(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        point: &mut Iterate,
        (best, reached): (Residual, Residual),
        context: &mut Context<'_>,
    ) -> Residual {
        if context.options.methods.active_set_iterations == 0 {
            return best;
        }
        let mut candidate = std::mem::take(&mut self.candidate);
        candidate.copy_from(point);
        let lower = self.run(problem, &mut candidate, reached, context);
        let improved = lower.max() < best.max();
        if improved {
            iterate.copy_from(&candidate);
        }
        self.candidate = candidate;
        if lower.max() > context.options.tolerance || lower.max().is_nan() {
            problem.refresh(&point.velocity, &mut point.impulse);
        }
        if improved { lower } else { best }
    }

    /// Sizes the workspace, so that a try allocates nothing.
    pub fn resize(&mut self, problem: &ContactProblem) {
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        for v in [&mut self.raw, &mut self.constant, &mut self.change, &mut self.applied] {
            v.resize(rows, 0.0);
        }
        for iterate in [&mut self.trial, &mut self.lowest.iterate] {
            iterate.velocity.resize(n, 0.0);
            iterate.impulse.resize(rows, 0.0);
        }
    }

    /// Contact points that exert nothing at the new pose do not push either where statuses are read.
    fn drop_idle(&mut self, problem: &ContactProblem) {
        for cone in problem.cones.iter().filter(|cone| !cone.bounded) {
            for row in cone.normal().filter(|row| self.trial.impulse[*row] == 0.0) {
                self.raw[row] = self.raw[row].min(0.0);
            }
        }
    }
}

impl InnerNewton {
    /// One Newton step on the natural map in (v, x) at the linearized problem, from its velocities and the
    /// impulses `set.raw`. Both end as the result, in `set.trial` with impulses in the cones.
    fn newton_on_statuses(
        &mut self,
        problem: &ContactProblem,
        set: &mut ActiveSet,
        info: &mut Info,
    ) -> Result<(), FactorizationFailed> {
        let ActiveSet { raw, constant, change, applied, trial, .. } = set;
        let proximal = Proximal {
            centre: raw,
            weight: &problem.at.weight,
            rho: ACTIVE_SET_RHO,
            equation_rho: ACTIVE_SET_RHO,
        };
        constant.clear();
        constant.resize(problem.n_rows(), 0.0);
        applied.clear();
        applied.resize(problem.n_rows(), 0.0);
        self.start_linear(problem);
        self.at.law.read_statuses(problem, &proximal, constant);
        let at = &mut self.at;
        apply_derivatives(problem, &at.law, &problem.at.slip, applied);
        change.clear();
        change.extend(constant.iter().zip(&*applied).map(|(c, g)| c - g));
        at.force.copy_from_slice(&at.linear);
        problem.add_forces(raw, -1.0, &mut at.force);
        problem.add_forces(change, -1.0, &mut at.force);
        at.force.iter_mut().for_each(|f| *f = -*f);
        info.count_iteration(problem);
        info.count_factorization(self.system.n_block_products());
        self.factored = None;
        self.system.factorize(problem, &self.at.law, Precision::Double, &mut info.times)?;
        let Self { system, at, direction, dy, .. } = self;
        let matrix = Matrix { problem, law: &at.law };
        system.solve(matrix, &at.force, direction, accuracy(ACTIVE_SET_ACCURACY));
        problem.response(direction, dy);
        apply_derivatives(problem, &at.law, dy, applied);
        change.iter_mut().zip(&*applied).for_each(|(c, g)| *c -= g);
        for cone in &problem.cones {
            change[cone.shift()].fill(0.0);
        }
        for (v, (from, d)) in trial.velocity.iter_mut().zip(at.velocity.iter().zip(&*direction)) {
            *v = from + d;
        }
        raw.iter_mut().zip(&*change).for_each(|(x, d)| *x += d);
        trial.impulse.clone_from(raw);
        Law::move_into_cones(problem, &mut trial.impulse);
        Ok(())
    }
}

fn apply_derivatives(problem: &ContactProblem, law: &Law, y: &[f64], out: &mut [f64]) {
    for c in 0..problem.cones.len() {
        law.apply_derivative(problem, c, true, y, out);
    }
}

impl Law {
    /// Statuses of the natural map at (`raw`, slip), with the derivatives of the equations that hold in them,
    /// made exact up to ρ; `constant` gets what x changes by beside −G (y + Y dv). Impulses become those of
    /// `proximal.centre` that are still loaded.
    pub fn read_statuses(&mut self, problem: &ContactProblem, proximal: &Proximal<'_>, constant: &mut [f64]) {
        let raw = proximal.centre;
        for (c, cone) in problem.cones.iter().enumerate() {
            let mut normal = Normal::default();
            for row in problem.carrier(cone).normal() {
                let [low, high] = problem.bounds[row];
                let given = problem.compliance.get(row).map_or(0.0, |r| r * raw[row]);
                let z = raw[row] - problem.at.weight[row] * (problem.at.slip[row] + given);
                let x = proximal.centre[row];
                let inside = low < z && z < high;
                let (shift, derivative) = proximal.row(problem, row);
                self.normal_derivative[row] = if inside { derivative } else { 0.0 };
                self.impulse[row] = if inside { x } else { z.max(low).min(high) };
                constant[row] = if inside { shift - x } else { self.impulse[row] - x };
                if inside {
                    normal.closed = true;
                    normal.reach += z;
                    normal.load += shift;
                } else if low > 0.0 && !cone.bounded {
                    normal.closed = true;
                    normal.reach += low;
                    normal.load += low;
                }
            }
            self.derivative[c] = ProjectionDerivative {
                status: if normal.closed { ContactStatus::Stick } else { ContactStatus::Open },
                ..ProjectionDerivative::default()
            };
            if !cone.bounded {
                self.read_friction(problem, c, proximal, &normal, constant);
            }
        }
    }

    fn read_friction(
        &mut self,
        problem: &ContactProblem,
        c: usize,
        proximal: &Proximal<'_>,
        normal: &Normal,
        constant: &mut [f64],
    ) {
        let cone = &problem.cones[c];
        let (mut z, mut x, mut weight, mut derivative) = ([0.0; 3], [0.0; 3], 0.0, 0.0);
        for (k, row) in cone.friction().enumerate() {
            weight = problem.at.weight[row];
            x[k] = proximal.centre[row];
            z[k] = x[k] - weight * problem.at.slip[row];
            derivative = proximal.row(problem, row).1;
            self.impulse[row] = x[k];
        }
        for row in cone.shift() {
            self.slip[row] = problem.at.slip[row];
        }
        let length = z.iter().map(|z| z * z).sum::<f64>().sqrt();
        let radius = cone.friction_coefficient * normal.reach;
        if !normal.closed {
            for (row, x) in cone.friction().zip(x) {
                constant[row] = -x;
                self.impulse[row] = 0.0;
            }
        } else if length <= radius {
            self.derivative[c].alpha = derivative;
        } else {
            // P x = −κ r P (y + (x − x̂)/(ρ r)) with κ = s/(1 − s), s = R/|z|; along d: μ Σ x_n.
            let kappa = radius / (length - radius);
            let soft = kappa / proximal.rho;
            let direction = z.map(|z| z / length);
            let alpha = kappa * weight / (1.0 + soft);
            let along: f64 = direction.iter().zip(&x).map(|(d, x)| d * x).sum();
            for (k, row) in cone.friction().enumerate() {
                let across = x[k] - along * direction[k];
                let sliding = cone.friction_coefficient * normal.load - along;
                constant[row] = sliding * direction[k] - across / (1.0 + soft);
            }
            self.derivative[c] = ProjectionDerivative {
                status: ContactStatus::Slip,
                alpha,
                beta: alpha,
                coupling: cone.friction_coefficient,
                direction,
                ..ProjectionDerivative::default()
            };
        }
    }
}

/// Normal rows of a contact, as friction needs them.
#[derive(Default)]
struct Normal {
    closed: bool,
    /// Σ x − r y of the closed rows, and the least impulses of the rows that carry no more.
    reach: f64,
    /// Σ x of these rows.
    load: f64,
}

/// Whether the law is one whose statuses this method knows.
pub fn applies(problem: &ContactProblem) -> bool {
    problem.law == ContactLaw::Coulomb
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::solver::LinearProblem;
    use crate::solver::options::SolveOptions;
    use nalgebra::Matrix6;

    pub const FRICTION: f64 = 0.3;
    /// g h (m/s).
    pub const FALL: f64 = 0.1;

    /// No velocity and no impulse, where the problem is linearized now, and the residual there.
    pub fn at_rest(problem: &mut dyn StepProblem) -> (Iterate, Residual) {
        let (n, rows) = (problem.linearized().at.velocity.len(), problem.linearized().n_rows());
        let mut iterate = Iterate { velocity: vec![0.0; n], impulse: vec![0.0; rows] };
        let start = problem.refresh(&iterate.velocity, &mut iterate.impulse);
        (iterate, start)
    }

    /// Two blocks of 2 and 3 kg in a stack on the ground, the lower one pushed sideways at `speed`.
    pub fn stack(speed: f64) -> ContactProblem {
        let mut problem = ContactProblem::empty();
        for (mass, speed) in [(2.0, speed), (3.0, 0.0)] {
            problem.mass.push(Matrix6::identity() * mass);
            problem.mass_inverse.push(Matrix6::identity() / mass);
            problem.at.free_momentum.extend([mass * speed, 0.0, -mass * FALL, 0.0, 0.0, 0.0]);
        }
        problem.at.velocity.resize(12, 0.0);
        problem.add_contact([0].into_iter(), (1, 2), FRICTION);
        problem.add_contact([0, 1].into_iter(), (1, 2), FRICTION);
        for (block, sign) in [1.0, -1.0, 1.0].into_iter().enumerate() {
            let start = problem.value_offsets[block];
            for (row, axis) in [2, 0, 1].into_iter().enumerate() {
                problem.at.jacobian[start + 6 * row + axis] = sign;
            }
        }
        problem.update_weights();
        problem.set_uniform_units(2.0 * FALL, 1.0);
        problem
    }

    /// From impulses that are a third too small and stick everywhere, both contacts sliding or both sticking.
    #[test]
    fn statuses_are_found_and_their_equations_solved() {
        let (ground, between) = (5.0 * FALL, 3.0 * FALL);
        let sliding = [3.0 - FRICTION * (ground + between) / 2.0, FRICTION * between / 3.0];
        for (speed, expected) in [(3.0, sliding), (0.05, [0.0, 0.0])] {
            let mut problem = LinearProblem::new(stack(speed), None);
            let mut iterate = Iterate { velocity: vec![0.0; 12], impulse: vec![0.0; 6] };
            (iterate.impulse[0], iterate.impulse[3]) = (ground / 1.5, between / 1.5);
            let start = problem.refresh(&iterate.velocity, &mut iterate.impulse);
            let (mut info, mut newton, options) =
                (Info::default(), InnerNewton::default(), SolveOptions::new(1e-12));
            newton.prepare(problem.linearized(), &options);
            let mut context = Context { options, info: &mut info, newton: &mut newton };
            let reached = ActiveSet::default().run(&mut problem, &mut iterate, start, &mut context);
            assert!(start.max() > 0.1 && reached.max() <= 1e-12, "{start:?} to {reached:?}");
            assert!(info.iterations <= 4, "{}", info.iterations);
            for (v, expected) in [iterate.velocity[0], iterate.velocity[6]].iter().zip(expected) {
                assert!((v - expected).abs() < 1e-10, "velocity {v}, expected {expected}");
            }
        }
    }
}
