//! Blocks of six numbers per body in the vectors of an island: three linear, three angular.

use crate::contact::BodyModel;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use signorini_geometry::Velocity;
use signorini_ncp::linalg::BLOCK;

/// The velocity of a local body.
pub fn velocity(v: &[f64], local: usize) -> Velocity {
    let six = &v[BLOCK * local..BLOCK * (local + 1)];
    Velocity { linear: Vector3::from_column_slice(&six[..3]), angular: Vector3::from_column_slice(&six[3..]) }
}

pub(super) fn block_mass(mass: f64, inertia: &Matrix3<f64>) -> Matrix6<f64> {
    let mut block = Matrix6::from_diagonal(&Vector6::repeat(mass));
    block.fixed_view_mut::<3, 3>(3, 3).copy_from(inertia);
    block
}

/// Speed of the fastest point of a body, at most (m/s).
pub(super) fn path_speed(model: &BodyModel, v: &Velocity) -> f64 {
    v.linear.norm() + v.angular.norm() * model.radius
}
