//! How two bodies touch: at a point, along a line or over a surface, and how many facets of either are active
//! there.

use crate::contact::pair::Pair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::TOUCHING_GAP;
use crate::geometry::{ContactKind, Shape, Touch};
use nalgebra::Vector3;

/// What touches in a pair as last evaluated, the bodies being placed there. Contact points that are open by
/// `margin` (m) more than the lowest touch too: those of a manifold are closed to the tolerance only.
pub fn touch(pair: &Pair, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> Touch {
    let size = a.model.smaller_size(b.model);
    let g = &pair.geometry;
    let Some(manifold) = &pair.manifold else {
        let [of_a, of_b] = [g.arm_a, g.arm_b].map(|arm| move || std::iter::once(arm));
        let near = TOUCHING_GAP * size;
        let active_facets = [n_active(a, near, of_a), n_active(b, near, of_b)];
        return Touch { active_facets, ..Touch::default() };
    };
    // Idle contact points may be lower: the bodies are apart along another axis.
    let any_exerts = manifold.points.iter().any(|point| point.exerts());
    let counted = || manifold.points.iter().filter(move |point| point.exerts() || !any_exerts);
    let lowest = counted().map(|point| point.geometry.gap).fold(f64::INFINITY, f64::min);
    let near = (TOUCHING_GAP * size).max(margin);
    let touching = || counted().filter(move |point| point.geometry.gap <= lowest + near);
    touch_at(|| touching().map(|point| [point.geometry.arm_a, point.geometry.arm_b]), a, b, near)
}

/// What touches where bodies meet at points: those that bear, and those that are as low as the lowest.
/// `points` holds the arms of each from both centres of mass, its gap (m), and whether it bears.
pub fn touch_of_points(points: &[([Vector3<f64>; 2], f64, bool)], a: &Placed<'_>, b: &Placed<'_>) -> Touch {
    let limit = TOUCHING_GAP * a.model.smaller_size(b.model);
    let lowest = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let touching = || points.iter().filter(move |(_, gap, bears)| *bears || *gap <= lowest + limit);
    touch_at(|| touching().map(|point| point.0), a, b, limit)
}

fn touch_at<I: Iterator<Item = [Vector3<f64>; 2]>>(
    arms: impl Fn() -> I,
    a: &Placed<'_>,
    b: &Placed<'_>,
    near: f64,
) -> Touch {
    let [of_a, of_b] = [0, 1].map(|side| {
        let arms = &arms;
        move || arms().map(move |of_both| of_both[side])
    });
    // Those of B are off those of A by their gaps.
    let kind = kind_of(of_b, 3.0 * near);
    // Facets that enclose a small angle are all within the margin: those that meet along what touches count.
    let most = match kind {
        ContactKind::Surface => 1,
        ContactKind::Line => 2,
        ContactKind::Point => usize::MAX,
    };
    let (n, active_facets) =
        (arms().count(), [n_active(a, near, of_a), n_active(b, near, of_b)].map(|facets| facets.min(most)));
    let is_strip = n > 2 && is_face(a, active_facets[0]) && is_face(b, active_facets[1]);
    Touch { kind: if is_strip { ContactKind::Surface } else { kind }, points: n, active_facets }
}

/// Whether what lies on so many facets of a body is beside all its edges. Where that is so on both bodies,
/// points along a line are a narrow strip.
fn is_face(body: &Placed<'_>, facets: usize) -> bool {
    matches!((&body.model.shape, facets), (Shape::HalfSpace { .. } | Shape::Polytope(_), 1))
}

/// The dimension that points span, those within `near` of each other being one.
fn kind_of<I: Iterator<Item = Vector3<f64>>>(points: impl Fn() -> I, near: f64) -> ContactKind {
    let Some(first) = points().next() else { return ContactKind::Point };
    let arms = || points().map(|p| p - first);
    let far = arms().max_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared())).unwrap_or_default();
    let Some(along) = far.try_normalize(near) else { return ContactKind::Point };
    let width = arms().map(|arm| along.cross(&arm).norm()).fold(0.0, f64::max);
    if width <= near { ContactKind::Line } else { ContactKind::Surface }
}

/// Facets on which all of some points of a body lie, given as arms from its centre of mass: those that would
/// have a multiplier l > 0 [XC (15)] with the equivalent contact point inside the manifold. A smooth body has
/// one.
fn n_active<I: Iterator<Item = Vector3<f64>>>(body: &Placed<'_>, near: f64, arms: impl Fn() -> I) -> usize {
    let moved = body.moved;
    let all = |holds: &dyn Fn(&Vector3<f64>) -> bool| {
        arms().all(|arm| holds(&moved.shape_rotation.tr_mul(&(arm - moved.shape_origin))))
    };
    match &body.model.shape {
        Shape::Polytope(p) => {
            p.faces.iter().filter(|f| all(&|x| (f.normal.dot(x) - f.offset).abs() <= near)).count()
        }
        Shape::Cylinder { radius, half_length } => {
            // Of a chord or a disc between points of a rim the side has but those.
            let first = arms().next().map(|arm| moved.shape_rotation.tr_mul(&(arm - moved.shape_origin)));
            let along = |x: &Vector3<f64>| first.is_none_or(|first| (x - first).xy().norm() <= near);
            let side = all(&|x| (x.xy().norm() - radius).abs() <= near && along(x));
            let caps = [1.0, -1.0].map(|sign| all(&|x| (sign * x.z - half_length).abs() <= near));
            [side, caps[0], caps[1]].into_iter().filter(|is_active| *is_active).count()
        }
        _ => 1,
    }
}
