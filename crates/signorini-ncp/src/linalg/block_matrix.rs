//! Matrices of 6×6 blocks with a symmetric pattern: the pattern is found once per contact graph, values are
//! written through it.

use super::{BLOCK, BLOCK_LEN};

/// Which blocks of the lower triangle are present, and where their entries go in compressed scalar columns.
#[derive(Debug, Clone, Default)]
pub struct BlockPattern {
    n: usize,
    /// Off-diagonal blocks (column, row), row > column, sorted: slot `n + index`.
    off_diagonal: Vec<(u32, u32)>,
    /// Start of each block column in `off_diagonal`.
    column_start: Vec<usize>,
}

impl BlockPattern {
    /// The pattern with all diagonal blocks and the given off-diagonal ones (either triangle, any order,
    /// repeats allowed).
    pub fn new(n: usize, pairs: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut off_diagonal: Vec<(u32, u32)> =
            pairs.filter(|(i, j)| i != j).map(|(i, j)| (i.min(j) as u32, i.max(j) as u32)).collect();
        off_diagonal.sort_unstable();
        off_diagonal.dedup();
        let mut column_start = vec![0; n + 1];
        for (column, _) in &off_diagonal {
            column_start[*column as usize + 1] += 1;
        }
        for j in 0..n {
            column_start[j + 1] += column_start[j];
        }
        Self { n, off_diagonal, column_start }
    }

    /// Number of block rows.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of blocks stored (diagonal ones first).
    pub fn n_slots(&self) -> usize {
        self.n + self.off_diagonal.len()
    }

    /// Slot of block (i, j) of the lower triangle; (i, j) and (j, i) share a slot.
    ///
    /// # Panics
    /// When the block is not in the pattern.
    pub fn slot(&self, i: usize, j: usize) -> usize {
        if i == j {
            return i;
        }
        let (column, row) = (i.min(j), i.max(j) as u32);
        let start = self.column_start[column];
        let rows = &self.off_diagonal[start..self.column_start[column + 1]];
        let found = rows.binary_search_by_key(&row, |entry| entry.1).expect("block is in the pattern");
        self.n + start + found
    }

    /// Rows of the off-diagonal blocks in block column j, ascending.
    pub fn column(&self, j: usize) -> impl Iterator<Item = usize> + '_ {
        self.off_diagonal[self.column_start[j]..self.column_start[j + 1]].iter().map(|e| e.1 as usize)
    }

    /// Scalar compressed-column pattern of the lower triangle: (column pointers, row indices).
    pub fn scalar_columns(&self) -> (Vec<usize>, Vec<usize>) {
        let mut pointers = vec![0];
        let mut rows = Vec::new();
        for j in 0..self.n {
            for c in 0..BLOCK {
                rows.extend(BLOCK * j + c..BLOCK * (j + 1));
                for i in self.column(j) {
                    rows.extend(BLOCK * i..BLOCK * (i + 1));
                }
                pointers.push(rows.len());
            }
        }
        (pointers, rows)
    }

    /// Compressed-column pattern of the graph of blocks, lower triangle with the diagonal.
    pub fn graph_columns(&self) -> (Vec<usize>, Vec<usize>) {
        let mut pointers = vec![0];
        let mut rows = Vec::new();
        for j in 0..self.n {
            rows.push(j);
            rows.extend(self.column(j));
            pointers.push(rows.len());
        }
        (pointers, rows)
    }
}

/// Values of a symmetric block matrix: row-major 6×6 blocks by slot. An off-diagonal slot holds the block
/// of the lower triangle, (row, column) with row > column.
#[derive(Debug, Clone, Default)]
pub struct SymmetricBlocks {
    /// `n_slots` blocks.
    pub values: Vec<f64>,
}

impl SymmetricBlocks {
    /// All zeros, sized for the pattern (reuses the allocation).
    pub fn reset(&mut self, pattern: &BlockPattern) {
        self.values.clear();
        self.values.resize(pattern.n_slots() * BLOCK_LEN, 0.0);
    }

    /// The block of a slot.
    pub fn block(&mut self, slot: usize) -> &mut [f64] {
        &mut self.values[slot * BLOCK_LEN..(slot + 1) * BLOCK_LEN]
    }

    /// Writes the entries into compressed scalar columns in the order of [`BlockPattern::scalar_columns`].
    pub fn write_columns(&self, pattern: &BlockPattern, out: &mut Vec<f64>) {
        out.clear();
        for j in 0..pattern.n {
            let off = pattern.column_start[j]..pattern.column_start[j + 1];
            for c in 0..BLOCK {
                let diagonal = &self.values[j * BLOCK_LEN..];
                out.extend((c..BLOCK).map(|r| diagonal[r * BLOCK + c]));
                for k in off.clone() {
                    let block = &self.values[(pattern.n + k) * BLOCK_LEN..];
                    out.extend((0..BLOCK).map(|r| block[r * BLOCK + c]));
                }
            }
        }
    }
}

/// One 6×6 block, row-major.
pub type Block = [f64; BLOCK_LEN];

/// Values of a block matrix by slot of a [`BlockPattern`]: diagonal and lower blocks in `lower`, blocks of
/// the upper triangle (row < column) in `upper` at the same slot less n.
#[derive(Debug, Clone, Default)]
pub struct UnsymmetricBlocks {
    /// Diagonal blocks, then lower ones.
    pub lower: Vec<Block>,
    /// Upper blocks.
    pub upper: Vec<Block>,
}

impl UnsymmetricBlocks {
    /// All zeros, sized for the pattern.
    pub fn reset(&mut self, pattern: &BlockPattern) {
        self.lower.clear();
        self.lower.resize(pattern.n_slots(), [0.0; BLOCK_LEN]);
        self.upper.clear();
        self.upper.resize(pattern.n_slots() - pattern.n(), [0.0; BLOCK_LEN]);
    }

    /// The block at (i, j), whose slot is given.
    pub fn block(&mut self, n: usize, slot: usize, i: usize, j: usize) -> &mut Block {
        if i >= j { &mut self.lower[slot] } else { &mut self.upper[slot - n] }
    }

    /// out := A x.
    pub fn product(&self, pattern: &BlockPattern, x: &[f64], out: &mut [f64]) {
        let (x, _) = x.as_chunks::<BLOCK>();
        let (out, _) = out.as_chunks_mut::<BLOCK>();
        let (diagonal, lower) = self.lower.split_at(pattern.n());
        for ((block, x), out) in diagonal.iter().zip(x).zip(out.iter_mut()) {
            *out = [0.0; BLOCK];
            add_block_product(block, x, out);
        }
        let places = (0..pattern.n()).flat_map(|j| pattern.column(j).map(move |i| (i, j)));
        for ((low, up), (i, j)) in lower.iter().zip(&self.upper).zip(places) {
            add_block_product(low, &x[j], &mut out[i]);
            add_block_product(up, &x[i], &mut out[j]);
        }
    }
}

/// out += B x.
fn add_block_product(block: &Block, x: &[f64; BLOCK], out: &mut [f64; BLOCK]) {
    for (o, row) in out.iter_mut().zip(block.as_chunks::<BLOCK>().0) {
        *o += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
    }
}
