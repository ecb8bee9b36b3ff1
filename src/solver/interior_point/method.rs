//! Interior point for exact Coulomb friction: follows the central path
//! ([`crate::solver::interior_point::point`]) to its end.
//!
//! Mehrotra's predictor and corrector (SIAM Journal on Optimization 2, 1992), the geometry refreshed after
//! each iteration. It starts from nothing, takes the same dozen iterations for a handful of bodies as for a
//! thousand, and needs no statuses. Coulomb friction is not monotone, however: in slowly creeping piles the
//! path may turn back in τ. Steps then get short and the products stand still; the attempt is given up, and
//! the proximal method begins where it would have begun.

use crate::kernels::device_pairs::Lost;
use crate::problem::ContactProblem;
use crate::solver::central_path;
use crate::solver::info::Info;
use crate::solver::interior_point::point::CentralPoint;
use crate::solver::iterate::Iterate;
use crate::solver::linear_system::{FactorizationFailed, Precision};
use crate::solver::path_schedule::Attempts;
use crate::solver::proximal::inner::{Failed, InnerNewton};
use crate::solver::proximal::outer::ProximalNewton;
use crate::solver::residual::Residual;
use crate::solver::settings::CoreSettings;
use crate::solver::step_problem::StepProblem;
use std::time::Instant;

/// τ is the mean product times this power of the part of it that the prediction leaves.
const EXPONENT: i32 = 2;
/// The prediction leaves at least this part.
const LEAST_LEFT: f64 = 1e-6;
/// A step shorter than this is made again without second-order terms.
const SHORT: f64 = 0.1;
/// Newton on the statuses is tried again when the residual has fallen by this factor.
const FINISH_AGAIN: f64 = 0.03;

/// Workspace, and what earlier solves taught.
#[derive(Debug, Default)]
pub(crate) struct InteriorPoint {
    point: CentralPoint,
    pub(crate) attempts: Attempts,
}

impl InteriorPoint {
    /// Whether this solve, which starts from `residual`, should try.
    pub(crate) fn is_due(
        &mut self,
        residual: &Residual,
        problem: &ContactProblem,
        settings: &CoreSettings,
    ) -> bool {
        let can = settings.interior_iterations > 0 && central_path::applies(problem);
        self.attempts.is_due(residual, can, settings)
    }
}

/// Ends the attempt when the products stand still.
struct Pace {
    /// Iteration and mean product of the last halving.
    last: (usize, f64),
}

impl Pace {
    fn is_stuck(&mut self, iteration: usize, products: f64, settings: &CoreSettings) -> bool {
        if products <= 0.5 * self.last.1 {
            self.last = (iteration, products);
        }
        iteration - self.last.0 >= settings.interior_patience
    }
}

impl ProximalNewton {
    /// Tries to solve from nothing. `iterate`, where the problem is frozen with the residual `before`, moves
    /// to the best point met if that is below `interior_keep`. Ends with the problem frozen at `iterate`;
    /// returns its residual.
    pub(crate) fn interior_point(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        before: Residual,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Residual {
        self.inner.prepare(problem.frozen(), settings);
        self.active_set.resize(problem.frozen());
        self.interior.attempts.start.copy_from(iterate);
        let mut products = self.enter(problem, settings);
        let mut best = before;
        let mut finish_below = settings.active_set_below;
        let mut pace = Pace { last: (0, f64::INFINITY) };
        for iteration in 1..=settings.interior_iterations {
            let is_late = deadline.is_some_and(|d| Instant::now() >= d);
            if is_late || self.interior_step(problem.frozen(), products, settings, info).is_err() {
                break;
            }
            let Iterate { velocity, impulse } = &mut self.interior.point.iterate;
            let reached = problem.refresh(velocity, impulse);
            products = self.interior.point.read(problem.frozen());
            tracing::trace!(products, reached = reached.max(), "interior point");
            if reached.max() < best.max() {
                best = reached;
                iterate.copy_from(&self.interior.point.iterate);
            }
            if reached.max() > tolerance && reached.max() < finish_below {
                finish_below = FINISH_AGAIN * reached.max();
                let mut point = std::mem::take(&mut self.interior.point);
                let (at, both) = (&mut point.iterate, (best, reached));
                best = self.finish_on_modes(problem, iterate, at, both, tolerance, deadline, settings, info);
                point.read(problem.frozen());
                self.interior.point = point;
            }
            let lost = reached.max().is_nan() || products.is_nan();
            if lost || best.max() <= tolerance || pace.is_stuck(iteration, products, settings) {
                break;
            }
        }
        let kept = best.max() <= settings.interior_keep;
        self.interior.attempts.note(kept, settings);
        if !kept {
            iterate.copy_from(&self.interior.attempts.start);
        }
        problem.refresh(&iterate.velocity, &mut iterate.impulse)
    }

    /// The starting point: free motion, and impulses that stop a part of the fastest approach. Frozen and
    /// read there; returns the mean product.
    fn enter(&mut self, problem: &mut impl StepProblem, settings: &CoreSettings) -> f64 {
        let InteriorPoint { point, attempts, .. } = &mut self.interior;
        let speed = attempts.release(problem, &mut point.iterate, settings);
        point.resize(problem.frozen());
        let frozen = problem.frozen();
        point.start(frozen, speed);
        let Iterate { velocity, impulse } = &mut point.iterate;
        problem.refresh(velocity, impulse);
        point.read(problem.frozen())
    }

    /// One iteration at the frozen problem, from a point that was read there with the mean product
    /// `products`.
    fn interior_step(
        &mut self,
        problem: &ContactProblem,
        products: f64,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Result<(), Failed> {
        let Self { inner, interior: InteriorPoint { point, .. }, .. } = self;
        inner.factorize_interior(problem, point, info)?;
        inner.interior_direction(problem, point, 0.0, false, settings)?;
        let reach = point.edge(problem, 1.0).min(1.0);
        let left = (point.mean_after(problem, reach) / products).clamp(LEAST_LEFT, 1.0);
        point.keep_prediction();
        let tau = left.powi(EXPONENT) * products;
        inner.interior_direction(problem, point, tau, true, settings)?;
        let mut length = step_length(problem, point, settings);
        if length < SHORT {
            // Second-order terms mislead far from the path: without them, then straight back to it.
            for tau in [tau, products] {
                point.exchange_step();
                inner.interior_direction(problem, point, tau, false, settings)?;
                let longer = step_length(problem, point, settings);
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
fn step_length(problem: &ContactProblem, point: &CentralPoint, settings: &CoreSettings) -> f64 {
    let edge = point.edge(problem, 1.0);
    let fraction = if edge < 0.5 { settings.interior_short_fraction } else { settings.interior_fraction };
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
        info.iterations += 1;
        info.factorizations += 1;
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
        settings: &CoreSettings,
    ) -> Result<(), Lost> {
        point.write_constant(problem, tau, corrected);
        let Self { system, at, direction, .. } = self;
        direction.copy_from_slice(&at.force);
        problem.add_forces(&point.constant, 1.0, direction);
        let to = &mut point.step.velocity;
        if system.is_lu() {
            // One iteration met the accuracy whenever it was looked at; what a direction is worth, the
            // residual tells.
            system.substitute(problem.scaling.length, direction, to);
        } else {
            let accuracy = settings.interior_accuracy;
            system.solve(problem, &at.law, None, direction, to, accuracy, settings)?;
        }
        point.complete(problem, &at.law, tau, corrected);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::LinearProblem;
    use crate::solver::active_set::tests::{FALL, FRICTION, at_rest, stack};
    use crate::solver::{SolveStatus, Solver};

    fn solve(problem: ContactProblem, settings: &CoreSettings) -> (Iterate, Residual, Info) {
        let mut problem = LinearProblem::new(problem, None);
        let (mut iterate, start) = at_rest(&mut problem);
        let mut info = Info::default();
        let mut newton = ProximalNewton::default();
        let reached =
            newton.interior_point(&mut problem, &mut iterate, start, 1e-9, None, settings, &mut info);
        (iterate, reached, info)
    }

    /// Without any finish the path itself ends at the solution, whether contacts slide or stick.
    #[test]
    fn the_path_ends_at_the_solution() {
        let settings = CoreSettings { active_set_iterations: 0, ..CoreSettings::default() };
        let (ground, between) = (5.0 * FALL, 3.0 * FALL);
        let sliding = [3.0 - FRICTION * (ground + between) / 2.0, FRICTION * between / 3.0];
        for (speed, expected) in [(3.0, sliding), (0.05, [0.0, 0.0])] {
            let (iterate, reached, info) = solve(stack(speed), &settings);
            assert!(reached.max() <= 1e-9, "{reached:?} after {}", info.iterations);
            assert!(info.iterations <= 25, "{}", info.iterations);
            for (v, expected) in [iterate.velocity[0], iterate.velocity[6]].iter().zip(expected) {
                assert!((v - expected).abs() < 1e-7, "velocity {v}, expected {expected}");
            }
        }
    }

    /// Rough goals are left to the proximal method.
    #[test]
    fn it_is_tried_for_fine_goals_only() {
        let work = |tolerance: f64, interior_iterations: usize| {
            let problem = stack(3.0);
            let mut iterate = Iterate {
                velocity: vec![0.0; problem.at.velocity.len()],
                impulse: vec![0.0; problem.n_rows()],
            };
            let (mut problem, mut info) = (LinearProblem::new(problem, None), Info::default());
            let settings = CoreSettings { interior_iterations, ..CoreSettings::default() };
            let status =
                Solver::default().solve(&mut problem, &mut iterate, tolerance, None, &settings, &mut info);
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

    /// What ends above `interior_keep` leaves the start as it was.
    #[test]
    fn a_failed_attempt_changes_nothing() {
        let settings = CoreSettings { interior_iterations: 2, ..CoreSettings::default() };
        let (iterate, reached, info) = solve(stack(3.0), &settings);
        assert!(info.iterations >= 2 && reached.max() > 0.1, "{reached:?}");
        assert!(iterate.velocity.iter().chain(&iterate.impulse).all(|x| *x == 0.0));
    }

    #[test]
    fn failures_double_the_pause() {
        let (settings, problem) = (CoreSettings::default(), stack(3.0));
        let far = Residual { momentum: 1.0, ..Residual::default() };
        let mut interior = InteriorPoint::default();
        for expected in [1, 3, 7, 15, 15] {
            assert!(interior.is_due(&far, &problem, &settings));
            interior.attempts.note(false, &settings);
            for _ in 0..expected {
                assert!(!interior.is_due(&far, &problem, &settings));
            }
        }
        interior.attempts.note(true, &settings);
        assert!(interior.is_due(&far, &problem, &settings));
    }
}
