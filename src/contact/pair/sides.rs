//! Pairs that move further within a step than they are thick, and the side on which they met.

use crate::contact::feature::Feature;
use crate::contact::feature_search::FeatureSearch;
use crate::contact::manifold::ContactManifold;
use crate::contact::pair::Pair;
use crate::contact::part_model::MovedPart;
use crate::contact::placed::Placed;
use crate::contact::sweep::{Path, Sweep};
use crate::contact::tolerances::{
    FEATURE_MARGIN, PASSED_OVERLAP, SAME_SIDE, SAME_SMOOTH_SIDE, SWEPT_MOTION, TOUCHING_GAP,
};
use nalgebra::Vector3;

/// Number of poses examined for each time that the pair moves by the bodies' added widths.
const PER_WIDTH: f64 = 8.0;
/// Most poses examined.
const MOST_POSES: f64 = 64.0;
/// Halvings of the interval in which the bodies meet.
const HALVINGS: usize = 16;

/// Result of following a pair from the start to an end pose.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// The bodies met: the normal and the feature with which they first touched.
    Met(Vector3<f64>, Feature),
    /// The bodies never overlapped, or by less than a quarter of the thinner one's width, as where a body
    /// slides over the edge of a plate. Of smooth pairs the normal and feature at the end.
    Free(Vector3<f64>, Feature),
}

/// The paths of both bodies of a pair, examined at so many poses.
struct Journey<'a> {
    ends: [&'a Placed<'a>; 2],
    paths: [Path; 2],
    poses: f64,
    size: f64,
}

impl Journey<'_> {
    fn steps(&self) -> impl Iterator<Item = f64> {
        let poses = self.poses;
        (0..=poses as usize).map(move |k| k as f64 / poses)
    }

    /// Placements of both bodies after that part of their paths.
    fn moved(&self, at: f64) -> [MovedPart; 2] {
        [0, 1].map(|k| self.paths[k].at(at, self.ends[k].model))
    }

    fn placed<'m>(&'m self, moved: &'m [MovedPart; 2]) -> [Placed<'m>; 2] {
        [0, 1].map(|k| Placed { moved: &moved[k], ..*self.ends[k] })
    }

    /// Gap at a pose (m); the probe goes on from its last normal.
    fn look(&self, moved: &[MovedPart; 2], probe: &mut Pair, search: &mut FeatureSearch) -> f64 {
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

    /// Finds the first touch, from the normal and the feature of the probe: the part of the path, normal and
    /// feature.
    fn first_touch(&self, probe: &mut Pair, search: &mut FeatureSearch) -> (f64, Vector3<f64>, Feature) {
        let touching = -TOUCHING_GAP * self.size;
        let (mut before, mut after) = ((0.0, probe.geometry.normal, probe.feature), 1.0);
        for at in self.steps() {
            let moved = self.moved(at);
            if self.is_apart(&moved, &[before.1], touching, probe) {
                before.0 = at;
                continue;
            }
            if self.look(&moved, probe, search) < touching {
                after = at;
                break;
            }
            before = (at, probe.geometry.normal, probe.feature);
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before.0 + after);
            (probe.geometry.normal, probe.feature) = (before.1, before.2);
            if self.look(&self.moved(middle), probe, search) < touching {
                after = middle;
            } else {
                before = (middle, probe.geometry.normal, probe.feature);
            }
        }
        before
    }
}

impl Pair {
    /// Follows the pair from the start to the given placements, on a straight line and with a steady turn.
    fn way(
        &self,
        sweep: &Sweep,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) -> Way {
        let ends = [a, b];
        let paths = [0, 1].map(|k| Path::new(&sweep.start[k], ends[k].moved));
        let turning = [0, 1].map(|k| paths[k].turn.norm() * ends[k].model.radius);
        let travel = (paths[1].way - paths[0].way).norm() + turning[0] + turning[1];
        let poses = (PER_WIDTH * travel / sweep.width()).ceil().clamp(1.0, MOST_POSES);
        let journey = Journey { ends, paths, poses, size };
        let mut probe = Pair { sweep: None, manifold: None, ..self.clone() };
        probe.geometry.normal = sweep.normal;
        if self.manifold.is_some() {
            probe.manifold = Some(Box::new(ContactManifold::rough()));
        }
        let deep = -PASSED_OVERLAP * sweep.widths[sweep.thinner()];
        let passes = journey.steps().any(|at| {
            let moved = journey.moved(at);
            let known = [sweep.normal, self.geometry.normal, probe.geometry.normal];
            !journey.is_apart(&moved, &known, deep, &probe) && journey.look(&moved, &mut probe, search) < deep
        });
        if !passes {
            return Way::Free(probe.geometry.normal, probe.feature);
        }
        (probe.geometry.normal, probe.feature) = (sweep.normal, self.feature);
        let (at, normal, feature) = journey.first_touch(&mut probe, search);
        Way::Met(journey.paths[sweep.thinner()].carried(normal, at), feature)
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
        let sweep = self.sweep.as_ref()?;
        if facing.dot(&sweep.normal_at([a, b])) >= SAME_SIDE {
            return None;
        }
        match self.way(sweep, a, b, size, search) {
            Way::Met(normal, _) if facing.dot(&normal) < SAME_SIDE => Some(normal),
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
        let Some(sweep) = self.sweep.take() else { return };
        let g = &self.geometry;
        let is_suspect = g.normal.dot(&sweep.normal_at([a, b])) < SAME_SMOOTH_SIDE
            || g.gap < -SWEPT_MOTION * sweep.width();
        if is_suspect {
            let (normal, feature, met) = match self.way(&sweep, a, b, size, search) {
                Way::Met(normal, feature) => (normal, feature, true),
                Way::Free(normal, feature) => (normal, feature, false),
            };
            if self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                (self.geometry.normal, self.feature) = (normal, feature);
                self.evaluate(a, b);
            }
            if met && self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                self.hold_apart(&normal, a, b, size);
            }
        }
        self.sweep = Some(sweep);
    }

    /// Whether a pair that was not expected to move far has passed through, as evaluated at the end of its
    /// path; such a pair is followed from now on.
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
        // The normal of a body that slides over an edge in a step may turn by 90° though it has passed
        // through nothing.
        if self.sweep.is_some() || facing.dot(&self.frame.0) >= SAME_SMOOTH_SIDE {
            return false;
        }
        let Some(sweep) = Sweep::of(self.frame.0, start[0], start[1], f64::INFINITY) else {
            return false;
        };
        let met = self.way(&sweep, end[0], end[1], size, search);
        let passed = matches!(met, Way::Met(normal, _) if facing.dot(&normal) < SAME_SMOOTH_SIDE);
        self.sweep = passed.then_some(sweep);
        passed
    }

    /// Sets the geometry of two bodies that support each other along a normal that is none of theirs, which
    /// leads back to a normal that is.
    fn hold_apart(&mut self, normal: &Vector3<f64>, a: &Placed<'_>, b: &Placed<'_>, size: f64) {
        let reach = [a.model.support_width(a.moved, normal), b.model.support_width(b.moved, &-normal)];
        let (arm_a, arm_b) = (normal * reach[0], normal * -reach[1]);
        self.set_frozen(*normal, [arm_a, arm_b], a.separation_along(b, normal), size, a.moved, b.moved);
    }
}
