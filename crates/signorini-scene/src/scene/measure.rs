//! Measures taken during a run.

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

/// Quantity that a measure tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Quantity {
    /// Bodies and mass that pass a plane.
    Flow {
        /// Unit normal: bodies that pass along it count forwards.
        normal: Vector3<f64>,
        /// Offset of the plane along the normal (m).
        offset: f64,
        /// Where centres of mass count when they have passed, if not everywhere.
        within: Option<Region>,
    },
    /// Solid fraction, coordination number, stress and fabric in a box, or in each cell of a grid.
    Region {
        /// The box.
        region: Region,
        /// Number of cells along each axis, if the box is cut.
        cells: Option<[usize; 3]>,
    },
    /// Energies and where they went.
    Energy,
    /// How large the contact forces are.
    Forces,
    /// Force and torque of the contacts on a body of the scene, by its name.
    Body(String),
    /// How long the bodies were inside that left.
    Residence,
    /// On what each body rests.
    Poses,
}

/// A measure: a table with a row for each interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Unique name.
    pub name: String,
    /// Interval (s), rounded to whole steps; each step, if it is not given.
    pub every: Option<f64>,
    /// The quantity that the measure tells.
    pub quantity: Quantity,
}

impl Measure {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Steps of length h (s) of an interval, at least one.
    pub fn steps(&self, h: f64) -> usize {
        self.every.map_or(1, |every| (every / h).round().max(1.0) as usize)
    }
}
