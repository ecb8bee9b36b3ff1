//! Volume of a body in a box.

use super::ball;
use nalgebra::Vector3;
use signorini_geometry::bounds::bounds;
use signorini_geometry::mass_properties::volume;
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::measure::Region;
use std::cmp::Ordering;

/// Chords along y and along z in the box about a body that the region cuts.
const CHORDS: usize = 24;

/// Volume of a shape at a pose that is in a region (m³): all or nothing where the box about the shape, along
/// the world axes, is inside or outside; exact for a ball, and for an ellipsoid that one face cuts; else by
/// the fraction of chords that is in the region.
pub fn volume_inside(shape: &Shape, pose: &Pose, region: &Region) -> f64 {
    let Some(whole) = volume(shape) else { return 0.0 };
    let (low, high) = bounds(shape, pose);
    if (region.low - high).max() >= 0.0 || (low - region.high).max() >= 0.0 {
        return 0.0;
    }
    let cuts: Vec<(usize, f64)> = (0..3)
        .flat_map(|k| [(k, region.low[k], 1.0), (k, region.high[k], -1.0)])
        .filter(|(k, at, _)| low[*k] < *at && *at < high[*k])
        // Distance of the centre inside the face, in units of the extent of the shape.
        .map(|(k, at, sign)| (k, sign * (pose.position[k] - at) / (0.5 * (high[k] - low[k]))))
        .collect();
    match (cuts.as_slice(), shape) {
        ([], _) => whole,
        (_, Shape::Ellipsoid { semi_axes }) if semi_axes.min() == semi_axes.max() => {
            let ends = [region.low, region.high].map(|end| ((end - pose.position) / semi_axes.x).into());
            ball::in_box(ends[0], ends[1]) * semi_axes.x.powi(3)
        }
        ([(_, inside)], Shape::Ellipsoid { .. }) => whole * cap(*inside),
        _ => whole * chord_fraction(shape, pose, (low, high), region),
    }
}

/// Fraction of a unit ball in { x ≥ −t }.
fn cap(t: f64) -> f64 {
    let t = t.clamp(-1.0, 1.0);
    0.25 * (2.0 + 3.0 * t - t * t * t)
}

/// The fraction of the lengths of chords along x that is in the region, each chord through a point of a
/// lattice in y and z.
fn chord_fraction(
    shape: &Shape,
    pose: &Pose,
    (low, high): (Vector3<f64>, Vector3<f64>),
    region: &Region,
) -> f64 {
    let (mut of_body, mut inside) = (0.0, 0.0);
    let back = pose.orientation.inverse();
    let along = back * Vector3::x();
    for n in 0..CHORDS * CHORDS {
        let place = [0, n % CHORDS, n / CHORDS];
        let mut start =
            Vector3::from_fn(|k, _| low[k] + (high[k] - low[k]) * (place[k] as f64 + 0.5) / CHORDS as f64);
        start.x = 0.0;
        let [from, to] = chord(shape, &(back * (start - pose.position)), &along);
        if to <= from {
            continue;
        }
        of_body += to - from;
        let is_beside = (1..3).any(|k| start[k] < region.low[k] || start[k] > region.high[k]);
        let [from, to] = [from.max(region.low.x), to.min(region.high.x)];
        if !is_beside && to > from {
            inside += to - from;
        }
    }
    if of_body > 0.0 { inside / of_body } else { 0.0 }
}

/// Part of the line start + t d, of the shape frame, that is in a shape: from the first t to the second.
fn chord(shape: &Shape, start: &Vector3<f64>, d: &Vector3<f64>) -> [f64; 2] {
    match shape {
        Shape::Ellipsoid { semi_axes } => {
            in_ball(&start.component_div(semi_axes), &d.component_div(semi_axes))
        }
        Shape::Cylinder { radius, half_length } => {
            let side = Vector3::new(1.0 / radius, 1.0 / radius, 0.0);
            let [from, to] = in_ball(&start.component_mul(&side), &d.component_mul(&side));
            [-Vector3::z(), Vector3::z()].iter().fold([from, to], |t, n| cut(t, n, *half_length, start, d))
        }
        Shape::Capsule { radius, half_length } => {
            let tube = Shape::Cylinder { radius: *radius, half_length: *half_length };
            let ball =
                |up: f64| in_ball(&((start - Vector3::z() * (up * half_length)) / *radius), &(d / *radius));
            let parts = [chord(&tube, start, d), ball(-1.0), ball(1.0)];
            // A convex body has one chord.
            let parts = parts.into_iter().filter(|[from, to]| from < to);
            parts.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])]).unwrap_or_default()
        }
        Shape::Polytope(polytope) => {
            let all = [f64::NEG_INFINITY, f64::INFINITY];
            polytope.faces.iter().fold(all, |t, face| cut(t, &face.normal, face.offset, start, d))
        }
        Shape::HalfSpace { .. } | Shape::Bore { .. } => [0.0; 2],
    }
}

/// Range of t in which |start + t d| ≤ 1.
fn in_ball(start: &Vector3<f64>, d: &Vector3<f64>) -> [f64; 2] {
    let (a, b, c) = (d.norm_squared(), start.dot(d), start.norm_squared() - 1.0);
    if a == 0.0 {
        return if c <= 0.0 { [f64::NEG_INFINITY, f64::INFINITY] } else { [0.0; 2] };
    }
    let root = (b * b - a * c).max(0.0).sqrt();
    [(-b - root) / a, (-b + root) / a]
}

/// The part of a chord that is in n·x ≤ offset.
fn cut(
    [from, to]: [f64; 2],
    n: &Vector3<f64>,
    offset: f64,
    start: &Vector3<f64>,
    d: &Vector3<f64>,
) -> [f64; 2] {
    let (rate, left) = (n.dot(d), offset - n.dot(start));
    match rate.total_cmp(&0.0) {
        Ordering::Greater => [from, to.min(left / rate)],
        Ordering::Less => [from.max(left / rate), to],
        Ordering::Equal => {
            if left >= 0.0 {
                [from, to]
            } else {
                [0.0; 2]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;
    use signorini_geometry::Polytope;
    use std::f64::consts::{FRAC_PI_2, PI};
    use std::sync::Arc;

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose {
            position: Vector3::new(x, y, z),
            orientation: UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1),
        }
    }

    #[test]
    fn volumes_are_exact_where_shapes_allow() {
        let region = Region { low: Vector3::zeros(), high: Vector3::repeat(2.0) };
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(0.5) };
        let whole = 4.0 / 3.0 * PI * 0.125;
        let inside = |shape: &Shape, pose| volume_inside(shape, &pose, &region);
        assert_eq!(inside(&ball, at(1.0, 1.0, 1.0)), whole);
        assert_eq!(inside(&ball, at(-0.6, 1.0, 1.0)), 0.0);
        // A cap of height 0.3: π h² (r − h/3).
        let expected = PI * 0.09 * (0.5 - 0.1);
        assert!((inside(&ball, at(1.0, 2.2, 1.0)) - expected).abs() < 1e-12);
        assert!((inside(&ball, at(1.0, 1.0, 0.2)) - (whole - expected)).abs() < 1e-12);
        // Half a rotated ellipsoid, whatever its axes.
        let egg = Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.3, 0.2) };
        let half = 2.0 / 3.0 * PI * 0.03;
        assert!((inside(&egg, at(1.0, 1.0, 2.0)) - half).abs() < 1e-12);
        // An eighth of a ball, and half a brick.
        assert!((inside(&ball, at(0.0, 2.0, 0.0)) - whole / 8.0).abs() < 0.01 * whole);
        // A can on its side and upright, a quarter of it inside.
        let can = Shape::Cylinder { radius: 0.3, half_length: 0.4 };
        for turn in [Vector3::zeros(), Vector3::new(0.0, FRAC_PI_2, 0.0), Vector3::new(FRAC_PI_2, 0.0, 0.0)] {
            let orientation = UnitQuaternion::from_scaled_axis(turn);
            let pose = Pose { position: Vector3::new(0.0, 1.0, 2.0), orientation };
            let (found, expected) = (inside(&can, pose), 0.25 * PI * 0.09 * 0.8);
            assert!((found - expected).abs() < 0.003 * expected, "{turn:?}: {found} for {expected}");
        }
        let brick = Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(0.4, 0.3, 0.2))));
        assert!((inside(&brick, at(1.0, 0.0, 1.0)) - 0.096).abs() < 0.01 * 0.192);
    }
}
