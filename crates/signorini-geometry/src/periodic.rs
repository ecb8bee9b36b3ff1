//! A box that repeats itself along one to three of the world axes.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// A copy of a body: so many lengths of the box along each axis from the body itself. 0 along axes that do
/// not repeat.
pub type Image = [i32; 3];

/// The image that is the body itself.
pub const ITSELF: Image = [0; 3];

/// Images of a box are searched within this many lengths about its centre. A body that moves further in a
/// step may be missed by this, which the referee reports.
const FARTHEST: f64 = 1.5;
/// A part of a length that is rounding.
const ROUNDING: f64 = 1e-9;

/// A periodic box: a body at x is at x + L, too, with the length L = max − min along each axis that repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PeriodicBox {
    /// Its least and largest coordinate along each axis (m); None along those that do not repeat.
    pub spans: [Option<[f64; 2]>; 3],
}

impl PeriodicBox {
    /// L along an axis (m), where it repeats.
    pub fn length(&self, axis: usize) -> Option<f64> {
        self.spans[axis].map(|[low, high]| high - low)
    }

    /// Axes that repeat, with their lengths (m).
    pub fn lengths(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        (0..3).filter_map(|axis| Some((axis, self.length(axis)?)))
    }

    /// This periodic box, beginning at a corner.
    pub fn from(&self, corner: &Vector3<f64>) -> Self {
        let span = |axis: usize| self.length(axis).map(|length| [corner[axis], corner[axis] + length]);
        Self { spans: std::array::from_fn(span) }
    }

    /// Displacement of an image from the body itself (m).
    pub fn shift(&self, image: Image) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.length(axis).map_or(0.0, |length| f64::from(image[axis]) * length))
    }

    /// The image of the box that a place is in: ⌊(x − min)/L⌋ along each axis that repeats.
    pub fn image_of(&self, place: &Vector3<f64>) -> Image {
        std::array::from_fn(|axis| {
            let cell = |[low, high]: [f64; 2]| ((place[axis] - low) / (high - low)).floor() as i32;
            self.spans[axis].map_or(0, cell)
        })
    }

    /// The place in the box itself of which `place` is an image (m).
    pub fn wrapped(&self, place: &Vector3<f64>) -> Vector3<f64> {
        let back = self.shift(self.image_of(place));
        // The coordinates of a place in the box stay, bit for bit.
        Vector3::from_fn(|axis, _| if back[axis] == 0.0 { place[axis] } else { place[axis] - back[axis] })
    }

    /// First and last image, along each axis, of a body that fills the box from `low` to `high` (m) that
    /// extend into the periodic box. Only the body itself where they are no numbers.
    pub fn images(&self, low: &Vector3<f64>, high: &Vector3<f64>) -> [Image; 2] {
        let ends = [0, 1].map(|k| Vector3::from_fn(|axis, _| self.spans[axis].map_or(0.0, |ends| ends[k])));
        self.images_in([low, high], &ends)
    }

    /// First and last image, along each axis, of a body in a box that extend into another box.
    pub fn images_in(&self, [low, high]: [&Vector3<f64>; 2], into: &[Vector3<f64>; 2]) -> [Image; 2] {
        let mut range = [ITSELF; 2];
        for (axis, length) in self.lengths() {
            let [min, max] = [into[0][axis], into[1][axis]];
            let middle = 0.5 * (low[axis] + high[axis]);
            let half = (0.5 * (high[axis] - low[axis])).min(FARTHEST * length) + ROUNDING * length;
            if !(middle.is_finite() && half.is_finite()) {
                continue;
            }
            range[0][axis] = ((min - middle - half) / length).ceil() as i32;
            range[1][axis] = ((max - middle + half) / length).floor() as i32;
        }
        range
    }
}

/// The image of B as A sees it, where both are taken as images.
pub fn between(a: Image, b: Image) -> Image {
    std::array::from_fn(|axis| b[axis].saturating_sub(a[axis]))
}

/// All images of a range along each axis.
pub fn all_of([first, last]: [Image; 2]) -> impl Iterator<Item = Image> {
    (first[0]..=last[0]).flat_map(move |x| {
        (first[1]..=last[1]).flat_map(move |y| (first[2]..=last[2]).map(move |z| [x, y, z]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHEET: PeriodicBox = PeriodicBox { spans: [Some([-1.0, 2.0]), None, Some([0.0, 0.5])] };

    #[test]
    fn places_are_wrapped_into_the_box() {
        for (place, image, wrapped) in [
            ([0.0, 7.0, 0.25], [0, 0, 0], [0.0, 7.0, 0.25]),
            ([2.0, 7.0, 0.5], [1, 0, 1], [-1.0, 7.0, 0.0]),
            ([-1.5, -7.0, -0.75], [-1, 0, -2], [1.5, -7.0, 0.25]),
            ([32.0, 0.0, 0.0], [11, 0, 0], [-1.0, 0.0, 0.0]),
        ] {
            let place = Vector3::from(place);
            assert_eq!(SHEET.image_of(&place), image);
            assert_eq!(SHEET.wrapped(&place), Vector3::from(wrapped));
            assert_eq!(SHEET.wrapped(&place) + SHEET.shift(image), place);
        }
    }

    #[test]
    fn images_that_reach_into_the_box_are_found() {
        let images = |low: [f64; 3], high: [f64; 3]| {
            all_of(SHEET.images(&low.into(), &high.into())).collect::<Vec<_>>()
        };
        assert_eq!(images([0.0, 0.0, 0.1], [1.0, 0.0, 0.2]), [[0, 0, 0]]);
        assert_eq!(images([1.5, 0.0, 0.1], [2.5, 0.0, 0.2]), [[-1, 0, 0], [0, 0, 0]]);
        assert_eq!(images([6.5, 0.0, 0.4], [6.9, 0.0, 0.6]), [[-2, 0, -1], [-2, 0, 0]]);
        assert_eq!(images([f64::NAN; 3], [f64::NAN; 3]), [[0, 0, 0]]);
        // The number of images is bounded, however far a body may move.
        assert!(images([-1e9, 0.0, 0.1], [1e9, 0.0, 0.2]).len() <= 5);
    }
}
