//! e_r of a contact whose torsion follows from what touches (theory (2.9)), bounded by the shapes alone.
//!
//! e_r is a mean of distances from the equivalent contact point: no point of either body that can touch may
//! be nearer than all of it. Which corners still touch is a matter of a margin, and what parts of a body
//! share bears nothing: e_r is bounded from above only.

use super::judged_step::JudgedStep;
use super::placed::{PlacedCylinder, PlacedPolytope, PlacedShape};
use signorini_scene::settings::Formulation;
use crate::step::ContactRecord;
use nalgebra::Vector3;

/// Contact points beyond this part of the smaller size above the lowest do not touch.
const MARGIN: f64 = 2e-3;
/// Points of the outline of a cap.
const CAP_POINTS: usize = 64;

/// By how much (relative to the smaller size) the recorded e_r is above what the shapes allow.
pub fn torsion_off(contact: &ContactRecord, step: &JudgedStep<'_>) -> f64 {
    if step.scene.solver.formulation != Formulation::Implicit || contact.normal_impulse <= 0.0 {
        return 0.0;
    }
    let (size, found) = (step.smaller_size(contact), contact.torsional_radius);
    let slice = |out: Vector3<f64>| Slice { out, margin: MARGIN * size, from: contact.ecp };
    let [a, b] = step.parts_of(contact);
    let most = slice(contact.normal).reach(&a.placed).min(slice(-contact.normal).reach(&b.placed));
    // Equivalent contact points at the rim of a manifold have their place to a tolerance, too.
    let off = (found - most - MARGIN * size).max(0.0) / size;
    if found.is_nan() { f64::NAN } else { off }
}

/// What of a body can touch: all within `margin` (m) of its support plane in direction `out`; seen from the
/// equivalent contact point.
struct Slice {
    out: Vector3<f64>,
    margin: f64,
    from: Vector3<f64>,
}

impl Slice {
    /// How far it reaches along the contact plane (m).
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

    /// That of a prism with an edge where the cylinder is lowest.
    fn reach_of_cylinder(&self, c: &PlacedCylinder) -> f64 {
        let across = (self.out - c.axis * c.axis.dot(&self.out)).try_normalize(1e-9);
        let any = if c.axis.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let across = across.unwrap_or_else(|| c.axis.cross(&any).normalize());
        let third = c.axis.cross(&across);
        let at = |k: usize, up: f64| {
            let (s, cos) = (std::f64::consts::TAU * k as f64 / CAP_POINTS as f64).sin_cos();
            (across * cos + third * s) * c.radius + c.axis * (up * c.half_length)
        };
        let corners = (0..CAP_POINTS).flat_map(|k| [at(k, 1.0), at(k, -1.0)]);
        let edges = (0..CAP_POINTS).flat_map(|k| {
            [[at(k, 1.0), at(k, -1.0)], [at(k, 1.0), at(k + 1, 1.0)], [at(k, -1.0), at(k + 1, -1.0)]]
        });
        self.farthest(corners, edges, &c.center)
    }

    /// The farthest of the corners in the slice and of the points where edges leave it, as arms from
    /// `center`.
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
