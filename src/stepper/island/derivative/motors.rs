//! The effect of motors' targets on rows and forces (theory §17.3).

use crate::step::Change;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::solver::{Cause, CauseGradient};
use signorini_scene::scene::Control;

/// Rows of the motors of an island.
#[derive(Debug, Clone, Default)]
pub struct MotorEffect {
    rows: Vec<MotorRow>,
}

#[derive(Debug, Clone)]
struct MotorRow {
    /// Joint, coordinate and place among its motors.
    motor: [usize; 3],
    /// Place among the scene's controls, once it is known.
    control: Option<usize>,
    /// Cone of one row.
    cone: usize,
    /// Changes of y and of x by one unit of the target.
    by: [f64; 2],
}

impl MotorEffect {
    /// Of an island's problem.
    pub fn of(problem: &IslandProblem, context: &StepContext<'_>) -> Self {
        let mut rows = Vec::new();
        let mut cone = problem.pairs.len();
        for link in &problem.joint_memory {
            let joint = &context.joints[link.joint];
            for part in &joint.parts {
                if let Some(([i, m], by)) = joint.by_target(part, &context.clock()) {
                    rows.push(MotorRow { motor: [link.joint, i, m], control: None, cone, by });
                }
                cone += 1;
            }
        }
        Self { rows }
    }

    /// Finds the motors among the scene's controls.
    pub fn find_controls(&mut self, controls: &[Control]) {
        for row in &mut self.rows {
            row.control = controls.iter().position(|control| control.motor == row.motor);
        }
    }

    /// Adds the effect of a change of targets, in a lane.
    pub fn apply(&self, problem: &ContactProblem, (lane, change): (usize, &Change), cause: &mut Cause) {
        for row in &self.rows {
            let Some(target) = row.control.and_then(|control| change.motor.get(control)) else { continue };
            let [by_slip, by_impulse] = row.by.map(|by| by * target);
            cause.slip[problem.cones[row.cone].row][lane] += by_slip;
            for k in problem.block_offsets[row.cone]..problem.block_offsets[row.cone + 1] {
                let body = &mut cause.momentum[BLOCK * problem.block_body[k]..][..BLOCK];
                let values = problem.jacobian_block(row.cone, k);
                body.iter_mut().zip(values).for_each(|(f, j)| f[lane] += by_impulse * j);
            }
        }
    }

    /// Adds the gradient with targets of a function whose gradient with the cause is given.
    pub fn add_gradient(&self, problem: &ContactProblem, cause: &CauseGradient, out: &mut Change) {
        for row in &self.rows {
            let Some(target) = row.control.and_then(|control| out.motor.get_mut(control)) else { continue };
            let mut along = 0.0;
            for k in problem.block_offsets[row.cone]..problem.block_offsets[row.cone + 1] {
                let body = &cause.momentum[BLOCK * problem.block_body[k]..];
                let values = &problem.jacobian_block(row.cone, k)[..BLOCK];
                along += values.iter().zip(body).map(|(j, f)| j * f).sum::<f64>();
            }
            *target += row.by[0] * cause.slip[problem.cones[row.cone].row] + row.by[1] * along;
        }
    }
}
