//! Places of the unknowns of a body and of a pair.

use nalgebra::{SVector, Vector3};
use signorini_kernels::real::Real;

/// Number of unknowns of a body: v, ω.
pub(super) const BODY_UNKNOWNS: usize = 6;
/// Number of unknowns of a pair: a1, a2, d, p_n, p_t, p_o, p_r, σ.
pub(super) const PAIR_UNKNOWNS: usize = 12;
/// Number of unknowns that the equations of one pair see, but for multipliers of facets: both velocities and
/// its own.
pub(super) const LOCAL: usize = 2 * BODY_UNKNOWNS + PAIR_UNKNOWNS;

/// Place of the closest point on A in a pair's block.
pub(super) const A1: usize = 0;
/// Place of the closest point on B.
pub(super) const A2: usize = 3;
/// Place of the signed distance.
pub(super) const D: usize = 6;
/// Place of the normal impulse.
pub(super) const P_N: usize = 7;
/// Place of the first of p_t, p_o, p_r.
pub(super) const P_T: usize = 8;
/// Place of the slip multiplier.
pub(super) const SIGMA: usize = 11;

/// Stacks v and ω in one column.
pub(super) fn stack<T: Real>(linear: &Vector3<T>, angular: &Vector3<T>) -> SVector<T, BODY_UNKNOWNS> {
    SVector::<T, BODY_UNKNOWNS>::from([linear.x, linear.y, linear.z, angular.x, angular.y, angular.z])
}
