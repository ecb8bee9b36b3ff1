//! One contact point of a flat pair: what it is made of, where it is at a pose, and how far from supporting
//! both bodies.

use crate::contact::axis::curved_axis::{Tilt, is_upright, solve_parts};
use crate::contact::clipping::rim::follow_rim;
use crate::contact::feature::Feature;
use crate::contact::part::{outside, piece};
use crate::contact::placed::Placed;
use crate::geometry::{Polytope, Shape};
use crate::kernels::flat_point::{
    PointGeometry, edge_edge, edge_edge_tangent, face_point, face_point_tangent, swapped_tangent,
};
use crate::kernels::pair_tangent::PairTangent;
use crate::kernels::piece_pair::{Solved, tangent};
use crate::kernels::wrench::WrenchPoint;
use nalgebra::{Matrix3, Vector3};

/// Points above the rim of a cap are held to this many times more: beside them the rim's own contact point
/// may push, along a normal that is turned by as much as the plane cuts off.
const AT_RIM: f64 = 10.0;
/// Edges at a smaller angle than this (rad) cross nowhere.
const PARALLEL: f64 = 1e-12;

/// One contact point: 0 ≤ p ⊥ gap ≥ 0.
#[derive(Debug, Clone, Copy, serde::Serialize, serde::Deserialize)]
pub struct ContactPoint {
    /// What it is made of.
    pub feature: Feature,
    /// Normal, points and gap at the last evaluated pose.
    pub geometry: PointGeometry<f64>,
    /// How the points of round parts turn with the normal, S of A and of B (m).
    pub(super) slope: [Matrix3<f64>; 2],
    /// Of the round parts over planes.
    pub(super) tilt: Tilt,
    /// Its points face each other along the normal: not where a side lies on a cap, and its rim has no lowest
    /// point.
    pub(super) is_found: bool,
    /// p of the last solve (N s).
    pub impulse: f64,
    /// Under the staggered integrator: where it was at the start of the step. None: not known then, or it did
    /// not touch.
    pub start: Option<WrenchPoint<f64>>,
    /// Exerts nothing: it was loaded although it no longer supports both bodies.
    pub is_excluded: bool,
    /// Exerts nothing at this pose: the bodies are further apart along another axis.
    pub(super) is_idle: bool,
    /// It was excluded for its normal.
    pub(super) is_misaligned: bool,
    /// How often it was excluded in this step.
    pub(crate) n_exclusions: usize,
}

impl ContactPoint {
    /// Whether the contact point may exert an impulse at this pose.
    pub fn exerts(&self) -> bool {
        !self.is_excluded && !self.is_idle
    }

    /// The lowest point of a rim that lies flat.
    pub(super) fn is_lost(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        !self.is_found || matches!(self.feature, Feature::Parts(of_a, of_b) if is_upright((of_a, of_b), a, b))
    }

    /// Its normal and points as last evaluated.
    pub fn wrench_point(&self) -> WrenchPoint<f64> {
        let g = &self.geometry;
        WrenchPoint { normal: g.normal, arms: [g.arm_a, g.arm_b] }
    }

    fn solved(&self) -> Solved<f64> {
        Solved { point: self.geometry, slope: self.slope, mismatch: 0.0, residual: 0.0 }
    }
}

/// How far a contact point is from supporting both bodies (m): other parts of them beyond its plane, and its
/// point outside the feature that it stands for.
pub(super) fn support_error(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> (f64, f64) {
    let ([beyond_a, beyond_b], outside) = (beyond(point, a, b), off_feature(point, a, b));
    let Feature::Parts(of_a, of_b) = &point.feature else { return (beyond_b.max(beyond_a), outside) };
    // Any point of one body must stay above a plane of the other, be it the lowest or not; but where it is
    // taken above the rim of the plane, the rim may be what it touches.
    let beyond = match (of_a.is_flat(), of_b.is_flat()) {
        (true, _) if of_b.is_crossing() => beyond_a.max(beyond_b * AT_RIM),
        (_, true) if of_a.is_crossing() => beyond_b.max(beyond_a * AT_RIM),
        (true, _) => beyond_a,
        (_, true) => beyond_b,
        _ => beyond_b.max(beyond_a),
    };
    (beyond, outside)
}

/// How far a contact point's normal and point are from being a normal and a point of both bodies (m): any
/// part of either beyond its plane counts.
pub(super) fn cut(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let [beyond_a, beyond_b] = beyond(point, a, b);
    beyond_a.max(beyond_b).max(off_feature(point, a, b))
}

/// How far each body reaches beyond the contact point's plane (m).
fn beyond(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> [f64; 2] {
    let g = &point.geometry;
    let beyond_b = g.normal.dot(&g.arm_b) + b.model.support_width(b.moved, &-g.normal);
    let beyond_a = match a.moved.plane {
        Some(_) => 0.0,
        None => a.model.support_width(a.moved, &g.normal) - g.normal.dot(&g.arm_a),
    };
    [beyond_a, beyond_b]
}

/// How far the contact point's point lies outside its feature (m).
fn off_feature(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    let g = &point.geometry;
    match &point.feature {
        Feature::FaceVertex(face, _) | Feature::FacePoint(face, ..) => off_face(a, *face, &g.arm_a),
        Feature::VertexFace(_, face) | Feature::PointFace(_, _, face) => off_face(b, *face, &g.arm_b),
        Feature::Edges(i, j) => f64::max(off_edge(a, *i, &g.arm_a), off_edge(b, *j, &g.arm_b)),
        Feature::Parts(of_a, of_b) => outside(*of_a, a, &g.arm_a).max(outside(*of_b, b, &g.arm_b)),
    }
}

/// How far a point in a face's plane lies outside the face (m); `arm` is from the body's centre of mass.
fn off_face(body: &Placed<'_>, face: usize, arm: &Vector3<f64>) -> f64 {
    let Some(p) = polytope(body) else { return 0.0 };
    let point = in_shape(body, arm);
    let face = &p.faces[face];
    let sides = face.vertices.iter().zip(face.vertices.iter().cycle().skip(1));
    sides
        .map(|(from, to)| {
            let along = p.vertices[*to] - p.vertices[*from];
            along.cross(&face.normal).normalize().dot(&(point - p.vertices[*from]))
        })
        .fold(0.0, f64::max)
}

/// How far a point on an edge's line lies beyond its ends (m).
fn off_edge(body: &Placed<'_>, edge: usize, arm: &Vector3<f64>) -> f64 {
    let Some(p) = polytope(body) else { return 0.0 };
    let point = in_shape(body, arm);
    let [first, second] = p.edges[edge].vertices.map(|v| p.vertices[v]);
    let along = (second - first).normalize();
    let at = along.dot(&(point - first));
    (-at).max(at - (second - first).norm()).max(0.0)
}

/// Moves the point where two edges, or a line and an edge, cross above the rim of a plane with the bodies,
/// while they cross.
pub(super) fn follow_crossing(feature: &mut Feature, a: &Placed<'_>, b: &Placed<'_>) {
    let (normal, edges) = match feature {
        Feature::Parts(of_a, of_b) => {
            let mut parts = (*of_a, *of_b);
            follow_rim(&mut parts, a, b);
            (*of_a, *of_b) = parts;
            return;
        }
        Feature::FacePoint(face, edges, _) => (face_of(a, *face).0, *edges),
        Feature::PointFace(_, edges, face) => (face_of(b, *face).0, *edges),
        _ => return,
    };
    let [Some(ends_a), Some(ends_b)] = [(a, edges.0), (b, edges.1)].map(|(body, edge)| ends_of(body, edge))
    else {
        return;
    };
    let offset = b.moved.position - a.moved.position;
    let (u, w) = (ends_a[1] - ends_a[0], ends_b[1] - ends_b[0]);
    let apart = offset + ends_b[0] - ends_a[0];
    let area = normal.dot(&u.cross(&w));
    if area.abs() <= 1e-12 * u.norm() * w.norm() {
        return;
    }
    let (along_a, along_b) = (normal.dot(&apart.cross(&w)) / area, normal.dot(&apart.cross(&u)) / area);
    if !(0.0..=1.0).contains(&along_a) || !(0.0..=1.0).contains(&along_b) {
        return;
    }
    match feature {
        Feature::FacePoint(_, _, point) => *point = in_shape(b, &(ends_b[0] + w * along_b)),
        Feature::PointFace(point, ..) => *point = in_shape(a, &(ends_a[0] + u * along_a)),
        _ => {}
    }
}

/// Sine of the angle between an edge of A and one of B.
pub(super) fn edge_angle(i: usize, j: usize, a: &Placed<'_>, b: &Placed<'_>) -> f64 {
    edge_of(a, i).1.cross(&edge_of(b, j).1).norm()
}

/// Arms of both ends of an edge.
fn ends_of(body: &Placed<'_>, edge: usize) -> Option<[Vector3<f64>; 2]> {
    let p = polytope(body)?;
    Some(p.edges[edge].vertices.map(|v| arm(body, &p.vertices[v])))
}

/// A point in the shape frame from its arm.
fn in_shape(body: &Placed<'_>, arm: &Vector3<f64>) -> Vector3<f64> {
    body.moved.shape_rotation.tr_mul(&(arm - body.moved.shape_origin))
}

pub(super) const NOWHERE: PointGeometry<f64> = PointGeometry {
    normal: Vector3::new(0.0, 0.0, 0.0),
    arm_a: Vector3::new(0.0, 0.0, 0.0),
    arm_b: Vector3::new(0.0, 0.0, 0.0),
    gap: f64::INFINITY,
};

fn polytope<'a>(body: &Placed<'a>) -> Option<&'a Polytope> {
    match &body.model.shape {
        Shape::Polytope(polytope) => Some(polytope),
        _ => None,
    }
}

/// Arm of a point of the shape, world axes.
fn arm(body: &Placed<'_>, point: &Vector3<f64>) -> Vector3<f64> {
    body.moved.shape_origin + body.moved.shape_rotation * point
}

/// Outer normal of a face and the arm of a point on it.
fn face_of(body: &Placed<'_>, face: usize) -> (Vector3<f64>, Vector3<f64>) {
    match (body.moved.plane, polytope(body)) {
        (Some((n, offset)), _) => (n, n * offset - body.moved.position),
        (None, Some(p)) => {
            let face = &p.faces[face];
            (body.moved.shape_rotation * face.normal, arm(body, &p.vertices[face.vertices[0]]))
        }
        (None, None) => (Vector3::zeros(), Vector3::zeros()),
    }
}

fn vertex_of(body: &Placed<'_>, vertex: usize) -> Vector3<f64> {
    polytope(body).map_or_else(Vector3::zeros, |p| arm(body, &p.vertices[vertex]))
}

/// Arm of an edge's first end, and its unit direction.
pub(super) fn edge_of(body: &Placed<'_>, edge: usize) -> (Vector3<f64>, Vector3<f64>) {
    let Some(p) = polytope(body) else { return (Vector3::zeros(), Vector3::zeros()) };
    let [first, second] = p.edges[edge].vertices.map(|v| p.vertices[v]);
    (arm(body, &first), (body.moved.shape_rotation * (second - first)).normalize())
}

/// Normal, points and gap of a contact point, how the points of round parts turn with the normal, and how far
/// the points miss each other along the plane (m).
pub(super) fn place_point(
    feature: &Feature,
    a: &Placed<'_>,
    b: &Placed<'_>,
    hint: &Vector3<f64>,
) -> (PointGeometry<f64>, [Matrix3<f64>; 2], f64) {
    let offset = b.moved.position - a.moved.position;
    let on_face_a = |face: usize, point: Vector3<f64>| {
        let (normal, arm_face) = face_of(a, face);
        face_point(&normal, &arm_face, &offset, &point)
    };
    let on_face_b = |point: Vector3<f64>, face: usize| {
        let (normal, arm_face) = face_of(b, face);
        face_point(&normal, &arm_face, &-offset, &point).swapped()
    };
    let flat = match feature {
        Feature::FaceVertex(face, vertex) => on_face_a(*face, vertex_of(b, *vertex)),
        Feature::VertexFace(vertex, face) => on_face_b(vertex_of(a, *vertex), *face),
        Feature::FacePoint(face, _, point) => on_face_a(*face, arm(b, point)),
        Feature::PointFace(point, _, face) => on_face_b(arm(a, point), *face),
        Feature::Edges(i, j) => {
            let ((arm_a, u), (arm_b, w)) = (edge_of(a, *i), edge_of(b, *j));
            // A's shape holds its own origin: the edge's arm from there points outwards.
            let outward = arm_a - a.moved.shape_origin;
            if u.cross(&w).norm() <= PARALLEL * u.norm() * w.norm() {
                return (NOWHERE, [Matrix3::zeros(); 2], f64::INFINITY);
            }
            edge_edge(&arm_a, &u, &offset, &arm_b, &w, &outward)
        }
        Feature::Parts(of_a, of_b) => {
            let Some(found) = solve_parts((*of_a, *of_b), a, b, hint) else {
                return (NOWHERE, [Matrix3::zeros(); 2], 0.0);
            };
            // Parallel lines cross nowhere.
            let is_somewhere = found.point.arm_a.iter().chain(&found.point.arm_b).all(|x| x.is_finite());
            if !is_somewhere {
                return (NOWHERE, [Matrix3::zeros(); 2], f64::INFINITY);
            }
            return (found.point, found.slope, found.mismatch);
        }
    };
    (flat, [Matrix3::zeros(); 2], 0.0)
}

/// Derivatives of a contact point's normal and arms with the poses.
pub fn point_tangent(point: &ContactPoint, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
    match &point.feature {
        Feature::FaceVertex(..) | Feature::FacePoint(..) => face_point_tangent(&point.geometry),
        Feature::VertexFace(..) | Feature::PointFace(..) => {
            swapped_tangent(&face_point_tangent(&point.geometry.swapped()))
        }
        Feature::Edges(i, j) => edge_edge_tangent(&point.geometry, &edge_of(a, *i).1, &edge_of(b, *j).1),
        Feature::Parts(of_a, of_b) => match (piece(*of_a, a), piece(*of_b, b)) {
            (Some(pa), Some(pb)) => tangent(&pa, &pb, &point.solved()),
            _ => PairTangent::zero(),
        },
    }
}
