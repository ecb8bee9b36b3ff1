//! Differences of two backends on the same batch.

use super::{Batch, Evaluated};
use signorini_kernels::math::larger;

/// The largest differences between two backends, each relative to the largest number of its kind in the same
/// batch, or to the terms of a sum where they cancel.
#[derive(Debug, Clone, Copy, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Differences {
    /// Difference of gaps, relative to the arms.
    pub gap: f64,
    /// Difference of normals and tangents.
    pub direction: f64,
    /// Difference of arms.
    pub arm: f64,
    /// Difference of slip.
    pub slip: f64,
    /// Difference of force directions.
    pub jacobian: f64,
    /// Difference of responses.
    pub response: f64,
    /// Difference of stiffness.
    pub stiffness: f64,
}

impl Differences {
    /// Returns the larger difference of each kind; NaN wins.
    pub fn largest(&self, other: &Self) -> Self {
        Self {
            gap: larger(self.gap, other.gap),
            direction: larger(self.direction, other.direction),
            arm: larger(self.arm, other.arm),
            slip: larger(self.slip, other.slip),
            jacobian: larger(self.jacobian, other.jacobian),
            response: larger(self.response, other.response),
            stiffness: larger(self.stiffness, other.stiffness),
        }
    }

    /// Returns the differences with their names.
    pub fn parts(&self) -> [(&'static str, f64); 7] {
        [
            ("gap", self.gap),
            ("direction", self.direction),
            ("arm", self.arm),
            ("slip", self.slip),
            ("jacobian", self.jacobian),
            ("response", self.response),
            ("stiffness", self.stiffness),
        ]
    }
}

/// Largest differences between two evaluations of a batch.
pub fn compare(batch: &Batch, found: &Evaluated, expected: &Evaluated) -> Differences {
    let (g, e) = (&found.geometry, &expected.geometry);
    let length = largest(e, |g| &g.arm_a).max(largest(e, |g| &g.arm_b));
    let (r, f) = (&found.rows, &expected.rows);
    // The rate gap/h has terms of arms over h.
    let rate = length / batch.time_step;
    let speed = largest(&batch.bodies, |b| &b.velocity).max(largest(&batch.bodies, |b| &b.spin) * length);
    // The moment is that of an impulse at an arm, over a step.
    let moment = largest(&batch.pairs, |p| &p.impulse) * length * batch.time_step;
    Differences {
        gap: apart(g, e, |g| &g.gap, length),
        direction: larger(apart(g, e, |g| &g.normal, 1.0), apart(g, e, |g| &g.tangent, 1.0)),
        arm: larger(apart(g, e, |g| &g.arm_a, length), apart(g, e, |g| &g.arm_b, length)),
        slip: apart(r, f, |r| &r.slip, largest(f, |r| &r.slip).max(speed).max(rate)),
        jacobian: apart(r, f, |r| &r.jacobian, largest(f, |r| &r.jacobian)),
        response: apart(r, f, |r| &r.response, largest(f, |r| &r.response)),
        stiffness: apart(r, f, |r| &r.stiffness, largest(f, |r| &r.stiffness).max(moment)),
    }
}

/// Largest number of a field, over all items.
fn largest<I>(items: &[I], field: impl Fn(&I) -> &[f64]) -> f64 {
    items.iter().flat_map(field).fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()))
}

fn apart<I>(found: &[I], expected: &[I], field: impl Fn(&I) -> &[f64], scale: f64) -> f64 {
    let pairs = found.iter().flat_map(&field).zip(expected.iter().flat_map(&field));
    let differences = pairs.map(|(a, b)| (a - b).abs() / scale);
    differences.fold(0.0, larger)
}
