//! Couplings of joint coordinates: gears, screws, fingers that move together.

use super::joint::Axis;

/// Number of coefficients of a coupling.
pub const COEFFICIENTS: usize = 5;

/// A coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct JointCoordinate {
    /// Index of the joint.
    pub joint: usize,
    /// The coordinate, a slide or an angle.
    pub axis: Axis,
}

/// A coordinate q that follows another one, q′:
/// ```text
/// q = P(q′) = c₀ + c₁ q′ + c₂ q′² + c₃ q′³ + c₄ q′⁴
/// ```
/// in m or rad. Angles count whole turns since time 0, where they are within ±π. An impulse x (N s or N m s)
/// along q acts with −P′(q′) x along q′ (theory §4.6).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Coupling {
    /// Unique name.
    pub name: String,
    /// The coordinate q. It follows no other one, and no chain of couplings leads back to it.
    pub of: JointCoordinate,
    /// The coordinate q′ that it follows.
    pub to: JointCoordinate,
    /// c₀ to c₄.
    pub coefficients: [f64; COEFFICIENTS],
}

impl Coupling {
    /// P(q′).
    pub fn value(&self, followed: f64) -> f64 {
        self.coefficients.iter().rev().fold(0.0, |sum, c| sum * followed + c)
    }

    /// P′(q′).
    pub fn slope(&self, followed: f64) -> f64 {
        let terms = self.coefficients.iter().enumerate().skip(1).rev();
        terms.fold(0.0, |sum, (k, c)| sum * followed + k as f64 * c)
    }

    /// P″(q′).
    pub fn bend(&self, followed: f64) -> f64 {
        let terms = self.coefficients.iter().enumerate().skip(2).rev();
        terms.fold(0.0, |sum, (k, c)| sum * followed + (k * (k - 1)) as f64 * c)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_and_bend_are_derivatives() {
        let coordinate = JointCoordinate { joint: 0, axis: Axis::Angle };
        let coefficients = [0.3, -1.2, 0.7, 0.4, -0.2];
        let coupling = Coupling { name: "cam".to_owned(), of: coordinate, to: coordinate, coefficients };
        let (q, step) = (0.9_f64, 1e-5);
        let by_hand = 0.3 - 1.2 * q + 0.7 * q * q + 0.4 * q.powi(3) - 0.2 * q.powi(4);
        assert!((coupling.value(q) - by_hand).abs() < 1e-15);
        let slope = (coupling.value(q + step) - coupling.value(q - step)) / (2.0 * step);
        assert!((coupling.slope(q) - slope).abs() < 1e-9);
        let bend = (coupling.slope(q + step) - coupling.slope(q - step)) / (2.0 * step);
        assert!((coupling.bend(q) - bend).abs() < 1e-9);
    }
}
