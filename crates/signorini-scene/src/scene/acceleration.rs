//! Motion by its acceleration: integrated twice, exactly.

use super::time_function::TimeFunction;
use serde::{Deserialize, Serialize};

/// Nodes and weights of the Gauss rule with three points on [−1, 1], exact up to degree 5.
const GAUSS: [[f64; 2]; 3] =
    [[-0.774_596_669_241_483_4, 5.0 / 9.0], [0.0, 8.0 / 9.0], [0.774_596_669_241_483_4, 5.0 / 9.0]];

/// Acceleration as a function of time, with a velocity at time 0.
///
/// Of a table the integrals are exact for the pieces between its samples: straight lines give a displacement
/// of cubic pieces. Before its first and after its last sample the acceleration is zero: the velocity at the
/// end stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "Parts", into = "Parts")]
pub struct Acceleration {
    function: TimeFunction,
    start_velocity: f64,
    /// ∫ a and ∫∫ a at the samples of a table, from its first one.
    sums: Vec<[f64; 2]>,
    /// ∫ a and ∫∫ a at time 0.
    at_zero: [f64; 2],
}

/// Function and start of an acceleration.
#[derive(Clone, Serialize, Deserialize)]
struct Parts {
    function: TimeFunction,
    start_velocity: f64,
}

impl From<Parts> for Acceleration {
    fn from(parts: Parts) -> Self {
        Self::new(parts.function, parts.start_velocity)
    }
}

impl From<Acceleration> for Parts {
    fn from(whole: Acceleration) -> Self {
        Self { function: whole.function, start_velocity: whole.start_velocity }
    }
}

impl Acceleration {
    /// Makes a motion of an acceleration (m/s² or rad/s²) and the velocity at time 0 (m/s or rad/s).
    pub fn new(function: TimeFunction, start_velocity: f64) -> Self {
        let mut made = Self { function, start_velocity, sums: Vec::new(), at_zero: [0.0; 2] };
        let mut sum = [0.0; 2];
        for k in 0..made.times().len() {
            if k > 0 {
                sum = made.advanced(sum, made.times()[k - 1], made.times()[k]);
            }
            made.sums.push(sum);
        }
        made.at_zero = made.integrals(0.0);
        made
    }

    /// The acceleration over time, zero beyond the ends of a table.
    pub fn function(&self) -> &TimeFunction {
        &self.function
    }

    /// Velocity at time 0.
    pub fn start_velocity(&self) -> f64 {
        self.start_velocity
    }

    /// Velocity at time t.
    pub fn velocity(&self, t: f64) -> f64 {
        self.start_velocity + self.integrals(t)[0] - self.at_zero[0]
    }

    /// Displacement since time 0.
    pub fn moved(&self, t: f64) -> f64 {
        let [_, second] = self.integrals(t);
        self.start_velocity * t + (second - self.at_zero[1]) - self.at_zero[0] * t
    }

    /// Time of the last sample (s), velocity and displacement there; None without a table.
    pub fn end(&self) -> Option<[f64; 3]> {
        let last = *self.times().last()?;
        Some([last, self.velocity(last), self.moved(last)])
    }

    fn times(&self) -> &[f64] {
        match &self.function {
            TimeFunction::Table { times, .. } | TimeFunction::Cubic { times, .. } => times,
            TimeFunction::Constant { .. } | TimeFunction::Sine { .. } => &[],
        }
    }

    /// ∫ a and ∫∫ a at time t, of a table from its first sample, else from time 0.
    fn integrals(&self, t: f64) -> [f64; 2] {
        match &self.function {
            TimeFunction::Constant { value } => [value * t, 0.5 * value * t * t],
            TimeFunction::Sine { amplitude, frequency, phase, offset } => {
                let rate = std::f64::consts::TAU * frequency;
                let first = self.function.integral(t);
                if rate == 0.0 {
                    return [first, 0.5 * (offset + amplitude * phase.sin()) * t * t];
                }
                // sin(phase) − sin(rate t + phase) without cancellation.
                let half = 0.5 * rate * t;
                let bent = -2.0 * half.sin() * (half + phase).cos() / rate;
                [first, 0.5 * offset * t * t + amplitude / rate * (phase.cos() * t + bent)]
            }
            TimeFunction::Table { times, .. } | TimeFunction::Cubic { times, .. } => {
                let k = times.partition_point(|time| *time <= t);
                match k {
                    0 => [0.0; 2],
                    _ if k == times.len() => {
                        let [v, x] = self.sums[k - 1];
                        [v, x + v * (t - times[k - 1])]
                    }
                    _ => self.advanced(self.sums[k - 1], times[k - 1], t),
                }
            }
        }
    }

    /// Integrals at `to`, from those at `from`; a is a cubic between them.
    fn advanced(&self, [v, x]: [f64; 2], from: f64, to: f64) -> [f64; 2] {
        let half = 0.5 * (to - from);
        let (mut first, mut second) = (0.0, 0.0);
        for [node, weight] in GAUSS {
            let ahead = half * (1.0 - node);
            let a = self.function.at(to - ahead);
            first += weight * a;
            second += weight * a * ahead;
        }
        [v + half * first, x + v * (to - from) + half * second]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    /// Samples of a function every `gap` seconds from `from` on.
    fn samples(from: f64, gap: f64, n: usize, f: impl Fn(f64) -> f64) -> [Vec<f64>; 2] {
        let times: Vec<f64> = (0..=n).map(|k| from + gap * k as f64).collect();
        let values = times.iter().map(|t| f(*t)).collect();
        [times, values]
    }

    #[test]
    fn polynomials_are_integrated_exactly() {
        let cases = [
            (TimeFunction::Constant { value: 2.0 }, [2.0, 0.0, 0.0, 0.0]),
            (
                TimeFunction::Sine { amplitude: 2.0, frequency: 0.0, phase: 0.5, offset: 1.0 },
                [1.0 + 2.0 * 0.5_f64.sin(), 0.0, 0.0, 0.0],
            ),
            {
                let [times, values] = samples(-0.3, 0.37, 10, |t| 1.0 - 3.0 * t);
                (TimeFunction::Table { times, values }, [1.0, -3.0, 0.0, 0.0])
            },
            {
                let [times, values] = samples(-0.3, 0.37, 10, |t| 1.0 - 3.0 * t + 2.0 * t * t - t.powi(3));
                (TimeFunction::Cubic { times, values }, [1.0, -3.0, 2.0, -1.0])
            },
        ];
        for (function, c) in cases {
            let motion = Acceleration::new(function, 0.7);
            for t in [0.0_f64, 0.01, 0.4, 1.0, 2.9] {
                let velocity: f64 =
                    0.7 + (0..4).map(|k| c[k] * t.powi(k as i32 + 1) / (k + 1) as f64).sum::<f64>();
                let moved: f64 = 0.7 * t
                    + (0..4).map(|k| c[k] * t.powi(k as i32 + 2) / ((k + 1) * (k + 2)) as f64).sum::<f64>();
                assert!((motion.velocity(t) - velocity).abs() < 1e-13, "{motion:?} at {t}");
                assert!((motion.moved(t) - moved).abs() < 1e-13, "{motion:?} at {t}");
            }
        }
    }

    #[test]
    fn a_sine_is_integrated_and_the_end_stays() {
        let (amplitude, frequency) = (3.0, 1.7);
        let rate = TAU * frequency;
        let sine = TimeFunction::Sine { amplitude, frequency, phase: 0.4, offset: -0.2 };
        let motion = Acceleration::new(sine, 0.0);
        for t in [1e-3, 0.1, 3.0] {
            let exact = -0.1 * t * t + amplitude / rate * (0.4_f64.cos() * t)
                - amplitude / (rate * rate) * ((rate * t + 0.4).sin() - 0.4_f64.sin());
            assert!((motion.moved(t) - exact).abs() < 1e-12, "{t}");
        }
        let motion =
            Acceleration::new(TimeFunction::Table { times: vec![1.0, 2.0], values: vec![2.0, 2.0] }, 0.5);
        assert_eq!([0.5, 1.0, 1.5, 4.0].map(|t| motion.velocity(t)), [0.5, 0.5, 1.5, 2.5]);
        assert_eq!(motion.end(), Some([2.0, 2.5, 2.0]));
        assert_eq!(motion.moved(4.0), 7.0);
        // Samples before time 0 say nothing.
        let early =
            Acceleration::new(TimeFunction::Table { times: vec![-1.0, 1.0], values: vec![2.0, 2.0] }, 0.5);
        assert_eq!([early.velocity(0.0), early.velocity(1.0), early.moved(1.0)], [0.5, 2.5, 1.5]);
    }

    /// Straight lines between samples of a sine are off by (2π f Δ)²/12 of the displacement, cubics by an
    /// order of four.
    #[test]
    fn the_order_in_the_gap_is_two_or_four() {
        let (amplitude, frequency) = (2.0, 1.0);
        let rate = TAU * frequency;
        let start = -amplitude / rate;
        let off = |gap: f64, cubic: bool| -> f64 {
            let n = (3.0 / gap).round() as usize;
            let [times, values] = samples(0.0, gap, n, |t| amplitude * (rate * t).sin());
            let function = if cubic {
                TimeFunction::Cubic { times, values }
            } else {
                TimeFunction::Table { times, values }
            };
            let motion = Acceleration::new(function, start);
            let exact = |t: f64| -amplitude / (rate * rate) * (rate * t).sin();
            (0..300)
                .map(|k| f64::from(k) * 0.01)
                .map(|t| (motion.moved(t) - exact(t)).abs())
                .fold(0.0, f64::max)
        };
        for (cubic, order) in [(false, 2), (true, 4)] {
            let [coarse, fine] = [0.02, 0.01].map(|gap| off(gap, cubic));
            let found = (coarse / fine).log2();
            assert!((found - f64::from(order)).abs() < 0.2, "{cubic}: {coarse} {fine}");
        }
    }

    #[test]
    fn it_is_saved_by_its_parts() {
        let motion =
            Acceleration::new(TimeFunction::Table { times: vec![0.0, 2.0], values: vec![1.0, -1.0] }, 0.5);
        let text = serde_json::to_string(&motion).unwrap();
        assert!(!text.contains("sums"));
        assert_eq!(serde_json::from_str::<Acceleration>(&text).unwrap(), motion);
    }
}
