//! The step of a large island in flat arrays: nonlinear Gauss–Seidel (`signorini-flat`), geometry found anew
//! in turn, without rows of derivatives and without Newton's method. `which` says which islands take it.

mod arrays;
mod judge;
pub mod which;

use crate::contact::Pair;
use crate::stepper::flat::arrays::{Arrays, Flown};
use crate::stepper::parameters::{BODIES_PER_CHUNK, FLAT_BUDGET, FLAT_REST_RESIDUAL};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;
use signorini_flat::{FlatSolver, Outcome, Problem, Touch};
use signorini_geometry::{Pose, Velocity};

/// The arrays of an island, with their solver.
#[derive(Debug, Default)]
pub struct FlatIsland {
    solver: FlatSolver,
    arrays: Arrays,
    /// Whether velocities and impulses of the island are those of the last solve in flat arrays: then the
    /// problem with its rows is not set up.
    pub is_solution: bool,
    /// Pose of each body at the end, and its rotation; of a solution.
    pub ends: Vec<(Pose, Matrix3<f64>)>,
}

/// Most sweeps and turns of a solve to a tolerance.
fn budget(tolerance: f64) -> usize {
    FLAT_BUDGET.iter().find(|(from, _)| tolerance >= *from).map_or(0, |(_, budget)| *budget)
}

impl FlatIsland {
    /// Reads the bodies and pairs of an island at the start of a step or substep, with the impulses that the
    /// pairs hold. `local_of` maps a body id to its place in the island.
    pub fn read(
        &mut self,
        (bodies, pairs): (&[usize], &[Box<Pair>]),
        context: &StepContext<'_>,
        local_of: &[usize],
    ) {
        self.arrays.fill((bodies, pairs), context, local_of);
    }

    /// Solves the step of a context, whose bodies are read.
    pub fn solve(&mut self, context: &StepContext<'_>, bodies: &[usize]) -> Outcome {
        let tolerance = context.solver.tolerance;
        self.solver.solve(&Problem {
            bodies: &self.arrays.bodies,
            given: &self.arrays.given,
            contacts: &self.arrays.contacts,
            time_step: context.time_step,
            tolerance,
            budget: budget(tolerance),
            accepted_start: if self.arrays.is_slow { FLAT_REST_RESIDUAL * tolerance } else { 0.0 },
            flight: Some(&Flown { context, bodies }),
            deadline: Some(context.deadline),
        })
    }

    /// Velocity (m/s) and spin (rad/s) of a local body.
    pub fn velocity(&self, local: usize) -> [[f64; 3]; 2] {
        self.solver.velocity(local)
    }

    /// Takes the bodies to the end of the step, at the velocities found.
    pub fn fly(&mut self, context: &StepContext<'_>, bodies: &[usize]) {
        let end = |(local, id): (usize, &usize)| {
            let [linear, angular] = self.solver.velocity(local).map(Vector3::from);
            let pose = context.end_pose(*id, &Velocity { linear, angular });
            (pose, pose.rotation())
        };
        bodies
            .par_iter()
            .enumerate()
            .with_min_len(BODIES_PER_CHUNK)
            .map(end)
            .collect_into_vec(&mut self.ends);
    }

    /// Contact of pair c.
    pub fn touch(&self, c: usize) -> Touch {
        self.solver.touch(c)
    }

    /// Arms of that contact from the centres of mass to the surfaces (m).
    pub fn arms(&self, c: usize, touch: &Touch) -> [Vector3<f64>; 2] {
        let between = Vector3::from(touch.normal) * touch.gap;
        self.arrays.arms(c, touch.arms.map(Vector3::from), between)
    }
}
