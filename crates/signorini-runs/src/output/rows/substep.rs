//! The columns of `substeps.csv`: those of `bodies.csv` and those that identify the substep.

use super::body::BodyRow;
use super::cell_text;
use nalgebra::{Quaternion, Unit, Vector3};
use serde::{Deserialize, Serialize};
use signorini::step::{BodyState, Substep};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Scene;
use std::borrow::Cow;

/// A row of `substeps.csv`: a body of an island that was halved, at the end of a substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct SubstepRow<'a> {
    pub step: usize,
    pub time: f64,
    #[serde(with = "cell_text")]
    pub body: Cow<'a, str>,
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub qw: f64,
    pub qx: f64,
    pub qy: f64,
    pub qz: f64,
    pub vx: f64,
    pub vy: f64,
    pub vz: f64,
    pub wx: f64,
    pub wy: f64,
    pub wz: f64,
    #[serde(with = "cell_text")]
    pub island: Cow<'a, str>,
    pub substep_start: f64,
    pub substep_end: f64,
}

impl<'a> SubstepRow<'a> {
    /// Header of `substeps.csv`.
    pub const COLUMNS: [&'static str; 19] = {
        let mut columns = [""; 19];
        let mut i = 0;
        while i < 16 {
            columns[i] = BodyRow::COLUMNS[i];
            i += 1;
        }
        columns[16] = "island";
        columns[17] = "substep_start";
        columns[18] = "substep_end";
        columns
    };

    /// Makes the row of one body of a substep; `time` is that of the end of the step.
    pub fn new(scene: &'a Scene, substep: &Substep, state: &BodyState, step: usize, time: f64) -> Self {
        let (p, v, w) = (&state.pose.position, &state.velocity.linear, &state.velocity.angular);
        let q = state.pose.orientation.quaternion();
        let name = |body: usize| Cow::Borrowed(scene.bodies[body].name.as_str());
        Self {
            step,
            time: time - (1.0 - substep.span.end) * scene.time_step,
            body: name(state.body),
            x: p.x,
            y: p.y,
            z: p.z,
            qw: q.w,
            qx: q.i,
            qy: q.j,
            qz: q.k,
            vx: v.x,
            vy: v.y,
            vz: v.z,
            wx: w.x,
            wy: w.y,
            wz: w.z,
            island: name(substep.island()),
            substep_start: substep.span.start,
            substep_end: substep.span.end,
        }
    }

    /// Pose and velocity, as written: renormalising would change the last bit.
    pub fn state(&self) -> (Pose, Velocity) {
        let orientation = Unit::new_unchecked(Quaternion::new(self.qw, self.qx, self.qy, self.qz));
        let pose = Pose { position: Vector3::new(self.x, self.y, self.z), orientation };
        let linear = Vector3::new(self.vx, self.vy, self.vz);
        (pose, Velocity { linear, angular: Vector3::new(self.wx, self.wy, self.wz) })
    }
}
