//! Anisotropic friction where the friction direction rises out of the contact plane (theory §2.5).

use super::constants::GRAIN_FADES;
use crate::real::Real;
use nalgebra::Vector3;

/// Whether a friction direction is so near to the unit normal n that friction fades to one value in all
/// tangents.
pub fn is_fading<T: Real>(direction: &Vector3<T>, n: &Vector3<T>) -> bool {
    (direction - n * n.dot(direction)).norm() < T::of(GRAIN_FADES)
}

/// E t of a tangent t in the contact plane of the unit normal n, where friction fades. Along the projection
/// of the unit vector `direction` and across it, E has the semi-axes m + w (e − m). There m is the mean of
/// e_t and e_o, w = u² (3 − 2 u), and 0.1 u the sine of the angle between direction and normal. E depends
/// smoothly on both, also where the projection is 0 and has no direction.
pub fn faded<T: Real>(
    [e_t, e_o]: [T; 2],
    direction: &Vector3<T>,
    n: &Vector3<T>,
    t: &Vector3<T>,
) -> Vector3<T> {
    let flat = direction - n * n.dot(direction);
    let u = flat.norm() / T::of(GRAIN_FADES);
    let (mean, apart) = ((e_t + e_o) * T::of(0.5), (e_t - e_o) * T::of(0.5));
    // w/s²
    let bend = (T::of(3.0) - u - u) / T::of(GRAIN_FADES * GRAIN_FADES);
    let w = u * u * (T::of(3.0) - u - u);
    t * (mean - apart * w) + flat * (flat.dot(t) * apart * bend * T::of(2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Along the friction direction and across it E has the semi-axes of the theory, from the normal to where
    /// it is as given.
    #[test]
    fn semi_axes_fade_to_their_mean() {
        let n = Vector3::new(0.6, 0.0, 0.8);
        let (t, o) = (Vector3::new(0.8, 0.0, -0.6), Vector3::y());
        for sine in [0.0, 1e-9, 0.02, 0.05, 0.1] {
            let (s, c): (f64, f64) = (sine, (1.0 - sine * sine).sqrt());
            let (along, across) = (t * 0.28 + o * 0.96, t * -0.96 + o * 0.28);
            let direction = n * c + along * s;
            let u: f64 = s / 0.1;
            let w = u * u * (3.0 - 2.0 * u);
            for (axis, e) in [(along, 0.65 + 0.35 * w), (across, 0.65 - 0.35 * w)] {
                let found = faded([1.0, 0.3], &direction, &n, &axis);
                assert!((found - axis * e).norm() < 1e-14, "{sine}: {found} instead of {e}");
            }
        }
    }
}
