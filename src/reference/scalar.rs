//! Constants as numbers of the kind that a function is evaluated with.

use signorini_kernels::real::Real;
use nalgebra::{Matrix3, Vector3};

/// A constant vector in the scalar `T`.
pub(super) fn constant<T: Real>(v: &Vector3<f64>) -> Vector3<T> {
    v.map(T::of)
}

/// A constant matrix in the scalar `T`.
pub(super) fn constant_matrix<T: Real>(m: &Matrix3<f64>) -> Matrix3<T> {
    m.map(T::of)
}
