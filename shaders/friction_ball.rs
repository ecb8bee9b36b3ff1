//! The ball of friction |x_t| ≤ R = μ x_n: the part of the contact law that the kernels and the solver's law
//! share (theory §6.3).

use crate::real::Real;

/// Factor s = R/|z| of the projection s z of a z of this length outside the ball; None for a z inside the
/// ball, which is its own projection. A NaN counts as outside.
pub fn factor_onto_ball<T: Real>(length: T, radius: T) -> Option<T> {
    if length <= radius { None } else { Some(radius / length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_friction_outside_the_ball_is_shortened() {
        assert_eq!((factor_onto_ball(1.0, 1.0), factor_onto_ball(0.0, 0.0)), (None, None));
        assert_eq!(factor_onto_ball(2.0, 1.0), Some(0.5));
        assert_eq!(factor_onto_ball(2.0_f32, 0.0), Some(0.0));
        assert!(factor_onto_ball(f64::NAN, 1.0).is_some_and(f64::is_nan));
    }
}
