//! Largest entries of vectors, where NaN wins.

/// Largest absolute entry; NaN wins.
pub fn largest_or_nan(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |m, x| worse(m, x.abs()))
}

/// The larger one; NaN wins.
pub fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}
