//! A flat pair: its contact points, found at the end pose and kept for the step (theory §3.3).

use crate::contact::activation::{Activation, Exclusions};
use crate::contact::axis::curved_axis::Shortlist;
use crate::contact::clipping::follow::follow_crossing;
use crate::contact::exposed_axis::{exposed_face, exposed_face_of_groove, may_be_interior};
use crate::contact::facing::Facing;
use crate::contact::feature::{Cylinder, Feature};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::feature_search::{FeatureSearch, face, face_along};
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, NOWHERE, any_of_unions, place_point, place_polyhedral};
use crate::contact::tolerances::{DISTANT_PAIR, IDLE_MARGIN, POINT_MISMATCH};
use crate::contact::union_normal::GROOVE;
use nalgebra::Vector3;

mod activation;
mod coincident;
mod held;
mod line;
mod load_transfer;
mod loaded_face;
mod patch;
mod wrench;

pub use held::{lean_at, ring_of};
pub use patch::rim_of;

/// Most points of rims that stay from step to step beside those that always hold a standing cylinder.
const MAX_LANDED: usize = 6;
/// Rows reserved for contact points not met yet.
const SPARE_SLOTS: usize = 6;

/// Number of exclusions in a step after which a contact point stays excluded even if it touches again.
pub(super) const MAX_EXCLUSIONS: usize = 3;

/// The contact points of a pair.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct ContactManifold {
    /// Contact points met within the step; a contact point is never dropped while converging.
    pub points: Vec<ContactPoint>,
    /// Rows reserved for contact points.
    pub n_slots: usize,
    /// Number of contact points met that had no slot.
    pub n_missed: usize,
    shortlist: Shortlist,
    /// Whether ends of a line are active, along one normal.
    is_line: bool,
}

impl ContactManifold {
    /// Manifold for poses along a path: bodies that overlap deeply are not searched from all sides.
    pub fn rough() -> Self {
        Self { shortlist: Shortlist::rough(), ..Self::default() }
    }

    /// Finds the features at the start of a step: contact points that were loaded stay, others go unless they
    /// touch.
    pub fn begin(&mut self, query: &FeatureQuery<'_>, search: &mut FeatureSearch) -> Facing {
        self.shortlist.clear();
        let facing = self.face_of_unions(query, search);
        let is_found = |point: &ContactPoint| search.found.iter().any(|f| f.is_same(&point.feature));
        self.points.retain(|point| point.impulse > 0.0 || is_found(point));
        self.thin_rims(is_found);
        self.readmit_all();
        self.points.iter_mut().for_each(|point| point.activation = Activation::Active);
        self.n_slots = usize::MAX;
        self.add(&search.found, facing.n_touching);
        self.evaluate(query.a, query.b, &facing.normal);
        for point in &mut self.points {
            point.activation = point.activation.with_idle(!point.is_of_unions(query.a, query.b));
        }
        self.merge_coincident(query.a, query.b, None);
        facing
    }

    /// Finds the separating axis and the features that touch along it. Where parts overlap along an axis that
    /// is no normal of their bodies, the axis is the normal of an exposed face.
    fn face_of_unions(&mut self, query: &FeatureQuery<'_>, search: &mut FeatureSearch) -> Facing {
        let facing = face(query, &mut self.shortlist, search);
        let (a, b) = (query.a, query.b);
        if !may_be_interior(a, b, facing.gap) || any_of_unions(&search.found, a, b, &facing.normal) {
            return facing;
        }
        let Some(axis) = exposed_face(a, b, query.from.as_ref()) else { return facing };
        if Cylinder::of(a).or(Cylinder::of(b)).is_some() {
            return face_along(query, &axis, search);
        }
        if query.side.is_some() {
            return facing;
        }
        let side = axis.normal;
        let query = FeatureQuery { side: Some(side), start: side, ..*query };
        let facing = face(&query, &mut self.shortlist, search);
        if any_of_unions(&search.found, a, b, &facing.normal) {
            return facing;
        }
        // On that side an edge at the bottom of a groove may be the least deep.
        match exposed_face_of_groove(a, b, query.from.as_ref()) {
            Some(axis) if axis.gap > GROOVE * facing.gap => face_along(&query, &axis, search),
            _ => facing,
        }
    }

    /// Finds the separating axis at an end pose, on whatever side.
    pub fn facing(&mut self, query: &FeatureQuery<'_>, search: &mut FeatureSearch) -> Facing {
        face(query, &mut self.shortlist, search)
    }

    /// Drops all but the most loaded of the points that a cylinder landed on; the others leave their load to
    /// the nearest.
    fn thin_rims(&mut self, is_found: impl Fn(&ContactPoint) -> bool) {
        let is_spare = |point: &ContactPoint| {
            let on_rim = |part: Feature| matches!(part, Feature::RimPoint(..));
            (on_rim(point.feature.0) || on_rim(point.feature.1)) && !is_found(point)
        };
        while self.points.iter().filter(|point| is_spare(point)).count() > MAX_LANDED {
            let spare = (0..self.points.len()).filter(|k| is_spare(&self.points[*k]));
            let Some(least) =
                spare.min_by(|i, j| self.points[*i].impulse.total_cmp(&self.points[*j].impulse))
            else {
                return;
            };
            let gone = self.points.remove(least);
            let distance = |point: &ContactPoint| (point.geometry.arm_b - gone.geometry.arm_b).norm();
            let successor = self.points.iter_mut().min_by(|p, q| distance(p).total_cmp(&distance(q)));
            if let Some(successor) = successor {
                successor.impulse += gone.impulse;
            }
        }
    }

    /// Finds the features at an end pose, united with those met before. Excluded contact points lose their
    /// load `x`. `bound` is a lower bound of the gap along the normal to start from: bodies far apart that
    /// transmit nothing are not searched.
    pub fn refresh(
        &mut self,
        query: &FeatureQuery<'_>,
        bound: f64,
        search: &mut FeatureSearch,
        x: &mut [f64],
    ) -> Facing {
        let (a, b) = (query.a, query.b);
        let size = a.model.smaller_size(b.model);
        let is_far = bound > DISTANT_PAIR * size && !self.points.is_empty() && x.iter().all(|x| *x <= 0.0);
        let facing = if is_far {
            Facing { normal: query.start, gap: bound, n_touching: 0 }
        } else {
            let query = FeatureQuery { loaded: self.loaded_face(x), ..*query };
            let facing = self.face_of_unions(&query, search);
            self.add(&search.found, facing.n_touching);
            facing
        };
        self.is_line = false;
        search.places.clear();
        search.places.extend(self.points.iter().map(|point| point.geometry.arm_b));
        self.evaluate(a, b, &facing.normal);
        self.set_idle(query, facing.gap);
        self.merge_coincident(a, b, Some(x));
        self.keep_loads_in_place(&search.places, a, b, &facing.normal, x);
        for k in 0..self.points.len().min(x.len()) {
            let is_idle = self.points[k].activation.is_idle() && x[k] > 0.0;
            if is_idle
                && (facing.gap <= 0.0 || self.points[k].is_lost(a, b) || self.points[k].is_off(a, b, size))
                && let Some(successor) = self.successor(k, a, b, f64::INFINITY)
            {
                x[successor] += x[k];
            }
            if !self.points[k].exerts() {
                x[k] = 0.0;
            }
        }
        facing
    }

    /// Lets points idle that cannot be where bodies touch whose separation is `gap` (m).
    fn set_idle(&mut self, query: &FeatureQuery<'_>, gap: f64) {
        let (a, b) = (query.a, query.b);
        let size = a.model.smaller_size(b.model);
        for point in &mut self.points {
            let is_idle = point.geometry.gap < gap - IDLE_MARGIN * size
                || point.is_lost(a, b)
                || point.is_off(a, b, size)
                || !point.is_of_unions(a, b);
            point.activation = point.activation.with_idle(is_idle);
        }
    }

    /// Readmits all contact points, and forgets their exclusions.
    pub fn readmit_all(&mut self) {
        for point in &mut self.points {
            point.activation = point.activation.readmitted();
            point.exclusions = Exclusions::default();
        }
    }

    /// Reserves rows for the known contact points and a few more.
    pub fn reserve(&mut self) {
        self.n_slots = (self.points.len() + SPARE_SLOTS).next_multiple_of(SPARE_SLOTS);
        self.n_missed = 0;
    }

    fn add(&mut self, found: &[FeaturePair], n_touching: usize) {
        self.n_missed = 0;
        for (k, feature) in found.iter().enumerate() {
            if let Some(known) = self.points.iter_mut().find(|a| a.feature.is_same(feature)) {
                if known.exclusions.count < MAX_EXCLUSIONS && k < n_touching {
                    known.activation = known.activation.readmitted();
                }
                // The crossing point of edges moves along them.
                known.feature = *feature;
                continue;
            }
            if self.points.len() >= self.n_slots {
                self.n_missed += 1;
                continue;
            }
            self.points.push(ContactPoint::new(*feature));
        }
    }

    fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>, facing: &Vector3<f64>) {
        let size = a.model.smaller_size(b.model);
        for point in &mut self.points {
            follow_crossing(&mut point.feature, a, b);
            if point.feature.is_polyhedral() {
                // Flat points do not turn with the normal: they never have a slope.
                let placed = place_polyhedral(point.feature, a, b);
                point.is_found = placed.is_some();
                point.geometry = placed.unwrap_or(NOWHERE);
                continue;
            }
            let last = point.geometry.normal;
            let hint = if last.dot(facing) > 0.0 { &last } else { facing };
            let (geometry, slope, mismatch) = place_point(point.feature, a, b, hint);
            (point.geometry, point.slope) = (geometry, slope);
            point.is_found = mismatch <= POINT_MISMATCH * size;
            let trust = point.tilt.trust(point.feature, a, b, &geometry.normal);
            point.slope[0] *= trust[0];
            point.slope[1] *= trust[1];
        }
    }
}

#[cfg(test)]
mod tests;
