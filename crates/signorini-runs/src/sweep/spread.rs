//! Values spread over a range: even steps, equal ratios, Latin hypercubes.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::Deserialize;

/// Spacing of values between two ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal ratios; both ends are positive.
    Log,
}

impl Spacing {
    /// Returns the value at a fraction of the way from one end to the other.
    pub fn at(self, fraction: f64, from: f64, to: f64) -> f64 {
        match self {
            Self::Linear => from + fraction * (to - from),
            Self::Log => from * (to / from).powf(fraction),
        }
    }

    /// Returns `count` values, both ends among them.
    pub fn values(self, from: f64, to: f64, count: usize) -> Vec<f64> {
        let last = count.saturating_sub(1);
        let value = |k: usize| match k {
            0 => from,
            // The last value is the end to the last bit.
            _ if k == last => to,
            _ => self.at(k as f64 / last as f64, from, to),
        };
        (0..count).map(value).collect()
    }
}

/// Draws a Latin hypercube: `samples` points of [0, 1)^`dimensions`, one in each slice of each dimension, at
/// a random place within it [McKay, Beckman, Conover, Technometrics 21 (1979)].
pub fn latin_hypercube(samples: usize, dimensions: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let mut points = vec![vec![0.0; dimensions]; samples];
    for d in 0..dimensions {
        let mut slices: Vec<usize> = (0..samples).collect();
        // Shuffle of Fisher and Yates.
        for k in (1..samples).rev() {
            slices.swap(k, random.random_range(0..=k));
        }
        for (point, slice) in points.iter_mut().zip(slices) {
            point[d] = (slice as f64 + random.random::<f64>()) / samples as f64;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_both_ends() {
        assert_eq!(Spacing::Linear.values(1.0, 2.0, 5), [1.0, 1.25, 1.5, 1.75, 2.0]);
        assert_eq!(Spacing::Linear.values(1.0, 2.0, 1), [1.0]);
        let ratios = Spacing::Log.values(1e-3, 10.0, 5);
        assert_eq!((ratios[0], ratios[4]), (1e-3, 10.0));
        assert!(ratios.windows(2).all(|w| (w[1] / w[0] - 10.0).abs() < 1e-12));
    }

    #[test]
    fn a_latin_hypercube_has_one_point_in_each_slice() {
        let (n, points) = (17, latin_hypercube(17, 3, 5));
        for d in 0..3 {
            let mut slices: Vec<usize> = points.iter().map(|p| (p[d] * n as f64) as usize).collect();
            slices.sort_unstable();
            assert_eq!(slices, (0..n).collect::<Vec<_>>());
        }
        assert_eq!(points, latin_hypercube(17, 3, 5));
        assert_ne!(points, latin_hypercube(17, 3, 6));
        let order = |d: usize| points.iter().map(|p| (p[d] * n as f64) as usize).collect::<Vec<_>>();
        assert_ne!(order(0), order(1));
    }
}
