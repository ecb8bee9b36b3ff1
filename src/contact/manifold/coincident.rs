//! Contact points at one place with one normal, which count as one.
//!
//! A corner over the rim of a face is a contact point, and so are the crossings of its edges with the rim a
//! rounding error away. Each refresh finds the corner or the crossings, and the manifold keeps all. Their
//! gaps differ by more than the tolerance allows while their forces have the same effect, so that no method
//! could tell which of them is active. Where their gaps are equal but for rounding all may be active.
//!
//! The side of a capsule ends in balls, which are features of lines that run nearly parallel, too.

use crate::contact::feature::Feature;
use crate::contact::feature_pair::FeaturePair;
use crate::contact::manifold::ContactManifold;
use crate::contact::placed::Placed;
use crate::contact::point::off_feature;
use crate::contact::tolerances::{BOUNDARY_WIDTH, COINCIDENT_GAPS, COINCIDENT_POINTS, MISALIGNED_ANGLE};
use nalgebra::Vector3;

impl ContactManifold {
    /// Merges contact points of polytopes that coincide with different gaps, and those of capsules that are
    /// the same: only one stays active. It takes the impulses x of the others; without x, those of the last
    /// step.
    pub(super) fn merge_coincident(&mut self, a: &Placed<'_>, b: &Placed<'_>, mut x: Option<&mut [f64]>) {
        let size = a.model.smaller_size(b.model);
        for i in 0..self.points.len() {
            for j in 0..i {
                let are_same = self.are_same([i, j], [a, b], size);
                if !are_same && !self.coincide(i, j, size) {
                    continue;
                }
                // Ends of lines tell more than where the lines cross.
                let cross = |k: usize| self.points[k].feature == FeaturePair(Feature::Side, Feature::Side);
                let is_later = match are_same {
                    true => cross(j) && !cross(i),
                    false => self.is_preferred([i, j], [a, b], size),
                };
                let (stays, goes) = if is_later { (i, j) } else { (j, i) };
                self.points[goes].activation = self.points[goes].activation.with_idle(true);
                match &mut x {
                    Some(x) if i < x.len() => x[stays] += std::mem::take(&mut x[goes]),
                    Some(_) => {}
                    None => {
                        let load = std::mem::take(&mut self.points[goes].impulse);
                        self.points[stays].impulse += load;
                    }
                }
            }
        }
    }

    /// Whether two contact points are one, where a line of a capsule ends.
    fn are_same(&self, points: [usize; 2], [a, b]: [&Placed<'_>; 2], size: f64) -> bool {
        let [p, q] = points.map(|k| &self.points[k]);
        let may = [p, q].iter().any(|point| point.feature.has_line(a, b));
        may && p.exerts()
            && q.exerts()
            && (p.geometry.arm_b - q.geometry.arm_b).norm() <= COINCIDENT_POINTS * size
            && (p.geometry.normal - q.geometry.normal).norm() <= MISALIGNED_ANGLE
    }

    fn coincide(&self, i: usize, j: usize, size: f64) -> bool {
        let [p, q] = [i, j].map(|k| &self.points[k]);
        p.exerts()
            && q.exerts()
            && !are_apart(&p.geometry.arm_b, &q.geometry.arm_b, COINCIDENT_POINTS * size)
            && p.feature.is_polyhedral()
            && q.feature.is_polyhedral()
            && (p.geometry.arm_b - q.geometry.arm_b).norm() <= COINCIDENT_POINTS * size
            && (p.geometry.normal - q.geometry.normal).norm() <= MISALIGNED_ANGLE
            && (p.geometry.gap - q.geometry.gap).abs() > COINCIDENT_GAPS * size
    }

    /// Whether the first of two contact points is preferred to the second: it lies on its features and the
    /// other one beside, or its gap is less.
    fn is_preferred(&self, points: [usize; 2], [a, b]: [&Placed<'_>; 2], size: f64) -> bool {
        let [first, second] = points.map(|k| &self.points[k]);
        let [off, other_off] = [first, second].map(|point| off_feature(point, a, b));
        if (off - other_off).abs() > BOUNDARY_WIDTH * size {
            return off < other_off;
        }
        first.geometry.gap < second.geometry.gap
    }
}

/// Whether points are clearly further apart than `limit`, tested without a root: most are.
fn are_apart(p: &Vector3<f64>, q: &Vector3<f64>, limit: f64) -> bool {
    (p - q).norm_squared() > 4.0 * limit * limit
}
