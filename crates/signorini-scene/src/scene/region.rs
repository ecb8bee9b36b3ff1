//! Boxes along the world axes.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A box along the world axes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Lowest corner (m).
    pub low: Vector3<f64>,
    /// Highest corner (m).
    pub high: Vector3<f64>,
}

impl Region {
    /// Whether a point is in the box.
    pub fn contains(&self, point: &Vector3<f64>) -> bool {
        point.sup(&self.low) == *point && point.inf(&self.high) == *point
    }

    /// Cells of the box, when it is cut into so many along each axis, with their places; x runs slowest.
    pub fn cells(&self, n: [usize; 3]) -> impl Iterator<Item = ([usize; 3], Self)> + use<> {
        let region = *self;
        let [a, b, c] = n;
        let places = (0..a).flat_map(move |i| (0..b).flat_map(move |j| (0..c).map(move |k| [i, j, k])));
        places.map(move |place| {
            let corner = |one: usize| {
                Vector3::from_fn(|axis, _| {
                    let fraction = (place[axis] + one) as f64 / n[axis] as f64;
                    region.low[axis] + (region.high[axis] - region.low[axis]) * fraction
                })
            };
            (place, Self { low: corner(0), high: corner(1) })
        })
    }

    /// Volume of the box (m³).
    pub fn volume(&self) -> f64 {
        (self.high - self.low).product()
    }
}
