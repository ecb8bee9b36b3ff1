//! Triangle meshes.

use nalgebra::{Matrix3, Vector3};
use signorini_geometry::hull::welded;
use std::collections::HashMap;

/// Vertices nearer than this fraction of the mesh's radius are one when it is asked whether the mesh is
/// closed: single precision and rounded digits.
const SAME_VERTEX: f64 = 1e-6;

/// A surface of triangles, in the file's units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Triangles {
    /// Vertices; of .stl files, three for each triangle.
    pub points: Vec<Vector3<f64>>,
    /// Indices of vertices.
    pub triangles: Vec<[usize; 3]>,
}

impl Triangles {
    /// Volume (units³) inside the surface: the sum of the signed tetrahedra between the triangles and a
    /// point.
    pub fn volume(&self) -> f64 {
        let middle = self.points.iter().sum::<Vector3<f64>>() / self.points.len().max(1) as f64;
        let corners = self.triangles.iter().map(|t| t.map(|i| self.points[i] - middle));
        // The sign depends on the way the triangles run.
        corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum::<f64>().abs()
    }

    /// Volume (units³), centre of mass (units), and ∫ x xᵀ dV about it (units⁵) of the solid.
    pub fn moments(&self) -> (f64, Vector3<f64>, Matrix3<f64>) {
        let middle = self.points.iter().sum::<Vector3<f64>>() / self.points.len().max(1) as f64;
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        for [a, b, c] in self.triangles.iter().map(|t| t.map(|i| self.points[i] - middle)) {
            let (six, sum) = (a.dot(&b.cross(&c)), a + b + c);
            volume += six / 6.0;
            first += sum * (six / 24.0);
            let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
            second += (sum * sum.transpose() + squares) * (six / 120.0);
        }
        let arm = first / volume;
        // The sign depends on the way the triangles run.
        let about = (second - arm * arm.transpose() * volume) * volume.signum();
        (volume.abs(), middle + arm, about)
    }

    /// The mesh times a factor along each axis; one that is mirrored is turned inside out.
    pub fn scaled(self, scale: &Vector3<f64>) -> Self {
        let is_mirrored = scale.product() < 0.0;
        let turned = |t: [usize; 3]| if is_mirrored { [t[0], t[2], t[1]] } else { t };
        Self {
            points: self.points.into_iter().map(|p| p.component_mul(scale)).collect(),
            triangles: self.triangles.into_iter().map(turned).collect(),
        }
    }

    /// Of each vertex the first one at its place.
    pub fn one_vertices(&self) -> Vec<usize> {
        let first = self.points.first().copied().unwrap_or_default();
        let (low, high) = self.points.iter().fold((first, first), |(l, h), p| (l.inf(p), h.sup(p)));
        welded(&self.points, SAME_VERTEX * (high - low).norm() / 2.0)
    }

    /// Sides of triangles without one that runs the other way.
    pub fn n_open_sides(&self) -> usize {
        let vertex = self.one_vertices();
        let mut balance: HashMap<(usize, usize), i64> = HashMap::new();
        for t in &self.triangles {
            let t = t.map(|i| vertex[i]);
            for (from, to) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])].into_iter().filter(|(a, b)| a != b) {
                *balance.entry((from.min(to), from.max(to))).or_default() += if from < to { 1 } else { -1 };
            }
        }
        balance.values().filter(|n| **n != 0).count()
    }
}
