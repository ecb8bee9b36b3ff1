//! When a dropped body has come to rest: nothing accelerates it, and it neither rises nor falls. A body that
//! rolls straight on is at rest in this sense: it keeps the side on which it rolls. A coin that runs on its
//! edge in circles is not.

use super::test::DropTest;
use crate::geometry::bounds::bounds;
use crate::geometry::{Pose, Velocity};
use crate::scene::Body;
use nalgebra::{UnitQuaternion, Vector3};

/// It rests after so many times the time in which it falls by its size…
const WINDOW: f64 = 4.0;
/// …in each step of which velocity and angular velocity times size change by less than this part of what
/// gravity alone would change…
const STEADY: f64 = 1e-3;
/// …with a vertical speed below this part of √(g size)…
const SLOW: f64 = 1e-3;
/// …and while the height of its centre of mass over its lowest point changes by less than this part of its
/// size.
const LEVEL: f64 = 1e-4;

/// Watches a body over the steps of a drop.
pub struct Rest {
    up: Vector3<f64>,
    size: f64,
    steady: f64,
    slow: f64,
    level: f64,
    window: usize,
    /// Height at the start of the window.
    since: f64,
    steps: usize,
    last: Velocity,
}

impl Rest {
    /// At the start of a drop.
    pub fn new(test: &DropTest) -> Self {
        let size = test.size();
        let window = (WINDOW * test.fall_time() / test.scene().time_step).ceil();
        Self {
            up: test.up(),
            size,
            steady: STEADY * test.scene().gravity.norm() * test.scene().time_step,
            slow: SLOW * (test.scene().gravity.norm() * size).sqrt(),
            level: LEVEL * size,
            window: (window as usize).max(1),
            since: f64::NAN,
            steps: 0,
            last: Velocity::default(),
        }
    }

    /// Takes the end of a step, with or without contact; whether the body has come to rest.
    pub fn sees(&mut self, body: &Body, pose: &Pose, velocity: &Velocity, touches: bool) -> bool {
        let height = height(body, pose, &self.up);
        let last = std::mem::replace(&mut self.last, *velocity);
        let turned = self.size * (velocity.angular - last.angular).norm();
        let is_steady = (velocity.linear - last.linear).norm() <= self.steady && turned <= self.steady;
        let is_slow = velocity.linear.dot(&self.up).abs() <= self.slow;
        // NaN is no rest.
        let is_level = (height - self.since).abs() <= self.level;
        if !(is_steady && is_slow && touches && is_level) {
            (self.since, self.steps) = (height, 0);
            return false;
        }
        self.steps += 1;
        self.steps >= self.window
    }
}

/// Height of the centre of mass over the lowest point of a body (m).
pub fn height(body: &Body, pose: &Pose, up: &Vector3<f64>) -> f64 {
    // Of several rotations that take up to z any will do.
    let level = UnitQuaternion::rotation_between(up, &Vector3::z())
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI));
    let turned = Pose { position: Vector3::zeros(), orientation: level * pose.orientation };
    let lowest = body.parts.iter().map(|part| bounds(&part.shape, &turned.compose(&part.pose)).0.z);
    -lowest.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;

    #[test]
    fn a_box_stands_as_high_as_its_half_extents_say() {
        let mut scene = Scene::builder();
        scene.body(Body::cuboid([0.1, 0.2, 0.3]).density(1000.0));
        let scene = scene.build().expect("a scene");
        let body = &scene.bodies[0];
        for (up, expected) in
            [(Vector3::z(), 0.3), (-Vector3::z(), 0.3), (Vector3::x(), 0.1), (-Vector3::y(), 0.2)]
        {
            assert!((height(body, &body.pose, &up) - expected).abs() < 1e-12, "{up:?}");
        }
        let edge = Vector3::new(1.0, 1.0, 0.0).normalize();
        assert!((height(body, &body.pose, &edge) - 0.3 / 2.0_f64.sqrt()).abs() < 1e-12);
    }
}
