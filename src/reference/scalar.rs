//! Constants in the scalar type with which a function is evaluated.

use nalgebra::{Matrix3, Vector3};
use signorini_kernels::real::Real;

/// Converts a constant vector to the scalar `T`.
pub(super) fn constant<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::of)
}

/// Converts a constant matrix to the scalar `T`.
pub(super) fn constant_matrix<T: Real>(m: &Matrix3<f64>) -> Matrix3<T> {
    m.map(T::of)
}
