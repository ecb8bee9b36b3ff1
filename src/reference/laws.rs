//! Laws that are imposed on a pair in one Newton solve.

use signorini_kernels::real::Real;

/// Law that imposes 0 ≤ p_n ⊥ f(a2) ≥ 0 in one Newton solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NormalLaw {
    /// Complementarity by the Fischer–Burmeister function.
    Complementary,
    /// Contact f(a2) = 0; the sign of p_n is checked afterwards.
    Touching,
    /// Separation p_n = 0; the sign of f(a2) is checked afterwards.
    Apart,
}

/// Law that imposes 0 ≤ σ ⊥ ζ ≥ 0 in one Newton solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrictionLaw {
    /// No friction, p_t = p_o = p_r = σ = 0: no coefficient, or p_n = 0, where the Fritz–John rows determine
    /// nothing.
    Absent,
    /// Complementarity by the Fischer–Burmeister function.
    Complementary,
    /// Sticking, σ = 0; the sign of ζ is checked afterwards.
    Sticking,
    /// Slipping, ζ = 0; the sign of σ is checked afterwards.
    Slipping,
}

/// Laws assumed for a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Laws {
    /// Law of the normal direction.
    pub normal: NormalLaw,
    /// Law of friction.
    pub friction: FrictionLaw,
    /// Active facets (a bit each, A's first). The signs of their multipliers are checked afterwards, as are
    /// those of f of the others. None: all facets by the Fischer–Burmeister function.
    pub facets: Option<u64>,
}

/// Function φ(a, b) = √(a² + b²) − a − b, 0 iff 0 ≤ a ⊥ b ≥ 0; without cancellation for a + b > 0.
pub(super) fn fischer_burmeister<T: Real>(a: T, b: T) -> T {
    let r2 = a * a + b * b;
    if r2 <= T::of(f64::MIN_POSITIVE) {
        // The function is not differentiable here: one element of the generalised Jacobian.
        return (a + b) * T::of(std::f64::consts::FRAC_1_SQRT_2 - 1.0);
    }
    let r = r2.sqrt();
    let sum = a + b;
    if sum > T::zero() { -(a * b * T::of(2.0)) / (r + sum) } else { r - sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fischer_burmeister_is_zero_exactly_on_the_complementary_pairs() {
        for (a, b) in [(0.0, 0.0), (0.0, 3.0), (2.0, 0.0), (1e-200, 1.0)] {
            assert!(fischer_burmeister::<f64>(a, b).abs() < 1e-15, "{a}, {b}");
        }
        for (a, b) in [(1e-9_f64, 1.0_f64), (-1e-9, 1.0), (1e-9, -1e-9), (-3.0, -4.0), (3.0, 4.0)] {
            let printed = a.hypot(b) - a - b;
            let value = fischer_burmeister(a, b);
            assert!((value - printed).abs() < 2e-16 * (1.0 + a.abs() + b.abs()) && value != 0.0, "{a}, {b}");
        }
        // The printed form has lost all digits here, this form has not.
        assert!((fischer_burmeister(1e-20, 1.0) + 1e-20_f64).abs() < 1e-35);
    }
}
