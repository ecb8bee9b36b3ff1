//! Regions that hold bodies.

use super::draw::RandomStream;
use crate::scene::tube::Tube;
use nalgebra::Vector3;

/// Region that holds bodies entirely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Region {
    /// A box along the world axes.
    Box {
        /// Lowest corner (m).
        low: Vector3<f64>,
        /// Highest corner (m).
        high: Vector3<f64>,
    },
    /// A cylinder, or what is between two.
    Tube(Tube),
}

impl Region {
    /// Corners of the box along the world axes that holds it (m).
    pub fn corners(&self) -> [Vector3<f64>; 2] {
        match self {
            Self::Box { low, high } => [*low, *high],
            Self::Tube(tube) => tube.corners(),
        }
    }

    /// Volume (m³).
    pub fn volume(&self) -> f64 {
        match self {
            Self::Box { low, high } => (high - low).product(),
            Self::Tube(tube) => tube.volume(),
        }
    }

    /// A place, drawn evenly.
    pub(super) fn anywhere(&self, draw: &mut RandomStream) -> Vector3<f64> {
        match self {
            Self::Box { low, high } => {
                let fraction = Vector3::new(draw.unit(), draw.unit(), draw.unit());
                low + (high - low).component_mul(&fraction)
            }
            Self::Tube(tube) => tube.anywhere(draw),
        }
    }
}
