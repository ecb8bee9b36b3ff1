//! Bound on e_r of a contact whose torsion follows from its touching region (theory (2.9)), from the shapes
//! alone.
//!
//! e_r is a mean of distances from the equivalent contact point, and so at most the largest distance of a
//! point of either body that can touch. A margin decides which corners still touch, and regions that parts of
//! a body have in common carry no load: e_r is bounded from above only.

use super::judged_step::JudgedStep;
use super::placed::{PlacedCylinder, PlacedPolytope, PlacedShape};
use crate::step::ContactRecord;
use nalgebra::Vector3;
use signorini_scene::settings::Formulation;
use std::f64::consts::TAU;
use std::sync::LazyLock;

/// Height above the lowest point, as a fraction of the smaller size, up to which points can touch.
const MARGIN: f64 = 2e-3;
/// Number of points of the outline of a cap.
const CAP_POINTS: usize = 64;
/// Sines and cosines of the angles of these points.
static TURNS: LazyLock<[(f64, f64); CAP_POINTS]> =
    LazyLock::new(|| std::array::from_fn(|k| (TAU * k as f64 / CAP_POINTS as f64).sin_cos()));

/// Excess of the recorded e_r over the bound of the shapes (relative to the smaller size).
pub fn torsion_excess(contact: &ContactRecord, step: &JudgedStep<'_>) -> f64 {
    if step.scene.solver.formulation != Formulation::Implicit || contact.normal_impulse <= 0.0 {
        return 0.0;
    }
    let (size, found) = (step.smaller_size(contact), contact.torsional_radius);
    if found.is_nan() {
        return f64::NAN;
    }
    let margin = MARGIN * size;
    let [a, b] = step.parts_of(contact);
    let mut most = f64::INFINITY;
    for (body, out) in [(a, contact.normal), (b, -contact.normal)] {
        // No reach is below 0: the bound needs no more bodies.
        if found <= margin || most == 0.0 {
            break;
        }
        most = most.min(Slice { out, margin, from: contact.ecp }.reach(&body.placed));
    }
    // Equivalent contact points at the rim of a manifold have their place to a tolerance, too.
    if found <= margin { 0.0 } else { (found - most - margin).max(0.0) / size }
}

/// Part of a body that can touch: all points within `margin` (m) of its support plane in direction `out`,
/// seen from the equivalent contact point.
struct Slice {
    out: Vector3<f64>,
    margin: f64,
    from: Vector3<f64>,
}

impl Slice {
    /// Extent of the slice along the contact plane (m).
    fn reach(&self, placed: &PlacedShape) -> f64 {
        match placed {
            PlacedShape::HalfSpace { .. } => f64::INFINITY,
            PlacedShape::Ellipsoid(_) => 0.0,
            PlacedShape::Polytope(p) => self.reach_of_polytope(p),
            PlacedShape::Cylinder(c) => self.reach_of_cylinder(c),
        }
    }

    fn reach_of_polytope(&self, p: &PlacedPolytope) -> f64 {
        let edges = p.shape.edges.iter().map(|edge| edge.vertices.map(|v| p.arms[v]));
        self.farthest(p.arms.iter().copied(), edges, &p.center)
    }

    /// Extent of the prism that has an edge where the cylinder is lowest.
    fn reach_of_cylinder(&self, c: &PlacedCylinder) -> f64 {
        let across = (self.out - c.axis * c.axis.dot(&self.out)).try_normalize(1e-9);
        let any = if c.axis.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let across = across.unwrap_or_else(|| c.axis.cross(&any).normalize());
        let third = c.axis.cross(&across);
        let turns = &*TURNS;
        let at = |k: usize, up: f64| {
            let (s, cos) = turns[k % CAP_POINTS];
            (across * cos + third * s) * c.radius + c.axis * (up * c.half_length)
        };
        let corners = (0..CAP_POINTS).flat_map(|k| [at(k, 1.0), at(k, -1.0)]);
        let edges = (0..CAP_POINTS).flat_map(|k| {
            [[at(k, 1.0), at(k, -1.0)], [at(k, 1.0), at(k + 1, 1.0)], [at(k, -1.0), at(k + 1, -1.0)]]
        });
        self.farthest(corners, edges, &c.center)
    }

    /// Distance of the farthest of the corners in the slice and of the points where edges leave it, as arms
    /// from `center`.
    fn farthest(
        &self,
        corners: impl Iterator<Item = Vector3<f64>> + Clone,
        edges: impl Iterator<Item = [Vector3<f64>; 2]>,
        center: &Vector3<f64>,
    ) -> f64 {
        let top = corners.clone().map(|arm| self.out.dot(&arm)).fold(f64::NEG_INFINITY, f64::max);
        let above = |arm: &Vector3<f64>| self.out.dot(arm) - (top - self.margin);
        let left = edges.filter_map(|[from, to]| {
            let [f, t] = [above(&from), above(&to)];
            ((f < 0.0) != (t < 0.0)).then(|| from + (to - from) * (f / (f - t)))
        });
        let along = |arm: Vector3<f64>| {
            let way = center + arm - self.from;
            (way - self.out * self.out.dot(&way)).norm()
        };
        corners.filter(|arm| above(arm) >= 0.0).chain(left).map(along).fold(0.0, f64::max)
    }
}
