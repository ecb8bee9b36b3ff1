//! Motors that hold the speed of bodies on guides: one row each, solved before the contacts of a section.
//!
//! ```text
//! p ← clamp(p − m (d·v − s), −p_max, p_max),      v ← v + d Δp/m
//! ```

use crate::change::Change;
use crate::guide::Hold;
use crate::numbers::{Vector, dot};

/// A motor with its impulse; the default, which has none, is that of bodies without a motor.
#[derive(Debug, Clone, Copy, Default)]
pub struct Holding {
    /// Unit direction d.
    pub direction: Vector<f64>,
    /// Mass of the body (kg).
    mass: f64,
    /// Speed s to be held (m/s).
    speed: f64,
    /// Largest impulse (N s), 0 without a motor.
    pub most: f64,
    /// Impulse p (N s).
    pub impulse: f64,
    /// Search direction of the impulse.
    along: f64,
    /// Its change when it was solved last.
    change: f64,
}

impl Holding {
    /// A motor of a body of a mass (kg) on a guide along a direction.
    pub fn new(direction: Vector<f64>, mass: f64, hold: Hold) -> Self {
        let Hold { speed, most, impulse } = hold;
        Self { direction, mass, speed, most, impulse, ..Self::default() }
    }

    /// Impulse of the motor as the law has it at a velocity (N s).
    pub fn next(&self, velocity: Vector<f64>) -> f64 {
        let wanted = self.impulse - self.mass * (dot(self.direction, velocity) - self.speed);
        wanted.max(-self.most).min(self.most)
    }

    /// Goes on along the search direction, and takes the last change into it.
    pub fn extrapolate(&mut self, by: f64) {
        let step = by * self.along;
        self.along = step + self.change;
        (self.impulse, self.change) = (self.impulse + step, 0.0);
    }

    /// Solves the row at a velocity; returns the change of the velocity.
    pub fn solve(&mut self, velocity: Vector<f64>) -> Vector<f64> {
        let next = self.next(velocity);
        (self.change, self.impulse) = (next - self.impulse, next);
        self.direction.map(|d| d * self.change / self.mass)
    }

    /// The last change, with the unit of the body (N s).
    pub fn changed(&self, unit: f64) -> Change {
        let square = self.change * self.change;
        Change { square, largest: self.change.abs() / unit, moved: 0.0 }
    }
}
