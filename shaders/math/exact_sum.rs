//! Sums without rounding.

use serde::{Deserialize, Serialize};

/// A sum of finite numbers, exact: parts that do not overlap, from small to large (Shewchuk, Discrete Comput.
/// Geom. 18 (1997) 305, grow-expansion without zeros).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ExactSum(Vec<f64>);

impl ExactSum {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        let mut carried = number;
        let mut kept = 0;
        for k in 0..self.0.len() {
            let (large, small) = two_sum(carried, self.0[k]);
            if small != 0.0 {
                self.0[kept] = small;
                kept += 1;
            }
            carried = large;
        }
        self.0.truncate(kept);
        if carried != 0.0 {
            self.0.push(carried);
        }
    }

    /// Adds another sum.
    pub fn add_sum(&mut self, other: &Self) {
        other.0.iter().for_each(|part| self.add(*part));
    }

    /// Takes another sum away.
    pub fn subtract_sum(&mut self, other: &Self) {
        other.0.iter().for_each(|part| self.add(-part));
    }

    /// Whether it is 0, exactly.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The nearest f64.
    pub fn value(&self) -> f64 {
        let mut parts = self.0.iter().rev().copied();
        let Some(mut sum) = parts.next() else { return 0.0 };
        while let Some(part) = parts.next() {
            let (large, small) = two_sum(sum, part);
            sum = large;
            if small == 0.0 {
                continue;
            }
            // The next part decides where `small` is half a unit in the last place.
            let is_beyond = parts.next().is_some_and(|next| (next > 0.0) == (small > 0.0));
            let (rounded, rest) = two_sum(sum, 2.0 * small);
            if is_beyond && rest == 0.0 && rounded - sum == 2.0 * small {
                sum = rounded;
            }
            break;
        }
        sum
    }
}

/// a + b as the nearest number and its error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_in_any_order() {
        // Multiples of 2⁻⁶⁰ over a range of 2¹⁰⁰, whose sum integers know.
        let mut z = 1_u64;
        let terms: Vec<(i128, f64)> = (0..2000)
            .map(|k| {
                z = z.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let whole = i128::from(z >> 11) << (k % 40);
                (whole, whole as f64 * 2f64.powi(-60))
            })
            .collect();
        let whole: i128 = terms.iter().map(|(whole, _)| whole).sum();
        let (mut up, mut down) = (ExactSum::default(), ExactSum::default());
        terms.iter().for_each(|(_, term)| up.add(*term));
        terms.iter().rev().for_each(|(_, term)| down.add(*term));
        assert_eq!(up.value(), whole as f64 * 2f64.powi(-60));
        assert_eq!(up.value(), down.value());
        up.subtract_sum(&down);
        assert!(up.is_zero());
    }

    #[test]
    fn the_value_is_the_nearest_number() {
        let sum = |terms: &[f64]| {
            let mut sum = ExactSum::default();
            terms.iter().for_each(|term| sum.add(*term));
            sum.value()
        };
        let half = f64::EPSILON / 2.0;
        assert_eq!(sum(&[1.0, half]), 1.0, "half a unit goes to the even number");
        assert_eq!(sum(&[1.0, half, 1e-40]), 1.0 + 2.0 * half, "and more than half upwards");
        assert_eq!(sum(&[1.0, half, -1e-40]), 1.0);
        assert_eq!(sum(&[1e300, 1.0, -1e300]), 1.0);
        assert_eq!(sum(&[]), 0.0);
    }
}
