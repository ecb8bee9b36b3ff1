//! The velocity with which a contact point arrives within a step (theory (13.3)), and its slopes.

use crate::stepper::parameters::AT_THRESHOLD;

/// Velocity u⁻ = u + (1 + σ) a (m/s) of arrival after the fraction σ of a step, from velocity u at its start
/// and gain a in the step; the step after the impact continues it (theory (13.3)). `led` is the velocity that
/// led to the end, from which σ follows; without it σ is ½.
pub fn arriving(u: f64, a: f64, led: Option<f64>) -> f64 {
    u + (1.0 + led.map_or(0.5, |led| clamped(fraction_of(u, a, led)))) * a
}

/// σ, wherever it is.
fn fraction_of(u: f64, a: f64, led: f64) -> f64 {
    let (b, c) = (u + 0.5 * a, -led);
    let root = (b * b - 2.0 * a * c).max(0.0).sqrt();
    2.0 * c / (root - b)
}

fn clamped(fraction: f64) -> f64 {
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 0.0 }
}

/// An arrival and what it depends on.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    /// u⁻ (m/s).
    pub speed: f64,
    /// ∂u⁻ with u, a and the velocity that led to the end (theory (17.12)).
    pub by: [f64; 3],
    /// Whether an arbitrarily small change lets the point arrive in another step, or touch at its start.
    pub is_at_border: bool,
}

impl Arrival {
    /// As [`arriving`] has it.
    pub fn of(u: f64, a: f64, led: Option<f64>) -> Self {
        let speed = arriving(u, a, led);
        let Some(led) = led else {
            return Self { speed, by: [1.0, 1.0 + 0.5, 0.0], is_at_border: false };
        };
        let free = fraction_of(u, a, led);
        let fraction = clamped(free);
        let by_fraction = u + a * (fraction + 0.5);
        let moves = fraction == free && by_fraction != 0.0;
        let slope = if moves { a / by_fraction } else { 0.0 };
        let by = [1.0 - slope * fraction, 1.0 + fraction - slope * 0.5 * fraction * (fraction + 1.0), slope];
        // Without acceleration σ does not count.
        let is_at_border = a != 0.0 && [0.0, 1.0].iter().any(|end| (free - end).abs() <= AT_THRESHOLD);
        Self { speed, by, is_at_border }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_arrival() {
        for (u, a, led) in [(-1.0, -0.1, -0.6), (-0.2, -0.3, -0.1), (-2.0, 0.4, -0.3), (-1.0, 0.0, -0.2)] {
            let Arrival { speed, by, is_at_border } = Arrival::of(u, a, Some(led));
            assert!(speed == arriving(u, a, Some(led)) && !is_at_border);
            let h = 1e-6;
            let of = |k: usize, by: f64| {
                let mut at = [u, a, led];
                at[k] += by;
                arriving(at[0], at[1], Some(at[2]))
            };
            for (k, slope) in by.into_iter().enumerate() {
                let difference = (of(k, h) - of(k, -h)) / (2.0 * h);
                assert!((slope - difference).abs() < 1e-8, "{k}: {slope} and {difference}");
            }
        }
        assert_eq!(Arrival::of(-1.0, -0.2, None).by, [1.0, 1.5, 0.0]);
        assert!(Arrival::of(-1.0, -0.2, Some(0.0)).is_at_border, "it touches at the start");
        assert_eq!(Arrival::of(-1.0, -0.2, Some(0.1)).by, [1.0, 1.0, 0.0], "it overlaps at the start");
    }
}
