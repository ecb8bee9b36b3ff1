//! Places where bodies leave during a run.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use signorini_geometry::PeriodicBox;

/// Region in which bodies leave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum OutletRegion {
    /// { x : normal·x ≤ offset }.
    HalfSpace {
        /// Unit normal, outwards.
        normal: Vector3<f64>,
        /// Offset of the plane along the normal (m).
        offset: f64,
    },
    /// A box along the world axes.
    Box {
        /// Lowest corner (m).
        low: Vector3<f64>,
        /// Highest corner (m).
        high: Vector3<f64>,
    },
}

/// An outlet: a body that can move leaves when its centre of mass is in the region at the end of a step. It
/// is part of that step, with its contacts, and of no later one; its id and its name never come back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outlet {
    /// Unique name.
    pub name: String,
    /// Region in which the bodies leave.
    pub region: OutletRegion,
}

impl OutletRegion {
    /// Whether a point is in the region.
    pub fn contains(&self, point: &Vector3<f64>) -> bool {
        match self {
            Self::HalfSpace { normal, offset } => normal.dot(point) <= *offset,
            Self::Box { low, high } => point.sup(low) == *point && point.inf(high) == *point,
        }
    }

    /// Whether a point, or an image of it in a periodic scene, is in the region.
    pub fn holds_image(&self, point: &Vector3<f64>, periodic: Option<&PeriodicBox>) -> bool {
        match (self, periodic) {
            // Planes are square to the axes that repeat, or they repeat themselves.
            (Self::HalfSpace { .. }, _) | (_, None) => self.contains(point),
            (Self::Box { low, .. }, Some(periodic)) => self.contains(&periodic.from(low).wrapped(point)),
        }
    }

    /// Whether all of a box is in the region.
    pub fn holds(&self, [low, high]: &[Vector3<f64>; 2]) -> bool {
        match self {
            Self::HalfSpace { normal, offset } => {
                let farthest = normal.zip_zip_map(low, high, |n, low, high| (n * low).max(n * high)).sum();
                farthest <= *offset
            }
            Self::Box { .. } => self.contains(low) && self.contains(high),
        }
    }
}

impl Outlet {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}
