//! Energy check: no step should leave more energy than its loads bring. A solution that does fails the check;
//! the bodies of an unsolved step are slowed down.

use crate::contact::Pair;
use crate::stepper::blocks::path_speed;
use crate::stepper::island::Island;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::parameters::{
    DRIVEN_SPEED_FACTOR, EJECTION_FALL, JUDGED_PAIRS_PER_CHUNK, MAX_ENERGY_GAIN,
};
use crate::stepper::step_context::StepContext;
use nalgebra::Matrix6;
use rayon::prelude::*;
use signorini_geometry::Velocity;
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::StepProblem;
use signorini_ncp::threads;
use signorini_scene::scene::start::STANDARD_GRAVITY;

impl Island {
    /// Whether a solution fails the energy check,
    /// ```text
    /// ‖v‖ > 2 (‖A⁻¹ b‖ + 2 √(Σ m) w + √(Σ m) w_e),      ‖v‖² = v·A v
    /// ```
    /// with the free motion A⁻¹ b, the largest speed w of a driven body that is near, or that a motor holds
    /// in flat arrays, and the speed w_e at which overlaps of the start may be pushed out. Islands with
    /// joints have a check of their own, but in flat arrays, where the free motion has the forces of motors
    /// in it.
    pub(in crate::stepper) fn gains_energy(&self, context: &StepContext<'_>) -> bool {
        if !self.problem.joint_memory.is_empty() && !self.flat.is_solution {
            return self.gains_energy_by_joints(context);
        }
        if context.last_step.is_some() {
            return false;
        }
        let most =
            self.free_size() + DRIVEN_SPEED_FACTOR * self.driven_size(context) + self.ejected_size(context);
        self.size() > MAX_ENERGY_GAIN * most
    }

    /// √(Σ m) times a speed at which overlaps of the start may be pushed out.
    fn ejected_size(&self, context: &StepContext<'_>) -> f64 {
        let n = self.problem.bodies.len() as f64;
        let length: f64 = self.problem.bodies.iter().map(|id| context.models.bodies[*id].size / n).sum();
        let fall = EJECTION_FALL * length;
        (self.mass(context) * 2.0 * STANDARD_GRAVITY * fall).sqrt()
    }

    /// Slows the bodies of an iterate that is no solution down, all by the same factor, to
    /// ```text
    /// ‖v‖ ≤ max(‖A⁻¹ b‖, 2 √(Σ m) w),      ‖v‖² = v·A v
    /// ```
    /// with w the largest speed of a driven body that is near. Contacts and limits only take energy from the
    /// free motion A⁻¹ b; an iterate far from a solution may have any. The bounds are not added: bodies
    /// squeezed in a vice would gain that speed with each step and substep. The impulses shrink by the same
    /// factor.
    pub(in crate::stepper) fn limit_kinetic_energy(&mut self, context: &StepContext<'_>) {
        if self.status.is_solved() {
            return;
        }
        let most = self.free_size().max(DRIVEN_SPEED_FACTOR * self.driven_size(context));
        let size = self.size();
        if size <= most {
            return;
        }
        let factor = most / size;
        self.problem.shift_mortar(-1.0, &mut self.iterate.impulse);
        self.iterate.velocity.iter_mut().chain(&mut self.iterate.impulse).for_each(|x| *x *= factor);
        self.problem.shift_mortar(1.0, &mut self.iterate.impulse);
        let mut problem = IslandStepProblem { island: &mut self.problem, context };
        self.info.residual = problem.refresh(&self.iterate.velocity, &mut self.iterate.impulse);
    }

    /// Size √(v·A v) of the velocities.
    pub(super) fn size(&self) -> f64 {
        if self.flat.is_solution {
            return self.flat.size();
        }
        norm(&self.iterate.velocity, &self.problem.problem.mass)
    }

    /// Size ‖A⁻¹ b‖ of the free motion.
    pub(super) fn free_size(&self) -> f64 {
        if self.flat.is_solution {
            return self.flat.free_size();
        }
        norm(&self.problem.free_momentum(), &self.problem.problem.mass_inverse)
    }

    fn driven_size(&self, context: &StepContext<'_>) -> f64 {
        let held = if self.flat.is_solution { self.flat.held_speed() } else { 0.0 };
        let is_driven =
            |id: &usize| context.models.bodies[*id].fixed && context.velocities[*id] != Velocity::default();
        let speed = |id: usize| path_speed(&context.models.bodies[id], &context.velocities[id]);
        let of_pair = |pair: &Pair| {
            let driven = [pair.body_a, pair.body_b].into_iter().filter(is_driven).map(speed);
            driven.filter(|speed| speed.is_finite()).fold(0.0, f64::max)
        };
        let portion = threads::portion(self.problem.bodies.len(), JUDGED_PAIRS_PER_CHUNK);
        let all = self.problem.pairs.par_iter().with_min_len(portion);
        self.mass(context).sqrt() * all.map(|pair| of_pair(pair)).reduce(|| held, f64::max)
    }

    fn mass(&self, context: &StepContext<'_>) -> f64 {
        self.problem.bodies.iter().map(|id| context.models.bodies[*id].mass).sum()
    }
}

/// Norm √(x·B x) with a block of B for each body.
fn norm(x: &[f64], blocks: &[Matrix6<f64>]) -> f64 {
    let squared = |(i, block): (usize, &Matrix6<f64>)| {
        let x = vector6(x, i);
        x.dot(&(block * x))
    };
    blocks.iter().enumerate().map(squared).sum::<f64>().max(0.0).sqrt()
}
