//! Comparisons that a NaN wins, because a fault must come out and not be lost in a comparison; sums without
//! rounding.

mod exact_sum;

pub use exact_sum::ExactSum;

/// The larger of two; NaN when one of them is.
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

/// The smaller of two; NaN when one of them is.
pub fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

/// Raises `largest` to `value`. NaN wins over every number and stays.
pub fn raise(largest: &mut f64, value: f64) {
    if value.is_nan() || value > *largest {
        *largest = value;
    }
}

/// Whether a value is above a bound; NaN is above every bound.
pub fn exceeds(value: f64, bound: f64) -> bool {
    value.is_nan() || value > bound
}

/// The largest of `values` and 0; NaN when one of them is.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut found = 0.0;
    values.into_iter().for_each(|value| raise(&mut found, value));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_wins_wherever_it_stands() {
        for values in [[f64::NAN, 1.0, 2.0], [1.0, f64::NAN, 2.0], [1.0, 2.0, f64::NAN]] {
            assert!(largest(values).is_nan() && values.into_iter().fold(0.0, larger).is_nan());
        }
        assert_eq!(largest([1.0, 3.0, -4.0]), 3.0);
        assert_eq!(larger(-2.0, -1.0), -1.0);
    }
}
