//! Change by a sweep, |Δx|² in a fixed tree, and the step β of the next extrapolation.

use crate::real::Real;

/// |Δx|² of the last sweep.
pub const SWEEP_SQUARE: usize = 0;
/// β.
pub const SWEEP_STEP: usize = 1;
/// How the next sweep begins.
pub const SWEEP_MODE: usize = 2;
/// Whether there is a direction: 1 or 0.
pub const SWEEP_DIRECTED: usize = 3;
/// The natural map.
pub const SWEEP_MAP: usize = 4;
/// Scalars in all.
pub const SWEEP_SCALARS: usize = 8;

/// Names of the scalars in the shaders.
pub const NAMES: &[(&str, u32)] = &[
    ("SWEEP_SQUARE", SWEEP_SQUARE as u32),
    ("SWEEP_STEP", SWEEP_STEP as u32),
    ("SWEEP_MODE", SWEEP_MODE as u32),
    ("SWEEP_DIRECTED", SWEEP_DIRECTED as u32),
    ("SWEEP_MAP", SWEEP_MAP as u32),
];

/// The next sweep starts from the last iterate, without extrapolation.
pub const PLAIN: f64 = 0.0;
/// The next sweep begins with the last change as first direction.
pub const FIRST_DIRECTION: f64 = 1.0;
/// The next sweep begins with an extrapolation.
pub const EXTRAPOLATED: f64 = 2.0;

/// Names of these beginnings in the shaders.
pub const MODES: &[(&str, f64)] =
    &[("PLAIN", PLAIN), ("FIRST_DIRECTION", FIRST_DIRECTION), ("EXTRAPOLATED", EXTRAPOLATED)];

/// Δx of one number: its value now less the value that the sweep started from.
pub fn sweep_change<T: Real>(now: T, before: T) -> T {
    now - before
}

/// β = |Δx|²/|Δx before|², and how the next sweep begins: again from nothing where β > 1.
pub fn sweep_scalars<T: Real>(s: &mut [T], square: T) {
    if s[SWEEP_DIRECTED] > T::zero() {
        let beta = if square > T::zero() { square / s[SWEEP_SQUARE] } else { T::zero() };
        let goes_on = beta <= T::one();
        s[SWEEP_DIRECTED] = if goes_on { T::one() } else { T::zero() };
        s[SWEEP_MODE] = T::of(if goes_on { EXTRAPOLATED } else { PLAIN });
        s[SWEEP_STEP] = beta;
    } else {
        s[SWEEP_DIRECTED] = T::one();
        s[SWEEP_MODE] = T::of(FIRST_DIRECTION);
    }
    s[SWEEP_SQUARE] = square;
}
