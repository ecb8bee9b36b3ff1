//! The inverted pendulum: a body that turns about a point or a line it stands on.

/// φ'' = rate² sin φ, rate² = m g r / (I + m r²), from rest at φ₀ from the vertical: φ(t), by the classical
/// Runge–Kutta method with far smaller steps than any run takes.
pub fn angle(rate_squared: f64, start: f64, time: f64) -> f64 {
    const STEPS: usize = 20_000;
    let h = time / STEPS as f64;
    let slope = |[phi, speed]: [f64; 2]| [speed, rate_squared * phi.sin()];
    let mut y = [start, 0.0];
    for _ in 0..STEPS {
        let at = |k: [f64; 2], part: f64| [y[0] + part * h * k[0], y[1] + part * h * k[1]];
        let k1 = slope(y);
        let k2 = slope(at(k1, 0.5));
        let k3 = slope(at(k2, 0.5));
        let k4 = slope(at(k3, 1.0));
        for i in 0..2 {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y[0]
}

#[test]
fn small_angles_grow_exponentially() {
    let found = angle(9.0, 1e-6, 1.0) / 1e-6;
    assert!((found - 3.0_f64.cosh()).abs() < 1e-9, "{found}");
}
