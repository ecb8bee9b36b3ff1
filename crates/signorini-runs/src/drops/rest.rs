//! Criterion of rest of a dropped body: nothing accelerates it, and it neither rises nor falls. A body that
//! rolls straight on is at rest in this sense: it keeps the side on which it rolls. A coin that runs on its
//! edge in circles is not.

use super::test::DropTest;
use nalgebra::Vector3;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Body;
use signorini_scene::scene::resting::height;

/// Time for which the conditions of rest must hold, over the time in which the body falls by its size.
const WINDOW: f64 = 4.0;
/// Largest change of velocity and of angular velocity times size in a step of a body at rest, over the change
/// by gravity alone.
const STEADY: f64 = 1e-3;
/// Largest vertical speed of a body at rest, over √(g size).
const SLOW: f64 = 1e-3;
/// Largest change of the height of the centre of mass over the lowest point of a body at rest, over its size.
const LEVEL: f64 = 1e-4;

/// Watch over a body during the steps of a drop.
pub struct RestDetector {
    up: Vector3<f64>,
    size: f64,
    steady: f64,
    slow: f64,
    level: f64,
    window: usize,
    /// Height at the start of the window (m).
    since: f64,
    steps: usize,
    last: Velocity,
}

impl RestDetector {
    /// Starts the watch at the start of a drop.
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

    /// Takes the state at the end of a step, with or without contact; returns whether the body has come to
    /// rest.
    pub fn observe(&mut self, body: &Body, pose: &Pose, velocity: &Velocity, touches: bool) -> bool {
        let height = height(body, pose, &self.up);
        let last = std::mem::replace(&mut self.last, *velocity);
        let turned = self.size * (velocity.angular - last.angular).norm();
        let is_steady = (velocity.linear - last.linear).norm() <= self.steady && turned <= self.steady;
        let is_slow = velocity.linear.dot(&self.up).abs() <= self.slow;
        // NaN is not at rest.
        let is_level = (height - self.since).abs() <= self.level;
        if !(is_steady && is_slow && touches && is_level) {
            (self.since, self.steps) = (height, 0);
            return false;
        }
        self.steps += 1;
        self.steps >= self.window
    }
}
