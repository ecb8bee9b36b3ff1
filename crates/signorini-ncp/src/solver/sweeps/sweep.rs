//! One sweep over all contacts, with conjugate extrapolation.

use crate::solver::sweeps::batch::{Batch, Impulses, SweptRow, Terms};
use crate::solver::sweeps::lanes::{Lanes, Row, WIDTH, push, slip};
use crate::solver::sweeps::moving::{extrapolate, gather, scatter};
use crate::solver::sweeps::natural_map::shrink;
use crate::solver::sweeps::section::{Node, Section, Visit};

/// One sweep.
pub(super) struct Sweep {
    /// β of the extrapolation that it begins with.
    pub step: f64,
}

impl Visit for Sweep {
    /// |Δx|², by lanes.
    type Found = Lanes;

    fn visit(&self, node: &Node, own: Section<'_>) -> Lanes {
        pulp::Arch::new().dispatch(SweepOwn { step: self.step, begins: node.halves.is_none(), own })
    }

    fn add(&self, mut a: Lanes, b: Lanes) -> Lanes {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    }
}

struct SweepOwn<'a> {
    step: f64,
    /// Whether the bodies were not extrapolated yet.
    begins: bool,
    own: Section<'a>,
}

impl pulp::WithSimd for SweepOwn<'_> {
    type Output = Lanes;

    /// Solves every row in turn with the others held: normal rows one by one, then friction on the ball they
    /// allow; rows of joints within their bounds.
    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _simd: S) -> Lanes {
        let Self { step, begins, own: Section { batches, rows, impulses, terms, motions, .. } } = self;
        if begins {
            motions.iter_mut().for_each(|moving| extrapolate(moving, step));
        }
        let mut square = [0.0; WIDTH];
        for batch in batches.iter() {
            let mut moved = gather(motions, &batch.bodies);
            let range = batch.row..batch.row + batch.kind.n_rows();
            let (rows, x) = (&rows[range.clone()], &mut impulses[range.clone()]);
            if batch.kind.bounded {
                clamp_rows(rows, &terms[range], step, x, (&mut moved, &mut square));
            } else {
                let (normal, friction) = x.split_at_mut(batch.kind.n_normal);
                let n = normal.len();
                let sum = push_apart(&rows[..n], step, normal, (&mut moved, &mut square));
                match batch.kind.n_friction {
                    3 => rub::<3>((batch, &sum), &rows[n..], step, friction, (&mut moved, &mut square)),
                    2 => rub::<2>((batch, &sum), &rows[n..], step, friction, (&mut moved, &mut square)),
                    _ => (),
                }
            }
            scatter(&moved, &batch.bodies, motions);
        }
        square
    }
}

/// x + β p, where p := β p + Δx.
#[inline(always)]
fn extrapolated(of: &mut Impulses, step: f64) -> Lanes {
    let Impulses { mut x, mut direction, change } = *of;
    for lane in 0..WIDTH {
        let along = step * direction[lane];
        x[lane] += along;
        direction[lane] = along + change[lane];
    }
    of.direction = direction;
    x
}

/// Takes over what a row became.
#[inline(always)]
fn change(of: &mut Impulses, from: &Lanes, to: &Lanes, square: &mut Lanes) -> Lanes {
    let (mut dx, to, mut sum) = (*to, *to, *square);
    for lane in 0..WIDTH {
        dx[lane] -= from[lane];
        sum[lane] += dx[lane] * dx[lane];
    }
    (of.x, of.change, *square) = (to, dx, sum);
    dx
}

/// Normal rows; the sums of their impulses.
#[inline(always)]
fn push_apart(
    rows: &[SweptRow],
    step: f64,
    impulses: &mut [Impulses],
    (moved, square): (&mut Row, &mut Lanes),
) -> Lanes {
    let mut sum = [0.0; WIDTH];
    for (row, of) in rows.iter().zip(impulses) {
        let x = extrapolated(of, step);
        let y = slip(&row.along, moved, &row.offset);
        let mut next = [0.0; WIDTH];
        for lane in 0..WIDTH {
            next[lane] = (x[lane] - row.weight[lane] * y[lane]).max(0.0);
            sum[lane] += next[lane];
        }
        push(&row.along, &change(of, &x, &next, square), moved);
    }
    sum
}

/// Friction on the ball of the normal impulses `sum`.
#[inline(always)]
fn rub<const N: usize>(
    (batch, sum): (&Batch, &Lanes),
    rows: &[SweptRow],
    step: f64,
    impulses: &mut [Impulses],
    (moved, square): (&mut Row, &mut Lanes),
) {
    let (mut x, mut z, mut length) = ([[0.0; WIDTH]; N], [[0.0; WIDTH]; N], [0.0; WIDTH]);
    for k in 0..N {
        x[k] = extrapolated(&mut impulses[k], step);
        let y = slip(&rows[k].along, moved, &rows[k].offset);
        for lane in 0..WIDTH {
            z[k][lane] = x[k][lane] - batch.friction_step[lane] * y[lane];
            length[lane] += z[k][lane] * z[k][lane];
        }
    }
    let shrink = shrink(batch, sum, &length);
    for k in 0..N {
        for lane in 0..WIDTH {
            z[k][lane] *= shrink[lane];
        }
        push(&rows[k].along, &change(&mut impulses[k], &x[k], &z[k], square), moved);
    }
}

/// Rows of joints.
#[inline(always)]
fn clamp_rows(
    rows: &[SweptRow],
    terms: &[Terms],
    step: f64,
    impulses: &mut [Impulses],
    (moved, square): (&mut Row, &mut Lanes),
) {
    for ((row, terms), of) in rows.iter().zip(terms).zip(impulses) {
        let x = extrapolated(of, step);
        let y = slip(&row.along, moved, &row.offset);
        let ([low, high], mut next) = (&terms.bounds, [0.0; WIDTH]);
        for lane in 0..WIDTH {
            next[lane] = (x[lane] - row.weight[lane] * y[lane]).max(low[lane]).min(high[lane]);
        }
        push(&row.along, &change(of, &x, &next, square), moved);
    }
}
