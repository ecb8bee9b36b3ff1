//! Contact points of a pose alone, with those that would run held in their places.
//!
//! The lowest point of a rim runs around it, and the crossing of two sides along them, while the bodies
//! hardly turn: a load that followed would turn them back and forth. A place that is held gives a plane that
//! cuts the gap from below, and the next search adds another one.

use crate::contact::facing::Facing;
use crate::contact::feature::{Cylinder, Feature, RIM_STEPS, in_shape};
use crate::contact::feature_pair::FeaturePair;
use crate::contact::feature_query::FeatureQuery;
use crate::contact::feature_search::FeatureSearch;
use crate::contact::manifold::ContactManifold;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, off_feature};
use crate::contact::tolerances::{BESIDE_AXIS_POINT, TWO_ENDED_LINE_SINE, UNSUPPORTED_ERROR};
use nalgebra::Vector3;
use std::f64::consts::TAU;

/// Name of the ring at the lower end of a cylinder, of those that are taken by their height; other rings have
/// smaller names.
const FIRST_RING: usize = 16;

/// Distance over the radius up to which a place counts as one of a rim.
const RIM_WIDTH: f64 = 1e-3;

impl ContactManifold {
    /// Finds the contact points at a pose, and places `known` ones beside them. Places that would run around
    /// a rim stay where they are found.
    pub fn find(
        &mut self,
        query: &FeatureQuery<'_>,
        (known, lean): (impl Iterator<Item = FeaturePair>, f64),
        search: &mut FeatureSearch,
    ) -> Facing {
        let (a, b) = (query.a, query.b);
        self.shortlist.clear();
        self.points.clear();
        self.n_slots = usize::MAX;
        let facing = self.face_of_unions(query, search);
        self.add(&search.found, facing.n_touching);
        self.evaluate(a, b, &facing.normal);
        self.drop_beside(facing.n_touching, BESIDE_AXIS_POINT * a.model.smaller_size(b.model));
        self.hold(a, b);
        let n_found = self.points.len();
        for feature in known {
            if !self.points.iter().any(|point| point.feature.is_same(&feature)) {
                self.points.push(ContactPoint::new(feature));
            }
        }
        self.evaluate(a, b, &facing.normal);
        let beside = UNSUPPORTED_ERROR * a.model.smaller_size(b.model);
        let mut k = 0;
        self.points.retain(|point| {
            k += 1;
            k <= n_found || off_feature(point, a, b) <= beside && lean_of(point, [a, b]) <= lean
        });
        self.set_idle(query, facing.gap);
        self.merge_coincident(a, b, None);
        facing
    }

    /// Drops points that do not touch along the axis, as the others may, where one of the first `n_touching`
    /// is no farther off than `near` (m). Where an edge crosses a rim, its crossing over the cap is there,
    /// too, with the normal of the cap: a load on that would go over to the edge in a check.
    fn drop_beside(&mut self, n_touching: usize, near: f64) {
        let mut k = n_touching;
        while k < self.points.len() {
            let place = |k: usize| &self.points[k].geometry.arm_b;
            match (0..n_touching).any(|i| (place(i) - place(k)).norm() <= near) {
                true => drop(self.points.remove(k)),
                false => k += 1,
            }
        }
    }

    /// Holds points of rims and crossings of sides where they are now.
    fn hold(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        for k in 0..self.points.len() {
            let ContactPoint { feature: FeaturePair(of_a, of_b), geometry, .. } = self.points[k];
            let held = match (of_a, of_b) {
                (Feature::Side, Feature::Side) if !cross_freely(a, b) => {
                    FeaturePair(ring_at(a, &geometry.arm_a), of_b)
                }
                _ if is_surface(of_b) => FeaturePair(held(of_a, a, &geometry.arm_a), of_b),
                _ if is_surface(of_a) => FeaturePair(of_a, held(of_b, b, &geometry.arm_b)),
                _ => continue,
            };
            self.points[k].feature = held;
        }
        let mut k = 0;
        while k < self.points.len() {
            let feature = self.points[k].feature;
            match self.points[..k].iter().any(|point| point.feature.is_same(&feature)) {
                true => drop(self.points.remove(k)),
                false => k += 1,
            }
        }
    }
}

/// Whether lines, of which one has round ends, cross at an angle at which the crossing hardly runs along
/// them.
fn cross_freely(a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let (Some(first), Some(second)) = (Cylinder::of(a), Cylinder::of(b)) else { return false };
    (first.is_capsule || second.is_capsule) && first.axis.cross(&second.axis).norm() > TWO_ENDED_LINE_SINE
}

/// The ring next to a place on the side of a cylinder.
fn ring_at(part: &Placed<'_>, arm: &Vector3<f64>) -> Feature {
    let Some(cylinder) = Cylinder::of(part) else { return Feature::Side };
    let part = (0.5 + 0.5 * cylinder.coordinates(arm).0 / cylinder.half).clamp(0.0, 1.0);
    let step = (part * f64::from(RIM_STEPS)).round() as usize;
    ring(part_height(step) * cylinder.half, step)
}

/// Height of a ring over half the length.
fn part_height(step: usize) -> f64 {
    2.0 * step as f64 / f64::from(RIM_STEPS) - 1.0
}

fn ring(height: f64, step: usize) -> Feature {
    Feature::Ring(height, FIRST_RING + step)
}

/// The ring of a name on a cylinder, if it was taken by its height.
pub fn ring_of(part: &Placed<'_>, name: usize) -> Option<Feature> {
    let (cylinder, step) = (Cylinder::of(part)?, name.checked_sub(FIRST_RING)?);
    Some(ring(part_height(step) * cylinder.half, step))
}

/// Whether a point over the feature has a normal of it.
fn is_surface(feature: Feature) -> bool {
    feature.is_flat() || feature == Feature::Side
}

/// How far the normal of a point of a rim leans along the rim (sine).
fn lean_of(point: &ContactPoint, bodies: [&Placed<'_>; 2]) -> f64 {
    let sides = [(point.feature.0, point.geometry.arm_a), (point.feature.1, point.geometry.arm_b)];
    let on_rims =
        sides.iter().zip(bodies).filter(|((feature, _), _)| matches!(feature, Feature::RimPoint(..)));
    on_rims.map(|((_, arm), part)| lean_at(part, arm, &point.geometry.normal, 0.0)).fold(0.0, f64::max)
}

/// How far a normal leans around the side of a cylinder at a place on it or on a rim (sine), beyond what a
/// change of the gap by `leeway` (m) explains: the lowest place has a normal that does not.
pub fn lean_at(part: &Placed<'_>, arm: &Vector3<f64>, n: &Vector3<f64>, leeway: f64) -> f64 {
    let Some(cylinder) = Cylinder::of(part).filter(|cylinder| !cylinder.is_capsule) else { return 0.0 };
    let (_, across) = cylinder.coordinates(arm);
    if across < cylinder.radius - 2.0 * leeway.max(RIM_WIDTH * cylinder.radius) {
        return 0.0;
    }
    let around = cylinder.axis.cross(&(arm - cylinder.center)) / across;
    around.dot(n).abs() - leeway / cylinder.radius
}

/// A feature at a place: of a rim the point next to it.
fn held(feature: Feature, part: &Placed<'_>, arm: &Vector3<f64>) -> Feature {
    let Feature::Rim(up) = feature else { return feature };
    let at = in_shape(part, arm);
    let turn = at.y.atan2(at.x).rem_euclid(TAU) / TAU;
    Feature::RimPoint(up, (turn * f64::from(RIM_STEPS)).round() as u32 % RIM_STEPS)
}
