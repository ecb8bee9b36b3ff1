//! Which part of a polytope or cylinder an ellipsoid touches: a walk over neighbouring parts, from the one of
//! the last pose, until the normal lies in the part's normal cone and the point on the part (theory §3.9).
//!
//! Gap, normal and points are continuous from part to part, so that near a boundary either side will do.

use crate::contact::part::{Cylinder, Part, off_edge, off_face, piece, polytope};
use crate::contact::placed::Placed;
use crate::contact::tolerances::{BOUNDARY_WIDTH, CLOSEST_POINT_TOLERANCE};
use crate::geometry::Polytope;
use crate::kernels::flat_point::PointGeometry;
use crate::kernels::piece_pair::{Piece, Solved, solve};
use nalgebra::Vector3;

/// A walk that takes longer goes round in circles, as it may when the bodies overlap deeply: then all parts
/// are tried.
const LONGEST_WALK: usize = 24;

/// Finds the part of `body` nearest to the ellipsoid of `ball`, starting from `part` and the normal `start`
/// (from the body into the ellipsoid), and solves the contact point with the body as A.
pub fn nearest_part(
    body: &Placed<'_>,
    ball: &Placed<'_>,
    part: Part,
    start: &Vector3<f64>,
) -> (Part, Solved<f64>) {
    let touch = Touch { body, ball, offset: ball.moved.position - body.moved.position };
    let mut part = if touch.has(part) { part } else { touch.first(start) };
    let mut n = *start;
    for _ in 0..LONGEST_WALK {
        part = touch.cap_above(part, &n).unwrap_or(part);
        let solved = touch.solve(part, &n);
        match touch.neighbour(part, &solved.point) {
            Some(next) => part = next,
            None => return (part, solved),
        }
        n = solved.point.normal;
    }
    touch.best_of_all(start)
}

struct Touch<'a> {
    body: &'a Placed<'a>,
    ball: &'a Placed<'a>,
    offset: Vector3<f64>,
}

impl Touch<'_> {
    fn has(&self, part: Part) -> bool {
        match part {
            Part::Vertex(_) | Part::Edge(_) | Part::Face(_) => polytope(self.body).is_some(),
            Part::Cap(_) | Part::Rim(_) | Part::Side => Cylinder::of(self.body).is_some(),
            _ => false,
        }
    }

    /// Any part that reaches far along n.
    fn first(&self, n: &Vector3<f64>) -> Part {
        match polytope(self.body) {
            Some(p) => Part::Vertex(p.support(&self.body.moved.shape_rotation.tr_mul(n))),
            None => Part::Side,
        }
    }

    fn solve(&self, part: Part, start: &Vector3<f64>) -> Solved<f64> {
        let round = Piece::round(self.ball.moved.ellipsoid);
        let own = piece(part, self.body).unwrap_or_else(|| Piece::point(Vector3::zeros()));
        // The normal of a plane points out of it, wherever the walk comes from.
        let outward = own.straight[0].cross(&own.straight[1]);
        let start = if own.n_straight == 2 { &outward } else { start };
        solve(&own, &round, &self.offset, start, CLOSEST_POINT_TOLERANCE)
    }

    /// Above a cap the rim has no normal of its own: the cap is taken if the ellipsoid's lowest point is
    /// above it and no deeper than along n.
    fn cap_above(&self, part: Part, n: &Vector3<f64>) -> Option<Part> {
        let Part::Rim(up) = part else { return None };
        let cylinder = Cylinder::of(self.body)?;
        let over = self.solve(Part::Cap(up), n);
        let inside = cylinder.coordinates(&over.point.arm_a).1 <= cylinder.radius;
        (inside && over.point.gap >= self.body.separation_along(self.ball, n)).then_some(Part::Cap(up))
    }

    /// The neighbour in whose direction normal or point leave a part; None if they don't.
    fn neighbour(&self, part: Part, point: &PointGeometry<f64>) -> Option<Part> {
        let to_shape = self.body.moved.shape_rotation.transpose();
        let n = to_shape * point.normal;
        let point = to_shape * (point.arm_a - self.body.moved.shape_origin);
        let near = BOUNDARY_WIDTH * self.body.model.size;
        match part {
            Part::Cap(up) => {
                let radius = Cylinder::of(self.body)?.radius;
                (point.xy().norm() > radius + near).then_some(Part::Rim(up))
            }
            Part::Side => {
                let beyond = point.z.abs() > Cylinder::of(self.body)?.half + near;
                beyond.then_some(Part::Rim(point.z > 0.0))
            }
            Part::Rim(up) => {
                let outward = if up { n.z } else { -n.z };
                (outward < -BOUNDARY_WIDTH).then_some(Part::Side)
            }
            _ => polytope(self.body).and_then(|p| on_polytope(p, part, &n, &point, near)),
        }
    }

    /// The part whose normal separates best, of all.
    fn best_of_all(&self, start: &Vector3<f64>) -> (Part, Solved<f64>) {
        let first = self.first(start);
        let mut best = (first, self.solve(first, start));
        let mut widest = f64::NEG_INFINITY;
        let mut see = |part: Part| {
            let solved = self.solve(part, start);
            let gap = self.body.separation_along(self.ball, &solved.point.normal);
            if gap > widest {
                widest = gap;
                best = (part, solved);
            }
        };
        match polytope(self.body) {
            Some(p) => {
                (0..p.faces.len()).for_each(|i| see(Part::Face(i)));
                (0..p.edges.len()).for_each(|i| see(Part::Edge(i)));
                (0..p.vertices.len()).for_each(|i| see(Part::Vertex(i)));
            }
            None => [Part::Cap(true), Part::Cap(false), Part::Side, Part::Rim(true), Part::Rim(false)]
                .into_iter()
                .for_each(see),
        }
        best
    }
}

/// The same on a polytope; normal and point in its frame.
fn on_polytope(p: &Polytope, part: Part, n: &Vector3<f64>, point: &Vector3<f64>, near: f64) -> Option<Part> {
    match part {
        Part::Face(face) => off_face(p, face, point)
            .filter(|side| side.1 > near)
            .map(|side| Part::Edge(p.faces[face].edges[side.0])),
        Part::Edge(edge) => {
            let e = &p.edges[edge];
            let along = (p.vertices[e.vertices[1]] - p.vertices[e.vertices[0]]).normalize();
            // From the edge into its faces: the first runs along it, the second against it.
            let into = [p.faces[e.faces[0]].normal.cross(&along), along.cross(&p.faces[e.faces[1]].normal)];
            let rise = into.map(|d| d.dot(n));
            let steepest = if rise[0] > rise[1] { 0 } else { 1 };
            if rise[steepest] > BOUNDARY_WIDTH {
                return Some(Part::Face(e.faces[steepest]));
            }
            let (end, beyond) = off_edge(p, edge, point);
            (beyond > near).then_some(Part::Vertex(end))
        }
        Part::Vertex(vertex) => {
            let mut steepest = (BOUNDARY_WIDTH, None);
            for (i, e) in p.adjacency().edges_at(vertex).map(|i| (i, &p.edges[i])) {
                let other = if e.vertices[0] == vertex { e.vertices[1] } else { e.vertices[0] };
                let rise = (p.vertices[other] - p.vertices[vertex]).normalize().dot(n);
                if rise > steepest.0 {
                    steepest = (rise, Some(Part::Edge(i)));
                }
            }
            steepest.1
        }
        _ => None,
    }
}
