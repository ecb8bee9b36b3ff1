//! LU of a matrix with a symmetric pattern of 6×6 blocks and unsymmetric values.
//!
//! Exact Coulomb friction makes the Newton matrix unsymmetric, and the Cholesky factor of its symmetric part is a
//! poor preconditioner at large ρ: the coupling of friction to the normal force is amplified by √ρ (measured at
//! 64 bodies: GMRES runs into its limit of 60 from ρ = 3e3 on). No library offers LU on a given symmetric
//! ordering, hence this one: left-looking, blocks eliminated in minimum-degree order, pivoting only inside the
//! 6×6 diagonal blocks. Callers check the result (GMRES with the factor as preconditioner).

use super::ordering::minimum_degree;
use super::{BLOCK, BLOCK_LEN, BlockPattern, SingularBlock};
use nalgebra::{Matrix6, Vector6};

/// One 6×6 block, row-major.
pub type Block = [f64; BLOCK_LEN];

/// Values of a block matrix by slot of a [`BlockPattern`]: diagonal and lower blocks in `lower`, blocks of the
/// upper triangle (row < column) in `upper` at the same slot less n.
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
}

/// L U with unit block-lower L, in the order of a symbolic analysis.
#[derive(Debug, Default)]
pub struct BlockLu {
    n: usize,
    /// `order[k]` = block eliminated k-th.
    order: Vec<usize>,
    /// Column k of L (and row k of U) has rows `rows[start[k]..start[k + 1]]`, ascending, in elimination order.
    start: Vec<usize>,
    rows: Vec<u32>,
    /// For each row j: (k, index into `rows`) of the columns k < j that hold it, ascending in k.
    row_start: Vec<usize>,
    row_list: Vec<(u32, u32)>,
    /// Where each slot of the pattern goes: (elimination column, index; `usize::MAX` = diagonal; transposed).
    scatter: Vec<(usize, bool)>,
    inverse: Vec<Block>,
    lower: Vec<Block>,
    upper: Vec<Block>,
    position: Vec<usize>,
    work: Vec<f64>,
}

impl BlockLu {
    /// Orders and analyses a pattern.
    pub fn analyse(&mut self, pattern: &BlockPattern) {
        let n = pattern.n();
        self.n = n;
        self.order = minimum_degree(pattern);
        let mut place = vec![0; n];
        for (k, block) in self.order.iter().enumerate() {
            place[*block] = k;
        }
        let columns = symbolic(pattern, &place);
        self.start = vec![0];
        self.rows.clear();
        for column in &columns {
            self.rows.extend_from_slice(column);
            self.start.push(self.rows.len());
        }
        self.index_rows();
        self.map_slots(pattern, &place);
        self.inverse = vec![[0.0; BLOCK_LEN]; n];
        self.lower = vec![[0.0; BLOCK_LEN]; self.rows.len()];
        self.upper = self.lower.clone();
        self.position = vec![0; n];
        self.work = vec![0.0; BLOCK * n];
    }

    /// Multiplications of 6×6 blocks that a factorisation takes.
    pub fn n_block_products(&self) -> usize {
        self.start.windows(2).map(|w| (w[1] - w[0]) * (w[1] - w[0] + 1)).sum()
    }

    fn index_rows(&mut self) {
        self.row_start = vec![0; self.n + 1];
        for row in &self.rows {
            self.row_start[*row as usize + 1] += 1;
        }
        for j in 0..self.n {
            self.row_start[j + 1] += self.row_start[j];
        }
        let mut next = self.row_start.clone();
        self.row_list = vec![(0, 0); self.rows.len()];
        for k in 0..self.n {
            for index in self.start[k]..self.start[k + 1] {
                let row = self.rows[index] as usize;
                self.row_list[next[row]] = (k as u32, index as u32);
                next[row] += 1;
            }
        }
    }

    fn map_slots(&mut self, pattern: &BlockPattern, place: &[usize]) {
        self.scatter.clear();
        self.scatter.extend(place.iter().map(|k| (*k, false)));
        for column in 0..self.n {
            for row in pattern.column(column) {
                let (i, j) = (place[row], place[column]);
                let (late, early) = (i.max(j) as u32, i.min(j));
                let range = self.start[early]..self.start[early + 1];
                let found =
                    self.rows[range.clone()].binary_search(&late).expect("symbolic pattern holds the matrix");
                self.scatter.push((range.start + found, i < j));
            }
        }
    }

    /// Factorises.
    ///
    /// # Errors
    /// When a diagonal block turns out singular.
    pub fn factorize(&mut self, blocks: &UnsymmetricBlocks) -> Result<(), SingularBlock> {
        self.lower.fill([0.0; BLOCK_LEN]);
        self.upper.fill([0.0; BLOCK_LEN]);
        for (slot, (place, transposed)) in self.scatter.iter().enumerate() {
            if slot < self.n {
                self.inverse[*place] = blocks.lower[slot];
            } else {
                let (low, up) = (&blocks.lower[slot], &blocks.upper[slot - self.n]);
                (self.lower[*place], self.upper[*place]) =
                    if *transposed { (*up, *low) } else { (*low, *up) };
            }
        }
        // Compiled for the widest vectors the machine has; no fused multiply-add, so the bits are the same on all.
        pulp::Arch::new().dispatch(|| self.eliminate())
    }

    #[inline(always)]
    fn eliminate(&mut self) -> Result<(), SingularBlock> {
        for j in 0..self.n {
            let own = self.start[j]..self.start[j + 1];
            for index in own.clone() {
                self.position[self.rows[index] as usize] = index;
            }
            for at in self.row_start[j]..self.row_start[j + 1] {
                let (k, index) = (self.row_list[at].0 as usize, self.row_list[at].1 as usize);
                let (l_jk, u_kj) = (self.lower[index], self.upper[index]);
                subtract_product(&mut self.inverse[j], &l_jk, &u_kj);
                for other in index + 1..self.start[k + 1] {
                    let target = self.position[self.rows[other] as usize];
                    let l_ik = self.lower[other];
                    subtract_product(&mut self.lower[target], &l_ik, &u_kj);
                    let u_ki = self.upper[other];
                    subtract_product(&mut self.upper[target], &l_jk, &u_ki);
                }
            }
            let pivot = Matrix6::from_row_slice(&self.inverse[j]);
            let inverse = pivot.try_inverse().ok_or(SingularBlock)?;
            self.inverse[j].copy_from_slice(inverse.transpose().as_slice());
            for index in own {
                let mut scaled = [0.0; BLOCK_LEN];
                subtract_product(&mut scaled, &self.lower[index], &self.inverse[j]);
                self.lower[index] = scaled.map(|x| -x);
            }
        }
        Ok(())
    }

    /// x := (L U)⁻¹ x.
    pub fn solve(&mut self, x: &mut [f64]) {
        for (k, block) in self.order.iter().enumerate() {
            self.work[BLOCK * k..BLOCK * (k + 1)].copy_from_slice(&x[BLOCK * block..BLOCK * (block + 1)]);
        }
        let mut work = std::mem::take(&mut self.work);
        pulp::Arch::new().dispatch(|| self.substitute(&mut work));
        self.work = work;
        for (k, block) in self.order.iter().enumerate() {
            x[BLOCK * block..BLOCK * (block + 1)].copy_from_slice(&self.work[BLOCK * k..BLOCK * (k + 1)]);
        }
    }

    #[inline(always)]
    fn substitute(&self, work: &mut [f64]) {
        for k in 0..self.n {
            let own = six(work, k);
            for index in self.start[k]..self.start[k + 1] {
                let row = self.rows[index] as usize;
                subtract_vector(&mut work[BLOCK * row..BLOCK * (row + 1)], &self.lower[index], &own);
            }
        }
        for k in (0..self.n).rev() {
            let mut own = six(work, k);
            for index in self.start[k]..self.start[k + 1] {
                let above = six(work, self.rows[index] as usize);
                subtract_vector(&mut own, &self.upper[index], &above);
            }
            let solved = Matrix6::from_row_slice(&self.inverse[k]) * Vector6::from_column_slice(&own);
            work[BLOCK * k..BLOCK * (k + 1)].copy_from_slice(solved.as_slice());
        }
    }
}

/// Column patterns of L in elimination order: a column holds its matrix entries and those of its children.
fn symbolic(pattern: &BlockPattern, place: &[usize]) -> Vec<Vec<u32>> {
    let n = place.len();
    let mut columns: Vec<Vec<u32>> = vec![Vec::new(); n];
    for column in 0..n {
        for row in pattern.column(column) {
            let (i, j) = (place[row], place[column]);
            columns[i.min(j)].push(i.max(j) as u32);
        }
    }
    for k in 0..n {
        let mut own = std::mem::take(&mut columns[k]);
        own.sort_unstable();
        own.dedup();
        if let Some((parent, rest)) = own.split_first() {
            columns[*parent as usize].extend_from_slice(rest);
        }
        columns[k] = own;
    }
    columns
}

#[inline(always)]
fn six(work: &[f64], k: usize) -> [f64; BLOCK] {
    let mut out = [0.0; BLOCK];
    out.copy_from_slice(&work[BLOCK * k..BLOCK * (k + 1)]);
    out
}

/// c −= a b.
#[inline(always)]
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for r in 0..BLOCK {
        let mut row = [0.0; BLOCK];
        for k in 0..BLOCK {
            let scale = a[BLOCK * r + k];
            for j in 0..BLOCK {
                row[j] += scale * b[BLOCK * k + j];
            }
        }
        for j in 0..BLOCK {
            c[BLOCK * r + j] -= row[j];
        }
    }
}

#[inline(always)]
fn subtract_vector(out: &mut [f64], a: &Block, x: &[f64; BLOCK]) {
    for r in 0..BLOCK {
        let mut sum = 0.0;
        for c in 0..BLOCK {
            sum += a[BLOCK * r + c] * x[c];
        }
        out[r] -= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn agrees_with_the_dense_solution_of_an_unsymmetric_system() {
        let pairs = [(0, 3), (3, 1), (4, 2), (2, 0), (4, 3), (5, 6), (6, 1), (5, 0)];
        let n = 7;
        let pattern = BlockPattern::new(n, pairs.into_iter());
        let mut blocks = UnsymmetricBlocks::default();
        blocks.reset(&pattern);
        let mut dense = DMatrix::<f64>::zeros(BLOCK * n, BLOCK * n);
        let mut wave = 0.3_f64;
        let both = pairs.into_iter().flat_map(|(i, j)| [(i, j), (j, i)]);
        for (i, j) in both.chain((0..n).map(|i| (i, i))) {
            let slot = pattern.slot(i, j);
            for e in 0..BLOCK_LEN {
                wave = (wave * 3.7).sin();
                let value = wave + if i == j && e % (BLOCK + 1) == 0 { 15.0 } else { 0.0 };
                dense[(BLOCK * i + e / BLOCK, BLOCK * j + e % BLOCK)] = value;
                blocks.block(n, slot, i, j)[e] = value;
            }
        }
        let rhs = DVector::from_fn(BLOCK * n, |i, _| (i as f64).cos());
        let expected = dense.lu().solve(&rhs).expect("regular");
        let mut lu = BlockLu::default();
        lu.analyse(&pattern);
        lu.factorize(&blocks).expect("regular");
        let mut x: Vec<f64> = rhs.iter().copied().collect();
        lu.solve(&mut x);
        assert!((DVector::from_vec(x) - expected).norm() < 1e-13);
    }
}
