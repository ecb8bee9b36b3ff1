//! Poses of a body over time.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};
use signorini_geometry::{Pose, Velocity};

/// Poses at rising times: straight lines and turns at constant rate between them, the first and the last pose
/// before and after.
///
/// A quaternion and its opposite are one orientation: a turn goes the shorter way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoseCourse {
    /// Times (s), rising.
    pub times: Vec<f64>,
    /// Places at these times (m).
    pub positions: Vec<Vector3<f64>>,
    /// Orientations at these times.
    pub orientations: Vec<UnitQuaternion<f64>>,
}

impl PoseCourse {
    /// Pose at time t.
    pub fn at(&self, t: f64) -> Pose {
        let k = self.times.partition_point(|time| *time <= t);
        let of = |k: usize| Pose { position: self.positions[k], orientation: self.orientations[k] };
        if k == 0 || k == self.times.len() {
            return of(k.saturating_sub(1));
        }
        let (a, b) = (of(k - 1), of(k));
        let fraction = (t - self.times[k - 1]) / (self.times[k] - self.times[k - 1]);
        let turn = (b.orientation * a.orientation.inverse()).scaled_axis() * fraction;
        Pose {
            position: a.position + (b.position - a.position) * fraction,
            orientation: UnitQuaternion::from_scaled_axis(turn) * a.orientation,
        }
    }

    /// Velocity at time t, world axes; 0 before the first and after the last pose.
    pub fn rate(&self, t: f64) -> Velocity {
        let k = self.times.partition_point(|time| *time <= t);
        if k == 0 || k == self.times.len() {
            return Velocity { linear: Vector3::zeros(), angular: Vector3::zeros() };
        }
        let length = self.times[k] - self.times[k - 1];
        let turn = self.orientations[k] * self.orientations[k - 1].inverse();
        Velocity {
            linear: (self.positions[k] - self.positions[k - 1]) / length,
            angular: turn.scaled_axis() / length,
        }
    }

    /// Pose at time t of a body that has `start` at time 0 and moves as the course does.
    pub fn moved(&self, start: &Pose, t: f64) -> Pose {
        let (before, now) = (self.at(0.0), self.at(t));
        Pose {
            position: start.position + (now.position - before.position),
            orientation: now.orientation * before.orientation.inverse() * start.orientation,
        }
    }
}
