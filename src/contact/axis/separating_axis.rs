//! The separating axis of two polytopes: the face of either or the pair of edges along whose normal they are
//! furthest apart (Gottschalk 1996; edge pairs by the arcs of the Gauss map, Gregorius 2013).

use crate::contact::axis::many_faces::{ManyFaces, RelativeView, are_many};
use crate::contact::tolerances::{
    EDGE_AXIS_MARGIN, EDGE_AXIS_SINE, FACE_PREFERENCE, FLUSH_TURN, SAME_SIDE, UNCERTAIN_EDGE_AXIS_SINE,
};
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Polytope;

/// Features of which the separating normal is that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisKind {
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
    /// Features that the normal belongs to.
    pub axis: AxisKind,
}

/// B's polytope in A's shape frame, with the Gauss-map arcs of the edges of both.
#[derive(Debug, Default)]
pub struct RelativePolytope {
    /// Rotation from B's shape frame.
    pub rotation: Matrix3<f64>,
    /// B's shape origin.
    pub origin: Vector3<f64>,
    /// B's vertices.
    pub vertices: Vec<Vector3<f64>>,
    /// Arcs of B's edges on the negated Gauss map.
    edges: Vec<Arc>,
    arcs_a: Vec<Arc>,
    /// Half extents of A and B, if both are boxes along the axes of their shape frames.
    boxes: Option<[Vector3<f64>; 2]>,
    many_faces: ManyFaces,
}

/// An edge's image on the Gauss map: the arc between the normals of its faces.
#[derive(Debug, Clone, Copy)]
struct Arc {
    edge: usize,
    normals: [Vector3<f64>; 2],
    /// Vector from the edge's first to its second vertex (m).
    direction: Vector3<f64>,
    start: Vector3<f64>,
    hemisphere: f64,
}

impl Arc {
    fn new(edge: usize, normals: [Vector3<f64>; 2], [start, end]: [Vector3<f64>; 2]) -> Self {
        let direction = end - start;
        // +1 when the edge direction turns its first normal towards its second, else −1.
        let hemisphere = normals[1].cross(&normals[0]).dot(&direction).signum();
        Self { edge, normals, direction, start, hemisphere }
    }

    /// Whether this arc crosses another on the unit sphere: then the two edges span a face of the Minkowski
    /// difference. The last factor rules out arcs that would meet on opposite hemispheres.
    fn crosses(&self, other: &Arc) -> bool {
        let (c, d) = (other.normals[0].dot(&self.direction), other.normals[1].dot(&self.direction));
        if c * d >= 0.0 {
            return false;
        }
        let (a, b) = (self.normals[0].dot(&other.direction), self.normals[1].dot(&other.direction));
        a * b < 0.0 && self.hemisphere * other.hemisphere * c * b > 0.0
    }
}

impl RelativePolytope {
    /// Puts B into A's shape frame, in which B's shape frame has the rotation `rotation` and the origin
    /// `origin`; `boxes` are the half extents of A and B if both are boxes.
    pub fn place(
        &mut self,
        b: &Polytope,
        rotation: Matrix3<f64>,
        origin: Vector3<f64>,
        boxes: Option<[Vector3<f64>; 2]>,
    ) {
        (self.rotation, self.origin, self.boxes) = (rotation, origin, boxes);
        self.vertices.clear();
        self.vertices.extend(b.vertices.iter().map(|v| rotation * v + origin));
    }

    /// Collects the arcs of all edges; of polytopes with many faces only of edges that may separate, of
    /// boxes only of edges along a direction of some pair that may.
    fn place_edges(&mut self, a: &Polytope, b: &Polytope, candidates: Option<&[[bool; 3]; 3]>) {
        let Self { rotation, vertices, edges, arcs_a, many_faces, .. } = self;
        let arc_of_b = |i: usize| {
            let e = &b.edges[i];
            Arc::new(i, e.faces.map(|f| -(*rotation * b.faces[f].normal)), e.vertices.map(|v| vertices[v]))
        };
        let arc_of_a = |i: usize| {
            let e = &a.edges[i];
            Arc::new(i, e.faces.map(|f| a.faces[f].normal), e.vertices.map(|v| a.vertices[v]))
        };
        edges.clear();
        arcs_a.clear();
        if are_many(a, b) {
            edges.extend(many_faces.edges[1].iter().map(|i| arc_of_b(*i)));
            arcs_a.extend(many_faces.edges[0].iter().map(|i| arc_of_a(*i)));
        } else {
            let may_separate_of_a =
                |i: &usize| candidates.is_none_or(|candidates| candidates[direction(a, *i)] != [false; 3]);
            let may_separate_of_b = |i: &usize| {
                candidates.is_none_or(|candidates| candidates.iter().any(|row| row[direction(b, *i)]))
            };
            edges.extend((0..b.edges.len()).filter(may_separate_of_b).map(arc_of_b));
            arcs_a.extend((0..a.edges.len()).filter(may_separate_of_a).map(arc_of_a));
        }
    }

    /// Returns the best face of A and of B.
    fn faces(
        &mut self,
        a: &Polytope,
        b: &Polytope,
        size: f64,
        is_allowed: &dyn Fn(&Vector3<f64>) -> bool,
    ) -> [Separation; 2] {
        if !are_many(a, b) {
            return [face_of_a(a, self, is_allowed), face_of_b(a, b, self, is_allowed)];
        }
        let Self { rotation, origin, vertices, many_faces, .. } = self;
        let view = RelativeView { rotation, origin, vertices };
        let [first, second] = many_faces.faces([a, b], &view, size, is_allowed);
        let none = Separation { gap: f64::NEG_INFINITY, normal: Vector3::x(), axis: AxisKind::FaceA(0) };
        let first = first.map(|(gap, face)| {
            let axis = AxisKind::FaceA(face);
            Separation { gap, normal: a.faces[face].normal, axis }
        });
        let second = second.map(|(gap, face)| {
            let axis = AxisKind::FaceB(face);
            Separation { gap, normal: -(*rotation * b.faces[face].normal), axis }
        });
        [first, second].map(|found| found.unwrap_or(none))
    }

    /// Pairs of edge directions of two boxes (of A, of B) along whose normal the bodies may be further apart
    /// than `widest`. No edge pair is further apart than the bodies are along its normal.
    fn candidate_edge_axes(&self, [half_a, half_b]: &[Vector3<f64>; 2], widest: f64) -> [[bool; 3]; 3] {
        let least = widest - EDGE_AXIS_MARGIN * (half_a.sum() + half_b.sum() + self.origin.norm());
        let (r, reach_of) = (&self.rotation, self.rotation.abs());
        let may_be = |i: usize, j: usize| {
            let ([p, q], [s, t]) = ([(i + 1) % 3, (i + 2) % 3], [(j + 1) % 3, (j + 2) % 3]);
            // The vector is axis i of A times axis j of B; its length is their sine.
            let sine_squared = r[(p, j)] * r[(p, j)] + r[(q, j)] * r[(q, j)];
            if sine_squared < UNCERTAIN_EDGE_AXIS_SINE * UNCERTAIN_EDGE_AXIS_SINE {
                return true;
            }
            let reach_a = half_a[p] * reach_of[(q, j)] + half_a[q] * reach_of[(p, j)];
            let reach_b = half_b[s] * reach_of[(i, t)] + half_b[t] * reach_of[(i, s)];
            let apart = (r[(p, j)] * self.origin[q] - r[(q, j)] * self.origin[p]).abs() - reach_a - reach_b;
            // apart > least × sine
            match (apart > 0.0, least < 0.0) {
                (true, true) => true,
                (false, false) => false,
                (true, false) => apart * apart > least * least * sine_squared,
                (false, true) => apart * apart < least * least * sine_squared,
            }
        };
        [0, 1, 2].map(|i| [0, 1, 2].map(|j| may_be(i, j)))
    }
}

/// Axis that an edge of a box runs along: the bits of a corner's index are its signs.
fn direction(box_: &Polytope, edge: usize) -> usize {
    let [from, to] = box_.edges[edge].vertices;
    (from ^ to).trailing_zeros() as usize % 3
}

/// Finds the axis of widest separation; `size` is a length of the pair. With `side` (in A's shape frame) only
/// axes of that side count; if none is of that side, all do.
pub fn separation(
    a: &Polytope,
    b: &Polytope,
    relative: &mut RelativePolytope,
    size: f64,
    side: Option<&Vector3<f64>>,
) -> Separation {
    let is_allowed = |n: &Vector3<f64>| side.is_none_or(|side| side.dot(n) >= SAME_SIDE);
    let [mut best, other] = relative.faces(a, b, size, &is_allowed);
    let widest = best.gap.max(other.gap);
    if other.gap > best.gap + FACE_PREFERENCE * size {
        best = other;
    }
    let candidates = relative.boxes.map(|boxes| relative.candidate_edge_axes(&boxes, widest));
    if candidates == Some([[false; 3]; 3]) {
        return Separation { gap: widest, ..best };
    }
    relative.place_edges(a, b, candidates.as_ref());
    let mut edges: Option<Separation> = None;
    for ea in &relative.arcs_a {
        let row = candidates.map(|candidates| candidates[direction(a, ea.edge)]);
        let may_separate = |eb: &Arc| row.is_none_or(|row| row[direction(b, eb.edge)]);
        for eb in relative.edges.iter().filter(|eb| may_separate(eb) && ea.crosses(eb)) {
            let m = ea.direction.cross(&eb.direction);
            let square = m.norm_squared();
            if square
                <= EDGE_AXIS_SINE * EDGE_AXIS_SINE * ea.direction.norm_squared() * eb.direction.norm_squared()
            {
                continue;
            }
            let length = square.sqrt();
            // A's origin lies inside A.
            let normal = if m.dot(&ea.start) < 0.0 { -m / length } else { m / length };
            let gap = normal.dot(&(eb.start - ea.start));
            if !is_allowed(&normal) {
                continue;
            }
            if edges.is_none_or(|e| gap > e.gap) {
                edges = Some(Separation { gap, normal, axis: AxisKind::Edges(ea.edge, eb.edge) });
            }
        }
    }
    if side.is_some() && best.gap == f64::NEG_INFINITY && edges.is_none() {
        return separation(a, b, relative, size, None);
    }
    match edges {
        Some(edges) if edges.gap > best.gap + FACE_PREFERENCE * size => edges,
        // The preferred axis may be a little less wide than the bodies are apart: their gap must not follow
        // it, or a contact that is solved along the other one keeps a gap.
        _ => Separation { gap: edges.map_or(widest, |e| widest.max(e.gap)), ..best },
    }
}

/// Returns the face along whose normal most of a load acts, where the bodies are as far apart along it as
/// along the axis found: of coincident edges either face is an axis, and rounding would choose another at
/// every refresh.
pub fn loaded_axis(
    found: Separation,
    loaded: AxisKind,
    [a, b]: [&Polytope; 2],
    relative: &RelativePolytope,
    size: f64,
) -> Separation {
    let (vertices, normal, offset) = match loaded {
        AxisKind::FaceA(face) => (&relative.vertices, a.faces[face].normal, a.faces[face].offset),
        AxisKind::FaceB(face) => {
            let out = relative.rotation * b.faces[face].normal;
            (&a.vertices, -out, b.faces[face].offset + out.dot(&relative.origin))
        }
        AxisKind::Edges(..) => return found,
    };
    if (normal - found.normal).norm() <= FLUSH_TURN {
        return found;
    }
    let out = if matches!(loaded, AxisKind::FaceA(_)) { normal } else { -normal };
    let gap = vertices.iter().map(|v| out.dot(v)).fold(f64::INFINITY, f64::min) - offset;
    if gap < found.gap - FACE_PREFERENCE * size {
        found
    } else {
        Separation { normal, axis: loaded, ..found }
    }
}

fn face_of_a(
    a: &Polytope,
    relative: &RelativePolytope,
    is_allowed: &dyn Fn(&Vector3<f64>) -> bool,
) -> Separation {
    let mut best = Separation { gap: f64::NEG_INFINITY, normal: Vector3::x(), axis: AxisKind::FaceA(0) };
    // The normals of a box are the axes.
    let bounds = relative.boxes.and_then(|_| {
        let first = *relative.vertices.first()?;
        Some(relative.vertices.iter().fold((first, first), |(low, high), v| (low.inf(v), high.sup(v))))
    });
    for (i, face) in a.faces.iter().enumerate().filter(|(_, f)| is_allowed(&f.normal)) {
        let lowest = match bounds {
            Some((low, high)) => {
                let k = face.normal.iamax();
                if face.normal[k] > 0.0 { low[k] } else { -high[k] }
            }
            None => relative.vertices.iter().map(|v| face.normal.dot(v)).fold(f64::INFINITY, f64::min),
        };
        if lowest - face.offset > best.gap {
            best = Separation { gap: lowest - face.offset, normal: face.normal, axis: AxisKind::FaceA(i) };
        }
    }
    best
}

fn face_of_b(
    a: &Polytope,
    b: &Polytope,
    relative: &RelativePolytope,
    is_allowed: &dyn Fn(&Vector3<f64>) -> bool,
) -> Separation {
    let mut best = Separation { gap: f64::NEG_INFINITY, normal: Vector3::x(), axis: AxisKind::FaceB(0) };
    for (i, face) in b.faces.iter().enumerate() {
        let out = relative.rotation * face.normal;
        if !is_allowed(&-out) {
            continue;
        }
        let offset = face.offset + out.dot(&relative.origin);
        let lowest = match &relative.boxes {
            Some([half, _]) => -out.abs().dot(half),
            None => a.vertices.iter().map(|v| out.dot(v)).fold(f64::INFINITY, f64::min),
        };
        if lowest - offset > best.gap {
            best = Separation { gap: lowest - offset, normal: -out, axis: AxisKind::FaceB(i) };
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Rotation3;

    /// Widest separation over all face normals and all cross products of edges, by supports alone.
    fn brute(a: &Polytope, b: &Polytope, relative: &RelativePolytope) -> f64 {
        let along = |n: &Vector3<f64>| {
            let low = relative.vertices.iter().map(|v| n.dot(v)).fold(f64::INFINITY, f64::min);
            let high = a.vertices.iter().map(|v| n.dot(v)).fold(f64::NEG_INFINITY, f64::max);
            low - high
        };
        let faces_a = a.faces.iter().map(|f| f.normal);
        let faces_b = b.faces.iter().map(|f| -(relative.rotation * f.normal));
        let crossed = a.edges.iter().flat_map(|ea| {
            b.edges.iter().map(|eb| {
                let u = a.vertices[ea.vertices[1]] - a.vertices[ea.vertices[0]];
                u.cross(&(relative.vertices[eb.vertices[1]] - relative.vertices[eb.vertices[0]]))
            })
        });
        let normals = faces_a.chain(faces_b).chain(crossed.filter_map(|m| m.try_normalize(1e-9)));
        normals.map(|n| along(&n).max(along(&-n))).fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn separation_agrees_with_all_axes_tried() {
        let a = Polytope::box_(Vector3::new(0.5, 0.3, 0.2));
        let points =
            [[0.0, 0.0, 0.4], [0.5, 0.0, -0.1], [-0.3, 0.4, -0.1], [-0.2, -0.5, -0.2], [0.1, 0.3, 0.3]];
        let b = Polytope::hull(&points.map(Vector3::from)).expect("a solid").polytope;
        let (mut relative, mut kinds) = (RelativePolytope::default(), [0; 3]);
        for k in 0..400 {
            let k = k as f64;
            let spin = Vector3::new((1.7 * k).sin(), (2.3 * k).cos(), (0.9 * k).sin()) * 2.0;
            let way = Vector3::new((3.1 * k).cos(), (1.3 * k).sin(), (0.7 * k).cos());
            let origin = way.normalize() * (0.5 + 0.3 * (5.3 * k).sin());
            relative.place(&b, Rotation3::new(spin).into_inner(), origin, None);
            let found = separation(&a, &b, &mut relative, 0.3, None);
            let expected = brute(&a, &b, &relative);
            assert!((found.gap - expected).abs() <= 1e-8, "{k}: {} against {expected}", found.gap);
            kinds[match found.axis {
                AxisKind::FaceA(_) => 0,
                AxisKind::FaceB(_) => 1,
                AxisKind::Edges(..) => 2,
            }] += 1;
        }
        assert!(kinds.iter().all(|n| *n > 20), "{kinds:?}");
    }

    /// The shortcuts for boxes save work and change no bit, however little the boxes are turned to each
    /// other.
    #[test]
    fn boxes_are_found_like_other_polytopes() {
        let half = [Vector3::new(0.5, 0.3, 0.2), Vector3::new(0.4, 0.4, 0.1)];
        let [a, b] = half.map(Polytope::box_);
        let mut relative = RelativePolytope::default();
        let mut kinds = [0; 3];
        for k in 0..4000 {
            let k = k as f64;
            let wide = Vector3::new((1.7 * k).sin(), (2.3 * k).cos(), (0.9 * k).sin()) * 2.0;
            let turn = Rotation3::new(wide * [1.0, 1e-3, 1e-7, 0.0][k as usize % 4]).into_inner();
            let way = Vector3::new((3.1 * k).cos(), (1.3 * k).sin(), (0.7 * k).cos());
            let origin = way.normalize() * (0.5 + 0.3 * (5.3 * k).sin());
            let side = (k as usize).is_multiple_of(7).then(|| way.normalize());
            relative.place(&b, turn, origin, None);
            let expected = separation(&a, &b, &mut relative, 0.3, side.as_ref());
            relative.place(&b, turn, origin, Some(half));
            assert_eq!(separation(&a, &b, &mut relative, 0.3, side.as_ref()), expected, "{k}");
            kinds[match expected.axis {
                AxisKind::FaceA(_) => 0,
                AxisKind::FaceB(_) => 1,
                AxisKind::Edges(..) => 2,
            }] += 1;
        }
        assert!(kinds.iter().all(|n| *n > 100), "{kinds:?}");
    }

    /// The shortcuts change no bit for boxes in a heap either: quarters of a turn and little more, with faces
    /// and edges that are flush or nearly so.
    #[test]
    fn flush_boxes_are_found_like_other_polytopes() {
        let half = Vector3::new(0.5, 0.5, 0.25);
        let box_ = Polytope::box_(half);
        let mut relative = RelativePolytope::default();
        let mut n_edges = 0;
        for k in 0..6000_usize {
            let tilt = [0.0, 1e-12, 1e-9, 1e-6, 9e-4, 1.1e-3, 0.03, 0.3][k % 8];
            let wave = |a: f64| (a * k as f64).sin();
            let quarter = Vector3::ith(k % 3, std::f64::consts::FRAC_PI_2 * (k % 4) as f64);
            let lean = Vector3::new(wave(1.7), wave(2.3), wave(0.9)) * tilt;
            let turn = (Rotation3::new(lean) * Rotation3::new(quarter)).into_inner();
            let place = |a: f64| (2.0 * wave(a)).round() * 0.5 + 0.01 * tilt * wave(2.0 * a);
            let origin = Vector3::new(place(3.1), place(1.3), place(0.7));
            relative.place(&box_, turn, origin, None);
            let expected = separation(&box_, &box_, &mut relative, 0.4, None);
            relative.place(&box_, turn, origin, Some([half; 2]));
            assert_eq!(separation(&box_, &box_, &mut relative, 0.4, None), expected, "{k}");
            n_edges += usize::from(matches!(expected.axis, AxisKind::Edges(..)));
        }
        assert!(n_edges > 100, "{n_edges}");
    }

    /// A cube turned by 45° and tilted by 2e-9 rad, whose lowest corner hangs over the rim of another: the
    /// face of the other cube is preferred, and the gap is that along the face of the tilted one.
    #[test]
    fn the_preferred_axis_does_not_narrow_the_gap() {
        let cube = Polytope::box_(Vector3::repeat(0.5));
        let turned = Rotation3::from_axis_angle(&Vector3::x_axis(), 2e-9)
            * Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_4);
        let mut relative = RelativePolytope::default();
        relative.place(&cube, turned.into_inner(), Vector3::new(0.0, -0.6, 1.0), None);
        let found = separation(&cube, &cube, &mut relative, 0.5, None);
        let expected = brute(&cube, &cube, &relative);
        assert!((found.gap - expected).abs() <= 1e-12, "{:e} against {expected:e}", found.gap);
        let preferred = face_of_a(&cube, &relative, &|_| true).gap;
        assert!(matches!(found.axis, AxisKind::FaceA(_)), "{found:?}");
        assert!(expected - preferred > 1e-10, "{expected:e}, along the face preferred {preferred:e}");
    }
}
