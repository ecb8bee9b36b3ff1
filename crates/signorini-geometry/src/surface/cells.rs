//! The cells of a surface, as thick as other triangles behind them allow.

use super::pieces::Pieces;
use super::prism::{Solid, frustum, prism};
use super::topology::Topology;
use super::triangles::{Surface, SurfaceFault};
use crate::Polytope;
use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector3 as ParryVector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// Most halvings of the thickness of cells that meet others, or would be no solids.
const HALVINGS: i32 = 12;
/// Halvings after which cells that are no solids stay alone.
const PATIENCE: usize = 3;
/// Least depth of a cell over the rounding of corners: triangles that reach into this one cut each other.
const LEAST_DEPTH: f64 = 8.0;
/// A triangle that extends less than this fraction of its size into a cell touches it from outside.
const TOUCHES: f64 = 1e-9;

type Point = Vector3<f64>;

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
    let around = Around { surface, pieces: &topology.pieces, tree: boxes(surface) };
    let mut depth = vec![surface.thickness; topology.behind.len()];
    let shared = shared(&around, topology, &mut depth);
    let mut solids = Vec::with_capacity(shared.len());
    let mut thinner = (0, 1.0);
    for (t, cell) in shared.into_iter().enumerate() {
        let depth = topology.fan[t].map(|fan| depth[fan]).into_iter().fold(f64::INFINITY, f64::min);
        let (solid, depth) = match cell {
            Some(solid) => (solid, depth),
            None => alone(&around, t, depth)?,
        };
        if depth < surface.thickness {
            thinner = (thinner.0 + 1, f64::min(thinner.1, depth / surface.thickness));
        }
        solids.push(solid);
    }
    Ok(Cells { solids, thinner })
}

/// Cells that share points behind the corners of their triangles, as deep as fits. None where no cell does.
fn shared(around: &Around<'_>, topology: &Topology, depth: &mut [f64]) -> Vec<Option<Solid>> {
    let surface = around.surface;
    let n = surface.triangles.len();
    let mut solids: Vec<Option<Solid>> = vec![None; n];
    let mut open: Vec<usize> = (0..n).collect();
    let least = LEAST_DEPTH * surface.rounding();
    let halvings = (1..=HALVINGS).take_while(|k| surface.thickness * 0.5_f64.powi(*k) > least).count();
    for round in 0..=halvings {
        let mut halved = vec![false; depth.len()];
        for &t in &open {
            let top = surface.corners(t);
            let behind = topology.fan[t].map(|fan| topology.behind[fan].map(|behind| behind * depth[fan]));
            let [Some(a), Some(b), Some(c)] = behind else { continue };
            solids[t] = prism(top, [top[0] + a, top[1] + b, top[2] + c]);
            let fits = match &solids[t] {
                Some(solid) => around.meets(t, solid).is_none(),
                // A cell alone is deeper than one that others must follow down.
                None => round >= PATIENCE,
            };
            if !fits {
                topology.fan[t].iter().for_each(|fan| halved[*fan] = true);
                if round == halvings {
                    solids[t] = None;
                }
            }
        }
        if round == halvings || !halved.contains(&true) {
            break;
        }
        depth.iter_mut().zip(&halved).filter(|(_, halved)| **halved).for_each(|(depth, _)| *depth *= 0.5);
        open = (0..n).filter(|t| topology.fan[*t].iter().any(|fan| halved[*fan])).collect();
    }
    solids
}

/// The cell of a triangle that shares no points with its neighbours, as deep as fits from a depth (m) down,
/// and how deep it is. A sliver's reaches into others by less than the digits of its corners.
fn alone(around: &Around<'_>, t: usize, depth: f64) -> Result<(Solid, f64), SurfaceFault> {
    let surface = around.surface;
    let least = LEAST_DEPTH * surface.rounding();
    let is_sliver = surface.is_sliver(t);
    let mut depth = depth;
    loop {
        let found = frustum(surface.corners(t), depth);
        let other = found.as_ref().and_then(|solid| around.meets(t, solid));
        match (found, other) {
            (Some(solid), None) => return Ok((solid, depth)),
            (Some(solid), Some(_)) if is_sliver && depth <= least => return Ok((solid, depth)),
            (Some(_), Some(other)) if depth <= least => return Err(SurfaceFault::Cut(t, other)),
            (None, _) if depth <= least => return Err(SurfaceFault::Sliver(t)),
            _ => depth *= 0.5,
        }
    }
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

/// A surface, and where its triangles are.
struct Around<'a> {
    surface: &'a Surface,
    pieces: &'a Pieces,
    tree: Bvh,
}

impl Around<'_> {
    /// The first other triangle that bounds the solid behind a triangle and extends into its cell, if any.
    fn meets(&self, triangle: usize, (cell, center): &Solid) -> Option<usize> {
        let at = |v: &Point| v + center;
        let first = at(&cell.vertices[0]);
        let (low, high) =
            cell.vertices.iter().map(at).fold((first, first), |(l, h), p| (l.inf(&p), h.sup(&p)));
        let room = (TOUCHES * (high - low).norm()).max(self.surface.rounding());
        let mut near: Vec<usize> = self.tree.intersect_aabb(&aabb(&low, &high)).map(|t| t as usize).collect();
        near.retain(|other| *other != triangle && self.pieces.bounds(*other, triangle));
        near.sort_unstable();
        near.into_iter().find(|other| {
            let mut left: Vec<Point> = self.surface.corners(*other).map(|p| p - center).to_vec();
            for face in &cell.faces {
                if left.is_empty() {
                    return false;
                }
                left = below(&left, &face.normal, face.offset - room);
            }
            !left.is_empty()
        })
    }
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
