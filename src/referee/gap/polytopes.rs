//! Signed gap of two polytopes by the separating-axis theorem.
//!
//! The separation g(n) of [`super`] is the lower envelope of linear functions n·(b − a) over pairs of
//! vertices. While the two overlap its largest value on the unit sphere is where three of these functions
//! meet: n is a face normal of A or B, or the common normal of an edge of A and an edge of B whose arcs of
//! normals cross. When they are apart it is the distance, which is attained at a vertex and a face, or at two
//! edges (their ends included).

use crate::referee::placed::PlacedPolytope;
use nalgebra::Vector3;

/// Angle (radians, about) by which arcs may miss each other and still be tried: any normal is safe.
const CROSSING: f64 = 1e-9;
/// Length of the product of unit vectors along two edges up to which they are parallel.
const PARALLEL: f64 = 1e-10;

/// Number of pairs of edges up to which nothing is ruled out beforehand.
const FEW_PAIRS: usize = 10_000;
/// Number of support points kept to rule features out.
const MAX_POINTS: usize = 24;

/// The signed gap (m) and the normal from A to B that attains it; `start` is a guess of the normal.
pub fn signed_gap(
    a: &PlacedPolytope,
    b: &PlacedPolytope,
    start: Option<&Vector3<f64>>,
) -> (f64, Vector3<f64>) {
    let points = [Vec::new(), Vec::new()];
    let is_large = a.shape.edges.len() * b.shape.edges.len() > FEW_PAIRS;
    let (gap, normal) = (f64::NEG_INFINITY, Vector3::x());
    let mut best = Best { a, b, between: b.center - a.center, is_large, points, gap, normal };
    if is_large && let Some(n) = start.or(Some(&best.between)).and_then(|n| n.try_normalize(0.0)) {
        best.try_normal(n);
    }
    for (n, face) in a.normals.iter().zip(&a.shape.faces) {
        if !best.is_large || best.height(0, n, face.offset) > best.gap {
            best.try_normal(*n);
        }
    }
    for (n, face) in b.normals.iter().zip(&b.shape.faces) {
        if !best.is_large || best.height(1, n, face.offset) > best.gap {
            best.try_normal(-n);
        }
    }
    best.edges();
    if best.gap > 0.0 {
        best.distance();
    }
    (best.gap, best.normal)
}

/// An edge and its arc of normals, from A to B.
struct EdgeArc {
    /// One end (m), about the centre, and the unit vector along the edge.
    start: Vector3<f64>,
    along: Vector3<f64>,
    /// Normals of both faces.
    ends: [Vector3<f64>; 2],
    /// Sum of the normals.
    middle: Vector3<f64>,
}

impl EdgeArc {
    /// Arc of an edge; `sign` is 1 for A, −1 for B, whose outer normals point back.
    fn of(body: &PlacedPolytope, edge: usize, sign: f64) -> Self {
        let edge = &body.shape.edges[edge];
        let [start, end] = edge.vertices.map(|v| body.arms[v]);
        let ends = edge.faces.map(|f| body.normals[f] * sign);
        Self { start, along: (end - start).normalize(), ends, middle: ends[0] + ends[1] }
    }

    /// Common normal where the arcs cross, and its length. Each arc lies in the plane across its edge; each
    /// must have its ends on both sides of the other's plane, and they must not meet on the far side of the
    /// sphere.
    fn crossing(&self, other: &Self) -> Option<(Vector3<f64>, f64)> {
        let is_beside = |along: &Vector3<f64>, ends: &[Vector3<f64>; 2]| {
            let [p, q] = ends.map(|n| along.dot(&n));
            p.min(q) > CROSSING || p.max(q) < -CROSSING
        };
        if is_beside(&other.along, &self.ends) || is_beside(&self.along, &other.ends) {
            return None;
        }
        let n = self.along.cross(&other.along);
        let n = if n.dot(&self.middle) < 0.0 { -n } else { n };
        let length = n.norm();
        (length > PARALLEL && n.dot(&other.middle) >= -CROSSING * length).then_some((n, length))
    }
}

/// Best normal so far.
struct Best<'a> {
    a: &'a PlacedPolytope,
    b: &'a PlacedPolytope,
    between: Vector3<f64>,
    /// Whether features that cannot be those of the gap are left out.
    is_large: bool,
    /// Corners of B about A's centre, and of A about B's, that support along normals tried.
    points: [Vec<Vector3<f64>>; 2],
    gap: f64,
    normal: Vector3<f64>,
}

impl Best<'_> {
    fn try_normal(&mut self, n: Vector3<f64>) {
        if self.is_large && self.points[0].len() < MAX_POINTS {
            let farthest = |arms: &[Vector3<f64>], n: Vector3<f64>| {
                arms.iter().copied().max_by(|p, q| n.dot(p).total_cmp(&n.dot(q))).unwrap_or_default()
            };
            self.points[0].push(self.between + farthest(&self.b.arms, -n));
            self.points[1].push(farthest(&self.a.arms, n) - self.between);
        }
        let gap = n.dot(&self.between) - self.a.support_width(&n) - self.b.support_width(&-n);
        // A NaN must be returned, and not be lost in a comparison.
        if gap > self.gap || gap.is_nan() {
            (self.gap, self.normal) = (gap, n);
        }
    }

    /// Least height of the known points over a face of A (side 0) or of B (1): an upper bound of the
    /// separation along its normal.
    fn height(&self, side: usize, n: &Vector3<f64>, offset: f64) -> f64 {
        self.points[side].iter().map(|p| n.dot(p) - offset).fold(f64::INFINITY, f64::min)
    }

    /// Edges of A (side 0) or B (1) whose arcs may hold a better normal. Along a normal between those of two
    /// faces no point is higher than over the face that it is higher over, or, above both, than that height
    /// over the cosine of half the angle between them.
    fn edges_of(&self, side: usize) -> Vec<usize> {
        let body = [self.a, self.b][side];
        let may_win = |e: &usize| {
            let [f, g] = body.shape.edges[*e].faces;
            let over = |f: usize, p: &Vector3<f64>| body.normals[f].dot(p) - body.shape.faces[f].offset;
            let half = (0.5 + 0.5 * body.normals[f].dot(&body.normals[g])).max(0.0).sqrt();
            self.points[side].iter().all(|p| over(f, p).max(over(g, p)) > self.gap.min(self.gap * half))
        };
        (0..body.shape.edges.len()).filter(|e| !self.is_large || may_win(e)).collect()
    }

    /// Tries the common normals of all pairs of edges whose arcs cross.
    fn edges(&mut self) {
        let [of_a, of_b] = [0, 1].map(|side| self.edges_of(side));
        let arcs_of_b: Vec<EdgeArc> = of_b.iter().map(|i| EdgeArc::of(self.b, *i, -1.0)).collect();
        for a in of_a.iter().map(|i| EdgeArc::of(self.a, *i, 1.0)) {
            for b in &arcs_of_b {
                let Some((n, length)) = a.crossing(b) else { continue };
                // The line between these edges bounds the separation along n.
                if n.dot(&(self.between + b.start - a.start)) > self.gap * length {
                    self.try_normal(n / length);
                }
            }
        }
    }

    /// Tries the distance of two polytopes that are apart: the smallest over vertices and faces, and over
    /// pairs of edges.
    fn distance(&mut self) {
        let mut nearest: Option<Vector3<f64>> = None;
        let mut see = |way: Vector3<f64>| {
            if nearest.is_none_or(|known| way.norm_squared() < known.norm_squared()) {
                nearest = Some(way);
            }
        };
        // The nearest features are no further from the plane between the bodies than two of their points are
        // from each other.
        let ways = self.points[0].iter().zip(&self.points[1]).map(|(b, a)| (b - a - self.between).norm());
        let reach = if self.is_large { ways.fold(f64::INFINITY, f64::min) } else { f64::INFINITY };
        let n = self.normal;
        let (top, bottom) = (self.a.support_width(&n), n.dot(&self.between) - self.b.support_width(&-n));
        let is_near_b = |arm: &Vector3<f64>| n.dot(&(self.between + arm)) - top <= reach;
        let is_near_a = |arm: &Vector3<f64>| bottom - n.dot(arm) <= reach;
        for arm in self.b.arms.iter().filter(|arm| is_near_b(arm)) {
            vertex_to_faces(&(self.between + arm), self.a, &mut see);
        }
        for arm in self.a.arms.iter().filter(|arm| is_near_a(arm)) {
            vertex_to_faces(&(arm - self.between), self.b, |way| see(-way));
        }
        let near_edges =
            |body: &PlacedPolytope, is_near: &dyn Fn(&Vector3<f64>) -> bool| -> Vec<[Vector3<f64>; 2]> {
                let ends = body.shape.edges.iter().map(|e| e.vertices.map(|v| body.arms[v]));
                ends.filter(|ends| ends.iter().any(is_near)).collect()
            };
        let of_b = near_edges(self.b, &is_near_b);
        for first in near_edges(self.a, &is_near_a) {
            for second in &of_b {
                see(between_segments(&first, &second.map(|arm| self.between + arm)));
            }
        }
        if let Some(n) = nearest.and_then(|way| way.try_normalize(f64::MIN_POSITIVE)) {
            self.try_normal(n);
        }
    }
}

/// Visits the vectors to `point` from the faces of a polytope (all about its centre) below or above which it
/// lies.
fn vertex_to_faces(point: &Vector3<f64>, body: &PlacedPolytope, mut see: impl FnMut(Vector3<f64>)) {
    for (face, n) in body.shape.faces.iter().zip(&body.normals) {
        let height = n.dot(&(point - body.arms[face.vertices[0]]));
        let sides = face.vertices.iter().zip(face.vertices.iter().cycle().skip(1));
        let is_over = height > 0.0
            && sides
                .map(|(i, j)| (body.arms[*i], body.arms[*j]))
                .all(|(p, q)| n.cross(&(q - p)).dot(&(point - p)) >= 0.0);
        if is_over {
            see(n * height);
        }
    }
}

/// Shortest vector from the first to the second segment, each given by its ends.
fn between_segments(first: &[Vector3<f64>; 2], second: &[Vector3<f64>; 2]) -> Vector3<f64> {
    let (u, v, w) = (first[1] - first[0], second[1] - second[0], first[0] - second[0]);
    let (uu, vv, uv, uw, vw) = (u.norm_squared(), v.norm_squared(), u.dot(&v), u.dot(&w), v.dot(&w));
    let determinant = uu * vv - uv * uv;
    let mut s =
        if determinant > 1e-14 * uu * vv { ((uv * vw - vv * uw) / determinant).clamp(0.0, 1.0) } else { 0.0 };
    let mut t = (uv * s + vw) / vv;
    if !(0.0..=1.0).contains(&t) {
        t = t.clamp(0.0, 1.0);
        s = ((uv * t - uw) / uu).clamp(0.0, 1.0);
    }
    second[0] + v * t - first[0] - u * s
}

#[cfg(test)]
mod tests {
    use super::super::signed_gap;
    use crate::referee::placed::{PlacedShape, separation_along};
    use nalgebra::{UnitQuaternion, Vector3};
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;
    use signorini_geometry::{Polytope, Pose, Shape};

    type V = Vector3<f64>;

    fn three(random: &mut Pcg64Mcg, low: f64, high: f64) -> V {
        V::from_fn(|_, _| random.random_range(low..high))
    }

    fn placed(shape: &Polytope, position: V, turn: V) -> PlacedShape {
        let pose = Pose { position, orientation: UnitQuaternion::from_scaled_axis(turn) };
        PlacedShape::new(&Shape::Polytope(shape.clone().into()), &Pose::identity(), &pose)
    }

    /// Oracle: the hull of all differences b − a; its nearest face is the gap when the origin is inside.
    fn depth_by_minkowski_difference(a: &PlacedShape, b: &PlacedShape) -> f64 {
        let (PlacedShape::Polytope(a), PlacedShape::Polytope(b)) = (a, b) else {
            unreachable!("two polytopes")
        };
        let between = b.center - a.center;
        let all: Vec<V> = a.arms.iter().flat_map(|p| b.arms.iter().map(move |q| between + q - p)).collect();
        let hull = Polytope::hull(&all).expect("a hull");
        let to_face = |f: &signorini_geometry::polytope::Face| f.offset + f.normal.dot(&hull.center_of_mass);
        -hull.polytope.faces.iter().map(to_face).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn depths_agree_with_the_minkowski_difference_at_every_size() {
        let mut random = Pcg64Mcg::seed_from_u64(21);
        for case in 0..60 {
            let shape = |random: &mut Pcg64Mcg| match random.random_range(0..2) {
                0 => Polytope::box_(three(random, 0.2, 1.0)),
                _ => {
                    let points: Vec<V> = (0..9).map(|_| three(random, -1.0, 1.0)).collect();
                    Polytope::hull(&points).expect("a hull").polytope
                }
            };
            let (a, b) = (shape(&mut random), shape(&mut random));
            let turn = [(); 2].map(|()| three(&mut random, -2.0, 2.0));
            let way = three(&mut random, -1.0, 1.0).normalize() * 0.01 * f64::from(case);
            let far = V::new(1e3, 0.0, 0.0) * f64::from(case % 2);
            for scale in [1e-3, 1.0, 1e3] {
                let pa = placed(&a.scaled(scale), far * scale, turn[0]);
                let pb = placed(&b.scaled(scale), (far + way) * scale, turn[1]);
                let (found, normal) = signed_gap(&pa, &pb, None);
                let exact = depth_by_minkowski_difference(&pa, &pb);
                assert!(
                    (found.min(0.0) - exact.min(0.0)).abs() < 1e-12 * scale,
                    "case {case}: {found} against {exact}"
                );
                assert!((separation_along(&pa, &pb, &normal) - found).abs() < 1e-13 * scale);
                let (swapped, back) = signed_gap(&pb, &pa, None);
                assert!((swapped - found).abs() < 1e-13 * scale, "case {case}: {swapped} against {found}");
                assert!((separation_along(&pb, &pa, &back) - found).abs() < 1e-13 * scale);
            }
        }
    }

    #[test]
    fn distances_of_cubes_are_those_of_their_features() {
        let cube = Polytope::box_(V::repeat(0.5));
        let quarter = V::z() * std::f64::consts::FRAC_PI_4;
        let (tip, edge) = (0.5 * 3f64.sqrt(), 0.5f64.sqrt());
        // The second cube stands on its corner, with the diagonal upright.
        let upright = V::new(1.0, -1.0, 0.0).normalize() * (1.0 / 3f64.sqrt()).acos();
        let cases = [
            (V::new(0.3, 0.2, 1.5), V::zeros(), 0.5),             // face and face
            (V::new(0.2, 0.1, 0.9), V::zeros(), -0.1),            // face and face, inside
            (V::new(1.3, 0.2, 1.4), V::zeros(), 0.5),             // edge and edge, parallel
            (V::new(1.2, 1.3, 1.6), V::zeros(), 0.7),             // vertex and vertex
            (V::new(0.0, 0.1, 0.5 + tip), upright, 0.0),          // vertex and face, touching
            (V::new(0.1, 0.1, 0.6 + tip), upright, 0.1),          // vertex and face
            (V::new(0.5 + edge + 0.25, 0.0, 0.1), quarter, 0.25), // edge and face
        ];
        for (position, turn, exact) in cases {
            let (gap, n) =
                signed_gap(&placed(&cube, V::zeros(), V::zeros()), &placed(&cube, position, turn), None);
            assert!((gap - exact).abs() < 1e-14 && (n.norm() - 1.0).abs() < 1e-14, "{gap} against {exact}");
        }
        // The edges are crossed: A's along y, turned up about y; B's along x, turned down about x.
        let up = placed(&cube, V::zeros(), V::y() * std::f64::consts::FRAC_PI_4);
        for gap in [-1e-3, 0.0, 0.2] {
            let down =
                placed(&cube, V::new(0.1, 0.2, 2.0 * edge + gap), V::x() * std::f64::consts::FRAC_PI_4);
            let (found, n) = signed_gap(&up, &down, None);
            assert!((found - gap).abs() < 1e-14 && (n - V::z()).norm() < 1e-12, "{found} against {gap}, {n}");
        }
    }
}
