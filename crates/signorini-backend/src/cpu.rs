//! Features of boxes and bounds of gaps on the CPU, by the f64 twins on all cores, where a backend does not
//! find them.

use super::batch::{Batch, BoxFeatures};
use rayon::prelude::*;
use signorini_kernels::box_axis::box_axis;
use signorini_kernels::box_half_space::box_half_space;
use signorini_kernels::candidate_gap::candidate_gap;
use signorini_kernels::types::BoxPair;

/// Pairs a thread takes at a time.
const PORTION: usize = 256;

/// Finds the features of boxes.
pub fn find_boxes(boxes: &[BoxPair<f64>], on_planes: &[BoxPair<f64>], out: &mut BoxFeatures) {
    boxes.par_iter().with_min_len(PORTION).map(box_axis).collect_into_vec(&mut out.axes);
    on_planes.par_iter().with_min_len(PORTION).map(box_half_space).collect_into_vec(&mut out.heights);
}

/// Finds lower bounds of gaps.
pub fn find_bounds(batch: &Batch, out: &mut Vec<f64>) {
    let bound = |i: usize| {
        let key = &batch.keys[i];
        let bodies = [key.body_a, key.body_b].map(|b| &batch.bodies[b as usize]);
        candidate_gap(bodies, &batch.pairs[i], key)
    };
    (0..batch.pairs.len()).into_par_iter().with_min_len(PORTION).map(bound).collect_into_vec(out);
}
