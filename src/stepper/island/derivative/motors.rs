//! The effect of motors' targets on rows and on impulses that are given (theory §17.3).

use crate::step::Change;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::step_context::StepContext;
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
            let at = problem.cones[row.cone].row;
            cause.slip[at][lane] += row.by[0] * target;
            cause.bound[at][lane] += row.by[1] * target;
        }
    }

    /// Adds the gradient with targets of a function whose gradient with the cause is given.
    pub fn add_gradient(&self, problem: &ContactProblem, cause: &CauseGradient, out: &mut Change) {
        for row in &self.rows {
            let Some(target) = row.control.and_then(|control| out.motor.get_mut(control)) else { continue };
            let at = problem.cones[row.cone].row;
            *target += row.by[0] * cause.slip[at] + row.by[1] * cause.bound[at];
        }
    }
}
