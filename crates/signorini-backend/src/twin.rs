//! The kernels' Rust twins as a backend: f64 is the arithmetic of the CPU path, f32 that expected of a
//! shader.

use super::{Backend, Batch, Evaluated, Fault, Precision};
use rayon::prelude::*;
use signorini_kernels::constants::CLOSEST_POINT_TOLERANCE;
use signorini_kernels::contact_rows::contact_rows;
use signorini_kernels::pair_geometry::pair_geometry;
use signorini_kernels::smooth_pair::Search;
use signorini_kernels::types::{PairGeometry, PairRows};

/// A backend that evaluates on the CPU.
#[derive(Debug, Clone, Copy)]
pub struct Twin {
    /// Arithmetic of the twins.
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

type Pair = (PairGeometry<f64>, PairRows<f64>);

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

/// Search for closest points in f64, as on the CPU path.
pub fn search_f64() -> Search<f64> {
    Search::to(CLOSEST_POINT_TOLERANCE)
}

/// Search for closest points in f32.
pub fn search_f32() -> Search<f32> {
    Search::coarse()
}
