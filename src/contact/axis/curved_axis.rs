//! The separating axis of a pair with a cylinder: along the normal of a plane, or of two curved parts (theory
//! §3.9).
//!
//! Any direction bounds the gap from below by its slab, so that the widest of the slabs along all normals
//! that two parts of the surfaces have in common is the gap of bodies that touch or overlap.

use crate::contact::part::{Cylinder, Part, UPRIGHT, piece, plane_of, polytope};
use crate::contact::placed::Placed;
use crate::contact::tolerances::SAME_SIDE;
use crate::geometry::Polytope;
use crate::kernels::piece_pair::{Solved, solve};
use nalgebra::Vector3;

/// A plane is preferred to curved parts that separate better by less than this part of the size.
pub const PLANE_PREFERENCE: f64 = 1e-8;
/// How far a tilt is expected to change in the first iteration.
const STEEPEST: f64 = 1e-3;
/// A start that encloses more than this cosine with another is no other.
const SAME_START_COSINE: f64 = 1.0 - 1e-12;
/// Bodies that overlap by this part of the size are looked at from all sides: Newton may have found a lesser
/// axis.
const DEEP: f64 = 0.02;
/// Parts whose slab is narrower than the widest by less than this part of the size stay in the running for
/// the step.
const RUNNING: f64 = 0.4;
/// Parts support the bodies along their normal to within this part of the size.
const SUPPORTING: f64 = 1e-9;
/// Of the closest points, over the reach of the round parts.
const TOLERANCE: f64 = 1e-13;

/// Two placed bodies seen from the first, in world axes.
pub struct Facers<'a, 'b> {
    /// Body A.
    pub a: &'a Placed<'b>,
    /// Body B.
    pub b: &'a Placed<'b>,
    /// c_b − c_a (m).
    pub offset: Vector3<f64>,
    /// A length of the pair (m).
    pub size: f64,
    /// If given, only axes of its side count.
    pub side: Option<Vector3<f64>>,
}

/// The best axis so far: gap along it, normal from A into B, and the parts of A and B that face each other.
#[derive(Clone, Copy)]
pub struct PartAxis {
    /// Signed distance along the normal (m).
    pub gap: f64,
    /// Unit normal from A into B, world.
    pub normal: Vector3<f64>,
    /// Of A and of B; beside a plane any part.
    pub parts: (Part, Part),
}

/// Pairs of curved parts that may separate two bodies within a step, and how well they did at its start.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct Shortlist {
    listed: Vec<((Part, Part), f64)>,
    is_known: bool,
    is_rough: bool,
}

impl Shortlist {
    /// For poses on a way, each near the one before: bodies that overlap deeply are not looked at from all
    /// sides.
    pub fn rough() -> Self {
        Self { is_rough: true, ..Self::default() }
    }

    /// Forgets the step before.
    pub fn clear(&mut self) {
        self.listed.clear();
        self.is_known = false;
    }

    /// Has all parts looked at once more: the axis is none of those listed.
    pub fn widen(&mut self) {
        self.is_known = false;
    }

    fn note(&mut self, parts: (Part, Part), gap: f64) {
        match self.listed.iter_mut().find(|listed| listed.0 == parts) {
            Some(listed) => listed.1 = listed.1.max(gap),
            None => self.listed.push((parts, gap)),
        }
    }
}

/// Gap, normal and points of two parts; None if the bodies have no such parts. `hint` tells the side of the
/// normal.
pub fn solve_parts(
    parts: (Part, Part),
    a: &Placed<'_>,
    b: &Placed<'_>,
    hint: &Vector3<f64>,
) -> Option<Solved<f64>> {
    let (pa, pb) = (piece(parts.0, a)?, piece(parts.1, b)?);
    let hint = match (plane_of(parts.0, a), plane_of(parts.1, b)) {
        (Some((n, _)), _) => n,
        (None, Some((n, _))) => -n,
        (None, None) => *hint,
    };
    Some(solve(&pa, &pb, &(b.moved.position - a.moved.position), &hint, TOLERANCE))
}

/// By how much of its derivative the lowest point of a rim is trusted to move: it runs around the rim the
/// faster the less the cylinder tilts, and where the tilt changes by more than itself its derivative is no
/// guide to where it goes.
#[derive(Debug, Clone, Copy, Default, serde::Serialize, serde::Deserialize)]
pub struct Tilt {
    /// n × axis at the last pose, sine and direction of the tilt of A's and of B's cylinder over a plane of
    /// the other.
    last: [Option<Vector3<f64>>; 2],
    /// How far that moved from the pose before.
    change: [f64; 2],
}

impl Tilt {
    /// The factors for both bodies at a pose, where the normal is n.
    pub fn trust(
        &mut self,
        parts: (Part, Part),
        a: &Placed<'_>,
        b: &Placed<'_>,
        n: &Vector3<f64>,
    ) -> [f64; 2] {
        let mut trust = [1.0; 2];
        for (side, own, other, body) in [(0, parts.0, parts.1, a), (1, parts.1, parts.0, b)] {
            let (true, Part::Rim(_), Some(cylinder)) = (other.is_flat(), own, Cylinder::of(body)) else {
                continue;
            };
            let tilt = n.cross(&cylinder.axis);
            match self.last[side].map(|last| (tilt - last).norm()) {
                None => self.change[side] = STEEPEST,
                Some(0.0) => {}
                Some(change) => self.change[side] = change,
            }
            self.last[side] = Some(tilt);
            let all = tilt.norm() + self.change[side];
            trust[side] = if all > 0.0 { tilt.norm() / all } else { 0.0 };
        }
        trust
    }
}

/// Whether a contact point is the lowest point of a rim that has none, as it lies flat on the plane.
pub fn is_upright(parts: (Part, Part), a: &Placed<'_>, b: &Placed<'_>) -> bool {
    let lies = |of: Part, other: Part, body: &Placed<'_>, plane: &Placed<'_>| {
        let (Part::Rim(_), Some((n, _)), Some(cylinder)) = (of, plane_of(other, plane), Cylinder::of(body))
        else {
            return false;
        };
        n.cross(&cylinder.axis).norm() < UPRIGHT
    };
    lies(parts.0, parts.1, a, b) || lies(parts.1, parts.0, b, a)
}

impl Facers<'_, '_> {
    fn is_allowed(&self, n: &Vector3<f64>) -> bool {
        self.side.is_none_or(|side| side.dot(n) >= SAME_SIDE)
    }

    /// The planar axis of widest separation, and the axis of curved parts that separate better, if there are
    /// any.
    pub fn axis(&self, start: &Vector3<f64>, shortlist: &mut Shortlist) -> (PartAxis, Option<PartAxis>) {
        if let Some((n, offset)) = self.a.moved.plane {
            let gap = self.b.model.lowest(self.b.moved, &n) - offset;
            return (PartAxis { gap, normal: n, parts: (Part::Plane, Part::Side) }, None);
        }
        let mut plane = PartAxis { gap: f64::NEG_INFINITY, normal: *start, parts: (Part::Side, Part::Side) };
        self.planes(&mut plane);
        let least = plane.gap + PLANE_PREFERENCE * self.size;
        let mut curved = PartAxis { gap: least, ..plane };
        let starts = [plane.normal, *start];
        if shortlist.is_known {
            shortlist.listed.iter().for_each(|(parts, _)| {
                self.try_parts(&mut curved, *parts, &starts);
            });
        } else {
            self.curved(&mut curved, &starts, &mut |parts, gap| shortlist.note(parts, gap));
            shortlist.listed.retain(|(_, gap)| *gap >= curved.gap - RUNNING * self.size);
            shortlist.is_known = true;
        }
        if curved.gap < -DEEP * self.size && self.side.is_none() && !shortlist.is_rough {
            // The middle of 27 is no direction.
            let from = |k: usize| [1, 3, 9].map(|d| ((k + k / 13) / d % 3) as f64 - 1.0);
            let all: [Vector3<f64>; 26] = std::array::from_fn(|k| Vector3::from(from(k)).normalize());
            self.curved(&mut curved, &all, &mut |_, _| ());
        }
        self.beside(&mut curved);
        (plane, (curved.gap > least).then_some(curved))
    }

    /// Looks for a better axis among all pairs of curved parts, from each of the normals; `see` gets their
    /// slabs.
    fn curved(&self, best: &mut PartAxis, starts: &[Vector3<f64>], see: &mut dyn FnMut((Part, Part), f64)) {
        let mut try_parts = |parts: (Part, Part)| {
            let widest = self.try_parts(best, parts, starts);
            see(parts, widest);
        };
        match (polytope(self.a), polytope(self.b)) {
            (Some(p), _) => curved_parts(p, |of_p, of_cylinder| try_parts((of_p, of_cylinder))),
            (_, Some(p)) => curved_parts(p, |of_p, of_cylinder| try_parts((of_cylinder, of_p))),
            _ => {
                let rims = [Part::Rim(true), Part::Rim(false)];
                for rim in rims {
                    try_parts((Part::Side, rim));
                    try_parts((rim, Part::Side));
                    rims.iter().for_each(|other| try_parts((rim, *other)));
                }
                try_parts((Part::Side, Part::Side));
            }
        }
    }

    /// The widest slab along a normal of two parts, which becomes the best axis if it is the widest so far
    /// and the parts support the bodies there.
    fn try_parts(&self, best: &mut PartAxis, parts: (Part, Part), starts: &[Vector3<f64>]) -> f64 {
        let is_crossing = matches!(parts, (Part::Side | Part::Edge(_), Part::Side | Part::Edge(_)));
        let mut widest = f64::NEG_INFINITY;
        for (k, start) in starts.iter().enumerate() {
            let is_known = k > 0 && start.dot(&starts[0]) > SAME_START_COSINE;
            if is_known && !is_crossing || is_crossing && k > 1 {
                continue;
            }
            let hint = if is_crossing && k == 1 { -starts[0] } else { *start };
            let Some(found) = solve_parts(parts, self.a, self.b, &hint) else { continue };
            let (n, apart) = (found.point.normal, found.point.gap);
            let gap = self.a.separation_along(self.b, &n);
            // NaN: parallel lines have no normal.
            if gap > widest {
                widest = gap;
            }
            // No slab is wider than what two parts alone leave, and as wide only along the normal of the
            // parts that support the bodies.
            if gap > best.gap && gap >= apart - SUPPORTING * self.size && self.is_allowed(&n) {
                *best = PartAxis { gap, normal: n, parts };
            }
        }
        widest
    }

    /// Faces of a polytope and caps of cylinders.
    fn planes(&self, best: &mut PartAxis) {
        for (of_a, body) in [(true, self.a), (false, self.b)] {
            let n_faces = polytope(body).map_or(2, |p| p.faces.len());
            for i in 0..n_faces {
                let part = if polytope(body).is_some() { Part::Face(i) } else { Part::Cap(i == 0) };
                let Some((out, _)) = plane_of(part, body) else { continue };
                let n = if of_a { out } else { -out };
                let gap = self.a.separation_along(self.b, &n);
                let least = best.gap + if of_a { 0.0 } else { PLANE_PREFERENCE * self.size };
                if gap > least && self.is_allowed(&n) {
                    let parts = if of_a { (part, Part::Side) } else { (Part::Side, part) };
                    *best = PartAxis { gap, normal: n, parts };
                }
            }
        }
    }

    /// Parallel cylinders have no normal of their own.
    fn beside(&self, best: &mut PartAxis) {
        let (Some(first), Some(second)) = (Cylinder::of(self.a), Cylinder::of(self.b)) else { return };
        let apart = self.offset + second.center - first.center;
        let across = apart - first.axis * first.axis.dot(&apart);
        let Some(n) = across.try_normalize(1e-9 * self.size) else { return };
        let gap = self.a.separation_along(self.b, &n);
        if gap > best.gap && first.axis.cross(&second.axis).norm() < 1e-6 && self.is_allowed(&n) {
            *best = PartAxis { gap, normal: n, parts: (Part::Side, Part::Side) };
        }
    }
}

/// The pairs of parts of a polytope and a cylinder that may have a normal of their own.
fn curved_parts(p: &Polytope, mut see: impl FnMut(Part, Part)) {
    for v in 0..p.vertices.len() {
        see(Part::Vertex(v), Part::Side);
    }
    for e in 0..p.edges.len() {
        see(Part::Edge(e), Part::Side);
        see(Part::Edge(e), Part::Rim(true));
        see(Part::Edge(e), Part::Rim(false));
    }
}
