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
use crate::solver::info::Info;
use crate::solver::iterate::Iterate;
use crate::solver::path::directions::{FactorChoice, UNKNOWN_SIGN};
use crate::solver::path::point::{PathPoint, heaviest};
use crate::solver::path_schedule::Attempts;
use crate::solver::proximal::inner::Failed;
use crate::solver::proximal::outer::ProximalNewton;
use crate::solver::residual::Residual;
use crate::solver::settings::CoreSettings;
use crate::solver::step_problem::StepProblem;
use std::time::Instant;

/// The start is as blunt as this at least (see [`PathFollower::bluntness`]): there the path is unique.
const BLUNT_START: f64 = 2.0;
/// Iterations to reach the path at the start; then τ is raised tenfold and the start made again.
const START_ITERATIONS: usize = 15;
/// Starts in all.
const STARTS: usize = 4;
/// Largest change of a logarithm on the way back to the path.
const LONGEST_FIX: f64 = 1.0;
/// Largest change of a logarithm along the path.
const LONGEST_STEP: f64 = 2.0;
/// Shortest: then what cannot be corrected is corrected on.
const SHORTEST_STEP: f64 = 0.01;
/// A step that ends further from the path is made again, shorter by `SHORTENING`; the same if corrections do
/// not get closer.
const TOO_FAR: f64 = 0.7;
const SHORTENING: f64 = 0.4;
/// Corrections of one step.
const CORRECTIONS: usize = 4;
/// Below this bluntness statuses can be told. There, a residual `UNEXPECTED` times the bluntness tells of a
/// point that is not exact: it is corrected to `PRECISION` times the bluntness, but not below what rounding
/// allows.
const SHARP: f64 = 1e-3;
const UNEXPECTED: f64 = 30.0;
const PRECISION: f64 = 1e-2;
const ROUNDING: f64 = 1e-8;
/// The end of the path.
const SHARPEST: f64 = 1e-9;
/// A path that has come back above so many times τ of its start goes on to infinity.
const ASTRAY: f64 = 1e6;
/// Where it gets this steep the path may turn, and is followed closely.
const STEEP: f64 = 3.0;
const CLOSE: f64 = 0.05;
/// Newton on the statuses is tried again when the residual has fallen by this factor.
const FINISH_AGAIN: f64 = 0.2;

/// Workspace, and what earlier solves taught.
#[derive(Debug, Default)]
pub(crate) struct PathFollower {
    point: PathPoint,
    saved: PathPoint,
    walk: Walk,
    pub(crate) attempts: Attempts,
}

/// What an attempt starts from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathAttempt {
    /// What it reaches is kept if it is better than this.
    pub(crate) to_beat: Residual,
    /// Seed of the contacts' weights; None: all the same.
    pub(crate) weights: Option<u64>,
    /// Contacts are weighed by mass, and the path leads from where it starts, so that it need not be reached
    /// first: with friction above 1 or bodies 1000 times heavier than others Newton's method often does not
    /// get there. For contacts of one normal row.
    pub(crate) leads: bool,
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
        let length = 0.5 * LONGEST_STEP;
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
    pub(crate) fn is_due(
        &mut self,
        residual: &Residual,
        problem: &ContactProblem,
        settings: &CoreSettings,
    ) -> bool {
        let can = settings.path_iterations > 0 && central_path::applies(problem) && heaviest(problem) > 0.0;
        self.attempts.is_due(residual, can, settings)
    }

    /// The residual to be expected at a point of the path with this τ: contacts with x_n = r s have √(τ r).
    fn bluntness(&self, problem: &ContactProblem) -> f64 {
        (self.point.tau * heaviest(problem)).sqrt() / problem.scaling.momentum
    }

    /// Goes on from a point whose directions are known; `sign` is that of the determinant, `reached` the
    /// residual there.
    fn walk(&mut self, problem: &ContactProblem, sign: f64, reached: f64, settings: &CoreSettings) {
        let blunt = self.bluntness(problem);
        if !self.walk.is_on_path {
            let distance = self.point.distance(0.0);
            self.walk.is_on_path = distance < settings.path_near;
            return self.point.advance(problem, (LONGEST_FIX / distance).min(1.0), 0.0);
        }
        let along = self.point.shortest();
        let distance = self.point.distance(along);
        let mut near = settings.path_near * self.walk.length.min(1.0);
        if self.point.steepness() > STEEP {
            near = near.min(CLOSE);
        }
        if blunt < SHARP && reached > UNEXPECTED * blunt {
            near = (PRECISION * blunt).max(ROUNDING);
        }
        let Walk { corrections, distance: before, length, .. } = self.walk;
        let is_far = distance.is_nan() || distance > near;
        let diverges = is_far
            && (distance.is_nan()
                || distance > TOO_FAR
                || corrections > 0 && distance > 0.7 * before
                || corrections >= CORRECTIONS);
        self.walk.distance = distance;
        if diverges && length > SHORTEST_STEP && self.walk.begun.is_some() {
            self.shorten(problem, settings);
        } else if is_far {
            self.walk.corrections += 1;
            let part = (LONGEST_FIX / distance).min(1.0);
            self.point.advance(problem, part, part * along);
        } else {
            if corrections == 0 && self.walk.begun.is_some() {
                let growth = if distance < 0.3 * near { 2.0 } else { 1.4 };
                self.walk.length = (growth * length).min(LONGEST_STEP);
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
    fn shorten(&mut self, problem: &ContactProblem, settings: &CoreSettings) {
        let Some((forward, distance)) = self.walk.begun else { return };
        self.point.copy_from(&self.saved);
        self.walk.length = (SHORTENING * self.walk.length).max(SHORTEST_STEP);
        self.walk.corrections = 0;
        let along = self.point.shortest();
        if distance > settings.path_near * self.walk.length.min(1.0) {
            self.walk.begun = None;
            self.walk.distance = distance;
            return self.point.advance(problem, 1.0, along);
        }
        let step = self.walk.length / self.point.steepness();
        self.point.advance(problem, 1.0, along + forward * step);
    }

    /// Whether τ has not been halved for long.
    fn is_stuck(&mut self, iteration: usize, settings: &CoreSettings) -> bool {
        if self.point.tau <= 0.5 * self.walk.milestone.1 {
            self.walk.milestone = (iteration, self.point.tau);
        }
        let is_guided = self.point.explicit.is_empty();
        let patience = if is_guided { settings.path_patience } else { settings.path_patience_unguided };
        iteration - self.walk.milestone.0 >= patience
    }
}

impl ProximalNewton {
    /// Whether the matrix of this problem is factorised so that the sign of its determinant is known.
    pub(crate) fn is_lu(&mut self, problem: &ContactProblem, settings: &CoreSettings) -> bool {
        self.inner.prepare(problem, settings);
        self.inner.system.is_lu()
    }

    /// Tries to solve from nothing. `iterate` moves to the best point met if that is below `path_keep` and
    /// the residual to beat. Ends with the problem, which was frozen at `iterate`, frozen there again;
    /// returns its residual, and whether it moved.
    pub(crate) fn follow_path(
        &mut self,
        problem: &mut impl StepProblem,
        iterate: &mut Iterate,
        attempt: PathAttempt,
        tolerance: f64,
        deadline: Option<Instant>,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> (Residual, bool) {
        self.inner.prepare(problem.frozen(), settings);
        self.active_set.resize(problem.frozen());
        self.path.attempts.start.copy_from(iterate);
        let mut reached = self.enter_path(problem, attempt, None, settings);
        let mut best = attempt.to_beat;
        let mut finish_below = settings.active_set_below;
        for iteration in 1..=settings.path_iterations {
            let is_late = deadline.is_some_and(|d| Instant::now() >= d);
            let sharp = self.path.bluntness(problem.frozen()) < SHARP;
            if is_late || self.path_step(problem.frozen(), reached, sharp, settings, info).is_err() {
                break;
            }
            if !self.path.walk.is_on_path && iteration % START_ITERATIONS == 0 {
                if iteration >= STARTS * START_ITERATIONS {
                    break;
                }
                let tau = 10.0 * self.path.point.tau;
                reached = self.enter_path(problem, attempt, Some(tau), settings);
                continue;
            }
            let Iterate { velocity, impulse } = &mut self.path.point.iterate;
            reached = problem.refresh(velocity, impulse);
            let tau = self.path.point.tau;
            tracing::trace!(tau, reached = reached.max(), distance = self.path.walk.distance, "path");
            if reached.max() < best.max() {
                best = reached;
                iterate.copy_from(&self.path.point.iterate);
            }
            if reached.max() > tolerance && reached.max() < finish_below {
                finish_below = FINISH_AGAIN * reached.max();
                let mut point = std::mem::take(&mut self.path.point);
                let (at, both) = (&mut point.iterate, (best, reached));
                best = self.finish_on_modes(problem, iterate, at, both, tolerance, deadline, settings, info);
                self.path.point = point;
            }
            let lost = reached.max().is_nan() || tau.is_nan() || tau > ASTRAY * self.path.walk.start;
            let ended = best.max() <= tolerance || self.path.bluntness(problem.frozen()) < SHARPEST;
            if lost || ended || self.path.is_stuck(iteration, settings) {
                break;
            }
        }
        let Walk { backward, .. } = self.path.walk;
        tracing::trace!(best = best.max(), tau = self.path.point.tau, backward, "path ended");
        let kept = best.max() <= settings.path_keep;
        self.path.attempts.note(kept, settings);
        if !kept {
            iterate.copy_from(&self.path.attempts.start);
        }
        (problem.refresh(&iterate.velocity, &mut iterate.impulse), kept)
    }

    /// The starting point: free motion, and impulses that belong to `tau`, or to stopping a part of the
    /// fastest approach. Frozen there; returns the residual.
    fn enter_path(
        &mut self,
        problem: &mut impl StepProblem,
        attempt: PathAttempt,
        tau: Option<f64>,
        settings: &CoreSettings,
    ) -> Residual {
        let PathFollower { point, attempts, walk, .. } = &mut self.path;
        *walk = Walk::default();
        let speed = attempts.release(problem, &mut point.iterate, settings);
        point.resize(problem.frozen());
        if attempt.leads {
            point.weigh_by_mass(problem.frozen());
        }
        if let Some(seed) = attempt.weights {
            point.weigh(seed, settings.path_spread);
        }
        let frozen = problem.frozen();
        point.start(frozen, speed, tau);
        let least = (BLUNT_START * frozen.scaling.momentum).powi(2) / heaviest(frozen);
        if tau.is_none() && point.tau < least {
            point.start(frozen, speed, Some(least));
        }
        walk.start = point.tau;
        let Iterate { velocity, impulse } = &mut point.iterate;
        if !attempt.leads {
            return problem.refresh(velocity, impulse);
        }
        problem.frozen().balance(impulse, &mut attempts.momentum, velocity);
        let reached = problem.refresh(velocity, impulse);
        point.write_derivatives(problem.frozen(), &mut self.inner.at.law);
        point.lead_from_here(problem.frozen());
        walk.is_on_path = true;
        reached
    }

    /// One iteration from a point where the problem is frozen with the residual `reached`.
    fn path_step(
        &mut self,
        problem: &ContactProblem,
        reached: Residual,
        sharp: bool,
        settings: &CoreSettings,
        info: &mut Info,
    ) -> Result<(), Failed> {
        let Self { inner, path, .. } = self;
        let PathFollower { point, walk, .. } = path;
        let sign = inner.path_directions(problem, point, &mut walk.factors, sharp, settings, info)?;
        path.walk(problem, sign, reached.max(), settings);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
