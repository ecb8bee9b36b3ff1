//! Springs with dampers between two bodies, and the compliance of soft materials.

use nalgebra::Vector3;
use signorini_geometry::{Pose, Velocity};

/// Compliance of a material under contact.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Compliance {
    /// Normal stiffness k of a contact (N/m, > 0); infinite for a rigid material.
    pub stiffness: f64,
    /// Dissipation time τ_d (s, ≥ 0): the normal force is k (−φ − τ_d v_n), if positive.
    pub dissipation_time: f64,
}

impl Compliance {
    /// A rigid material.
    pub const RIGID: Compliance = Compliance { stiffness: f64::INFINITY, dissipation_time: 0.0 };

    /// Two materials in contact: in series, their dissipation times added.
    pub fn with(&self, other: &Compliance) -> Compliance {
        Compliance {
            stiffness: 1.0 / (1.0 / self.stiffness + 1.0 / other.stiffness),
            dissipation_time: self.dissipation_time + other.dissipation_time,
        }
    }
}

/// A spring and damper along the line between a point of each of two bodies.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spring {
    /// Body ids.
    pub bodies: [usize; 2],
    /// The points, in the frame of each body (m).
    pub points: [Vector3<f64>; 2],
    /// Stiffness (N/m, ≥ 0).
    pub stiffness: f64,
    /// Damping (N s/m, ≥ 0).
    pub damping: f64,
    /// Length without force (m, ≥ 0).
    pub rest_length: f64,
}

/// A spring at poses and velocities of its bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretched {
    /// From each centre of mass to its point, world axes (m).
    pub arms: [Vector3<f64>; 2],
    /// Length (m).
    pub length: f64,
    /// Unit vector from the first point to the second; zero when they coincide.
    pub direction: Vector3<f64>,
    /// Elastic part of the tension (N).
    pub elastic: f64,
    /// Force on the second body at its point (N): −tension along the direction. The first gets the opposite.
    pub force: Vector3<f64>,
}

impl Spring {
    /// Lengths below this (m) have no direction.
    const NO_LENGTH: f64 = 1e-12;

    /// Geometry and force of the spring at poses and velocities of its bodies.
    pub fn stretched(&self, poses: [&Pose; 2], velocities: [&Velocity; 2]) -> Stretched {
        let arms = [0, 1].map(|i| poses[i].orientation * self.points[i]);
        let apart = poses[1].position + arms[1] - poses[0].position - arms[0];
        let length = apart.norm();
        let direction = if length > Self::NO_LENGTH { apart / length } else { Vector3::zeros() };
        let speed = |i: usize| velocities[i].linear + velocities[i].angular.cross(&arms[i]);
        let rate = direction.dot(&(speed(1) - speed(0)));
        let elastic = self.stiffness * (length - self.rest_length);
        let force = direction * -(elastic + self.damping * rate);
        Stretched { arms, length, direction, elastic, force }
    }

    /// Energy stored (J).
    pub fn energy(&self, poses: [&Pose; 2]) -> f64 {
        let ends = [0, 1].map(|i| poses[i].point(&self.points[i]));
        0.5 * self.stiffness * ((ends[1] - ends[0]).norm() - self.rest_length).powi(2)
    }
}
