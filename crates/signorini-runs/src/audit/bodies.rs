//! Bodies of a step as `bodies.csv` records them, and the check that no step is missing.

use super::steps_table::{is_time, missing};
use super::tables::StepReader;
use super::{Audit, UNIT_ROUNDING};
use crate::output::names;
use crate::output::rows::BodyRow;
use nalgebra::{Quaternion, Unit, Vector3};
use signorini_error::Result;
use signorini_geometry::{Pose, Velocity};

impl Audit {
    /// Reads the poses of a step; returns false when the table ends within the step.
    pub(super) fn read_bodies(&mut self, table: &StepReader<BodyRow<'static>>, step: usize) -> Result<bool> {
        self.has_row.fill(false);
        let recorded = if step == 0 { vec![true; self.has_row.len()] } else { self.scene.recorded() };
        let mut last = 0;
        for row in table.rows() {
            let i = self.body(table, step, &row.body)?;
            if i < last {
                self.report.contradict(names::BODIES, step, "rows are not in the order of the bodies");
            }
            last = i;
            if std::mem::replace(&mut self.has_row[i], true) {
                return Err(table.fault(step, format!("body {:?} is there twice", row.body)));
            }
            // The quaternion is kept as written: renormalising would move the last bit.
            let orientation = Unit::new_unchecked(Quaternion::new(row.qw, row.qx, row.qy, row.qz));
            // A pose of NaN passes: the referee judges it red.
            if (orientation.norm() - 1.0).abs() > UNIT_ROUNDING {
                return Err(
                    table.fault(step, format!("orientation of {:?} is not a unit quaternion", row.body))
                );
            }
            let instant = step as f64 * self.scene.time_step;
            if !is_time(row.time, instant, &self.scene) {
                let what = format!("time = {:e} s, step {step} ends at {instant:e}", row.time);
                self.report.contradict(names::BODIES, step, what);
            }
            let pose = Pose { position: Vector3::new(row.x, row.y, row.z), orientation };
            let velocity = Velocity {
                linear: Vector3::new(row.vx, row.vy, row.vz),
                angular: Vector3::new(row.wx, row.wy, row.wz),
            };
            if !recorded[i] && (pose != self.after.poses[i] || velocity != self.after.velocities[i]) {
                let what = format!("{:?} is fixed, and is elsewhere than at the start", row.body);
                self.report.contradict(names::BODIES, step, what);
            }
            (self.after.poses[i], self.after.velocities[i]) = (pose, velocity);
        }
        let missing = (0..self.has_row.len()).position(|i| !self.has_row[i] && recorded[i]);
        match missing {
            None => Ok(true),
            Some(_) if table.at_end() => Ok(false),
            Some(i) => Err(table.fault(step, format!("body {:?} is missing", self.scene.bodies[i].name))),
        }
    }

    /// Checks that `step` is the next one that a run would have written after `last`. A run's last step is
    /// written whatever `every` says; which step is the last is known only at the end.
    pub(super) fn follow(&mut self, last: Option<usize>, step: usize) {
        let Some(last) = last else {
            if step != 0 {
                self.report.fault(names::BODIES, "step 0 is missing");
            }
            return;
        };
        if let Some(late) = self.off_interval_step.take() {
            self.report.fault(names::BODIES, format!("step {late} is no multiple of every = {}", self.every));
        }
        let due = (last / self.every + 1) * self.every;
        if step > due {
            let what = missing(due, if self.every == 1 { step - 1 } else { due });
            self.report.fault(names::BODIES, what);
        }
        if !step.is_multiple_of(self.every) {
            self.off_interval_step = Some(step);
        }
    }
}
