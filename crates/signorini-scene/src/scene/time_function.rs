//! Numbers as functions of time.

use std::f64::consts::TAU;

/// A number as a function of time t (s).
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum TimeFunction {
    /// A number that is always the same.
    Constant {
        /// The value.
        value: f64,
    },
    /// offset + amplitude sin(2π frequency t + phase).
    Sine {
        /// Amplitude.
        amplitude: f64,
        /// Frequency (Hz).
        frequency: f64,
        /// Phase (rad).
        phase: f64,
        /// Mean value.
        offset: f64,
    },
    /// Straight lines between samples; the first and the last value before and after them.
    Table {
        /// Times (s), rising.
        times: Vec<f64>,
        /// Values at these times.
        values: Vec<f64>,
    },
    /// Cubics through the four nearest samples, of fewer samples one polynomial through all; the first and
    /// the last value before and after them. Of smooth functions the error is of fourth order in the gaps.
    Cubic {
        /// Times (s), rising.
        times: Vec<f64>,
        /// Values at these times.
        values: Vec<f64>,
    },
}

impl TimeFunction {
    /// Value at time t.
    pub fn at(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant { value } => *value,
            TimeFunction::Sine { amplitude, frequency, phase, offset } => {
                offset + amplitude * (TAU * frequency * t + phase).sin()
            }
            TimeFunction::Table { times, values } => {
                let k = times.partition_point(|time| *time <= t);
                if k == 0 {
                    return values[0];
                }
                if k == times.len() {
                    return values[k - 1];
                }
                let fraction = (t - times[k - 1]) / (times[k] - times[k - 1]);
                values[k - 1] + fraction * (values[k] - values[k - 1])
            }
            TimeFunction::Cubic { times, values } => {
                let k = times.partition_point(|time| *time <= t);
                if k == 0 || k == times.len() {
                    return values[k.saturating_sub(1)];
                }
                let n = times.len().min(4);
                let first = k.saturating_sub(2).min(times.len() - n);
                through(&times[first..first + n], &values[first..first + n], t)
            }
        }
    }

    /// d value/dt at time t; of a table at a sample that of the piece behind it.
    pub fn rate(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant { .. } => 0.0,
            TimeFunction::Sine { amplitude, frequency, phase, .. } => {
                let rate = TAU * frequency;
                amplitude * rate * (rate * t + phase).cos()
            }
            TimeFunction::Table { times, values } => {
                let k = times.partition_point(|time| *time <= t);
                if k == 0 || k == times.len() {
                    return 0.0;
                }
                (values[k] - values[k - 1]) / (times[k] - times[k - 1])
            }
            TimeFunction::Cubic { times, values } => {
                let k = times.partition_point(|time| *time <= t);
                if k == 0 || k == times.len() {
                    return 0.0;
                }
                let n = times.len().min(4);
                let first = k.saturating_sub(2).min(times.len() - n);
                slope_through(&times[first..first + n], &values[first..first + n], t)
            }
        }
    }

    /// ∫ value dt from 0 to t ≥ 0.
    pub fn integral(&self, t: f64) -> f64 {
        match self {
            TimeFunction::Constant { value } => value * t,
            TimeFunction::Sine { amplitude, frequency, phase, offset } => {
                let rate = TAU * frequency;
                if rate == 0.0 {
                    return (offset + amplitude * phase.sin()) * t;
                }
                // cos(phase) − cos(rate t + phase) without cancellation.
                let half = 0.5 * rate * t;
                offset * t + amplitude / rate * 2.0 * half.sin() * (half + phase).sin()
            }
            TimeFunction::Table { times, .. } => {
                let mut sum = 0.0;
                let mut from = 0.0;
                for to in times.iter().copied().filter(|time| *time > 0.0 && *time < t).chain([t]) {
                    sum += 0.5 * (to - from) * (self.at(from) + self.at(to));
                    from = to;
                }
                sum
            }
            TimeFunction::Cubic { times, .. } => {
                let mut sum = 0.0;
                let mut from = 0.0;
                for to in times.iter().copied().filter(|time| *time > 0.0 && *time < t).chain([t]) {
                    // Simpson's rule is exact for cubics.
                    let middle = self.at(0.5 * (from + to));
                    sum += (to - from) / 6.0 * (self.at(from) + 4.0 * middle + self.at(to));
                    from = to;
                }
                sum
            }
        }
    }
}

/// Value at t of the polynomial through samples, by Lagrange's formula.
fn through(times: &[f64], values: &[f64], t: f64) -> f64 {
    let weight = |i: usize| -> f64 {
        let others = (0..times.len()).filter(|j| *j != i);
        others.map(|j| (t - times[j]) / (times[i] - times[j])).product()
    };
    values.iter().enumerate().map(|(i, value)| weight(i) * value).sum()
}

/// Derivative of [`through`] with t.
fn slope_through(times: &[f64], values: &[f64], t: f64) -> f64 {
    let slope = |i: usize| -> f64 {
        let others = || (0..times.len()).filter(|j| *j != i);
        let without = |k: usize| -> f64 {
            let rest = others().filter(|j| *j != k);
            rest.map(|j| (t - times[j]) / (times[i] - times[j])).product()
        };
        others().map(|k| without(k) / (times[i] - times[k])).sum()
    };
    values.iter().enumerate().map(|(i, value)| slope(i) * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrals_agree_with_a_sum() {
        let functions = [
            TimeFunction::Constant { value: 0.7 },
            TimeFunction::Sine { amplitude: 0.3, frequency: 1.7, phase: 0.4, offset: -0.2 },
            TimeFunction::Sine { amplitude: 0.3, frequency: 0.0, phase: 0.4, offset: -0.2 },
            TimeFunction::Table { times: vec![0.2, 0.5, 0.9], values: vec![1.0, -2.0, 0.5] },
            TimeFunction::Cubic { times: vec![0.2, 0.5, 0.9], values: vec![1.0, -2.0, 0.5] },
            TimeFunction::Cubic {
                times: vec![-0.2, 0.1, 0.3, 0.9, 1.0],
                values: vec![1.0, -2.0, 0.5, 0.0, 1.0],
            },
        ];
        for function in functions {
            let (n, end) = (20000, 1.3);
            let step = end / f64::from(n);
            let sum: f64 = (0..n).map(|i| function.at((f64::from(i) + 0.5) * step) * step).sum();
            assert!((function.integral(end) - sum).abs() < 1e-8, "{function:?}: {sum}");
            for t in [0.1, 0.35, 0.7, 1.2] {
                let difference = (function.at(t + 1e-6) - function.at(t - 1e-6)) / 2e-6;
                assert!((function.rate(t) - difference).abs() < 1e-8, "{function:?} at {t}");
            }
        }
    }

    #[test]
    fn cubics_go_through_the_samples_and_are_exact_for_cubics() {
        let f = |t: f64| 1.0 - 2.0 * t + 0.5 * t * t - 3.0 * t.powi(3);
        let times = vec![-0.2, 0.1, 0.3, 0.9, 1.0, 1.6];
        let cubic = TimeFunction::Cubic { values: times.iter().map(|t| f(*t)).collect(), times };
        for t in [-0.2, 0.0, 0.1, 0.25, 0.6, 0.95, 1.3, 1.599] {
            assert!((cubic.at(t) - f(t)).abs() < 1e-13, "{t}");
        }
        assert_eq!([cubic.at(-5.0), cubic.at(1.6), cubic.at(7.0)], [f(-0.2), f(1.6), f(1.6)]);
        let line = TimeFunction::Cubic { times: vec![0.0, 2.0], values: vec![1.0, 2.0] };
        assert_eq!(line.at(0.5), 1.25);
    }
}
