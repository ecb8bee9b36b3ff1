//! The region that is filled, and the sites in it.

use super::region::Region;
use crate::scene::form::Form;
use crate::scene::overlap::Placed;
use crate::scene::tube::Tube;
use nalgebra::{UnitQuaternion, Vector3};
use signorini_geometry::Pose;

/// Most sites that are made in the box about a tube, over those that are wanted in it.
const MOST_SITES: usize = 8;

/// Region in which bodies are placed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Region that holds the bodies.
    pub region: Region,
    /// Smallest gap between bodies and to others (m).
    pub clearance: f64,
    /// Whether orientations are random.
    pub random_orientations: bool,
}

impl Room {
    /// The form at a scale at the nearest position at which it is inside; None when it is too large.
    pub(super) fn inside(
        &self,
        form: &Form,
        scale: f64,
        position: Vector3<f64>,
        orientation: UnitQuaternion<f64>,
    ) -> Option<(Grain, Vec<Placed>)> {
        let parts = form.placed_at(scale, &Pose { position: Vector3::zeros(), orientation });
        // The region may be bounded by walls, to which the clearance holds too (and a little for rounding).
        let margin = 1.001 * self.clearance;
        let position = match &self.region {
            Region::Box { low, high } => {
                let [below, above] = Form::reach_of(&parts)?.map(|reach| reach.add_scalar(margin));
                let (low, high) = (low + below, high - above);
                if (high - low).min() < 0.0 {
                    return None;
                }
                position.sup(&low).inf(&high)
            }
            Region::Tube(tube) => tube.pushed(&parts, position, margin)?,
        };
        let placed = form.placed_at(scale, &Pose { position, orientation });
        Some((Grain { position, orientation }, placed))
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

/// A length that says how big a bounded form is (m).
pub(super) fn size(form: &Form) -> f64 {
    form.size().unwrap_or(0.0)
}

/// The mean of [`size`] (m).
pub(super) fn mean_size(forms: &[Form]) -> f64 {
    forms.iter().map(size).sum::<f64>() / forms.len().max(1) as f64
}

/// At least as many sites as forms, of a face-centred lattice stretched over the region, inset by the bodies'
/// mean size, and their spacing (m), the largest possible. Narrow rings may have fewer.
pub(super) fn lattice(room: &Room, forms: &[Form]) -> (Vec<Vector3<f64>>, f64) {
    let (count, inset) = (forms.len(), mean_size(forms) + room.clearance);
    match &room.region {
        Region::Box { low, high } => in_box([*low, *high], inset, count),
        Region::Tube(tube) => in_tube(tube, inset, count),
    }
}

/// Sites of a lattice in the box about a tube, along its axis, without those that are outside.
fn in_tube(tube: &Tube, inset: f64, count: usize) -> (Vec<Vector3<f64>>, f64) {
    let half = Vector3::new(tube.outer, tube.outer, tube.half_length);
    let [t, o, axis] = tube.frame();
    let most = (tube.outer - inset).max(0.0);
    let least = if tube.inner > 0.0 { tube.inner + inset } else { 0.0 };
    let mut asked = count;
    loop {
        let (mut sites, spacing) = in_box([-half, half], inset, asked);
        sites.retain(|site| (least..=most).contains(&site.xy().norm()));
        if sites.len() >= count || asked > MOST_SITES * count {
            let to_world = |s: Vector3<f64>| tube.center + t * s.x + o * s.y + axis * s.z;
            return (sites.into_iter().map(to_world).collect(), spacing);
        }
        asked += asked / 8 + 1;
    }
}

/// Sites in a box of corners.
fn in_box([low, high]: [Vector3<f64>; 2], inset: f64, count: usize) -> (Vec<Vector3<f64>>, f64) {
    let span = (high - low).add_scalar(-2.0 * inset).sup(&Vector3::zeros());
    let centre = (low + high) / 2.0;
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
