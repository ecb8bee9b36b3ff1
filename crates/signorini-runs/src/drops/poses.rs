//! Resting poses: groups of drops that came to rest alike, and their frequencies.

use super::drop::{DropRow, End};
use super::test::DropTest;
use serde::{Deserialize, Serialize};

/// Largest difference, over the size, of height and of radius of gyration about the vertical between drops
/// that came to rest alike. Both lengths are invariant under all symmetries of the body: faces that a
/// symmetry maps to each other are one pose, and so are all points of a rim.
const ALIKE: f64 = 2e-3;
/// Quantile 0.975 of the standard normal distribution, for 95 % intervals.
const QUANTILE: f64 = 1.959_963_984_540_054;

/// Resting pose, a row of `poses.csv`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PoseRow {
    /// Number of the pose, in the order of the drops in which poses first came up.
    pub pose: usize,
    /// Number of drops that ended in the pose.
    pub count: usize,
    /// Fraction of all drops that came to rest.
    pub share: f64,
    /// Lower end of Wilson's 95 % interval of the probability.
    pub low: f64,
    /// Upper end of Wilson's 95 % interval of the probability.
    pub high: f64,
    /// Height of the centre of mass over the lowest point (m), in the first of these drops.
    pub height: f64,
    /// Moment of inertia about the vertical (kg m²), in the first of these drops.
    pub vertical_inertia: f64,
    /// Direction down in body axes (unit), in the first of these drops.
    pub down_x: f64,
    /// Second component of that direction.
    pub down_y: f64,
    /// Third component of that direction.
    pub down_z: f64,
}

impl PoseRow {
    /// Names of the columns.
    pub const COLUMNS: [&'static str; 10] =
        ["pose", "count", "share", "low", "high", "height", "vertical_inertia", "down_x", "down_y", "down_z"];
}

/// Poses found so far.
#[derive(Debug)]
pub struct Poses {
    size: f64,
    mass: f64,
    /// First drop and number of drops of each pose.
    found: Vec<(DropRow, usize)>,
    /// Number of drops that did not come to rest.
    moving: usize,
}

impl Poses {
    /// Starts without poses.
    pub fn new(test: &DropTest) -> Self {
        Self { size: test.size(), mass: test.body().mass, found: Vec::new(), moving: 0 }
    }

    /// Counts a drop and writes its pose into it; drops are counted in the order of their numbers.
    pub fn take(&mut self, drop: &mut DropRow) {
        if drop.end == End::Moving {
            self.moving += 1;
            return;
        }
        let at = self.found.iter().position(|(first, _)| self.is_alike(first, drop));
        let at = at.unwrap_or_else(|| {
            self.found.push((*drop, 0));
            self.found.len() - 1
        });
        self.found[at].1 += 1;
        drop.pose = Some(at + 1);
    }

    fn is_alike(&self, a: &DropRow, b: &DropRow) -> bool {
        let gyration = |drop: &DropRow| (drop.vertical_inertia / self.mass).max(0.0).sqrt();
        let apart = (a.height - b.height).abs().max((gyration(a) - gyration(b)).abs());
        apart <= ALIKE * self.size
    }

    /// Number of drops that did not come to rest.
    pub fn moving(&self) -> usize {
        self.moving
    }

    /// Rows of all poses.
    pub fn rows(&self) -> Vec<PoseRow> {
        let total: usize = self.found.iter().map(|(_, count)| count).sum();
        let row = |(at, (first, count)): (usize, &(DropRow, usize))| {
            let [low, high] = wilson(*count as f64, total as f64);
            PoseRow {
                pose: at + 1,
                count: *count,
                share: *count as f64 / total as f64,
                low,
                high,
                height: first.height,
                vertical_inertia: first.vertical_inertia,
                down_x: first.down_x,
                down_y: first.down_y,
                down_z: first.down_z,
            }
        };
        self.found.iter().enumerate().map(row).collect()
    }
}

/// Wilson's score interval of a probability, of which `count` of `n` trials came true (E. B. Wilson, J. Am.
/// Stat. Assoc. 22, 1927): ( p + z²/2n ± z √(p (1 − p)/n + z²/4n²) ) / (1 + z²/n). Both may be effective
/// numbers of weighted trials; of no trials the interval is 0 to 1.
pub fn wilson(count: f64, n: f64) -> [f64; 2] {
    if n <= 0.0 {
        return [0.0, 1.0];
    }
    let z2 = QUANTILE * QUANTILE;
    let p = count / n;
    let middle = p + z2 / (2.0 * n);
    let half = QUANTILE * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    [-1.0, 1.0].map(|sign| ((middle + sign * half) / (1.0 + z2 / n)).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases of Newcombe, Stat. Med. 17 (1998), table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn intervals_are_those_of_the_literature() {
        let cases = [
            (81, 263, [0.2553, 0.3662]),
            (15, 148, [0.0624, 0.1605]),
            (0, 20, [0.0, 0.1611]),
            (1, 29, [0.0061, 0.1718]),
        ];
        for (count, total, expected) in cases {
            let found = wilson(f64::from(count), f64::from(total));
            for (f, e) in found.iter().zip(expected) {
                assert!((f - e).abs() < 6e-5, "{count} of {total}: {found:?}, not {expected:?}");
            }
        }
    }
}
