//! Cylinders as regions.

use super::report::Check;
use crate::scene::tube::Tube;

/// Numbers of a cylinder, as an entry writes them.
pub struct TubeFields {
    /// Middle (m).
    pub center: [f64; 3],
    /// Direction of the axis, of any length.
    pub axis: [f64; 3],
    /// Radius (m).
    pub radius: f64,
    /// Length (m).
    pub length: f64,
    /// Radius of the inner cylinder (m).
    pub inner_radius: f64,
}

impl TubeFields {
    /// The region, checked.
    pub fn check(&self, check: &mut Check) -> Tube {
        let outer = check.positive("region.radius", self.radius);
        let inner = check.not_negative("region.inner_radius", self.inner_radius);
        if inner >= outer {
            let allowed = format!("must be below radius = {:?}", self.radius);
            check.fault("region.inner_radius", format!("{:?}", self.inner_radius), allowed);
        }
        Tube {
            center: check.vector("region.center", self.center),
            axis: check.direction("region.axis", self.axis),
            half_length: 0.5 * check.positive("region.length", self.length),
            inner,
            outer,
        }
    }
}
