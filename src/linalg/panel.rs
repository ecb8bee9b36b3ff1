//! Panels of a supernodal factorisation: padded columns, and the vectors in them.
//!
//! Fused multiply-adds in a fixed order per entry: the same bits on every machine and for every width of vectors.

/// Columns of panels are padded with zeros to a multiple of this many entries: the widest vectors.
pub const PAD: usize = 8;

/// Entries from one column of a panel with `rows` rows to the next.
pub fn leading_dimension(rows: usize) -> usize {
    rows.next_multiple_of(PAD)
}

/// y −= s x.
#[inline(always)]
pub fn subtract_scaled(y: &mut [f64], s: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = (-s).mul_add(*x, *y);
    }
}

/// aᵀ b, summed in eight strands.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut strands = [0.0; PAD];
    let (a_chunks, b_chunks) = (a.chunks_exact(PAD), b.chunks_exact(PAD));
    let mut rest = 0.0;
    for (a, b) in a_chunks.remainder().iter().zip(b_chunks.remainder()) {
        rest = a.mul_add(*b, rest);
    }
    for (a, b) in a_chunks.zip(b_chunks) {
        for ((s, a), b) in strands.iter_mut().zip(a).zip(b) {
            *s = a.mul_add(*b, *s);
        }
    }
    let [a, b, c, d, e, f, g, h] = strands;
    ((a + b) + (c + d)) + ((e + f) + (g + h)) + rest
}
