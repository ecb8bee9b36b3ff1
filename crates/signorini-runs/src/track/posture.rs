//! Pose and yaw of a part on a track.

use crate::drops::PoseRow;
use nalgebra::{Unit, UnitQuaternion, Vector3};
use signorini_geometry::Pose;
use signorini_scene::scene::Body;
use signorini_scene::scene::resting::{height, vertical_inertia};
use std::f64::consts::{PI, TAU};

/// Largest difference, over the size, of height and of radius of gyration about the normal from those of a
/// resting pose of a part that has the pose: a part that moves is not quite at rest.
const ALIKE: f64 = 0.05;
/// How much steeper an axis of the body may be than the most level one, to be preferred (sine).
const AS_LEVEL: f64 = 0.1;

/// Plane of a track, with the direction from which yaws are counted.
#[derive(Debug, Clone, Copy)]
pub struct Ground {
    up: Vector3<f64>,
    /// Directions in the plane of yaw 0 and of 90°.
    ahead: Vector3<f64>,
    left: Vector3<f64>,
}

impl Ground {
    /// The plane of a normal; yaw 0 is along x of the world, or along y where x is the normal.
    pub fn new(up: Vector3<f64>) -> Self {
        let up = up.normalize();
        let x = if up.x.abs() < 0.99 { Vector3::x() } else { Vector3::y() };
        let ahead = (x - up * up.dot(&x)).normalize();
        Self { up, ahead, left: up.cross(&ahead) }
    }

    /// Normal of the plane (unit).
    pub fn up(&self) -> &Vector3<f64> {
        &self.up
    }

    /// Yaw of an orientation (rad, 0 to 2π): the direction in the plane of the most level of the body's axes,
    /// the first of those that are about as level.
    pub fn yaw(&self, orientation: &UnitQuaternion<f64>) -> f64 {
        let down = orientation.inverse() * -self.up;
        let least = down.iter().fold(f64::INFINITY, |least, d| least.min(d.abs()));
        let axis = (0..3).find(|k| down[*k].abs() <= least + AS_LEVEL).unwrap_or(0);
        let along = orientation * Vector3::ith(axis, 1.0);
        along.dot(&self.left).atan2(along.dot(&self.ahead)).rem_euclid(TAU)
    }

    /// Orientation in which a direction of the body points down, with a yaw (rad).
    pub fn orientation(&self, down: &Vector3<f64>, yaw: f64) -> UnitQuaternion<f64> {
        let level = UnitQuaternion::rotation_between(down, &-self.up).unwrap_or_else(|| {
            // Upside down: about any axis across.
            UnitQuaternion::from_axis_angle(&Unit::new_normalize(across(down)), PI)
        });
        let turn = yaw - self.yaw(&level);
        UnitQuaternion::from_axis_angle(&Unit::new_normalize(self.up), turn) * level
    }
}

fn across(v: &Vector3<f64>) -> Vector3<f64> {
    v.cross(&Vector3::ith(v.iamin(), 1.0))
}

/// Number of the resting pose that a part has on the ground, if it has one: the one that is nearest in height
/// and radius of gyration about the normal, within [`ALIKE`].
pub fn pose_of(body: &Body, pose: &Pose, ground: &Ground, poses: &[PoseRow]) -> Option<usize> {
    let size = body.size().unwrap_or(1.0);
    let gyration = |inertia: f64| (inertia / body.mass).max(0.0).sqrt();
    let here = [height(body, pose, ground.up()), gyration(vertical_inertia(body, pose, ground.up()))];
    let apart =
        |row: &PoseRow| (here[0] - row.height).abs().max((here[1] - gyration(row.vertical_inertia)).abs());
    let nearest = poses.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    (apart(nearest) <= ALIKE * size).then_some(nearest.pose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_orientation_has_its_yaw() {
        for up in [[0.0, 0.0, 1.0], [0.3, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.2]] {
            let ground = Ground::new(Vector3::from(up));
            for down in
                [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.6, 0.0, -0.8], [0.5, 0.5, 0.7]]
            {
                let down = Vector3::from(down).normalize();
                for yaw in [0.1, 1.0, 3.0, 6.0] {
                    let orientation = ground.orientation(&down, yaw);
                    assert!((orientation * down + ground.up()).norm() < 1e-12, "{up:?} {down:?}");
                    assert!((ground.yaw(&orientation) - yaw).abs() < 1e-9, "{up:?} {down:?} {yaw}");
                }
            }
        }
    }

    #[test]
    fn yaw_0_is_along_x() {
        let ground = Ground::new(Vector3::z());
        let axis = |yaw: f64| ground.orientation(&-Vector3::z(), yaw) * Vector3::x();
        assert!((axis(0.0) - Vector3::x()).norm() < 1e-12);
        assert!((axis(0.5 * PI) - Vector3::y()).norm() < 1e-12);
    }
}
