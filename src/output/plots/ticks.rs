//! Ranges and tick labels of an axis.

use std::ops::Range;

/// Scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Linear scale.
    Linear,
    /// Scale of small whole numbers: no labels between them.
    Count,
    /// Logarithmic scale: the points hold log₁₀ of the values; labels show the values.
    Log10,
}

/// An axis: range and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    scale: Scale,
    low: f64,
    high: f64,
}

impl Ticks {
    /// Makes an axis that shows `values`. A span of at most `noise` is drawn as a constant.
    pub fn new(scale: Scale, values: impl Iterator<Item = f64>, with_zero: bool, noise: f64) -> Self {
        let (mut low, mut high) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if with_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if scale == Scale::Log10 {
            let (low, high) = ((low - 0.2).floor(), (high + 0.2).ceil());
            return Self { scale, low, high };
        }
        let size = low.abs().max(high.abs());
        // A constant up to rounding is drawn as one: no axis for its last digits.
        if high - low <= noise.max(1e-9 * size) {
            let half = if size <= noise.max(1e-300) { 1.0 } else { 0.1 * size };
            let middle = if half == 1.0 { 0.0 } else { 0.5 * (low + high) };
            (low, high) = (middle - half, middle + half);
        }
        Self { scale, low, high }
    }

    /// Makes the axis longer by a fraction of its span on both sides.
    pub fn with_margin(self, margin: f64) -> Self {
        let span = if self.scale == Scale::Log10 { 0.0 } else { self.high - self.low };
        Self { low: self.low - margin * span, high: self.high + margin * span, ..self }
    }

    /// Range of the axis.
    pub fn range(&self) -> Range<f64> {
        self.low..self.high
    }

    /// Most labels of the axis.
    pub fn n_labels(&self) -> usize {
        match self.scale {
            Scale::Linear => 7,
            Scale::Count => (self.high.floor() - self.low.ceil()) as usize + 1,
            Scale::Log10 => (self.high - self.low) as usize + 1,
        }
        .min(9)
    }

    /// Label at a tick.
    pub fn label(&self, tick: f64) -> String {
        match self.scale {
            // Half decades have no label.
            Scale::Log10 if (tick - tick.round()).abs() > 1e-6 => String::new(),
            Scale::Log10 => format!("1e{}", tick.round()),
            Scale::Count if (tick - tick.round()).abs() > 1e-6 => String::new(),
            Scale::Linear | Scale::Count => self.linear_label(tick),
        }
    }

    fn linear_label(&self, tick: f64) -> String {
        let span = self.high - self.low;
        // Ticks are multiples of a step that is at least a fiftieth of the span, and zero carries rounding.
        if tick.abs() < 1e-6 * span {
            return "0".to_owned();
        }
        let size = self.low.abs().max(self.high.abs());
        if !(1e-3..1e5).contains(&size) {
            let digits = ((size / span).log10().ceil().max(0.0) as usize + 1).min(6);
            let text = format!("{tick:.digits$e}");
            let Some((mantissa, exponent)) = text.split_once('e') else { return text };
            return format!("{}e{exponent}", trimmed(mantissa));
        }
        let decimals = (2.0 - span.log10().floor()).clamp(0.0, 15.0) as usize;
        trimmed(&format!("{tick:.decimals$}")).to_owned()
    }
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(low: f64, high: f64) -> Ticks {
        Ticks::new(Scale::Linear, [low, high].into_iter(), false, 0.0)
    }

    #[test]
    fn labels_are_short_and_tell_ticks_apart() {
        assert_eq!(ticks(0.0, 1.0).label(0.1 + 0.2), "0.3");
        assert_eq!(ticks(0.0, 0.02).label(0.0125), "0.0125");
        assert_eq!(ticks(-1.0, 1.0).label(1e-17), "0");
        assert_eq!(ticks(0.0, 2e6).label(1.5e6), "1.5e6");
        assert_eq!(ticks(0.0, 3e-7).label(1e-7), "1e-7");
        assert_eq!(ticks(100.0, 100.01).label(100.004), "100.004");
        assert_eq!(ticks(0.0, 4000.0).label(2500.0), "2500");
    }

    #[test]
    fn degenerate_ranges_become_proper_ones() {
        let constant = ticks(6.0, 6.0 + 1e-13).range();
        assert!((constant.start - 5.4).abs() < 1e-9 && (constant.end - 6.6).abs() < 1e-9, "{constant:?}");
        assert_eq!(ticks(0.0, 0.0).range(), -1.0..1.0);
        let still = |noise| Ticks::new(Scale::Linear, [0.0, 3e-12].into_iter(), true, noise).range();
        assert_eq!((still(1e-11), still(1e-13)), (-1.0..1.0, 0.0..3e-12));
        assert_eq!(Ticks::new(Scale::Linear, std::iter::empty(), true, 0.0).range(), 0.0..1.0);
        let log = Ticks::new(Scale::Log10, [-12.3, -8.0].into_iter(), false, 0.0);
        assert_eq!(log.range(), -13.0..-7.0);
        assert_eq!((log.label(-8.0), log.label(-8.5)), ("1e-8".to_owned(), String::new()));
    }
}
