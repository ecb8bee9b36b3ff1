//! Activation of the contact points of a manifold: unsupported points, misaligned ones and those whose plane
//! cuts a body make way for others.

use crate::contact::activation::{CheckLevel, Exclusions};
use crate::contact::feature::{Feature, polytope};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::manifold::{ContactManifold, MAX_EXCLUSIONS};
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, cut, support_error};
use crate::contact::tolerances::{
    MISALIGNED_ANGLE, MISALIGNED_GAPS, NEGLIGIBLE_LOAD, PLANE_CUT, PLANE_CUT_GAPS, POINT_RUN, SAME_PLACE,
    SAME_SIDE, UNSUPPORTED_ERROR, UNSUPPORTED_GAPS, UNSUPPORTED_GAPS_ALONG,
};
use nalgebra::Vector3;

impl ContactManifold {
    /// Excludes contact points that are loaded but no longer support both bodies, measured by the gaps of the
    /// loaded contact points; `size` is a length of the pair. Their load goes to three contact points on the
    /// same side of which their place is a mean, so that the moment stays, or to the nearest if there is one.
    pub fn exclude_unsupported(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, x: &mut [f64]) {
        let open = self.open(x);
        for k in 0..self.points.len() {
            if x[k] <= 0.0 || self.is_supporting(k, a, b, size, open) {
                continue;
            }
            self.points[k].exclude();
            let load = std::mem::take(&mut x[k]);
            let room = UNSUPPORTED_ERROR * size + UNSUPPORTED_GAPS * open;
            let old = self.points[k].geometry;
            let successors: Vec<usize> = self.successors(k, a, b, room).filter(|j| *j < x.len()).collect();
            match self.mean_of(&successors, &old.arm_b, &old.normal, POINT_RUN * size) {
                Some(mean) => mean.take(load, x),
                None => self.nearest(k, successors.into_iter()).into_iter().for_each(|j| x[j] += load),
            }
        }
    }

    /// Largest gap of a loaded contact point, or overlap of one that may exert an impulse (m).
    pub(super) fn open(&self, x: &[f64]) -> f64 {
        let little = NEGLIGIBLE_LOAD * x.iter().sum::<f64>();
        let off = |point: &ContactPoint, x: f64| {
            if x > little { point.geometry.gap.abs() } else { -point.geometry.gap }
        };
        let points = self.points.iter().zip(x).filter(|(point, _)| point.exerts());
        points.map(|(point, x)| off(point, *x)).fold(0.0, f64::max)
    }

    /// Whether a contact point supports both bodies, where the largest gap of a loaded one is `open`.
    fn is_supporting(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, size: f64, open: f64) -> bool {
        let (beyond, outside) = support_error(&self.points[k], a, b);
        beyond <= UNSUPPORTED_ERROR * size + UNSUPPORTED_GAPS * open
            && outside <= UNSUPPORTED_ERROR * size + UNSUPPORTED_GAPS_ALONG * open
    }

    /// Whether contact point k carries some of the impulses x, or could: it supports both bodies along the
    /// separating axis and its plane cuts neither.
    pub fn could_carry_load(
        &self,
        k: usize,
        a: &Placed<'_>,
        b: &Placed<'_>,
        axis: &Vector3<f64>,
        x: &[f64],
    ) -> bool {
        let size = a.model.smaller_size(b.model);
        let (point, open) = (&self.points[k], self.open(x));
        let turned = (point.geometry.normal - axis).norm();
        x[k] > 0.0
            || point.exerts()
                && self.is_supporting(k, a, b, size, open)
                && turned <= turn_allowed(open, size)
                && (self.is_even(x.len()) || !self.cuts(k, a, b, cut_allowed(open, size)))
    }

    /// Whether another refresh at the same pose, under the checks of [`crate::contact::Pair::refresh`], would
    /// change nothing and exclude no contact point. Only contact points without round features stay equal to
    /// the last bit.
    pub fn is_settled(
        &self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        x: &[f64],
        checks: CheckLevel,
    ) -> bool {
        let (checks_support, checks_alignment) =
            (checks >= CheckLevel::Support, checks >= CheckLevel::Alignment);
        let open = self.open(x);
        let loaded = || (0..self.points.len().min(x.len())).filter(|k| x[*k] > 0.0);
        let room = cut_allowed(open, size);
        let angle = turn_allowed(open, size);
        self.points.iter().all(|point| point.feature.is_polyhedral())
            && !(checks_support && loaded().any(|k| !self.is_supporting(k, a, b, size, open)))
            && !(checks_alignment && self.moment(x).norm() > angle * size * x.iter().sum::<f64>())
            && !(checks_alignment && !self.is_even(x.len()) && loaded().any(|k| self.cuts(k, a, b, room)))
    }

    /// Moment on B that contact points leave beside their sum, Σ x_k (r_k − r_c) × n_k (N m s): points that
    /// push along different normals at different places have no equivalent contact point.
    pub fn moment(&self, x: &[f64]) -> Vector3<f64> {
        let loaded = || self.points.iter().zip(x).filter(|(_, x)| **x > 0.0);
        let sum: f64 = loaded().map(|(_, x)| x).sum();
        let Some((first, _)) = loaded().next() else { return Vector3::zeros() };
        if loaded().all(|(point, _)| point.geometry.normal == first.geometry.normal) {
            return Vector3::zeros();
        }
        let center = loaded().map(|(point, x)| point.geometry.arm_b * *x).sum::<Vector3<f64>>() / sum;
        loaded().map(|(point, x)| (point.geometry.arm_b - center).cross(&point.geometry.normal) * *x).sum()
    }

    /// Largest angle (rad) by which `normal` is misaligned at the contact points that push with x: from the
    /// normal of each, and the normal of that, where an edge crosses above the rim of a face, from the
    /// normals of the faces at the edge.
    pub fn turned(&self, normal: &Vector3<f64>, a: &Placed<'_>, b: &Placed<'_>, x: &[f64]) -> f64 {
        let loaded = self.points.iter().zip(x).filter(|(_, x)| **x > 0.0);
        let turned =
            |point: &ContactPoint| point.geometry.normal.cross(normal).norm() + off_edge_normals(point, a, b);
        loaded.map(|(point, _)| turned(point)).fold(0.0, f64::max)
    }

    /// Excludes loaded contact points that are misaligned with the separating axis, if others along the axis
    /// can take their load, and if the load would else have no equivalent contact point.
    pub fn exclude_misaligned(&mut self, axis: &Vector3<f64>, size: f64, x: &mut [f64]) {
        let open = self.open(x);
        let sum: f64 = x.iter().sum();
        let angle = turn_allowed(open, size);
        if self.moment(x).norm() <= angle * size * sum {
            return;
        }
        let is_misaligned = |point: &ContactPoint| (point.geometry.normal - axis).norm() > angle;
        for k in 0..self.points.len().min(x.len()) {
            if x[k] <= 0.0 || !is_misaligned(&self.points[k]) {
                continue;
            }
            let along = (0..self.points.len())
                .filter(|j| self.points[*j].exerts() && !is_misaligned(&self.points[*j]));
            let Some(successor) = self.nearest(k, along) else { return };
            x[successor] += x[k];
            x[k] = 0.0;
            self.points[k].exclude();
            self.points[k].exclusions.by_normal = true;
        }
    }

    /// Excludes loaded contact points whose plane cuts one of the bodies, if another contact point along
    /// another normal cuts neither: a crossing above the rim of a face, once the face leans by little, for
    /// the two edges that cross at it; a point of a rim in the plane of a face, where the rim touches an edge
    /// of it. At one place both carry the same load and leave no moment, but their sum is no normal of both
    /// bodies.
    pub fn exclude_cutting(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, x: &mut [f64]) {
        let n = self.points.len().min(x.len());
        if self.is_even(n) {
            return;
        }
        let little = NEGLIGIBLE_LOAD * x.iter().sum::<f64>();
        let open = (0..n).filter(|k| x[*k] > little).map(|k| self.points[k].geometry.gap.abs());
        let room = cut_allowed(open.fold(0.0, f64::max), size);
        for k in 0..n {
            if x[k] <= 0.0 || !self.cuts(k, a, b, room) {
                continue;
            }
            let (place, normal) = (self.points[k].geometry.arm_b, self.points[k].geometry.normal);
            let distance = |j: usize| (self.points[j].geometry.arm_b - place).norm();
            let is_beside = |j: usize| self.are_flat(k, j) || distance(j) <= SAME_PLACE * size;
            let successors = (0..n)
                .filter(|j| self.points[*j].exerts() && self.differ_in_normal(k, *j) && is_beside(*j))
                .filter(|j| self.points[*j].geometry.normal.dot(&normal) > SAME_SIDE)
                .filter(|j| !self.cuts(*j, a, b, room));
            let Some(successor) = self.nearest(k, successors) else { continue };
            x[successor] += x[k];
            x[k] = 0.0;
            self.points[k].exclude();
        }
    }

    /// Whether the first n contact points all push along one normal.
    fn is_even(&self, n: usize) -> bool {
        let mut acting = (0..self.points.len().min(n)).filter(|k| self.points[*k].exerts());
        acting.next().is_none_or(|first| acting.all(|k| !self.differ_in_normal(first, k)))
    }

    /// Whether neither contact point has a round feature.
    fn are_flat(&self, i: usize, j: usize) -> bool {
        [i, j].iter().all(|k| self.points[*k].feature.is_polyhedral())
    }

    fn differ_in_normal(&self, i: usize, j: usize) -> bool {
        (self.points[i].geometry.normal - self.points[j].geometry.normal).norm() > MISALIGNED_ANGLE
    }

    fn cuts(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, room: f64) -> bool {
        cut(&self.points[k], a, b) > room
    }

    /// Readmits contact points that were excluded for their normal, now that the iterate is far from a
    /// solution.
    pub fn readmit_misaligned(&mut self) {
        let may_return = |e: &Exclusions| e.by_normal && e.count < MAX_EXCLUSIONS;
        for point in self.points.iter_mut().filter(|point| may_return(&point.exclusions)) {
            point.activation = point.activation.readmitted();
            point.exclusions.by_normal = false;
        }
    }

    /// Finds the nearest contact point that supports both bodies to within `tolerance` (m) on the same side
    /// as contact point k.
    pub(super) fn successor(
        &self,
        k: usize,
        a: &Placed<'_>,
        b: &Placed<'_>,
        tolerance: f64,
    ) -> Option<usize> {
        self.nearest(k, self.successors(k, a, b, tolerance))
    }

    /// The nearest of contact points to contact point k.
    fn nearest(&self, k: usize, of: impl Iterator<Item = usize>) -> Option<usize> {
        let distance = |j: usize| (self.points[j].geometry.arm_b - self.points[k].geometry.arm_b).norm();
        of.min_by(|i, j| distance(*i).total_cmp(&distance(*j)))
    }

    /// Contact points that support both bodies to within `tolerance` (m) on the same side as contact point k.
    fn successors(
        &self,
        k: usize,
        a: &Placed<'_>,
        b: &Placed<'_>,
        tolerance: f64,
    ) -> impl Iterator<Item = usize> {
        let normal = self.points[k].geometry.normal;
        (0..self.points.len()).filter(move |j| {
            let point = &self.points[*j];
            point.exerts() && point.geometry.normal.dot(&normal) > SAME_SIDE && {
                let (beyond, outside) = support_error(point, a, b);
                beyond.max(outside) <= tolerance
            }
        })
    }
}

/// Angle (rad) between the normal of a contact point where an edge crosses above the rim of a face and the
/// nearer one of the normals of the faces at the edge; 0 of other contact points.
fn off_edge_normals(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let (body, edge, out) = match point.feature {
        FeaturePair(Feature::EdgePoint(_, (edge, _)), _) => (a, edge, point.geometry.normal),
        FeaturePair(_, Feature::EdgePoint(_, (_, edge))) => (b, edge, -point.geometry.normal),
        _ => return 0.0,
    };
    let Some(p) = polytope(body) else { return 0.0 };
    let n = body.moved.shape_rotation.tr_mul(&out);
    let squares = p.edges[edge].faces.iter().map(|face| p.faces[*face].normal.cross(&n).norm_squared());
    squares.fold(f64::INFINITY, f64::min).sqrt()
}

/// Angle allowed between normals where the largest gap of a loaded contact point is `open`.
fn turn_allowed(open: f64, size: f64) -> f64 {
    MISALIGNED_ANGLE + MISALIGNED_GAPS * open / size
}

/// Depth by which a plane may cut a body at a contact point (m).
fn cut_allowed(open: f64, size: f64) -> f64 {
    PLANE_CUT * size + PLANE_CUT_GAPS * open
}
