//! The semi-axes of anisotropic friction where the grain rises out of the contact plane (theory §2.5).

use super::constants::GRAIN_FADES;
use crate::real::Real;
use nalgebra::Vector3;

/// e_t and e_o of a grain along the unit vector `direction` at the unit normal n: as given while the sine s
/// of the angle between them is at least 0.1, else drawn to their mean, m + w (e − m) with w = u² (3 − 2 u)
/// and u = s/0.1. Along the normal no tangent is the grain's, and friction is the same along all.
pub fn faded<T: Real>(semi_axes: [T; 2], direction: &Vector3<T>, n: &Vector3<T>) -> [T; 2] {
    let sine = (direction - n * n.dot(direction)).norm();
    if sine >= T::of(GRAIN_FADES) {
        return semi_axes;
    }
    let u = sine / T::of(GRAIN_FADES);
    let w = u * u * (T::of(3.0) - u - u);
    let mean = (semi_axes[0] + semi_axes[1]) * T::of(0.5);
    semi_axes.map(|e| mean + (e - mean) * w)
}
