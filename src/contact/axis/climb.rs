//! Climbs from normal to normal of curved features towards the widest separation.
//!
//! Only features that support the bodies along a normal, or border on those that do, can separate them better
//! near it: of a box and a cylinder some ten pairs in place of 44.

use crate::contact::axis::curved_axis::{FeatureAxis, PlacedPair};
use crate::contact::feature::{Feature, curved_parts, outside, polytope};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{
    AXIS_SUPPORT, BOTH_RIMS, COMMON_AXIS, LEAN, POINT_MISMATCH, SAME_START_COSINE,
};
use nalgebra::Vector3;
use signorini_geometry::Polytope;

/// Most steps of a climb from normal to normal: it seldom takes more than three.
const MAX_CLIMBS: usize = 8;
/// Most normals that a search starts from.
const MAX_STARTS: usize = 4;

impl PlacedPair<'_, '_> {
    /// A normal leaning towards the line of the centres: along that of a face no corner of it is farther than
    /// another.
    pub(super) fn leaning(&self, n: &Vector3<f64>) -> Vector3<f64> {
        let apart = self.offset + self.b.moved.shape_origin - self.a.moved.shape_origin;
        let across = apart - n * n.dot(&apart);
        across.try_normalize(self.size * COMMON_AXIS).map_or(*n, |out| (n + out * LEAN).normalize())
    }

    /// The normals of widest separation among 26 on all sides, far from each other.
    pub(super) fn widest_of_all_sides(&self) -> [Vector3<f64>; MAX_STARTS] {
        // The middle of the 27 is no direction.
        let from = |k: usize| [1, 3, 9].map(|d| ((k + k / 13) / d % 3) as f64 - 1.0);
        let mut all: [(f64, Vector3<f64>); 26] = std::array::from_fn(|k| {
            let n = Vector3::from(from(k)).normalize();
            (self.a.separation_along(self.b, &n), n)
        });
        all.sort_by(|x, y| y.0.total_cmp(&x.0));
        std::array::from_fn(|k| all[k].1)
    }

    /// Climbs from each of the normals until the axis of widest separation is found; returns whether it is. A
    /// later start beside where an earlier one led is passed over.
    pub(super) fn climb_from(&self, best: &mut FeatureAxis, starts: &[Vector3<f64>]) -> bool {
        let mut ends = [Vector3::zeros(); MAX_STARTS];
        for (k, start) in starts.iter().enumerate() {
            let mut known = starts[..k].iter().chain(&ends[..k]);
            if known.any(|n| n.dot(start) > SAME_START_COSINE) {
                continue;
            }
            ends[k] = self.climb(best, start);
            if self.is_widest(best) && self.touch_along(best) {
                return true;
            }
        }
        false
    }

    /// Whether the closest points of both features of an axis lie on the features.
    fn touch_along(&self, axis: &FeatureAxis) -> bool {
        let FeaturePair(of_a, of_b) = axis.features;
        if of_a.is_flat() || of_b.is_flat() {
            return false;
        }
        axis.features.solve(self.a, self.b, &axis.normal).is_some_and(|found| {
            let point = &found.point;
            let beyond = outside(of_a, self.a, &point.arm_a).max(outside(of_b, self.b, &point.arm_b));
            beyond.max(found.mismatch) <= POINT_MISMATCH * self.size
        })
    }

    /// Climbs from one normal of two features to the next that separates better, among the features that
    /// support the bodies along the normal or border on them there. Returns the last normal.
    fn climb(&self, best: &mut FeatureAxis, start: &Vector3<f64>) -> Vector3<f64> {
        let (mut n, mut reached) = (*start, f64::NEG_INFINITY);
        for _ in 0..MAX_CLIMBS {
            let mut widest = (reached + AXIS_SUPPORT * self.size, n);
            self.supporting(&n, |features| {
                // The normal of two lines is tried on both sides.
                if let Some((gap, normal)) = self.try_features(best, features, &[n, n])
                    && gap > widest.0
                {
                    widest = (gap, normal);
                }
            });
            if widest.1 == n {
                break;
            }
            (reached, n) = widest;
        }
        n
    }

    /// Visits the pairs of curved features that support the bodies along a normal.
    fn supporting(&self, n: &Vector3<f64>, mut see: impl FnMut(FeaturePair)) {
        let of_cylinder = |body: &Placed<'_>, out: &Vector3<f64>| {
            let along = out.dot(&body.moved.shape_rotation.column(2));
            let rim = |up: bool| curved_parts(body).find(|part| *part == Feature::Rim(up));
            let far = if along.abs() < BOTH_RIMS { rim(along <= 0.0) } else { None };
            [Some(Feature::Side), rim(along > 0.0), far].into_iter().flatten()
        };
        let of_polytope = |body: &Placed<'_>, p: &Polytope, out: &Vector3<f64>| {
            p.support(&body.moved.shape_rotation.tr_mul(out))
        };
        match (polytope(self.a), polytope(self.b)) {
            (Some(p), _) => {
                let v = of_polytope(self.a, p, n);
                of_cylinder(self.b, &-n)
                    .for_each(|round| beside_corner(p, v, round, |of_p| see(FeaturePair(of_p, round))));
            }
            (_, Some(p)) => {
                let v = of_polytope(self.b, p, &-n);
                of_cylinder(self.a, n)
                    .for_each(|round| beside_corner(p, v, round, |of_p| see(FeaturePair(round, of_p))));
            }
            _ => of_cylinder(self.a, n)
                .for_each(|a| of_cylinder(self.b, &-n).for_each(|b| see(FeaturePair(a, b)))),
        }
    }
}

/// Visits the features of a polytope around a corner that may have a normal of their own with a part of a
/// cylinder.
fn beside_corner(p: &Polytope, corner: usize, round: Feature, mut see: impl FnMut(Feature)) {
    if round == Feature::Side {
        see(Feature::Vertex(corner));
    }
    p.adjacency().edges_at(corner).for_each(|e| see(Feature::Edge(e)));
}
