//! The box that is filled, and the sites in it.

use crate::scene::overlap::Placed;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::{Pose, Shape};

/// Box in which bodies are placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Lowest corner (m).
    pub low: Vector3<f64>,
    /// Highest corner (m).
    pub high: Vector3<f64>,
    /// Smallest gap between bodies and to others (m).
    pub clearance: f64,
    /// Whether orientations are random.
    pub random_orientations: bool,
}

impl Room {
    /// The shape at a scale at the nearest position at which it is inside; None when it is too large.
    pub(super) fn inside(
        &self,
        shape: &Shape,
        scale: f64,
        position: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> Option<(Grain, Placed)> {
        let reach = Placed::at_scale(shape, scale, &Pose { position, orientation }).reach()?;
        // The box may be bounded by walls, to which the clearance holds too (and a little for rounding).
        let [below, above] = reach.map(|reach| reach.add_scalar(1.001 * self.clearance));
        let (low, high) = (self.low + below, self.high - above);
        if (high - low).min() < 0.0 {
            return None;
        }
        let position = position.sup(&low).inf(&high);
        Some((
            Grain { position, orientation },
            Placed::at_scale(shape, scale, &Pose { position, orientation }),
        ))
    }
}

/// Place of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grain {
    /// Centre (m).
    pub position: Vector3<f64>,
    /// Orientation.
    pub orientation: UnitQuaternion<f64>,
}

/// A length that says how big a bounded shape is (m).
pub(super) fn size(shape: &Shape) -> f64 {
    shape.size().unwrap_or(0.0)
}

/// The mean of [`size`] (m).
pub(super) fn mean_size(shapes: &[Shape]) -> f64 {
    shapes.iter().map(size).sum::<f64>() / shapes.len().max(1) as f64
}

/// At least as many sites as shapes, of a face-centred lattice stretched over the box, inset by the bodies'
/// mean size, and their spacing (m), the largest possible.
pub(super) fn lattice(room: &Room, shapes: &[Shape]) -> (Vec<Vector3<f64>>, f64) {
    let (count, inset) = (shapes.len(), mean_size(shapes) + room.clearance);
    let span = (room.high - room.low).add_scalar(-2.0 * inset).sup(&Vector3::zeros());
    let centre = (room.low + room.high) / 2.0;
    let low = centre - span / 2.0;
    let numbers = |d: f64| -> [usize; 3] {
        let along = |length: f64, d: f64| (length / d).min(1e7) as usize + 1;
        [along(span.x, d), along(span.y, d), along(span.z, d / 2f64.sqrt())]
    };
    let sites = |[nx, ny, nz]: [usize; 3]| -> f64 {
        let even = (nx * ny) as f64;
        let odd = ((nx - 1).max(1) * (ny - 1).max(1)) as f64;
        even * nz.div_ceil(2) as f64 + odd * (nz / 2) as f64
    };
    // The number of sites falls with the spacing.
    let (mut small, mut large) = (1e-3 * inset, 2.0 * span.max() + inset);
    for _ in 0..60 {
        let middle = (small + large) / 2.0;
        if sites(numbers(middle)) >= count as f64 { small = middle } else { large = middle }
    }
    let [nx, ny, nz] = numbers(small);
    let step = |length: f64, n: usize| if n > 1 { length / (n - 1) as f64 } else { 0.0 };
    let steps = Vector3::new(step(span.x, nx), step(span.y, ny), step(span.z, nz));
    let start = |length: f64, n: usize| if n > 1 { 0.0 } else { length / 2.0 };
    let mut found = Vec::new();
    for k in 0..nz {
        let odd = k % 2 == 1;
        let short = |n: usize| if odd { (n - 1).max(1) } else { n };
        let half = |n: usize| if odd && n > 1 { 0.5 } else { 0.0 };
        for (i, j) in (0..short(nx)).flat_map(|i| (0..short(ny)).map(move |j| (i, j))) {
            let at = Vector3::new(i as f64 + half(nx), j as f64 + half(ny), k as f64);
            let origin = Vector3::new(start(span.x, nx), start(span.y, ny), start(span.z, nz));
            found.push(low + origin + at.component_mul(&steps));
        }
    }
    (found, small)
}
