//! How a solution answers to changes of its problem: the implicit function theorem with the statuses of the
//! contacts held (theory §17.2).
//!
//! At a solution the equations of the statuses are, cone by cone, dx = C dx − G dy + m dμ with the matrices
//! of [`local_map`], and
//! ```text
//!   (A − K) dv − Jᵀ dx = f,     dy = Y dv + s                                                     (17.1)
//! ```
//! C is nearly 1 where an equation holds dy. It is iterated on: (A − K + Jᵀ G Y) dv = f + Jᵀ (C dx̂ − G s +
//! m dμ), dx̂ := dx. Of impulses that the momentum does not tell apart the change is the least one in the
//! metric of the weights. The adjoint equations are iterated alike:
//! ```text
//!   (A − K)ᵀ a + Yᵀ Gᵀ b = λ,     b = Cᵀ b + J a                                                   (17.8)
//! ```

pub mod local_map;

use self::local_map::{LocalMap, Scratch};
use crate::problem::{Cone, ContactProblem};
use crate::solver::Times;
use crate::solver::law::{Law, Proximal};
use crate::solver::linear_system::{FactorizationFailed, NewtonSystem, Precision};
use crate::solver::options::{LinearSolver, SolveOptions};
use crate::solver::parameters::sensitivity::{
    AT_BORDER, MAX_ROUNDS, ROUND_ACCURACY, ROUNDING_BELOW, SENSITIVITY_RHO,
};
use signorini_kernels::math::largest;

/// A change of a problem, or the gradient of a function with it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cause {
    /// f per body: change of momentum at the solution (N s, N m s).
    pub momentum: Vec<f64>,
    /// s per row: change of y at the solution (m/s); shift rows count for nothing.
    pub slip: Vec<f64>,
    /// dμ per contact.
    pub friction: Vec<f64>,
}

impl Cause {
    /// No change of a problem.
    pub fn none(problem: &ContactProblem) -> Self {
        Self {
            momentum: vec![0.0; problem.at.velocity.len()],
            slip: vec![0.0; problem.n_rows()],
            friction: vec![0.0; problem.cones.len()],
        }
    }
}

/// The change of a solution.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Effect {
    /// dv per body.
    pub velocity: Vec<f64>,
    /// dx per row.
    pub impulse: Vec<f64>,
    /// Largest change of an impulse in the last round over the largest one. Where it is not small, contacts
    /// that hold contradict the cause: the impulses of jammed bodies grow from round to round.
    pub left: f64,
}

/// A solution with the factors of its equations.
#[derive(Debug)]
pub struct Sensitivity {
    problem: ContactProblem,
    maps: Vec<LocalMap>,
    system: NewtonSystem,
    borders: Vec<usize>,
}

impl Sensitivity {
    /// Of a problem that is linearized at its solution, whose impulses are given.
    ///
    /// # Errors
    /// When the equations have no factors: the solution is not a function of the problem there.
    pub fn new(problem: ContactProblem, impulse: &[f64]) -> Result<Self, FactorizationFailed> {
        let mut law = Law::default();
        law.resize(&problem);
        let proximal = Proximal {
            centre: impulse,
            weight: &problem.at.weight,
            rho: SENSITIVITY_RHO,
            equation_rho: SENSITIVITY_RHO,
        };
        law.read_statuses(&problem, &proximal, &mut vec![0.0; problem.n_rows()]);
        let mut scratch = Scratch::new(problem.n_rows());
        let map = |c: usize| LocalMap::new((&problem, &law, impulse), c, &mut scratch);
        let maps = (0..problem.cones.len()).map(map).collect();
        let options = SolveOptions { linear_solver: LinearSolver::Direct, ..SolveOptions::new(1.0) };
        let mut system = NewtonSystem::default();
        system.prepare(&problem, &options);
        system.factorize(&problem, &law, Precision::Double, &mut Times::default())?;
        system.factorize_transposed()?;
        let borders = borders(&problem, impulse);
        Ok(Self { problem, maps, system, borders })
    }

    /// The problem at its solution.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// Contacts and cones of joints whose status an arbitrarily small change may change: an open gap that is
    /// closed, friction that sticks on the edge of its ball, an impulse on its bound. Derivatives are those
    /// of the status that the solution has, on one side only.
    pub fn borders(&self) -> &[usize] {
        &self.borders
    }

    /// The change of the solution by a cause.
    pub fn effect(&mut self, cause: &Cause) -> Effect {
        let Self { problem, maps, system, .. } = self;
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        let mut effect = Effect { velocity: vec![0.0; n], impulse: vec![0.0; rows], left: f64::INFINITY };
        let [mut force, mut direction] = [(); 2].map(|()| vec![0.0; n]);
        // y of the velocity so far, which is 0.
        let (mut y, mut next) = (cause.slip.clone(), vec![0.0; rows]);
        let push = |centre: &[f64], y: &[f64], next: &mut [f64]| {
            let of_cones = maps.iter().zip(&cause.friction);
            of_cones.for_each(|(map, friction)| map.apply(centre, y, *friction, next));
        };
        let mut rounds = Rounds::default();
        for _ in 0..MAX_ROUNDS {
            push(&effect.impulse, &y, &mut next);
            problem.tangent_mass(&effect.velocity, &mut force);
            problem.add_forces(&next, -1.0, &mut force);
            force.iter_mut().zip(&cause.momentum).for_each(|(force, f)| *force = f - *force);
            system.substitute(problem.at.units.length, &force, &mut direction);
            effect.velocity.iter_mut().zip(&direction).for_each(|(v, d)| *v += d);
            problem.response(&effect.velocity, &mut y);
            y.iter_mut().zip(&cause.slip).for_each(|(y, s)| *y += s);
            push(&effect.impulse, &y, &mut next);
            effect.left = left_of(&next, &effect.impulse);
            let step = step_of(&direction, &effect.velocity);
            std::mem::swap(&mut effect.impulse, &mut next);
            if rounds.end_with(effect.left.max(step)) {
                break;
            }
        }
        effect
    }

    /// The gradient, with respect to the cause, of a function whose gradient with respect to dv is λ, and the
    /// largest change in the last round, as in [`Effect::left`].
    pub fn adjoint(&mut self, gradient: &[f64]) -> (Cause, f64) {
        let Self { problem, maps, system, .. } = self;
        let (n, rows) = (problem.at.velocity.len(), problem.n_rows());
        let mut out = Cause::none(problem);
        let [mut force, mut direction] = [(); 2].map(|()| vec![0.0; n]);
        let [mut centre, mut b, mut slip] = [(); 3].map(|()| vec![0.0; rows]);
        let evaluate = |a: &[f64], centre: &[f64], b: &mut [f64], slip: &mut [f64]| {
            problem.jacobian_product(a, b);
            maps.iter().for_each(|map| map.add_centre_transposed(centre, b));
            slip.fill(0.0);
            maps.iter().for_each(|map| map.add_slip_transposed(b, slip));
        };
        let (mut rounds, mut left) = (Rounds::default(), f64::INFINITY);
        for _ in 0..MAX_ROUNDS {
            evaluate(&out.momentum, &centre, &mut b, &mut slip);
            problem.tangent_mass_transposed(&out.momentum, &mut force);
            problem.add_responses(&slip, &mut force);
            force.iter_mut().zip(gradient).for_each(|(force, f)| *force = f - *force);
            system.substitute_transposed(problem.at.units.length, &force, &mut direction);
            out.momentum.iter_mut().zip(&direction).for_each(|(a, d)| *a += d);
            evaluate(&out.momentum, &centre, &mut b, &mut slip);
            left = left_of(&b, &centre);
            let step = step_of(&direction, &out.momentum);
            std::mem::swap(&mut centre, &mut b);
            if rounds.end_with(left.max(step)) {
                break;
            }
        }
        out.slip.iter_mut().zip(&slip).for_each(|(s, y)| *s = -y);
        out.friction.iter_mut().zip(maps.iter()).for_each(|(friction, map)| *friction = map.push(&centre));
        (out, left)
    }
}

/// When rounds end: once nothing changes, or what changes is rounding.
struct Rounds {
    before: f64,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { before: f64::INFINITY }
    }
}

impl Rounds {
    /// Whether a round that changed so much is the last one.
    fn end_with(&mut self, left: f64) -> bool {
        let stands = left < ROUNDING_BELOW && left > 0.5 * self.before;
        self.before = left;
        left <= ROUND_ACCURACY || stands
    }
}

/// Largest difference of two vectors over the largest entry of the first.
fn left_of(now: &[f64], before: &[f64]) -> f64 {
    let most = largest(now.iter().map(|x| x.abs()));
    let moved = largest(now.iter().zip(before).map(|(a, b)| (a - b).abs()));
    if moved > 0.0 { moved / most } else { 0.0 }
}

/// Largest entry of a step over that of the vector after it.
fn step_of(step: &[f64], after: &[f64]) -> f64 {
    let [step, after] = [step, after].map(|v| largest(v.iter().map(|x| x.abs())));
    if step > 0.0 { step / after } else { 0.0 }
}

/// Cones whose status a small change may change.
fn borders(problem: &ContactProblem, x: &[f64]) -> Vec<usize> {
    let is_at_border = |(c, cone): &(usize, &Cone)| {
        let small = AT_BORDER * problem.at.units.cones[*c];
        let natural = |row: usize| x[row] - problem.at.weight[row] * problem.at.slip[row];
        let on_bound = |row: usize| {
            let [low, high] = problem.bounds[row];
            let z = natural(row);
            low < high && ((z - low).abs() <= small || (z - high).abs() <= small)
        };
        let sum: f64 = x[problem.carrier(cone).normal()].iter().sum();
        let reach = cone.friction().map(|row| natural(row).powi(2)).sum::<f64>().sqrt();
        let on_ball = cone.n_friction > 0
            && cone.friction_coefficient * sum > 0.0
            && (reach - cone.friction_coefficient * sum).abs() <= small;
        cone.normal().any(on_bound) || on_ball
    };
    problem.cones.iter().enumerate().filter(is_at_border).map(|(c, _)| c).collect()
}
