//! The cells of a surface, as thick as other triangles behind them allow.

use super::topology::Topology;
use super::triangles::{Surface, SurfaceFault};
use crate::Polytope;
use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector3 as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// Most halvings of the thickness of cells that meet others, or would be no solids.
const HALVINGS: usize = 12;
/// A side of a cell whose four corners miss a plane by less than this fraction of its size is one face.
const IN_PLANE: f64 = 1e-13;
/// Rounding of the corners of a cell over its size.
const ROUNDING: f64 = 1e-12;
/// A triangle that extends less than this fraction of its size into a cell touches it from outside.
const TOUCHES: f64 = 1e-9;

type Point = Vector3<f64>;
type Solid = (Polytope, Point);

/// A surface as solids.
#[derive(Debug, Clone)]
pub struct Cells {
    /// The cell of each triangle about its centre of mass, and the place of this centre (m). Its first three
    /// vertices are the corners of the triangle.
    pub solids: Vec<(Polytope, Vector3<f64>)>,
    /// Cells that are less thick than the surface because other triangles lie close behind, and the least
    /// part of the thickness that is left.
    pub thinner: (usize, f64),
}

impl Surface {
    /// The cells behind the triangles.
    ///
    /// # Errors
    /// When the triangles are no oriented surface or cut each other.
    pub fn cells(&self) -> Result<Cells, SurfaceFault> {
        cells(self, &Topology::of(self)?)
    }
}

fn cells(surface: &Surface, topology: &Topology) -> Result<Cells, SurfaceFault> {
    let n = surface.triangles.len();
    let tree = boxes(surface);
    let mut depth = vec![surface.thickness; topology.behind.len()];
    let mut solids: Vec<Option<Solid>> = vec![None; n];
    let mut open: Vec<usize> = (0..n).collect();
    for round in 0..=HALVINGS {
        let mut halved = vec![false; depth.len()];
        for &t in &open {
            let top = surface.corners(t);
            let bottom = [0, 1, 2].map(|k| {
                let fan = topology.fan[t][k];
                top[k] + topology.behind[fan] * depth[fan]
            });
            solids[t] = prism(top, bottom);
            let cut = solids[t].as_ref().map_or(Some(t), |solid| meets(surface, &tree, t, solid));
            if let Some(other) = cut {
                if round == HALVINGS {
                    return Err(SurfaceFault::Cut(t, other));
                }
                topology.fan[t].iter().for_each(|fan| halved[*fan] = true);
            }
        }
        if !halved.contains(&true) {
            break;
        }
        depth.iter_mut().zip(&halved).filter(|(_, halved)| **halved).for_each(|(depth, _)| *depth *= 0.5);
        open = (0..n).filter(|t| topology.fan[*t].iter().any(|fan| halved[*fan])).collect();
    }
    let parts = topology.fan.iter().map(|fans| fans.map(|fan| depth[fan]).into_iter().fold(1e300, f64::min));
    let thinner = parts
        .filter(|depth| *depth < surface.thickness)
        .fold((0, 1.0), |(n, least), depth| (n + 1, f64::min(least, depth / surface.thickness)));
    Ok(Cells { solids: solids.into_iter().flatten().collect(), thinner })
}

fn boxes(surface: &Surface) -> Bvh {
    let boxed = (0..surface.triangles.len()).map(|t| {
        let [a, b, c] = surface.corners(t);
        (t, aabb(&a.inf(&b).inf(&c), &a.sup(&b).sup(&c)))
    });
    Bvh::from_iter(BvhBuildStrategy::Binned, boxed.collect::<Vec<_>>())
}

fn aabb(low: &Point, high: &Point) -> Aabb {
    let [mins, maxs] = [low, high].map(|p| ParryVector::new(p.x, p.y, p.z));
    Aabb { mins, maxs }
}

/// The first other triangle that extends into the cell of a triangle, if any.
fn meets(surface: &Surface, tree: &Bvh, triangle: usize, (cell, center): &Solid) -> Option<usize> {
    let at = |v: &Point| v + center;
    let first = at(&cell.vertices[0]);
    let (low, high) = cell.vertices.iter().map(at).fold((first, first), |(l, h), p| (l.inf(&p), h.sup(&p)));
    let room = TOUCHES * (high - low).norm();
    let mut near: Vec<usize> = tree.intersect_aabb(&aabb(&low, &high)).map(|t| t as usize).collect();
    near.sort_unstable();
    near.into_iter().filter(|other| *other != triangle).find(|other| {
        let mut left: Vec<Point> = surface.corners(*other).map(|p| p - center).to_vec();
        for face in &cell.faces {
            if left.is_empty() {
                return false;
            }
            left = below(&left, &face.normal, face.offset - room);
        }
        !left.is_empty()
    })
}

/// The part of a convex polygon where n·x < offset.
fn below(polygon: &[Point], n: &Point, offset: f64) -> Vec<Point> {
    let heights: Vec<f64> = polygon.iter().map(|p| n.dot(p) - offset).collect();
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, from) in polygon.iter().enumerate() {
        let j = (i + 1) % polygon.len();
        let (low, high) = (heights[i], heights[j]);
        if low < 0.0 {
            kept.push(*from);
        }
        if low * high < 0.0 {
            kept.push(from + (polygon[j] - from) * (low / (low - high)));
        }
    }
    kept
}

/// The solid between a triangle, counter-clockwise from outside, and three points behind its corners, about
/// its centre of mass, and where that is. None if it is not convex.
fn prism(top: [Point; 3], bottom: [Point; 3]) -> Option<Solid> {
    let middle = (top[0] + top[1] + top[2] + bottom[0] + bottom[1] + bottom[2]) / 6.0;
    let vertices: Vec<Point> = top.into_iter().chain(bottom).map(|p| p - middle).collect();
    let size = vertices.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let mut cycles = vec![vec![0, 1, 2], vec![3, 5, 4]];
    for k in 0..3 {
        let next = (k + 1) % 3;
        let around = [next, k, 3 + k, 3 + next];
        let [a, b, c, d] = around.map(|v| vertices[v]);
        let twist = (b - a).cross(&(c - a)).dot(&(d - a));
        let [a, b, c, d] = around;
        if twist.abs() <= IN_PLANE * size * size * size {
            cycles.push(vec![a, b, c, d]);
        } else if twist < 0.0 {
            cycles.extend([vec![a, b, c], vec![a, c, d]]);
        } else {
            cycles.extend([vec![a, b, d], vec![b, c, d]]);
        }
    }
    let about_middle = Polytope::assemble(vertices, cycles.clone())?;
    let center = middle + about_middle.centroid();
    let vertices: Vec<Point> = top.into_iter().chain(bottom).map(|p| p - center).collect();
    let solid = Polytope::assemble(vertices, cycles).filter(|p| p.volume > 0.0)?;
    let is_convex = solid.faces.iter().all(|face| {
        solid.vertices.iter().all(|v| face.normal.dot(v) <= inner(face, &solid) + ROUNDING * size)
    });
    is_convex.then_some((solid, center))
}

/// n·x at the corners of a face that is nearest to its inner side.
fn inner(face: &crate::polytope::Face, solid: &Polytope) -> f64 {
    face.vertices.iter().map(|v| face.normal.dot(&solid.vertices[*v])).fold(f64::INFINITY, f64::min)
}
