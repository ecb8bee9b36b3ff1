//! A method of one's own in place of the strategies of [`solve`](mod@crate::solver::solve), held to the same
//! tolerance.

use crate::problem::ContactProblem;
use crate::solver::info::Info;
use crate::solver::iterate::{Best, Iterate};
use crate::solver::options::SolveOptions;
use crate::solver::residual::Residual;
use crate::solver::status::SolveStatus;
use crate::solver::step_problem::StepProblem;
use std::fmt::Debug;

/// A method that solves linearized problems. Islands call it from several threads at once.
pub trait OwnMethod: Debug + Send + Sync {
    /// Puts impulses that solve a problem in place of those at which it is linearized: with
    /// v = A⁻¹ (b + Jᵀ x) and y = y_k + Y (v − v_k), the law of each cone holds. Rows that are not in use,
    /// and shift rows, stay 0. False: it gives up.
    fn solve(&self, problem: &ContactProblem, impulse: &mut [f64]) -> bool;
}

/// Solves by a method of one's own: linearizes, has the problem solved, goes there, until the residual is at
/// most the tolerance. The iterate ends as the best one, with the problem linearized there.
pub(super) fn run(
    method: &dyn OwnMethod,
    problem: &mut dyn StepProblem,
    (iterate, known): (&mut Iterate, Option<Residual>),
    options: &SolveOptions,
    info: &mut Info,
) -> SolveStatus {
    let residual = known.unwrap_or_else(|| problem.refresh(&iterate.velocity, &mut iterate.impulse));
    let mut best = Best::default();
    best.set(iterate, residual);
    let mut status = SolveStatus::MaxIterations;
    let mut trial = iterate.clone();
    for _ in 0..options.iterations {
        if let Some(limit) = options.limit(info) {
            status = limit;
            break;
        }
        info.iterations += 1;
        if !method.solve(problem.linearized(), &mut trial.impulse) {
            status = SolveStatus::Stalled;
            break;
        }
        trial.balance(problem.linearized());
        let residual = problem.refresh(&trial.velocity, &mut trial.impulse);
        info.work += problem.take_refresh_work();
        if residual.max().is_nan() {
            status = SolveStatus::NonFinite;
            break;
        }
        if residual.max() < best.residual.max() {
            best.set(&trial, residual);
        }
        if !residual.exceeds(options.tolerance) {
            status = SolveStatus::Solved;
            break;
        }
    }
    iterate.copy_from(&best.iterate);
    let returned = problem.return_to_best(&mut iterate.velocity, &mut iterate.impulse);
    info.residual = returned.unwrap_or_else(|| problem.refresh(&iterate.velocity, &mut iterate.impulse));
    if status == SolveStatus::Solved && info.residual.exceeds(options.tolerance) {
        status = SolveStatus::Stalled;
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::{LinearProblem, Solver};
    use nalgebra::Matrix6;
    use std::sync::Arc;

    /// Projected Gauss and Seidel's method for one contact of one body of mass 2.
    #[derive(Debug)]
    struct OneContact;

    impl OwnMethod for OneContact {
        fn solve(&self, problem: &ContactProblem, x: &mut [f64]) -> bool {
            for _ in 0..100 {
                let mut v = vec![0.0; 6];
                for row in 0..3 {
                    problem.balance(x, &mut Vec::new(), &mut v);
                    let mut y = vec![0.0; 3];
                    problem.response(&v, &mut y);
                    x[row] -= 2.0 * y[row];
                    let limit = problem.cones[0].friction_coefficient * x[0];
                    if row == 0 {
                        x[0] = x[0].max(0.0);
                    } else {
                        x[row] = x[row].clamp(-limit, limit);
                    }
                }
            }
            true
        }
    }

    #[derive(Debug)]
    struct GivesUp;

    impl OwnMethod for GivesUp {
        fn solve(&self, _: &ContactProblem, _: &mut [f64]) -> bool {
            false
        }
    }

    fn sliding_block() -> ContactProblem {
        let mut problem = ContactProblem::empty();
        problem.mass.push(Matrix6::identity() * 2.0);
        problem.mass_inverse.push(Matrix6::identity() / 2.0);
        problem.at.free_momentum.extend([6.0, 0.0, -0.1962, 0.0, 0.0, 0.0]);
        problem.at.velocity.extend([0.0; 6]);
        problem.add_contact([0].into_iter(), (1, 2), 0.3);
        for (row, axis) in [2, 0, 1].into_iter().enumerate() {
            problem.at.jacobian[6 * row + axis] = 1.0;
        }
        problem.update_weights();
        problem.set_uniform_units(0.1962, 1.0);
        problem
    }

    #[test]
    fn a_method_of_ones_own_is_held_to_the_tolerance() {
        let solve = |method: Arc<dyn OwnMethod>| {
            let mut problem = LinearProblem::new(sliding_block(), None);
            let mut iterate = Iterate { velocity: vec![0.0; 6], impulse: vec![0.0; 3] };
            let mut solver = Solver::default();
            solver.use_own(Some(method));
            let mut info = Info::default();
            let status = solver.solve(&mut problem, &mut iterate, &SolveOptions::new(1e-10), &mut info);
            (status, iterate, info)
        };
        let (status, iterate, info) = solve(Arc::new(OneContact));
        assert_eq!((status, info.iterations), (SolveStatus::Solved, 1));
        // Friction takes μ m g h.
        assert!((iterate.velocity[0] - (6.0 - 0.3 * 0.1962) / 2.0).abs() < 1e-12, "{iterate:?}");
        let (status, iterate, info) = solve(Arc::new(GivesUp));
        assert_eq!((status, iterate.impulse), (SolveStatus::Stalled, vec![0.0; 3]));
        assert!(info.residual.max() > 0.1);
    }
}
