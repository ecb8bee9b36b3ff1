//! Ranges of axes, their ticks and labels.

use std::ops::Range;

/// A scale says how values lie on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Values lie where they are.
    Linear,
    /// Values are small whole numbers: there are no ticks between them.
    Count,
    /// The points carry log₁₀ of the values; labels show the values.
    Log10,
}

/// A tick is a place on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// The place is given in the units of the points.
    pub at: f64,
    /// The label says the value; it is empty where only a fine line is drawn.
    pub label: String,
}

/// The ticks of an axis follow from its range and its scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticks {
    scale: Scale,
    low: f64,
    high: f64,
}

/// Over more decades than this nothing is drawn between them.
const FINE_DECADES: f64 = 5.0;
/// Most decades over which 2 and 5 carry labels too.
const LABELLED_DECADES: f64 = 2.0;

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

    /// Makes the axis longer by a fraction of its span on both sides; of decades it shows whole ones.
    pub fn with_margin(self, margin: f64) -> Self {
        let span = if self.scale == Scale::Log10 { 0.0 } else { self.high - self.low };
        Self { low: self.low - margin * span, high: self.high + margin * span, ..self }
    }

    /// Tells the ends of the axis.
    pub fn range(&self) -> Range<f64> {
        self.low..self.high
    }

    /// Lists the ticks in order, of which at most `most` carry a label.
    pub fn places(&self, most: usize) -> Vec<Tick> {
        let labelled = |at: f64| Tick { at, label: self.label(at) };
        let step = self.step(most);
        let decades = self.high - self.low;
        if self.scale != Scale::Log10 || step > 1.0 || decades > FINE_DECADES {
            return self.multiples(step).map(labelled).collect();
        }
        let within = |decade: f64| (1..10).map(move |digit| (digit, decade + f64::from(digit).log10()));
        let ticks = self.multiples(1.0).flat_map(within).filter(|(_, at)| *at <= self.high);
        let few = decades <= LABELLED_DECADES && 3.0 * decades < most as f64;
        let tick = |(digit, at)| {
            let is_labelled = digit == 1 || few && (digit == 2 || digit == 5);
            if is_labelled { labelled(at) } else { Tick { at, label: String::new() } }
        };
        ticks.map(tick).collect()
    }

    /// The smallest distance of 1, 2 or 5 times a power of ten that gives at most `most` ticks.
    fn step(&self, most: usize) -> f64 {
        let decade = ((self.high - self.low) / most.max(1) as f64).log10().floor() as i32;
        let whole = self.scale != Scale::Linear;
        let steps = (decade..decade + 3).flat_map(|k| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(k)));
        let mut steps = steps.filter(|step| !whole || *step >= 1.0);
        steps.find(|step| self.multiples(*step).size_hint().0 <= most).unwrap_or(self.high - self.low)
    }

    fn multiples(&self, step: f64) -> impl Iterator<Item = f64> {
        // Ends that are multiples but for rounding have a tick.
        let (first, last) = ((self.low / step - 1e-9).ceil(), (self.high / step + 1e-9).floor());
        let n = (last - first + 1.0).max(0.0) as usize;
        (0..n).map(move |i| (first + i as f64) * step)
    }

    /// Writes the value at a tick.
    pub fn label(&self, tick: f64) -> String {
        match self.scale {
            Scale::Log10 => {
                let decade = (tick + 1e-9).floor();
                format!("{}e{decade}", 10_f64.powf(tick - decade).round())
            }
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
