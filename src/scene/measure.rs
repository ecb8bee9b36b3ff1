//! What is measured during a run.

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
    /// Whether a point is in it.
    pub fn contains(&self, point: &Vector3<f64>) -> bool {
        point.sup(&self.low) == *point && point.inf(&self.high) == *point
    }

    /// Its volume (m³).
    pub fn volume(&self) -> f64 {
        (self.high - self.low).product()
    }
}

/// What a measure tells.
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
    /// Solid fraction, coordination number, stress and fabric in a box.
    Region(Region),
    /// Energies and where they went.
    Energy,
    /// How large the contact forces are.
    Forces,
    /// Force and torque of the contacts on a body of the scene, by its name.
    Body(String),
    /// How long the bodies were inside that left.
    Residence,
}

/// A measure: a table with a row for each interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Unique name.
    pub(crate) name: String,
    /// Interval (s), rounded to whole steps; each step, if it is not given.
    pub(crate) every: Option<f64>,
    /// What it tells.
    pub(crate) quantity: Quantity,
}

impl Measure {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Steps of length h (s) of an interval, at least one.
    pub(crate) fn steps(&self, h: f64) -> usize {
        self.every.map_or(1, |every| (every / h).round().max(1.0) as usize)
    }
}
