//! The step of the geometrically explicit models.

use super::records::{write_contacts, write_joints};
use super::warm_start::store_warm_start;
use crate::stepper::blocks::{path_speed, velocity};
use crate::stepper::formulation::{Records, StepEnd, StepFormulation};
use crate::stepper::island::Island;
use crate::stepper::step_context::StepContext;
use signorini_geometry::Velocity;
use std::time::Instant;

/// A geometrically explicit model: `solve` finds the velocities and impulses of each island.
pub struct Explicit<'a, F> {
    /// Pairs of bodies that a spring puts in one island though they do not touch.
    pub spring_pairs: &'a [(usize, usize)],
    /// Weight of the new velocity in the motion of poses, θ v + (1 − θ) v₀.
    pub theta: f64,
    /// Solver of one island; its last argument maps a body to its place in the island.
    pub solve: F,
}

impl<F: Fn(&mut Island, &StepContext<'_>, &[usize]) + Sync> StepFormulation for Explicit<'_, F> {
    fn spring_pairs(&self) -> &[(usize, usize)] {
        self.spring_pairs
    }

    fn solve(&self, island: &mut Island, context: &StepContext<'_>, local_of: &[usize]) {
        let start = Instant::now();
        (self.solve)(island, context, local_of);
        let times = &mut island.info.times;
        times.solve = (start.elapsed().as_secs_f64() - times.assembly - times.factor).max(0.0);
    }

    fn advance(&self, islands: &mut [Box<Island>], context: &StepContext<'_>, end: &mut StepEnd) {
        let h = context.time_step;
        let StepEnd { state, travel, .. } = end;
        for island in islands {
            let Island { problem, iterate, .. } = &mut **island;
            problem.keep_free_spins(context, iterate);
            for (local, &id) in problem.bodies.iter().enumerate() {
                let v = velocity(&iterate.velocity, local);
                let moved = blend(&context.velocities[id], &v, self.theta);
                let end = context.end_pose(id, &moved);
                (state.poses[id], state.velocities[id]) = (end, context.end_velocity(id, &v, &end));
            }
            store_warm_start(island);
        }
        for ((travel, model), velocity) in
            travel.iter_mut().zip(&context.models.bodies).zip(&state.velocities)
        {
            *travel = h * path_speed(model, velocity);
        }
    }

    fn record(
        &self,
        islands: &mut [Box<Island>],
        context: &StepContext<'_>,
        end: &StepEnd,
        records: &mut Records,
    ) {
        write_contacts(islands, context, end, &mut records.contacts);
        write_joints(islands, context, &end.parts.parts, &mut records.joints);
    }
}

/// Blends velocities, θ v + (1 − θ) v₀; exactly v where θ = 1.
pub fn blend(old: &Velocity, new: &Velocity, theta: f64) -> Velocity {
    if theta == 1.0 {
        return *new;
    }
    Velocity {
        linear: new.linear * theta + old.linear * (1.0 - theta),
        angular: new.angular * theta + old.angular * (1.0 - theta),
    }
}
