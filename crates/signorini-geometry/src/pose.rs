//! Poses and velocities of rigid frames, the exponential map and its derivative.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

/// Position (m) and orientation of a frame in another (for bodies: in the world).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Pose {
    /// Origin of the frame (m).
    pub position: Vector3<f64>,
    /// Rotation that takes the frame's coordinates to the outer frame's, quaternion (w, x, y, z).
    pub orientation: UnitQuaternion<f64>,
}

/// Linear velocity of the frame's origin (m/s) and angular velocity (rad/s), both in world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Velocity {
    /// Velocity of the centre of mass (m/s).
    pub linear: Vector3<f64>,
    /// Angular velocity ω (rad/s).
    pub angular: Vector3<f64>,
}

impl Velocity {
    /// This velocity in the outer axes, where `self` is in those of a frame with this rotation.
    pub fn rotated(&self, rotation: &Matrix3<f64>) -> Velocity {
        Velocity { linear: rotation * self.linear, angular: rotation * self.angular }
    }

    /// This motion about another point: of the point at `offset` from the present one (m).
    pub fn about(&self, offset: &Vector3<f64>) -> Velocity {
        Velocity { linear: self.linear + self.angular.cross(offset), angular: self.angular }
    }
}

impl std::ops::Add for Velocity {
    type Output = Velocity;

    fn add(self, other: Velocity) -> Velocity {
        Velocity { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl Pose {
    /// The frame that coincides with the outer frame.
    pub fn identity() -> Self {
        Self { position: Vector3::zeros(), orientation: UnitQuaternion::identity() }
    }

    /// Rotation matrix R: outer = position + R · inner.
    pub fn rotation(&self) -> Matrix3<f64> {
        self.orientation.to_rotation_matrix().into_inner()
    }

    /// A point of the frame, in the outer frame's coordinates.
    pub fn point(&self, inner: &Vector3<f64>) -> Vector3<f64> {
        self.position + self.orientation * inner
    }

    /// `self` after `inner`: the pose in the outer frame of a frame given in this one.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose { position: self.point(&inner.position), orientation: self.orientation * inner.orientation }
    }

    /// The pose after moving with constant world velocity for `time_step` seconds:
    /// c⁺ = c + h v, R⁺ = exp(h ω) R. The exponential map keeps the quaternion on the unit sphere,
    /// where the papers' q + h G ν ([CBAT (2)]) drifts off it.
    pub fn advanced(&self, velocity: &Velocity, time_step: f64) -> Pose {
        let turn = UnitQuaternion::from_scaled_axis(velocity.angular * time_step);
        let mut orientation = turn * self.orientation;
        orientation.renormalize();
        Pose { position: self.position + velocity.linear * time_step, orientation }
    }
}

/// `[v]×`, the matrix with `[v]× w = v × w`.
pub fn cross_matrix(v: &Vector3<f64>) -> Matrix3<f64> {
    Matrix3::new(0.0, -v.z, v.y, v.z, 0.0, -v.x, -v.y, v.x, 0.0)
}

/// Left Jacobian of SO(3): exp(θ + δ) = exp(J_l(θ) δ) exp(θ) to first order,
/// `J_l = I + (1 − cos θ)/θ² [θ]× + (θ − sin θ)/θ³ [θ]×²`.
pub fn left_jacobian(theta: &Vector3<f64>) -> Matrix3<f64> {
    let t2 = theta.norm_squared();
    let (a, b) = if t2 < 1e-4 {
        // Taylor: the quotients cancel below this angle; the truncated terms are under 1e-13.
        (0.5 - t2 / 24.0 + t2 * t2 / 720.0, 1.0 / 6.0 - t2 / 120.0 + t2 * t2 / 5040.0)
    } else {
        let t = t2.sqrt();
        ((1.0 - t.cos()) / t2, (t - t.sin()) / (t2 * t))
    };
    let c = cross_matrix(theta);
    Matrix3::identity() + c * a + c * c * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn left_jacobian_is_the_derivative_of_the_exponential_map() {
        for theta in [Vector3::new(1e-3, 2e-3, -5e-3), Vector3::new(0.4, -1.1, 0.3)] {
            let step = 1e-6;
            for i in 0..3 {
                let mut plus = theta;
                plus[i] += step;
                let mut minus = theta;
                minus[i] -= step;
                let turn = UnitQuaternion::from_scaled_axis(plus)
                    * UnitQuaternion::from_scaled_axis(minus).inverse();
                let difference = turn.scaled_axis() / (2.0 * step);
                let exact: Vector3<f64> = left_jacobian(&theta).column(i).into();
                assert!((difference - exact).norm() < 1e-9, "column {i}: {difference} against {exact}");
            }
        }
    }
}
