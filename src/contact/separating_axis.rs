//! The separating axis of two polytopes: the face of either or the pair of edges along whose normal they are
//! furthest apart (Gottschalk 1996; edge pairs by the arcs of the Gauss map, Gregorius 2013).

use crate::geometry::Polytope;
use nalgebra::{Matrix3, Vector3};

/// An edge pair must separate better than any face by this fraction of the size: a tie is a face contact, but 1e-5
/// lets a face stand in for a separating edge (MODEL section 2b).
const FACE_PREFERENCE: f64 = 1e-8;
/// Edges whose directions enclose a smaller sine have no normal of their own.
const PARALLEL: f64 = 1e-9;

/// What the separating normal belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// A face of A.
    FaceA(usize),
    /// A face of B.
    FaceB(usize),
    /// An edge of A and an edge of B.
    Edges(usize, usize),
}

/// The widest separation found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// Signed distance along the normal (m).
    pub gap: f64,
    /// Unit normal from A into B, in A's shape frame.
    pub normal: Vector3<f64>,
    /// Where it comes from.
    pub axis: Axis,
}

/// B's polytope seen from A's shape frame.
#[derive(Debug, Default)]
pub struct Seen {
    /// Turns vectors of B's shape frame.
    pub rotation: Matrix3<f64>,
    /// B's shape origin.
    pub origin: Vector3<f64>,
    /// B's vertices.
    pub vertices: Vec<Vector3<f64>>,
}

impl Seen {
    /// Puts B's vertices into A's frame; `b_in_a` is B's shape pose there.
    pub fn place(&mut self, b: &Polytope, rotation: Matrix3<f64>, origin: Vector3<f64>) {
        self.rotation = rotation;
        self.origin = origin;
        self.vertices.clear();
        self.vertices.extend(b.vertices.iter().map(|v| rotation * v + origin));
    }
}

/// The axis of widest separation; `size` is a length of the pair.
pub fn separation(a: &Polytope, b: &Polytope, seen: &Seen, size: f64) -> Separation {
    let mut best = face_of_a(a, seen);
    let other = face_of_b(a, b, seen);
    if other.gap > best.gap + FACE_PREFERENCE * size {
        best = other;
    }
    let mut edges: Option<Separation> = None;
    for (i, ea) in a.edges.iter().enumerate() {
        let normals_a = ea.faces.map(|f| a.faces[f].normal);
        let direction_a = a.vertices[ea.vertices[1]] - a.vertices[ea.vertices[0]];
        for (j, eb) in b.edges.iter().enumerate() {
            let normals_b = eb.faces.map(|f| -(seen.rotation * b.faces[f].normal));
            let direction_b = seen.vertices[eb.vertices[1]] - seen.vertices[eb.vertices[0]];
            if !arcs_cross(&normals_a, &direction_a, &normals_b, &direction_b) {
                continue;
            }
            let m = direction_a.cross(&direction_b);
            let length = m.norm();
            if length <= PARALLEL * direction_a.norm() * direction_b.norm() {
                continue;
            }
            let start = a.vertices[ea.vertices[0]];
            // A's origin lies inside A.
            let normal = if m.dot(&start) < 0.0 { -m / length } else { m / length };
            let gap = normal.dot(&(seen.vertices[eb.vertices[0]] - start));
            if edges.is_none_or(|e| gap > e.gap) {
                edges = Some(Separation { gap, normal, axis: Axis::Edges(i, j) });
            }
        }
    }
    match edges {
        Some(edges) if edges.gap > best.gap + FACE_PREFERENCE * size => edges,
        _ => best,
    }
}

fn face_of_a(a: &Polytope, seen: &Seen) -> Separation {
    let mut best = Separation { gap: f64::NEG_INFINITY, normal: Vector3::x(), axis: Axis::FaceA(0) };
    for (i, face) in a.faces.iter().enumerate() {
        let lowest = seen.vertices.iter().map(|v| face.normal.dot(v)).fold(f64::INFINITY, f64::min);
        if lowest - face.offset > best.gap {
            best = Separation { gap: lowest - face.offset, normal: face.normal, axis: Axis::FaceA(i) };
        }
    }
    best
}

fn face_of_b(a: &Polytope, b: &Polytope, seen: &Seen) -> Separation {
    let mut best = Separation { gap: f64::NEG_INFINITY, normal: Vector3::x(), axis: Axis::FaceB(0) };
    for (i, face) in b.faces.iter().enumerate() {
        let out = seen.rotation * face.normal;
        let offset = face.offset + out.dot(&seen.origin);
        let lowest = a.vertices.iter().map(|v| out.dot(v)).fold(f64::INFINITY, f64::min);
        if lowest - offset > best.gap {
            best = Separation { gap: lowest - offset, normal: -out, axis: Axis::FaceB(i) };
        }
    }
    best
}

/// Whether the arc between the normals of A's edge crosses the arc between the negated normals of B's edge on the
/// unit sphere: then the two edges span a face of the Minkowski difference.
fn arcs_cross(
    normals_a: &[Vector3<f64>; 2],
    direction_a: &Vector3<f64>,
    normals_b: &[Vector3<f64>; 2],
    direction_b: &Vector3<f64>,
) -> bool {
    let (c, d) = (normals_b[0].dot(direction_a), normals_b[1].dot(direction_a));
    if c * d >= 0.0 {
        return false;
    }
    let (a, b) = (normals_a[0].dot(direction_b), normals_a[1].dot(direction_b));
    // The last factor rules out arcs that would meet on opposite hemispheres.
    a * b < 0.0 && hemisphere(normals_a, direction_a) * hemisphere(normals_b, direction_b) * c * b > 0.0
}

/// +1 when the edge direction turns its first normal towards its second, else −1.
fn hemisphere(normals: &[Vector3<f64>; 2], direction: &Vector3<f64>) -> f64 {
    normals[1].cross(&normals[0]).dot(direction).signum()
}
