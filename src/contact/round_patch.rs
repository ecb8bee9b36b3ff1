//! Where a cylinder touches a half-space, a polytope or another cylinder: the atoms along the separating axis (MODEL
//! sections 2b, 2c).
//!
//! Along the normal of a plane (half-space, face, cap) the other body is clipped against the outline of the plane: a
//! generator gives the lowest points at its ends, a cap that is nearly parallel points of its rim. Along any other axis
//! two curved parts make one atom, joined by the ends of lines that run nearly parallel.

use super::atom::Placed;
use super::features::Feature;
use super::parts::{
    Can, Part, RIM_POINTS, RIM_STEPS, UPRIGHT, arm, off_face, outside, plane_of, polytope, rim_point,
};
use super::patch::Facing;
use super::round_axis::{Axis, Facers, Shortlist, solve_parts};
use nalgebra::Vector3;

/// Sine of a cylinder's tilt below which it may come to stand on its cap: points of the rim are held then beside its
/// lowest point, which runs around the rim the faster the less it tilts.
const STANDING: f64 = 1e-2;
/// Points are held at every so many of the places of a rim.
const PLACES: u32 = 8;
/// Tilt below which points are held where the rim is lowest.
const LANDING: f64 = 1e-6;
/// Outlines reach this part of the size further: flush bodies stay flush.
const RIM: f64 = 1e-9;
/// Faces under a cap are held by points of the rim above them when they enclose at least this cosine.
const SAME_SIDE: f64 = 0.9;
/// Lines that enclose a smaller sine may touch at both ends.
const NEARLY_PARALLEL: f64 = 0.3;

/// Separation of a pair with a cylinder; the features that touch go to `out`. `start` is a guess of the normal. All
/// parts are looked at in the first call of a step, those in the running in the others.
pub fn face_round(
    a: &Placed<'_>,
    b: &Placed<'_>,
    margin: f64,
    start: &Vector3<f64>,
    side: Option<&Vector3<f64>>,
    shortlist: &mut Shortlist,
    out: &mut Vec<Feature>,
) -> Facing {
    let size = a.model.smaller_size(b.model);
    let facers = Facers { a, b, offset: b.moved.position - a.moved.position, size, side: side.copied() };
    let (plane, curved) = facers.axis(start, shortlist);
    let mut emit = Emit { facers: &facers, out, is_last_resort: false };
    let before = emit.out.len();
    if let Some(axis) = &curved {
        emit.curved(axis.parts, axis, margin);
    }
    if emit.out.len() == before {
        match plane.parts {
            (part, _) if part.is_flat() => emit.over_plane(part, plane.gap + margin, false),
            (_, part) => emit.over_plane(part, plane.gap + margin, true),
        }
    }
    let (axis, is_last_resort) = (curved.unwrap_or(plane), emit.is_last_resort);
    Facing { normal: axis.normal, gap: axis.gap, is_last_resort }
}

struct Emit<'a, 'b, 'c> {
    facers: &'a Facers<'b, 'c>,
    out: &'a mut Vec<Feature>,
    is_last_resort: bool,
}

impl Emit<'_, '_, '_> {
    /// Adds an atom of a part of the body that carries the plane and one of the other.
    fn push(&mut self, own: Part, other: Part, swapped: bool) {
        let (a, b) = if swapped { (other, own) } else { (own, other) };
        self.out.push(Feature::Parts(a, b));
    }

    /// Atoms over a plane of A (of B if `swapped`), no higher than `limit` (m).
    fn over_plane(&mut self, part: Part, limit: f64, swapped: bool) {
        let (x, y) = if swapped { (self.facers.b, self.facers.a) } else { (self.facers.a, self.facers.b) };
        let Some((n, at)) = plane_of(part, x) else { return };
        // Arms of Y as seen from X.
        let offset = if swapped { -self.facers.offset } else { self.facers.offset };
        let over = Over { x, y, part, n, at, offset, limit, near: RIM * self.facers.size };
        let before = self.out.len();
        match Can::of(y) {
            Some(can) if over.tilt(&can) < STANDING => self.standing(&over, &can, swapped),
            Some(can) => self.generator(&over, &can, swapped),
            None => self.polytope_over_cap(&over, swapped),
        }
        if self.out.len() == before
            && let Some(can) = Can::of(y)
        {
            // Nothing lies over the plane: its lowest point may yet come there.
            self.push(part, Part::Rim(n.dot(&can.axis) < 0.0), swapped);
            self.is_last_resort = true;
        }
    }

    /// The lowest points at the ends of a tilted or lying cylinder, or where its lowest line leaves the outline.
    fn generator(&mut self, over: &Over<'_, '_>, can: &Can, swapped: bool) {
        let Some(ends) = over.lowest_line(can) else { return };
        for (_, part, point) in ends {
            if over.height(&point) <= over.limit {
                self.push(over.part, part, swapped);
            }
        }
    }

    /// Points of the rim of a cylinder that stands on the plane, and what lies under its cap.
    fn standing(&mut self, over: &Over<'_, '_>, can: &Can, swapped: bool) {
        let up = over.n.dot(&can.axis) < 0.0;
        for step in regular_points() {
            let point = over.offset + arm(over.y, &rim_point(can, up, step));
            if over.is_inside(&point) && over.height(&point) <= over.limit {
                self.push(over.part, Part::RimPoint(up, step), swapped);
            }
        }
        if over.tilt(can) > UPRIGHT {
            let across = over.n - can.axis * can.axis.dot(&over.n);
            let lowest = over.offset + can.at(can.end(up)) - across.normalize() * can.radius;
            if over.is_inside(&lowest) {
                self.push(over.part, Part::Rim(up), swapped);
                // Landing flat it may bear where the lowest point was, outside the polygon of the others.
                if over.tilt(can) < LANDING {
                    let step = nearest_step(over.y, can, &(lowest - over.offset));
                    let step = (step + PLACES / 2) / PLACES * PLACES % RIM_STEPS;
                    self.push(over.part, Part::RimPoint(up, step), swapped);
                }
            }
        }
        self.under_cap(over, can, up, swapped);
    }

    /// Corners of the outline under the cap of a standing cylinder, and where the outline crosses its rim.
    fn under_cap(&mut self, over: &Over<'_, '_>, can: &Can, up: bool, swapped: bool) {
        let center = over.offset + can.at(can.end(up));
        let inside = |p: &Vector3<f64>| can.coordinates(&(p - over.offset)).1 <= can.radius + over.near;
        let cap = Part::Cap(up);
        match over.part {
            Part::Face(face) => {
                let Some(p) = polytope(over.x) else { return };
                let face = &p.faces[face];
                for (k, &v) in face.vertices.iter().enumerate() {
                    let from = arm(over.x, &p.vertices[v]);
                    if inside(&from) {
                        self.push(Part::Vertex(v), cap, swapped);
                    }
                    let to = arm(over.x, &p.vertices[face.vertices[(k + 1) % face.vertices.len()]]);
                    for (which, t) in
                        crossings(&from, &to, &center, &can.axis, can.radius).into_iter().flatten()
                    {
                        let point = from + (to - from) * t - over.offset;
                        self.push(
                            over.part,
                            on_rim(over.y, can, up, &point, 2 * face.edges[k] + which),
                            swapped,
                        );
                    }
                }
            }
            Part::Cap(own) => {
                let Some(lower) = Can::of(over.x) else { return };
                for step in regular_points() {
                    if inside(&arm(over.x, &rim_point(&lower, own, step))) {
                        self.push(Part::RimPoint(own, step), cap, swapped);
                    }
                }
                // Where two circles in a plane cross.
                let (c, r, s) = (center - over.at, lower.radius, can.radius);
                let flat = c - over.n * over.n.dot(&c);
                let d = flat.norm();
                if d > (r - s).abs() && d < r + s {
                    let along = (d * d + r * r - s * s) / (2.0 * d);
                    let half = (r * r - along * along).max(0.0).sqrt();
                    let (e, f) = (flat / d, over.n.cross(&flat) / d);
                    for (which, side) in [-1.0, 1.0].into_iter().enumerate() {
                        let point = over.at + e * along + f * (side * half) - over.offset;
                        self.push(over.part, on_rim(over.y, can, up, &point, which), swapped);
                    }
                }
            }
            _ => {}
        }
    }

    /// A polytope over a cap: corners of its lowest face inside the circle, where its edges cross it, and points of the rim
    /// under the face.
    fn polytope_over_cap(&mut self, over: &Over<'_, '_>, swapped: bool) {
        let (Some(p), Some(can), Part::Cap(up)) = (polytope(over.y), Can::of(over.x), over.part) else {
            return;
        };
        let down = over.y.moved.shape_rotation.tr_mul(&-over.n);
        let corner = p.support(&down);
        let turned = |f: usize| over.n.dot(&(over.y.moved.shape_rotation * p.faces[f].normal));
        let Some(face) = p.face_at(corner, &down) else { return };
        let (lowest, before) = (&p.faces[face], self.out.len());
        for (k, &v) in lowest.vertices.iter().enumerate() {
            let from = over.offset + arm(over.y, &p.vertices[v]);
            if over.is_inside(&from) && over.height(&from) <= over.limit {
                self.push(over.part, Part::Vertex(v), swapped);
            }
            let to_local = p.vertices[lowest.vertices[(k + 1) % lowest.vertices.len()]];
            let to = over.offset + arm(over.y, &to_local);
            for (which, t) in crossings(&from, &to, &over.at, &can.axis, can.radius).into_iter().flatten() {
                if over.height(&(from + (to - from) * t)) <= over.limit {
                    let point = p.vertices[v] + (to_local - p.vertices[v]) * t;
                    self.push(over.part, Part::Point(point, 2 * lowest.edges[k] + which), swapped);
                }
            }
        }
        if self.out.len() == before {
            self.push(over.part, Part::Vertex(corner), swapped);
            self.is_last_resort = true;
        }
        if -turned(face) < SAME_SIDE {
            return;
        }
        let to_shape = over.y.moved.shape_rotation.transpose();
        for step in regular_points() {
            let point = arm(over.x, &rim_point(&can, up, step)) - over.offset;
            let local = to_shape * (point - over.y.moved.shape_origin);
            let above = lowest.offset - lowest.normal.dot(&local);
            let is_under = off_face(p, face, &local).is_none_or(|side| side.1 <= over.near);
            if is_under && -above <= over.limit {
                self.push(Part::RimPoint(up, step), Part::Face(face), swapped);
            }
        }
    }

    /// Two curved parts, and the ends of lines that run nearly parallel.
    fn curved(&mut self, parts: (Part, Part), axis: &Axis, margin: f64) {
        let Facers { a, b, .. } = *self.facers;
        self.see(parts, axis, f64::INFINITY);
        for swapped in [false, true] {
            let (x, y) = if swapped { (b, a) } else { (a, b) };
            let Some(can) = Can::of(x) else { continue };
            if axis.normal.dot(&can.axis).abs() > NEARLY_PARALLEL {
                continue;
            }
            let limit = axis.gap + margin;
            let mut ends = |own: Part, other: Part| {
                let parts = if swapped { (other, own) } else { (own, other) };
                self.see(parts, axis, limit);
            };
            if Can::of(y).is_some_and(|other| other.axis.cross(&can.axis).norm() < NEARLY_PARALLEL) {
                ends(Part::Side, Part::Rim(true));
                ends(Part::Side, Part::Rim(false));
            }
            let Some(p) = polytope(y) else { continue };
            for (e, edge) in p.edges.iter().enumerate() {
                let [first, second] = edge.vertices.map(|v| arm(y, &p.vertices[v]));
                if (second - first).normalize().cross(&can.axis).norm() < NEARLY_PARALLEL {
                    edge.vertices.iter().for_each(|v| ends(Part::Side, Part::Vertex(*v)));
                    ends(Part::Rim(true), Part::Edge(e));
                    ends(Part::Rim(false), Part::Edge(e));
                }
            }
        }
    }

    /// Adds an atom of curved parts if its points lie on them and it is no higher than `limit`.
    fn see(&mut self, parts: (Part, Part), axis: &Axis, limit: f64) {
        let Facers { a, b, size, .. } = *self.facers;
        let Some(found) = solve_parts(parts, a, b, &axis.normal) else { return };
        let atom = &found.atom;
        let is_on = limit == f64::INFINITY
            || outside(parts.0, a, &atom.arm_a).max(outside(parts.1, b, &atom.arm_b)) <= RIM * size;
        let is_regular = found.mismatch <= 1e-9 * size && atom.normal.iter().all(|x| x.is_finite());
        let feature = Feature::Parts(parts.0, parts.1);
        let is_facing = atom.normal.dot(&axis.normal) > SAME_SIDE && atom.gap <= limit;
        if is_on && is_regular && is_facing && !self.out.contains(&feature) {
            self.out.push(feature);
        }
    }
}

/// Moves the place where a cylinder's lowest line crosses the outline of a plane with the bodies, while it does, whatever the
/// separating axis is: where it was at first it would leave the outline as the bodies turn, and be taken for stale.
pub fn follow_line(parts: &mut (Part, Part), a: &Placed<'_>, b: &Placed<'_>) {
    let offset = b.moved.position - a.moved.position;
    let near = RIM * a.model.smaller_size(b.model);
    let (of_a, of_b) = (parts.0, parts.1);
    for (x, y, part, ring, offset) in
        [(a, b, of_a, &mut parts.1, offset), (b, a, of_b, &mut parts.0, -offset)]
    {
        let (Part::Ring(..), Some((n, at)), Some(can)) = (&*ring, plane_of(part, x), Can::of(y)) else {
            continue;
        };
        let over = Over { x, y, part, n, at, offset, limit: f64::INFINITY, near };
        if over.tilt(&can) < STANDING {
            continue;
        }
        if let Some((_, end, _)) =
            over.lowest_line(&can).into_iter().flatten().find(|end| end.1.is_same(ring))
        {
            *ring = end;
        }
    }
}

/// A body Y over a plane of X; points are arms from X's centre of mass.
struct Over<'a, 'b> {
    x: &'a Placed<'b>,
    y: &'a Placed<'b>,
    part: Part,
    /// Outer normal of the plane and a point on it.
    n: Vector3<f64>,
    at: Vector3<f64>,
    offset: Vector3<f64>,
    limit: f64,
    near: f64,
}

impl Over<'_, '_> {
    fn height(&self, point: &Vector3<f64>) -> f64 {
        self.n.dot(&(point - self.at))
    }

    /// Sine of the angle between a cylinder's axis and the normal.
    fn tilt(&self, can: &Can) -> f64 {
        self.n.cross(&can.axis).norm()
    }

    /// Whether a point lies over the outline of the plane.
    fn is_inside(&self, point: &Vector3<f64>) -> bool {
        outside(self.part, self.x, point) <= self.near
    }

    /// The ends of a cylinder's lowest line over the outline: height on the cylinder, what is there, and the point.
    fn lowest_line(&self, can: &Can) -> Option<[(f64, Part, Vector3<f64>); 2]> {
        let across = self.n - can.axis * can.axis.dot(&self.n);
        let down = -across.normalize() * can.radius;
        let at = |height: f64| self.offset + can.at(height) + down;
        let (mut from, mut to) = ((-can.half, Part::Rim(false)), (can.half, Part::Rim(true)));
        let is_over = self.clip(&at, &mut from, &mut to);
        is_over.then(|| [from, to].map(|(height, part)| (height, part, at(height))))
    }

    /// Cuts a line down to the part over the outline; false if there is none.
    fn clip(&self, at: &dyn Fn(f64) -> Vector3<f64>, from: &mut (f64, Part), to: &mut (f64, Part)) -> bool {
        let (start, along) = (at(0.0), at(1.0) - at(0.0));
        let mut cut = |height: f64, enters: bool, name: usize| {
            if enters && height > from.0 {
                *from = (height, Part::Ring(height, name));
            } else if !enters && height < to.0 {
                *to = (height, Part::Ring(height, name));
            }
        };
        match self.part {
            Part::Face(face) => {
                let Some(p) = polytope(self.x) else { return false };
                let face = &p.faces[face];
                for (k, &v) in face.vertices.iter().enumerate() {
                    let corner = arm(self.x, &p.vertices[v]);
                    let next = arm(self.x, &p.vertices[face.vertices[(k + 1) % face.vertices.len()]]);
                    let out = (next - corner).cross(&self.n).normalize();
                    let (beyond, rate) = (out.dot(&(start - corner)) - self.near, out.dot(&along));
                    if rate.abs() > 1e-12 {
                        cut(-beyond / rate, rate < 0.0, face.edges[k]);
                    } else if beyond > 0.0 {
                        return false;
                    }
                }
            }
            Part::Cap(_) => {
                let Some(can) = Can::of(self.x) else { return false };
                let flat = |v: Vector3<f64>| v - self.n * self.n.dot(&v);
                let (s, d) = (flat(start - self.at), flat(along));
                let (q, half, c) = (d.norm_squared(), s.dot(&d), s.norm_squared() - can.radius.powi(2));
                let root = half * half - q * c;
                if root <= 0.0 || q <= 0.0 {
                    return false;
                }
                cut((-half - root.sqrt()) / q, true, 0);
                cut((-half + root.sqrt()) / q, false, 1);
            }
            _ => {}
        }
        from.0 < to.0
    }
}

/// Where a segment crosses the circle of this radius about an axis, as parts of the segment with a name.
fn crossings(
    from: &Vector3<f64>,
    to: &Vector3<f64>,
    center: &Vector3<f64>,
    axis: &Vector3<f64>,
    radius: f64,
) -> [Option<(usize, f64)>; 2] {
    let flat = |v: Vector3<f64>| v - axis * axis.dot(&v);
    let (s, d) = (flat(from - center), flat(to - from));
    let (q, half, c) = (d.norm_squared(), s.dot(&d), s.norm_squared() - radius * radius);
    let root = half * half - q * c;
    if root <= 0.0 || q <= 0.0 {
        return [None; 2];
    }
    [(0, (-half - root.sqrt()) / q), (1, (-half + root.sqrt()) / q)]
        .map(|(which, t)| (0.0..=1.0).contains(&t).then_some((which, t)))
}

/// Places of the points that always hold a standing cylinder.
fn regular_points() -> impl Iterator<Item = u32> {
    (0..RIM_POINTS).map(|k| k * (RIM_STEPS / RIM_POINTS))
}

/// The place on a rim nearest to a point; `point` is an arm of the cylinder.
fn nearest_step(body: &Placed<'_>, can: &Can, point: &Vector3<f64>) -> u32 {
    let local = body.moved.shape_rotation.tr_mul(&(point - can.center));
    let turns = local.y.atan2(local.x) / std::f64::consts::TAU;
    (turns.rem_euclid(1.0) * f64::from(RIM_STEPS)).round() as u32 % RIM_STEPS
}

/// The material point of a rim nearest to a point; `point` is an arm of the cylinder.
fn on_rim(body: &Placed<'_>, can: &Can, up: bool, point: &Vector3<f64>, name: usize) -> Part {
    let local = body.moved.shape_rotation.tr_mul(&(point - can.center));
    let flat = local.xy().try_normalize(0.0).unwrap_or_default() * can.radius;
    Part::Point(Vector3::new(flat.x, flat.y, can.end(up)), name)
}
