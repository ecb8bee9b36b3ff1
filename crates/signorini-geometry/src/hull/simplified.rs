//! Hulls of points of which the exact hull is too large, or has faces that hardly differ.
//!
//! The corners that are kept are those farthest along directions spread evenly over the sphere, and then
//! those that are farthest outside. The hull of them lies in that of all points. The distance of a point
//! outside is that to the nearest face, found for every corner of the hull of all.

use super::{Hull, HullFault, MAX_POINTS, distinct, principal_box, solid, triangles};
use crate::Polytope;
use crate::polytope::Face;
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// Directions along which corners are kept, most first: fewer where the hull of more is inconsistent.
const DIRECTIONS: [usize; 3] = [600, 300, 100];
/// Most corners of a simplified hull: fewer than a hull may have, for their number is what steps cost.
const KEPT: usize = 800;
/// Points of which a hull is taken at a time, where there are more than a hull can have.
const AT_A_TIME: usize = 50_000;
/// Points nearer to each other than this fraction of the radius are one: the digits of single precision.
const SAME_POINT: f64 = 1e-7;
/// Points less far outside than this fraction of the radius are not worth a corner.
const OUTSIDE: f64 = 1e-6;

/// A hull of some of the points, and how far the others are outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Simplified {
    /// The hull of the points that were kept; its corners are numbered among all points.
    pub hull: Hull,
    /// Largest distance of a point from this hull (m).
    pub distance: f64,
}

impl Polytope {
    /// The convex hull of `points` (m), as [`Polytope::hull`]; of a part of them where that of all would have
    /// too many corners or no consistent faces.
    ///
    /// # Errors
    /// When the points are not finite or too few, or do not span a solid.
    pub fn hull_of_any(points: &[Vector3<f64>]) -> Result<Simplified, HullFault> {
        match Self::hull(points) {
            Ok(hull) => Ok(Simplified { hull, distance: 0.0 }),
            Err(fault @ (HullFault::TooMany(_) | HullFault::TooManyCorners(_) | HullFault::Inconsistent)) => {
                simplified(points, fault)
            }
            Err(fault) => Err(fault),
        }
    }
}

/// The hull of a part of the points; `fault` is why not of all.
fn simplified(points: &[Vector3<f64>], fault: HullFault) -> Result<Simplified, HullFault> {
    if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(HullFault::NotFinite(i));
    }
    let Some(first) = points.first() else { return Err(HullFault::TooFew(0)) };
    let (low, high) = points.iter().fold((*first, *first), |(l, h), p| (l.inf(p), h.sup(p)));
    let (middle, radius) = ((low + high) / 2.0, (high - low).norm() / 2.0);
    let outer = outer(points, radius);
    let near: Vec<Vector3<f64>> = outer.iter().map(|i| points[*i] - middle).collect();
    let (rotation, extents) = principal_box(&near);
    solid(near.len(), &extents)?;
    for n in DIRECTIONS {
        let mut kept = farthest(&near, &rotation, &extents, n);
        let Some((mut best, mut outside)) = judged(&near, &kept) else { continue };
        // The most distant corners once more: a round edge between two directions may hold several.
        let room = KEPT.saturating_sub(kept.len());
        outside.retain(|(distance, _)| *distance > OUTSIDE * radius);
        outside.sort_by(|a, b| b.0.total_cmp(&a.0));
        kept.extend(outside.iter().take(room).map(|(_, i)| *i));
        if let Some((better, _)) = judged(&near, &kept).filter(|(better, _)| better.distance < best.distance)
        {
            best = better;
        }
        best.hull.center_of_mass += middle;
        best.hull.corners.iter_mut().for_each(|i| *i = outer[*i]);
        return Ok(best);
    }
    Err(fault)
}

/// Points among which all corners of the hull are, each once.
fn outer(points: &[Vector3<f64>], radius: f64) -> Vec<usize> {
    let mut left = distinct(points, SAME_POINT * radius);
    // Each round leaves out the points inside of a part of them.
    while left.len() > AT_A_TIME {
        let before = left.len();
        left = left.chunks(AT_A_TIME).flat_map(|part| corners_of(points, part)).collect();
        if left.len() > before / 2 {
            break;
        }
    }
    if left.len() <= MAX_POINTS { corners_of(points, &left) } else { left }
}

/// The corners of the hull of some points; all of them where it is not found.
fn corners_of(points: &[Vector3<f64>], of: &[usize]) -> Vec<usize> {
    let middle = of.iter().map(|i| points[*i]).sum::<Vector3<f64>>() / of.len().max(1) as f64;
    let near: Vec<Vector3<f64>> = of.iter().map(|i| points[*i] - middle).collect();
    let (rotation, extents) = principal_box(&near);
    let found = solid(near.len(), &extents).and_then(|()| triangles(&near, &rotation, &extents));
    let Ok(triangles) = found else { return of.to_vec() };
    let mut corners: Vec<usize> = triangles.into_iter().flatten().collect();
    corners.sort_unstable();
    corners.dedup();
    corners.into_iter().map(|k| of[k]).collect()
}

/// The points farthest along `n` directions of the frame in which the cloud is as long as it is wide.
fn farthest(near: &[Vector3<f64>], rotation: &Matrix3<f64>, extents: &Vector3<f64>, n: usize) -> Vec<usize> {
    let stretched: Vec<Vector3<f64>> =
        near.iter().map(|p| rotation.tr_mul(p).component_div(extents)).collect();
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    let mut kept: Vec<usize> = (0..n)
        .filter_map(|k| {
            let z = 1.0 - (2.0 * k as f64 + 1.0) / n as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let across = (1.0 - z * z).sqrt();
            let direction = Vector3::new(across * cos, across * sin, z);
            let along = stretched.iter().map(|p| direction.dot(p)).enumerate();
            along.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
        })
        .collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// The hull of some points, and how far each point that is outside is outside (m). None where there is none.
fn judged(near: &[Vector3<f64>], kept: &[usize]) -> Option<(Simplified, Vec<(f64, usize)>)> {
    let points: Vec<Vector3<f64>> = kept.iter().map(|i| near[*i]).collect();
    let mut hull = Polytope::hull(&points).ok()?;
    hull.corners.iter_mut().for_each(|k| *k = kept[*k]);
    let outside: Vec<(f64, usize)> = near
        .iter()
        .enumerate()
        .map(|(i, p)| (distance(&hull.polytope, &(p - hull.center_of_mass)), i))
        .filter(|(distance, _)| *distance > 0.0)
        .collect();
    let distance = outside.iter().map(|(distance, _)| *distance).fold(0.0, f64::max);
    Some((Simplified { hull, distance }, outside))
}

/// Distance of a point from a polytope (m), 0 inside.
fn distance(polytope: &Polytope, point: &Vector3<f64>) -> f64 {
    let seen = polytope.faces.iter().filter(|face| face.normal.dot(point) > face.offset);
    let to_face = |face: &Face| {
        let corner = |k: usize| polytope.vertices[face.vertices[k]];
        let fan = (2..face.vertices.len()).map(|k| to_triangle(point, [corner(0), corner(k - 1), corner(k)]));
        fan.fold(f64::INFINITY, f64::min)
    };
    let nearest = seen.map(to_face).fold(f64::INFINITY, f64::min);
    if nearest.is_finite() { nearest } else { 0.0 }
}

/// Distance of a point from a triangle (m).
fn to_triangle(p: &Vector3<f64>, [a, b, c]: [Vector3<f64>; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let sides = [(a, b), (b, c), (c, a)];
    let is_over = sides.iter().all(|(from, to)| (to - from).cross(&(p - from)).dot(&normal) >= 0.0);
    if is_over && normal.norm() > 0.0 {
        return (normal.dot(&(p - a)) / normal.norm()).abs();
    }
    let to_side = |(from, to): (Vector3<f64>, Vector3<f64>)| {
        let side = to - from;
        let along = (side.dot(&(p - from)) / side.norm_squared()).clamp(0.0, 1.0);
        (p - from - side * along).norm()
    };
    sides.into_iter().map(to_side).fold(f64::INFINITY, f64::min)
}
