//! Numbers as few bytes: integers that are small after a prediction, in one plane per byte.
//!
//! A column of n integers is a byte with the number of planes, then that many planes of n bytes: plane k
//! holds bits 8k to 8k + 7 of every integer, folded so that small negative numbers are small (0, −1, 1, −2, …
//! become 0, 1, 2, 3, …). Upper planes are nearly all zero, which deflate removes. `viewer/src/columns.js`
//! reads the columns.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

/// Appends a column to a section.
pub fn push_column(integers: impl Iterator<Item = i32>, section: &mut Vec<u8>) {
    let folded: Vec<u32> = integers.map(|i| ((i << 1) ^ (i >> 31)) as u32).collect();
    let largest = folded.iter().fold(0, |all, i| all | i);
    let n_planes = (32 - largest.leading_zeros()).div_ceil(8);
    section.push(n_planes as u8);
    for plane in 0..n_planes {
        section.extend(folded.iter().map(|i| (i >> (8 * plane)) as u8));
    }
}

/// Differences of a series from the prediction by a straight line through the two values before.
pub fn prediction_errors(series: impl Iterator<Item = i32>) -> impl Iterator<Item = i32> {
    let (mut last, mut rise) = (0_i32, 0_i32);
    series.map(move |value| {
        let left = value.wrapping_sub(last.wrapping_add(rise));
        rise = value.wrapping_sub(last);
        last = value;
        left
    })
}

/// Differences of a series from the value before.
pub fn differences(series: impl Iterator<Item = i32>) -> impl Iterator<Item = i32> {
    let mut last = 0_i32;
    series.map(move |value| {
        let left = value.wrapping_sub(last);
        last = value;
        left
    })
}

/// Conversion of a floating-point number of fewer digits to an integer: the upper bits of its magnitude as an
/// f32, rounded, with its sign. Numbers smaller than `least` become 0.
#[derive(Debug, Clone, Copy)]
pub struct Float {
    /// Number of bits of the mantissa that are left out, of 23.
    pub dropped: u32,
    /// Magnitude below which a number is shown as 0.
    pub least: f64,
}

impl Float {
    /// Converts a number to its integer.
    pub fn integer(self, value: f64) -> i32 {
        if value.abs() < self.least {
            return 0;
        }
        let bits = (value.abs() as f32).to_bits();
        // Infinity and NaN must not be rounded to another value.
        let half = if value.is_finite() { 1 << (self.dropped - 1) } else { 0 };
        let magnitude = ((bits + half) >> self.dropped) as i32;
        if value < 0.0 { -magnitude } else { magnitude }
    }
}

/// Compresses a section by deflate, then base64.
pub fn compressed(section: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to a vector cannot fail.
    let _ = encoder.write_all(section);
    let bytes = encoder.finish().unwrap_or_default();
    base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_planes_of_folded_integers() {
        let mut section = Vec::new();
        push_column([0, -1, 1, -2, 300].into_iter(), &mut section);
        assert_eq!(section, [2, 0, 1, 2, 3, 88, 0, 0, 0, 0, 2]);
        section.clear();
        push_column([i32::MIN, i32::MAX].into_iter(), &mut section);
        assert_eq!(section, [4, 255, 254, 255, 255, 255, 255, 255, 255]);
        section.clear();
        push_column([0, 0].into_iter(), &mut section);
        assert_eq!(section, [0]);
    }

    #[test]
    fn a_line_leaves_nothing() {
        let left: Vec<i32> = prediction_errors([3, 5, 7, 9, 12].into_iter()).collect();
        assert_eq!(left, [3, -1, 0, 0, 1]);
        let left: Vec<i32> = differences([3, 5, 5].into_iter()).collect();
        assert_eq!(left, [3, 2, 0]);
    }

    #[test]
    fn floats_keep_their_upper_digits() {
        let float = Float { dropped: 12, least: 1e-9 };
        let back = |i: i32| f32::from_bits((i.unsigned_abs()) << 12) * if i < 0 { -1.0 } else { 1.0 };
        for value in [1.0, -0.123_456, 9.81e5, -3e-8] {
            let found = f64::from(back(float.integer(value)));
            // Eleven bits are kept after the first: half of the last is 2⁻¹².
            assert!((found / value - 1.0).abs() <= 2.0_f64.powi(-12), "{value} is {found}");
        }
        assert_eq!((float.integer(5e-10), float.integer(-0.0)), (0, 0));
        assert!(back(float.integer(f64::NAN)).is_nan() && back(float.integer(f64::INFINITY)).is_infinite());
    }
}
