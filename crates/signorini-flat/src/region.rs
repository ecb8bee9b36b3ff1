//! Torsional radius e_r of the line or surface where two bodies touch: the torsional friction of a uniform
//! pressure on it, about the middle of the region.
//!
//! The touching region is the convex hull of the contact points that are closed; between points of one rim it
//! follows the rim where that bulges outward. A point that opens, or slides off its features, leaves it
//! gradually: with c_k from 1 (closed) to 0 (open), e_r is the mean over levels c in (0, 1) of that of the
//! points with c_k ≥ c. With x from the middle of the region and x × dx = x_1 dx_2 − x_2 dx_1,
//! ```text
//! A = ½ ∮ x × dx,     ∫ x dA = ⅓ ∮ x (x × dx),     ∫ |x| dA = ⅓ ∮ |x| (x × dx)
//! ```

use crate::parameters::NARROW_REGION;

/// A point in the contact plane (m).
pub type Flat = [f64; 2];

/// A point of the outline, in the contact plane from any place (m).
#[derive(Debug, Clone, Copy, Default)]
pub struct Corner {
    /// Its place.
    pub at: Flat,
    /// Closedness, 1 while the point is closed, 0 once it is open.
    pub closed: f64,
    /// Rim that the point lies on: a number of the rim, and its centre in the plane (m).
    pub rim: Option<(u8, Flat)>,
}

/// Nodes and weights of Gauss and Legendre on (0, 1), of half of them; the others are symmetric.
const NODES: [(f64, f64); 3] = [
    (0.033_765_242_898_423_95, 0.085_662_246_189_585_2),
    (0.169_395_306_766_867_75, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_55, 0.233_956_967_286_345_5),
];

/// Mean over levels of the radius e_r (m) of those corners, at most N, that are closed to the level.
pub fn mean_radius<const N: usize>(corners: &mut [Corner]) -> f64 {
    let n = corners.len();
    if n < 2 {
        return 0.0;
    }
    corners.sort_unstable_by(|p, q| q.closed.total_cmp(&p.closed));
    let mut mean = 0.0;
    for k in 1..=n {
        let level = corners[k - 1].closed - if k < n { corners[k].closed } else { 0.0 };
        if level > 0.0 {
            let mut closed = [corners[0]; N];
            closed[..k].copy_from_slice(&corners[..k]);
            mean += level * radius(outline::<N>(&mut closed[..k]));
        }
    }
    mean
}

fn add(a: Flat, b: Flat) -> Flat {
    [a[0] + b[0], a[1] + b[1]]
}

fn sub(a: Flat, b: Flat) -> Flat {
    [a[0] - b[0], a[1] - b[1]]
}

fn scale(a: Flat, s: f64) -> Flat {
    [a[0] * s, a[1] * s]
}

fn dot(a: Flat, b: Flat) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn norm(a: Flat) -> f64 {
    dot(a, a).sqrt()
}

fn cross(a: Flat, b: Flat) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Convex hull, counterclockwise, in the front of the slice: each corner is taken once, and none that lies
/// between others.
fn outline<const N: usize>(corners: &mut [Corner]) -> &mut [Corner] {
    corners.sort_unstable_by(|p, q| p.at[0].total_cmp(&q.at[0]).then(p.at[1].total_cmp(&q.at[1])));
    let n = corners.len();
    if n < 3 {
        return corners;
    }
    let mut hull = [[corners[0]; 2]; N];
    let hull = hull.as_flattened_mut();
    let mut size = 0;
    let extend = |hull: &mut [Corner], size: &mut usize, floor: usize, corner: Corner| {
        let turns_left = |hull: &[Corner], size: usize| {
            let (before, last) = (hull[size - 2].at, hull[size - 1].at);
            cross(sub(last, before), sub(corner.at, last)) > 0.0
        };
        while *size >= floor && !turns_left(hull, *size) {
            *size -= 1;
        }
        hull[*size] = corner;
        *size += 1;
    };
    for corner in corners.iter() {
        extend(hull, &mut size, 2, *corner);
    }
    let floor = size + 1;
    for corner in corners.iter().rev().skip(1) {
        extend(hull, &mut size, floor, *corner);
    }
    // The first corner closes the hull.
    let size = (size - 1).min(n);
    corners[..size].copy_from_slice(&hull[..size]);
    &mut corners[..size]
}

/// Radius ∫ |x| dA / A over the region, ∫ |x| ds / s where it is a line, 0 where it is a point; x from its
/// middle.
fn radius(corners: &mut [Corner]) -> f64 {
    let n = corners.len();
    let (mut twice_area, mut first_moment) = (0.0, [0.0; 2]);
    for k in 0..n {
        let sums = along(&corners[k], &corners[(k + 1) % n]);
        twice_area += sums.turned;
        first_moment = add(first_moment, sums.place);
    }
    let between = |p: &Corner, q: &Corner| sub(p.at, q.at);
    let ends = corners.iter().flat_map(|p| corners.iter().map(move |q| dot(between(p, q), between(p, q))));
    let length = ends.fold(0.0, f64::max).sqrt();
    if n < 3 || twice_area <= NARROW_REGION * length * length {
        return 0.25 * length;
    }
    let middle = scale(first_moment, 2.0 / 3.0 / twice_area);
    for corner in corners.iter_mut() {
        corner.at = sub(corner.at, middle);
        if let Some((_, center)) = &mut corner.rim {
            *center = sub(*center, middle);
        }
    }
    let thrice_moment: f64 = (0..n).map(|k| distance_along(&corners[k], &corners[(k + 1) % n])).sum();
    (thrice_moment / 3.0 / (0.5 * twice_area)).max(0.0)
}

/// Integrals along one side of an outline.
#[derive(Debug, Default)]
struct Sums {
    /// Turning ∫ x × dx.
    turned: f64,
    /// First moment ∫ x (x × dx).
    place: Flat,
}

/// Centre of the rim that both corners lie on, if it bulges outward between them: else the region ends at the
/// straight line.
fn shared_rim(from: &Corner, to: &Corner) -> Option<Flat> {
    let ((rim, center), (other, _)) = (from.rim?, to.rim?);
    let bulges = cross(sub(to.at, from.at), sub(center, from.at)) > 0.0;
    (rim == other && bulges).then_some(center)
}

/// Integrals along the rim that both corners lie on, the short way, or straight.
fn along(from: &Corner, to: &Corner) -> Sums {
    if let Some(center) = shared_rim(from, to) {
        return arc(from.at, to.at, center).0;
    }
    let turned = cross(from.at, to.at);
    Sums { turned, place: scale(add(from.at, to.at), 0.5 * turned) }
}

/// Integral ∫ |x| (x × dx) from one corner to the other.
fn distance_along(from: &Corner, to: &Corner) -> f64 {
    match shared_rim(from, to) {
        Some(center) => arc(from.at, to.at, center).1,
        None => cross(from.at, to.at) * mean_distance(from.at, to.at),
    }
}

/// Mean of |x| on a straight line from p to q.
fn mean_distance(p: Flat, q: Flat) -> f64 {
    let length = norm(sub(q, p));
    if length == 0.0 {
        return norm(p);
    }
    let way = sub(q, p);
    let along = [way[0] / length, way[1] / length];
    let (off, start) = (cross(along, p).abs(), dot(along, p));
    let part = |s: f64| {
        let log = if off > 0.0 { off * off * (s / off).asinh() } else { 0.0 };
        0.5 * (s * s.hypot(off) + log)
    };
    (part(start + length) - part(start)) / length
}

fn arc(from: Flat, to: Flat, center: Flat) -> (Sums, f64) {
    let (start, end) = (sub(from, center), sub(to, center));
    let angle = cross(start, end).atan2(dot(start, end));
    let (mut sums, mut distance) = (Sums::default(), 0.0);
    for (node, weight) in NODES.iter().flat_map(|(x, w)| [(*x, *w), (1.0 - *x, *w)]) {
        let (s, c) = (angle * node).sin_cos();
        let spoke = [c * start[0] - s * start[1], s * start[0] + c * start[1]];
        let (at, rate) = (add(center, spoke), scale([-spoke[1], spoke[0]], angle));
        let turned = weight * cross(at, rate);
        sums.turned += turned;
        sums.place = add(sums.place, scale(at, turned));
        distance += turned * norm(at);
    }
    (sums, distance)
}
