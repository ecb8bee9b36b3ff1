//! When a dropped body has come to rest: nothing accelerates it, and it neither rises nor falls. A body that
//! rolls straight on is at rest in this sense: it keeps the side on which it rolls. A coin that runs on its
//! edge in circles is not.

use super::test::DropTest;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Body;
use signorini_scene::scene::resting::height;
use nalgebra::Vector3;

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
