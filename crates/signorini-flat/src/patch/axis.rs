//! The axis along which two polytopes are furthest apart: a normal of a face, or of an edge of each
//! (Gottschalk 1996; which edges of polytopes span a face of their difference follows from their arcs on the
//! Gauss map, Gregorius 2013).

use crate::numbers::{Vector, cross, dot, scale, sub};
use crate::parameters::{LEAST_EDGE_SINE_SQUARE, LEAST_KNOWN_EDGE_SINE};
use crate::patch::solid::{Edge, PlacedSolid};

/// Features that a normal belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Axis {
    /// Not known yet.
    #[default]
    Unknown,
    /// The plane of a half-space A.
    Plane,
    /// A face of A.
    FaceA(u16),
    /// A face of B.
    FaceB(u16),
    /// An edge of A and an edge of B.
    Edges(u16, u16),
    /// A normal that the caller found.
    Callers,
}

impl Axis {
    /// Whether it is a normal of a face.
    pub fn is_face(self) -> bool {
        matches!(self, Self::FaceA(_) | Self::FaceB(_))
    }
}

/// How an axis that is known is kept.
#[derive(Debug, Clone, Copy)]
pub struct Stay {
    /// The axis.
    pub known: Axis,
    /// Separation that it may lack (m).
    pub slack: f64,
    /// Part of an overlap that it may lack.
    pub part: f64,
}

/// The axis of two polytopes.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// The axis.
    pub axis: Axis,
    /// Separation along it (m).
    pub separation: f64,
    /// The largest separation along any axis (m).
    pub widest: f64,
}

/// Separations of two polytopes along all axes.
#[derive(Debug, Default)]
pub struct Separations {
    /// Of two boxes: along the axes of A, those of B, and the normals of both, 6 + 3 i + j.
    boxes: Option<[f64; 15]>,
    /// Along the normals of faces of A and of B.
    faces: [Vec<f64>; 2],
    /// Vertices of A as B sees them and of B as A does.
    vertices: [Vec<[f64; 3]>; 2],
    /// The widest pair of edges.
    edges: Option<(u16, u16, f64)>,
}

/// Outer normal of the axis, from A to B; None for parallel edges.
pub fn normal([a, b]: [&PlacedSolid<'_>; 2], axis: Axis) -> Option<Vector<f64>> {
    match axis {
        Axis::FaceA(face) => Some(a.turned(a.solid.faces[face as usize].normal)),
        Axis::FaceB(face) => Some(scale(b.turned(b.solid.faces[face as usize].normal), -1.0)),
        Axis::Edges(first, second) => {
            let (ea, eb) = (&a.solid.edges[first as usize], &b.solid.edges[second as usize]);
            let n = cross(a.turned(ea.along), b.turned(eb.along));
            let length = dot(n, n).sqrt();
            let out = dot(n, a.turned(ea.from)) >= 0.0;
            (length > LEAST_KNOWN_EDGE_SINE).then(|| scale(n, if out { 1.0 / length } else { -1.0 / length }))
        }
        Axis::Plane | Axis::Callers | Axis::Unknown => None,
    }
}

/// The axis at these poses: of boxes the faces and edges that face each other along the same principal axes.
/// Edges of others whose normal is none of both bodies any more are forgotten.
pub fn resolved([a, b]: [&PlacedSolid<'_>; 2], axis: Axis) -> Axis {
    let (Some(of_a), Some(of_b)) = (&a.solid.as_box, &b.solid.as_box) else {
        return match axis {
            Axis::Edges(first, second) if !is_common([a, b], [first, second]) => Axis::Unknown,
            _ => axis,
        };
    };
    let along = |edges: &[[u16; 4]; 3], edge: u16| edges.iter().position(|e| e.contains(&edge)).unwrap_or(0);
    match axis {
        Axis::FaceA(face) => facing([a, b], across(a, face)),
        Axis::FaceB(face) => facing([a, b], 3 + across(b, face)),
        Axis::Edges(first, second) => crossing([a, b], along(&of_a.edges, first), along(&of_b.edges, second)),
        _ => axis,
    }
}

/// Separation along one axis (m); None where it has no normal.
pub fn along([a, b]: [&PlacedSolid<'_>; 2], axis: Axis) -> Option<f64> {
    let n = normal([a, b], axis)?;
    Some(dot(n, sub(b.centre, a.centre)) - a.reach(n) - b.reach(scale(n, -1.0)))
}

impl Separations {
    /// Finds the separations along all axes.
    pub fn find(&mut self, [a, b]: [&PlacedSolid<'_>; 2]) {
        self.boxes = match (&a.solid.as_box, &b.solid.as_box) {
            (Some(ca), Some(cb)) => Some(of_boxes([a, b], [ca.half, cb.half])),
            _ => None,
        };
        if self.boxes.is_none() {
            self.of_faces([a, b]);
            self.of_edges([a, b]);
        }
    }

    /// Separation along the normal of a face.
    pub fn of_face(&self, [a, b]: [&PlacedSolid<'_>; 2], axis: Axis) -> f64 {
        match (axis, &self.boxes) {
            (Axis::FaceA(face), Some(s)) => s[across(a, face)],
            (Axis::FaceB(face), Some(s)) => s[3 + across(b, face)],
            (Axis::FaceA(face), None) => self.faces[0][face as usize],
            (Axis::FaceB(face), None) => self.faces[1][face as usize],
            _ => f64::NEG_INFINITY,
        }
    }

    /// The axis to use: the widest, faces first; one that is known stays while it separates by little less.
    pub fn choose(&self, bodies: [&PlacedSolid<'_>; 2], stay: Stay) -> Chosen {
        let ((face, of_face), (edges, of_edges)) = (self.widest_face(bodies), self.widest_edges(bodies));
        let widest = of_face.max(of_edges);
        let far = if widest < 0.0 { stay.slack.max(-stay.part * widest) } else { stay.slack };
        let known = match stay.known {
            Axis::FaceA(_) | Axis::FaceB(_) => self.of_face(bodies, stay.known),
            Axis::Edges(..) => along(bodies, stay.known).unwrap_or(f64::NEG_INFINITY),
            _ => f64::NEG_INFINITY,
        };
        let (mut axis, mut separation) = (face, of_face);
        if stay.known.is_face() && known >= of_face - far {
            (axis, separation) = (stay.known, known);
        }
        let was_edges = matches!(stay.known, Axis::Edges(..));
        let preference = if was_edges { 0.5 * far } else { far };
        if of_edges > of_face + preference {
            (axis, separation) = (edges, of_edges);
            if was_edges && known >= of_edges - far && known > of_face + 0.5 * preference {
                (axis, separation) = (stay.known, known);
            }
        }
        Chosen { axis, separation, widest }
    }

    fn widest_face(&self, [a, b]: [&PlacedSolid<'_>; 2]) -> (Axis, f64) {
        if let Some(s) = &self.boxes {
            let k = (1..6).fold(0, |best, k| if s[k] > s[best] { k } else { best });
            return (facing([a, b], k), s[k]);
        }
        let mut best = (Axis::Unknown, f64::NEG_INFINITY);
        for (side, faces) in self.faces.iter().enumerate() {
            for (face, separation) in faces.iter().enumerate() {
                if *separation > best.1 {
                    let face = face as u16;
                    best = (if side == 0 { Axis::FaceA(face) } else { Axis::FaceB(face) }, *separation);
                }
            }
        }
        best
    }

    fn widest_edges(&self, bodies: [&PlacedSolid<'_>; 2]) -> (Axis, f64) {
        if let Some(s) = &self.boxes {
            let k = (7..15).fold(6, |best, k| if s[k] > s[best] { k } else { best });
            return (crossing(bodies, (k - 6) / 3, (k - 6) % 3), s[k]);
        }
        self.edges.map_or((Axis::Unknown, f64::NEG_INFINITY), |(a, b, gap)| (Axis::Edges(a, b), gap))
    }

    fn of_faces(&mut self, [a, b]: [&PlacedSolid<'_>; 2]) {
        let [of_a, of_b] = &mut self.vertices;
        of_a.clear();
        of_a.extend(a.solid.vertices.iter().map(|v| b.turned_back(sub(a.at(*v), b.centre))));
        of_b.clear();
        of_b.extend(b.solid.vertices.iter().map(|v| a.turned_back(sub(b.at(*v), a.centre))));
        for (side, (body, others)) in [(a, &*of_b), (b, &*of_a)].into_iter().enumerate() {
            let lowest = |n: [f64; 3]| others.iter().map(|v| dot(n, *v)).fold(f64::INFINITY, f64::min);
            let faces = &mut self.faces[side];
            faces.clear();
            faces.extend(body.solid.faces.iter().map(|face| lowest(face.normal) - face.offset));
        }
    }

    fn of_edges(&mut self, [a, b]: [&PlacedSolid<'_>; 2]) {
        self.edges = None;
        let into_a = |v: [f64; 3]| a.turned_back(b.turned(v));
        for (eb, edge) in b.solid.edges.iter().enumerate() {
            let arc = into_a(edge.arc);
            let [c, d] = edge.faces.map(|face| scale(into_a(b.solid.faces[face as usize].normal), -1.0));
            let (from, along) = (self.vertices[1][edge.vertices[0] as usize], into_a(edge.along));
            for (ea, of_a) in a.solid.edges.iter().enumerate() {
                if !cross_on_sphere(a, of_a, (arc, [c, d])) {
                    continue;
                }
                let m = cross(of_a.along, along);
                let square = dot(m, m);
                if square < LEAST_EDGE_SINE_SQUARE {
                    continue;
                }
                let out = dot(m, of_a.from) >= 0.0;
                let gap = dot(m, sub(from, of_a.from)) / square.sqrt() * if out { 1.0 } else { -1.0 };
                if self.edges.is_none_or(|(_, _, best)| gap > best) {
                    self.edges = Some((ea as u16, eb as u16, gap));
                }
            }
        }
    }
}

/// Whether an edge of A and one of B have a normal that is one of both bodies.
fn is_common([a, b]: [&PlacedSolid<'_>; 2], [first, second]: [u16; 2]) -> bool {
    let (of_a, of_b) = (&a.solid.edges[first as usize], &b.solid.edges[second as usize]);
    let into_a = |v: [f64; 3]| a.turned_back(b.turned(v));
    let ends = of_b.faces.map(|face| scale(into_a(b.solid.faces[face as usize].normal), -1.0));
    cross_on_sphere(a, of_a, (into_a(of_b.arc), ends))
}

/// Whether the arc of an edge of A crosses one of B, negated, on the unit sphere.
fn cross_on_sphere(a: &PlacedSolid<'_>, of_a: &Edge, (arc, [c, d]): ([f64; 3], [[f64; 3]; 2])) -> bool {
    let (past_c, past_d) = (dot(c, of_a.arc), dot(d, of_a.arc));
    if past_c * past_d >= 0.0 {
        return false;
    }
    let [p, q] = of_a.faces.map(|face| a.solid.faces[face as usize].normal);
    let (past_p, past_q) = (dot(p, arc), dot(q, arc));
    past_p * past_q < 0.0 && past_c * past_q > 0.0
}

/// Axis of a box that a face lies across.
fn across(body: &PlacedSolid<'_>, face: u16) -> usize {
    body.solid.as_box.as_ref().map_or(0, |of| of.faces.iter().position(|f| f.contains(&face)).unwrap_or(0))
}

/// Face of two boxes on axis k, 0 to 2 of A, 3 to 5 of B.
fn facing([a, b]: [&PlacedSolid<'_>; 2], k: usize) -> Axis {
    let way = sub(b.centre, a.centre);
    let of = |body: &PlacedSolid<'_>, i: usize, towards: f64| {
        let up = usize::from(dot(body.axis(i), way) * towards >= 0.0);
        body.solid.as_box.as_ref().map_or(0, |of| of.faces[i][up])
    };
    if k < 3 { Axis::FaceA(of(a, k, 1.0)) } else { Axis::FaceB(of(b, k - 3, -1.0)) }
}

/// Edges of two boxes along axis i of A and j of B that face each other.
fn crossing([a, b]: [&PlacedSolid<'_>; 2], i: usize, j: usize) -> Axis {
    let m = cross(a.axis(i), b.axis(j));
    let n = if dot(m, sub(b.centre, a.centre)) >= 0.0 { m } else { scale(m, -1.0) };
    let of = |body: &PlacedSolid<'_>, i: usize, n: [f64; 3]| {
        let up = |k: usize| usize::from(dot(n, body.axis(k % 3)) > 0.0);
        body.solid.as_box.as_ref().map_or(0, |of| of.edges[i][2 * up(i + 1) + up(i + 2)])
    };
    Axis::Edges(of(a, i, n), of(b, j, scale(n, -1.0)))
}

/// Separations of two boxes along their 15 axes.
fn of_boxes([a, b]: [&PlacedSolid<'_>; 2], [half_a, half_b]: [[f64; 3]; 2]) -> [f64; 15] {
    let c = [0, 1, 2].map(|i| [0, 1, 2].map(|j| dot(a.axis(i), b.axis(j))));
    let q = c.map(|row| row.map(f64::abs));
    let way = sub(b.centre, a.centre);
    let (from_a, from_b) = (a.turned_back(way), b.turned_back(way));
    let mut s = [f64::NEG_INFINITY; 15];
    for i in 0..3 {
        s[i] = from_a[i].abs() - half_a[i] - dot(half_b, q[i]);
        s[3 + i] = from_b[i].abs() - half_b[i] - dot(half_a, [q[0][i], q[1][i], q[2][i]]);
    }
    for i in 0..3 {
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (u, v) = ((j + 1) % 3, (j + 2) % 3);
            let square = 1.0 - c[i][j] * c[i][j];
            if square < LEAST_EDGE_SINE_SQUARE {
                continue;
            }
            let apart = (from_a[l] * c[k][j] - from_a[k] * c[l][j]).abs();
            let of_a = half_a[k] * q[l][j] + half_a[l] * q[k][j];
            let of_b = half_b[u] * q[i][v] + half_b[v] * q[i][u];
            s[6 + 3 * i + j] = (apart - of_a - of_b) / square.sqrt();
        }
    }
    s
}
