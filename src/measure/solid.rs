//! How much of a body is in a box.

use crate::geometry::bounds::bounds;
use crate::geometry::mass_properties::volume;
use crate::geometry::{Pose, Shape};
use crate::scene::measure::Region;
use nalgebra::Vector3;

/// Points along each axis of the lattice in the box about a body that the region cuts.
const POINTS: usize = 24;

/// Volume of a shape at a pose that is in a region (m³): all or nothing where the box about the shape, along
/// the world axes, is inside or outside; exact for an ellipsoid that one face cuts; else the share of the
/// points of a lattice in the shape that are in the region.
pub fn volume_inside(shape: &Shape, pose: &Pose, region: &Region) -> f64 {
    let Some(whole) = volume(shape) else { return 0.0 };
    let (low, high) = bounds(shape, pose);
    if (region.low - high).max() >= 0.0 || (low - region.high).max() >= 0.0 {
        return 0.0;
    }
    let cuts: Vec<(usize, f64)> = (0..3)
        .flat_map(|k| [(k, region.low[k], 1.0), (k, region.high[k], -1.0)])
        .filter(|(k, at, _)| low[*k] < *at && *at < high[*k])
        // How far inside the centre is, in units of how far the shape reaches.
        .map(|(k, at, sign)| (k, sign * (pose.position[k] - at) / (0.5 * (high[k] - low[k]))))
        .collect();
    match (cuts.as_slice(), shape) {
        ([], _) => whole,
        ([(_, inside)], Shape::Ellipsoid { .. }) => whole * cap(*inside),
        _ => whole * share(shape, pose, (low, high), region),
    }
}

/// Share of a unit ball in { x ≥ −t }.
fn cap(t: f64) -> f64 {
    let t = t.clamp(-1.0, 1.0);
    0.25 * (2.0 + 3.0 * t - t * t * t)
}

fn share(shape: &Shape, pose: &Pose, (low, high): (Vector3<f64>, Vector3<f64>), region: &Region) -> f64 {
    let (mut of_body, mut inside) = (0_usize, 0_usize);
    let back = pose.orientation.inverse();
    for n in 0..POINTS.pow(3) {
        let place = [n % POINTS, n / POINTS % POINTS, n / POINTS / POINTS];
        let point =
            Vector3::from_fn(|k, _| low[k] + (high[k] - low[k]) * (place[k] as f64 + 0.5) / POINTS as f64);
        if contains(shape, &(back * (point - pose.position))) {
            of_body += 1;
            inside += usize::from(region.contains(&point));
        }
    }
    inside as f64 / of_body.max(1) as f64
}

/// Whether a point of the shape frame is in the shape.
fn contains(shape: &Shape, point: &Vector3<f64>) -> bool {
    match shape {
        Shape::Ellipsoid { semi_axes } => point.component_div(semi_axes).norm_squared() <= 1.0,
        Shape::Cylinder { radius, half_length } => {
            point.z.abs() <= *half_length && point.xy().norm_squared() <= radius * radius
        }
        Shape::Polytope(polytope) => polytope.faces.iter().all(|face| face.normal.dot(point) <= face.offset),
        Shape::HalfSpace { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Polytope;
    use nalgebra::UnitQuaternion;
    use std::f64::consts::PI;
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
        // Half a turned ellipsoid, whatever its axes.
        let egg = Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.3, 0.2) };
        let half = 2.0 / 3.0 * PI * 0.03;
        assert!((inside(&egg, at(1.0, 1.0, 2.0)) - half).abs() < 1e-12);
        // An eighth of a ball, and half a brick.
        assert!((inside(&ball, at(0.0, 2.0, 0.0)) - whole / 8.0).abs() < 0.01 * whole);
        let brick = Shape::Polytope(Arc::new(Polytope::cuboid(Vector3::new(0.4, 0.3, 0.2))));
        assert!((inside(&brick, at(1.0, 0.0, 1.0)) - 0.096).abs() < 0.01 * 0.192);
    }
}
