//! Forces of servos from the places of the walls.

use super::definition::Scene;
use super::joint::Drive;
use super::state::State;
use super::time_function::TimeFunction;

impl Scene {
    /// Gives the motors of servos their forces in a step that starts at a state and ends at a time (s).
    pub fn follow_servos(&mut self, start: &State, end_time: f64) {
        for servo in &self.servos {
            let [a, b] = servo.widths.each_ref().map(|width| width.length(&self.bodies, &start.poses));
            let force = servo.stress.at(end_time).max(0.0) * a.max(0.0) * b.max(0.0);
            let motors = self.joints.iter_mut().flat_map(|joint| &mut joint.coordinates);
            for motor in motors.flat_map(|c| &mut c.motors).filter(|motor| motor.name == servo.motor) {
                match &mut motor.drive {
                    Drive::Force { force: target } => *target = TimeFunction::Constant { value: force },
                    _ => motor.largest_force = force.max(f64::MIN_POSITIVE),
                }
            }
        }
    }
}
