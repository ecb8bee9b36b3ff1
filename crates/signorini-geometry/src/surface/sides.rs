//! The triangles on the other side of the sides of a surface.

use super::triangles::{Surface, SurfaceFault};
use nalgebra::Vector3;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Triangles around a side that enclose less (rad) lie on each other.
const FLUSH: f64 = 1e-4;

/// The triangles along a line between two corners that run from the first to the second.
type Runs = HashMap<(usize, usize), Vec<usize>>;

/// Of each side of each triangle, from its corner k to the next: the triangle that runs along it the other
/// way. Where several do, as where two solids touch along an edge, the one behind which the same solid lies.
pub fn neighbours(surface: &Surface) -> Result<Vec<[Option<usize>; 3]>, SurfaceFault> {
    let triangles = &surface.triangles;
    let mut runs = Runs::with_capacity(3 * triangles.len());
    for (t, corners) in triangles.iter().enumerate() {
        (0..3).for_each(|k| runs.entry((corners[k], corners[(k + 1) % 3])).or_default().push(t));
    }
    let mut beside = vec![[None; 3]; triangles.len()];
    for (t, corners) in triangles.iter().enumerate() {
        for k in 0..3 {
            let line = (corners[k], corners[(k + 1) % 3]);
            let same = runs[&line].as_slice();
            let back = runs.get(&(line.1, line.0)).map_or(&[][..], Vec::as_slice);
            beside[t][k] = match (same, back) {
                ([_], []) => None,
                ([_], [other]) => Some(*other),
                _ if same.len() == back.len() => Some(behind_same_solid(surface, line, t, same, back)?),
                _ if same.len() > 1 => return Err(SurfaceFault::Winding(same[0], same[1])),
                _ => return Err(SurfaceFault::Winding(back[0], back[1])),
            };
            if let Some(other) = beside[t][k].filter(|other| is_folded(surface, line, t, *other)) {
                return Err(SurfaceFault::Folded(t.min(other)));
            }
        }
    }
    Ok(beside)
}

/// The triangle met first on the way from triangle t through the solid behind it, round the line.
fn behind_same_solid(
    surface: &Surface,
    line: (usize, usize),
    t: usize,
    same: &[usize],
    back: &[usize],
) -> Result<usize, SurfaceFault> {
    let angle = |other: &usize| {
        let angle = angle_behind(surface, line, t, *other);
        if angle < FLUSH { TAU } else { angle }
    };
    let first = |of: &[usize]| {
        let others = of.iter().filter(|other| **other != t).map(|other| (angle(other), *other));
        others.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let Some((angle, found)) = first(back) else { return Err(SurfaceFault::Winding(t, t)) };
    match first(same) {
        Some((before, other)) if before < angle - FLUSH => Err(SurfaceFault::Winding(t, other)),
        _ => Ok(found),
    }
}

/// The angle (rad) from triangle t through the solid behind it to another triangle at the line.
fn angle_behind(surface: &Surface, line: (usize, usize), t: usize, other: usize) -> f64 {
    let (from, to) = (surface.points[line.0], surface.points[line.1]);
    let along = (to - from).normalize();
    let across = |triangle: usize| -> Vector3<f64> {
        let third = surface.triangles[triangle].into_iter().find(|v| *v != line.0 && *v != line.1);
        let arm = third.map_or(Vector3::zeros(), |v| surface.points[v] - from);
        arm - along * along.dot(&arm)
    };
    let (own, there) = (across(t), across(other));
    let inward = -along.cross(&own);
    there.dot(&inward).atan2(there.dot(&own)).rem_euclid(TAU)
}

/// Whether two triangles lie on each other with no solid, or with nothing but solid, between them. Slivers,
/// whose normals are rounding, do not.
fn is_folded(surface: &Surface, line: (usize, usize), t: usize, other: usize) -> bool {
    let angle = angle_behind(surface, line, t, other);
    !(FLUSH..=TAU - FLUSH).contains(&angle) && !surface.is_sliver(t) && !surface.is_sliver(other)
}
