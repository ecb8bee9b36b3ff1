//! Parts of a body that fill the same space.

use crate::scene::nearby::Nearby;
use crate::scene::overlap::{Placed, gap};
use signorini_geometry::{Pose, Shape};
use std::collections::HashSet;

/// Parts whose masses are added may overlap by this much of the size of the smaller one.
const ACCEPTED_DEPTH: f64 = 1e-4;

/// Two entries of which parts overlap by more than is accepted.
pub struct Overlap {
    /// Both entries, the later one first.
    pub of: [usize; 2],
    /// Depth of the overlap (m).
    pub depth: f64,
    /// Largest depth that is accepted (m).
    pub allowed: f64,
}

/// Pairs of entries that overlap; each part comes with its entry. Parts of one entry may overlap.
pub fn overlaps(parts: &[(usize, &Shape, Pose)]) -> Vec<Overlap> {
    let placed: Vec<Placed> = parts.iter().map(|(_, shape, pose)| Placed::new(shape, pose)).collect();
    let mut nearby = Nearby::fit_for(placed.iter());
    placed.iter().enumerate().for_each(|(k, shape)| nearby.insert(k, shape));
    let (mut near, mut known, mut found) = (Vec::new(), HashSet::new(), Vec::new());
    for (k, shape) in placed.iter().enumerate() {
        nearby.query(shape, 0.0, &mut near);
        for &l in near.iter().filter(|l| **l < k) {
            let ((i, of_i, _), (j, of_j, _)) = (parts[k], parts[l]);
            if i == j || known.contains(&(i, j)) {
                continue;
            }
            let size = |shape: &Shape| shape.size().unwrap_or(f64::INFINITY);
            let allowed = ACCEPTED_DEPTH * size(of_i).min(size(of_j));
            let Some(gap) = gap(&placed[l], shape).filter(|gap| gap.distance < -allowed) else { continue };
            found.push(Overlap { of: [i, j], depth: -gap.distance, allowed });
            known.insert((i, j));
        }
    }
    found
}
