//! The derivative of the impact phase of a step: its velocities as functions of the start, the loads, and of
//! the end to which the position phase led (theory §17.6).
//!
//! [`bodies`] has momentum and velocities of single bodies, [`end_rows`] and [`end_joints`] the rows of the
//! impact and how they move with the end pose, [`stage`] the derivative of one solve: an impact is one, or a
//! compression and an expansion.

mod bodies;
mod centre;
mod effects;
mod end_joints;
mod end_rows;
mod led;
mod stage;

use self::bodies::ImpactBody;
use self::centre::{PerBody, add_swept_transposed, angular_of, swept};
use self::end_rows::EndRows;
pub use self::led::Led;
use self::led::LedGradient;
use self::stage::Stage;
use super::blocks::{of_bodies, put, vector_of};
use super::driven::DrivenMove;
use super::obstacle::Obstacle;
use crate::step::Change;
use crate::stepper::impact::{Impact, at_threshold};
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_kernels::math::{larger, largest};
use signorini_ncp::linalg::{BLOCK, LANES, Room};
use signorini_ncp::problem::contact_problem::vector6;
use signorini_ncp::solver::Iterate;

/// The derivative of an impact.
#[derive(Debug)]
pub struct ImpactDerivative {
    bodies: Vec<ImpactBody>,
    stages: Vec<Stage>,
    /// Pairs on a border that the stages do not see.
    borders: Vec<[usize; 2]>,
    /// h ω before the step, without contacts and of the position phase.
    spins: [PerBody; 3],
}

impl ImpactDerivative {
    /// Of the impact at the end of a step of an island that is linearised at its solution.
    pub(in crate::stepper) fn of(
        island: &mut IslandProblem,
        led: &Iterate,
        impact: &Impact,
        context: &StepContext<'_>,
    ) -> Result<Self, Obstacle> {
        if impact.fraction < 1.0 {
            return Err(Obstacle::CutRebound);
        }
        let mut borders = at_threshold((island, led), context);
        let free = bodies::free_velocities(island, impact);
        let bodies = bodies::impact_bodies(island, impact, context, &free);
        let rows = EndRows::new(island, led, impact, context, &free);
        let mut stages: Vec<Stage> = Vec::new();
        for (k, found) in impact.phases.iter().enumerate() {
            let before = stages.last().map(|_| &impact.phases[k - 1]);
            let rows = rows.of_phase(island, k, &mut borders);
            stages.push(Stage::new(island, &impact.problems[k], (found, before), rows)?);
        }
        let speeds = rows.speeds().each_ref().map(|v| angular_of(v));
        let spins = speeds.map(|spins| spins.into_iter().map(|spin| spin * context.time_step).collect());
        Ok(Self { bodies, stages, borders, spins })
    }

    /// Cones of each stage on a border.
    pub fn cones_on_borders(&self) -> impl Iterator<Item = usize> + '_ {
        self.stages.iter().flat_map(Stage::borders).copied()
    }

    /// Pairs on a border by what the stages do not see.
    pub fn borders(&self) -> &[[usize; 2]] {
        &self.borders
    }

    /// δν⁺ of at most [`LANES`] changes, and the largest share that contacts which hold contradict.
    pub fn apply(&mut self, changes: &[Change], led: Led<'_>) -> (Room<LANES>, f64) {
        let n = led.path.len();
        let [mut momentum, mut before, mut free] = [(); 3].map(|()| Room::zeros(n));
        for (lane, change) in changes.iter().enumerate() {
            for (local, body) in self.bodies.iter().enumerate() {
                let (applied, path) = (body.applied(change), vector_of(lane, &led.path[BLOCK * local..]));
                put(lane, &applied, &mut momentum[BLOCK * local..]);
                put(lane, &body.before(change), &mut before[BLOCK * local..]);
                put(lane, &body.free(&applied, &path, change), &mut free[BLOCK * local..]);
            }
        }
        let mut passing = Room::of(led.velocity);
        if let Some(moved) = led.centres {
            for (speed, spins) in [&mut before, &mut free, &mut passing].into_iter().zip(&self.spins) {
                let gained = swept(spins, moved);
                let speed = speed.as_flattened_mut().iter_mut();
                speed.zip(gained.as_flattened()).for_each(|(speed, gained)| *speed += gained);
            }
        }
        let (mut velocity, mut impulse, mut left) = (Room::default(), Room::of(led.impulse), 0.0);
        for (k, stage) in self.stages.iter_mut().enumerate() {
            if k > 0 {
                for (lane, _) in changes.iter().enumerate() {
                    for (local, body) in self.bodies.iter().enumerate() {
                        let gained = body.mass_at_end() * vector_of(lane, &velocity[BLOCK * local..]);
                        put(lane, &gained, &mut momentum[BLOCK * local..]);
                    }
                }
            }
            let masses = self.bodies.iter().map(|body| body.id);
            let effect = stage.effect(
                (changes, masses),
                momentum.clone(),
                [&before, &free, &passing],
                ([led.path, &impulse], led.centres, led.driven),
            );
            left = larger(left, largest(effect.left));
            (velocity, impulse) = (effect.velocity, effect.impulse);
        }
        (velocity, left)
    }

    /// Adds to `out` the gradient of a function whose gradient with ν⁺ is given, and returns those with what
    /// the position phase led to, and in `driven` those with bodies that have a prescribed motion.
    pub fn add_adjoint(
        &mut self,
        gradient: Vec<f64>,
        driven: &mut [DrivenMove],
        out: &mut Change,
    ) -> LedGradient {
        let n = gradient.len();
        let rows = self.stages.first().map_or(0, Stage::n_rows);
        let [path, velocity, centres, mut before, mut free] = [(); 5].map(|()| vec![0.0; n]);
        let mut back = LedGradient { path, velocity, impulse: vec![0.0; rows], centres, left: 0.0 };
        let mut momentum = gradient;
        for (k, stage) in self.stages.iter_mut().enumerate().rev() {
            let masses = self.bodies.iter().map(|body| body.id);
            let back = (&mut back, &mut *driven);
            momentum = stage.add_adjoint((&momentum, masses), [&mut before, &mut free], back, out);
            if k > 0 {
                let blocks = self.bodies.iter().enumerate();
                momentum = of_bodies(blocks.map(|(i, body)| body.mass_at_end() * vector6(&momentum, i)));
            }
        }
        for (spins, speed) in self.spins.iter().zip([&before, &free, &back.velocity]) {
            add_swept_transposed(spins, speed, &mut back.centres);
        }
        for (local, body) in self.bodies.iter().enumerate() {
            let [momentum, before, free] = [&momentum, &before, &free].map(|v| vector6(v, local));
            let (applied, path) = body.free_transposed(&free, out);
            body.add_gradient(&(momentum + applied), &before, out);
            back.path[BLOCK * local..][..BLOCK]
                .iter_mut()
                .zip(path.iter())
                .for_each(|(to, from)| *to += from);
        }
        back
    }
}
