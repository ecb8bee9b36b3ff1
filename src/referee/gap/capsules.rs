//! Signed gap of two capsules, or of one and a ball, in closed form.
//!
//! A capsule holds the points within its radius of a line, a ball those of a point. The nearest points of the
//! two lines are at ends, or inside both: then the way between them is across both. The gap is the length of
//! the way less both radii. Lines that cross have the normal across both, and no way.

use crate::referee::placed::PlacedShape;
use nalgebra::Vector3;

/// Lines that enclose a smaller sine are parallel: their nearest points include an end of one.
const PARALLEL: f64 = 1e-12;

/// A line about its middle, and a radius (m).
struct Core {
    center: Vector3<f64>,
    half: Vector3<f64>,
    radius: f64,
}

impl Core {
    fn of(shape: &PlacedShape) -> Option<Self> {
        match shape {
            PlacedShape::Capsule(c) => {
                Some(Self { center: c.center, half: c.axis * c.half_length, radius: c.radius })
            }
            PlacedShape::Ellipsoid(e) => {
                e.radius().map(|radius| Self { center: e.center, half: Vector3::zeros(), radius })
            }
            _ => None,
        }
    }

    /// Part of the way from the middle to an end at which the line is nearest to a point.
    fn nearest(&self, point: &Vector3<f64>) -> f64 {
        let square = self.half.norm_squared();
        if square == 0.0 { 0.0 } else { (self.half.dot(&(point - self.center)) / square).clamp(-1.0, 1.0) }
    }

    fn at(&self, part: f64) -> Vector3<f64> {
        self.center + self.half * part
    }
}

/// Signed gap (m) with the normal from A into B; None unless both are capsules or balls, and one a capsule.
pub fn signed_gap(a: &PlacedShape, b: &PlacedShape) -> Option<(f64, Vector3<f64>)> {
    let is_capsule = |shape: &PlacedShape| matches!(shape, PlacedShape::Capsule(_));
    if !is_capsule(a) && !is_capsule(b) {
        return None;
    }
    let (a, b) = (Core::of(a)?, Core::of(b)?);
    let mut shortest = (f64::INFINITY, Vector3::zeros());
    let mut see = |way: Vector3<f64>| {
        let length = way.norm();
        // A NaN must be returned.
        if length < shortest.0 || length.is_nan() {
            shortest = (length, way);
        }
    };
    for end in [-1.0, 1.0] {
        see(b.at(b.nearest(&a.at(end))) - a.at(end));
        see(b.at(end) - a.at(a.nearest(&b.at(end))));
    }
    let across = a.half.cross(&b.half);
    let is_crossed = across.norm() > PARALLEL * a.half.norm() * b.half.norm();
    if is_crossed {
        let (apart, square) = (b.center - a.center, across.norm_squared());
        let s = apart.cross(&b.half).dot(&across) / square;
        let t = apart.cross(&a.half).dot(&across) / square;
        if s.abs() <= 1.0 && t.abs() <= 1.0 {
            let normal = across.normalize();
            let height = normal.dot(&apart);
            let n = if height < 0.0 { -normal } else { normal };
            return Some((height.abs() - a.radius - b.radius, n));
        }
    }
    let (length, way) = shortest;
    // An end of one line on the other leaves the way across both.
    let any = || match is_crossed {
        true => across.normalize(),
        false => {
            let along = if a.half.norm() > 0.0 { a.half } else { b.half };
            along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize()
        }
    };
    Some((length - a.radius - b.radius, way.try_normalize(0.0).unwrap_or_else(any)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::gap::round;
    use crate::referee::placed::separation_along;
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;
    use signorini_geometry::{Pose, Shape};

    /// Any normal bounds the gap from below: the closed form is along its own, and a search finds no wider
    /// separation.
    #[test]
    fn the_closed_form_is_what_a_search_finds() {
        let mut random = Pcg64::seed_from_u64(3);
        let mut overlaps = 0;
        for k in 0..300 {
            let mut three = |half: f64| Vector3::from_fn(|_, _| random.random_range(-half..half));
            let turns = [0, 1].map(|_| UnitQuaternion::from_scaled_axis(three(2.0)));
            let places = [0.1, 0.5].map(&mut three);
            let other = match k % 3 {
                0 => Shape::Ellipsoid { semi_axes: Vector3::repeat(0.2) },
                _ => Shape::Capsule { radius: 0.05, half_length: 0.4 },
            };
            // Every third pair is parallel.
            let turns = if k % 3 == 2 { [turns[0]; 2] } else { turns };
            let shapes = [Shape::Capsule { radius: 0.1, half_length: 0.3 }, other];
            let placed = |i: usize| {
                let pose = Pose { position: places[i], orientation: turns[i] };
                PlacedShape::new(&shapes[i], &Pose::identity(), &pose)
            };
            let [first, second] = [0, 1].map(placed);
            for (a, b) in [(&first, &second), (&second, &first)] {
                let (gap, n) = signed_gap(a, b).unwrap();
                assert!((separation_along(a, b, &n) - gap).abs() < 1e-14, "case {k}");
                let (searched, _) = round::signed_gap(a, b, None);
                assert!((gap - searched).abs() < 1e-9 && gap > searched - 1e-13, "{k}: {gap}, {searched}");
                overlaps += usize::from(gap < 0.0);
            }
        }
        assert!((30..300).contains(&overlaps), "{overlaps}");
    }
}
