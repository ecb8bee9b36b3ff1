//! The data that all islands share during a step.

use crate::contact::{Models, MovedPart, Pair, Placed};
use crate::step::Loads;
use crate::stepper::joints::{Clock, JointModel, JointStart, placement};
use crate::stepper::placed_bodies::PlacedBodies;
use nalgebra::Vector3;
use signorini_backend::Guarded;
use signorini_geometry::{Pose, Velocity};
use signorini_ncp::solver::SolveOptions;
use signorini_scene::scene::{FrictionTable, Scene, State};
use signorini_scene::settings::{Gyroscopic, SolverSettings};
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
    /// Backend that evaluates smooth pairs; None: the step problem itself.
    pub backend: Option<&'a Guarded>,
    /// Parts as in `placed`, but those of bodies with prescribed motion at the end of the step.
    pub prescribed: &'a [MovedPart],
    /// Joints of the scene.
    pub joints: &'a [JointModel],
    /// Time at the end of the step (s).
    pub end_time: f64,
    /// Instant at which the step has to end, solved or not.
    pub deadline: Instant,
    /// Length of the last step (s) under the staggered integrator, 0 before the first.
    pub last_step: Option<f64>,
    /// Whether a step has an impact phase where something strikes.
    pub has_impacts: bool,
    /// Whether the derivative of the step is kept.
    pub keeps_derivatives: bool,
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
            joints,
            end_time: loads.end_time,
            deadline: Instant::now() + Duration::from_secs_f64(scene.solver.step_seconds),
            last_step: None,
            has_impacts: false,
            keeps_derivatives: false,
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
            velocity: joint.bodies.map(|id| self.velocities[id]),
        }
    }

    /// Returns the parts of a pair at the start of the step.
    pub(super) fn sides_at_start(&self, pair: &Pair) -> [Placed<'a>; 2] {
        self.models.sides(pair, self.placed)
    }

    /// Options of a solve of the step: those of the scene, with the deadline of the step.
    pub fn solve_options(&self) -> SolveOptions {
        SolveOptions { deadline: Some(self.deadline), ..solve_options(self.solver) }
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

/// Options of a solve with the settings of a scene, without a deadline.
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
