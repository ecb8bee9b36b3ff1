//! Contact points of two polytopes along an axis: the part of one face over the other, or the crossing of two
//! edges. Each point has a name, a vertex or the crossing of two edges, that does not depend on which of the
//! faces was cut by the other: impulses follow the names.

use crate::numbers::{Vector, add_scaled, cross, dot, scale, sub};
use crate::parameters::{
    LEAST_CROSSING_SINE, LEAST_LEAN_COSINE, LEAST_UPRIGHT, MOST_CORNERS, MOST_POINTS, MOST_SIDES,
};
use crate::patch::axis::{Axis, Chosen, Separations, normal};
use crate::patch::solid::{Face, PlacedSolid};

/// Name of a contact point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Name {
    /// None.
    #[default]
    Nothing,
    /// A vertex of A.
    OfA(u16),
    /// A vertex of B.
    OfB(u16),
    /// Where an edge of A and an edge of B cross.
    Edges(u16, u16),
    /// Features of A and B in the caller's code, of 63 bits.
    Callers(u64),
}

/// A contact point.
#[derive(Debug, Clone, Copy, Default)]
pub struct Point {
    /// Its name.
    pub name: Name,
    /// Its place, on the reference plane (m).
    pub at: [f64; 3],
    /// Signed distance along its normal (m).
    pub gap: f64,
    /// Unit normal from A to B along which it pushes.
    pub normal: [f64; 3],
    /// Rim that the point lies on: a number of the rim, and the way from the point to its centre (m).
    pub rim: Option<(u8, [f32; 3])>,
    /// How far it lies beside its features (m).
    pub beside: f32,
}

/// Contact points of a pair.
#[derive(Debug, Clone, Copy)]
pub struct Manifold {
    /// Their axis.
    pub axis: Axis,
    /// Unit normal of the axis from A to B.
    pub normal: [f64; 3],
    /// Separation along the axis (m).
    pub separation: f64,
    /// Largest separation along any axis (m).
    pub widest: f64,
    /// Number of points.
    pub n: usize,
    /// The points, the first n.
    pub points: [Point; MOST_POINTS],
}

impl Default for Manifold {
    fn default() -> Self {
        Self {
            axis: Axis::Unknown,
            normal: [0.0, 0.0, 1.0],
            separation: 0.0,
            widest: 0.0,
            n: 0,
            points: [Point::default(); MOST_POINTS],
        }
    }
}

/// Which points count.
#[derive(Debug, Clone, Copy)]
pub struct Within {
    /// Largest height above the reference plane (m).
    pub margin: f64,
    /// Crossings at a rim that lean outward by more than this (sine) push along the normal of both edges.
    pub lean: f64,
}

impl Manifold {
    /// The points.
    pub fn points(&self) -> &[Point] {
        &self.points[..self.n]
    }

    /// Whether a point has that name.
    pub fn has(&self, name: Name) -> bool {
        self.points().iter().any(|point| point.name == name)
    }

    /// Whether all points push along the normal of the axis.
    pub fn is_even(&self) -> bool {
        self.points().iter().all(|point| point.normal == self.normal)
    }

    /// Lets all points push along the normal of the axis.
    pub fn straighten(&mut self) {
        for point in &mut self.points[..self.n] {
            point.gap /= dot(point.normal, self.normal);
            point.normal = self.normal;
        }
    }

    /// The points along an axis.
    pub fn build(bodies: [&PlacedSolid<'_>; 2], chosen: Chosen, within: Within) -> Self {
        let Chosen { axis, separation, widest } = chosen;
        let mut made = Self { axis, separation, widest, ..Self::default() };
        let Some(n) = normal(bodies, axis) else { return made };
        made.normal = n;
        if separation > within.margin {
            return made;
        }
        match axis {
            Axis::FaceA(face) => made.clip(bodies, (true, face), within),
            Axis::FaceB(face) => made.clip([bodies[1], bodies[0]], (false, face), within),
            Axis::Edges(first, second) => made.cross(bodies, [first, second]),
            Axis::Plane | Axis::Callers | Axis::Unknown => {}
        }
        made
    }

    /// The points along the axis chosen. Where that is of two edges and leans little from a face whose points
    /// have their crossing, those of the face: otherwise the axis would change for ever.
    pub fn pick(
        bodies: [&PlacedSolid<'_>; 2],
        (chosen, known): (Chosen, Axis),
        separations: &Separations,
        within: Within,
    ) -> Self {
        let Axis::Edges(first, second) = chosen.axis else { return Self::build(bodies, chosen, within) };
        let near = (chosen.separation <= within.margin && within.lean > 0.0)
            .then(|| near_face(bodies, (chosen.axis, known), separations))
            .flatten();
        if let Some((axis, separation)) = near {
            let of_face = Chosen { axis, separation: separation.min(within.margin), ..chosen };
            let made = Self::build(bodies, of_face, within);
            if made.has(Name::Edges(first, second)) {
                return Self { separation, ..made };
            }
        }
        Self::build(bodies, chosen, within)
    }

    /// The vertices of B over the plane of A.
    pub fn on_plane(b: &PlacedSolid<'_>, (n, offset): (Vector<f64>, f64), margin: f64) -> Self {
        let down = b.turned_back(n);
        let height = dot(n, b.centre) - offset;
        let separation = height - b.reach(scale(n, -1.0));
        let mut made =
            Self { axis: Axis::Plane, normal: n, separation, widest: separation, ..Self::default() };
        if separation > margin {
            return made;
        }
        let corners = &b.solid.faces[facing_face(b, n)].corners;
        let mut polygon = Polygon::default();
        for corner in corners {
            let vertex = b.solid.vertices[*corner as usize];
            let gap = height + dot(down, vertex);
            if gap <= margin {
                let at = add_scaled(n, -gap, b.at(vertex));
                polygon.push(Point { name: Name::OfB(*corner), at, gap, normal: n, rim: None, beside: 0.0 });
            }
        }
        made.take(&mut polygon);
        made
    }

    /// The crossing of two edges.
    fn cross(&mut self, [a, b]: [&PlacedSolid<'_>; 2], [first, second]: [u16; 2]) {
        let (ea, eb) = (&a.solid.edges[first as usize], &b.solid.edges[second as usize]);
        let (pa, pb) = (a.at(ea.from), b.at(eb.from));
        let (u, v) = (a.turned(ea.along), b.turned(eb.along));
        let (w, c) = (sub(pb, pa), dot(u, v));
        let s = (dot(u, w) - c * dot(v, w)) / (1.0 - c * c);
        let at = add_scaled(u, s.clamp(0.0, ea.length), pa);
        let name = Name::Edges(first, second);
        self.points[0] =
            Point { name, at, gap: self.separation, normal: self.normal, rim: None, beside: 0.0 };
        self.n = 1;
    }

    /// The part of the facing face of `other` over a face of `own`.
    fn clip(&mut self, [own, other]: [&PlacedSolid<'_>; 2], (is_a, face): (bool, u16), within: Within) {
        let face = &own.solid.faces[face as usize];
        let out = own.turned(face.normal);
        let facing = facing_face(other, out);
        let mut polygon = Clipped::start([own, other], is_a, facing);
        polygon.clip(face);
        let mut kept = Polygon::default();
        for corner in &polygon.corners[..polygon.n] {
            let height = dot(face.normal, corner.at) - face.offset;
            if height > within.margin {
                continue;
            }
            let at = own.at(add_scaled(face.normal, -height, corner.at));
            let point =
                Point { name: corner.name, at, gap: height, normal: self.normal, rim: None, beside: 0.0 };
            kept.push(bent(point, ([own, other], is_a), (face, corner), within.lean));
        }
        self.take(&mut kept);
    }

    fn take(&mut self, polygon: &mut Polygon) {
        polygon.thin();
        self.n = polygon.n;
        self.points[..polygon.n].copy_from_slice(&polygon.points[..polygon.n]);
    }
}

/// Name of two crossing edges, of the body with the face and the other one.
fn crossing(is_a: bool, own: u16, other: u16) -> Name {
    if is_a { Name::Edges(own, other) } else { Name::Edges(other, own) }
}

/// Face that leans little from an axis of two edges: the known one, else the widest of those.
fn near_face(
    bodies: [&PlacedSolid<'_>; 2],
    (axis, known): (Axis, Axis),
    separations: &Separations,
) -> Option<(Axis, f64)> {
    let n = normal(bodies, axis)?;
    let mut best: Option<(Axis, f64, f64)> = None;
    for (side, body) in bodies.into_iter().enumerate() {
        let towards = body.turned_back(if side == 0 { n } else { scale(n, -1.0) });
        for (face, of) in body.solid.faces.iter().zip(0u16..) {
            if dot(face.normal, towards) <= LEAST_LEAN_COSINE {
                continue;
            }
            let axis = if side == 0 { Axis::FaceA(of) } else { Axis::FaceB(of) };
            let separation = separations.of_face(bodies, axis);
            let rank = if axis == known { f64::INFINITY } else { separation };
            if best.is_none_or(|best| rank > best.2) {
                best = Some((axis, separation, rank));
            }
        }
    }
    best.map(|(axis, separation, _)| (axis, separation))
}

/// Of the two faces at the lowest edge at the lowest corner along a direction, the one whose normal points
/// most against it. A face elsewhere may point against it even more, without the lowest corner; and where an
/// edge lies nearly level, the faces at either end of it would take turns.
fn facing_face(body: &PlacedSolid<'_>, out: Vector<f64>) -> usize {
    let local = body.turned_back(out);
    if let Some(box_) = &body.solid.as_box {
        let i = (1..3).fold(0, |best: usize, i| if local[i].abs() > local[best].abs() { i } else { best });
        return box_.faces[i][usize::from(local[i] < 0.0)] as usize;
    }
    let lowest = body.solid.lowest(local) as u16;
    let mut best = ([0; 2], f64::INFINITY);
    for edge in body.solid.edges.iter().filter(|edge| edge.vertices.contains(&lowest)) {
        let sign = if edge.vertices[0] == lowest { 1.0 } else { -1.0 };
        let slope = sign * dot(edge.along, local);
        if slope < best.1 {
            best = (edge.faces, slope);
        }
    }
    let [first, second] = best.0.map(usize::from);
    let along = |face: usize| dot(body.solid.faces[face].normal, local);
    if along(second) < along(first) { second } else { first }
}

/// A crossing at the rim of a face that leans outward pushes along the normal of both edges, where that is a
/// normal of both bodies.
fn bent(
    point: Point,
    ([own, other], is_a): ([&PlacedSolid<'_>; 2], bool),
    (face, corner): (&Face, &Corner),
    lean: f64,
) -> Point {
    let (Some(side), true) = (corner.side, lean > 0.0) else { return point };
    let side = &face.sides[side as usize];
    let along = own.solid.edges[side.edge as usize].along;
    let edge = other.turned(other.solid.edges[corner.edge as usize].along);
    let across = cross(along, own.turned_back(edge));
    let length = dot(across, across).sqrt();
    if length <= LEAST_CROSSING_SINE {
        return point;
    }
    let up = dot(across, face.normal);
    let m = scale(across, if up >= 0.0 { 1.0 / length } else { -1.0 / length });
    let upright = dot(m, face.normal);
    if dot(m, side.out) <= lean || upright <= LEAST_UPRIGHT {
        return point;
    }
    let faces_it = scale(other.turned_back(own.turned(m)), -1.0);
    if !is_on_arc(own, (side.edge, m), lean) || !is_on_arc(other, (corner.edge, faces_it), lean) {
        return point;
    }
    let out = own.turned(m);
    Point { gap: point.gap * upright, normal: if is_a { out } else { scale(out, -1.0) }, ..point }
}

/// Whether a normal of an edge, in axes of its body, is one of the body: between those of the two faces, or
/// beyond one by as little as `lean` (sine).
fn is_on_arc(body: &PlacedSolid<'_>, (edge, n): (u16, Vector<f64>), lean: f64) -> bool {
    let [f, g] = body.solid.edges[edge as usize].faces.map(|face| body.solid.faces[face as usize].normal);
    let (by_f, by_g, both) = (dot(n, f), dot(n, g), dot(f, g));
    by_f >= both * by_g - lean && by_g >= both * by_f - lean
}

/// A corner of the polygon that is clipped, in axes of the body with the face.
#[derive(Clone, Copy, Default)]
struct Corner {
    at: [f64; 3],
    name: Name,
    /// Side of the face that the polygon follows from here on, if it follows one.
    follows: Option<u16>,
    /// Edge of the other body that the polygon follows from here on, else; and the edge that crosses here.
    edge: u16,
    /// Side of the face that an edge crosses here.
    side: Option<u16>,
}

/// The facing face of a body, clipped by the sides of a face of the other.
struct Clipped {
    corners: [Corner; MOST_CORNERS],
    n: usize,
    is_a: bool,
}

impl Clipped {
    fn start([own, other]: [&PlacedSolid<'_>; 2], is_a: bool, facing: usize) -> Self {
        let facing = &other.solid.faces[facing];
        let mut clipped = Self { corners: [Corner::default(); MOST_CORNERS], n: 0, is_a };
        for (corner, side) in facing.corners.iter().zip(&facing.sides).take(MOST_SIDES) {
            let at = own.turned_back(sub(other.at(other.solid.vertices[*corner as usize]), own.centre));
            let name = if is_a { Name::OfB(*corner) } else { Name::OfA(*corner) };
            clipped.corners[clipped.n] = Corner { at, name, follows: None, edge: side.edge, side: None };
            clipped.n += 1;
        }
        clipped
    }

    /// Cuts off what lies beyond the sides of a face.
    fn clip(&mut self, face: &Face) {
        for (side, k) in face.sides.iter().zip(0u16..) {
            let inside = |corner: &Corner| side.offset - dot(side.out, corner.at);
            if self.corners[..self.n].iter().all(|corner| inside(corner) >= 0.0) {
                continue;
            }
            let before = self.corners;
            let n = std::mem::take(&mut self.n);
            for i in 0..n {
                let (from, to) = (&before[i], &before[(i + 1) % n]);
                let (d_from, d_to) = (inside(from), inside(to));
                if d_from >= 0.0 {
                    self.push(*from);
                }
                if (d_from >= 0.0) != (d_to >= 0.0) {
                    let at = add_scaled(sub(to.at, from.at), d_from / (d_from - d_to), from.at);
                    let (name, side) = self.name_of(face, from, (k, side.edge));
                    let follows = if d_from >= 0.0 { Some(k) } else { from.follows };
                    self.push(Corner { at, name, follows, edge: from.edge, side });
                }
            }
        }
    }

    fn push(&mut self, corner: Corner) {
        if self.n < MOST_CORNERS {
            self.corners[self.n] = corner;
            self.n += 1;
        }
    }

    /// Name of the point where the line that starts at a corner meets side k, and the side if it is a
    /// crossing of edges.
    fn name_of(&self, face: &Face, from: &Corner, (k, edge): (u16, u16)) -> (Name, Option<u16>) {
        let Some(other) = from.follows else { return (crossing(self.is_a, edge, from.edge), Some(k)) };
        let n = face.corners.len() as u16;
        let vertex = match (other + 1) % n == k {
            true => face.corners[k as usize],
            false => face.corners[other as usize],
        };
        (if self.is_a { Name::OfA(vertex) } else { Name::OfB(vertex) }, None)
    }
}

/// Points around an outline, more than a manifold may have.
struct Polygon {
    points: [Point; MOST_CORNERS],
    n: usize,
}

impl Default for Polygon {
    fn default() -> Self {
        Self { points: [Point::default(); MOST_CORNERS], n: 0 }
    }
}

impl Polygon {
    fn push(&mut self, point: Point) {
        if self.n < MOST_CORNERS {
            self.points[self.n] = point;
            self.n += 1;
        }
    }

    /// Takes the points away that least of the outline hangs on, until a manifold holds the others.
    fn thin(&mut self) {
        while self.n > MOST_POINTS {
            let n = self.n;
            let area = |i: usize| {
                let [p, q, r] = [i + n - 1, i, i + 1].map(|k| self.points[k % n].at);
                let area = cross(sub(q, p), sub(r, p));
                dot(area, area)
            };
            let least = (1..n).fold(0, |best, i| if area(i) < area(best) { i } else { best });
            self.points.copy_within(least + 1..n, least);
            self.n -= 1;
        }
    }
}
