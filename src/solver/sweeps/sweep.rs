//! One sweep over all contacts, and the natural map.

use crate::solver::sweeps::lanes::{Lanes, Row, WIDTH, gather, push, scatter, slip};
use crate::solver::sweeps::rows::{Batch, Rows};

/// Squares of lengths below this count as zero.
const TINY: f64 = 1e-300;

impl Rows {
    /// Solves every row in turn with the others held: normal rows one by one, then friction on the ball they
    /// allow; rows of joints within their bounds.
    #[inline(always)]
    pub fn sweep(&mut self) {
        let Self { batches, rows, offset, weight, bounds, x, w, .. } = self;
        for batch in batches.iter() {
            let mut moved = gather(w, &batch.bodies);
            let range = batch.row..batch.row + batch.kind.n_rows();
            let (rows, offset) = (&rows[range.clone()], &offset[range.clone()]);
            let (weight, x) = (&weight[range.clone()], &mut x[range.clone()]);
            if batch.kind.bounded {
                clamp_rows((rows, offset), weight, &bounds[range], x, &mut moved);
            } else {
                let n = batch.kind.n_normal;
                let sum = push_apart((&rows[..n], &offset[..n]), weight, &mut x[..n], &mut moved);
                let friction = (&rows[n..], &offset[n..]);
                match batch.kind.n_friction {
                    3 => rub::<3>(batch, &sum, friction, &mut x[n..], &mut moved),
                    2 => rub::<2>(batch, &sum, friction, &mut x[n..], &mut moved),
                    _ => (),
                }
            }
            scatter(&moved, &batch.bodies, w);
        }
    }

    /// The largest natural map of contacts and joints, each in its unit, or overlap if that counts more.
    #[inline(always)]
    pub fn natural_map(&self) -> f64 {
        let Self { batches, rows, offset, weight, bounds, x, w, .. } = self;
        let mut worst = [0.0_f64; WIDTH];
        for batch in batches {
            let at = gather(w, &batch.bodies);
            let (mut map, mut overlap) = ([0.0_f64; WIDTH], [0.0_f64; WIDTH]);
            let mut sum = [0.0; WIDTH];
            for row in batch.row..batch.row + batch.kind.n_normal {
                let y = slip(&rows[row], &at, &offset[row]);
                for lane in 0..WIDTH {
                    let (x, step) = (x[row][lane], weight[row][lane] * y[lane]);
                    let distance = if batch.kind.bounded {
                        x - (x - step).max(bounds[row][0][lane]).min(bounds[row][1][lane])
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
                let y = slip(&rows[first + k], &at, &offset[first + k]);
                for lane in 0..WIDTH {
                    z[lane] = x[first + k][lane] - batch.friction_weight[lane] * y[lane];
                    square[lane] += z[lane] * z[lane];
                }
            }
            let shrink = shrink(batch, &sum, &square);
            let mut distance = [0.0; WIDTH];
            for (k, z) in z.iter().enumerate().take(batch.kind.n_friction) {
                for lane in 0..WIDTH {
                    let off = z[lane] * shrink[lane] - x[first + k][lane];
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

/// Normal rows; the sums of their impulses.
#[inline(always)]
fn push_apart(
    (rows, offset): (&[Row], &[Lanes]),
    weight: &[Lanes],
    x: &mut [Lanes],
    moved: &mut Row,
) -> Lanes {
    let mut sum = [0.0; WIDTH];
    for (((row, offset), weight), x) in rows.iter().zip(offset).zip(weight).zip(x) {
        let y = slip(row, moved, offset);
        let mut dx = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let next = (x[lane] - weight[lane] * y[lane]).max(0.0);
            dx[lane] = next - x[lane];
            x[lane] = next;
            sum[lane] += next;
        }
        push(row, &dx, moved);
    }
    sum
}

/// Friction on the ball of the normal impulses `sum`.
#[inline(always)]
fn rub<const N: usize>(
    batch: &Batch,
    sum: &Lanes,
    (rows, offset): (&[Row], &[Lanes]),
    x: &mut [Lanes],
    moved: &mut Row,
) {
    let (mut z, mut square) = ([[0.0; WIDTH]; N], [0.0; WIDTH]);
    for k in 0..N {
        let y = slip(&rows[k], moved, &offset[k]);
        for lane in 0..WIDTH {
            z[k][lane] = x[k][lane] - batch.friction_step[lane] * y[lane];
            square[lane] += z[k][lane] * z[k][lane];
        }
    }
    let shrink = shrink(batch, sum, &square);
    for k in 0..N {
        let mut dx = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let next = z[k][lane] * shrink[lane];
            dx[lane] = next - x[k][lane];
            x[k][lane] = next;
        }
        push(&rows[k], &dx, moved);
    }
}

/// What brings friction of these squared lengths back onto the ball.
#[inline(always)]
fn shrink(batch: &Batch, sum: &Lanes, square: &Lanes) -> Lanes {
    let mut shrink = [1.0; WIDTH];
    for lane in 0..WIDTH {
        let radius = batch.friction[lane] * sum[lane];
        let onto = radius / square[lane].max(TINY).sqrt();
        shrink[lane] = if square[lane] > radius * radius { onto } else { 1.0 };
    }
    shrink
}

/// Rows of joints.
#[inline(always)]
fn clamp_rows(
    (rows, offset): (&[Row], &[Lanes]),
    weight: &[Lanes],
    bounds: &[[Lanes; 2]],
    x: &mut [Lanes],
    moved: &mut Row,
) {
    for ((((row, offset), weight), [low, high]), x) in rows.iter().zip(offset).zip(weight).zip(bounds).zip(x)
    {
        let y = slip(row, moved, offset);
        let mut dx = [0.0; WIDTH];
        for lane in 0..WIDTH {
            let next = (x[lane] - weight[lane] * y[lane]).max(low[lane]).min(high[lane]);
            dx[lane] = next - x[lane];
            x[lane] = next;
        }
        push(row, &dx, moved);
    }
}
