//! Poses at the end of the step and the implicit surfaces that move with them.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Shape;
use signorini_kernels::real::Real;
use signorini_scene::settings::LiteralRotation;

use super::problem::{BodyAtStart, ReferenceProblem};
use super::scalar::{constant, constant_matrix};

/// Pose of a body at the end of the step, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct EndPose<T: Real> {
    /// Centre c⁺ = c + h v (m).
    pub centre: Vector3<T>,
    /// Rotation R⁺ = exp(h ω) R.
    pub rotation: Matrix3<T>,
}

impl<T: Real> EndPose<T> {
    /// Makes the pose after a step with velocity (v, ω). DIFFERS from [CBAT (2)], q⁺ = q + h G(q) ν, unless
    /// the scene asks for that: the exponential map stays on the rotations, theirs leaves the unit
    /// quaternions by O(h²).
    pub fn new(problem: &ReferenceProblem, body: usize, linear: &Vector3<T>, angular: &Vector3<T>) -> Self {
        let (h, body) = (T::of(problem.time_step), &problem.bodies[body]);
        let turn = match problem.literal.rotation {
            LiteralRotation::Exponential => exponential(&(angular * h)),
            LiteralRotation::Quaternion => quaternion_step(&(angular * h)),
        };
        Self {
            centre: constant(&body.centre) + linear * h,
            rotation: turn * constant_matrix::<T>(&body.rotation),
        }
    }
}

/// Angular velocity that turns a body under the exponential map as `angular` does in this problem.
pub(super) fn turning(problem: &ReferenceProblem, angular: &Vector3<f64>) -> Vector3<f64> {
    let half = 0.5 * problem.time_step * angular.norm();
    match problem.literal.rotation {
        LiteralRotation::Quaternion if half > 0.0 => angular * (half.atan() / half),
        _ => *angular,
    }
}

/// Rotation of q + ½ θ q over its length, a turn of 2 atan(|θ|/2) about θ.
fn quaternion_step<T: Real>(theta: &Vector3<T>) -> Matrix3<T> {
    let cross = (theta * T::of(0.5)).cross_matrix();
    let scale = T::of(2.0) / (T::one() + theta.norm_squared() * T::of(0.25));
    Matrix3::identity() + (cross + cross * cross) * scale
}

/// Rotation matrix exp([θ]×) = I + (sin θ/θ) [θ]× + ((1 − cos θ)/θ²) [θ]×².
pub(super) fn exponential<T: Real>(theta: &Vector3<T>) -> Matrix3<T> {
    let t2 = theta.norm_squared();
    let (a, b) = if t2 < T::of(1e-2) {
        // Series in θ²: the quotients and their derivatives are not defined at 0. Truncated terms are under
        // 1e-17.
        let series = |c: [f64; 5]| c.iter().rev().fold(T::of(0.0), |sum, &ci| sum * t2 + T::of(ci));
        (
            series([1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]),
            series([0.5, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40_320.0, 1.0 / 3_628_800.0]),
        )
    } else {
        let t = t2.sqrt();
        (t.sin() / t, (T::one() - t.cos()) / t2)
    };
    let cross = theta.cross_matrix();
    Matrix3::identity() + cross * a + cross * cross * b
}

/// Implicit surface at the end of the step: f < 0 inside, f = 0 on it, f > 0 outside. Values are scaled to
/// metres, so that |∇f| is about 1 on the surface (exactly 1 on a sphere and a plane).
#[derive(Debug, Clone, Copy)]
pub(super) enum Surface<T: Real> {
    /// Ellipsoid f(x) = ½ ℓ (Σ ξ_i²/a_i² − 1) with ξ = R⁺ᵀ(x − c⁺) and ℓ the mean semi-axis ([CBAT] section
    /// V.C up to ½ ℓ).
    Ellipsoid {
        /// Centre c⁺ (m).
        centre: Vector3<T>,
        /// Rotation of the shape frame.
        rotation: Matrix3<T>,
        /// Weights ℓ / a_i² (1/m).
        weights: Vector3<f64>,
        /// Mean semi-axis ℓ (m).
        size: f64,
    },
    /// Half-space f(x) = n·x − offset.
    HalfSpace {
        /// Outer unit normal, world.
        normal: Vector3<T>,
        /// Offset n·x of the plane (m).
        offset: T,
    },
}

impl<T: Real> Surface<T> {
    /// Makes the surface of a body at `pose`.
    pub fn new(body: &BodyAtStart, pose: &EndPose<T>) -> Self {
        let origin = pose.centre + pose.rotation * constant::<T>(&body.shape_pose.position);
        let rotation = pose.rotation * constant_matrix::<T>(&body.shape_pose.rotation());
        match &body.shape {
            Shape::Ellipsoid { semi_axes } => {
                let size = semi_axes.mean();
                let weights = semi_axes.map(|a| size / (a * a));
                Surface::Ellipsoid { centre: origin, rotation, weights, size }
            }
            Shape::HalfSpace { normal, offset } => {
                let normal = rotation * constant::<T>(normal);
                Surface::HalfSpace { normal, offset: T::of(*offset) + normal.dot(&origin) }
            }
            Shape::Polytope(_) | Shape::Cylinder { .. } | Shape::Capsule { .. } | Shape::Bore { .. } => {
                unreachable!("bodies of several facets have blocks of their own")
            }
        }
    }

    /// Value f(x) (m).
    pub fn value(&self, x: &Vector3<T>) -> T {
        match self {
            Surface::Ellipsoid { centre, rotation, weights, size } => {
                let xi = rotation.tr_mul(&(x - centre));
                let q = xi.x * xi.x * T::of(weights.x)
                    + xi.y * xi.y * T::of(weights.y)
                    + xi.z * xi.z * T::of(weights.z);
                (q - T::of(*size)) * T::of(0.5)
            }
            Surface::HalfSpace { normal, offset } => normal.dot(x) - *offset,
        }
    }

    /// Gradient ∇f(x) (dimensionless).
    pub fn gradient(&self, x: &Vector3<T>) -> Vector3<T> {
        match self {
            Surface::Ellipsoid { centre, rotation, weights, .. } => {
                let xi = rotation.tr_mul(&(x - centre));
                rotation * xi.component_mul(&constant::<T>(weights))
            }
            Surface::HalfSpace { normal, .. } => *normal,
        }
    }
}

impl Surface<f64> {
    /// Point of the surface with outer normal `direction`; None for a half-space, which has no such point.
    pub fn extreme_point(&self, direction: &Vector3<f64>) -> Option<Vector3<f64>> {
        match self {
            Surface::Ellipsoid { centre, rotation, weights, size } => {
                // ξ ∝ A² d with A² = ℓ diag(1/weights), scaled to f = 0.
                let local = rotation.tr_mul(direction);
                let squares = weights.map(|w| size / w);
                let scaled = local.component_mul(&squares);
                Some(centre + rotation * (scaled / local.dot(&scaled).sqrt()))
            }
            Surface::HalfSpace { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    #[test]
    fn exponential_is_that_of_the_quaternions_on_both_sides_of_the_series() {
        for theta in [
            Vector3::zeros(),
            Vector3::new(1e-9, 2e-9, -1e-9),
            Vector3::new(0.05, -0.06, 0.0619),
            Vector3::new(0.05, -0.06, 0.0625),
            Vector3::new(1.0, -2.0, 0.5),
        ] {
            let expected = UnitQuaternion::from_scaled_axis(theta).to_rotation_matrix().into_inner();
            assert!((exponential(&theta) - expected).norm() < 1e-15, "{theta}");
        }
    }
}
