//! Torsional radius e_r of the line or surface where a flat pair touches (theory (2.9)): the torsional
//! friction of a uniform pressure on it, about the middle of the region.
//!
//! The touching region is the convex hull of the contact points that are closed; between points of one rim it
//! follows the rim. A point that opens, or slides off its features, leaves it gradually: with c_k from 1
//! (closed) to 0 (open), e_r is the mean over levels c in (0, 1) of that of the points with c_k ≥ c. With x
//! from the middle of the region and x × dx = x_1 dx_2 − x_2 dx_1,
//! ```text
//! A = ½ ∮ x × dx,     ∫ x dA = ⅓ ∮ x (x × dx),     ∫ |x| dA = ⅓ ∮ |x| (x × dx)
//! ```

use crate::contact::feature::{Cylinder, Feature};
use crate::contact::manifold::ContactManifold;
use crate::contact::pair::geometry::PairGeometry;
use crate::contact::placed::Placed;
use crate::contact::point::{ContactPoint, off_feature};
use nalgebra::{Vector2, Vector3};

/// Most points of a manifold that count.
const MAX_POINTS: usize = 64;
/// Number of points that suffices for most manifolds: room for all of [`MAX_POINTS`] would take longer to
/// clear than the radius to find.
const FEW_POINTS: usize = 12;
/// A region narrower than this fraction of its length is a line.
const NARROW: f64 = 1e-6;
/// Nodes and weights of Gauss and Legendre on (0, 1), of half of them; the others are symmetric.
const NODES: [(f64, f64); 3] = [
    (0.033_765_242_898_423_95, 0.085_662_246_189_585_2),
    (0.169_395_306_766_867_75, 0.180_380_786_524_069_3),
    (0.380_690_406_958_401_55, 0.233_956_967_286_345_5),
];

/// A point of the outline, in the contact plane from the equivalent contact point (m).
#[derive(Debug, Clone, Copy)]
struct Corner {
    at: Vector2<f64>,
    /// Closedness, 1 while the point is closed, 0 once it is open.
    closed: f64,
    /// Rim that the point lies on: body, end, and centre in the plane (m).
    rim: Option<(bool, bool, Vector2<f64>)>,
}

impl ContactManifold {
    /// e_r (m) in the contact plane of the pair. A point counts as closed up to `margin` (m) above the lowest
    /// and beside its features, and as open from twice that on.
    pub fn torsion_radius(&self, pair: &PairGeometry, a: &Placed<'_>, b: &Placed<'_>, margin: f64) -> f64 {
        match self.points.len() {
            0..=FEW_POINTS => self.radius_of_points::<FEW_POINTS>(pair, [a, b], margin),
            _ => self.radius_of_points::<MAX_POINTS>(pair, [a, b], margin),
        }
    }

    /// e_r (m) of the first N points that may exert an impulse.
    fn radius_of_points<const N: usize>(
        &self,
        pair: &PairGeometry,
        [a, b]: [&Placed<'_>; 2],
        margin: f64,
    ) -> f64 {
        let mut corners = [Corner { at: Vector2::zeros(), closed: 0.0, rim: None }; N];
        let mut n = 0;
        for point in self.points.iter().filter(|point| point.exerts()).take(N) {
            let off = (point.geometry.gap - pair.gap).max(off_feature(point, a, b));
            let closed = (2.0 - off / margin).clamp(0.0, 1.0);
            if closed > 0.0 {
                corners[n] = corner(point, closed, pair, [a, b]);
                n += 1;
            }
        }
        mean_radius::<N>(&mut corners[..n])
    }
}

/// Mean over levels of the radius of those corners, at most N, that are closed to the level.
fn mean_radius<const N: usize>(corners: &mut [Corner]) -> f64 {
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

fn corner(point: &ContactPoint, closed: f64, pair: &PairGeometry, bodies: [&Placed<'_>; 2]) -> Corner {
    let flat = |v: Vector3<f64>| Vector2::new(pair.tangent_t.dot(&v), pair.tangent_o.dot(&v));
    let rim = [(point.feature.0, pair.arm_a), (point.feature.1, pair.arm_b)];
    let rim = rim.into_iter().zip(bodies).enumerate().find_map(|(side, ((part, arm), body))| {
        let Feature::RimPoint(up, _) = part else { return None };
        let cylinder = Cylinder::of(body)?;
        Some((side == 1, up, flat(cylinder.at(cylinder.end(up)) - arm)))
    });
    Corner { at: flat(point.geometry.arm_b - pair.arm_b), closed, rim }
}

fn cross(a: Vector2<f64>, b: Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

/// Convex hull, counterclockwise, in the front of the slice: each corner is taken once, and none that lies
/// between others.
fn outline<const N: usize>(corners: &mut [Corner]) -> &mut [Corner] {
    corners.sort_unstable_by(|p, q| p.at.x.total_cmp(&q.at.x).then(p.at.y.total_cmp(&q.at.y)));
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
            cross(last - before, corner.at - last) > 0.0
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
    let (mut twice_area, mut first_moment) = (0.0, Vector2::zeros());
    for k in 0..n {
        let sums = along(&corners[k], &corners[(k + 1) % n]);
        twice_area += sums.turned;
        first_moment += sums.place;
    }
    let ends = corners.iter().flat_map(|p| corners.iter().map(move |q| (p.at - q.at).norm_squared()));
    let length = ends.fold(0.0, f64::max).sqrt();
    if twice_area <= NARROW * length * length {
        return 0.25 * length;
    }
    let middle = first_moment * (2.0 / 3.0 / twice_area);
    for corner in corners.iter_mut() {
        corner.at -= middle;
        if let Some((_, _, center)) = &mut corner.rim {
            *center -= middle;
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
    place: Vector2<f64>,
}

/// Centre of the rim that both corners lie on.
fn shared_rim(from: &Corner, to: &Corner) -> Option<Vector2<f64>> {
    let ((body, up, center), (other_body, other_up, _)) = (from.rim?, to.rim?);
    ((body, up) == (other_body, other_up)).then_some(center)
}

/// Integrals along the rim that both corners lie on, the short way, or straight.
fn along(from: &Corner, to: &Corner) -> Sums {
    if let Some(center) = shared_rim(from, to) {
        return arc(from.at, to.at, center).0;
    }
    let turned = cross(from.at, to.at);
    Sums { turned, place: (from.at + to.at) * (0.5 * turned) }
}

/// Integral ∫ |x| (x × dx) from one corner to the other.
fn distance_along(from: &Corner, to: &Corner) -> f64 {
    match shared_rim(from, to) {
        Some(center) => arc(from.at, to.at, center).1,
        None => cross(from.at, to.at) * mean_distance(from.at, to.at),
    }
}

/// Mean of |x| on a straight line from p to q.
fn mean_distance(p: Vector2<f64>, q: Vector2<f64>) -> f64 {
    let length = (q - p).norm();
    if length == 0.0 {
        return p.norm();
    }
    let along = (q - p) / length;
    let (off, start) = (cross(along, p).abs(), along.dot(&p));
    let part = |s: f64| {
        let log = if off > 0.0 { off * off * (s / off).asinh() } else { 0.0 };
        0.5 * (s * s.hypot(off) + log)
    };
    (part(start + length) - part(start)) / length
}

fn arc(from: Vector2<f64>, to: Vector2<f64>, center: Vector2<f64>) -> (Sums, f64) {
    let (start, end) = (from - center, to - center);
    let angle = cross(start, end).atan2(start.dot(&end));
    let (mut sums, mut distance) = (Sums::default(), 0.0);
    for (node, weight) in NODES.iter().flat_map(|(x, w)| [(*x, *w), (1.0 - *x, *w)]) {
        let (s, c) = (angle * node).sin_cos();
        let spoke = Vector2::new(c * start.x - s * start.y, s * start.x + c * start.y);
        let (at, rate) = (center + spoke, Vector2::new(-spoke.y, spoke.x) * angle);
        let turned = weight * cross(at, rate);
        sums.turned += turned;
        sums.place += at * turned;
        distance += turned * at.norm();
    }
    (sums, distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: &[[f64; 2]]) -> f64 {
        let mut corners: Vec<Corner> =
            points.iter().map(|p| Corner { at: Vector2::new(p[0], p[1]), closed: 1.0, rim: None }).collect();
        radius(outline::<MAX_POINTS>(&mut corners))
    }

    #[test]
    fn regions_with_closed_forms() {
        // A square of side 2 about its centre: (√2 + asinh 1) / 3, whatever points lie inside or on its
        // edges.
        let square = [[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0], [-1.0, -1.0], [0.2, 0.1], [1.0, -1.0]];
        let exact = (2.0_f64.sqrt() + 1.0_f64.asinh()) / 3.0;
        assert!((of(&square) - exact).abs() < 1e-14, "{}", of(&square));
        // A line at any place, and a point.
        assert!((of(&[[-2.0, 0.0], [2.0, 0.0], [1.0, 0.0]]) - 1.0).abs() < 1e-14);
        assert!((of(&[[0.0, 0.0], [3.0, 4.0]]) - 1.25).abs() < 1e-14);
        assert_eq!([of(&[[2.0, 1.0]]), of(&[])], [0.0, 0.0]);
        // A rectangle seen from a corner: four quarters, each about its own corner.
        let (a, b) = (3.0_f64, 2.0_f64);
        let d = a.hypot(b);
        let quarter = a * b * d / 3.0 + (a.powi(3) * (b / a).asinh() + b.powi(3) * (a / b).asinh()) / 6.0;
        let found = of(&[[0.0, 0.0], [2.0 * a, 0.0], [2.0 * a, 2.0 * b], [0.0, 2.0 * b]]);
        assert!((found - quarter / (a * b)).abs() < 1e-14, "{found} {}", quarter / (a * b));
    }

    #[test]
    fn a_disc_is_no_octagon() {
        let (radius_of_rim, center) = (0.5, Vector2::new(0.1, -0.05));
        let mut corners: Vec<Corner> = (0..8)
            .map(|k| {
                let (s, c) = (std::f64::consts::TAU * f64::from(k) / 8.0).sin_cos();
                let at = center + Vector2::new(c, s) * radius_of_rim;
                Corner { at, closed: 1.0, rim: Some((true, false, center)) }
            })
            .collect();
        let found = radius(outline::<MAX_POINTS>(&mut corners));
        assert!((found - 2.0 / 3.0 * radius_of_rim).abs() < 1e-9, "{found}");
    }

    /// Room for few points or for many gives the same radius.
    #[test]
    fn the_room_for_points_makes_no_difference() {
        for k in 0..500 {
            let wave = |a: f64| (a * f64::from(k)).sin();
            let corner = |i: usize| {
                let at = |a: f64| wave(a + 0.37 * i as f64);
                let closed = if k % 2 == 0 { 1.0 } else { at(0.2).abs() };
                Corner { at: Vector2::new(at(1.3), at(2.9)), closed, rim: None }
            };
            let corners: Vec<Corner> = (0..=k as usize % FEW_POINTS).map(corner).collect();
            let [few, many] =
                [mean_radius::<FEW_POINTS>, mean_radius::<MAX_POINTS>].map(|of| of(&mut corners.clone()));
            assert_eq!(few, many, "{k}");
            assert!(few > 0.0 || corners.len() < 2, "{k}");
        }
    }

    /// A square whose far side opens becomes a line without a jump, and the line a point.
    #[test]
    fn points_leave_gradually() {
        let faded = |far: f64, near: f64| {
            let mut corners = [[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]].map(|[x, y]| Corner {
                at: Vector2::new(x, y),
                closed: match (x > 0.0, y > 0.0) {
                    (_, true) => far,
                    (true, false) => near,
                    (false, false) => 1.0,
                },
                rim: None,
            });
            mean_radius::<MAX_POINTS>(&mut corners)
        };
        let square = of(&[[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]]);
        assert!((faded(1.0, 1.0) - square).abs() < 1e-14);
        assert!((faded(0.25, 1.0) - (0.25 * square + 0.75 * 0.5)).abs() < 1e-14);
        assert!((faded(0.0, 1.0) - 0.5).abs() < 1e-14);
        assert!((faded(0.0, 0.5) - (0.5 * 0.5 + 0.5 * 0.0)).abs() < 1e-14);
    }
}
