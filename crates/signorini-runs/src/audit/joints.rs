//! Joints of a step as `joints.csv` records them.

use super::Audit;
use super::tables::StepReader;
use crate::output::names;
use crate::output::rows::JointRow;
use signorini_error::Result;
use signorini_scene::settings::Integrator;

impl Audit {
    /// Reads the joints of a step.
    pub(super) fn read_joints(
        &mut self,
        table: &mut Option<StepReader<JointRow<'static>>>,
        step: usize,
    ) -> Result<()> {
        self.joints.clear();
        let Some(table) = table else { return Ok(()) };
        let is_there = table.seek(step)?;
        self.note_skipped(table);
        if !is_there {
            return Ok(());
        }
        for row in table.rows() {
            let found = self.scene.joints.iter().position(|j| j.name == row.joint);
            let Some(index) = found else {
                return Err(table.fault(step, format!("joint {:?} is not in the scene", row.joint)));
            };
            let bodies = self.scene.joints[index].bodies.map(|id| &self.scene.bodies[id].name);
            if bodies != [row.body_a.as_ref(), row.body_b.as_ref()] {
                let what =
                    format!("{:?} is said to be between {:?} and {:?}", row.joint, row.body_a, row.body_b);
                self.report.contradict(names::JOINTS, step, what);
            }
            if row.theta.is_some() && self.scene.solver.integrator != Integrator::Staggered {
                let what = format!("{:?}: theta is for the staggered integrator", row.joint);
                self.report.contradict(names::JOINTS, step, what);
            }
            let record = row.record(index);
            if self.scene.joints[index].mortar.is_some() {
                self.follow_damage(step, &row.joint, record.damage);
            }
            self.joints.push(record);
            self.check_instant(names::JOINTS, step, row.time, row.substep_end);
        }
        self.damage.0 = step;
        Ok(())
    }

    /// Asks that damage begins as it ended, where no step is left out between.
    fn follow_damage(&mut self, step: usize, joint: &str, [start, end]: [f64; 2]) {
        let (last, known) = &mut self.damage;
        let before = known.insert(joint.to_owned(), end).unwrap_or(0.0);
        if *last + 1 >= step && before != start {
            let what = format!("{joint:?}: damage_start = {start:e}, was {before:e} before");
            self.report.contradict(names::JOINTS, step, what);
        }
    }
}
