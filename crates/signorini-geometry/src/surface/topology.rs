//! Triangles of a surface that have common sides, and places behind their corners.

use super::pieces::Pieces;
use super::sides::neighbours;
use super::triangles::{Surface, SurfaceFault};
use nalgebra::Vector3;

/// Rounds of the search for a direction behind all triangles around a corner.
const MAX_ROUNDS: usize = 400;
/// Sine by which triangles around a corner look away from the solid behind them, at least.
const BEHIND: f64 = 0.02;
/// A place behind a corner is at most so many times the thickness away from it.
const FARTHEST: f64 = 3.0;

/// Neighbours of triangles, and the fans around their corners.
#[derive(Debug)]
pub struct Topology {
    /// Of each side of each triangle, from its corner k to the next: the triangle that runs along it the
    /// other way.
    pub beside: Vec<[Option<usize>; 3]>,
    /// Of each corner of each triangle: the fan of triangles around it that hang together by their sides.
    pub fan: Vec<[usize; 3]>,
    /// Pieces that hang together by sides.
    pub pieces: Pieces,
    /// Of each fan: from the corner to the place behind it, at a thickness of 1. None where the triangles
    /// around the corner look in all directions.
    pub behind: Vec<Option<Vector3<f64>>>,
}

impl Topology {
    /// The topology of a surface.
    pub fn of(surface: &Surface) -> Result<Self, SurfaceFault> {
        let beside = neighbours(surface)?;
        let (fan, n_fans) = fans(&surface.triangles, &beside);
        let mut around = vec![Vec::new(); n_fans];
        for (t, fans) in fan.iter().enumerate() {
            fans.iter().enumerate().for_each(|(k, fan)| around[*fan].push((t, k)));
        }
        let normals: Vec<_> = (0..surface.triangles.len()).map(|t| surface.normal(t)).collect();
        let behind = around.iter().map(|corners| {
            let weighted = corners.iter().map(|(t, k)| (normals[*t], angle(surface, *t, *k)));
            place_behind(weighted.collect())
        });
        let behind = behind.collect();
        let pieces = Pieces::of(surface, &beside);
        Ok(Self { beside, fan, pieces, behind })
    }
}

/// Corners of triangles with a common side are of one fan; the fan of each corner, and how many there are.
fn fans(triangles: &[[usize; 3]], beside: &[[Option<usize>; 3]]) -> (Vec<[usize; 3]>, usize) {
    let mut fan = vec![[usize::MAX; 3]; triangles.len()];
    let (mut n_fans, mut open) = (0, Vec::new());
    for (t, k) in (0..triangles.len()).flat_map(|t| [(t, 0), (t, 1), (t, 2)]) {
        if fan[t][k] != usize::MAX {
            continue;
        }
        let corner = triangles[t][k];
        open.push((t, k));
        while let Some((t, k)) = open.pop() {
            if fan[t][k] != usize::MAX {
                continue;
            }
            fan[t][k] = n_fans;
            // The sides that begin and end at the corner.
            for other in [beside[t][k], beside[t][(k + 2) % 3]].into_iter().flatten() {
                open.extend((0..3).filter(|l| triangles[other][*l] == corner).map(|l| (other, l)));
            }
        }
        n_fans += 1;
    }
    (fan, n_fans)
}

/// The angle of a triangle at its corner k.
fn angle(surface: &Surface, triangle: usize, k: usize) -> f64 {
    let corners = surface.corners(triangle);
    let [to, back] = [1, 2].map(|d| corners[(k + d) % 3] - corners[k]);
    to.cross(&back).norm().atan2(to.dot(&back))
}

/// From a corner to a place behind all triangles around it (weighted normals), at least 1 behind each but for
/// very acute corners. None if they look in all directions.
fn place_behind(normals: Vec<(Vector3<f64>, f64)>) -> Option<Vector3<f64>> {
    let mut sum: Vector3<f64> = normals.iter().map(|(n, weight)| n * *weight).sum();
    let least = |d: &Vector3<f64>| {
        let along = normals.iter().map(|(n, _)| (n.dot(d), n));
        along.min_by(|a, b| a.0.total_cmp(&b.0)).map_or((0.0, Vector3::zeros()), |(c, n)| (c, *n))
    };
    let mut best: Option<(f64, Vector3<f64>)> = None;
    for _ in 0..MAX_ROUNDS {
        let Some(direction) = sum.try_normalize(f64::MIN_POSITIVE) else { break };
        let (cosine, worst) = least(&direction);
        if best.is_none_or(|(most, _)| cosine > most) {
            best = Some((cosine, direction));
        }
        if cosine > BEHIND {
            break;
        }
        sum += worst * sum.norm();
    }
    let (cosine, direction) = best.filter(|(cosine, _)| *cosine > BEHIND)?;
    Some(-direction * (1.0 / cosine).min(FARTHEST))
}
