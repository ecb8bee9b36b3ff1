//! How the volume of a body is shared among cells.

use super::ball;
use nalgebra::Vector3;
use signorini_geometry::bounds::bounds;
use signorini_geometry::mass_properties::volume;
use signorini_geometry::shape::off_line;
use signorini_geometry::{PeriodicBox, Pose, Shape};
use signorini_scene::scene::cells::{Cells, Space, near};

/// Points of the lattice in a body along each edge of the box about it.
const POINTS: usize = 12;

/// Adds the volumes (m³) that a part has in the cells. Balls are exact in boxes and in rings without
/// sectors; other parts count by points of a lattice.
pub fn add(
    volumes: &mut [f64],
    (shape, pose): (&Shape, &Pose),
    cells: &Cells,
    periodic: Option<&PeriodicBox>,
) {
    let radius = match shape {
        Shape::Ellipsoid { semi_axes } if semi_axes.min() == semi_axes.max() => Some(semi_axes.x),
        _ => None,
    };
    match (radius, &cells.space) {
        (Some(radius), Space::Box(_)) => ball_in_box(volumes, (&pose.position, radius), cells, periodic),
        (Some(radius), Space::Tube(_)) if cells.counts[1] == 1 => {
            ball_in_rings(volumes, (&pose.position, radius), cells, periodic);
        }
        _ => by_points(volumes, (shape, pose), cells, periodic),
    }
}

/// Range of the cells along a coordinate that are between two values of it.
fn range(cells: &Cells, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
    let ([from, to], n) = (cells.ends().map(|end| end[axis]), cells.counts[axis]);
    let place = |x: f64| (x - from) / (to - from) * n as f64;
    (place(low).floor().max(0.0) as usize).min(n)..(place(high).ceil().max(0.0) as usize).min(n)
}

fn ball_in_box(
    volumes: &mut [f64],
    (center, radius): (&Vector3<f64>, f64),
    cells: &Cells,
    periodic: Option<&PeriodicBox>,
) {
    let Space::Box(region) = &cells.space else { return };
    let center = periodic.map_or(*center, |periodic| periodic.from(&region.low).wrapped(center));
    // Images beyond both ends of the period that begins with the box.
    let shifts = |axis: usize| match periodic.and_then(|periodic| periodic.length(axis)) {
        Some(length) => vec![-length, 0.0, length],
        None => vec![0.0],
    };
    for x in shifts(0) {
        for y in shifts(1) {
            for z in shifts(2) {
                one_ball_in_box(volumes, (&(center + Vector3::new(x, y, z)), radius), cells);
            }
        }
    }
}

fn one_ball_in_box(volumes: &mut [f64], (center, radius): (&Vector3<f64>, f64), cells: &Cells) {
    let ranges = [0, 1, 2].map(|axis| range(cells, axis, center[axis] - radius, center[axis] + radius));
    for i in ranges[0].clone() {
        for j in ranges[1].clone() {
            for k in ranges[2].clone() {
                let ends = cells.ends_at([i, j, k]);
                let [low, high] = ends.map(|end| [0, 1, 2].map(|axis| (end[axis] - center[axis]) / radius));
                volumes[cells.number([i, j, k])] += ball::in_box(low, high) * radius.powi(3);
            }
        }
    }
}

fn ball_in_rings(
    volumes: &mut [f64],
    (center, radius): (&Vector3<f64>, f64),
    cells: &Cells,
    periodic: Option<&PeriodicBox>,
) {
    let Space::Tube(tube) = &cells.space else { return };
    let way = near(tube, center, periodic);
    let (along, distance) = (tube.axis.dot(&way), tube.axis.cross(&way).norm());
    for i in range(cells, 0, distance - radius, distance + radius) {
        for k in range(cells, 2, along - radius, along + radius) {
            let [low, high] = cells.ends_at([i, 0, k]);
            let heights = [low[2], high[2]].map(|z| (z - along) / radius);
            let within = |r: f64| ball::in_cylinder(distance / radius, r / radius, heights);
            let own = (within(high[0]) - within(low[0])).max(0.0);
            volumes[cells.number([i, 0, k])] += own * radius.powi(3);
        }
    }
}

fn by_points(
    volumes: &mut [f64],
    (shape, pose): (&Shape, &Pose),
    cells: &Cells,
    periodic: Option<&PeriodicBox>,
) {
    let Some(whole) = volume(shape) else { return };
    let (low, high) = bounds(shape, &Pose::identity());
    let mut places = Vec::new();
    for n in 0..POINTS.pow(3) {
        let at = [n % POINTS, n / POINTS % POINTS, n / (POINTS * POINTS)];
        let point =
            Vector3::from_fn(|k, _| low[k] + (high[k] - low[k]) * (at[k] as f64 + 0.5) / POINTS as f64);
        if is_inside(shape, &point) {
            places.push(cells.cell_at(&pose.point(&point), periodic));
        }
    }
    let each = whole / places.len().max(1) as f64;
    for cell in places.into_iter().flatten() {
        volumes[cell] += each;
    }
}

/// Whether a point of the shape frame is in a shape.
fn is_inside(shape: &Shape, x: &Vector3<f64>) -> bool {
    match shape {
        Shape::Ellipsoid { semi_axes } => x.component_div(semi_axes).norm_squared() <= 1.0,
        Shape::Cylinder { radius, half_length } => x.x.hypot(x.y) <= *radius && x.z.abs() <= *half_length,
        Shape::Capsule { radius, half_length } => off_line(x, *half_length).norm() <= *radius,
        Shape::Polytope(polytope) => polytope.faces.iter().all(|face| face.normal.dot(x) <= face.offset),
        Shape::HalfSpace { .. } | Shape::Bore { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::scene::measure::Region;
    use signorini_scene::scene::tube::Tube;
    use std::f64::consts::PI;

    fn at(x: f64, y: f64, z: f64) -> Pose {
        Pose { position: Vector3::new(x, y, z), ..Pose::identity() }
    }

    #[test]
    fn cells_hold_the_whole_of_what_is_inside() {
        let ball = Shape::Ellipsoid { semi_axes: Vector3::repeat(0.5) };
        let can = Shape::Cylinder { radius: 0.3, half_length: 0.4 };
        let wholes = [4.0 / 3.0 * PI * 0.125, PI * 0.09 * 0.8];
        let region = Region { low: Vector3::zeros(), high: Vector3::new(2.0, 3.0, 4.0) };
        let tube = Tube {
            center: Vector3::new(0.9, 1.6, 1.9),
            axis: Vector3::z(),
            half_length: 2.0,
            inner: 0.0,
            outer: 3.0,
        };
        let spaces =
            [(Space::Box(region), [5, 7, 9]), (Space::Tube(tube), [6, 1, 5]), (Space::Tube(tube), [3, 8, 5])];
        for (shape, whole) in [&ball, &can].into_iter().zip(wholes) {
            for (space, counts) in spaces {
                let cells = Cells { space, counts };
                let mut volumes = vec![0.0; cells.total()];
                add(&mut volumes, (shape, &at(1.1, 1.4, 2.2)), &cells, None);
                let sum: f64 = volumes.iter().sum();
                assert!((sum / whole - 1.0).abs() < 1e-9, "{counts:?}: {sum} for {whole}");
                assert!(volumes.iter().filter(|v| **v > 0.0).count() > 3, "{volumes:?}");
            }
        }
        // Half of a ball in the box, and all of it where the box repeats itself.
        let cells = Cells { space: Space::Box(region), counts: [2, 1, 1] };
        let mut volumes = vec![0.0; 2];
        add(&mut volumes, (&ball, &at(2.0, 1.4, 2.2)), &cells, None);
        assert!((volumes[1] / wholes[0] - 0.5).abs() < 1e-12 && volumes[0] == 0.0, "{volumes:?}");
        let periodic = PeriodicBox { spans: [Some([-1.0, 1.0]), None, None] };
        add(&mut volumes, (&ball, &at(2.0, 1.4, 2.2)), &cells, Some(&periodic));
        assert!((volumes[0] / wholes[0] - 0.5).abs() < 1e-12, "{volumes:?}");
    }
}
