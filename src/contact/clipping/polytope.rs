//! Features of two polytopes that touch along their separating axis (theory §3.5): the reference face's
//! polygon clipped against the incident one. Corners inside give vertex–face contact points. Where edges
//! cross above the rim of the face, the point of the incident edge makes a contact point with the face: along
//! a face axis the manifold is flush, and the common normal of two edges would turn by the gaps' differences
//! over their distance.

use crate::contact::axis::separating_axis::{AxisKind, RelativePolytope, Separation};
use crate::contact::clipping::convex_polygon::{is_inside, near_sides};
use crate::contact::clipping::extreme_points::{MAX_POINTS, extreme_points};
use crate::contact::feature::Feature;
use crate::contact::feature_pair::FeaturePair;
use crate::contact::tolerances::{COINCIDENT_POINTS, OUTLINE_MARGIN, PARALLEL_SINE, SAME_FACE_COSINE};
use nalgebra::{Vector2, Vector3};
use signorini_geometry::Polytope;
use signorini_kernels::smooth_pair::tangents;
use std::collections::HashMap;

/// Sides do not cross if their lines cross by this fraction of their length beyond an end.
const CLEAR_MISS: f64 = 1e-9;

/// Height above the lowest point of the incident body up to which features belong to the manifold.
#[derive(Debug, Clone, Copy)]
pub struct ManifoldMargin {
    /// A length of the pair (m).
    pub size: f64,
    /// The height (m).
    pub margin: f64,
}

/// Workspace of `touching`.
#[derive(Debug, Default)]
pub struct ClipWorkspace {
    reference: Vec<Vector2<f64>>,
    incident: Vec<Vector2<f64>>,
    height: Vec<f64>,
    /// Points of the manifold, with their heights above the reference face (m).
    found: Vec<(Vector2<f64>, f64)>,
    /// Points in cells as wide as the distance within which points count as one; used for many points.
    cells: HashMap<[i64; 2], Vec<usize>>,
    n_sorted: usize,
    near: Vec<(usize, usize)>,
}

type Vertices<'a> = &'a dyn Fn(usize) -> Vector3<f64>;
type Cosine<'a> = &'a dyn Fn(&Vector3<f64>) -> f64;
type Loop<'a> = (&'a [usize], Vertices<'a>);

/// A polytope Y over a face of another, X.
struct IncidentPolytope<'a> {
    x: &'a Polytope,
    y: &'a Polytope,
    /// Vertices of X and of Y in A's shape frame.
    vertices: [Vertices<'a>; 2],
    face: usize,
    /// Outer normal of the face in A's shape frame; `down` is its opposite in that of Y.
    out: Vector3<f64>,
    down: Vector3<f64>,
    /// Minus the cosine between the outer normal of a face of Y, in its frame, and that of the face.
    facing: Cosine<'a>,
    /// Whether X is B.
    swapped: bool,
}

impl ClipWorkspace {
    /// Appends the features of two polytopes (of A, of B) that touch along the axis. Returns whether none
    /// touch, so that the lowest corner stands in for them.
    pub fn touching(
        &mut self,
        [a, b]: [&Polytope; 2],
        relative: &RelativePolytope,
        separation: &Separation,
        reach: ManifoldMargin,
        out: &mut Vec<FeaturePair>,
    ) -> bool {
        let n = separation.normal;
        let of_a = |v: usize| a.vertices[v];
        let of_b = |v: usize| relative.vertices[v];
        let (against_a, against_b): (Cosine<'_>, Cosine<'_>) =
            (&|m| -(relative.rotation * m).dot(&n), &|m| m.dot(&n));
        let over = match separation.axis {
            AxisKind::Edges(i, j) => {
                out.push(FeaturePair(Feature::Edge(i), Feature::Edge(j)));
                return false;
            }
            AxisKind::FaceA(face) => {
                let (vertices, down): ([Vertices<'_>; 2], _) =
                    ([&of_a, &of_b], relative.rotation.tr_mul(&-n));
                IncidentPolytope {
                    x: a,
                    y: b,
                    vertices,
                    face,
                    out: n,
                    down,
                    facing: against_a,
                    swapped: false,
                }
            }
            AxisKind::FaceB(face) => {
                let vertices: [Vertices<'_>; 2] = [&of_b, &of_a];
                IncidentPolytope {
                    x: b,
                    y: a,
                    vertices,
                    face,
                    out: -n,
                    down: n,
                    facing: against_b,
                    swapped: true,
                }
            }
        };
        self.over_face(&over, reach, out)
    }

    fn over_face(
        &mut self,
        over: &IncidentPolytope<'_>,
        reach: ManifoldMargin,
        out: &mut Vec<FeaturePair>,
    ) -> bool {
        let IncidentPolytope { x, y, face, swapped, .. } = *over;
        let lowest = y.support(&over.down);
        let (incident, before) = (y.face_at(lowest, &over.down).unwrap_or(0), out.len());
        let (reference, other) = (&x.faces[face], &y.faces[incident]);
        self.project(over.out, (&reference.vertices, over.vertices[0]), (&other.vertices, over.vertices[1]));
        self.corners(reach, |i| {
            out.push(FeaturePair::of(Feature::Face(face), Feature::Vertex(other.vertices[i]), swapped));
        });
        self.covered(reach, (over.facing)(&other.normal), |i| {
            out.push(FeaturePair::of(
                Feature::Vertex(reference.vertices[i]),
                Feature::Face(incident),
                swapped,
            ));
        });
        self.crossings(reach, |i, j, along| {
            let ends = [j, j + 1].map(|k| y.vertices[other.vertices[k % other.vertices.len()]]);
            let edges = if swapped {
                (other.edges[j], reference.edges[i])
            } else {
                (reference.edges[i], other.edges[j])
            };
            let point = Feature::EdgePoint(ends[0] + (ends[1] - ends[0]) * along, edges);
            out.push(FeaturePair::of(Feature::Face(face), point, swapped));
        });
        if self.found.len() > MAX_POINTS {
            let kept = extreme_points(&self.found);
            kept.iter().enumerate().for_each(|(place, k)| out[before + place] = out[before + k]);
            out.truncate(before + kept.len());
        }
        let is_empty = out.len() == before;
        if is_empty {
            out.push(FeaturePair::of(Feature::Face(face), Feature::Vertex(lowest), swapped));
        }
        is_empty
    }

    /// Projects both polygons along the outer normal of the reference face.
    fn project(&mut self, n: Vector3<f64>, reference: Loop<'_>, incident: Loop<'_>) {
        let (t, o) = tangents(&n);
        let flat = |p: Vector3<f64>| Vector2::new(t.dot(&p), o.dot(&p));
        let level = n.dot(&reference.1(reference.0[0]));
        self.found.clear();
        self.cells.clear();
        self.n_sorted = 0;
        self.reference.clear();
        self.reference.extend(reference.0.iter().map(|v| flat(reference.1(*v))));
        self.incident.clear();
        self.incident.extend(incident.0.iter().map(|v| flat(incident.1(*v))));
        self.height.clear();
        self.height.extend(incident.0.iter().map(|v| n.dot(&incident.1(*v)) - level));
    }

    fn limit(&self, reach: ManifoldMargin) -> f64 {
        self.height.iter().copied().fold(f64::INFINITY, f64::min) + reach.margin
    }

    /// Adds a point of the manifold unless it is known; returns whether it is new.
    fn is_new(&mut self, point: Vector2<f64>, height: f64, reach: ManifoldMargin) -> bool {
        let near = COINCIDENT_POINTS * reach.size;
        let is_near = |known: &(Vector2<f64>, f64)| (known.0 - point).norm() <= near;
        let known = if self.found.len() <= MAX_POINTS {
            self.found.iter().any(is_near)
        } else {
            self.fill_cells(near);
            let at = cell_of(&point, near);
            (0..9).any(|k| {
                let there = self.cells.get(&[at[0] + k % 3 - 1, at[1] + k / 3 - 1]);
                there.is_some_and(|list| list.iter().any(|i| is_near(&self.found[*i])))
            })
        };
        if !known {
            self.found.push((point, height));
        }
        !known
    }

    /// Sorts the points that are not yet in cells into cells.
    fn fill_cells(&mut self, near: f64) {
        for k in self.n_sorted..self.found.len() {
            self.cells.entry(cell_of(&self.found[k].0, near)).or_default().push(k);
        }
        self.n_sorted = self.found.len();
    }

    /// Takes the corners of the incident polygon inside the reference polygon.
    fn corners(&mut self, reach: ManifoldMargin, mut take: impl FnMut(usize)) {
        let limit = self.limit(reach);
        for i in 0..self.incident.len() {
            let point = self.incident[i];
            if self.height[i] <= limit
                && is_inside(&self.reference, &point, 1.0, OUTLINE_MARGIN * reach.size)
                && self.is_new(point, self.height[i], reach)
            {
                take(i);
            }
        }
    }

    /// Takes the corners of the reference polygon under the incident one, whose outer normal has −`facing`
    /// along the axis.
    fn covered(&mut self, reach: ManifoldMargin, facing: f64, mut take: impl FnMut(usize)) {
        if facing < SAME_FACE_COSINE {
            return;
        }
        let (limit, slope) = (self.limit(reach), self.slope());
        for i in 0..self.reference.len() {
            let point = self.reference[i];
            let height = self.height[0] + slope.dot(&(point - self.incident[0]));
            // Seen along the axis, the incident polygon runs clockwise.
            if is_inside(&self.incident, &point, -1.0, OUTLINE_MARGIN * reach.size)
                && height <= limit
                && self.is_new(point, height, reach)
            {
                take(i);
            }
        }
    }

    /// Slope of the plane of the incident polygon over the reference face.
    fn slope(&self) -> Vector2<f64> {
        let n = self.incident.len();
        let (p0, h0) = (self.incident[0], self.height[0]);
        let (mut slope, mut largest) = (Vector2::zeros(), 0.0);
        for k in 1..n - 1 {
            let (e, f) = (self.incident[k] - p0, self.incident[k + 1] - p0);
            let (de, df) = (self.height[k] - h0, self.height[k + 1] - h0);
            let area = e.perp(&f);
            if area.abs() > largest {
                largest = area.abs();
                slope = Vector2::new(de * f.y - df * e.y, df * e.x - de * f.x) / area;
            }
        }
        slope
    }

    /// Takes the crossings of the reference polygon's side i with the incident one's side j: `take`(i, j,
    /// fraction along side j).
    fn crossings(&mut self, reach: ManifoldMargin, mut take: impl FnMut(usize, usize, f64)) {
        let limit = self.limit(reach);
        let (n, m) = (self.reference.len(), self.incident.len());
        let mut near = std::mem::take(&mut self.near);
        near_sides(&self.reference, &self.incident, &mut near);
        for &(i, j) in &near {
            let (p, q) = (self.reference[i], self.incident[j]);
            let (r, s) = (self.reference[(i + 1) % n] - p, self.incident[(j + 1) % m] - q);
            let area = r.perp(&s);
            let (at, along) = ((q - p).perp(&s), (q - p).perp(&r));
            // Most sides miss each other by far; this test needs no root and no quotient.
            let beyond =
                |x: f64| x * area < -CLEAR_MISS * area * area || x.abs() > (1.0 + CLEAR_MISS) * area.abs();
            if beyond(at) || beyond(along) {
                continue;
            }
            let scale = r.norm() * s.norm();
            if area.abs() <= PARALLEL_SINE * scale {
                continue;
            }
            let (at, along) = (at / area, along / area);
            if !(0.0..=1.0).contains(&at) || !(0.0..=1.0).contains(&along) {
                continue;
            }
            let height = self.height[j] + along * (self.height[(j + 1) % m] - self.height[j]);
            if height <= limit && self.is_new(p + r * at, height, reach) {
                take(i, j, along);
            }
        }
        self.near = near;
    }
}

/// Cell of a grid of this width in which a point lies.
fn cell_of(point: &Vector2<f64>, width: f64) -> [i64; 2] {
    [point.x, point.y].map(|x| (x / width).floor() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only sides that clearly miss each other are left out.
    #[test]
    fn all_sides_that_cross_are_found() {
        let square = |size: f64, angle: f64, center: Vector2<f64>| {
            let corner = |k: usize| {
                let (s, c) = (angle + std::f64::consts::FRAC_PI_2 * k as f64).sin_cos();
                center + Vector2::new(c, s) * size
            };
            (0..4).map(corner).collect::<Vec<_>>()
        };
        let reach = ManifoldMargin { size: 1.0, margin: 1.0 };
        let mut n_found = 0;
        for k in 0..4000 {
            let wave = |a: f64| (a * f64::from(k)).sin();
            // Polygons are aligned, nearly so, or not; corners are on sides, or not.
            let angle = [0.0, 1e-12, 1e-7, 0.3 * wave(1.1)][k as usize % 4];
            let center = Vector2::new((3.0 * wave(1.7)).round(), (3.0 * wave(2.3)).round()) * 0.5
                + Vector2::new(wave(0.3), wave(0.7)) * [0.0, 1e-10, 0.1][k as usize % 3];
            let (reference, mut incident) = (square(1.0, 0.0, Vector2::zeros()), square(1.0, angle, center));
            incident.reverse();
            let crosses = |i: usize, j: usize| {
                let (p, q) = (reference[i], incident[j]);
                let (r, s) = (reference[(i + 1) % 4] - p, incident[(j + 1) % 4] - q);
                let area = r.perp(&s);
                let (at, along) = ((q - p).perp(&s) / area, (q - p).perp(&r) / area);
                let is_parallel = area.abs() <= PARALLEL_SINE * (r.norm() * s.norm());
                let is_on_both = (0.0..=1.0).contains(&at) && (0.0..=1.0).contains(&along);
                (!is_parallel && is_on_both).then_some((i, j, p + r * at, along))
            };
            let mut expected: Vec<(usize, usize, Vector2<f64>, f64)> = Vec::new();
            for found in (0..16).filter_map(|k| crosses(k / 4, k % 4)) {
                if expected.iter().all(|known| (known.2 - found.2).norm() > COINCIDENT_POINTS) {
                    expected.push(found);
                }
            }
            let height = vec![0.0; 4];
            let mut clip = ClipWorkspace {
                reference: reference.clone(),
                incident: incident.clone(),
                height,
                ..ClipWorkspace::default()
            };
            let mut found = Vec::new();
            clip.crossings(reach, |i, j, along| found.push((i, j, along)));
            let expected: Vec<_> = expected.into_iter().map(|(i, j, _, along)| (i, j, along)).collect();
            assert_eq!(found, expected, "{k}");
            n_found += found.len();
        }
        assert!(n_found > 4000, "{n_found}");
    }
}
