//! Pairs that move further within a step than they are thick, and the side on which they met.

use crate::contact::bore::Bore;
use crate::contact::ccd::{PartMotion, SweptPair};
use crate::contact::feature::Feature;
use crate::contact::feature_search::FeatureSearch;
use crate::contact::manifold::ContactManifold;
use crate::contact::pair::Pair;
use crate::contact::part_model::MovedPart;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{
    FEATURE_MARGIN, PASSED_OVERLAP, SAME_SIDE, SAME_SMOOTH_SIDE, SWEPT_MOTION, TOUCHING_GAP,
};
use nalgebra::Vector3;

/// Number of poses examined for each time that the pair moves by the bodies' added widths.
const PER_WIDTH: f64 = 8.0;
/// Most poses examined.
const MAX_POSES: f64 = 64.0;
/// Halvings of the interval in which the bodies meet.
const HALVINGS: usize = 16;

/// Result of the search for a collision from the start to an end pose.
#[derive(Debug, Clone, Copy)]
pub enum CollisionSearch {
    /// The bodies collided: the normal and the feature with which they first touched.
    Collided(Vector3<f64>, Feature),
    /// The bodies never overlapped, or by less than a quarter of the thinner one's width, as where a body
    /// slides over the edge of a plate. Of smooth pairs the normal and feature at the end.
    Missed(Vector3<f64>, Feature),
}

/// The motions of both bodies of a pair, examined at a number of poses.
struct SampledMotion<'a> {
    ends: [&'a Placed<'a>; 2],
    motions: [PartMotion; 2],
    n_poses: f64,
    size: f64,
}

impl SampledMotion<'_> {
    fn steps(&self) -> impl Iterator<Item = f64> {
        let n_poses = self.n_poses;
        (0..=n_poses as usize).map(move |k| k as f64 / n_poses)
    }

    /// Placements of both bodies after a fraction of their motions.
    fn moved(&self, fraction: f64) -> [MovedPart; 2] {
        [0, 1].map(|k| self.motions[k].at(fraction, self.ends[k].model))
    }

    fn placed<'m>(&'m self, moved: &'m [MovedPart; 2]) -> [Placed<'m>; 2] {
        [0, 1].map(|k| Placed { moved: &moved[k], ..*self.ends[k] })
    }

    /// Gap at a pose (m); the probe starts from its last normal.
    fn gap_at(&self, moved: &[MovedPart; 2], probe: &mut Pair, search: &mut FeatureSearch) -> f64 {
        let [a, b] = self.placed(moved);
        if let Some(manifold) = &mut probe.manifold {
            manifold.points.clear();
        }
        probe.begin(&a, &b, FEATURE_MARGIN * self.size, search);
        probe.geometry.gap
    }

    /// Whether one of those normals shows that the gap at a pose is not below `gap` (m): the separation along
    /// any normal is at most the gap. Smooth bodies are followed from pose to pose.
    fn is_apart(&self, moved: &[MovedPart; 2], normals: &[Vector3<f64>], gap: f64, probe: &Pair) -> bool {
        let [a, b] = self.placed(moved);
        probe.manifold.is_some() && normals.iter().any(|n| a.separation_along(&b, n) >= gap)
    }

    /// Finds the first touch, from the normal and the feature of the probe: the fraction of the motion, the
    /// normal and the feature.
    fn first_touch(&self, probe: &mut Pair, search: &mut FeatureSearch) -> (f64, Vector3<f64>, Feature) {
        let touching = -TOUCHING_GAP * self.size;
        let (mut before, mut after) = ((0.0, probe.geometry.normal, probe.feature), 1.0);
        for at in self.steps() {
            let moved = self.moved(at);
            if self.is_apart(&moved, &[before.1], touching, probe) {
                before.0 = at;
                continue;
            }
            if self.gap_at(&moved, probe, search) < touching {
                after = at;
                break;
            }
            before = (at, probe.geometry.normal, probe.feature);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before.0 + after);
            (probe.geometry.normal, probe.feature) = (before.1, before.2);
            if self.gap_at(&self.moved(middle), probe, search) < touching {
                after = middle;
            } else {
                before = (middle, probe.geometry.normal, probe.feature);
            }
        }
        before
    }
}

impl Pair {
    /// Searches for a collision between the start and the given placements, on a straight line and with a
    /// steady turn.
    fn find_collision(
        &self,
        swept: &SweptPair,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) -> CollisionSearch {
        let ends = [a, b];
        let motions = [0, 1].map(|k| PartMotion::new(&swept.start[k], ends[k].moved));
        let turning = [0, 1].map(|k| motions[k].turn.norm() * ends[k].model.radius);
        let travel = (motions[1].displacement - motions[0].displacement).norm() + turning[0] + turning[1];
        let n_poses = (PER_WIDTH * travel / swept.width()).ceil().clamp(1.0, MAX_POSES);
        let sampled = SampledMotion { ends, motions, n_poses, size };
        let mut probe = Pair { swept: None, manifold: None, ..self.clone() };
        probe.geometry.normal = swept.normal;
        if self.manifold.is_some() {
            probe.manifold = Some(Box::new(ContactManifold::rough()));
        }
        let deep = -PASSED_OVERLAP * swept.widths[swept.thinner()];
        let passes = sampled.steps().any(|at| {
            let moved = sampled.moved(at);
            let known = [swept.normal, self.geometry.normal, probe.geometry.normal];
            !sampled.is_apart(&moved, &known, deep, &probe)
                && sampled.gap_at(&moved, &mut probe, search) < deep
        });
        if !passes {
            return CollisionSearch::Missed(probe.geometry.normal, probe.feature);
        }
        (probe.geometry.normal, probe.feature) = (swept.normal, self.feature);
        let (at, normal, feature) = sampled.first_touch(&mut probe, search);
        CollisionSearch::Collided(sampled.motions[swept.thinner()].carried(normal, at), feature)
    }

    /// Normal of the side on which a pair with manifolds met, if it is no longer the side of `facing`.
    pub(super) fn met_side(
        &self,
        facing: &Vector3<f64>,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) -> Option<Vector3<f64>> {
        let swept = self.swept.as_ref()?;
        if facing.dot(&swept.normal_at([a, b])) >= SAME_SIDE {
            return None;
        }
        match self.find_collision(swept, a, b, size, search) {
            CollisionSearch::Collided(normal, _) if facing.dot(&normal) < SAME_SIDE => Some(normal),
            _ => None,
        }
    }

    /// Brings a smooth pair, as evaluated, back to the side on which it met; or away from a normal along
    /// which it seems to overlap when the bodies have passed beside each other.
    pub(super) fn keep_side(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) {
        let Some(swept) = self.swept.take() else { return };
        let g = &self.geometry;
        let is_suspect = g.normal.dot(&swept.normal_at([a, b])) < SAME_SMOOTH_SIDE
            || g.gap < -SWEPT_MOTION * swept.width();
        if is_suspect {
            let (normal, feature, met) = match self.find_collision(&swept, a, b, size, search) {
                CollisionSearch::Collided(normal, feature) => (normal, feature, true),
                CollisionSearch::Missed(normal, feature) => (normal, feature, false),
            };
            if self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                (self.geometry.normal, self.feature) = (normal, feature);
                self.evaluate(a, b);
            }
            if met && self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                self.hold_apart(&normal, a, b, size);
            }
        }
        self.swept = Some(swept);
    }

    /// Whether the pair faces as it did at the start of the step. The normal of a body that slides over an
    /// edge in a step may turn by 90° though it has passed through nothing, and so may that of one in a bore.
    pub(in crate::contact) fn keeps_facing(&self) -> bool {
        self.geometry.normal.dot(&self.frame.0) >= SAME_SMOOTH_SIDE
    }

    /// Whether the bodies of a pair that faces another way than at the start of the step, and was not
    /// expected to move far, have tunnelled through each other, as evaluated at the end; such a pair is
    /// swept from now on.
    ///
    /// The equations of a step hold at its end only, and may have roots on the far side of a thin body, with
    /// any impulse.
    pub(in crate::contact) fn catch_passed(
        &mut self,
        start: [&Placed<'_>; 2],
        end: [&Placed<'_>; 2],
        size: f64,
        search: &mut FeatureSearch,
    ) -> bool {
        let facing = self.geometry.normal;
        let is_in_bore = Bore::of(start[0]).is_some();
        if is_in_bore || self.swept.is_some() {
            return false;
        }
        let Some(swept) = SweptPair::of(self.frame.0, start[0], start[1], f64::INFINITY) else {
            return false;
        };
        let met = self.find_collision(&swept, end[0], end[1], size, search);
        let passed =
            matches!(met, CollisionSearch::Collided(normal, _) if facing.dot(&normal) < SAME_SMOOTH_SIDE);
        self.swept = passed.then_some(swept);
        passed
    }

    /// Sets the geometry of two bodies that support each other along a normal that is none of theirs, which
    /// leads back to a normal that is.
    fn hold_apart(&mut self, normal: &Vector3<f64>, a: &Placed<'_>, b: &Placed<'_>, size: f64) {
        let reach = [a.model.support_width(a.moved, normal), b.model.support_width(b.moved, &-normal)];
        let (arm_a, arm_b) = (normal * reach[0], normal * -reach[1]);
        self.set_without_solution(
            *normal,
            [arm_a, arm_b],
            a.separation_along(b, normal),
            size,
            a.moved,
            b.moved,
        );
    }
}
