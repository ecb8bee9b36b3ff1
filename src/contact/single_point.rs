//! The feature of a polytope or cylinder that an ellipsoid touches: a walk over neighbouring features, from
//! the one of the last pose, until the normal lies in the feature's normal cone and the point on the feature
//! (theory §3.9).
//!
//! Gap, normal and points are continuous from feature to feature, so that near a boundary either side will
//! do.

use crate::contact::feature::{Cylinder, Feature, flat_faces, off_edge, off_face, piece, plane_of, polytope};
use crate::contact::placed::Placed;
use crate::contact::tolerances::{BOUNDARY_WIDTH, CLOSEST_POINT_TOLERANCE, UPRIGHT_SINE};
use nalgebra::Vector3;
use signorini_geometry::Polytope;
use signorini_kernels::flat_point::PointGeometry;
use signorini_kernels::piece_pair::{Piece, Solved, solve};

/// Length of a walk from which on it goes round in circles, as it may when the bodies overlap deeply: then
/// all features are tried.
const LONGEST_WALK: usize = 24;

/// Angle by which a normal that starts along the axis of a rim is turned outwards (rad).
const RIM_LEAN: f64 = 0.01;

/// Finds the feature of `body` nearest to the ellipsoid of `ball`, starting from `feature` and the normal
/// `start` (from the body into the ellipsoid), and solves the contact point with the body as A.
pub fn nearest_feature(
    body: &Placed<'_>,
    ball: &Placed<'_>,
    feature: Feature,
    start: &Vector3<f64>,
) -> (Feature, Solved<f64>) {
    let walk = FeatureWalk { body, ball, offset: body.way_to(ball) };
    let mut is_new = !walk.has(feature);
    let mut feature = if is_new { walk.first(start) } else { feature };
    let mut n = *start;
    for _ in 0..LONGEST_WALK {
        feature = walk.cap_above(feature, &n).unwrap_or(feature);
        let solved = walk.solve(feature, &n);
        match walk.neighbour(feature, &solved.point) {
            Some(next) => feature = next,
            None => match is_new.then(|| shallowest_face(body, ball, solved.point.gap)).flatten() {
                Some((face, out)) => {
                    (feature, n, is_new) = (face, out, false);
                    continue;
                }
                None => return (feature, solved),
            },
        }
        n = solved.point.normal;
    }
    walk.best_of_all(start)
}

/// Finds the flat face along whose outer normal a body and an ellipsoid are furthest apart, and that normal;
/// None where that separation does not exceed the known gap. Past an acute edge a walk without a start may
/// end on the far side of the body, below whose face the ellipsoid is, though it is apart from the body or
/// hardly touches it.
pub fn shallowest_face(body: &Placed<'_>, ball: &Placed<'_>, gap: f64) -> Option<(Feature, Vector3<f64>)> {
    let near = BOUNDARY_WIDTH * body.model.size;
    if gap >= -near {
        return None;
    }
    let (mut best, mut widest) = (None, gap + near);
    for face in flat_faces(body) {
        let Some((out, _)) = plane_of(face, body) else { continue };
        let gap = body.separation_along(ball, &out);
        if gap > widest {
            (best, widest) = (Some((face, out)), gap);
        }
    }
    best
}

struct FeatureWalk<'a> {
    body: &'a Placed<'a>,
    ball: &'a Placed<'a>,
    offset: Vector3<f64>,
}

impl FeatureWalk<'_> {
    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::Vertex(_) | Feature::Edge(_) | Feature::Face(_) => polytope(self.body).is_some(),
            Feature::Side => Cylinder::of(self.body).is_some(),
            Feature::Cap(_) | Feature::Rim(_) => Cylinder::of(self.body).is_some_and(|of| !of.is_capsule),
            Feature::Ball(_) => Cylinder::of(self.body).is_some_and(|of| of.is_capsule),
            _ => false,
        }
    }

    /// Returns a feature that is far along n.
    fn first(&self, n: &Vector3<f64>) -> Feature {
        match polytope(self.body) {
            Some(p) => Feature::Vertex(p.support(&self.body.moved.shape_rotation.tr_mul(n))),
            None => Feature::Side,
        }
    }

    fn solve(&self, feature: Feature, start: &Vector3<f64>) -> Solved<f64> {
        let round = Piece::round(self.ball.moved.ellipsoid);
        let own = piece(feature, self.body).unwrap_or_else(|| Piece::point(Vector3::zeros()));
        // The normal of a plane points out of it, wherever the walk starts.
        let outward = own.straight[0].cross(&own.straight[1]);
        let start = match feature {
            _ if own.n_straight == 2 => outward,
            Feature::Rim(up) => self.off_axis(up, start).unwrap_or(*start),
            _ => *start,
        };
        solve(&own, &round, &self.offset, &start, CLOSEST_POINT_TOLERANCE)
    }

    /// Returns a normal that leans towards where the ellipsoid is lowest over the cap: along the axis of a
    /// cylinder its rim has no lowest point, and the point that rounding selects may lie on the far side.
    fn off_axis(&self, up: bool, n: &Vector3<f64>) -> Option<Vector3<f64>> {
        let cylinder = Cylinder::of(self.body)?;
        if n.cross(&cylinder.axis).norm() > UPRIGHT_SINE {
            return None;
        }
        let lowest = self.solve(Feature::Cap(up), n).point.arm_a - cylinder.center;
        let out = lowest - cylinder.axis * cylinder.axis.dot(&lowest);
        Some((n + out.try_normalize(0.0)? * RIM_LEAN).normalize())
    }

    /// Returns the cap below the ellipsoid, if the ellipsoid's lowest point is above it and no deeper than
    /// along n: above a cap the rim has no normal of its own.
    fn cap_above(&self, feature: Feature, n: &Vector3<f64>) -> Option<Feature> {
        let Feature::Rim(up) = feature else { return None };
        let cylinder = Cylinder::of(self.body)?;
        let over = self.solve(Feature::Cap(up), n);
        let inside = cylinder.coordinates(&over.point.arm_a).1 <= cylinder.radius;
        (inside && over.point.gap >= self.body.separation_along(self.ball, n)).then_some(Feature::Cap(up))
    }

    /// Neighbour in whose direction normal or point leave a feature; None if neither leaves it.
    fn neighbour(&self, feature: Feature, point: &PointGeometry<f64>) -> Option<Feature> {
        let to_shape = self.body.moved.shape_rotation.transpose();
        let n = to_shape * point.normal;
        let point = to_shape * (point.arm_a - self.body.moved.shape_origin);
        let near = BOUNDARY_WIDTH * self.body.model.size;
        match feature {
            Feature::Cap(up) => {
                let radius = Cylinder::of(self.body)?.radius;
                (point.xy().norm() > radius + near).then_some(Feature::Rim(up))
            }
            Feature::Side => {
                let cylinder = Cylinder::of(self.body)?;
                (point.z.abs() > cylinder.half + near).then(|| cylinder.end_feature(point.z > 0.0))
            }
            Feature::Ball(up) => {
                let outward = if up { n.z } else { -n.z };
                (outward < -BOUNDARY_WIDTH).then_some(Feature::Side)
            }
            Feature::Rim(up) => {
                let outward = if up { n.z } else { -n.z };
                (outward < -BOUNDARY_WIDTH).then_some(Feature::Side)
            }
            _ => polytope(self.body).and_then(|p| on_polytope(p, feature, &n, &point, near)),
        }
    }

    /// Returns the feature whose normal separates best, of all.
    fn best_of_all(&self, start: &Vector3<f64>) -> (Feature, Solved<f64>) {
        let first = self.first(start);
        let mut best = (first, self.solve(first, start));
        let mut widest = f64::NEG_INFINITY;
        let mut see = |feature: Feature| {
            let solved = self.solve(feature, start);
            let gap = self.body.separation_along(self.ball, &solved.point.normal);
            if gap > widest {
                widest = gap;
                best = (feature, solved);
            }
        };
        match polytope(self.body) {
            Some(p) => {
                (0..p.faces.len()).for_each(|i| see(Feature::Face(i)));
                (0..p.edges.len()).for_each(|i| see(Feature::Edge(i)));
                (0..p.vertices.len()).for_each(|i| see(Feature::Vertex(i)));
            }
            None => {
                flat_faces(self.body).for_each(&mut see);
                let ends = |of: Cylinder| [true, false].map(|up| of.end_feature(up));
                let ends = Cylinder::of(self.body).map(ends).into_iter().flatten();
                std::iter::once(Feature::Side).chain(ends).for_each(see);
            }
        }
        best
    }
}

/// Neighbour of a feature of a polytope; normal and point in its frame.
fn on_polytope(
    p: &Polytope,
    feature: Feature,
    n: &Vector3<f64>,
    point: &Vector3<f64>,
    near: f64,
) -> Option<Feature> {
    match feature {
        Feature::Face(face) => off_face(p, face, point)
            .filter(|side| side.1 > near)
            .map(|side| Feature::Edge(p.faces[face].edges[side.0])),
        Feature::Edge(edge) => {
            let e = &p.edges[edge];
            let along = (p.vertices[e.vertices[1]] - p.vertices[e.vertices[0]]).normalize();
            // The directions lead from the edge into its faces: the first face runs along the edge, the
            // second against it.
            let into = [p.faces[e.faces[0]].normal.cross(&along), along.cross(&p.faces[e.faces[1]].normal)];
            let rise = into.map(|d| d.dot(n));
            let steepest = if rise[0] > rise[1] { 0 } else { 1 };
            if rise[steepest] > BOUNDARY_WIDTH {
                return Some(Feature::Face(e.faces[steepest]));
            }
            let (end, beyond) = off_edge(p, edge, point);
            (beyond > near).then_some(Feature::Vertex(end))
        }
        Feature::Vertex(vertex) => {
            let mut steepest = (BOUNDARY_WIDTH, None);
            for (i, e) in p.adjacency().edges_at(vertex).map(|i| (i, &p.edges[i])) {
                let other = if e.vertices[0] == vertex { e.vertices[1] } else { e.vertices[0] };
                let rise = (p.vertices[other] - p.vertices[vertex]).normalize().dot(n);
                if rise > steepest.0 {
                    steepest = (rise, Some(Feature::Edge(i)));
                }
            }
            steepest.1
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::part_model::{MovedPart, PartModel};
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use signorini_geometry::{Pose, Shape};
    use signorini_scene::scene::Part;
    use std::sync::Arc;

    /// Ellipsoids beside the cap of a cylinder, found from the cap or from normals that are its own but for
    /// rounding: closest points face each other.
    #[test]
    fn a_walk_leaves_a_cap_for_the_near_side_of_its_rim() {
        let model = PartModel::new(0, 0, &Part::new(Shape::Cylinder { radius: 0.025, half_length: 0.035 }));
        let shape = Shape::Ellipsoid { semi_axes: Vector3::new(0.04, 0.03, 0.025) };
        let ellipsoid = PartModel::new(1, 0, &Part::new(shape));
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(5);
        let mut number = |most: f64| random.random_range(-most..most);
        let mut turned = || UnitQuaternion::from_euler_angles(number(3.0), number(3.0), number(3.0));
        for case in 0..2000 {
            let (orientation, other) = (turned(), turned());
            let place = orientation * Vector3::new(0.06 + 0.01 * other.i, 0.03 * other.j, 0.06);
            let up = orientation * Vector3::z();
            let moved = [
                MovedPart::new(&model, &Pose { position: Vector3::zeros(), orientation }),
                MovedPart::new(&ellipsoid, &Pose { position: place, orientation: other }),
            ];
            let [body, ball] = [Placed::new(&model, &moved[0]), Placed::new(&ellipsoid, &moved[1])];
            for lean in [0.0, 1e-16, 1e-13] {
                let start = (up - place * lean).normalize();
                for feature in [Feature::Cap(true), Feature::Rim(true)] {
                    let (found, solved) = nearest_feature(&body, &ball, feature, &start);
                    let what = format!("case {case}: {found:?} from {feature:?}, {lean}");
                    assert!(solved.mismatch < 1e-9, "{what}: {}", solved.mismatch);
                }
            }
        }
    }

    /// Balls around the wall of a hopper, whose edges are as acute as 35°: a walk without a start finds their
    /// separation.
    #[test]
    fn a_walk_around_sharp_edges_ends_on_the_near_side() {
        let corners = [(0.8, -0.8, 0.8), (1.0, -1.0, 0.8), (0.25, -0.25, 0.0), (0.45, -0.45, 0.0)];
        let points: Vec<Vector3<f64>> =
            corners.iter().flat_map(|(x, y, z)| [1.0, -1.0].map(|s| Vector3::new(s * x, *y, *z))).collect();
        let hull = Polytope::hull(&points).expect("a wall");
        let center = hull.center_of_mass;
        let wall = PartModel::new(0, 0, &Part::new(Shape::Polytope(Arc::new(hull.polytope))));
        let ball = Part::new(Shape::Ellipsoid { semi_axes: Vector3::repeat(0.05) });
        let ball = PartModel::new(1, 0, &ball);
        let at = |model: &PartModel, position: Vector3<f64>| {
            MovedPart::new(model, &Pose { position, orientation: UnitQuaternion::identity() })
        };
        let placed_wall = at(&wall, center);
        let wall = Placed::new(&wall, &placed_wall);
        let mut random = rand_pcg::Pcg64Mcg::seed_from_u64(3);
        let mut n_apart = 0;
        for _ in 0..2000 {
            let place = Vector3::from_fn(|_, _| random.random_range(-1.2..1.2));
            let placed_ball = at(&ball, place);
            let ball = Placed::new(&ball, &placed_ball);
            let start = (place - center).normalize();
            let (_, solved) = nearest_feature(&wall, &ball, Feature::Ellipsoid, &start);
            let best = FeatureWalk { body: &wall, ball: &ball, offset: place - center }.best_of_all(&start);
            let gap = wall.separation_along(&ball, &best.1.point.normal);
            if gap > 0.0 {
                n_apart += 1;
                assert!((solved.point.gap - gap).abs() < 1e-9, "{place:?}: {} and {gap}", solved.point.gap);
                let touching = place - best.1.point.normal * (gap + 1e-6);
                let placed_ball = at(ball.model, touching);
                let ball = Placed::new(ball.model, &placed_ball);
                let (_, solved) = nearest_feature(&wall, &ball, Feature::Ellipsoid, &start);
                assert!((solved.point.gap + 1e-6).abs() < 1e-9, "{touching:?}: {}", solved.point.gap);
            }
        }
        assert!(n_apart > 1500, "{n_apart}");
    }
}
