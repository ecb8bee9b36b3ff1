//! How two bodies touch: at a point, along a line or over a surface, with the number of active facets of
//! both.

use crate::contact::pair::Pair;
use crate::contact::placed::Placed;
use crate::contact::tolerances::{MOST_TOUCHING_GAP, TOUCHING_GAP};
use nalgebra::Vector3;
use signorini_geometry::{ContactKind, Shape, Touch};

/// Touch of a pair as last evaluated, with the bodies placed at that pose. Contact points that are open by
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
    let near = (TOUCHING_GAP * size).max(margin.min(MOST_TOUCHING_GAP * size));
    let touching = || counted().filter(move |point| point.geometry.gap <= lowest + near);
    touch_at(|| touching().map(|point| [point.geometry.arm_a, point.geometry.arm_b]), a, b, near)
}

/// Touch of bodies that meet at points: the loaded points touch, and those that are as low as the lowest.
/// `points` holds the arms of each from both centres of mass, its gap (m), and whether it is loaded.
pub fn touch_of_points(points: &[([Vector3<f64>; 2], f64, bool)], a: &Placed<'_>, b: &Placed<'_>) -> Touch {
    let limit = TOUCHING_GAP * a.model.smaller_size(b.model);
    let lowest = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
    let touching =
        || points.iter().filter(move |(_, gap, carries_load)| *carries_load || *gap <= lowest + limit);
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
    // The points of B are off those of A by their gaps.
    let kind = kind_of(of_b, 3.0 * near);
    // Facets that enclose a small angle are all within the margin: those that meet along the touching line or
    // surface count.
    let most = match kind {
        ContactKind::Surface => 1,
        ContactKind::Line => 2,
        ContactKind::Point => usize::MAX,
    };
    let (n, active_facets) =
        (arms().count(), [n_active(a, near, of_a), n_active(b, near, of_b)].map(|facets| facets.min(most)));
    let least = least_kind([(a, active_facets[0]), (b, active_facets[1])], n);
    Touch { kind: kind.max(least), points: n, active_facets }
}

/// Least kind of contact of n points on so many facets of both bodies. Where all points lie on a face of one
/// body, every feature of the other body that lies on it touches: points along a line beside all edges are a
/// narrow strip, and points close to each other on an edge are a short line.
fn least_kind(sides: [(&Placed<'_>, usize); 2], n: usize) -> ContactKind {
    let [of_a, of_b] = sides.map(|(body, facets)| match (&body.model.shape, facets) {
        (Shape::HalfSpace { .. }, _) | (Shape::Polytope(_), 1) => ContactKind::Surface,
        // The one facet of a cylinder is its side, or a cap.
        (Shape::Polytope(_), 2) | (Shape::Cylinder { .. }, 1) => ContactKind::Line,
        _ => ContactKind::Point,
    });
    let most = match n {
        0 | 1 => ContactKind::Point,
        2 => ContactKind::Line,
        _ => ContactKind::Surface,
    };
    // Edges may cross, and are active along two normals where they do.
    if of_a.max(of_b) == ContactKind::Surface { of_a.min(of_b).min(most) } else { ContactKind::Point }
}

/// Kind of the set that points span; points within `near` of each other count as one.
fn kind_of<I: Iterator<Item = Vector3<f64>>>(points: impl Fn() -> I, near: f64) -> ContactKind {
    let Some(first) = points().next() else { return ContactKind::Point };
    let arms = || points().map(|p| p - first);
    let far = arms().max_by(|x, y| x.norm_squared().total_cmp(&y.norm_squared())).unwrap_or_default();
    let Some(along) = far.try_normalize(near) else { return ContactKind::Point };
    let width = arms().map(|arm| along.cross(&arm).norm()).fold(0.0, f64::max);
    if width <= near { ContactKind::Line } else { ContactKind::Surface }
}

/// Number of facets on which all of some points of a body lie, given as arms from its centre of mass: those
/// that would have a multiplier l > 0 [XC (15)] with the equivalent contact point inside the manifold. A
/// smooth body has one.
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
            // The side of a cylinder has all points of a line, but only the ends of a chord or the rim of a
            // disc.
            let first = arms().next().map(|arm| moved.shape_rotation.tr_mul(&(arm - moved.shape_origin)));
            let along = |x: &Vector3<f64>| first.is_none_or(|first| (x - first).xy().norm() <= near);
            let side = all(&|x| (x.xy().norm() - radius).abs() <= near && along(x));
            let caps = [1.0, -1.0].map(|sign| all(&|x| (sign * x.z - half_length).abs() <= near));
            [side, caps[0], caps[1]].into_iter().filter(|is_active| *is_active).count()
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use signorini_geometry::{Polytope, Pose};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    const NEAR: f64 = 1e-4;

    /// Touch of a cube on another body, with its points (x, y) given: kind, number of points, active facets.
    fn on(lower: Shape, points: &[[f64; 2]]) -> (ContactKind, usize, [usize; 2]) {
        let cube = Shape::Polytope(Arc::new(Polytope::box_(Vector3::repeat(0.5))));
        let models = [lower, cube].map(|shape| PartModel::new(0, 0, &Part::new(shape)));
        let places =
            [0.0, 1.0].map(|z| Pose { position: Vector3::z() * z, orientation: UnitQuaternion::identity() });
        let moved = [0, 1].map(|k| MovedPart::new(&models[k], &places[k]));
        let [a, b] = [0, 1].map(|k| Placed::new(&models[k], &moved[k]));
        let arms = || points.iter().map(|[x, y]| [0.5, -0.5].map(|z| Vector3::new(*x, *y, z)));
        let touch = touch_at(arms, &a, &b, NEAR);
        (touch.kind, touch.points, touch.active_facets)
    }

    fn cube(half: f64) -> Shape {
        Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(half, 0.5, 0.5))))
    }

    /// The points are beside all edges of both faces: as narrow as a line, as short as a point.
    #[test]
    fn points_on_one_facet_of_both_are_a_strip() {
        let strip = [[0.1, -0.2], [0.1, 0.2], [0.1 + NEAR, 0.2], [0.1 + NEAR, -0.2]];
        assert_eq!(on(cube(0.4), &strip), (ContactKind::Surface, 4, [1, 1]));
        let close = [[0.1, 0.2], [0.1 + NEAR, 0.2], [0.1, 0.2 + NEAR]];
        assert_eq!(on(cube(0.4), &close), (ContactKind::Surface, 3, [1, 1]));
        // Two points are no more than a line, and one is a point.
        assert_eq!(on(cube(0.4), &close[..2]), (ContactKind::Line, 2, [1, 1]));
        assert_eq!(on(cube(0.4), &close[..1]), (ContactKind::Point, 1, [1, 1]));
    }

    /// The edge is a line however short it is.
    #[test]
    fn points_on_an_edge_over_a_facet_are_a_line() {
        let edge = |length: f64| [[0.4, 0.2], [0.4, 0.2 + 0.5 * length], [0.4, 0.2 + length]];
        for length in [0.1, 2.0 * NEAR] {
            assert_eq!(on(cube(0.4), &edge(length)), (ContactKind::Line, 3, [2, 1]), "{length}");
            assert_eq!(on(cube(0.4), &edge(length)[..2]), (ContactKind::Line, 2, [2, 1]), "{length}");
        }
    }

    /// Edges may cross, with two contact points at that place along two normals.
    #[test]
    fn points_where_edges_cross_are_a_point() {
        assert_eq!(on(cube(0.5), &[[0.5, 0.2], [0.5, 0.2 + NEAR]]), (ContactKind::Point, 2, [2, 2]));
    }

    /// A surface lies on one of two facets that enclose a small angle, though both are within the margin.
    #[test]
    fn a_surface_lies_on_one_facet() {
        let ridge =
            [(-0.4, 0.5 - 0.5 * NEAR), (0.0, 0.5), (0.4, 0.5 - 0.5 * NEAR), (0.4, -0.5), (-0.4, -0.5)];
        let corners: Vec<Vector3<f64>> =
            ridge.iter().flat_map(|(x, z)| [0.5, -0.5].map(|y| Vector3::new(*x, y, *z))).collect();
        let hull = Polytope::hull(&corners).expect("a bent cube").polytope;
        assert_eq!(hull.faces.iter().filter(|face| face.normal.z > 0.9).count(), 2);
        let around = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]];
        let bent = || Shape::Polytope(Arc::new(hull.clone()));
        assert_eq!(on(bent(), &around), (ContactKind::Surface, 4, [1, 1]));
        // A line on the ridge lies on both facets.
        assert_eq!(on(bent(), &[[0.0, -0.2], [0.0, 0.2]]), (ContactKind::Line, 2, [2, 1]));
    }
}
