//! The data that all islands share during a step.

use crate::contact::{Models, MovedPart, Pair, Placed};
use crate::step::Loads;
use crate::stepper::joints::{Clock, CouplingModel, JointModel, JointStart, placement};
use crate::stepper::parameters::{
    MAX_HALVED_WORK, MAX_STEP_SECONDS, MIN_STEP_SECONDS, STEP_SECONDS_PER_BODY, UNSOLVED_PATIENCE,
    UNSOLVED_PERIOD,
};
use crate::stepper::placed_bodies::PlacedBodies;
use nalgebra::Vector3;
use signorini_backend::Guarded;
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::solver::parameters::work::SECOND;
use signorini_ncp::solver::{OwnMethod, SolveOptions};
use signorini_ranks::Ranks;
use signorini_scene::scene::{FrictionTable, Scene, State};
use signorini_scene::settings::{Gyroscopic, SolverSettings};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Data that all islands share during a step.
#[derive(Debug, Clone, Copy)]
pub struct StepContext<'a> {
    /// Bodies and their parts.
    pub models: &'a Models,
    /// Friction between materials.
    pub friction: &'a FrictionTable,
    /// Solver settings of the scene.
    pub solver: &'a SolverSettings,
    /// Poses at the start of the step.
    pub poses: &'a [Pose],
    /// Velocities at the start of the step.
    pub velocities: &'a [Velocity],
    /// All parts placed at the start of the step.
    pub placed: &'a [MovedPart],
    /// Loads of the step.
    pub loads: &'a Loads,
    /// Time step h (s).
    pub time_step: f64,
    /// Length of this step, or of this substep over that of the step.
    pub length: f64,
    /// Gravity g (m/s²).
    pub gravity: Vector3<f64>,
    /// Rule by which bodies turn.
    pub gyroscopic: Gyroscopic,
    /// Backend that takes solves in flat arrays; None: the CPU alone.
    pub backend: Option<&'a Guarded>,
    /// Method that solves linearized problems; None: the solver's own.
    pub own: Option<&'a Arc<dyn OwnMethod>>,
    /// Processes that solve the island together; None: this one alone.
    pub ranks: Option<&'a Arc<dyn Ranks>>,
    /// Parts as in `placed`, but those of bodies with prescribed motion at the end of the step.
    pub prescribed: &'a [MovedPart],
    /// Joints of the scene.
    pub joints: &'a [JointModel],
    /// Whole turns of the angle of each joint at the start of the step; counted of joints that are coupled.
    pub turns: &'a [i64],
    /// Damage of the mortar of each joint at the start of the step (theory §15.5).
    pub damage: &'a [f64],
    /// Number of steps before this one that were not solved, without a solved one between.
    pub n_unsolved: u32,
    /// Time at the end of the step (s).
    pub end_time: f64,
    /// Instant at which the step has to end, solved or not, if there is one.
    pub deadline: Option<Instant>,
    /// Length of the last step (s) under the staggered integrator, 0 before the first.
    pub last_step: Option<f64>,
    /// Whether a step has an impact phase where something strikes.
    pub has_impacts: bool,
    /// Whether the derivative of the step is kept.
    pub keeps_derivatives: bool,
    /// Whether the problems that the step solves are kept.
    pub keeps_problems: bool,
    /// Whether derivatives of free flights are found to rounding, not to what Newton's method needs.
    pub exact_turns: bool,
}

impl<'a> StepContext<'a> {
    /// Makes the context of a step of `scene` from `state`, whose bodies and joints are given; models set the
    /// other fields.
    pub fn new(
        scene: &'a Scene,
        state: &'a State,
        loads: &'a Loads,
        (models, joints): (&'a Models, &'a [JointModel]),
        placed: &'a PlacedBodies,
    ) -> Self {
        let time_step = scene.time_step;
        Self {
            models,
            friction: &scene.friction,
            solver: &scene.solver,
            poses: &state.poses,
            velocities: &state.velocities,
            placed: &placed.start.parts,
            prescribed: &placed.prescribed.parts,
            loads,
            time_step,
            length: 1.0,
            gravity: scene.gravity,
            gyroscopic: scene.solver.spin_rule(),
            backend: None,
            own: None,
            ranks: None,
            joints,
            turns: &[],
            damage: &[],
            n_unsolved: 0,
            end_time: loads.end_time,
            deadline: scene.solver.wall_limit.map(|s| Instant::now() + Duration::from_secs_f64(s)),
            last_step: None,
            has_impacts: false,
            keeps_derivatives: false,
            keeps_problems: false,
            exact_turns: false,
        }
    }

    /// Returns a body at the start of the step.
    pub(super) fn body_at_start(&self, id: usize) -> &'a MovedPart {
        self.models.body_at(id, self.placed)
    }

    /// Returns the bodies of a joint at the start of the step.
    pub(super) fn joint_start(&self, joint: &JointModel) -> JointStart {
        JointStart {
            at: joint.bodies.map(|id| placement(self.body_at_start(id))),
            velocity: joint.bodies.map(|id| match self.models.bodies[id].fixed {
                true => self.loads.velocity_before(id),
                false => self.velocities[id],
            }),
        }
    }

    /// Returns both coordinates of a coupling at the start of the step.
    pub(super) fn coupling_start(&self, coupling: &CouplingModel) -> [f64; 2] {
        coupling.terms.each_ref().map(|term| {
            let at = term.bodies.map(|id| placement(self.body_at_start(id)));
            term.after_turns(&at, self.turns.get(term.joint).copied().unwrap_or(0))
        })
    }

    /// Returns the parts of a pair at the start of the step.
    pub(super) fn sides_at_start(&self, pair: &Pair) -> [Placed<'a>; 2] {
        self.models.sides(pair, self.placed)
    }

    /// Options of the step of an island of so many bodies: those of the scene, with the deadline of the step
    /// and the work that the island may take.
    pub fn solve_options(&self, n_bodies: usize) -> SolveOptions {
        let seconds =
            self.solver.step_seconds.unwrap_or_else(|| usual_step_seconds(n_bodies, self.n_unsolved));
        let work = (seconds * SECOND as f64) as u64;
        SolveOptions { deadline: self.deadline, work, ..solve_options(self.solver) }
    }

    /// Time over which loads act (s): h, or under the staggered integrator from the middle of the last step
    /// to that of this one.
    pub(super) fn loaded_time(&self) -> f64 {
        self.last_step.map_or(self.time_step, |last| 0.5 * (last + self.time_step))
    }

    /// The instant that velocities belong to (s).
    pub(super) fn rate_time(&self) -> f64 {
        if self.last_step.is_some() { self.end_time - 0.5 * self.time_step } else { self.end_time }
    }

    /// Times of the step.
    pub(super) fn clock(&self) -> Clock {
        Clock {
            time_step: self.time_step,
            loaded_time: self.loaded_time(),
            end_time: self.end_time,
            rate_time: self.rate_time(),
        }
    }
}

/// Seconds of work that an island may take in a step, where the scene does not say. Unsolved steps in a row
/// halve them for the next ones, down to an eighth: what has gone wrong for long tends to stay so. From time
/// to time all of the work is tried again.
fn usual_step_seconds(n_bodies: usize, n_unsolved: u32) -> f64 {
    let seconds = (STEP_SECONDS_PER_BODY * n_bodies as f64).clamp(MIN_STEP_SECONDS, MAX_STEP_SECONDS);
    let halvings = (n_unsolved % UNSOLVED_PERIOD).saturating_sub(UNSOLVED_PATIENCE).min(MAX_HALVED_WORK);
    seconds / f64::from(1 << halvings)
}

/// Options of a solve with the settings of a scene, without limits of work and time.
pub fn solve_options(settings: &SolverSettings) -> SolveOptions {
    SolveOptions {
        iterations: settings.max_iterations,
        restarts: settings.restarts,
        single_precision: settings.single_precision,
        linear_solver: settings.linear_solver,
        methods: settings.methods,
        ..SolveOptions::new(settings.tolerance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_unsolved_steps_in_a_row_halve_the_work_of_the_next() {
        let seconds = |n_unsolved| usual_step_seconds(10, n_unsolved) / MIN_STEP_SECONDS;
        assert_eq!([0, 1, 8, 9, 10, 11, 31].map(seconds), [1.0, 1.0, 1.0, 0.5, 0.25, 0.125, 0.125]);
        assert_eq!([32, 40, 41, u32::MAX].map(seconds), [1.0, 1.0, 0.5, 0.125]);
        assert_eq!(usual_step_seconds(100_000, 0), MAX_STEP_SECONDS);
    }
}
