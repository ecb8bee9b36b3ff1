//! Features of a body's surface, each of one kind of curvature, from which contact points of round or mixed
//! pairs are made.

use crate::contact::placed::Placed;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Polytope, Shape};
use signorini_kernels::piece_pair::Piece;
use signorini_kernels::smooth_pair::Ellipsoid;
use std::f64::consts::TAU;

/// Points of a rim that hold a standing cylinder, evenly around it.
pub const RIM_POINTS: u32 = 8;
/// A product counts as negative, whatever its rounding, if it is so by this fraction of its terms.
const CLEARLY_INSIDE: f64 = 1e-13;
/// Number of places on a rim; a contact point off the regular ones is taken where the rim was lowest.
pub const RIM_STEPS: u32 = 4096;

/// One feature of a body's surface. Indices are those of the polytope; `up` is the end of a cylinder towards
/// +z of its shape frame; points are in the shape frame.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Feature {
    /// Surface of an ellipsoid.
    Ellipsoid,
    /// The plane of a half-space.
    Plane,
    /// A corner of a polytope.
    Vertex(usize),
    /// An edge of a polytope.
    Edge(usize),
    /// A face of a polytope.
    Face(usize),
    /// An end of a cylinder.
    Cap(bool),
    /// The edge of a cap: the point of it that supports.
    Rim(bool),
    /// An end of a capsule: half a ball.
    Ball(bool),
    /// The curved side of a cylinder; of a capsule with its ends.
    Side,
    /// The circle around the side at this height (m), with a name that stays as the height changes; of a
    /// capsule the ball there.
    Ring(f64, usize),
    /// A point of a rim, at one of [`RIM_STEPS`] places.
    RimPoint(bool, u32),
    /// A point of the body, with a name that stays as it moves.
    Point(Vector3<f64>, usize),
    /// A point of an edge of a polytope, above which an edge of a face of the other polytope crosses: edges
    /// (of A, of B).
    EdgePoint(Vector3<f64>, (usize, usize)),
}

impl Feature {
    /// Whether two features are equal up to the place of a ring or a point.
    pub fn is_same(&self, other: &Feature) -> bool {
        match (self, other) {
            (Feature::Ring(_, a), Feature::Ring(_, b)) | (Feature::Point(_, a), Feature::Point(_, b)) => {
                a == b
            }
            (Feature::EdgePoint(_, a), Feature::EdgePoint(_, b)) => a == b,
            _ => self == other,
        }
    }

    /// Whether the feature was taken where an outline is crossed.
    pub fn is_crossing(&self) -> bool {
        matches!(self, Feature::Ring(..) | Feature::Point(..) | Feature::EdgePoint(..))
    }

    /// Whether the feature belongs to a half-space or a polytope, and nothing of it is curved.
    pub fn is_polyhedral(&self) -> bool {
        matches!(
            self,
            Feature::Plane
                | Feature::Vertex(_)
                | Feature::Edge(_)
                | Feature::Face(_)
                | Feature::EdgePoint(..)
        )
    }

    /// Whether the normal of the feature is that of a plane fixed in the body.
    pub fn is_flat(&self) -> bool {
        matches!(self, Feature::Plane | Feature::Face(_) | Feature::Cap(_))
    }
}

/// A cylinder at a pose, or a capsule; vectors in world axes about the body's centre of mass.
#[derive(Debug, Clone, Copy)]
pub struct Cylinder {
    /// Centre (m).
    pub center: Vector3<f64>,
    /// Unit axis, z of the shape frame.
    pub axis: Vector3<f64>,
    /// Radius (m).
    pub radius: f64,
    /// Half the length (m), of a capsule half that of its line.
    pub half: f64,
    /// Whether it is a capsule, with round ends.
    pub is_capsule: bool,
}

impl Cylinder {
    /// The cylinder or capsule of a placed body.
    pub fn of(body: &Placed<'_>) -> Option<Self> {
        let (radius, half, is_capsule) = match body.model.shape {
            Shape::Cylinder { radius, half_length } => (radius, half_length, false),
            Shape::Capsule { radius, half_length } => (radius, half_length, true),
            _ => return None,
        };
        let axis = body.moved.shape_rotation.column(2).into();
        Some(Self { center: body.moved.shape_origin, axis, radius, half, is_capsule })
    }

    /// Feature at an end: the rim of a cylinder, the ball of a capsule.
    pub fn end_feature(&self, up: bool) -> Feature {
        if self.is_capsule { Feature::Ball(up) } else { Feature::Rim(up) }
    }

    /// Centre of the circle at a height.
    pub fn at(&self, height: f64) -> Vector3<f64> {
        self.center + self.axis * height
    }

    /// Height of an end.
    pub fn end(&self, up: bool) -> f64 {
        if up { self.half } else { -self.half }
    }

    /// Height of a point above the middle, and its distance from the axis.
    pub fn coordinates(&self, arm: &Vector3<f64>) -> (f64, f64) {
        let x = arm - self.center;
        let height = x.dot(&self.axis);
        (height, (x - self.axis * height).norm())
    }
}

/// The polytope of a placed body.
pub fn polytope<'a>(body: &Placed<'a>) -> Option<&'a Polytope> {
    match &body.model.shape {
        Shape::Polytope(polytope) => Some(polytope),
        _ => None,
    }
}

/// Arm of a point of the shape, world axes.
pub fn arm(body: &Placed<'_>, point: &Vector3<f64>) -> Vector3<f64> {
    body.moved.shape_origin + body.moved.shape_rotation * point
}

/// A point in the shape frame from its arm.
pub fn in_shape(body: &Placed<'_>, arm: &Vector3<f64>) -> Vector3<f64> {
    body.moved.shape_rotation.tr_mul(&(arm - body.moved.shape_origin))
}

/// A point on a rim, shape frame.
pub fn rim_point(cylinder: &Cylinder, up: bool, step: u32) -> Vector3<f64> {
    let (s, c) = (f64::from(step) / f64::from(RIM_STEPS) * TAU).sin_cos();
    Vector3::new(cylinder.radius * c, cylinder.radius * s, cylinder.end(up))
}

/// Outer unit normal of a flat feature and the arm of a point on it.
pub fn plane_of(feature: Feature, body: &Placed<'_>) -> Option<(Vector3<f64>, Vector3<f64>)> {
    match feature {
        Feature::Plane => body.moved.plane.map(|(n, offset)| (n, n * offset - body.moved.position)),
        Feature::Face(face) => polytope(body).map(|p| {
            let face = &p.faces[face];
            (body.moved.shape_rotation * face.normal, arm(body, &p.vertices[face.vertices[0]]))
        }),
        Feature::Cap(up) => Cylinder::of(body).map(|cylinder| {
            let n = if up { cylinder.axis } else { -cylinder.axis };
            (n, cylinder.at(cylinder.end(up)))
        }),
        _ => None,
    }
}

/// The faces of a polytope or the caps of a cylinder, in the order of [`Exposed::faces`].
///
/// [`Exposed::faces`]: signorini_geometry::exposure::Exposed::faces
pub fn flat_faces(part: &Placed<'_>) -> impl Iterator<Item = Feature> + use<> {
    let (n_faces, is_round) = match &part.model.shape {
        Shape::Polytope(p) => (p.faces.len(), false),
        Shape::Cylinder { .. } => (2, true),
        Shape::HalfSpace { .. } | Shape::Ellipsoid { .. } | Shape::Capsule { .. } | Shape::Bore { .. } => {
            (0, false)
        }
    };
    (0..n_faces).map(move |k| if is_round { Feature::Cap(k == 0) } else { Feature::Face(k) })
}

/// The curved parts of a cylinder or a capsule: the side of a capsule has its ends.
pub fn curved_parts(part: &Placed<'_>) -> impl Iterator<Item = Feature> + use<> {
    let has_rims = matches!(part.model.shape, Shape::Cylinder { .. });
    let rims = [Feature::Rim(true), Feature::Rim(false)].into_iter().filter(move |_| has_rims);
    std::iter::once(Feature::Side).chain(rims)
}

/// Arms of both ends of an edge of a polytope.
pub fn edge_ends(body: &Placed<'_>, edge: usize) -> Option<[Vector3<f64>; 2]> {
    polytope(body).map(|p| p.edges[edge].vertices.map(|v| arm(body, &p.vertices[v])))
}

/// Arm of the first end of an edge of a polytope, and its unit direction.
pub fn edge_line(body: &Placed<'_>, edge: usize) -> Option<(Vector3<f64>, Vector3<f64>)> {
    let p = polytope(body)?;
    let [first, second] = p.edges[edge].vertices.map(|v| p.vertices[v]);
    Some((arm(body, &first), (body.moved.shape_rotation * (second - first)).normalize()))
}

/// Arm of a feature that is a point of a polytope.
pub fn point_arm(feature: Feature, body: &Placed<'_>) -> Option<Vector3<f64>> {
    match feature {
        Feature::Vertex(v) => polytope(body).map(|p| arm(body, &p.vertices[v])),
        Feature::EdgePoint(point, _) => Some(arm(body, &point)),
        _ => None,
    }
}

/// Geometric piece of a feature at the body's pose. None if the body has no such feature.
pub fn piece(feature: Feature, body: &Placed<'_>) -> Option<Piece<f64>> {
    let disc =
        |cylinder: &Cylinder, height: f64| Piece::disc(cylinder.at(height), &cylinder.axis, cylinder.radius);
    let ball = |capsule: &Cylinder, height: f64| {
        Piece::round(Ellipsoid::new(
            capsule.at(height),
            &Matrix3::identity(),
            &Vector3::repeat(capsule.radius),
        ))
    };
    match feature {
        Feature::Ellipsoid => Some(Piece::round(body.moved.ellipsoid)),
        Feature::Plane | Feature::Face(_) | Feature::Cap(_) => {
            plane_of(feature, body).map(|(n, arm)| Piece::plane(arm, &n))
        }
        Feature::Vertex(v) => polytope(body).map(|p| Piece::point(arm(body, &p.vertices[v]))),
        Feature::Edge(e) => edge_line(body, e).map(|(from, along)| Piece::point(from).along(&along)),

        Feature::Rim(up) => Cylinder::of(body).map(|cylinder| disc(&cylinder, cylinder.end(up))),
        Feature::Ball(up) => Cylinder::of(body).map(|capsule| ball(&capsule, capsule.end(up))),
        Feature::Ring(height, _) => Cylinder::of(body).map(|cylinder| match cylinder.is_capsule {
            true => ball(&cylinder, height),
            false => disc(&cylinder, height),
        }),
        Feature::Side => Cylinder::of(body).map(|cylinder| disc(&cylinder, 0.0).along(&cylinder.axis)),
        Feature::RimPoint(up, step) => {
            Cylinder::of(body).map(|cylinder| Piece::point(arm(body, &rim_point(&cylinder, up, step))))
        }
        Feature::Point(point, _) | Feature::EdgePoint(point, _) => Some(Piece::point(arm(body, &point))),
    }
}

/// Distance by which a point on the (extended) feature lies outside it (m); `at` is its arm.
pub fn outside(feature: Feature, body: &Placed<'_>, at: &Vector3<f64>) -> f64 {
    let local = || in_shape(body, at);
    match feature {
        Feature::Face(face) => {
            polytope(body).map_or(0.0, |p| off_face(p, face, &local()).map_or(0.0, |s| s.1))
        }
        Feature::Edge(edge) => polytope(body).map_or(0.0, |p| off_edge(p, edge, &local()).1),
        Feature::Cap(_) => {
            Cylinder::of(body).map_or(0.0, |cylinder| (cylinder.coordinates(at).1 - cylinder.radius).max(0.0))
        }
        // The side of a capsule ends in its balls.
        Feature::Side => Cylinder::of(body)
            .filter(|cylinder| !cylinder.is_capsule)
            .map_or(0.0, |cylinder| (cylinder.coordinates(at).0.abs() - cylinder.half).max(0.0)),
        _ => 0.0,
    }
}

/// Side of a face beyond which a point in its plane lies farthest, and the distance (m). None inside.
pub fn off_face(p: &Polytope, face: usize, point: &Vector3<f64>) -> Option<(usize, f64)> {
    let face = &p.faces[face];
    let mut worst: Option<(usize, f64)> = None;
    for (k, (from, to)) in face.vertices.iter().zip(face.vertices.iter().cycle().skip(1)).enumerate() {
        let along = p.vertices[*to] - p.vertices[*from];
        let (out, arm) = (along.cross(&face.normal), point - p.vertices[*from]);
        // Most points lie clearly inside most sides: the distance is not needed.
        if out.dot(&arm) < -CLEARLY_INSIDE * out.abs().dot(&arm.abs()) {
            continue;
        }
        let beyond = out.normalize().dot(&arm);
        if beyond > worst.map_or(0.0, |w| w.1) {
            worst = Some((k, beyond));
        }
    }
    worst
}

/// End of an edge nearest to a point on its line, and the distance of the point beyond it (m, 0 between the
/// ends).
pub fn off_edge(p: &Polytope, edge: usize, point: &Vector3<f64>) -> (usize, f64) {
    let [from, to] = p.edges[edge].vertices;
    let along = p.vertices[to] - p.vertices[from];
    let length = along.norm();
    let at = along.dot(&(point - p.vertices[from])) / length;
    if 2.0 * at < length { (from, (-at).max(0.0)) } else { (to, (at - length).max(0.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side that a point is clearly inside of is passed over, and no other.
    #[test]
    fn a_point_lies_off_a_face_as_far_as_off_its_sides() {
        let corners =
            [[0.0, 0.0, 0.4], [0.5, 0.0, -0.1], [-0.3, 0.4, -0.1], [-0.2, -0.5, -0.2], [0.1, 0.3, 0.3]];
        let p = Polytope::hull(&corners.map(Vector3::from)).expect("a solid").polytope;
        let mut n_off = 0;
        for k in 0..6000 {
            let wave = |a: f64| (a * f64::from(k)).sin();
            let (face, [u, w]) = (k as usize % p.faces.len(), [wave(1.7), wave(2.3)]);
            let [a, b, c] = [0, 1, 2].map(|i| p.vertices[p.faces[face].vertices[i]]);
            // The point is in the plane of the face: near a side, on it, beyond it by rounding, or anywhere.
            let w = w * [1.0, 1e-3, 1e-12, 1e-15, 0.0][k as usize % 5];
            let point = a + (b - a) * u + (c - a) * w;
            let mut expected: Option<(usize, f64)> = None;
            for (side, from) in p.faces[face].vertices.iter().enumerate() {
                let to = p.faces[face].vertices[(side + 1) % p.faces[face].vertices.len()];
                let along = p.vertices[to] - p.vertices[*from];
                let out = along.cross(&p.faces[face].normal).normalize();
                let beyond = out.dot(&(point - p.vertices[*from]));
                if beyond > expected.map_or(0.0, |known| known.1) {
                    expected = Some((side, beyond));
                }
            }
            assert_eq!(off_face(&p, face, &point), expected, "{k}: {point}");
            n_off += usize::from(expected.is_some());
        }
        assert!(n_off > 1000, "{n_off}");
    }
}
