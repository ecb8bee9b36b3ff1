//! Records of joints, for the referee and the output.

use super::substep::Span;
use nalgebra::Vector3;

/// One joint at the end of the step, or of the substep it belongs to. Impulses are those of the (sub)step on
/// body B; body A gets their opposite at the same point. World axes. Arrays of two hold the value of a
/// displacement (slide or length) and that of the angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointRecord {
    /// Index of the joint in the scene.
    pub joint: usize,
    /// Point at which the force acts: B's anchor (m).
    pub point: Vector3<f64>,
    /// Reaction force times time (N s), motors, limits and couplings included.
    pub force: Vector3<f64>,
    /// Reaction torque times time about the point (N m s), motors, limits and couplings
    /// included.
    pub torque: Vector3<f64>,
    /// Largest violation of the joint's equations: distance (m), angle (rad).
    pub error: [f64; 2],
    /// Coordinates with a motor, limit, motion or coupling: slide or length (m), angle (rad, −π to π).
    pub coordinate: [Option<f64>; 2],
    /// Impulse of prescribed motion along the coordinates (N s, N m s).
    pub motion: [f64; 2],
    /// Impulse of motors.
    pub motor: [f64; 2],
    /// Impulse of limits, positive at the lower one.
    pub limit: [f64; 2],
    /// Impulse of couplings by which a coordinate follows another one or is followed.
    pub coupling: [f64; 2],
    /// Whole turns of a coupled joint since the first step, to add to its angle; 0 of other joints.
    pub turns: i64,
    /// Damage of mortar at the start and the end (theory §15.5): it holds while it is below 1 at the start.
    pub damage: [f64; 2],
    /// Part of the step in which the impulses acted.
    pub span: Span,
    /// Blend under the staggered integrator: 0 when the reaction acts at the start of the step, 1 at its end.
    pub theta: Option<f64>,
}

impl JointRecord {
    /// Makes a record without any impulse.
    pub fn new(joint: usize, span: Span) -> Self {
        let zero = Vector3::zeros();
        Self {
            joint,
            point: zero,
            force: zero,
            torque: zero,
            error: [0.0; 2],
            coordinate: [None; 2],
            motion: [0.0; 2],
            motor: [0.0; 2],
            limit: [0.0; 2],
            coupling: [0.0; 2],
            turns: 0,
            damage: [0.0; 2],
            span,
            theta: None,
        }
    }
}
