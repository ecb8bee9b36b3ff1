//! Interior point for exact Coulomb friction: follows the central path
//! ([`crate::solver::interior_point::point`]) to its end.
//!
//! Mehrotra's predictor and corrector (SIAM Journal on Optimization 2, 1992), the geometry refreshed after
//! each iteration. It starts from nothing, takes the same dozen iterations for a handful of bodies as for a
//! thousand, and needs no statuses. Coulomb friction is not monotone, however: in slowly creeping piles the
//! path may turn back in τ. Steps then get short and the products stand still; the attempt is given up, and
//! the proximal method begins where it would have begun.

use crate::problem::ContactProblem;
use crate::solver::central_path;
use crate::solver::central_path::PathStart;
use crate::solver::info::Info;
use crate::solver::interior_point::point::CentralPoint;
use crate::solver::iterate::Iterate;
use crate::solver::linear_system::{FactorizationFailed, Matrix, Precision, accuracy};
use crate::solver::options::SolveOptions;
use crate::solver::parameters::interior_point::{
    BOUNDARY_FRACTION, BOUNDARY_FRACTION_SHORT, CENTERING_EXPONENT, INTERIOR_ACCURACY,
    INTERIOR_FINISH_DECREASE, INTERIOR_KEEP_BELOW_RESIDUAL, INTERIOR_STALL_ITERATIONS, MIN_CENTERING,
    SHORT_STEP,
};
use crate::solver::parameters::proximal::ACTIVE_SET_BELOW_RESIDUAL;
use crate::solver::proximal::active_set::ActiveSet;
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::inner::InnerNewton;
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// Interior point with its workspace and its back-off.
#[derive(Debug, Default)]
pub struct InteriorPoint {
    point: CentralPoint,
    pub schedule: PathStart,
}

impl InteriorPoint {
    /// Whether this solve, which starts from `residual`, should try.
    pub fn is_due(&mut self, residual: &Residual, problem: &ContactProblem, options: &SolveOptions) -> bool {
        let can = options.methods.interior_iterations > 0
            && central_path::applies(problem)
            && !problem.has_rolling();
        self.schedule.is_due(residual, can)
    }
}

/// Ends the attempt when the products stand still.
struct Pace {
    /// Iteration and mean product of the last halving.
    last: (usize, f64),
}

impl Pace {
    fn is_stuck(&mut self, iteration: usize, products: f64) -> bool {
        if products <= 0.5 * self.last.1 {
            self.last = (iteration, products);
        }
        iteration - self.last.0 >= INTERIOR_STALL_ITERATIONS
    }
}

impl InteriorPoint {
    /// Tries to solve from nothing. `iterate`, where the problem is linearized with the residual `before`,
    /// moves to the best point met if that is good enough to keep. Ends with the problem linearized at
    /// `iterate`; returns its residual.
    pub fn run(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        before: Residual,
        active_set: &mut ActiveSet,
        context: &mut Context<'_>,
    ) -> Residual {
        context.newton.prepare(problem.linearized(), &context.options);
        active_set.resize(problem.linearized());
        self.schedule.start.copy_from(iterate);
        let mut products = self.enter(problem);
        let mut best = before;
        let mut finish_below = ACTIVE_SET_BELOW_RESIDUAL;
        let mut pace = Pace { last: (0, f64::INFINITY) };
        let tolerance = context.options.tolerance;
        for iteration in 1..=context.options.methods.interior_iterations {
            if context.options.limit(context.info).is_some()
                || self.step(problem.linearized(), products, context).is_err()
            {
                break;
            }
            let Iterate { velocity, impulse } = &mut self.point.iterate;
            let reached = problem.refresh(velocity, impulse);
            context.info.count_refreshes(problem);
            products = self.point.read(problem.linearized());
            tracing::trace!(products, reached = reached.max(), "interior point");
            if reached.max() < best.max() {
                best = reached;
                iterate.copy_from(&self.point.iterate);
            }
            if reached.max() > tolerance && reached.max() < finish_below {
                finish_below = INTERIOR_FINISH_DECREASE * reached.max();
                let point = &mut self.point.iterate;
                best = active_set.finish(problem, iterate, point, (best, reached), context);
                self.point.read(problem.linearized());
            }
            let lost = reached.max().is_nan() || products.is_nan();
            if lost || best.max() <= tolerance || pace.is_stuck(iteration, products) {
                break;
            }
        }
        let kept = best.max() <= INTERIOR_KEEP_BELOW_RESIDUAL;
        self.schedule.record_outcome(kept);
        if !kept {
            iterate.copy_from(&self.schedule.start);
        }
        problem.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// The starting point: free motion, and impulses that stop a part of the fastest approach. Linearized and
    /// read there; returns the mean product.
    fn enter(&mut self, problem: &mut dyn StepProblem) -> f64 {
        let Self { point, schedule } = self;
        let speed = schedule.release(problem, &mut point.iterate);
        point.resize(problem.linearized());
        point.start(problem.linearized(), speed);
        let Iterate { velocity, impulse } = &mut point.iterate;
        problem.refresh(velocity, impulse);
        point.read(problem.linearized())
    }

    /// One iteration at the linearized problem, from a point that was read there with the mean product
    /// `products`.
    fn step(
        &mut self,
        problem: &ContactProblem,
        products: f64,
        context: &mut Context<'_>,
    ) -> Result<(), FactorizationFailed> {
        let (point, newton) = (&mut self.point, &mut context.newton);
        newton.factorize_interior(problem, point, context.info)?;
        newton.interior_direction(problem, point, 0.0, false);
        let reach = point.edge(problem, 1.0).min(1.0);
        let left = (point.mean_after(problem, reach) / products).clamp(MIN_CENTERING, 1.0);
        point.keep_prediction();
        let tau = left.powi(CENTERING_EXPONENT) * products;
        newton.interior_direction(problem, point, tau, true);
        let mut length = step_length(problem, point);
        if length < SHORT_STEP {
            // Second-order terms mislead far from the path: without them, then straight back to it.
            for tau in [tau, products] {
                point.exchange_step();
                newton.interior_direction(problem, point, tau, false);
                let longer = step_length(problem, point);
                if longer > length {
                    length = longer;
                } else {
                    point.exchange_step();
                }
            }
        }
        point.advance(length);
        Ok(())
    }
}

/// Close to the boundary when the step is nearly a full one, at a distance when it is short: a contact that
/// is taken to the very edge blocks the next step.
fn step_length(problem: &ContactProblem, point: &CentralPoint) -> f64 {
    let edge = point.edge(problem, 1.0);
    let fraction = if edge < 0.5 { BOUNDARY_FRACTION_SHORT } else { BOUNDARY_FRACTION };
    (fraction * edge).min(point.edge(problem, fraction)).min(1.0)
}

impl InnerNewton {
    /// The factor of the matrix at the point, and −(A v − b − Jᵀ x) in `at.force`.
    fn factorize_interior(
        &mut self,
        problem: &ContactProblem,
        point: &CentralPoint,
        info: &mut Info,
    ) -> Result<(), FactorizationFailed> {
        self.start_linear(problem);
        let at = &mut self.at;
        point.write_derivatives(problem, &mut at.law);
        at.force.copy_from_slice(&at.linear);
        problem.add_forces(&point.iterate.impulse, -1.0, &mut at.force);
        at.force.iter_mut().for_each(|f| *f = -*f);
        info.count_iteration(problem);
        info.count_factorization(self.system.n_block_products());
        self.factored = None;
        self.system.factorize(problem, &self.at.law, Precision::Double, &mut info.times)
    }

    /// `point.step` with the products going to `tau`.
    fn interior_direction(
        &mut self,
        problem: &ContactProblem,
        point: &mut CentralPoint,
        tau: f64,
        corrected: bool,
    ) {
        point.write_constant(problem, tau, corrected);
        let Self { system, at, direction, .. } = self;
        direction.copy_from_slice(&at.force);
        problem.add_forces(&point.constant, 1.0, direction);
        let to = &mut point.step.velocity;
        if system.is_lu() {
            // One iteration met the accuracy whenever it was checked; the value of a direction, the
            // residual tells.
            system.substitute(problem.at.units.length, direction, to);
        } else {
            let matrix = Matrix { problem, law: &at.law };
            system.solve(matrix, direction, to, accuracy(INTERIOR_ACCURACY));
        }
        point.complete(problem, &at.law, tau, corrected);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::LinearProblem;
    use crate::solver::proximal::active_set::tests::{FALL, FRICTION, at_rest, stack};
    use crate::solver::{SolveStatus, Solver};

    fn solve(problem: ContactProblem, options: SolveOptions) -> (Iterate, Residual, Info) {
        let mut problem = LinearProblem::new(problem, None);
        let (mut iterate, start) = at_rest(&mut problem);
        let (mut info, mut newton) = (Info::default(), InnerNewton::default());
        let mut context = Context { options, info: &mut info, newton: &mut newton };
        let (mut method, mut finish) = (InteriorPoint::default(), ActiveSet::default());
        let reached = method.run(&mut problem, &mut iterate, start, &mut finish, &mut context);
        (iterate, reached, info)
    }

    /// Without any finish the path itself ends at the solution, whether contacts slide or stick.
    #[test]
    fn the_path_ends_at_the_solution() {
        let mut options = SolveOptions::new(1e-9);
        options.methods.active_set_iterations = 0;
        let (ground, between) = (5.0 * FALL, 3.0 * FALL);
        let sliding = [3.0 - FRICTION * (ground + between) / 2.0, FRICTION * between / 3.0];
        for (speed, expected) in [(3.0, sliding), (0.05, [0.0, 0.0])] {
            let (iterate, reached, info) = solve(stack(speed), options);
            assert!(reached.max() <= 1e-9, "{reached:?} after {}", info.iterations);
            assert!(info.iterations <= 25, "{}", info.iterations);
            for (v, expected) in [iterate.velocity[0], iterate.velocity[6]].iter().zip(expected) {
                assert!((v - expected).abs() < 1e-7, "velocity {v}, expected {expected}");
            }
        }
    }

    /// Rough tolerances are left to the proximal method.
    #[test]
    fn it_is_tried_for_fine_goals_only() {
        let work = |tolerance: f64, interior_iterations: usize| {
            let problem = stack(3.0);
            let mut iterate = Iterate {
                velocity: vec![0.0; problem.at.velocity.len()],
                impulse: vec![0.0; problem.n_rows()],
            };
            let (mut problem, mut info) = (LinearProblem::new(problem, None), Info::default());
            let mut options = SolveOptions::new(tolerance);
            options.methods.interior_iterations = interior_iterations;
            let status = Solver::default().solve(&mut problem, &mut iterate, &options, &mut info);
            assert!(
                status == SolveStatus::Solved && info.residual.max() <= tolerance,
                "{tolerance}: {info:?}"
            );
            (info.iterations, info.factorizations)
        };
        for (tolerance, is_tried) in [(1e-8, true), (9e-4, true), (1e-3, false), (1e-2, false)] {
            let [with, without] = [40, 0].map(|iterations| work(tolerance, iterations));
            assert_eq!(with != without, is_tried, "{tolerance}: {with:?}, {without:?}");
        }
    }

    /// An attempt that ends above `INTERIOR_KEEP_BELOW_RESIDUAL` leaves the start unchanged.
    #[test]
    fn a_failed_attempt_changes_nothing() {
        let mut options = SolveOptions::new(1e-9);
        options.methods.interior_iterations = 2;
        let (iterate, reached, info) = solve(stack(3.0), options);
        assert!(info.iterations >= 2 && reached.max() > 0.1, "{reached:?}");
        assert!(iterate.velocity.iter().chain(&iterate.impulse).all(|x| *x == 0.0));
    }

    #[test]
    fn failures_double_the_pause() {
        let (options, problem) = (SolveOptions::new(1e-9), stack(3.0));
        let far = Residual { momentum: 1.0, ..Residual::default() };
        let mut interior = InteriorPoint::default();
        for expected in [1, 3, 7, 15, 15] {
            assert!(interior.is_due(&far, &problem, &options));
            interior.schedule.record_outcome(false);
            for _ in 0..expected {
                assert!(!interior.is_due(&far, &problem, &options));
            }
        }
        interior.schedule.record_outcome(true);
        assert!(interior.is_due(&far, &problem, &options));
    }
}
