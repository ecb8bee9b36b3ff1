//! A flat pair: its atoms, found at the end pose and kept for the step (MODEL section 2b).

use super::features::{Clip, Feature, Reach, touching};
use super::separating_axis::{Seen, separation};
use super::{BodyModel, MovedBody};
use crate::geometry::{Polytope, Shape};
use crate::kernels::flat_atom::{
    AtomGeometry, edge_edge, edge_edge_tangent, face_point, face_point_tangent, swapped_tangent,
};
use crate::kernels::pair_tangent::PairTangent;
use nalgebra::Vector3;

/// Rows set aside for atoms not met yet.
const SPARE_SLOTS: usize = 4;

/// A body of the pair at a pose.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// What it is.
    pub model: &'a BodyModel,
    /// Where it is.
    pub moved: &'a MovedBody,
}

/// One atom: 0 ≤ p ⊥ gap ≥ 0.
#[derive(Debug, Clone, Copy)]
pub struct Atom {
    /// What it is made of.
    pub feature: Feature,
    /// Normal, points and gap at the last evaluated pose.
    pub geometry: AtomGeometry<f64>,
    /// p of the last solve (N s).
    pub impulse: f64,
}

/// The atoms of a pair.
#[derive(Debug, Clone, Default)]
pub struct Patch {
    /// Atoms met within the step; an atom is never dropped while converging.
    pub atoms: Vec<Atom>,
    /// Rows set aside for atoms.
    pub n_slots: usize,
    /// Atoms met that had no slot.
    pub n_missed: usize,
}

/// Workspace of patches.
#[derive(Debug, Default)]
pub struct FeatureSearch {
    seen: Seen,
    clip: Clip,
    found: Vec<Feature>,
}

/// What a pose says about a flat pair.
#[derive(Debug, Clone, Copy)]
pub struct Facing {
    /// Unit normal of the separating axis, from A into B, world.
    pub normal: Vector3<f64>,
    /// Separation along it (m).
    pub gap: f64,
}

/// Separation of a flat pair and the features that touch, left in `search`.
fn face(a: &Placed<'_>, b: &Placed<'_>, margin: f64, search: &mut FeatureSearch) -> Facing {
    search.found.clear();
    let Shape::Polytope(of_b) = &b.model.shape else {
        return Facing { normal: Vector3::z(), gap: f64::INFINITY };
    };
    if let Some((n, offset)) = a.moved.plane {
        let height = |v: &Vector3<f64>| {
            n.dot(&(b.moved.position + b.moved.shape_origin + b.moved.shape_rotation * v)) - offset
        };
        let gap = of_b.vertices.iter().map(height).fold(f64::INFINITY, f64::min);
        let near = |v: &usize| height(&of_b.vertices[*v]) <= gap + margin;
        let vertices = (0..of_b.vertices.len()).filter(near);
        search.found.extend(vertices.map(|v| Feature::FaceVertex(0, v)));
        return Facing { normal: n, gap };
    }
    let Shape::Polytope(of_a) = &a.model.shape else {
        return Facing { normal: Vector3::z(), gap: f64::INFINITY };
    };
    let to_a = a.moved.shape_rotation.transpose();
    let apart = b.moved.position - a.moved.position + b.moved.shape_origin - a.moved.shape_origin;
    search.seen.place(of_b, to_a * b.moved.shape_rotation, to_a * apart);
    let size = a.model.size.min(b.model.size);
    let found = separation(of_a, of_b, &search.seen, size);
    let reach = Reach { size, margin };
    touching(of_a, of_b, &search.seen, &found, reach, &mut search.clip, &mut search.found);
    Facing { normal: a.moved.shape_rotation * found.normal, gap: found.gap }
}

impl Patch {
    /// Features at the start of a step: atoms that were loaded stay, others go unless they touch.
    pub fn begin(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        margin: f64,
        search: &mut FeatureSearch,
    ) -> Facing {
        let facing = face(a, b, margin, search);
        self.atoms.retain(|atom| atom.impulse > 0.0 || search.found.iter().any(|f| f.is_same(&atom.feature)));
        self.n_slots = usize::MAX;
        self.add(&search.found);
        self.evaluate(a, b);
        facing
    }

    /// Features at an end pose, united with those met before.
    pub fn refresh(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        margin: f64,
        search: &mut FeatureSearch,
    ) -> Facing {
        let facing = face(a, b, margin, search);
        self.add(&search.found);
        self.evaluate(a, b);
        facing
    }

    /// Sets rows aside for the atoms known and a few more.
    pub fn reserve(&mut self) {
        self.n_slots = (self.atoms.len() + SPARE_SLOTS).next_multiple_of(SPARE_SLOTS);
        self.n_missed = 0;
    }

    fn add(&mut self, found: &[Feature]) {
        self.n_missed = 0;
        for feature in found {
            if self.atoms.iter().any(|a| a.feature.is_same(feature)) {
                continue;
            }
            if self.atoms.len() >= self.n_slots {
                self.n_missed += 1;
                continue;
            }
            self.atoms.push(Atom { feature: *feature, geometry: NOWHERE, impulse: 0.0 });
        }
    }

    fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>) {
        for atom in &mut self.atoms {
            atom.geometry = place_atom(&atom.feature, a, b);
        }
    }
}

const NOWHERE: AtomGeometry<f64> = AtomGeometry {
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
fn edge_of(body: &Placed<'_>, edge: usize) -> (Vector3<f64>, Vector3<f64>) {
    let Some(p) = polytope(body) else { return (Vector3::zeros(), Vector3::zeros()) };
    let [first, second] = p.edges[edge].vertices.map(|v| p.vertices[v]);
    (arm(body, &first), (body.moved.shape_rotation * (second - first)).normalize())
}

fn place_atom(feature: &Feature, a: &Placed<'_>, b: &Placed<'_>) -> AtomGeometry<f64> {
    let offset = b.moved.position - a.moved.position;
    let on_face_a = |face: usize, point: Vector3<f64>| {
        let (normal, arm_face) = face_of(a, face);
        face_point(&normal, &arm_face, &offset, &point)
    };
    let on_face_b = |point: Vector3<f64>, face: usize| {
        let (normal, arm_face) = face_of(b, face);
        face_point(&normal, &arm_face, &-offset, &point).swapped()
    };
    match feature {
        Feature::FaceVertex(face, vertex) => on_face_a(*face, vertex_of(b, *vertex)),
        Feature::VertexFace(vertex, face) => on_face_b(vertex_of(a, *vertex), *face),
        Feature::FacePoint(face, _, point) => on_face_a(*face, arm(b, point)),
        Feature::PointFace(point, _, face) => on_face_b(arm(a, point), *face),
        Feature::Edges(i, j) => {
            let ((arm_a, u), (arm_b, w)) = (edge_of(a, *i), edge_of(b, *j));
            // A's shape holds its own origin: the edge's arm from there points outwards.
            let outward = arm_a - a.moved.shape_origin;
            edge_edge(&arm_a, &u, &offset, &arm_b, &w, &outward)
        }
    }
}

/// Derivatives of an atom's normal and arms with the poses.
pub fn atom_tangent(atom: &Atom, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
    match &atom.feature {
        Feature::FaceVertex(..) | Feature::FacePoint(..) => face_point_tangent(&atom.geometry),
        Feature::VertexFace(..) | Feature::PointFace(..) => {
            swapped_tangent(&face_point_tangent(&atom.geometry.swapped()))
        }
        Feature::Edges(i, j) => edge_edge_tangent(&atom.geometry, &edge_of(a, *i).1, &edge_of(b, *j).1),
    }
}
