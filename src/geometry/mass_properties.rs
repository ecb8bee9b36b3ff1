//! Volume and inertia of homogeneous shapes.

use super::Shape;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::f64::consts::PI;

/// Volume (m³), 4/3 π a b c for an ellipsoid. None for a half-space, which has none.
pub fn volume(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Ellipsoid { semi_axes } => Some(4.0 / 3.0 * PI * semi_axes.product()),
        Shape::HalfSpace { .. } => None,
    }
}

/// Principal moments (kg m²) about the centre of a homogeneous ellipsoid of the given mass (kg) and
/// semi-axes (m), in the shape frame: I_x = m/5 (b² + c²) and so on.
pub fn ellipsoid_moments(mass: f64, semi_axes: &Vector3<f64>) -> Vector3<f64> {
    let a2 = semi_axes.component_mul(semi_axes);
    Vector3::new(a2.y + a2.z, a2.x + a2.z, a2.x + a2.y) * (mass / 5.0)
}

/// R diag(moments) Rᵀ: the tensor (kg m²) in the outer frame of principal moments given in a frame
/// that `orientation` takes to the outer one. Exactly symmetric, whatever the rounding.
pub fn rotated_inertia(moments: &Vector3<f64>, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    if *orientation == UnitQuaternion::identity() {
        return Matrix3::from_diagonal(moments);
    }
    let r = orientation.to_rotation_matrix().into_inner();
    let full = r * Matrix3::from_diagonal(moments) * r.transpose();
    symmetric(full.m11, full.m22, full.m33, full.m12, full.m13, full.m23)
}

/// The symmetric matrix of six entries (xx, yy, zz, xy, xz, yz).
pub fn symmetric(xx: f64, yy: f64, zz: f64, xy: f64, xz: f64, yz: f64) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_agree_with_a_sum_over_cells() {
        // Oracle: a midpoint sum over small cubes; its error is first order in the cell at the surface.
        let axes = Vector3::new(0.5, 0.3, 0.2);
        let orientation = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
        let (n, mut mass, mut tensor) = (80, 0.0, Matrix3::zeros());
        let cell = axes * (2.0 / n as f64);
        for (i, j, k) in (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k)))) {
            let index = Vector3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
            let x = cell.component_mul(&index) - axes;
            if x.component_div(&axes).norm_squared() <= 1.0 {
                let x = orientation * x;
                mass += cell.product();
                tensor += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * cell.product();
            }
        }
        let exact_volume = volume(&Shape::Ellipsoid { semi_axes: axes }).expect("an ellipsoid has a volume");
        assert!((mass - exact_volume).abs() < 1e-3 * exact_volume, "{mass} against {exact_volume}");
        let exact = rotated_inertia(&ellipsoid_moments(exact_volume, &axes), &orientation);
        assert!((tensor - exact).norm() < 2e-3 * exact.norm(), "{tensor} against {exact}");
        assert_eq!(exact, exact.transpose());
    }
}
