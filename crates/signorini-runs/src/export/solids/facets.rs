//! Triangles with common corners.

use nalgebra::Vector3;
use signorini_geometry::Pose;

/// Triangles with common corners.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facets {
    /// Corners (m).
    pub points: Vec<Vector3<f64>>,
    /// Indices of the corners, counter-clockwise from outside.
    pub triangles: Vec<[usize; 3]>,
}

impl Facets {
    /// Volume by the divergence theorem (m³).
    pub fn volume(&self) -> f64 {
        let middle = self.points.iter().sum::<Vector3<f64>>() / self.points.len().max(1) as f64;
        let corners = self.triangles.iter().map(|t| t.map(|k| self.points[k] - middle));
        corners.map(|[a, b, c]| a.dot(&b.cross(&c))).sum::<f64>() / 6.0
    }

    /// Returns the triangles in the frame in which `pose` is given.
    pub fn placed(&self, pose: &Pose) -> Self {
        let points = self.points.iter().map(|p| pose.point(p)).collect();
        Self { points, triangles: self.triangles.clone() }
    }

    /// Whether each side of a triangle is that of another one, which runs the other way.
    #[cfg(test)]
    pub fn is_closed(&self) -> bool {
        let sides = || self.triangles.iter().flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
        let known: std::collections::BTreeSet<_> = sides().collect();
        known.len() == sides().count() && sides().all(|(a, b)| known.contains(&(b, a)))
    }
}
