//! How the rows of a joint depend on the length of a step, and on the time at its start (theory §17.8).

use super::model::{Clock, JointModel};
use super::part::{JointStart, Part, Role};
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Drive, Motor};

impl JointModel {
    /// Number of coordinates with a prescribed motion.
    pub fn n_courses(&self) -> usize {
        self.coordinates.iter().filter(|coordinate| coordinate.motion.is_some()).count()
    }

    /// Place of the prescribed motion of a part among those of the joint, and the change of y by it; None for
    /// other parts.
    pub fn by_course(&self, part: &Part, clock: &Clock) -> Option<(usize, f64)> {
        let Role::Motion(i) = part.role else { return None };
        let before = self.coordinates[..i].iter().filter(|coordinate| coordinate.motion.is_some());
        Some((before.count(), -part.rows[0].scale / clock.time_step))
    }

    /// Changes of y and of x on its bound of row i of a part, by the length of the step and by the time, at
    /// fixed poses and at the impulse x of the row; None where nothing changes.
    pub fn by_clock(
        &self,
        (part, i): (&Part, usize),
        (now, start): (&[Placement; 2], &JointStart),
        clock: &Clock,
        x: f64,
    ) -> Option<[[f64; 2]; 2]> {
        let (h, end, row) = (clock.time_step, clock.end_time, &part.rows[i]);
        let (i, m) = match part.role {
            Role::Motion(i) => {
                let by = -row.scale * self.coordinates[i].target_rate(end) / h;
                return Some([[by, 0.0]; 2]);
            }
            Role::Motor(i, m) => (i, m),
            _ => return None,
        };
        let Motor { drive, largest_force, .. } = self.motor(i, m);
        let soft = self.compliance(part, clock) * x;
        let (before, value) = (row.row.value(&start.at), row.row.value(now));
        let near = |to: f64| match row.row {
            LinkRow::Turn { .. } => nearest_turn(value, to),
            _ => value,
        };
        let moved = near(before) - before;
        // A bound is the force over the step.
        let on_bound = x / h;
        Some(match drive {
            Drive::Velocity { velocity, .. } => {
                let by_time = -row.scale * velocity.rate(clock.rate_time);
                [[by_time - row.scale * moved / (h * h) - soft / h, on_bound], [by_time, 0.0]]
            }
            Drive::Position { position, stiffness, damping } => {
                let off = near(position.at(end)) - position.at(end);
                let (all, slope) = (h * (h * stiffness + damping), 2.0 * h * stiffness + damping);
                let by_time = -row.scale * h * stiffness * position.rate(end) / all;
                let sum = off * h * stiffness + moved * damping;
                let by_step = row.scale * (off * stiffness - sum * slope / all) / all - soft * slope / all;
                [[by_time + by_step, on_bound], [by_time, 0.0]]
            }
            Drive::Force { force } => {
                let is_free = force.at(clock.rate_time).abs() < *largest_force;
                let by_time = if is_free { h * force.rate(clock.rate_time) / row.scale } else { 0.0 };
                [[0.0, on_bound + by_time], [0.0, by_time]]
            }
        })
    }
}
