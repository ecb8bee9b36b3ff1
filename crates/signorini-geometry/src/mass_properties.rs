//! Volume and inertia of homogeneous shapes.

use super::Shape;
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use std::f64::consts::PI;

/// Volume (m³): 4/3 π a b c for an ellipsoid, 2 π r² l for a cylinder of half length l, with 4/3 π r³ more
/// for a capsule. None for a half-space, which has none.
pub fn volume(shape: &Shape) -> Option<f64> {
    match shape {
        Shape::Ellipsoid { semi_axes } => Some(4.0 / 3.0 * PI * semi_axes.product()),
        Shape::HalfSpace { .. } | Shape::Bore { .. } => None,
        Shape::Polytope(polytope) => Some(polytope.volume),
        Shape::Cylinder { radius, half_length } => Some(2.0 * PI * radius * radius * half_length),
        Shape::Capsule { radius: r, half_length } => {
            Some(2.0 * PI * r * r * half_length + 4.0 / 3.0 * PI * r.powi(3))
        }
    }
}

/// Inertia tensor (kg m²) of the homogeneous shape of the given mass (kg) about its centre of mass, the
/// origin of the shape frame. None for a half-space.
pub fn inertia(shape: &Shape, mass: f64) -> Option<Matrix3<f64>> {
    match shape {
        Shape::Ellipsoid { semi_axes } => Some(Matrix3::from_diagonal(&ellipsoid_moments(mass, semi_axes))),
        Shape::HalfSpace { .. } | Shape::Bore { .. } => None,
        Shape::Polytope(polytope) => {
            // I = ρ (tr S · 1 − S) with S = ∫ x xᵀ dV.
            let second = polytope.second_moment * (mass / polytope.volume);
            let full = Matrix3::from_diagonal_element(second.trace()) - second;
            Some(symmetric(full.m11, full.m22, full.m33, full.m12, full.m13, full.m23))
        }
        Shape::Cylinder { radius, half_length } => {
            let (r2, l2) = (radius * radius, half_length * half_length);
            let across = mass * (3.0 * r2 + 4.0 * l2) / 12.0;
            Some(Matrix3::from_diagonal(&Vector3::new(across, across, mass * r2 / 2.0)))
        }
        Shape::Capsule { radius, half_length } => {
            Some(Matrix3::from_diagonal(&capsule_moments(mass, *radius, *half_length)))
        }
    }
}

/// Principal moments (kg m²) about the centre of a homogeneous ellipsoid of the given mass (kg) and
/// semi-axes (m), in the shape frame: I_x = m/5 (b² + c²) and so on.
pub fn ellipsoid_moments(mass: f64, semi_axes: &Vector3<f64>) -> Vector3<f64> {
    let a2 = semi_axes.component_mul(semi_axes);
    Vector3::new(a2.y + a2.z, a2.x + a2.z, a2.x + a2.y) * (mass / 5.0)
}

/// Principal moments (kg m²) of a homogeneous capsule of the given mass (kg), radius r and half length l (m),
/// about z. With the masses c of the cylinder and b of both half balls, whose centres of mass are 3/8 r off
/// their planes, I_x = c (r²/4 + l²/3) + b (2/5 r² + l² + 3/4 r l) and I_z = c r²/2 + 2/5 b r².
fn capsule_moments(mass: f64, r: f64, l: f64) -> Vector3<f64> {
    let of_balls = 2.0 * r / (3.0 * l + 2.0 * r);
    let (b, c) = (mass * of_balls, mass * (1.0 - of_balls));
    let across = c * (r * r / 4.0 + l * l / 3.0) + b * (0.4 * r * r + l * l + 0.75 * r * l);
    Vector3::new(across, across, 0.5 * c * r * r + 0.4 * b * r * r)
}

/// R I Rᵀ: the tensor (kg m²) in the outer frame of one given in a frame that `orientation` takes to the
/// outer one. Exactly symmetric, whatever the rounding.
pub fn rotated_inertia(tensor: &Matrix3<f64>, orientation: &UnitQuaternion<f64>) -> Matrix3<f64> {
    if *orientation == UnitQuaternion::identity() {
        return *tensor;
    }
    let r = orientation.to_rotation_matrix().into_inner();
    let full = r * tensor * r.transpose();
    symmetric(full.m11, full.m22, full.m33, full.m12, full.m13, full.m23)
}

/// The symmetric matrix of six entries (xx, yy, zz, xy, xz, yz).
pub fn symmetric(xx: f64, yy: f64, zz: f64, xy: f64, xz: f64, yz: f64) -> Matrix3<f64> {
    Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Polytope;
    use std::sync::Arc;

    /// Oracle: a midpoint sum over small cells of the box of these half extents; its error is first order in
    /// the cell at the surface.
    fn cell_sum(half: Vector3<f64>, is_inside: impl Fn(&Vector3<f64>) -> bool) -> (f64, Matrix3<f64>) {
        let (n, mut volume, mut tensor) = (80, 0.0, Matrix3::zeros());
        let cell = half * (2.0 / n as f64);
        for (i, j, k) in (0..n).flat_map(|i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k)))) {
            let index = Vector3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5);
            let x = cell.component_mul(&index) - half;
            if is_inside(&x) {
                volume += cell.product();
                tensor += (Matrix3::identity() * x.norm_squared() - x * x.transpose()) * cell.product();
            }
        }
        (volume, tensor)
    }

    fn assert_like(shape: &Shape, (summed, tensor): (f64, Matrix3<f64>), error: f64) {
        let exact = volume(shape).expect("a volume");
        assert!((summed - exact).abs() < error * exact, "{summed} against {exact}");
        let exact = inertia(shape, exact).expect("an inertia");
        assert!((tensor - exact).norm() < 2.0 * error * exact.norm(), "{tensor} against {exact}");
        assert_eq!(exact, exact.transpose());
    }

    #[test]
    fn round_shapes_agree_with_a_sum_over_cells() {
        let axes = Vector3::new(0.5, 0.3, 0.2);
        let inside = |x: &Vector3<f64>| x.component_div(&axes).norm_squared() <= 1.0;
        assert_like(&Shape::Ellipsoid { semi_axes: axes }, cell_sum(axes, inside), 1e-3);
        let half = Vector3::new(0.3, 0.3, 0.7);
        let inside = |x: &Vector3<f64>| x.xy().norm() <= 0.3;
        assert_like(&Shape::Cylinder { radius: 0.3, half_length: 0.7 }, cell_sum(half, inside), 2e-3);
        let half = Vector3::new(0.3, 0.3, 0.8);
        let inside = |x: &Vector3<f64>| (x - Vector3::z() * x.z.clamp(-0.5, 0.5)).norm() <= 0.3;
        assert_like(&Shape::Capsule { radius: 0.3, half_length: 0.5 }, cell_sum(half, inside), 2e-3);
    }

    #[test]
    fn a_turned_tensor_is_that_of_the_turned_body() {
        let axes = Vector3::new(0.5, 0.3, 0.2);
        let turn = UnitQuaternion::from_euler_angles(0.4, -0.7, 1.1);
        let inside =
            |x: &Vector3<f64>| turn.inverse_transform_vector(x).component_div(&axes).norm_squared() <= 1.0;
        let (mass, tensor) = cell_sum(Vector3::repeat(0.5), inside);
        let moments = Matrix3::from_diagonal(&ellipsoid_moments(mass, &axes));
        let exact = rotated_inertia(&moments, &turn);
        assert!((tensor - exact).norm() < 4e-3 * exact.norm(), "{tensor} against {exact}");
        assert_eq!(exact, exact.transpose());
    }

    #[test]
    fn a_box_has_the_moments_of_the_textbook() {
        let h = Vector3::new(0.5, 0.3, 0.2);
        let shape = Shape::Polytope(Arc::new(Polytope::box_(h)));
        assert!((volume(&shape).expect("a volume") - 8.0 * h.product()).abs() < 1e-16);
        let h2 = h.component_mul(&h);
        let exact = Vector3::new(h2.y + h2.z, h2.z + h2.x, h2.x + h2.y) * (7.0 / 3.0);
        assert!((inertia(&shape, 7.0).expect("an inertia") - Matrix3::from_diagonal(&exact)).norm() < 1e-15);
        assert!((shape.size().expect("a size") - h.mean()).abs() < 1e-15);
    }

    #[test]
    fn a_wedge_agrees_with_a_sum_over_cells() {
        // Half a box, cut along the diagonal plane x + z = 0, about its own centre of mass.
        let h = Vector3::new(0.5, 0.3, 0.2);
        let slope = |x: &Vector3<f64>| x.x / h.x + x.z / h.z;
        let corners: Vec<Vector3<f64>> =
            Polytope::box_(h).vertices.iter().filter(|v| slope(v) < 1e-9).copied().collect();
        let hull = Polytope::hull(&corners).expect("a wedge");
        assert!((hull.center_of_mass - Vector3::new(-h.x / 3.0, 0.0, -h.z / 3.0)).norm() < 1e-16);
        let inside = |x: &Vector3<f64>| {
            let x = x + hull.center_of_mass;
            x.component_div(&h).amax() <= 1.0 && slope(&x) <= 0.0
        };
        let sum = cell_sum(Vector3::new(0.71, 0.43, 0.33), inside);
        assert_like(&Shape::Polytope(Arc::new(hull.polytope)), sum, 1e-2);
    }
}
