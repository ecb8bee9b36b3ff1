//! Follows the central path of exact Coulomb friction ([`crate::solver::path::point`]) to its end, by its
//! length.
//!
//! Coulomb friction is not monotone. In dense piles that creep slowly the path turns back in τ, a few or
//! dozens of times, where the matrix is singular; methods that lower τ at every step end there. So τ is an
//! unknown like the others and the path is followed by its length (Allgower and Georg, *Numerical
//! Continuation Methods*, 1990): a step along the tangent, then Newton's method back to the path on the
//! shortest way. Which way is forward is told by the sign of the determinant: dτ < 0 where it is positive, as
//! at the start. The geometry is refreshed after every iteration.
//!
//! It starts from nothing, takes 20 iterations in an impact and 50 to 300 in a creeping pile of a thousand
//! bodies, and ends at the solution, where Newton on the statuses does not get there before.

use crate::problem::ContactProblem;
use crate::solver::central_path;
use crate::solver::central_path::PathStart;
use crate::solver::iterate::Iterate;
use crate::solver::linear_system::FactorizationFailed;
use crate::solver::options::Methods;
use crate::solver::parameters::central_path::{
    DIVERGED, FINAL_BARRIER, GROW_FAST_BELOW, INITIAL_BARRIER, MAX_CENTERING_ITERATIONS, MAX_CORRECTIONS,
    MAX_CORRECTOR_STEP, MAX_PREDICTOR_DISTANCE, MAX_PREDICTOR_STEP, MAX_RESIDUAL_OVER_BARRIER, MAX_STARTS,
    MIN_CONTRACTION, MIN_PREDICTOR_STEP, ON_PATH_TOLERANCE, PATH_FINISH_DECREASE, PATH_KEEP_BELOW_RESIDUAL,
    PATH_STALL_ITERATIONS, PATH_STALL_ITERATIONS_UNGUIDED, PREDICTOR_CUT, PREDICTOR_GROWTH,
    PREDICTOR_GROWTH_FAST, ROUNDING_TOLERANCE, SMALL_BARRIER, SMALL_BARRIER_TOLERANCE, TAU_INCREASE,
    TURN_SLOPE, TURN_TOLERANCE, WEIGHT_SPREAD,
};
use crate::solver::parameters::proximal::ACTIVE_SET_BELOW_RESIDUAL;
use crate::solver::path::directions::{FactorChoice, UNKNOWN_SIGN};
use crate::solver::path::point::{PathPoint, heaviest};
use crate::solver::proximal::active_set::ActiveSet;
use crate::solver::proximal::inner::Context;
use crate::solver::proximal::inner::InnerNewton;
use crate::solver::residual::Residual;
use crate::solver::step_problem::StepProblem;

/// Follower with its workspace and its back-off.
#[derive(Debug)]
pub struct PathFollower {
    /// A point counts as exact below this change of a logarithm.
    near: f64,
    point: PathPoint,
    saved: PathPoint,
    walk: Walk,
    pub schedule: PathStart,
}

impl Default for PathFollower {
    fn default() -> Self {
        Self {
            near: ON_PATH_TOLERANCE,
            point: PathPoint::default(),
            saved: PathPoint::default(),
            walk: Walk::default(),
            schedule: PathStart::default(),
        }
    }
}

/// Start of an attempt.
#[derive(Debug, Clone, Copy)]
pub struct PathAttempt {
    /// Residual that the end of the attempt has to beat.
    pub to_beat: Residual,
    /// Seed of the contacts' weights; None: all the same.
    pub weights: Option<u64>,
    /// Contacts are weighed by mass, and the path leads from where it starts, so that it need not be reached
    /// first: with friction above 1 or bodies 1000 times heavier than others Newton's method often does not
    /// get there. For contacts of one normal row.
    pub leads: bool,
}

/// How the path is being followed.
#[derive(Debug, Clone, Copy)]
struct Walk {
    is_on_path: bool,
    /// Largest change of a logarithm in the next step.
    length: f64,
    corrections: usize,
    /// How far the path was before the last correction.
    distance: f64,
    /// Where the last step began: dτ's sign there, and how far from the path that was. The point itself is
    /// `saved`.
    begun: Option<(f64, f64)>,
    /// Iteration and τ of the last halving.
    milestone: (usize, f64),
    /// dτ's sign on the last step.
    heading: Option<f64>,
    /// τ at the start.
    start: f64,
    /// Steps on which τ grew.
    backward: usize,
    factors: FactorChoice,
}

impl Default for Walk {
    fn default() -> Self {
        let milestone = (0, f64::INFINITY);
        let length = 0.5 * MAX_PREDICTOR_STEP;
        let (is_on_path, corrections, distance, begun, backward) = (false, 0, 0.0, None, 0);
        let (factors, heading, start) = (FactorChoice::default(), None, f64::INFINITY);
        Self {
            is_on_path,
            length,
            corrections,
            distance,
            begun,
            milestone,
            heading,
            start,
            backward,
            factors,
        }
    }
}

impl PathFollower {
    /// Whether this solve, which starts from `residual`, should try.
    pub fn is_due(&mut self, residual: &Residual, problem: &ContactProblem, methods: &Methods) -> bool {
        let can = methods.path_iterations > 0 && central_path::applies(problem) && heaviest(problem) > 0.0;
        self.schedule.is_due(residual, can)
    }

    /// The residual to be expected at a point of the path with this τ: contacts with x_n = r s have √(τ r).
    fn barrier_residual(&self, problem: &ContactProblem) -> f64 {
        (self.point.tau * heaviest(problem)).sqrt() / problem.at.units.momentum
    }

    /// Goes on from a point whose directions are known; `sign` is that of the determinant, `reached` the
    /// residual there.
    fn walk(&mut self, problem: &ContactProblem, sign: f64, reached: f64) {
        let barrier = self.barrier_residual(problem);
        if !self.walk.is_on_path {
            let distance = self.point.distance(0.0);
            self.walk.is_on_path = distance < self.near;
            return self.point.advance(problem, (MAX_CORRECTOR_STEP / distance).min(1.0), 0.0);
        }
        let along = self.point.shortest();
        let distance = self.point.distance(along);
        let mut near = self.near * self.walk.length.min(1.0);
        if self.point.steepness() > TURN_SLOPE {
            near = near.min(TURN_TOLERANCE);
        }
        if barrier < SMALL_BARRIER && reached > MAX_RESIDUAL_OVER_BARRIER * barrier {
            near = (SMALL_BARRIER_TOLERANCE * barrier).max(ROUNDING_TOLERANCE);
        }
        let Walk { corrections, distance: before, length, .. } = self.walk;
        let is_far = distance.is_nan() || distance > near;
        let diverges = is_far
            && (distance.is_nan()
                || distance > MAX_PREDICTOR_DISTANCE
                || corrections > 0 && distance > MIN_CONTRACTION * before
                || corrections >= MAX_CORRECTIONS);
        self.walk.distance = distance;
        if diverges && length > MIN_PREDICTOR_STEP && self.walk.begun.is_some() {
            self.shorten(problem);
        } else if is_far {
            self.walk.corrections += 1;
            let part = (MAX_CORRECTOR_STEP / distance).min(1.0);
            self.point.advance(problem, part, part * along);
        } else {
            if corrections == 0 && self.walk.begun.is_some() {
                let growth =
                    if distance < GROW_FAST_BELOW * near { PREDICTOR_GROWTH_FAST } else { PREDICTOR_GROWTH };
                self.walk.length = (growth * length).min(MAX_PREDICTOR_STEP);
            }
            self.walk.corrections = 0;
            let sign = self.forward(sign);
            self.walk.begun = Some((-sign, distance));
            self.walk.heading = Some(-sign);
            self.walk.backward += usize::from(sign < 0.0);
            self.saved.copy_from(&self.point);
            let step = self.walk.length / self.point.steepness();
            self.point.advance(problem, 1.0, along - sign * step);
        }
    }

    /// The sign of the determinant; where it is not known what has the tangent go on as the last one went.
    fn forward(&self, sign: f64) -> f64 {
        if sign != UNKNOWN_SIGN {
            return sign;
        }
        let goes_on = self.point.tangent.dot(&self.saved.tangent) >= 0.0;
        self.walk.heading.map_or(1.0, |heading| if goes_on { -heading } else { heading })
    }

    /// Back to where the last step began: a shorter one, or a correction there if that point is not exact
    /// enough for it.
    fn shorten(&mut self, problem: &ContactProblem) {
        let Some((forward, distance)) = self.walk.begun else { return };
        self.point.copy_from(&self.saved);
        self.walk.length = (PREDICTOR_CUT * self.walk.length).max(MIN_PREDICTOR_STEP);
        self.walk.corrections = 0;
        let along = self.point.shortest();
        if distance > self.near * self.walk.length.min(1.0) {
            self.walk.begun = None;
            self.walk.distance = distance;
            return self.point.advance(problem, 1.0, along);
        }
        let step = self.walk.length / self.point.steepness();
        self.point.advance(problem, 1.0, along + forward * step);
    }

    /// Whether τ has not been halved for long.
    fn is_stuck(&mut self, iteration: usize) -> bool {
        if self.point.tau <= 0.5 * self.walk.milestone.1 {
            self.walk.milestone = (iteration, self.point.tau);
        }
        let is_guided = self.point.explicit.is_empty();
        let patience = if is_guided { PATH_STALL_ITERATIONS } else { PATH_STALL_ITERATIONS_UNGUIDED };
        iteration - self.walk.milestone.0 >= patience
    }
}

impl PathFollower {
    /// Tries to solve from nothing. `iterate` moves to the best point met if that is good enough to keep and
    /// better than the residual to beat. Ends with the problem, which was linearized at `iterate`, linearized
    /// there again; returns its residual, and whether it moved.
    pub fn run(
        &mut self,
        problem: &mut dyn StepProblem,
        iterate: &mut Iterate,
        attempt: PathAttempt,
        active_set: &mut ActiveSet,
        context: &mut Context<'_>,
    ) -> (Residual, bool) {
        context.newton.prepare(problem.linearized(), &context.options);
        active_set.resize(problem.linearized());
        self.schedule.start.copy_from(iterate);
        let mut reached = self.enter(problem, attempt, None, context.newton);
        let mut best = attempt.to_beat;
        let mut finish_below = ACTIVE_SET_BELOW_RESIDUAL;
        let tolerance = context.options.tolerance;
        for iteration in 1..=context.options.methods.path_iterations {
            if context.options.limit(context.info).is_some()
                || self.step(problem.linearized(), reached, context).is_err()
            {
                break;
            }
            if !self.walk.is_on_path && iteration % MAX_CENTERING_ITERATIONS == 0 {
                if iteration >= MAX_STARTS * MAX_CENTERING_ITERATIONS {
                    break;
                }
                let tau = TAU_INCREASE * self.point.tau;
                reached = self.enter(problem, attempt, Some(tau), context.newton);
                continue;
            }
            let Iterate { velocity, impulse } = &mut self.point.iterate;
            reached = problem.refresh(velocity, impulse);
            context.info.count_refreshes(problem);
            let tau = self.point.tau;
            tracing::trace!(tau, reached = reached.max(), distance = self.walk.distance, "path");
            if reached.max() < best.max() {
                best = reached;
                iterate.copy_from(&self.point.iterate);
            }
            if reached.max() > tolerance && reached.max() < finish_below {
                finish_below = PATH_FINISH_DECREASE * reached.max();
                let point = &mut self.point.iterate;
                best = active_set.finish(problem, iterate, point, (best, reached), context);
            }
            let lost = reached.max().is_nan() || tau.is_nan() || tau > DIVERGED * self.walk.start;
            let ended =
                best.max() <= tolerance || self.barrier_residual(problem.linearized()) < FINAL_BARRIER;
            if lost || ended || self.is_stuck(iteration) {
                break;
            }
        }
        let (tau, backward) = (self.point.tau, self.walk.backward);
        tracing::trace!(best = best.max(), tau, backward, "path ended");
        let kept = best.max() <= PATH_KEEP_BELOW_RESIDUAL;
        self.schedule.record_outcome(kept);
        if !kept {
            iterate.copy_from(&self.schedule.start);
        }
        (problem.refresh(&iterate.velocity, &mut iterate.impulse), kept)
    }

    /// The starting point: free motion, and impulses that belong to `tau`, or to stopping a part of the
    /// fastest approach. Linearized there; returns the residual.
    fn enter(
        &mut self,
        problem: &mut dyn StepProblem,
        attempt: PathAttempt,
        tau: Option<f64>,
        newton: &mut InnerNewton,
    ) -> Residual {
        let Self { point, schedule, walk, .. } = self;
        *walk = Walk::default();
        let speed = schedule.release(problem, &mut point.iterate);
        point.resize(problem.linearized());
        if attempt.leads {
            point.weigh_by_mass(problem.linearized());
        }
        if let Some(seed) = attempt.weights {
            point.weigh(seed, WEIGHT_SPREAD);
        }
        let linearized = problem.linearized();
        point.start(linearized, speed, tau);
        let least = (INITIAL_BARRIER * linearized.at.units.momentum).powi(2) / heaviest(linearized);
        if tau.is_none() && point.tau < least {
            point.start(linearized, speed, Some(least));
        }
        walk.start = point.tau;
        let Iterate { velocity, impulse } = &mut point.iterate;
        if !attempt.leads {
            return problem.refresh(velocity, impulse);
        }
        problem.linearized().balance(impulse, &mut schedule.momentum, velocity);
        let reached = problem.refresh(velocity, impulse);
        point.write_derivatives(problem.linearized(), &mut newton.at.law);
        point.lead_from_here(problem.linearized());
        walk.is_on_path = true;
        reached
    }

    /// One iteration from a point where the problem is linearized with the residual `reached`.
    fn step(
        &mut self,
        problem: &ContactProblem,
        reached: Residual,
        context: &mut Context<'_>,
    ) -> Result<(), FactorizationFailed> {
        let small_barrier = self.barrier_residual(problem) < SMALL_BARRIER;
        let factors = &mut self.walk.factors;
        factors.begin(small_barrier, &context.options);
        let sign = context.newton.path_directions(problem, &mut self.point, factors, context.info)?;
        self.walk(problem, sign, reached.max());
        Ok(())
    }
}

#[cfg(test)]
mod tests;
