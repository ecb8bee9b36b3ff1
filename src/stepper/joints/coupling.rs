//! Couplings of joint coordinates in the step problem: one row over the bodies of both joints.
//!
//! ```text
//! ψ = L (q − P(q′)) = 0 at the END pose,     L the size of the joint of q where q is an angle, else 1
//! ```
//! An angle is continued over whole turns: it ends next to its value at the start plus h times its rate.

use nalgebra::Vector3;
use signorini_geometry::Velocity;
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_scene::scene::joint::nearest_turn;
use signorini_scene::scene::{Axis, Coupling, Joint, JointCoordinate, Scene};
use std::f64::consts::TAU;

/// A coordinate that is coupled.
#[derive(Debug, Clone)]
pub struct CoupledCoordinate {
    /// Index of its joint.
    pub joint: usize,
    /// Bodies of the joint.
    pub bodies: [usize; 2],
    /// The coordinate.
    pub axis: Axis,
    /// The row whose value it is.
    pub row: LinkRow,
}

/// A coupling as the stepper sees it.
#[derive(Debug, Clone)]
pub struct CouplingModel {
    /// The coordinate that follows, and the one that it follows.
    pub terms: [CoupledCoordinate; 2],
    /// Length by which the row is a distance (m), or 1.
    pub scale: f64,
    coupling: Coupling,
}

/// Bodies of a coupled coordinate at the end of a (sub)step.
#[derive(Debug, Clone, Copy)]
pub struct CoupledEnd {
    /// Placement of both bodies.
    pub at: [Placement; 2],
    /// Velocity of both bodies.
    pub velocity: [Velocity; 2],
}

impl CoupledCoordinate {
    fn new(scene: &Scene, of: JointCoordinate) -> Self {
        let joint: &Joint = &scene.joints[of.joint];
        Self { joint: of.joint, bodies: joint.bodies, axis: of.axis, row: joint.coordinate_row(of.axis) }
    }

    /// Place of the coordinate in pairs of a slide and an angle.
    pub fn place(&self) -> usize {
        usize::from(self.axis == Axis::Angle)
    }

    /// Value after whole turns.
    pub fn after_turns(&self, at: &[Placement; 2], turns: i64) -> f64 {
        let value = self.row.value(at);
        if self.axis == Axis::Angle { value + TAU * turns as f64 } else { value }
    }

    /// Value at the end of a (sub)step of h seconds, of an angle with all turns since the first step; `start`
    /// is that at the start.
    pub fn value(&self, end: &CoupledEnd, start: f64, h: f64) -> f64 {
        let value = self.row.value(&end.at);
        if self.axis != Axis::Angle {
            return value;
        }
        let gradient = self.row.gradient(&end.at);
        let rate = gradient.iter().zip(&end.velocity);
        let rate: f64 = rate.map(|(g, v)| g.linear.dot(&v.linear) + g.angular.dot(&v.angular)).sum();
        let near = start + h * rate;
        // An iterate far from a solution may turn a body by any angle.
        if near.is_finite() { nearest_turn(value, near) } else { value }
    }
}

impl CouplingModel {
    /// The couplings of a joint whose coordinates follow.
    pub fn of_joint(scene: &Scene, joint: usize, size: f64) -> Vec<Self> {
        let own = scene.couplings.iter().filter(|coupling| coupling.of.joint == joint);
        let model = |coupling: &Coupling| Self {
            terms: [coupling.of, coupling.to].map(|of| CoupledCoordinate::new(scene, of)),
            scale: if coupling.of.axis == Axis::Angle { size } else { 1.0 },
            coupling: coupling.clone(),
        };
        own.map(model).collect()
    }

    /// ψ (m) at both coordinates.
    pub fn off(&self, [q, followed]: [f64; 2]) -> f64 {
        self.scale * (q - self.coupling.value(followed))
    }

    /// ∂ψ with both coordinates.
    pub fn factors(&self, [_, followed]: [f64; 2]) -> [f64; 2] {
        [self.scale, -self.scale * self.coupling.slope(followed)]
    }

    /// Second derivative of ψ with the coordinate that is followed.
    pub fn bend(&self, [_, followed]: [f64; 2]) -> f64 {
        -self.scale * self.coupling.bend(followed)
    }

    /// Pairs of a body of one joint and one of the other.
    pub fn links(&self) -> impl Iterator<Item = (usize, usize)> {
        let [first, second] = [0, 1].map(|t| self.terms[t].bodies);
        let all = first.into_iter().flat_map(move |a| second.map(|b| (a, b)));
        all.filter(|(a, b)| a != b)
    }
}

/// Adds the impulse x along a coordinate to a reaction on body B: force, and torque about its anchor, which
/// is at `arm` from its centre of mass.
pub fn add_reaction(
    row: &LinkRow,
    at: &[Placement; 2],
    x: f64,
    arm: &Vector3<f64>,
    [force, torque]: [&mut Vector3<f64>; 2],
) {
    let on_b = row.gradient(at)[1];
    *force += on_b.linear * x;
    *torque += (on_b.angular - arm.cross(&on_b.linear)) * x;
}
