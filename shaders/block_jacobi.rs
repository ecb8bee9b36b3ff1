//! Inverse of one diagonal 6×6 block, by the Schur complement of its linear part: the block-Jacobi
//! preconditioner.

use crate::real::Real;
use nalgebra::{Matrix3, Vector3};

/// The inverse by cofactors: rows of the inverse are cross products of columns.
fn inverted<T: Real>(m: &Matrix3<T>) -> Matrix3<T> {
    let column = |i: usize| -> Vector3<T> { m.column(i).into() };
    let (m0, m1, m2) = (column(0), column(1), column(2));
    let (a, b, c) = (m1.cross(&m2), m2.cross(&m0), m0.cross(&m1));
    let scale = T::one() / m0.dot(&a);
    Matrix3::from_columns(&[a * scale, b * scale, c * scale]).transpose()
}

/// The inverse of a block, by rows. Entries are not finite where the block or its linear part is singular.
pub fn block_jacobi<T: Real>(block: &[T]) -> [T; 36] {
    let part = |r: usize, c: usize| Matrix3::from_fn(|i, j| block[6 * (r + i) + c + j]);
    let (q, r) = (part(0, 3), part(3, 0));
    let p_inverse = inverted(&part(0, 0));
    let schur = inverted(&(part(3, 3) - r * p_inverse * q));
    let right = p_inverse * q * schur;
    let left = r * p_inverse;
    let parts = [[p_inverse + right * left, -right], [-(schur * left), schur]];
    std::array::from_fn(|k| parts[k / 18][k % 6 / 3][(k / 6 % 3, k % 3)])
}
