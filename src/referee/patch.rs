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
    // Equivalent contact points at the rim of a manifold have their place to a tolerance, too.
    let enough = found - margin;
    let mut most = f64::INFINITY;
    for (body, out) in step.parts_of(contact).iter().zip([contact.normal, -contact.normal]) {
        // No reach is below 0: where that is enough, or all there is, the other body does not count.
        if enough <= 0.0 || most == 0.0 {
            break;
        }
        most = most.min(Slice { out, margin, from: contact.ecp, enough }.reach(&body.placed));
    }
    (enough - most).max(0.0) / size
}

/// Part of a body that can touch: all points within `margin` (m) of its support plane in direction `out`,
/// seen from the equivalent contact point.
#[derive(Debug, Clone, Copy)]
struct Slice {
    out: Vector3<f64>,
    margin: f64,
    from: Vector3<f64>,
    /// Extent (m) beyond which no more is asked for.
    enough: f64,
}

impl Slice {
    /// Extent of the slice along the contact plane (m), or a part of it that is enough.
    fn reach(&self, placed: &PlacedShape) -> f64 {
        match placed {
            PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => f64::INFINITY,
            PlacedShape::Ellipsoid(_) => 0.0,
            PlacedShape::Polytope(p) => self.reach_of_polytope(p),
            PlacedShape::Cylinder(c) => self.reach_of_cylinder(c),
            PlacedShape::Capsule(c) => self.reach_of_capsule(c),
        }
    }

    fn reach_of_polytope(&self, p: &PlacedPolytope) -> f64 {
        let edges = p.shape.edges.iter().map(|edge| edge.vertices.map(|v| p.arms[v]));
        self.farthest(p.support_width(&self.out), p.arms.iter().copied(), edges, &p.center)
    }

    /// Extent of the prism that has an edge where the cylinder is lowest.
    fn reach_of_cylinder(&self, c: &PlacedCylinder) -> f64 {
        let across = (self.out - c.axis * c.axis.dot(&self.out)).try_normalize(1e-9);
        let any = if c.axis.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let across = across.unwrap_or_else(|| c.axis.cross(&any).normalize());
        let third = c.axis.cross(&across);
        let at = |k: usize, up: f64| {
            let (s, cos) = TURNS[k % CAP_POINTS];
            (across * cos + third * s) * c.radius + c.axis * (up * c.half_length)
        };
        let corners = (0..CAP_POINTS).flat_map(|k| [at(k, 1.0), at(k, -1.0)]);
        let edges = (0..CAP_POINTS).flat_map(|k| {
            [[at(k, 1.0), at(k, -1.0)], [at(k, 1.0), at(k + 1, 1.0)], [at(k, -1.0), at(k + 1, -1.0)]]
        });
        let top = self.out.dot(&at(0, 1.0)).max(self.out.dot(&at(0, -1.0)));
        self.farthest(top, corners, edges, &c.center)
    }

    /// Extent of the line where the capsule is lowest.
    fn reach_of_capsule(&self, c: &PlacedCylinder) -> f64 {
        let ends = [1.0, -1.0].map(|up| self.out * c.radius + c.axis * (up * c.half_length));
        let top = self.out.dot(&ends[0]).max(self.out.dot(&ends[1]));
        self.farthest(top, ends.into_iter(), std::iter::once(ends), &c.center)
    }

    /// Distance of the farthest of the corners in the slice and of the points where edges leave it, as arms
    /// from `center`; `top` (m) is the height of the highest corner over it.
    fn farthest(
        &self,
        top: f64,
        corners: impl Iterator<Item = Vector3<f64>>,
        edges: impl Iterator<Item = [Vector3<f64>; 2]>,
        center: &Vector3<f64>,
    ) -> f64 {
        let above = |arm: &Vector3<f64>| self.out.dot(arm) - (top - self.margin);
        let left = edges.filter_map(|[from, to]| {
            let [f, t] = [above(&from), above(&to)];
            ((f < 0.0) != (t < 0.0)).then(|| from + (to - from) * (f / (f - t)))
        });
        let mut most = 0.0;
        for arm in corners.filter(|arm| above(arm) >= 0.0).chain(left) {
            let way = center + arm - self.from;
            most = f64::max(most, (way - self.out * self.out.dot(&way)).norm());
            if most >= self.enough {
                break;
            }
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Polytope, Pose, Shape};

    /// A reach that ends where it is enough decides as the whole reach does, which is that of the corners and
    /// the points where edges leave.
    #[test]
    fn a_reach_that_is_enough_decides_as_the_whole_one() {
        let mut random = Pcg64::seed_from_u64(4);
        let (mut n_enough, mut n_short) = (0, 0);
        for case in 0..400 {
            let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
            let shape = match case % 2 {
                0 => Shape::Cylinder { radius: 0.4, half_length: 0.3 },
                _ => Shape::Polytope(Polytope::box_(three(0.4).abs().add_scalar(0.1)).into()),
            };
            // The bodies lean by angles about the one that the margin allows.
            let lean = three(10f64.powi(-(case / 2 % 5)));
            let turn = UnitQuaternion::from_scaled_axis(lean)
                * UnitQuaternion::from_scaled_axis(
                    Vector3::x() * (0.5 * TAU * f64::from(case / 10 % 2)) / 2.0,
                );
            let pose = Pose { position: three(1.0), orientation: turn };
            let placed = PlacedShape::new(&shape, &Pose::identity(), &pose);
            let from = pose.position + three(0.5);
            let whole = Slice { out: Vector3::z(), margin: 1e-3, from, enough: f64::INFINITY };
            let reach = whole.reach(&placed);
            for part in [0.1, 0.9, 0.999, 1.001, 1.2] {
                let enough = part * reach;
                let found = Slice { enough, ..whole }.reach(&placed);
                assert_eq!(found >= enough, reach >= enough, "case {case}: {found} of {reach}");
                assert!(found <= reach, "case {case}");
                n_enough += usize::from(found < reach);
                n_short += usize::from(found < enough);
            }
        }
        assert!(n_enough > 300 && n_short > 700, "{n_enough}, {n_short}");
    }
}
