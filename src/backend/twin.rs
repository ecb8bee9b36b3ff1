//! The kernels' Rust twins as a backend: f64 is what the CPU path computes, f32 what a shader should.

use super::{Backend, Batch, BoxFeatures, Evaluated, Fault, Precision};
use crate::kernels::box_axis::box_axis;
use crate::kernels::box_half_space::box_half_space;
use crate::kernels::candidate_gap::candidate_gap;
use crate::kernels::contact_rows::contact_rows;
use crate::kernels::pair_geometry::pair_geometry;
use crate::kernels::smooth_pair::Search;
use crate::kernels::types::BoxPair;
use rayon::prelude::*;

/// Evaluates on the CPU.
#[derive(Debug, Clone, Copy)]
pub struct Twin {
    /// Arithmetic.
    pub precision: Precision,
}

/// Pairs a thread takes at a time.
const PORTION: usize = 256;

impl Backend for Twin {
    fn name(&self) -> String {
        format!("CPU, {}", self.precision.as_str())
    }

    fn precision(&self) -> Precision {
        self.precision
    }

    fn evaluate(&self, batch: &Batch, out: &mut Evaluated) -> Result<(), Fault> {
        let indices = (0..batch.pairs.len()).into_par_iter().with_min_len(PORTION);
        let one = |i: usize| match self.precision {
            Precision::F64 => evaluate_f64(batch, i),
            Precision::F32 => evaluate_f32(batch, i),
        };
        indices.map(one).unzip_into_vecs(&mut out.geometry, &mut out.rows);
        Ok(())
    }
}

type Pair = (crate::kernels::types::PairGeometry<f64>, crate::kernels::types::PairRows<f64>);

fn evaluate_f64(batch: &Batch, i: usize) -> Pair {
    let key = &batch.keys[i];
    let bodies = [key.body_a, key.body_b].map(|b| &batch.bodies[b as usize]);
    let geometry = pair_geometry(bodies, &batch.pairs[i], key, &search_f64());
    let rows = contact_rows(bodies, &batch.pairs[i], key, &geometry, batch.time_step);
    (geometry, rows)
}

fn evaluate_f32(batch: &Batch, i: usize) -> Pair {
    let key = &batch.keys[i];
    let bodies = [key.body_a, key.body_b].map(|b| batch.bodies[b as usize].map(|x| x as f32));
    let bodies = [&bodies[0], &bodies[1]];
    let pair = batch.pairs[i].map(|x| x as f32);
    let geometry = pair_geometry(bodies, &pair, key, &search_f32());
    let rows = contact_rows(bodies, &pair, key, &geometry, batch.time_step as f32);
    (geometry.map(f64::from), rows.map(f64::from))
}

/// Features of boxes, by the f64 twins.
pub fn find_boxes(boxes: &[BoxPair<f64>], on_planes: &[BoxPair<f64>], out: &mut BoxFeatures) {
    boxes.par_iter().with_min_len(PORTION).map(box_axis).collect_into_vec(&mut out.axes);
    on_planes.par_iter().with_min_len(PORTION).map(box_half_space).collect_into_vec(&mut out.heights);
}

/// Lower bounds of gaps, by the f64 twin.
pub fn find_bounds(batch: &Batch, out: &mut Vec<f64>) {
    let bound = |i: usize| {
        let key = &batch.keys[i];
        let bodies = [key.body_a, key.body_b].map(|b| &batch.bodies[b as usize]);
        candidate_gap(bodies, &batch.pairs[i], key)
    };
    (0..batch.pairs.len()).into_par_iter().with_min_len(PORTION).map(bound).collect_into_vec(out);
}

/// How closest points are searched in f64: as the CPU path does.
pub fn search_f64() -> Search<f64> {
    Search::to(crate::kernels::smooth_pair::CLOSEST_POINT_TOLERANCE)
}

/// How they are searched in f32.
pub fn search_f32() -> Search<f32> {
    Search::coarse()
}
