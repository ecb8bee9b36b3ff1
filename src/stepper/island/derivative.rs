//! The derivative of a step or substep of an island: its solution as a function of the start and the loads
//! (theory §17).
//!
//! [`solved`] has the maps of single bodies, [`pose_effect`] the effect of the pose at the start on rows and
//! forces, [`impact`] the phase behind a step in which something strikes.

mod blocks;
mod chain;
mod clock;
mod driven;
mod driven_rows;
mod impact;
mod motors;
mod moves;
mod obstacle;
mod own;
mod places;
pub mod pose_effect;
mod sizes;
mod solved;

pub use chain::IslandDerivative;
pub use driven::DrivenPath;
pub use obstacle::Obstacle;

use self::blocks::{cones_of, of_bodies, vector_of};
use self::clock::ClockEffect;
use self::driven::DrivenMove;
use self::driven_rows::DrivenRows;
use self::impact::{ImpactDerivative, Led};
use self::motors::MotorEffect;
use self::moves::Moves;
pub(in crate::stepper) use self::obstacle::Ended;
use self::obstacle::obstacle_of;
use self::own::{CentreEffect, OwnEffect, linear_of};
use self::places::PlaceEffect;
use self::pose_effect::PoseEffect;
use self::sizes::SizeEffect;
use self::solved::{Solved, solved_bodies};
use crate::contact::part_model::PartModel;
use crate::step::{BodyTangent, Change};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::island::refresh::IslandStepProblem;
use crate::stepper::step_context::StepContext;
use nalgebra::{SVector, Vector3};
use signorini_kernels::math::{larger, largest};
use signorini_ncp::linalg::{BLOCK, LANES};
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::{Cause, Effect, Iterate, Sensitivity, Solver, StepProblem};
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
    sizes: SizeEffect,
    places: PlaceEffect,
    clock: ClockEffect,
    /// Length over that of the step.
    length: f64,
    /// Bodies with prescribed motion, and the rows at them.
    driven: Vec<DrivenPath>,
    driven_rows: DrivenRows,
    /// Bodies that move and whose surface turns over them: how its velocity at a contact changes with their
    /// centre of mass is not followed.
    turning: Vec<usize>,
    /// The impact phase, if there is one.
    impact: Option<ImpactDerivative>,
    /// cos of normals per cone, by which coefficients of friction count; 0 of joints.
    alignment: Vec<f64>,
    /// Bodies of each cone.
    pairs: Vec<[usize; 2]>,
}

impl Piece {
    /// Of a step or substep that an island took in one piece, and that ended so at an iterate of a solver.
    pub(in crate::stepper) fn of(
        island: &mut IslandProblem,
        (iterate, solver): (&Iterate, &Solver),
        context: &StepContext<'_>,
        ended: Ended<'_>,
    ) -> Self {
        let context = &StepContext { exact_turns: true, ..*context };
        let (alignment, pairs) = cones_of(island, context);
        let mut piece = Self {
            bodies: Vec::new(),
            sensitivity: Err(Obstacle::Unsolved),
            geometry: PoseEffect::default(),
            motors: MotorEffect::default(),
            sizes: SizeEffect::default(),
            places: PlaceEffect::default(),
            clock: ClockEffect::default(),
            length: context.length,
            driven: driven_paths(context),
            driven_rows: DrivenRows::default(),
            turning: turning(island, context),
            impact: None,
            alignment,
            pairs,
        };
        piece.sensitivity = piece.find(island, (iterate, solver), context, ended);
        piece
    }

    /// Finds all maps, or why there are none.
    fn find(
        &mut self,
        island: &mut IslandProblem,
        (iterate, solver): (&Iterate, &Solver),
        context: &StepContext<'_>,
        ended: Ended<'_>,
    ) -> Result<Sensitivity, Obstacle> {
        if let Some(obstacle) = obstacle_of(island, context, &iterate.velocity, ended) {
            return Err(obstacle);
        }
        let mut x = iterate.impulse.clone();
        IslandStepProblem { island, context }.refresh(&iterate.velocity, &mut x);
        self.bodies = solved_bodies(island, context, &iterate.velocity);
        self.geometry = PoseEffect::of(island, context);
        self.motors = MotorEffect::of(island, context);
        self.sizes = SizeEffect::of(island, context, &iterate.velocity, &x);
        self.places = PlaceEffect::of(island, context, &x, None);
        self.clock = ClockEffect::of(island, context, &x);
        if !self.driven.is_empty() {
            self.driven_rows = DrivenRows::of(island, context, [&iterate.velocity, &x]);
        }
        let sensitivity = Sensitivity::new(island.problem.clone(), &x, Some(solver));
        let sensitivity = sensitivity.map_err(|_| Obstacle::Singular)?;
        self.impact = match ended.impact {
            Some(impact) => Some(ImpactDerivative::of(island, iterate, impact, context)?),
            None => None,
        };
        Ok(sensitivity)
    }

    /// Finds the island's motors among the scene's controls.
    pub fn find_controls(&mut self, controls: &[Control]) {
        self.motors.find_controls(controls);
    }

    /// Why there is no derivative.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.sensitivity.as_ref().err().copied()
    }

    /// Length over that of the step.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Bodies of contacts and joints whose status an arbitrarily small change may change.
    pub fn borders(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        let cones = self.sensitivity.as_ref().map_or(&[][..], Sensitivity::borders).iter().copied();
        let of_impact = self.impact.iter().flat_map(ImpactDerivative::cones_on_borders);
        let pairs = self.impact.iter().flat_map(ImpactDerivative::borders).copied();
        cones.chain(of_impact).map(|c| self.pairs[c]).chain(pairs)
    }

    /// Writes the changes at the end of the step of the island's bodies, by at most [`LANES`]
    /// changes at once, into `outs`, which have a place for each body of the scene. Returns
    /// [`Effect::left`](signorini_ncp::solver::Effect::left).
    pub fn apply(&mut self, changes: &[Change], outs: &mut [Vec<BodyTangent>]) -> f64 {
        let Ok(sensitivity) = &mut self.sensitivity else { return f64::INFINITY };
        let problem = sensitivity.problem();
        let mut moves = Moves::of(&self.bodies, changes, self.length, self.geometry.looks_at_start());
        let momentum = std::mem::take(&mut moves.momentum);
        let mut cause = Cause::of_momentum(problem, momentum);
        let driven: Vec<_> =
            changes.iter().map(|change| moves_of(&self.driven, change, self.length)).collect();
        for (lane, change) in changes.iter().enumerate() {
            self.driven_rows.apply((lane, &driven[lane]), &mut cause);
            for (friction, alignment) in cause.friction.iter_mut().zip(&self.alignment) {
                friction[lane] = alignment * change.friction;
            }
            self.motors.apply(problem, (lane, change), &mut cause);
            self.sizes.apply((lane, change), &mut cause);
            self.places.apply((lane, change), &mut cause);
            self.clock.apply((lane, change), self.length, &mut cause);
        }
        let swept = moves.centres.as_ref().map(|centres| &*centres.swept);
        self.geometry.apply((problem, sensitivity.active()), ([&moves.path, &moves.pose], swept), &mut cause);
        let Effect { velocity: moved, impulse, left } = sensitivity.effect(&cause, changes.len());
        let mut left = largest(left);
        let leaves = self.impact.as_mut().map(|impact| {
            let path = moves.path.as_flattened_mut().iter_mut();
            path.zip(moved.as_flattened()).for_each(|(path, v)| *path += v);
            let centres = moves.centres.as_ref().map(|centres| &*centres.path);
            let led =
                Led { path: &moves.path, velocity: &moved, impulse: &impulse, centres, driven: &driven };
            let (leaves, more) = impact.apply(changes, led);
            left = larger(left, more);
            leaves
        });
        for (lane, out) in outs.iter_mut().enumerate().take(changes.len()) {
            for (local, body) in self.bodies.iter().enumerate() {
                let mut end = body.end(&vector_of(lane, &moved[BLOCK * local..]));
                end += moves.end(lane, local);
                if let Some(leaves) = &leaves {
                    let leaves = vector_of(lane, &leaves[BLOCK * local..]);
                    end.fixed_rows_mut::<BLOCK>(BLOCK).copy_from(&leaves);
                }
                out[body.id] = BodyTangent::from_vector(&end);
            }
            let change = &changes[lane];
            for path in &self.driven {
                out[path.id] = path.end(&change.start[path.id], change.time_step * self.length);
            }
            if self.turning.iter().any(|id| change.centre[*id] != Vector3::zeros()) {
                let none = BodyTangent::from_vector(&SVector::repeat(f64::NAN));
                self.bodies.iter().for_each(|body| out[body.id] = none);
            }
        }
        left
    }

    /// Adds to `out` the gradient, with respect to what the step depends on, of a function whose gradient
    /// with respect to the state at the end is given, with a place for each body of the scene. Returns what
    /// [`Self::apply`] does.
    pub fn add_adjoint(&mut self, gradient: &[BodyTangent], out: &mut Change) -> f64 {
        let Ok(sensitivity) = &mut self.sensitivity else { return f64::INFINITY };
        let mut end: Vec<_> = self.bodies.iter().map(|body| gradient[body.id].to_vector()).collect();
        let mut driven = vec![DrivenMove::zeros(); self.driven.len()];
        let impact = self.impact.as_mut().map(|impact| {
            let leaves = end.iter_mut().map(|end| {
                let leaves = end.fixed_rows::<BLOCK>(BLOCK).into_owned();
                end.fixed_rows_mut::<BLOCK>(BLOCK).fill(0.0);
                leaves
            });
            impact.add_adjoint(of_bodies(leaves), &mut driven, out)
        });
        let mut moved = of_bodies(self.bodies.iter().zip(&end).map(|(body, end)| body.end_gradient(end)));
        let mut pushed = vec![0.0; sensitivity.problem().n_rows()];
        if let Some(led) = &impact {
            let paths = led.velocity.iter().zip(&led.path);
            moved.iter_mut().zip(paths).for_each(|(moved, (v, path))| *moved += v + path);
            pushed.copy_from_slice(&led.impulse);
        }
        let cause = sensitivity.adjoint([&moved, &pushed]);
        let [mut path, pose, swept] = self.geometry.transposed(sensitivity.problem(), &cause);
        let (mut left, mut of_centres) = (cause.left, vec![0.0; path.len()]);
        if let Some(led) = impact {
            path.iter_mut().zip(&led.path).for_each(|(path, of_impact)| *path += of_impact);
            of_centres = led.centres;
            left = larger(left, led.left);
        }
        self.motors.add_gradient(sensitivity.problem(), &cause, out);
        self.sizes.add_gradient(&cause, out);
        self.places.add_gradient(&cause, out);
        self.clock.add_gradient(&cause, self.length, out);
        for ((local, body), end) in self.bodies.iter().enumerate().zip(&end) {
            let of = OwnEffect {
                path: vector6(&path, local),
                momentum: vector6(&cause.momentum, local),
                end: *end,
            };
            let centre = CentreEffect {
                start: linear_of(&pose, local),
                path: linear_of(&path, local) + linear_of(&of_centres, local),
                swept: linear_of(&swept, local),
                ..CentreEffect::default()
            };
            body.add_gradient(&of, &centre, self.length, out);
            body.add_start_gradient(&vector6(&pose, local), out);
        }
        self.driven_rows.add_gradient(&cause, &mut driven);
        for (path, moved) in self.driven.iter().zip(&driven) {
            let (start, longer) = path.gradient(moved, &gradient[path.id]);
            out.start[path.id] = start;
            out.time_step += self.length * longer;
        }
        self.turning.iter().for_each(|id| out.centre[*id].fill(f64::NAN));
        out.friction += cause.friction.iter().zip(&self.alignment).map(|(m, a)| m * a).sum::<f64>();
        left
    }
}

/// The bodies of an island whose surface turns over them.
fn turning(island: &IslandProblem, context: &StepContext<'_>) -> Vec<usize> {
    let turns = |part: &PartModel| part.surface.is_some_and(|surface| surface.angular != Vector3::zeros());
    let models = context.models;
    let any = |id: &usize| models.parts[models.bodies[*id].parts.clone()].iter().any(turns);
    island.bodies.iter().copied().filter(any).collect()
}

/// The bodies with prescribed motion in a step or substep.
fn driven_paths(context: &StepContext<'_>) -> Vec<DrivenPath> {
    let path = |(id, _): &(usize, _)| DrivenPath::new(*id, context.velocities[*id], context.time_step);
    context.loads.driven.iter().map(path).collect()
}

/// A change of bodies with prescribed motion as rows see it, in a piece of so much of the step.
fn moves_of(driven: &[DrivenPath], change: &Change, length: f64) -> Vec<DrivenMove> {
    let moved = |path: &DrivenPath| path.moved(&change.start[path.id], change.time_step * length);
    driven.iter().map(moved).collect()
}
