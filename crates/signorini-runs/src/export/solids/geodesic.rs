//! Sphere of triangles that are nearly equal: an icosahedron whose sides are divided, with all corners moved
//! onto the sphere.

use super::facets::Facets;
use nalgebra::Vector3;
use std::array::from_fn;

/// Corners of the icosahedron's faces, counter-clockwise from outside.
const FACES: [[usize; 3]; 20] = [
    [0, 1, 8],
    [0, 10, 1],
    [0, 4, 5],
    [0, 8, 4],
    [0, 5, 10],
    [1, 7, 6],
    [1, 6, 8],
    [1, 10, 7],
    [2, 9, 3],
    [2, 3, 11],
    [2, 5, 4],
    [2, 4, 9],
    [2, 11, 5],
    [3, 6, 7],
    [3, 9, 6],
    [3, 7, 11],
    [4, 8, 9],
    [5, 11, 10],
    [6, 9, 8],
    [7, 10, 11],
];

/// Makes the unit sphere with each side of the icosahedron divided into `frequency` parts: 20 f² triangles.
///
/// The circle through the corners of a triangle has a radius below 0.764 / f. Where f is even, the ends of
/// the axes are corners.
pub fn sphere(frequency: usize) -> Facets {
    let mut maker = Maker { f: frequency, sides: Vec::new(), facets: Facets::default() };
    maker.facets.points = corners().to_vec();
    for face in FACES {
        maker.add(face);
    }
    maker.facets
}

/// The twelve corners: (0, ±1, ±φ) and their cyclic permutations, over their length.
fn corners() -> [Vector3<f64>; 12] {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let length = 1.0_f64.hypot(golden);
    let (a, b) = (1.0 / length, golden / length);
    from_fn(|i| {
        let (s, t) = (if i & 1 == 0 { a } else { -a }, if i & 2 == 0 { b } else { -b });
        match i / 4 {
            0 => Vector3::new(0.0, s, t),
            1 => Vector3::new(s, t, 0.0),
            _ => Vector3::new(t, 0.0, s),
        }
    })
}

struct Maker {
    f: usize,
    /// Sides that have their points, by their ends, smaller first, and the index of the first of the points.
    sides: Vec<([usize; 2], usize)>,
    facets: Facets,
}

impl Maker {
    /// Adds the triangles of a face of the icosahedron.
    fn add(&mut self, face: [usize; 3]) {
        let f = self.f;
        let [a, b, c] = face.map(|k| self.facets.points[k]);
        let sides = [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]].map(|ends| self.side(ends));
        let inside = self.facets.points.len();
        for i in 1..f {
            for j in 1..f - i {
                let [wa, wb, wc] = [f - i - j, i, j].map(|w| w as f64);
                self.facets.points.push((a * wa + b * wb + c * wc).normalize());
            }
        }
        // Point i of the way from A to B and j of the way from A to C.
        let at = |i: usize, j: usize| match (f - i - j, i, j) {
            (_, 0, 0) => face[0],
            (0, _, 0) => face[1],
            (0, 0, _) => face[2],
            (_, _, 0) => sides[0](i),
            (0, _, _) => sides[1](j),
            (k, 0, _) => sides[2](k),
            // Row i has f − i − 1 points inside.
            _ => inside + (i - 1) * (f - 1) - i * (i - 1) / 2 + j - 1,
        };
        let triangles = &mut self.facets.triangles;
        for i in 0..f {
            for j in 0..f - i {
                triangles.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                if i + j + 1 < f {
                    triangles.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                }
            }
        }
    }

    /// Returns the index of point k of a side, 0 < k < f, counted from the first of its ends.
    fn side(&mut self, [from, to]: [usize; 2]) -> impl Fn(usize) -> usize + use<> {
        let f = self.f;
        let ends = [from.min(to), from.max(to)];
        let known = self.sides.iter().find(|(other, _)| *other == ends).map(|(_, first)| *first);
        let first = known.unwrap_or_else(|| {
            let first = self.facets.points.len();
            let [a, b] = ends.map(|k| self.facets.points[k]);
            let point = |k: usize| (a * (f - k) as f64 + b * k as f64).normalize();
            self.facets.points.extend((1..f).map(point));
            self.sides.push((ends, first));
            first
        });
        move |k| first + if from < to { k } else { f - k } - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_through_corners_are_small() {
        for f in [1, 2, 3, 4, 7, 16, 40] {
            let ball = sphere(f);
            assert_eq!((ball.points.len(), ball.triangles.len()), (10 * f * f + 2, 20 * f * f));
            assert!(ball.is_closed());
            let radius = |t: &[usize; 3]| {
                let [a, b, c] = t.map(|k| ball.points[k]);
                let (u, v) = (b - a, c - a);
                let across = u.cross(&v);
                assert!(across.dot(&(a + b + c)) > 0.0, "inwards");
                u.norm() * v.norm() * (u - v).norm() / (2.0 * across.norm())
            };
            let worst = ball.triangles.iter().map(radius).fold(0.0, f64::max);
            assert!(worst * (f as f64) < 0.764, "{f}: {worst}");
            for axis in 0..3 {
                let reach = ball.points.iter().fold(0.0, |m: f64, p| m.max(p[axis]));
                assert!(f % 2 == 1 || (reach - 1.0).abs() < 1e-15);
            }
        }
    }
}
