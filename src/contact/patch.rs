//! A flat pair: its atoms, found at the end pose and kept for the step (MODEL section 2b).

use super::features::{Clip, Feature, Reach, touching};
use super::parts::{outside, piece};
use super::round_patch::{Shortlist, face_round, is_upright, solve_parts};
use super::separating_axis::{Seen, separation};
use super::{BodyModel, MovedBody};
use crate::geometry::{Polytope, Shape};
use crate::kernels::flat_atom::{
    AtomGeometry, edge_edge, edge_edge_tangent, face_point, face_point_tangent, swapped_tangent,
};
use crate::kernels::pair_tangent::PairTangent;
use crate::kernels::piece_pair::{Solved, tangent};
use nalgebra::{Matrix3, Vector3};

/// Features are taken up this part of the pair's size above the lowest.
pub const FEATURE_MARGIN: f64 = 0.05;
/// An atom exerts nothing where the bodies are further apart along another axis by this part of the size than it says:
/// of several axes the widest counts. Below that the union of all atoms met steadies the iteration.
const IDLE: f64 = 1e-3;
/// Rows set aside for atoms not met yet.
const SPARE_SLOTS: usize = 6;

/// An atom is stale when it misses the bodies by this part of the size, and this many times the largest gap of a
/// loaded atom.
const STALE: f64 = 1e-7;
const STALE_GAPS: f64 = 1000.0;
const STALE_GAPS_ALONG: f64 = 30.0;
/// Points above the rim of a cap are held to this many times more: beside them the rim's own atom may push, along a normal
/// that is turned by as much as the plane cuts off.
const AT_RIM: f64 = 10.0;
/// A stale atom's load goes to an atom whose normal encloses at least this cosine with its own.
const SAME_SIDE: f64 = 0.5;
/// An atom that was stale this often in a step stays banned even if it touches again.
const MOST_BANS: usize = 3;

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
    /// How the points of round parts turn with the normal, S of A and of B (m).
    slope: [Matrix3<f64>; 2],
    /// p of the last solve (N s).
    pub impulse: f64,
    /// Exerts nothing: it was loaded although it no longer supports both bodies.
    pub is_banned: bool,
    /// Exerts nothing at this pose: the bodies are further apart along another axis.
    is_idle: bool,
    /// How often it was banned in this step.
    n_bans: usize,
}

impl Atom {
    /// Whether the atom may exert an impulse at this pose.
    pub fn exerts(&self) -> bool {
        !self.is_banned && !self.is_idle
    }

    fn is_lost(&self, a: &Placed<'_>, b: &Placed<'_>) -> bool {
        matches!(self.feature, Feature::Parts(of_a, of_b) if is_upright((of_a, of_b), a, b))
    }

    fn solved(&self) -> Solved<f64> {
        Solved { atom: self.geometry, slope: self.slope, mismatch: 0.0, residual: 0.0 }
    }
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
    shortlist: Shortlist,
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
fn face(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    start: &Vector3<f64>,
    shortlist: &mut Shortlist,
    search: &mut FeatureSearch,
) -> Facing {
    search.found.clear();
    let is_round = |body: &Placed<'_>| matches!(body.model.shape, Shape::Cylinder { .. });
    if is_round(a) || is_round(b) {
        return face_round(a, b, margin, start, shortlist, &mut search.found);
    }
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
    search.seen.place(of_a, of_b, to_a * b.moved.shape_rotation, to_a * apart);
    let size = a.model.smaller_size(b.model);
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
        size: f64,
        start: &Vector3<f64>,
        search: &mut FeatureSearch,
    ) -> Facing {
        self.shortlist.clear();
        let facing = face(a, b, FEATURE_MARGIN * size, start, &mut self.shortlist, search);
        self.atoms.retain(|atom| atom.impulse > 0.0 || search.found.iter().any(|f| f.is_same(&atom.feature)));
        for atom in &mut self.atoms {
            atom.is_banned = false;
            atom.is_idle = false;
            atom.n_bans = 0;
        }
        self.n_slots = usize::MAX;
        self.add(&search.found);
        self.evaluate(a, b, &facing.normal);
        facing
    }

    /// Features at an end pose, united with those met before. Banned atoms lose their load `x`.
    pub fn refresh(
        &mut self,
        a: &Placed<'_>,
        b: &Placed<'_>,
        size: f64,
        start: &Vector3<f64>,
        search: &mut FeatureSearch,
        x: &mut [f64],
    ) -> Facing {
        let facing = face(a, b, FEATURE_MARGIN * size, start, &mut self.shortlist, search);
        self.add(&search.found);
        self.evaluate(a, b, &facing.normal);
        for atom in &mut self.atoms {
            atom.is_idle = atom.geometry.gap < facing.gap - IDLE * size || atom.is_lost(a, b);
        }
        for k in 0..self.atoms.len().min(x.len()) {
            let is_idle = self.atoms[k].is_idle && x[k] > 0.0;
            if is_idle
                && (facing.gap <= 0.0 || self.atoms[k].is_lost(a, b))
                && let Some(heir) = self.heir(k, a, b, f64::INFINITY)
            {
                x[heir] += x[k];
            }
            if !self.atoms[k].exerts() {
                x[k] = 0.0;
            }
        }
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
            if let Some(known) = self.atoms.iter_mut().find(|a| a.feature.is_same(feature)) {
                known.is_banned &= known.n_bans >= MOST_BANS;
                // The point where edges cross moves along them.
                known.feature = *feature;
                continue;
            }
            if self.atoms.len() >= self.n_slots {
                self.n_missed += 1;
                continue;
            }
            self.atoms.push(Atom {
                feature: *feature,
                geometry: NOWHERE,
                slope: [Matrix3::zeros(); 2],
                impulse: 0.0,
                is_banned: false,
                is_idle: false,
                n_bans: 0,
            });
        }
    }

    fn evaluate(&mut self, a: &Placed<'_>, b: &Placed<'_>, facing: &Vector3<f64>) {
        for atom in &mut self.atoms {
            let last = atom.geometry.normal;
            let hint = if last.dot(facing) > 0.0 { &last } else { facing };
            let (geometry, slope) = place_atom(&atom.feature, a, b, hint);
            (atom.geometry, atom.slope) = (geometry, slope);
        }
    }

    /// Bans atoms that are loaded but no longer support both bodies, measured against how far the loaded atoms are
    /// from touching; `size` is a length of the pair. Their load goes to an atom with the same normal that took
    /// their place, if there is one.
    pub fn ban_stale(&mut self, a: &Placed<'_>, b: &Placed<'_>, size: f64, x: &mut [f64]) {
        let loaded = |x: &[f64], k: usize| x[k] > 0.0;
        let open = (0..self.atoms.len())
            .filter(|k| loaded(x, *k))
            .map(|k| self.atoms[k].geometry.gap.abs())
            .fold(0.0, f64::max);
        for k in 0..self.atoms.len() {
            if !loaded(x, k) {
                continue;
            }
            let (beyond, outside) = misses(&self.atoms[k], a, b);
            let is_supporting = beyond <= STALE * size + STALE_GAPS * open
                && outside <= STALE * size + STALE_GAPS_ALONG * open;
            if is_supporting {
                continue;
            }
            self.atoms[k].is_banned = true;
            self.atoms[k].n_bans += 1;
            if let Some(heir) = self.heir(k, a, b, STALE * size + STALE_GAPS * open) {
                x[heir] += x[k];
            }
            x[k] = 0.0;
        }
    }
}

impl Patch {
    /// The nearest atom that supports both bodies to within `tolerance` (m) on the same side as atom k.
    fn heir(&self, k: usize, a: &Placed<'_>, b: &Placed<'_>, tolerance: f64) -> Option<usize> {
        let old = &self.atoms[k].geometry;
        let distance = |j: usize| (self.atoms[j].geometry.arm_b - old.arm_b).norm();
        (0..self.atoms.len())
            .filter(|j| {
                let atom = &self.atoms[*j];
                atom.exerts() && atom.geometry.normal.dot(&old.normal) > SAME_SIDE && {
                    let (beyond, outside) = misses(atom, a, b);
                    beyond.max(outside) <= tolerance
                }
            })
            .min_by(|i, j| distance(*i).total_cmp(&distance(*j)))
    }
}

/// How far an atom is from supporting both bodies (m): other parts of them beyond its plane, and its point outside the
/// feature that it stands for.
fn misses(atom: &Atom, a: &Placed<'_>, b: &Placed<'_>) -> (f64, f64) {
    let g = &atom.geometry;
    let beyond_b = g.normal.dot(&g.arm_b) + b.model.reach(b.moved, &-g.normal);
    let beyond_a = match a.moved.plane {
        Some(_) => 0.0,
        None => a.model.reach(a.moved, &g.normal) - g.normal.dot(&g.arm_a),
    };
    let outside = match &atom.feature {
        Feature::FaceVertex(face, _) | Feature::FacePoint(face, ..) => off_face(a, *face, &g.arm_a),
        Feature::VertexFace(_, face) | Feature::PointFace(_, _, face) => off_face(b, *face, &g.arm_b),
        Feature::Edges(i, j) => f64::max(off_edge(a, *i, &g.arm_a), off_edge(b, *j, &g.arm_b)),
        Feature::Parts(of_a, of_b) => {
            let outside = outside(*of_a, a, &g.arm_a).max(outside(*of_b, b, &g.arm_b));
            // Any point of one body must stay above a plane of the other, be it the lowest or not; but where it is taken
            // above the rim of the plane, the rim may be what it touches.
            match (of_a.is_flat(), of_b.is_flat()) {
                (true, _) if of_b.is_crossing() => return (beyond_a.max(beyond_b * AT_RIM), outside),
                (_, true) if of_a.is_crossing() => return (beyond_b.max(beyond_a * AT_RIM), outside),
                (true, _) => return (beyond_a, outside),
                (_, true) => return (beyond_b, outside),
                _ => outside,
            }
        }
    };
    (beyond_b.max(beyond_a), outside)
}

/// How far a point in a face's plane lies outside the face (m); `arm` is from the body's centre of mass.
fn off_face(body: &Placed<'_>, face: usize, arm: &Vector3<f64>) -> f64 {
    let Some(p) = polytope(body) else { return 0.0 };
    let point = body.moved.shape_rotation.tr_mul(&(arm - body.moved.shape_origin));
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
    let point = body.moved.shape_rotation.tr_mul(&(arm - body.moved.shape_origin));
    let [first, second] = p.edges[edge].vertices.map(|v| p.vertices[v]);
    let along = (second - first).normalize();
    let at = along.dot(&(point - first));
    (-at).max(at - (second - first).norm()).max(0.0)
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

fn place_atom(
    feature: &Feature,
    a: &Placed<'_>,
    b: &Placed<'_>,
    hint: &Vector3<f64>,
) -> (AtomGeometry<f64>, [Matrix3<f64>; 2]) {
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
            edge_edge(&arm_a, &u, &offset, &arm_b, &w, &outward)
        }
        Feature::Parts(of_a, of_b) => {
            let solved = solve_parts((*of_a, *of_b), a, b, hint);
            return solved.map_or((NOWHERE, [Matrix3::zeros(); 2]), |s| (s.atom, s.slope));
        }
    };
    (flat, [Matrix3::zeros(); 2])
}

/// Derivatives of an atom's normal and arms with the poses.
pub fn atom_tangent(atom: &Atom, a: &Placed<'_>, b: &Placed<'_>) -> PairTangent<f64> {
    match &atom.feature {
        Feature::FaceVertex(..) | Feature::FacePoint(..) => face_point_tangent(&atom.geometry),
        Feature::VertexFace(..) | Feature::PointFace(..) => {
            swapped_tangent(&face_point_tangent(&atom.geometry.swapped()))
        }
        Feature::Edges(i, j) => edge_edge_tangent(&atom.geometry, &edge_of(a, *i).1, &edge_of(b, *j).1),
        Feature::Parts(of_a, of_b) => match (piece(*of_a, a), piece(*of_b, b)) {
            (Some(pa), Some(pb)) => tangent(&pa, &pb, &atom.solved()),
            _ => PairTangent::zero(),
        },
    }
}
