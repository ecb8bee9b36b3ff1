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
    /// The region at a field, checked.
    pub fn check(&self, field: &str, check: &mut Check) -> Tube {
        let at = |name: &str| format!("{field}.{name}");
        let outer = check.positive(&at("radius"), self.radius);
        let inner = check.not_negative(&at("inner_radius"), self.inner_radius);
        if inner >= outer {
            let allowed = format!("must be below radius = {:?}", self.radius);
            check.fault(&at("inner_radius"), format!("{:?}", self.inner_radius), allowed);
        }
        Tube {
            center: check.vector(&at("center"), self.center),
            axis: check.direction(&at("axis"), self.axis),
            half_length: 0.5 * check.positive(&at("length"), self.length),
            inner,
            outer,
        }
    }
}
