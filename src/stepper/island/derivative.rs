//! The derivative of a step or substep of an island: its solution as a function of the start and the loads
//! (theory §17).
//!
//! [`solved`] has the maps of single bodies, [`pose_effect`] the effect of the pose at the start on rows and
//! forces.

mod chain;
mod motors;
mod obstacle;
pub mod pose_effect;
mod solved;

pub use chain::IslandDerivative;
pub use obstacle::Obstacle;

use self::motors::MotorEffect;
pub(in crate::stepper) use self::obstacle::Ended;
use self::obstacle::obstacle_of;
use self::pose_effect::PoseEffect;
use self::solved::{Solved, solved_bodies};
use crate::step::{BodyTangent, Change};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::Vector6;
use signorini_kernels::math::largest;
use signorini_ncp::linalg::{BLOCK, LANES, Lanes};
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::{Cause, Effect, Iterate, Sensitivity, StepProblem};
use signorini_scene::scene::Control;

/// Changes that are applied at once.
pub const AT_ONCE: usize = LANES;

/// The solution of a step or a substep of an island, ready for derivatives.
#[derive(Debug)]
pub struct Piece {
    bodies: Vec<Solved>,
    sensitivity: Result<Sensitivity, Obstacle>,
    geometry: PoseEffect,
    motors: MotorEffect,
    /// cos of normals per cone, by which coefficients of friction count; 0 of joints.
    alignment: Vec<f64>,
    /// Bodies of each cone.
    pairs: Vec<[usize; 2]>,
}

impl Piece {
    /// Of a step or substep that an island took in one piece, and that ended so at an iterate.
    pub(in crate::stepper) fn of(
        island: &mut IslandProblem,
        iterate: &Iterate,
        context: &StepContext<'_>,
        ended: Ended,
    ) -> Self {
        let context = &StepContext { exact_turns: true, ..*context };
        let (alignment, pairs) = cones_of(island, context);
        if let Some(obstacle) = obstacle_of(island, context, ended) {
            let (bodies, geometry, motors) = (Vec::new(), PoseEffect::default(), MotorEffect::default());
            return Self { bodies, sensitivity: Err(obstacle), geometry, motors, alignment, pairs };
        }
        let mut x = iterate.impulse.clone();
        IslandStepProblem { island, context }.refresh(&iterate.velocity, &mut x);
        let bodies = solved_bodies(island, context, &iterate.velocity);
        let geometry = PoseEffect::of(island, context);
        let motors = MotorEffect::of(island, context);
        let sensitivity = Sensitivity::new(island.problem.clone(), &x).map_err(|_| Obstacle::Singular);
        Self { bodies, sensitivity, geometry, motors, alignment, pairs }
    }

    /// Finds the island's motors among the scene's controls.
    pub fn find_controls(&mut self, controls: &[Control]) {
        self.motors.find_controls(controls);
    }

    /// Why there is no derivative.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.sensitivity.as_ref().err().copied()
    }

    /// Bodies of contacts and joints whose status an arbitrarily small change may change.
    pub fn borders(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let cones = self.sensitivity.as_ref().map_or(&[][..], Sensitivity::borders);
        cones.iter().map(|c| self.pairs[*c])
    }

    /// Writes the changes at the end of the step of the island's bodies, by at most [`LANES`]
    /// changes at once, into `outs`, which have a place for each body of the scene. Returns
    /// [`Effect::left`](signorini_ncp::solver::Effect::left).
    pub fn apply(&mut self, changes: &[Change], outs: &mut [Vec<BodyTangent>]) -> f64 {
        let Ok(sensitivity) = &mut self.sensitivity else { return f64::INFINITY };
        let problem = sensitivity.problem();
        let mut cause = Cause::none(problem);
        let n = cause.momentum.len();
        let [mut path, mut pose] = [(); 2].map(|()| vec![[0.0; LANES]; n]);
        for (lane, change) in changes.iter().enumerate() {
            for (local, body) in self.bodies.iter().enumerate() {
                let start = change.start[body.id].to_vector();
                put(lane, &(body.path * start), &mut path[BLOCK * local..]);
                put(lane, &start.fixed_rows::<BLOCK>(0).into_owned(), &mut pose[BLOCK * local..]);
                let gained = body.momentum * start + body.load(change);
                put(lane, &gained, &mut cause.momentum[BLOCK * local..]);
            }
            for (friction, alignment) in cause.friction.iter_mut().zip(&self.alignment) {
                friction[lane] = alignment * change.friction;
            }
            self.motors.apply(problem, (lane, change), &mut cause);
        }
        self.geometry.apply(problem, [&path, &pose], &mut cause);
        let Effect { velocity: moved, left, .. } = sensitivity.effect(&cause);
        for (lane, (change, out)) in changes.iter().zip(outs).enumerate() {
            for (local, body) in self.bodies.iter().enumerate() {
                let moved = Vector6::from_fn(|k, _| moved[BLOCK * local + k][lane]);
                let start = change.start[body.id].to_vector();
                let end = body.end_by_velocity * moved + body.end_by_start * start;
                out[body.id] = BodyTangent::from_vector(&end);
            }
        }
        largest(left)
    }

    /// Adds to `out` the gradient, with respect to what the step depends on, of a function whose gradient
    /// with respect to the state at the end is given, with a place for each body of the scene. Returns what
    /// [`Self::apply`] does.
    pub fn add_adjoint(&mut self, gradient: &[BodyTangent], out: &mut Change) -> f64 {
        let Ok(sensitivity) = &mut self.sensitivity else { return f64::INFINITY };
        let end: Vec<_> = self.bodies.iter().map(|body| gradient[body.id].to_vector()).collect();
        let moved: Vec<f64> =
            of_bodies(self.bodies.iter().zip(&end).map(|(body, end)| body.end_by_velocity.tr_mul(end)));
        let cause = sensitivity.adjoint(&moved);
        let [path, pose] = self.geometry.transposed(sensitivity.problem(), &cause);
        self.motors.add_gradient(sensitivity.problem(), &cause, out);
        for ((local, body), end) in self.bodies.iter().enumerate().zip(&end) {
            let f = vector6(&cause.momentum, local);
            let mut start = body.end_by_start.tr_mul(end) + body.momentum.tr_mul(&f);
            start += body.path.tr_mul(&vector6(&path, local));
            let mut of_pose = start.fixed_rows_mut::<BLOCK>(0);
            of_pose += vector6(&pose, local);
            let own = &mut out.start[body.id];
            *own = BodyTangent::from_vector(&(own.to_vector() + start));
            body.add_load_gradient(&f, out);
        }
        out.friction += cause.friction.iter().zip(&self.alignment).map(|(m, a)| m * a).sum::<f64>();
        cause.left
    }
}

/// Writes the vector of a body into a lane.
fn put(lane: usize, vector: &Vector6<f64>, to: &mut [Lanes]) {
    to.iter_mut().zip(vector.iter()).for_each(|(to, x)| to[lane] = *x);
}

/// The blocks of all bodies in one vector.
fn of_bodies(blocks: impl Iterator<Item = Vector6<f64>>) -> Vec<f64> {
    blocks.flat_map(<[f64; BLOCK]>::from).collect()
}

/// Alignment of normals and bodies of each cone.
fn cones_of(of: &IslandProblem, context: &StepContext<'_>) -> (Vec<f64>, Vec<[usize; 2]>) {
    let contacts = of.pairs.iter().map(|pair| (pair.geometry.alignment, [pair.body_a, pair.body_b]));
    let joints = of.joint_memory.iter().map(|link| &context.joints[link.joint]);
    let parts = joints.flat_map(|joint| joint.parts.iter().map(|_| (0.0, joint.bodies)));
    let mut all: Vec<_> = contacts.chain(parts).collect();
    // The coefficient of rolling resistance is one of its own.
    let rolls = of.problem.cones.iter().filter_map(|cone| cone.rolls_with);
    let rolling: Vec<_> = rolls.map(|c| (0.0, all[c].1)).collect();
    all.extend(rolling);
    all.into_iter().unzip()
}
