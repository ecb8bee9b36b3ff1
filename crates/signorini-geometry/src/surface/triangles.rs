//! Triangles as an oriented surface.

use crate::hull::welded;
use nalgebra::Vector3;
use std::collections::HashSet;

/// Corners nearer than this fraction of the surface's radius are one: digits of single precision.
const SAME_CORNER: f64 = 1e-7;
/// A triangle lower than this fraction of its longest side has no area.
const NO_HEIGHT: f64 = 1e-7;
/// Triangles lower than so many times the rounding of their corners have rounding for normals.
const SLIVER: f64 = 1e3;

/// An oriented surface of triangles that look out of a solid, and how thick the solid is behind them.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Surface {
    /// Corners (m).
    pub points: Vec<Vector3<f64>>,
    /// Corners of each triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[usize; 3]>,
    /// Thickness (m), > 0.
    pub thickness: f64,
}

/// Triangles that were left out before a surface was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Triangles without an area, left out.
    pub flat: usize,
    /// Triangles that were there before, left out.
    pub repeated: usize,
}

/// The reason why triangles are no surface. Triangles are counted from 0, as they were given.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SurfaceFault {
    /// An index that names no corner.
    #[error("triangle {0} has a corner that is not among the vertices")]
    NoCorner(usize),
    /// A coordinate is infinite or not a number.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// No triangle is left.
    #[error("no triangle has an area")]
    Nothing,
    /// Two triangles run along a side in the same direction.
    #[error(
        "triangles {0} and {1} run along their common side in the same direction: turn one of them round, and \
         where more than two triangles meet at a side take the surface apart there"
    )]
    Winding(usize, usize),
    /// The surface is folded onto itself.
    #[error("the triangles around a corner of triangle {0} look in all directions: no place is behind them")]
    Folded(usize),
    /// A triangle is so thin that it has no sides.
    #[error("triangle {0} is so thin that its sides are rounding: leave it out")]
    Sliver(usize),
    /// A triangle lies in the cell of another, however thin.
    #[error("triangle {1} cuts triangle {0}, or lies on it from behind")]
    Cut(usize, usize),
}

impl SurfaceFault {
    /// This fault with the triangles numbered as they were given.
    pub fn numbered(self, given: &[usize]) -> Self {
        match self {
            Self::Winding(a, b) => Self::Winding(given[a], given[b]),
            Self::Folded(a) => Self::Folded(given[a]),
            Self::Sliver(a) => Self::Sliver(given[a]),
            Self::Cut(a, b) => Self::Cut(given[a], given[b]),
            other => other,
        }
    }
}

impl Surface {
    /// A surface, once corners that coincide are one and triangles that say nothing are left out. The second
    /// are the triangles that are left, as they were given.
    ///
    /// # Errors
    /// When a triangle has no such corner, or none has an area.
    pub fn new(
        points: &[Vector3<f64>],
        triangles: &[[usize; 3]],
        thickness: f64,
    ) -> Result<(Self, Vec<usize>, Repairs), SurfaceFault> {
        if let Some(i) = triangles.iter().position(|t| t.iter().any(|v| *v >= points.len())) {
            return Err(SurfaceFault::NoCorner(i));
        }
        if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(SurfaceFault::NotFinite(i));
        }
        let same = welded(points, SAME_CORNER * radius(points));
        let (mut repairs, mut known, mut kept, mut given) =
            (Repairs::default(), HashSet::with_capacity(triangles.len()), Vec::new(), Vec::new());
        for (i, t) in triangles.iter().enumerate() {
            let mut t = t.map(|v| same[v]);
            if has_no_height(&t.map(|v| points[v])) {
                repairs.flat += 1;
                continue;
            }
            let least = (0..3).min_by_key(|k| t[*k]).unwrap_or(0);
            t.rotate_left(least);
            if !known.insert(t) {
                repairs.repeated += 1;
                continue;
            }
            kept.push(t);
            given.push(i);
        }
        if kept.is_empty() {
            return Err(SurfaceFault::Nothing);
        }
        // Corners that are left, in their order.
        let mut place = vec![usize::MAX; points.len()];
        kept.iter().flatten().for_each(|v| place[*v] = 0);
        let used: Vec<usize> = (0..points.len()).filter(|v| place[*v] == 0).collect();
        used.iter().enumerate().for_each(|(k, v)| place[*v] = k);
        let points = used.iter().map(|v| points[*v]).collect();
        let triangles = kept.iter().map(|t| t.map(|v| place[v])).collect();
        Ok((Self { points, triangles, thickness }, given, repairs))
    }

    /// The corners of a triangle (m).
    pub(super) fn corners(&self, triangle: usize) -> [Vector3<f64>; 3] {
        self.triangles[triangle].map(|v| self.points[v])
    }

    /// Length (m) to which the corners of the surface are known: that within which they are one.
    pub(super) fn rounding(&self) -> f64 {
        SAME_CORNER * radius(&self.points)
    }

    /// Whether a triangle is so low that its normal is rounding of its corners.
    pub(super) fn is_sliver(&self, triangle: usize) -> bool {
        let [a, b, c] = self.corners(triangle);
        let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
        (b - a).cross(&(c - a)).norm() < SLIVER * self.rounding() * longest
    }

    /// The outer unit normal of a triangle.
    pub(super) fn normal(&self, triangle: usize) -> Vector3<f64> {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(&(c - a)).normalize()
    }
}

/// Half the diagonal of the box around points (m).
fn radius(points: &[Vector3<f64>]) -> f64 {
    let first = points.first().copied().unwrap_or_default();
    let (low, high) = points.iter().fold((first, first), |(l, h), p| (l.inf(p), h.sup(p)));
    (high - low).norm() / 2.0
}

fn has_no_height([a, b, c]: &[Vector3<f64>; 3]) -> bool {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    let twice_area = (b - a).cross(&(c - a)).norm();
    twice_area <= NO_HEIGHT * longest * longest
}
