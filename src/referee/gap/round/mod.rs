//! Signed gap of two bounded shapes of which at least one is round and not both are ellipsoids.
//!
//! The separation g(n) of [`super`] is smooth on the unit sphere but for kinks, which the support functions
//! of A and B have along arcs of great circles: the normals at an edge of a polytope, the normals at the side
//! of a cylinder or a capsule; and at points: face and cap normals. Kinks of a support function are ridges of
//! g, so that its largest value is
//!
//! 1. at a face or cap normal, or where an arc of A crosses an arc of B,
//! 2. or the largest on some arc,
//! 3. or a smooth maximum between the arcs.
//!
//! The first are listed, the second found along each arc, the third climbed to from the best of many
//! directions and from the closest points of GJK. Even if a maximum is missed, g never exceeds the gap.

use crate::referee::placed::{PlacedShape, separation_along};
use nalgebra::{UnitQuaternion, Vector3};
use parry3d_f64::math::{Pose as ParryPose, Vector3 as ParryVector};
use parry3d_f64::query::details::contact_support_map_support_map;
use parry3d_f64::shape::SupportMap;
use std::f64::consts::TAU;

/// Number of directions tried between the arcs.
const DIRECTIONS: usize = 150;
/// Number of these directions that are climbed from.
const CLIMBED: usize = 4;
/// Angle (radians, about) between the places tried on an arc before the best is improved.
const SPACING: f64 = 0.1;
/// Number of gains with one step after which a climb doubles its step.
const PACE: usize = 32;
/// Most rounds of a climb: the steps along a ridge may be as short as its kink is acute.
const MAX_ROUNDS: usize = 4000;
/// Tolerance of angles (radians); g is flat at a smooth maximum, so that its error is the square.
const ANGLE: f64 = 1e-9;

/// Signed gap (m) and the normal from A to B that attains it. `start` is a guess of the normal.
pub fn signed_gap(a: &PlacedShape, b: &PlacedShape, start: Option<&Vector3<f64>>) -> (f64, Vector3<f64>) {
    let g = |n: &Vector3<f64>| separation_along(a, b, n);
    let size = a.radius() + b.radius();
    let rounding = f64::EPSILON * size;
    let mut best = Best { gap: f64::NEG_INFINITY, normal: Vector3::x() };
    let closest = closest_normal(a, b);
    let guesses = start.copied().into_iter().chain(closest);
    guesses.for_each(|n| best.offer(g(&n), n));
    let (of_a, of_b) = (Kinks::of(a, 1.0), Kinks::of(b, -1.0));
    for n in of_a.points.iter().chain(&of_b.points) {
        best.offer(g(n), *n);
    }
    for (first, second) in of_a.arcs.iter().flat_map(|first| of_b.arcs.iter().map(move |s| (first, s))) {
        if let Some(n) = first.axis.cross(&second.axis).try_normalize(1e-10) {
            best.offer(g(&n), n);
            best.offer(g(&-n), -n);
        }
    }
    // The gradient |∇g| on the sphere is at most the length of a difference of a point of B and one of A.
    let steepest = size + (b.center().unwrap_or_default() - a.center().unwrap_or_default()).norm();
    let searched = of_a.arcs.iter().chain(&of_b.arcs).map(|arc| arc.searched(&g, steepest));
    let mut searched: Vec<SearchedArc> = searched.collect();
    searched.sort_by(|x, y| y.bound.total_cmp(&x.bound));
    for arc in searched {
        if arc.bound <= best.gap {
            break;
        }
        let n = arc.highest(&g);
        best.offer(g(&n), n);
    }
    let mut starts: Vec<Best> =
        spiral().chain(closest).map(|normal| Best { gap: g(&normal), normal }).chain([best]).collect();
    starts.sort_by(|x, y| y.gap.total_cmp(&x.gap));
    for start in starts.into_iter().take(CLIMBED) {
        let climbed = climb(start, &g, 0.1, rounding);
        best.offer(climbed.gap, climbed.normal);
    }
    let last = climb(best, &g, 1e-4, rounding);
    best.offer(last.gap, last.normal);
    (best.gap, best.normal)
}

/// A normal with the separation along it.
#[derive(Debug, Clone, Copy)]
struct Best {
    gap: f64,
    normal: Vector3<f64>,
}

impl Best {
    fn offer(&mut self, gap: f64, normal: Vector3<f64>) {
        // A NaN must be returned, and not be lost in a comparison.
        if gap > self.gap || gap.is_nan() {
            *self = Self { gap, normal };
        }
    }
}

/// Part of a great circle: `from` turned about `axis` by 0 to `angle`.
#[derive(Debug, Clone, Copy)]
struct Arc {
    from: Vector3<f64>,
    axis: Vector3<f64>,
    angle: f64,
}

impl Arc {
    fn at(&self, angle: f64) -> Vector3<f64> {
        let (s, c) = angle.sin_cos();
        self.from * c + self.axis.cross(&self.from) * s
    }

    /// Tries places on the arc; `steepest` bounds |∇g|.
    fn searched(&self, g: &impl Fn(&Vector3<f64>) -> f64, steepest: f64) -> SearchedArc {
        let places = (self.angle / SPACING).ceil().max(2.0);
        let step = self.angle / places;
        let heights = (0..=places as usize).map(|k| (k as f64 * step, g(&self.at(k as f64 * step))));
        // A NaN wins, so that its arc is not passed over.
        let (top, height) =
            heights.fold((0.0, f64::NEG_INFINITY), |t, h| if h.1 > t.1 || h.1.is_nan() { h } else { t });
        SearchedArc { arc: *self, top, step, bound: height + 0.5 * step * steepest }
    }
}

/// An arc on which some places were tried.
#[derive(Debug, Clone, Copy)]
struct SearchedArc {
    arc: Arc,
    /// Angle of the best place, and the distance between places.
    top: f64,
    step: f64,
    /// Upper bound of g on the arc.
    bound: f64,
}

impl SearchedArc {
    /// Direction of the arc with the largest g: the best place, improved by golden sections.
    fn highest(&self, g: &impl Fn(&Vector3<f64>) -> f64) -> Vector3<f64> {
        let (mut low, mut high) =
            ((self.top - self.step).max(0.0), (self.top + self.step).min(self.arc.angle));
        let section = 0.5 * (5f64.sqrt() - 1.0);
        let height = |angle: f64| g(&self.arc.at(angle));
        let (mut x, mut y) = (high - section * (high - low), low + section * (high - low));
        let (mut at_x, mut at_y) = (height(x), height(y));
        while high - low > ANGLE {
            if at_x > at_y {
                (high, y, at_y) = (y, x, at_x);
                x = high - section * (high - low);
                at_x = height(x);
            } else {
                (low, x, at_x) = (x, y, at_y);
                y = low + section * (high - low);
                at_y = height(y);
            }
        }
        self.arc.at(0.5 * (low + high))
    }
}

/// Kinks of the support function of a shape, as normals from A to B.
#[derive(Debug, Default)]
struct Kinks {
    points: Vec<Vector3<f64>>,
    arcs: Vec<Arc>,
}

impl Kinks {
    /// Lists the kinks of a shape; `sign` is 1 for A, −1 for B, whose outer normals point back.
    fn of(placed: &PlacedShape, sign: f64) -> Self {
        match placed {
            PlacedShape::Ellipsoid(_) | PlacedShape::HalfSpace { .. } | PlacedShape::Bore(_) => {
                Self::default()
            }
            PlacedShape::Polytope(p) => {
                let arc = |faces: [usize; 2]| {
                    let [from, to] = faces.map(|f| p.normals[f] * sign);
                    let axis = from.cross(&to);
                    let angle = axis.norm().atan2(from.dot(&to));
                    Some(Arc { from, axis: axis.try_normalize(f64::MIN_POSITIVE)?, angle })
                };
                Self {
                    points: p.normals.iter().map(|n| n * sign).collect(),
                    arcs: p.shape.edges.iter().filter_map(|e| arc(e.faces)).collect(),
                }
            }
            // The width of a capsule has the kink of its axis.
            PlacedShape::Cylinder(c) | PlacedShape::Capsule(c) => {
                let from = c.axis.cross(&Vector3::ith(c.axis.iamin(), 1.0)).normalize();
                // The circle is cut into quarters: g may have more than one top on it.
                let quarter = |k: u32| {
                    let turn = UnitQuaternion::from_scaled_axis(c.axis * (f64::from(k) * TAU / 4.0));
                    Arc { from: turn * from, axis: c.axis, angle: TAU / 4.0 }
                };
                let caps = matches!(placed, PlacedShape::Cylinder(_)).then(|| [c.axis, -c.axis]);
                Self { points: caps.into_iter().flatten().collect(), arcs: (0..4).map(quarter).collect() }
            }
        }
    }
}

/// Returns directions all over the sphere.
fn spiral() -> impl Iterator<Item = Vector3<f64>> {
    (0..DIRECTIONS).map(|k| {
        let z = 1.0 - (2.0 * k as f64 + 1.0) / DIRECTIONS as f64;
        let (s, c) = (2.399_963_229_728_653 * k as f64).sin_cos();
        Vector3::new(c, s, 0.0) * (1.0 - z * z).sqrt() + Vector3::z() * z
    })
}

/// Compass search on the sphere: takes the best of eight directions around, with the step halved when none is
/// better, and doubled when many were.
fn climb(start: Best, g: &impl Fn(&Vector3<f64>) -> f64, first_step: f64, rounding: f64) -> Best {
    let (mut best, mut step, mut gains) = (start, first_step, 0);
    for _ in 0..MAX_ROUNDS {
        if step <= ANGLE {
            break;
        }
        let centre = best;
        let t = centre.normal.cross(&Vector3::ith(centre.normal.iamin(), 1.0)).normalize();
        let o = centre.normal.cross(&t);
        for k in 0..8 {
            let (s, c) = (f64::from(k) * TAU / 8.0).sin_cos();
            let n = (centre.normal + (t * c + o * s) * step).normalize();
            best.offer(g(&n), n);
        }
        if best.gap.is_nan() {
            break;
        }
        // Gains of the size of rounding would be climbed for ever.
        if best.gap <= centre.gap + rounding {
            (step, gains) = (step * 0.5, 0);
        } else if gains == PACE {
            (step, gains) = ((step * 2.0).min(first_step), 0);
        } else {
            gains += 1;
        }
    }
    best
}

/// A shape about its centre, with lengths over `unit`, in the form that GJK needs.
struct ScaledShape<'a> {
    placed: &'a PlacedShape,
    unit: f64,
}

impl SupportMap for ScaledShape<'_> {
    fn local_support_point(&self, direction: ParryVector) -> ParryVector {
        let arm = self.placed.arm(&Vector3::new(direction.x, direction.y, direction.z)) / self.unit;
        ParryVector::new(arm.x, arm.y, arm.z)
    }
}

/// Normal that GJK (apart) or EPA (inside) finds, if any: a good guess, never trusted.
fn closest_normal(a: &PlacedShape, b: &PlacedShape) -> Option<Vector3<f64>> {
    let between = b.center()? - a.center()?;
    let reach =
        |placed: &PlacedShape| (0..3).map(|i| placed.support_width(&Vector3::ith(i, 1.0))).sum::<f64>();
    let unit = reach(a) + reach(b) + between.norm();
    if !(unit.is_finite() && unit > 0.0) {
        return None;
    }
    let [map_a, map_b] = [a, b].map(|placed| ScaledShape { placed, unit });
    let d = between / unit;
    let offset = ParryPose::translation(d.x, d.y, d.z);
    let contact = contact_support_map_support_map(&offset, &map_a, &map_b, f64::MAX)?;
    Vector3::new(contact.normal1.x, contact.normal1.y, contact.normal1.z).try_normalize(0.5)
}

#[cfg(test)]
mod tests;
