//! Capsules: a cylinder and two balls at its ends.

use super::decompose::Decomposed;
use super::report::Check;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Shape;
use std::f64::consts::PI;

/// Makes the parts of a capsule about the z of its frame, from its radius and the distance of the centres of
/// its balls (m).
///
/// The parts overlap, and are weighed as one solid. At a density of 1 kg/m³ the balls weigh b = 4/3 π r³ and
/// the cylinder c = π r² l. The centre of mass of half a ball is 3/8 r off its plane, so that
/// I_x = c (3 r² + l²)/12 + b (2/5 r² + l²/4 + 3/8 r l) and I_z = c r²/2 + 2/5 b r².
pub fn capsule(radius: f64, length: f64, field: &str, check: &mut Check) -> Decomposed {
    let r = check.positive(&format!("{field}.radius"), radius);
    let l = check.positive(&format!("{field}.length"), length);
    let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(r) };
    let end = Vector3::new(0.0, 0.0, 0.5 * l);
    let tube = Shape::Cylinder { radius: r, half_length: 0.5 * l };
    let (b, c) = (4.0 / 3.0 * PI * r.powi(3), PI * r * r * l);
    let across = c * (3.0 * r * r + l * l) / 12.0 + b * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l);
    let along = 0.5 * c * r * r + 0.4 * b * r * r;
    Decomposed {
        shapes: vec![(tube, Vector3::zeros()), (ball.clone(), -end), (ball, end)],
        volume: b + c,
        center: Vector3::zeros(),
        inertia: Matrix3::from_diagonal(&Vector3::new(across, across, along)),
    }
}
