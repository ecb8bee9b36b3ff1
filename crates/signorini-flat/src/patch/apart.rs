//! Polytopes that nothing presses together, as records show them: the axis along which they are furthest
//! apart, and a place between them that is near both.

use crate::numbers::{Vector, add_scaled, cross, dot, sub};
use crate::patch::axis::{Axis, Chosen, Separations, Stay, normal};
use crate::patch::batch::PatchSeen;
use crate::patch::manifold::{Manifold, Within};
use crate::patch::response::{Moving, slip, twist};
use crate::patch::solid::{Edge, PlacedSolid, any_tangent};

/// Two polytopes without a point.
#[derive(Debug, Clone, Copy)]
pub struct Apart {
    /// The axis along which they are.
    pub axis: Axis,
    /// Its normal from A to B.
    pub normal: [f64; 3],
    /// Separation along it (m).
    pub gap: f64,
    /// A place between the bodies, where the caller found one (m).
    pub at: Option<[f64; 3]>,
}

impl Apart {
    /// The axis of points that are none.
    pub fn of(manifold: &Manifold) -> Self {
        let lowest = manifold.points().iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
        let at = lowest.filter(|_| manifold.axis == Axis::Callers).map(|point| point.at);
        Self { axis: manifold.axis, normal: manifold.normal, gap: manifold.widest, at }
    }

    /// The widest axis of two bodies.
    pub fn widest(bodies: [&PlacedSolid<'_>; 2], separations: &mut Separations) -> Option<Self> {
        separations.find(bodies);
        let Chosen { axis, separation, .. } =
            separations.choose(bodies, Stay { known: Axis::Unknown, slack: 0.0, part: 0.0 });
        Some(Self { axis, normal: normal(bodies, axis)?, gap: separation, at: None })
    }

    /// The pair as it is seen; `radius` is e_r (m).
    pub fn seen(&self, [a, b]: &[PlacedSolid<'_>; 2], pair: [&Moving; 2], radius: f64) -> PatchSeen {
        let n = self.normal;
        let at = match (self.at, self.axis) {
            (Some(at), _) => at,
            (None, Axis::Plane) => lowest_corner(b, n),
            (None, _) => self.place([a, b]),
        };
        let frame = [n, any_tangent(n)];
        let arms = [sub(at, a.mass_centre), sub(at, b.mass_centre)];
        let twist = twist(pair, arms, &[n, frame[1], cross(n, frame[1])]);
        let slip = slip(&twist, [0.0; 2], radius);
        PatchSeen { frame, arms, gap: self.gap, slip, radius, alignment: 1.0, ..PatchSeen::default() }
    }

    /// A place near both bodies: the lowest point over a face, where that is hardly further than the axis
    /// says, else between the edges that are nearest to each other.
    fn place(&self, bodies: [&PlacedSolid<'_>; 2]) -> Vector<f64> {
        let within = Within { margin: f64::INFINITY, lean: 0.0 };
        let chosen = Chosen { axis: self.axis, separation: self.gap, widest: self.gap };
        let all = Manifold::build(bodies, chosen, within);
        let lowest = all.points().iter().min_by(|p, q| p.gap.total_cmp(&q.gap));
        match lowest {
            Some(point) if self.axis.is_face() && point.gap <= 2.0 * self.gap.max(0.0) => point.at,
            _ => between_edges(bodies),
        }
    }
}

/// The corner of a body that is lowest against a normal (m).
fn lowest_corner(body: &PlacedSolid<'_>, n: Vector<f64>) -> Vector<f64> {
    body.at(body.solid.vertices[body.solid.lowest(body.turned_back(n))])
}

/// The middle between the two edges of bodies that are nearest to each other (m).
fn between_edges([a, b]: [&PlacedSolid<'_>; 2]) -> Vector<f64> {
    let mut best = (f64::INFINITY, [0.0; 3]);
    for of_b in &b.solid.edges {
        let (from, along) = (b.at(of_b.from), b.turned(of_b.along));
        let (from, along) = (a.turned_back(sub(from, a.centre)), a.turned_back(along));
        for of_a in &a.solid.edges {
            let [p, q] = nearest_points(of_a, (from, along, of_b.length));
            let way = sub(q, p);
            let square = dot(way, way);
            if square < best.0 {
                best = (square, add_scaled(way, 0.5, p));
            }
        }
    }
    a.at(best.1)
}

/// The points of an edge and of a segment that are nearest to each other, in axes of the edge's body.
fn nearest_points(edge: &Edge, (from, along, length): (Vector<f64>, Vector<f64>, f64)) -> [Vector<f64>; 2] {
    let (w, c) = (sub(from, edge.from), dot(edge.along, along));
    let (du, dv) = (dot(edge.along, w), dot(along, w));
    let square = 1.0 - c * c;
    let s = if square > f64::EPSILON { (du - c * dv) / square } else { 0.0 };
    let t = (c * s.clamp(0.0, edge.length) - dv).clamp(0.0, length);
    let s = (du + c * t).clamp(0.0, edge.length);
    [add_scaled(edge.along, s, edge.from), add_scaled(along, t, from)]
}
