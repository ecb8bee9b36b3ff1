//! Text of the summary: lines with a heading, lists that end when they get long, numbers of few digits.

use nalgebra::Vector3;
use serde::Serialize;
use signorini_scene::scene::TimeFunction;
use std::fmt::Write;

/// Most entries of a list that are printed.
const MAX_ENTRIES: usize = 20;

/// Text of the summary so far.
#[derive(Debug, Default)]
pub struct Text(String);

impl Text {
    /// Adds a line with a heading.
    pub fn line(&mut self, heading: &str, what: impl AsRef<str>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{heading:<11} {}", what.as_ref());
    }

    /// Adds a heading, the number of entries, and a line for each of the first entries.
    pub fn list(&mut self, heading: &str, n: usize, entries: impl Iterator<Item = String>) {
        if n == 0 {
            return;
        }
        self.line(heading, n.to_string());
        for entry in entries.take(MAX_ENTRIES) {
            let _ = writeln!(self.0, "  {entry}");
        }
        if n > MAX_ENTRIES {
            let _ = writeln!(self.0, "  … and {} more", n - MAX_ENTRIES);
        }
    }

    /// Adds a line below a heading.
    pub fn entry(&mut self, what: impl AsRef<str>) {
        let _ = writeln!(self.0, "  {}", what.as_ref());
    }

    /// Returns the whole text.
    pub fn finish(self) -> String {
        self.0
    }
}

/// Returns the word that scene files use for a setting.
pub fn word(setting: &impl Serialize) -> String {
    serde_json::to_value(setting).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Returns ", each x to y unit", or an empty text without values.
pub fn range(values: impl Iterator<Item = f64>, unit: &str) -> String {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high { String::new() } else { format!(", each {} to {} {unit}", number(low), number(high)) }
}

/// Returns a number with four significant digits.
pub fn number(x: f64) -> String {
    // −0 is 0: the sum of nothing.
    let x = x + 0.0;
    if x != 0.0 && !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.3e}");
    }
    let decimals = (3.0 - x.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns a vector as (x, y, z).
pub fn vector(v: &Vector3<f64>) -> String {
    format!("({}, {}, {})", number(v.x), number(v.y), number(v.z))
}

/// Returns a number over time as text.
pub fn time_function(time_function: &TimeFunction) -> String {
    match time_function {
        TimeFunction::Constant { value } => number(*value),
        TimeFunction::Sine { amplitude, frequency, phase, offset } => {
            let mean = if *offset == 0.0 { String::new() } else { format!("{} + ", number(*offset)) };
            let phase = if *phase == 0.0 { String::new() } else { format!(" + {}", number(*phase)) };
            format!("{mean}{} sin(2π {} t{phase})", number(*amplitude), number(*frequency))
        }
        TimeFunction::Table { times, values } | TimeFunction::Cubic { times, values } => {
            let ends = [times.first(), times.last()].map(|t| number(t.copied().unwrap_or(0.0)));
            let (low, high) =
                values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
            let [from, to] = ends;
            let between = match time_function {
                TimeFunction::Cubic { .. } => " (cubics between)",
                _ => "",
            };
            let n = times.len();
            format!("a table of {n} from {from} to {to} s, {} to {}{between}", number(low), number(high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(0.1), "0.1");
        assert_eq!(number(1234.56), "1235");
        assert_eq!(number(0.012345), "0.01235");
        assert_eq!(number(1e-7), "1.000e-7");
        assert_eq!(number(-2.5), "-2.5");
        assert_eq!(number(-0.0), "0");
    }
}
