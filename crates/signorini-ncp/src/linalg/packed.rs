//! Products of dense panels and division by triangles, the bulk of a supernodal factorisation.
//!
//! Factors are copied into the order in which the tiles read them, so that the inner loop runs through the
//! cache line by line. Fused multiply-adds in a fixed order per entry: the same bits on every machine and for
//! every width of vectors.

use super::entry::Entry;
use pulp::Simd;
use std::ops::Range;

/// Most pieces into which threads divide the columns of a product.
pub const SHARES: usize = 8;
/// Columns of C come in multiples of this: the width of a block.
const TILE: usize = 6;

/// Room for the factors of a product in the order in which its tiles read them.
#[derive(Debug, Default)]
pub struct Packed<T> {
    a: Vec<T>,
    b: Vec<T>,
    /// Number of rooms in `a`.
    shares: usize,
}

impl<T: Entry> Packed<T> {
    /// Room for products of `depth` columns of A with up to `columns` columns of C.
    pub fn new(depth: usize, columns: usize) -> Self {
        Self {
            a: vec![T::default(); (T::STRIP + 1) * depth + T::PAD],
            b: vec![T::default(); depth * columns + T::PAD],
            shares: 1,
        }
    }

    /// Room for products whose columns are divided among threads.
    pub fn shared(depth: usize, columns: usize) -> Self {
        let mut made = Self::new(depth, columns);
        made.a.resize(SHARES * made.a.len(), T::default());
        made.shares = SHARES;
        made
    }

    /// B as it was packed, and the rooms of strips of columns.
    #[inline(always)]
    pub fn parts(&mut self) -> (&[T], impl Iterator<Item = &mut [T]>) {
        let room = self.a.len() / self.shares.max(1);
        (aligned(&mut self.b), self.a.chunks_exact_mut(room.max(1)).map(aligned))
    }

    /// Takes B row by row, with `stride` entries from one row to the next.
    #[inline(always)]
    pub fn take(&mut self, b: &[T], stride: usize, columns: usize) {
        let depth = b.len().div_ceil(stride);
        let to = aligned(&mut self.b);
        for (k, row) in b.chunks(stride).enumerate() {
            let mut at = 0;
            for (strip, from) in row[..columns].chunks_exact(2 * TILE).enumerate() {
                to[2 * TILE * (strip * depth + k)..][..2 * TILE].copy_from_slice(from);
                at += 2 * TILE;
            }
            if at < columns {
                to[at * depth + TILE * k..][..TILE].copy_from_slice(&row[at..at + TILE]);
            }
        }
    }

    /// Takes B column by column: of each chunk of `stride` entries those in `range`.
    #[inline(always)]
    pub fn take_transposed(&mut self, b: &[T], stride: usize, range: Range<usize>) {
        let to = aligned(&mut self.b);
        let mut to = &mut to[..];
        for strip in b.chunks(2 * TILE * stride) {
            let width = strip.len() / stride;
            let (now, rest) = to.split_at_mut(width * range.len());
            for (j, column) in strip.chunks_exact(stride).enumerate() {
                for (to, x) in now[j..].iter_mut().step_by(width).zip(&column[range.clone()]) {
                    *to = *x;
                }
            }
            to = rest;
        }
    }

    /// Takes the upper triangle of a square matrix given row by row, `pitch` entries from one row to the
    /// next.
    #[inline(always)]
    pub fn take_upper(&mut self, a: &[T], pitch: usize, side: usize) {
        let to = aligned(&mut self.b);
        for strip in 0..side / TILE {
            let to = &mut to[triangle_start(strip)..triangle_start(strip + 1)];
            for (to, row) in to.chunks_exact_mut(TILE).zip(a.chunks(pitch)) {
                to.copy_from_slice(&row[TILE * strip..][..TILE]);
            }
        }
    }

    /// Takes the transpose of the lower triangle below the diagonal, with ones on the diagonal: of each chunk
    /// of `pitch` entries those in `range`.
    #[inline(always)]
    pub fn take_unit_lower(&mut self, a: &[T], pitch: usize, range: Range<usize>) {
        let to = aligned(&mut self.b);
        for (strip, rows) in a.chunks(TILE * pitch).enumerate().take(range.len() / TILE) {
            let to = &mut to[triangle_start(strip)..triangle_start(strip + 1)];
            for (j, row) in rows.chunks(pitch).enumerate() {
                let below = TILE * strip + j;
                for (to, x) in to[j..].iter_mut().step_by(TILE).zip(&row[range.start..][..below]) {
                    *to = *x;
                }
                to[TILE * below + j] = T::ONE;
            }
        }
    }

    /// Room for a strip of columns.
    pub fn room(&mut self) -> &mut [T] {
        aligned(&mut self.a)
    }
}

/// The part of a vector that begins on a line of the cache.
#[inline(always)]
fn aligned<T: Entry>(x: &mut [T]) -> &mut [T] {
    let skip = x.as_ptr().align_offset(64).min(T::PAD);
    &mut x[skip..]
}

/// Rows `from..to` (multiples of [`Entry::PAD`]) of columns that have `stride` entries.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Entries from one column to the next.
    pub stride: usize,
    /// First row.
    pub from: usize,
    /// Row after the last.
    pub to: usize,
}

impl Rows {
    /// (first row, number of rows) of tiles: two of the widest vectors, or one vector.
    #[inline(always)]
    fn tiles<S: Simd, T: Entry>(self) -> impl Iterator<Item = (usize, usize)> {
        let most = if T::lanes::<S>() == T::PAD { 2 * T::PAD } else { T::lanes::<S>() };
        (self.from..self.to).step_by(most).map(move |row| (row, most.min(self.to - row)))
    }
}

/// Copies V vectors of rows from `row` on, so that a column follows the one before it.
#[inline(always)]
fn take_rows<S: Simd, T: Entry, const V: usize>(
    to: &mut [[T::Vector<S>; V]],
    a: &[T],
    stride: usize,
    row: usize,
) {
    for (column, to) in a.chunks_exact(stride).zip(to) {
        let from = T::vectors::<S>(&column[row..row + V * T::lanes::<S>()]).0;
        to.iter_mut().zip(from).for_each(|(to, x)| *to = *x);
    }
}

/// Copies V vectors of rows back, from `row` on.
#[inline(always)]
fn give_rows<S: Simd, T: Entry, const V: usize>(
    from: &[[T::Vector<S>; V]],
    a: &mut [T],
    stride: usize,
    row: usize,
) {
    for (column, from) in a.chunks_exact_mut(stride).zip(from) {
        let to = T::vectors_mut::<S>(&mut column[row..row + V * T::lanes::<S>()]).0;
        to.iter_mut().zip(from).for_each(|(to, x)| *to = *x);
    }
}

/// C −= A B in some rows: C and A column by column, padded; B as it was packed. C has a multiple of six
/// columns.
#[inline(always)]
pub fn subtract_product<S: Simd, T: Entry>(
    simd: S,
    c: &mut [T],
    (a, rows): (&[T], Rows),
    packed: &mut Packed<T>,
) {
    multiply::<S, T, true>(simd, c, (a, rows), aligned(&mut packed.a), aligned(&mut packed.b));
}

/// C := −A B, added to C if C KEEPS its values.
#[inline(always)]
pub(super) fn multiply<S: Simd, T: Entry, const KEEPS: bool>(
    simd: S,
    c: &mut [T],
    (a, rows): (&[T], Rows),
    packed_a: &mut [T],
    packed_b: &[T],
) {
    let stride = rows.stride;
    if stride == 0 || a.is_empty() {
        return;
    }
    let depth = a.len() / stride;
    let columns = c.len() / stride;
    let packed_b = &packed_b[..depth * columns];
    for (row, height) in rows.tiles::<S, T>() {
        let packed_a = &mut packed_a[..depth * height];
        if height == 2 * T::lanes::<S>() {
            tiles::<S, T, 2, KEEPS>(simd, c, (a, stride, row), packed_a, packed_b);
        } else {
            tiles::<S, T, 1, KEEPS>(simd, c, (a, stride, row), packed_a, packed_b);
        }
    }
}

/// V vectors of rows, all columns.
#[inline(always)]
fn tiles<S: Simd, T: Entry, const V: usize, const KEEPS: bool>(
    simd: S,
    c: &mut [T],
    (a, stride, row): (&[T], usize, usize),
    packed_a: &mut [T],
    b: &[T],
) {
    let (packed_a, _) = T::vectors_mut::<S>(packed_a).0.as_chunks_mut::<V>();
    take_rows::<S, T, V>(packed_a, a, stride, row);
    let (a, depth) = (&*packed_a, packed_a.len());
    let mut at = 0;
    let mut wide = c.chunks_exact_mut(2 * TILE * stride);
    for columns in &mut wide {
        let b = &b[at..at + 2 * TILE * depth];
        tile::<S, T, V, { 2 * TILE }, KEEPS>(simd, columns, a, stride, row, b.as_chunks().0);
        at += 2 * TILE * depth;
    }
    for columns in wide.into_remainder().chunks_exact_mut(TILE * stride) {
        tile::<S, T, V, TILE, KEEPS>(simd, columns, a, stride, row, b[at..].as_chunks().0);
    }
}

/// V vectors of rows by W columns of C.
#[inline(always)]
fn tile<S: Simd, T: Entry, const V: usize, const W: usize, const KEEPS: bool>(
    simd: S,
    c: &mut [T],
    a: &[[T::Vector<S>; V]],
    stride: usize,
    row: usize,
    b: &[[T; W]],
) {
    let sum = product(simd, a, b);
    let zero = T::splat(simd, T::default());
    let rows = row..row + V * T::lanes::<S>();
    for (c, sum) in c.chunks_exact_mut(stride).zip(&sum) {
        let c = T::vectors_mut::<S>(&mut c[rows.clone()]).0;
        for (c, sum) in c.iter_mut().zip(sum) {
            *c = T::minus(simd, if KEEPS { *c } else { zero }, *sum);
        }
    }
}

/// V vectors of rows by W columns of A B.
#[inline(always)]
fn product<S: Simd, T: Entry, const V: usize, const W: usize>(
    simd: S,
    a: &[[T::Vector<S>; V]],
    b: &[[T; W]],
) -> [[T::Vector<S>; V]; W] {
    let mut sum = [[T::splat(simd, T::default()); V]; W];
    for (a, b) in a.iter().zip(b) {
        for (sum, b) in sum.iter_mut().zip(b) {
            let b = T::splat(simd, *b);
            for (sum, a) in sum.iter_mut().zip(a) {
                *sum = T::mul_add(simd, *a, b, *sum);
            }
        }
    }
    sum
}

/// Where strip s of a packed triangle starts.
#[inline(always)]
fn triangle_start(strip: usize) -> usize {
    TILE * TILE * strip * (strip + 1) / 2
}

/// X := X T⁻¹ in some rows, X column by column, padded, T the upper triangle that was packed.
#[inline(always)]
pub fn solve_right<S: Simd, T: Entry>(simd: S, x: &mut [T], rows: Rows, packed: &mut Packed<T>) {
    let stride = rows.stride;
    let side = x.len() / stride;
    let triangle = &aligned(&mut packed.b)[..triangle_start(side / TILE)];
    let packed_x = aligned(&mut packed.a);
    for (row, height) in rows.tiles::<S, T>() {
        let packed_x = &mut packed_x[..height * side];
        if height == 2 * T::lanes::<S>() {
            solve_tile::<S, T, 2>(simd, (x, stride, row), packed_x, triangle);
        } else {
            solve_tile::<S, T, 1>(simd, (x, stride, row), packed_x, triangle);
        }
    }
}

/// X := X T⁻¹ for V vectors of rows, six columns at a time.
#[inline(always)]
fn solve_tile<S: Simd, T: Entry, const V: usize>(
    simd: S,
    (panel, stride, row): (&mut [T], usize, usize),
    packed: &mut [T],
    triangle: &[T],
) {
    let (x, _) = T::vectors_mut::<S>(packed).0.as_chunks_mut::<V>();
    take_rows::<S, T, V>(x, panel, stride, row);
    for x in x.iter_mut().flatten() {
        *x = T::without_tiny(simd, *x);
    }
    for strip in 0..x.len() / TILE {
        let (done, rest) = x.split_at_mut(TILE * strip);
        let t = triangle[triangle_start(strip)..triangle_start(strip + 1)].as_chunks::<TILE>().0;
        let mut sum = product::<S, T, V, TILE>(simd, done, t);
        let own = &mut rest[..TILE];
        let t = &t[TILE * strip..];
        for j in 0..TILE {
            let inverse = T::splat(simd, T::ONE / t[j][j]);
            for v in 0..V {
                let quotient = T::times(simd, T::minus(simd, own[j][v], sum[j][v]), inverse);
                own[j][v] = T::without_tiny(simd, quotient);
                for later in j + 1..TILE {
                    sum[later][v] = T::mul_add(simd, own[j][v], T::splat(simd, t[j][later]), sum[later][v]);
                }
            }
        }
    }
    give_rows::<S, T, V>(x, panel, stride, row);
}
