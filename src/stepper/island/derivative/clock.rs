//! The effect of the length of the step, and of the time at its start, on rows that look at time and on
//! impulses that a force bounds (theory §17.8).

use crate::step::Change;
use crate::stepper::island::problem::IslandProblem;
use crate::stepper::joints::{JointModel, placement};
use crate::stepper::step_context::StepContext;
use signorini_ncp::linalg::BLOCK;
use signorini_ncp::solver::{Cause, CauseGradient};

/// Rows and momenta of an island that look at time.
#[derive(Debug, Clone, Default)]
pub struct ClockEffect {
    rows: Vec<ClockRow>,
    /// Entries of the momentum, and their changes with the length of the step.
    pulled: Vec<(usize, f64)>,
}

#[derive(Debug, Clone)]
struct ClockRow {
    row: usize,
    /// Changes of y, and of x where it is on its bound, by the length of the step.
    by_step: [f64; 2],
    /// Those by the time.
    by_time: [f64; 2],
    /// Place among the scene's courses, with the change of y.
    course: Option<(usize, f64)>,
}

impl ClockEffect {
    /// Of an island's problem at its solution with impulses x.
    pub fn of(island: &IslandProblem, context: &StepContext<'_>, x: &[f64]) -> Self {
        let (mut effect, problem, clock) = (Self::default(), &island.problem, context.clock());
        let mut cone = island.pairs.len();
        // Prescribed motions of the joints before.
        let before = |of: usize| context.joints[..of].iter().map(JointModel::n_courses).sum::<usize>();
        for link in &island.joint_memory {
            let joint = &context.joints[link.joint];
            let start = context.joint_start(joint);
            let end = joint.bodies.map(|id| placement(island.end_placement(context, id)));
            for part in &joint.parts {
                for (i, row) in problem.cones[cone].normal().enumerate() {
                    let at = joint.by_clock((part, i), (&end, &start), &clock, x[row]);
                    let course = joint.by_course(part, &clock).map(|(k, by)| (before(link.joint) + k, by));
                    let rows = at.map(|[by_step, by_time]| ClockRow { row, by_step, by_time, course });
                    effect.rows.extend(rows);
                }
                cone += 1;
            }
        }
        for c in 0..island.pairs.len() {
            let pull = island.pull(c) / context.time_step;
            for k in problem.block_offsets[c]..problem.block_offsets[c + 1] {
                let row = &problem.at.jacobian[problem.value_offsets[k]..][..BLOCK];
                let first = BLOCK * problem.block_body[k];
                let own = row.iter().enumerate().map(|(i, n)| (first + i, -pull * n));
                effect.pulled.extend(own.filter(|(_, by)| *by != 0.0));
            }
        }
        effect
    }

    /// Adds the effect of the change of a lane, in a piece of so much of the step.
    pub fn apply(&self, (lane, change): (usize, &Change), length: f64, cause: &mut Cause) {
        let (step, time) = (change.time_step * length, change.time);
        for row in &self.rows {
            if let Some((k, by)) = row.course {
                cause.slip[row.row][lane] += by * change.course.get(k).copied().unwrap_or_default();
            }
            if step == 0.0 && time == 0.0 {
                continue;
            }
            let by = |k: usize| row.by_step[k] * step + row.by_time[k] * time;
            cause.slip[row.row][lane] += by(0);
            cause.bound[row.row][lane] += by(1);
        }
        for (entry, by) in self.pulled.iter().filter(|_| step != 0.0) {
            cause.momentum[*entry][lane] += by * step;
        }
    }

    /// Adds the gradient, with both, of a function whose gradient with the cause is given. That with the
    /// length of the step is over `length`.
    pub fn add_gradient(&self, cause: &CauseGradient, length: f64, out: &mut Change) {
        for row in &self.rows {
            let of = |[y, x]: [f64; 2]| y * cause.slip[row.row] + x * cause.bound[row.row];
            out.time_step += length * of(row.by_step);
            out.time += of(row.by_time);
            if let Some((to, by)) = row.course.and_then(|(k, by)| Some((out.course.get_mut(k)?, by))) {
                *to += by * cause.slip[row.row];
            }
        }
        let pulled: f64 = self.pulled.iter().map(|(entry, by)| by * cause.momentum[*entry]).sum();
        out.time_step += length * pulled;
    }
}
