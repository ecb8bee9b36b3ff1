//! Cells of a box, or of a cylinder.

use super::region::Region;
use super::tube::Tube;
use nalgebra::{Matrix3, Vector3};
use serde::{Deserialize, Serialize};
use signorini_geometry::PeriodicBox;
use std::f64::consts::{PI, TAU};

/// The world's x is taken across an axis whose component along it is at most this.
const STEEP: f64 = 0.9;

/// A box or a cylinder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Space {
    /// A box along the world axes.
    Box(Region),
    /// A cylinder, or what is between two.
    Tube(Tube),
}

/// A space that is cut into cells: along x, y and z of a box, or into rings, sectors and slices of a
/// cylinder.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cells {
    /// The space.
    pub space: Space,
    /// Number of cells along each coordinate.
    pub counts: [usize; 3],
}

impl Cells {
    /// Number of all cells.
    pub fn total(&self) -> usize {
        self.counts.iter().product()
    }

    /// Place of a cell along each coordinate, from 0; the last coordinate runs fastest.
    pub fn place(&self, cell: usize) -> [usize; 3] {
        let [_, b, c] = self.counts;
        [cell / (b * c), cell / c % b, cell % c]
    }

    /// Number of the cell at a place.
    pub fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        let [_, b, c] = self.counts;
        (i * b + j) * c + k
    }

    /// Lowest and highest coordinates: x, y, z (m), or distance from the axis (m), angle (rad) and distance
    /// from the middle along the axis (m).
    pub fn ends(&self) -> [[f64; 3]; 2] {
        match &self.space {
            Space::Box(region) => [region.low.into(), region.high.into()],
            Space::Tube(t) => [[t.inner, 0.0, -t.half_length], [t.outer, TAU, t.half_length]],
        }
    }

    /// Lowest and highest coordinates of the cell at a place.
    pub fn ends_at(&self, place: [usize; 3]) -> [[f64; 3]; 2] {
        let [low, high] = self.ends();
        [0, 1].map(|one| {
            std::array::from_fn(|axis| {
                let fraction = (place[axis] + one) as f64 / self.counts[axis] as f64;
                low[axis] + (high[axis] - low[axis]) * fraction
            })
        })
    }

    /// Volume of the cell at a place (m³).
    pub fn volume(&self, place: [usize; 3]) -> f64 {
        let [low, high] = self.ends_at(place);
        let lengths: [f64; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
        let mean_radius = 0.5 * (low[0] + high[0]);
        let whole: f64 = lengths.iter().product();
        if matches!(self.space, Space::Tube(_)) { whole * mean_radius } else { whole }
    }

    /// Coordinates of a point, or of that image of it that is in the period that begins with a box, or about
    /// a cylinder.
    pub fn coordinates(&self, point: &Vector3<f64>, periodic: Option<&PeriodicBox>) -> [f64; 3] {
        match &self.space {
            Space::Box(region) => {
                periodic.map_or(*point, |periodic| periodic.from(&region.low).wrapped(point)).into()
            }
            Space::Tube(tube) => {
                let way = near(tube, point, periodic);
                let along = tube.axis.dot(&way);
                let radius = (way - tube.axis * along).norm();
                // A single sector holds every angle.
                let phi = if self.counts[1] > 1 { angle(&frame(&tube.axis), &way) } else { PI };
                [radius, phi, along]
            }
        }
    }

    /// The cell that a point is in, or an image of it.
    pub fn cell_at(&self, point: &Vector3<f64>, periodic: Option<&PeriodicBox>) -> Option<usize> {
        let (at, [low, high]) = (self.coordinates(point, periodic), self.ends());
        let mut place = [0; 3];
        for axis in 0..3 {
            if !(low[axis]..=high[axis]).contains(&at[axis]) {
                return None;
            }
            let fraction = (at[axis] - low[axis]) / (high[axis] - low[axis]);
            place[axis] = ((fraction * self.counts[axis] as f64) as usize).min(self.counts[axis] - 1);
        }
        Some(self.number(place))
    }

    /// Unit vectors along the coordinates at a point, as rows: those of the world in a box; outwards, around
    /// and along the axis of a cylinder.
    pub fn axes_at(&self, point: &Vector3<f64>, periodic: Option<&PeriodicBox>) -> Matrix3<f64> {
        let Space::Tube(tube) = &self.space else { return Matrix3::identity() };
        let [e, _, axis] = frame(&tube.axis);
        let way = near(tube, point, periodic);
        let across = way - axis * axis.dot(&way);
        let out = across.try_normalize(0.0).unwrap_or(e);
        let around = axis.cross(&out);
        Matrix3::from_rows(&[out.transpose(), around.transpose(), axis.transpose()])
    }
}

/// Two unit vectors across an axis, and the axis, right-handed: the first is the world's x across the axis,
/// or y where the axis is nearly x.
pub fn frame(axis: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let helper = if axis.x.abs() <= STEEP { Vector3::x() } else { Vector3::y() };
    let e = (helper - axis * axis.dot(&helper)).normalize();
    [e, axis.cross(&e), *axis]
}

/// From the middle of a cylinder to a point, or to the nearest image of it.
pub fn near(tube: &Tube, point: &Vector3<f64>, periodic: Option<&PeriodicBox>) -> Vector3<f64> {
    let mut way = point - tube.center;
    for (axis, length) in periodic.iter().flat_map(|periodic| periodic.lengths()) {
        way[axis] -= length * (way[axis] / length).round();
    }
    way
}

/// Angle about the axis from 0 to 2π.
fn angle([e, f, _]: &[Vector3<f64>; 3], way: &Vector3<f64>) -> f64 {
    let phi = f.dot(way).atan2(e.dot(way));
    if phi < 0.0 { phi + TAU } else { phi }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_in_the_cells_that_hold_them() {
        let region = Region { low: Vector3::new(-1.0, 0.0, 0.0), high: Vector3::new(1.0, 1.0, 3.0) };
        let grid = Cells { space: Space::Box(region), counts: [4, 1, 3] };
        assert_eq!(grid.cell_at(&Vector3::new(-0.3, 0.5, 2.5), None).map(|c| grid.place(c)), Some([1, 0, 2]));
        assert_eq!(grid.cell_at(&Vector3::new(1.0, 1.0, 3.0), None), Some(grid.number([3, 0, 2])));
        assert_eq!(grid.cell_at(&Vector3::new(1.1, 1.0, 3.0), None), None);
        let periodic = PeriodicBox { spans: [Some([-1.0, 1.0]), None, None] };
        assert_eq!(grid.cell_at(&Vector3::new(1.1, 1.0, 3.0), Some(&periodic)), Some(grid.number([0, 0, 2])));

        let tube = Tube {
            center: Vector3::new(1.0, 2.0, 3.0),
            axis: Vector3::z(),
            half_length: 0.5,
            inner: 0.5,
            outer: 1.5,
        };
        let rings = Cells { space: Space::Tube(tube), counts: [2, 4, 1] };
        let at = |x: f64, y: f64| {
            rings.cell_at(&Vector3::new(1.0 + x, 2.0 + y, 3.2), None).map(|c| rings.place(c))
        };
        assert_eq!(at(0.7, 0.1), Some([0, 0, 0]));
        assert_eq!(at(-0.1, 1.3), Some([1, 1, 0]));
        assert_eq!(at(0.1, -1.3), Some([1, 3, 0]));
        assert_eq!(at(0.2, 0.2), None);
        // A quarter of π (1.5² − 1²) and of π (1² − 0.5²).
        let volumes = [[0, 1, 0], [1, 1, 0]].map(|place| rings.volume(place));
        assert!((volumes[0] - 0.1875 * PI).abs() < 1e-12 && (volumes[1] - 0.3125 * PI).abs() < 1e-12);
        let axes = rings.axes_at(&Vector3::new(1.0, 3.0, 3.0), None);
        assert!((axes.row(0).transpose() - Vector3::y()).norm() < 1e-12);
        assert!((axes.row(1).transpose() + Vector3::x()).norm() < 1e-12);
    }
}
