//! The convex hull of points as a [`Polytope`].
//!
//! The quickhull of `parry3d` gives triangles. From them, planes are found that all points lie behind, to
//! within a tolerance; the corners are the points on at least three planes, and the faces the polygons of the
//! corners on each plane. The sides of the polygons must match and Euler's formula must hold: a hull that is
//! returned is one. Its corners are moved into the planes of their faces: solver and referee both see faces
//! that are planar to rounding, whatever digits the file has.

use self::planar::flatten;
use super::polytope::{Polytope, area_vector};
use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector3 as ParryPoint;
use parry3d_f64::transformation::try_convex_hull;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

mod planar;
mod simplified;

pub use simplified::Simplified;

/// Points nearer to each other than this fraction of the radius are taken to coincide.
const COINCIDENT: f64 = 1e-9;
/// Points nearer to a plane than this fraction of the radius are taken to lie in it. Where that is too coarse
/// for a consistent surface, the finer ones are tried. The coarsest is far below the angle, squared, between
/// neighbouring faces of a curved body of the most corners.
const IN_ONE_PLANE: [f64; 7] = [1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13];
/// Corners move by at most this many times the tolerance when the faces are made planar.
const MAX_MOVED: f64 = 100.0;
/// Longest principal extent over the shortest: beyond it moments of inertia drown in rounding.
pub const LARGEST_RATIO: f64 = 1e4;
/// Most points a hull is taken of.
pub const MAX_POINTS: usize = 100_000;
/// Most corners of a hull.
pub const MAX_CORNERS: usize = 2000;
/// Most triangles of the quickhull: some of their vertices are no corners, but not nearly all.
const MAX_TRIANGLES: usize = 20 * MAX_CORNERS;
/// A centre of mass nearer to the origin than this fraction of the radius is taken to be there: a hull that
/// is written and read again is the same, bit for bit. (Rounding a body of the largest ratio moves it by
/// 1e-12.)
const CENTRED: f64 = 1e-11;

/// The hull of some points, and where it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Hull {
    /// The polytope, about its centre of mass.
    pub polytope: Polytope,
    /// Centre of mass (m) in the frame of the points, which was subtracted from them.
    pub center_of_mass: Vector3<f64>,
    /// Index of the point of each vertex.
    pub corners: Vec<usize>,
}

/// The reason why points have no hull that is a body.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum HullFault {
    /// Fewer than four points.
    #[error("{0} points; a solid has at least 4")]
    TooFew(usize),
    /// More than 100 000 points.
    #[error("{0} points; at most {MAX_POINTS} are allowed")]
    TooMany(usize),
    /// A coordinate is infinite or not a number.
    #[error("point {0} is not finite")]
    NotFinite(usize),
    /// All points coincide.
    #[error("all points coincide; a solid has at least 4 that do not lie in a plane")]
    OnePoint,
    /// All points lie on one line.
    #[error("all points lie on a line; a solid has at least 4 that do not lie in a plane")]
    Collinear,
    /// All points lie in one plane.
    #[error("all points lie in a plane; a solid has at least 4 that do not")]
    Flat,
    /// The points are thinner than 1 in 10 000.
    #[error("{length:e} m long and {thickness:e} m thin; the ratio may be at most {LARGEST_RATIO:e}")]
    TooThin {
        /// Longest principal extent (m).
        length: f64,
        /// Shortest principal extent (m).
        thickness: f64,
    },
    /// The hull has more corners than 2000.
    #[error("the hull has {0} corners; at most {MAX_CORNERS} are allowed: simplify it")]
    TooManyCorners(usize),
    /// No consistent surface was found over points so nearly degenerate.
    #[error(
        "no consistent surface was found: too many points almost coincide with each other or with a plane"
    )]
    Inconsistent,
}

impl Polytope {
    /// The convex hull of `points` (m), moved so that its centre of mass is at the origin. Points inside, on
    /// a face or on an edge are dropped, and of points that coincide the first is kept.
    ///
    /// # Errors
    /// When the points are not finite, too few or too many, or do not span a solid.
    pub fn hull(points: &[Vector3<f64>]) -> Result<Hull, HullFault> {
        if points.len() > MAX_POINTS {
            return Err(HullFault::TooMany(points.len()));
        }
        if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(HullFault::NotFinite(i));
        }
        let Some(first) = points.first() else { return Err(HullFault::TooFew(0)) };
        let (low, high) = points.iter().fold((*first, *first), |(l, h), p| (l.inf(p), h.sup(p)));
        let radius = (high - low).norm() / 2.0;
        let middle = (low + high) / 2.0;
        let kept = distinct(points, COINCIDENT * radius);
        if radius == 0.0 || kept.len() == 1 {
            return Err(if points.len() < 4 { HullFault::TooFew(points.len()) } else { HullFault::OnePoint });
        }
        // Coordinates are about the middle, so that a far origin costs no digits below.
        let near: Vec<Vector3<f64>> = kept.iter().map(|i| points[*i] - middle).collect();
        let (rotation, extents) = principal_box(&near);
        solid(points.len(), &extents)?;
        let triangles = triangles(&near, &rotation, &extents)?;
        if triangles.len() > MAX_TRIANGLES {
            // A surface of n triangles has n/2 + 2 vertices.
            return Err(HullFault::TooManyCorners(triangles.len() / 2 + 2));
        }
        let found = IN_ONE_PLANE.iter().find_map(|part| surface(&near, &triangles, part * radius, radius));
        let Surface { corners, cycles, vertices } = found.ok_or(HullFault::Inconsistent)?;
        if corners.len() > MAX_CORNERS {
            return Err(HullFault::TooManyCorners(corners.len()));
        }
        // In the stretched frame, where the moments of thin bodies don't cancel.
        let stretched = vertices.iter().map(|v| rotation.tr_mul(v).component_div(&extents)).collect();
        let center = Polytope::assemble(stretched, cycles.clone()).ok_or(HullFault::Inconsistent)?.centroid();
        let mut center_of_mass = middle + rotation * center.component_mul(&extents);
        if center_of_mass.norm() <= CENTRED * radius {
            center_of_mass = Vector3::zeros();
        }
        let placed = |(i, v): (&usize, &Vector3<f64>)| {
            // Corners that stayed lose no digits by the way over the middle.
            if *v == near[*i] { points[kept[*i]] - center_of_mass } else { v + (middle - center_of_mass) }
        };
        let vertices = corners.iter().zip(&vertices).map(placed).collect();
        let corners: Vec<usize> = corners.into_iter().map(|i| kept[i]).collect();
        let polytope = Polytope::assemble(vertices, cycles).filter(|p| p.volume > 0.0);
        Ok(Hull { polytope: polytope.ok_or(HullFault::Inconsistent)?, center_of_mass, corners })
    }
}

/// For each point the first one within `tolerance` (m) of it that is not itself replaced: often its own
/// index.
pub fn welded(points: &[Vector3<f64>], tolerance: f64) -> Vec<usize> {
    let cell = tolerance.max(f64::MIN_POSITIVE);
    let mut cells: HashMap<[i64; 3], Vec<usize>> = HashMap::new();
    let mut first = Vec::with_capacity(points.len());
    for (i, p) in points.iter().enumerate() {
        let at = p.map(|x| (x / cell).floor() as i64);
        let mut around = (-1..=1).flat_map(|x| (-1..=1).flat_map(move |y| (-1..=1).map(move |z| [x, y, z])));
        let known = around.find_map(|d| {
            let there = [0, 1, 2].map(|k| at[k].saturating_add(d[k]));
            cells.get(&there)?.iter().copied().find(|j| (points[*j] - p).norm() <= tolerance)
        });
        if known.is_none() {
            cells.entry([at.x, at.y, at.z]).or_default().push(i);
        }
        first.push(known.unwrap_or(i));
    }
    first
}

/// Indices of the points without those within `tolerance` (m) of an earlier one.
fn distinct(points: &[Vector3<f64>], tolerance: f64) -> Vec<usize> {
    let first = welded(points, tolerance);
    (0..points.len()).filter(|i| first[*i] == *i).collect()
}

/// Principal directions of the points (columns) and their extents along them, the longest first.
fn principal_box(points: &[Vector3<f64>]) -> (Matrix3<f64>, Vector3<f64>) {
    let mean = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let largest = points.iter().map(|p| (p - mean).amax()).fold(f64::MIN_POSITIVE, f64::max);
    let scatter: Matrix3<f64> = points
        .iter()
        .map(|p| {
            let d = (p - mean) / largest;
            d * d.transpose()
        })
        .sum();
    let axes = scatter.symmetric_eigen().eigenvectors;
    let mut found: Vec<(f64, Vector3<f64>)> = axes
        .column_iter()
        .map(|axis| {
            let along = points.iter().map(|p| axis.dot(p));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            (high - low, axis.into_owned())
        })
        .collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    // A rotation: a reflection would turn the triangles inside out.
    let third = found[0].1.cross(&found[1].1);
    let rotation = Matrix3::from_columns(&[found[0].1, found[1].1, third]);
    (rotation, Vector3::new(found[0].0, found[1].0, found[2].0))
}

/// Whether a cloud of these extents (the longest first) is a solid.
fn solid(n_points: usize, extents: &Vector3<f64>) -> Result<(), HullFault> {
    let nothing = COINCIDENT * extents.x;
    if extents.y <= nothing {
        Err(HullFault::Collinear)
    } else if extents.z <= nothing {
        Err(if n_points < 4 { HullFault::TooFew(n_points) } else { HullFault::Flat })
    } else if extents.x > LARGEST_RATIO * extents.z {
        Err(HullFault::TooThin { length: extents.x, thickness: extents.z })
    } else {
        Ok(())
    }
}

/// Triangles of the hull as indices of points. The points are first stretched to a cube, which does not
/// change what their hull is, for the quickhull takes thin bodies for flat ones.
fn triangles(
    points: &[Vector3<f64>],
    rotation: &Matrix3<f64>,
    extents: &Vector3<f64>,
) -> Result<Vec<[usize; 3]>, HullFault> {
    let stretched = |p: &Vector3<f64>| {
        let q = rotation.tr_mul(p).component_div(extents);
        ParryPoint::new(q.x, q.y, q.z)
    };
    let cloud: Vec<ParryPoint> = points.iter().map(stretched).collect();
    let key = |p: &ParryPoint| [p.x.to_bits(), p.y.to_bits(), p.z.to_bits()];
    let mut index = HashMap::with_capacity(cloud.len());
    for (i, p) in cloud.iter().enumerate() {
        index.entry(key(p)).or_insert(i);
    }
    // Asserts of the quickhull about its own surface are errors to us.
    let (hull, triangles) = catch_unwind(AssertUnwindSafe(|| try_convex_hull(&cloud)))
        .ok()
        .and_then(Result::ok)
        .ok_or(HullFault::Inconsistent)?;
    let point = |corner: u32| index.get(&key(&hull[corner as usize])).copied();
    let known = triangles.iter().map(|t| Some([point(t[0])?, point(t[1])?, point(t[2])?]));
    known.collect::<Option<_>>().ok_or(HullFault::Inconsistent)
}

/// A closed surface over some points.
struct Surface {
    /// Indices of the points that are corners, ascending.
    corners: Vec<usize>,
    /// Of each face, counter-clockwise from outside, as indices into the corners.
    cycles: Vec<Vec<usize>>,
    /// Where the corners are once they are in the planes of their faces (m).
    vertices: Vec<Vector3<f64>>,
}

/// The surface over the planes that hold for a tolerance (m); None when they do not fit together.
fn surface(
    points: &[Vector3<f64>],
    triangles: &[[usize; 3]],
    tolerance: f64,
    radius: f64,
) -> Option<Surface> {
    let planes = planes(points, triangles, tolerance);
    let mut n_planes = vec![0; points.len()];
    planes.iter().flatten().for_each(|i| n_planes[*i] += 1);
    let corners: Vec<usize> = (0..points.len()).filter(|i| n_planes[*i] >= 3).collect();
    let mut vertices: Vec<Vector3<f64>> = corners.iter().map(|i| points[*i]).collect();
    let cycles: Vec<Vec<usize>> = planes
        .iter()
        .map(|cycle| cycle.iter().filter_map(|i| corners.binary_search(i).ok()).collect())
        .collect();
    if cycles.iter().any(|c| c.len() < 3) {
        return None;
    }
    let moved = flatten(&mut vertices, &cycles, radius)?;
    if moved > MAX_MOVED * tolerance {
        return None;
    }
    let polytope = Polytope::assemble(vertices, cycles.clone())?;
    // No corner may be outside, and no two faces may lie in one plane.
    let outside = 2.0 * tolerance + moved;
    let inside = |p: &Vector3<f64>| polytope.faces.iter().all(|f| f.normal.dot(p) <= f.offset + outside);
    points.iter().all(inside).then_some(Surface { corners, cycles, vertices: polytope.vertices })
}

/// The points on each plane that bounds the cloud, counter-clockwise seen from outside. The planes are those
/// of the triangles, the largest first.
fn planes(points: &[Vector3<f64>], triangles: &[[usize; 3]], tolerance: f64) -> Vec<Vec<usize>> {
    let mut on_hull: Vec<usize> = triangles.iter().flatten().copied().collect();
    on_hull.sort_unstable();
    on_hull.dedup();
    let mut ranked: Vec<(f64, [usize; 3])> =
        triangles.iter().map(|t| (area_vector(points, t).norm(), *t)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut planes: Vec<Vec<usize>> = Vec::new();
    let mut on: Vec<Vec<usize>> = vec![Vec::new(); points.len()]; // planes through each point
    for (_, t) in ranked {
        if on[t[0]].iter().any(|plane| on[t[1]].contains(plane) && on[t[2]].contains(plane)) {
            continue;
        }
        let Some(cycle) = plane(points, &on_hull, &t, tolerance) else { continue };
        for &i in &cycle {
            on[i].push(planes.len());
        }
        planes.push(cycle);
    }
    planes
}

/// All points of the hull on the plane of a triangle, in their order about it; None if a point is outside.
fn plane(
    points: &[Vector3<f64>],
    on_hull: &[usize],
    triangle: &[usize; 3],
    tolerance: f64,
) -> Option<Vec<usize>> {
    let mut cycle = triangle.to_vec();
    // The second round is with the plane of the whole polygon.
    for _ in 0..2 {
        let normal = area_vector(points, &cycle).try_normalize(0.0)?;
        let offset = cycle.iter().map(|i| normal.dot(&points[*i])).sum::<f64>() / cycle.len() as f64;
        let height = |i: &usize| normal.dot(&points[*i]) - offset;
        if on_hull.iter().any(|i| height(i) > tolerance) {
            return None;
        }
        let mut on_plane: Vec<usize> = on_hull.iter().copied().filter(|i| height(i) >= -tolerance).collect();
        let middle = on_plane.iter().map(|i| points[*i]).sum::<Vector3<f64>>() / on_plane.len() as f64;
        let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0));
        let second = normal.cross(&first);
        let angle = |i: &usize| {
            let arm = points[*i] - middle;
            second.dot(&arm).atan2(first.dot(&arm))
        };
        on_plane.sort_by(|a, b| angle(a).total_cmp(&angle(b)).then(a.cmp(b)));
        cycle = on_plane;
    }
    Some(cycle)
}

#[cfg(test)]
mod tests;
