//! Pairs that move further within a step than they are thick: on which side they met.
//!
//! Where they are at the end of the step does not tell. A body that went most of the way through a plate is nearer to its far
//! side, and one that went all the way through is apart from it. What counts is the normal with which they first touch on
//! the way there.

use super::MovedBody;
use super::atom::Placed;
use super::parts::Part;
use super::patch::{FeatureSearch, Patch};
use super::{BodyModel, Pair};
use crate::geometry::Pose;
use nalgebra::{Rotation3, UnitQuaternion, Vector3};

/// Normals that enclose at least this cosine are of the same side…
pub const SAME_SIDE: f64 = 0.5;
/// …and where one body is an ellipsoid this one. On the rim of a lens a tenth of a radian turns the normal by more than 60° and nothing is passed;
/// held to the side of the start, two lenses that had parted overlapped by 4 mm, and the step was not solved.
const SAME_SMOOTH_SIDE: f64 = 0.0;
/// A pair is followed on its way if it may move by this part of the bodies' added widths. The side that is nearest at the
/// end can be another one from half of them on.
const FAR: f64 = 0.25;
/// Poses looked at for each time that the pair moves by the bodies' added widths, …
const PER_WIDTH: f64 = 8.0;
/// … and the most of them.
const MOST_POSES: f64 = 64.0;
/// Halvings of the interval in which they meet.
const HALVINGS: usize = 30;
/// An overlap by this part of the size is none.
const TOUCHING: f64 = 1e-7;

/// Where a pair was at the start of a step in which it moves far.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// A and B at the start.
    start: [MovedBody; 2],
    /// Normal from A into B at the start.
    pub normal: Vector3<f64>,
    /// Least widths of both, added (m).
    pub width: f64,
}

/// How a pair went from the start to an end pose.
#[derive(Debug, Clone, Copy)]
pub enum Way {
    /// They met: the normal and the part with which they first touched.
    Met(Vector3<f64>, Part),
    /// They never touched: the normal and part at the end.
    Free(Vector3<f64>, Part),
}

impl Sweep {
    /// For a pair with that normal at the start, if it may move by `reach` (m); None if that is little. `widths` are the
    /// least widths of the bodies (m).
    pub fn of(
        normal: Vector3<f64>,
        a: &Placed<'_>,
        b: &Placed<'_>,
        widths: [f64; 2],
        reach: f64,
    ) -> Option<Box<Self>> {
        let width = widths[0] + widths[1];
        let is_far = a.moved.plane.is_none() && reach > FAR * width;
        let start = [*a.moved, *b.moved];
        is_far.then(|| Box::new(Self { start, normal, width }))
    }

    /// How the pair went from the start to the placements given, on a straight line and with a steady turn.
    pub fn way(
        &self,
        pair: &Pair,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) -> Way {
        let ends = [a, b];
        let paths = [0, 1].map(|k| Path::new(&self.start[k], ends[k].moved));
        let turning = [0, 1].map(|k| paths[k].turn.norm() * ends[k].model.radius);
        let travel = (paths[1].way - paths[0].way).norm() + turning[0] + turning[1];
        let poses = (PER_WIDTH * travel / self.width).ceil().clamp(1.0, MOST_POSES);
        let mut probe = Pair { sweep: None, patch: None, ..pair.clone() };
        probe.geometry.normal = self.normal;
        let mut look = |at: f64, probe: &mut Pair| {
            let moved = [0, 1].map(|k| paths[k].at(at, ends[k].model));
            let [a, b] = [0, 1].map(|k| Placed { model: ends[k].model, moved: &moved[k] });
            probe.patch = pair.patch.as_ref().map(|_| Box::new(Patch::default()));
            probe.begin(&a, &b, size, search);
            probe.geometry.gap < -TOUCHING * size
        };
        let mut before = (0.0, self.normal, pair.part);
        for k in 0..=poses as usize {
            let at = k as f64 / poses;
            if !look(at, &mut probe) {
                before = (at, probe.geometry.normal, probe.part);
                continue;
            }
            if k == 0 {
                break;
            }
            let mut after = at;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (before.0 + after);
                (probe.geometry.normal, probe.part) = (before.1, before.2);
                if look(middle, &mut probe) {
                    after = middle;
                } else {
                    before = (middle, probe.geometry.normal, probe.part);
                }
            }
            return Way::Met(before.1, before.2);
        }
        if before.0 > 0.0 { Way::Free(before.1, before.2) } else { Way::Met(self.normal, pair.part) }
    }
}

/// A body's way from the start to the end of a step.
struct Path {
    from: Vector3<f64>,
    way: Vector3<f64>,
    first: UnitQuaternion<f64>,
    turn: Vector3<f64>,
}

impl Path {
    fn new(start: &MovedBody, end: &MovedBody) -> Self {
        let turned = |body: &MovedBody| {
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(body.rotation))
        };
        let first = turned(start);
        let turn = (turned(end) * first.inverse()).scaled_axis();
        Self { from: start.position, way: end.position - start.position, first, turn }
    }

    fn at(&self, part: f64, model: &BodyModel) -> MovedBody {
        let orientation = UnitQuaternion::from_scaled_axis(self.turn * part) * self.first;
        MovedBody::new(model, &Pose { position: self.from + self.way * part, orientation })
    }
}

impl Pair {
    /// The normal of the side on which a pair with patches met, if it is no longer the side of `facing`.
    pub(super) fn met_side(
        &self,
        facing: &Vector3<f64>,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) -> Option<Vector3<f64>> {
        let sweep = self.sweep.as_ref()?;
        if facing.dot(&sweep.normal) >= SAME_SIDE {
            return None;
        }
        match sweep.way(self, a, b, size, search) {
            Way::Met(normal, _) if facing.dot(&normal) < SAME_SIDE => Some(normal),
            _ => None,
        }
    }

    /// Brings a smooth pair, as evaluated, back to the side on which it met; or away from a normal along which it seems to
    /// overlap when it has passed beside.
    pub(super) fn keep_side(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        search: &mut FeatureSearch,
    ) {
        let Some(sweep) = self.sweep.take() else { return };
        let g = &self.geometry;
        let is_suspect = g.normal.dot(&sweep.normal) < SAME_SMOOTH_SIDE || g.gap < -FAR * sweep.width;
        if is_suspect {
            let (normal, part, met) = match sweep.way(self, a, b, size, search) {
                Way::Met(normal, part) => (normal, part, true),
                Way::Free(normal, part) => (normal, part, false),
            };
            if self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                (self.geometry.normal, self.part) = (normal, part);
                self.evaluate(a, b);
            }
            if met && self.geometry.normal.dot(&normal) < SAME_SMOOTH_SIDE {
                self.hold_apart(&normal, a, b, size);
            }
        }
        self.sweep = Some(sweep);
    }

    /// Whether a pair that was not expected to move far has passed through, as evaluated at the end of its way: then it is
    /// followed from now on.
    ///
    /// The equations of a step hold at its end only, and may have roots on the far side of a thin body, with any impulse.
    pub(super) fn catch_passed(
        &mut self,
        start: [&Placed<'_>; 2],
        end: [&Placed<'_>; 2],
        size: f64,
        search: &mut FeatureSearch,
    ) -> bool {
        let facing = self.geometry.normal;
        // Who slides over an edge in a step is turned by as much as 90° and has passed nothing.
        if self.sweep.is_some() || facing.dot(&self.frame.0) >= SAME_SMOOTH_SIDE {
            return false;
        }
        let widths = start.map(|body| body.model.shape.least_width());
        let Some(sweep) = Sweep::of(self.frame.0, start[0], start[1], widths, f64::INFINITY) else {
            return false;
        };
        let met = sweep.way(self, end[0], end[1], size, search);
        let passed = matches!(met, Way::Met(normal, _) if facing.dot(&normal) < SAME_SMOOTH_SIDE);
        self.sweep = passed.then_some(sweep);
        passed
    }

    /// The pair as two bodies that support each other along a normal that is none of theirs: a way back to where one is.
    fn hold_apart(&mut self, normal: &Vector3<f64>, a: &Placed<'_>, b: &Placed<'_>, size: f64) {
        let reach = [a.model.reach(a.moved, normal), b.model.reach(b.moved, &-normal)];
        let apart = normal.dot(&(b.moved.position - a.moved.position));
        let (arm_a, arm_b) = (normal * reach[0], normal * -reach[1]);
        self.set_frozen(*normal, [arm_a, arm_b], apart - reach[0] - reach[1], size, a.moved, b.moved);
    }
}
