//! A box in a periodic scene: the images of the box count as the box.

use nalgebra::Vector3;
use signorini_geometry::periodic::{ITSELF, all_of};
use signorini_geometry::{Image, PeriodicBox};
use signorini_scene::scene::measure::Region;

/// A box as long as a period, to this fraction of it, has no faces there.
const PERIOD_TOLERANCE: f64 = 1e-9;

/// A box and its images.
#[derive(Debug, Clone, Copy)]
pub struct PeriodicRegion {
    /// The box, without an end along axes along which it is as long as the period.
    pub region: Region,
    /// One period from the lowest corner on, along axes along which it has faces.
    periodic: Option<PeriodicBox>,
}

impl PeriodicRegion {
    /// The periodic region of a scene.
    pub fn new(region: &Region, periodic: Option<&PeriodicBox>) -> Self {
        let (mut open, mut spans) = (*region, [None; 3]);
        for (axis, length) in periodic.iter().flat_map(|periodic| periodic.lengths()) {
            let low = region.low[axis];
            if region.high[axis] - low >= length * (1.0 - PERIOD_TOLERANCE) {
                (open.low[axis], open.high[axis]) = (f64::NEG_INFINITY, f64::INFINITY);
            } else {
                spans[axis] = Some([low, low + length]);
            }
        }
        let repeats = spans.iter().any(Option::is_some);
        Self { region: open, periodic: repeats.then_some(PeriodicBox { spans }) }
    }

    /// Whether an image of a point is in the box.
    pub fn contains(&self, point: &Vector3<f64>) -> bool {
        match &self.periodic {
            Some(periodic) => self.region.contains(&periodic.wrapped(point)),
            None => self.region.contains(point),
        }
    }

    /// Displacements (m) of those images of a body's box, given by its lowest and highest corner, that extend
    /// into this one.
    pub fn image_shifts(
        &self,
        corners: [&Vector3<f64>; 2],
    ) -> impl Iterator<Item = Option<Vector3<f64>>> + use<> {
        let into = [self.region.low, self.region.high];
        let periodic = self.periodic;
        let range = periodic.map_or([ITSELF; 2], |periodic| periodic.images_in(corners, &into));
        let way = move |image: Image| periodic.filter(|_| image != ITSELF).map(|p| p.shift(image));
        all_of(range).map(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_holds_what_its_images_hold() {
        let periodic = PeriodicBox { spans: [Some([0.0, 1.0]), Some([0.0, 1.0]), None] };
        let region = Region { low: Vector3::new(0.8, 0.0, 0.0), high: Vector3::new(1.1, 1.0, 1.0) };
        let periodic_region = PeriodicRegion::new(&region, Some(&periodic));
        for (point, is_inside) in [
            ([0.9, 0.5, 0.5], true),
            ([0.05, 7.5, 0.5], true),
            ([-0.15, 0.5, 0.5], true),
            ([0.2, 0.5, 0.5], false),
            ([0.9, 0.5, 1.5], false),
        ] {
            assert_eq!(periodic_region.contains(&point.into()), is_inside, "{point:?}");
        }
        let image_shifts = |low: [f64; 3], high: [f64; 3]| {
            periodic_region.image_shifts([&low.into(), &high.into()]).collect::<Vec<_>>()
        };
        assert_eq!(image_shifts([0.85, -3.0, 0.1], [0.9, -2.9, 0.2]), [None]);
        assert_eq!(image_shifts([0.0, 0.0, 0.1], [0.05, 0.1, 0.2]), [Some(Vector3::x())]);
        assert!(image_shifts([0.3, 0.0, 0.1], [0.5, 0.1, 0.2]).is_empty());
    }
}
