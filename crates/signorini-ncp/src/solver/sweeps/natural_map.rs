//! The natural map of all contacts.

use crate::solver::parameters::sweeps::ZERO_SQUARE;
use crate::solver::sweeps::batch::Batch;
use crate::solver::sweeps::lanes::{Lanes, WIDTH, slip};
use crate::solver::sweeps::moving::gather;
use crate::solver::sweeps::section::{Node, Section, Visit};

/// The largest natural map of contacts and joints, each in its unit, or overlap if that counts more.
pub(super) struct NaturalMap;

impl Visit for NaturalMap {
    type Found = f64;

    fn visit(&self, _: &Node, own: Section<'_>) -> f64 {
        pulp::Arch::new().dispatch(OwnMap(own))
    }

    fn add(&self, a: f64, b: f64) -> f64 {
        a.max(b)
    }
}

struct OwnMap<'a>(Section<'a>);

impl pulp::WithSimd for OwnMap<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> f64 {
        let Section { batches, rows, impulses, terms, motions, .. } = self.0;
        let mut worst = [0.0_f64; WIDTH];
        for batch in batches {
            let at = gather(motions, &batch.bodies);
            let (mut map, mut overlap) = ([0.0_f64; WIDTH], [0.0_f64; WIDTH]);
            let mut sum = [0.0; WIDTH];
            for row in batch.row..batch.row + batch.kind.n_normal {
                let (swept, x) = (&rows[row], &impulses[row].x);
                let y = slip(&swept.along, &at, &swept.offset);
                for lane in 0..WIDTH {
                    let (x, step) = (x[lane], batch.stiffening[lane] * swept.weight[lane] * y[lane]);
                    let distance = if batch.kind.bounded {
                        let [low, high] = &terms[row].bounds;
                        x - (x - step).max(low[lane]).min(high[lane])
                    } else {
                        x.min(step)
                    };
                    map[lane] = map[lane].max(distance.abs());
                    overlap[lane] = overlap[lane].max(-y[lane]);
                    sum[lane] += x.max(0.0);
                }
            }
            let first = batch.row + batch.kind.n_normal;
            let (mut z, mut square) = ([[0.0; WIDTH]; 3], [0.0; WIDTH]);
            for (k, z) in z.iter_mut().enumerate().take(batch.kind.n_friction) {
                let y = slip(&rows[first + k].along, &at, &rows[first + k].offset);
                for lane in 0..WIDTH {
                    z[lane] = impulses[first + k].x[lane] - batch.friction_weight[lane] * y[lane];
                    square[lane] += z[lane] * z[lane];
                }
            }
            let shrink = shrink(batch, &sum, &square);
            let mut distance = [0.0; WIDTH];
            for (k, z) in z.iter().enumerate().take(batch.kind.n_friction) {
                for lane in 0..WIDTH {
                    let off = z[lane] * shrink[lane] - impulses[first + k].x[lane];
                    distance[lane] += off * off;
                }
            }
            for lane in 0..WIDTH {
                let map = map[lane].max(distance[lane].sqrt());
                worst[lane] =
                    worst[lane].max(map * batch.per_unit[lane]).max(overlap[lane] * batch.overlap[lane]);
            }
        }
        worst.into_iter().fold(0.0, f64::max)
    }
}

/// Factor that brings friction of these squared lengths back onto the ball.
#[inline(always)]
pub(super) fn shrink(batch: &Batch, sum: &Lanes, square: &Lanes) -> Lanes {
    let mut shrink = [1.0; WIDTH];
    for lane in 0..WIDTH {
        let radius = batch.friction[lane] * sum[lane];
        let onto = radius / square[lane].max(ZERO_SQUARE).sqrt();
        shrink[lane] = if square[lane] > radius * radius { onto } else { 1.0 };
    }
    shrink
}
