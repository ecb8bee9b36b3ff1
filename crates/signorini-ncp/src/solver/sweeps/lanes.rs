//! Eight numbers at once, one of each contact of a batch. Plain loops over them become vector instructions
//! where a dispatch of `pulp` encloses them.

pub(super) use crate::solver::parameters::sweeps::LANES as WIDTH;

/// One number of each contact of a batch.
pub(super) type Lanes = [f64; WIDTH];

/// A row of each contact: six entries of its first body, six of its second.
pub(super) type Row = [Lanes; 12];

/// a b + c. Everything is read before anything is written: only then do the lanes become one instruction.
#[inline(always)]
pub(super) fn mul_add(a: &Lanes, b: &Lanes, c: &Lanes) -> Lanes {
    let (a, b, c) = (*a, *b, *c);
    let mut sum = [0.0; WIDTH];
    for lane in 0..WIDTH {
        sum[lane] = a[lane].mul_add(b[lane], c[lane]);
    }
    sum
}

/// y = y₀ + J w.
#[inline(always)]
pub(super) fn slip(row: &Row, gathered: &Row, offset: &Lanes) -> Lanes {
    let (mut first, mut second) = (*offset, [0.0; WIDTH]);
    for d in 0..6 {
        first = mul_add(&row[d], &gathered[d], &first);
        second = mul_add(&row[d + 6], &gathered[d + 6], &second);
    }
    for lane in 0..WIDTH {
        first[lane] += second[lane];
    }
    first
}

/// w += Jᵀ dx.
#[inline(always)]
pub(super) fn push(row: &Row, dx: &Lanes, gathered: &mut Row) {
    for d in 0..2 * 6 {
        gathered[d] = mul_add(&row[d], dx, &gathered[d]);
    }
}
