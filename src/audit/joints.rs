//! The joints of a step as `joints.csv` tells them.

use super::Audit;
use super::tables::Steps;
use crate::error::Result;
use crate::output::rows::JointRow;

impl Audit {
    /// Reads the joints of a step.
    pub(super) fn take_joints(
        &mut self,
        table: &mut Option<Steps<JointRow<'static>>>,
        step: usize,
    ) -> Result<()> {
        self.joints.clear();
        let Some(table) = table else { return Ok(()) };
        if !table.seek(step)? {
            return Ok(());
        }
        for row in table.rows() {
            let found = self.scene.joints.iter().position(|j| j.name == row.joint);
            let Some(joint) = found else {
                return Err(table.fault(step, format!("joint {:?} is not in the scene", row.joint)));
            };
            self.joints.push(row.record(joint));
        }
        Ok(())
    }
}
