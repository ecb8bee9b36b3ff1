//! Motors of a coordinate, and its armature: the impulse of each over a step, from the states at its start
//! and end.

use super::joint_place::{coordinate, rate_of};
use super::staggered::{is_staggered, loaded_time};
use crate::step::Loads;
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coordinate, Drive, Joint, Motor, Scene, State};

/// A coordinate with its motors at the end of a step.
pub struct Drives<'a> {
    coordinate: &'a Coordinate,
    /// Value at the end (m or rad), and its rate over the step.
    value: f64,
    rate: f64,
    /// Rate at the start.
    rate_before: f64,
    /// Instant at which rates are measured, and the end of the step (s).
    instant: f64,
    end: f64,
    /// Length of time over which loads act (s).
    loaded: f64,
}

impl<'a> Drives<'a> {
    /// The motors of a coordinate in a step between two states.
    pub fn new(
        (joint, of): (&Joint, &'a Coordinate),
        (scene, loads): (&Scene, &Loads),
        [before, after]: [&State; 2],
    ) -> Self {
        let (h, axis) = (scene.time_step, of.axis);
        let value_in = |state: &State| coordinate(joint, axis, joint.bodies.map(|id| &state.poses[id]));
        let (start, value) = (value_in(before), value_in(after));
        let end = loads.end_time;
        Self {
            coordinate: of,
            value,
            rate: (near(axis, value, start) - start) / h,
            rate_before: rate_of(joint, axis, before),
            instant: end - if is_staggered(scene) { 0.5 * h } else { 0.0 },
            end,
            loaded: loaded_time(scene, loads),
        }
    }

    /// Rate over the step (m/s or rad/s).
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Rate that a motor is to attain at its instant, for one with a course of it.
    pub fn attained(&self, motor: &Motor) -> Option<f64> {
        match &motor.drive {
            Drive::Velocity { velocity, damping: None } => Some(velocity.at(self.instant)),
            _ => None,
        }
    }

    /// Force (N or N m) of a motor without its bound; None for one that attains its rate.
    pub fn force(&self, motor: &Motor) -> Option<f64> {
        match &motor.drive {
            Drive::Velocity { damping: None, .. } => None,
            Drive::Velocity { velocity, damping: Some(damping) } => {
                Some(damping * (velocity.at(self.instant) - self.rate))
            }
            Drive::Position { position, stiffness, damping } => {
                let target = position.at(self.end);
                let off = target - near(self.coordinate.axis, self.value, target);
                Some(stiffness * off - damping * self.rate)
            }
            Drive::Force { force } => Some(force.at(self.instant)),
        }
    }

    /// Impulse of the armature against a change of its rate (N s or N m s).
    pub fn armature(&self) -> f64 {
        self.coordinate.armature * (self.rate - self.rate_before)
    }

    /// Largest impulse of a motor or of the armature (N s or N m s): they may push against each other.
    pub fn largest(&self) -> f64 {
        let of = |motor: &Motor| self.force(motor).map_or(0.0, |force| force.abs().min(motor.largest_force));
        let motors = self.coordinate.motors.iter().map(|motor| of(motor) * self.loaded);
        motors.fold(self.armature().abs(), f64::max)
    }
}

/// A value of a coordinate, an angle by whole turns nearest to another.
fn near(axis: Axis, value: f64, to: f64) -> f64 {
    if axis == Axis::Angle { nearest_turn(value, to) } else { value }
}
